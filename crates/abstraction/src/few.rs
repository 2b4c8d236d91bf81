//! Lists of integers with inline storage for a few elements: most value sets are that small, and
//! are created and dropped all the time.

use std::cmp::Ordering;
use std::fmt;
use std::ops::Deref;

/// Number of integers that are stored inline.
const FEW: usize = 3;

/// A list of integers.
#[derive(Clone)]
pub(crate) struct List(Kept);

#[derive(Clone)]
enum Kept {
    /// Inline storage: the first number is the length.
    Few(u8, [i64; FEW]),
    Many(Vec<i64>),
}

impl List {
    /// No integers.
    pub(crate) const fn new() -> Self {
        Self(Kept::Few(0, [0; FEW]))
    }

    /// One integer.
    pub(crate) const fn of(value: i64) -> Self {
        Self(Kept::Few(1, [value, 0, 0]))
    }

    /// Appends an integer.
    pub(crate) fn push(&mut self, value: i64) {
        match &mut self.0 {
            Kept::Many(all) => all.push(value),
            Kept::Few(count, few) => match few.get_mut(usize::from(*count)) {
                Some(free) => {
                    *free = value;
                    *count += 1;
                }
                None => {
                    let mut all = Vec::with_capacity(4 * FEW);
                    all.extend_from_slice(few);
                    all.push(value);
                    self.0 = Kept::Many(all);
                }
            },
        }
    }

    /// Sorts the list and removes duplicates.
    pub(crate) fn sort(&mut self) {
        match &mut self.0 {
            Kept::Many(all) => {
                // A stable sort, as the values mostly come in a few ascending runs.
                all.sort();
                all.dedup();
            }
            Kept::Few(count, few) => {
                let all = &mut few[..usize::from(*count)];
                all.sort_unstable();
                let mut kept = Self::new();
                for (position, &value) in all.iter().enumerate() {
                    if position == 0 || all[position - 1] != value {
                        kept.push(value);
                    }
                }
                *self = kept;
            }
        }
    }
}

impl Deref for List {
    type Target = [i64];

    fn deref(&self) -> &[i64] {
        match &self.0 {
            Kept::Few(count, few) => &few[..usize::from(*count)],
            Kept::Many(all) => all,
        }
    }
}

impl FromIterator<i64> for List {
    fn from_iter<I: IntoIterator<Item = i64>>(values: I) -> Self {
        let mut list = Self::new();
        list.extend(values);
        list
    }
}

impl Extend<i64> for List {
    fn extend<I: IntoIterator<Item = i64>>(&mut self, values: I) {
        values.into_iter().for_each(|value| self.push(value));
    }
}

impl PartialEq for List {
    fn eq(&self, other: &Self) -> bool {
        self[..] == other[..]
    }
}

impl Eq for List {}

impl PartialOrd for List {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for List {
    fn cmp(&self, other: &Self) -> Ordering {
        self[..].cmp(&other[..])
    }
}

impl fmt::Debug for List {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self[..].fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_list_is_as_a_vector(values in prop::collection::vec(-3_i64..4, 0..9), other in prop::collection::vec(-3_i64..4, 0..9)) {
            let list: List = values.iter().copied().collect();
            let another: List = other.iter().copied().collect();
            prop_assert_eq!(&list[..], &values[..]);
            prop_assert_eq!(list.cmp(&another), values.cmp(&other));
            prop_assert_eq!(list == another, values == other);
            let (mut sorted, mut expected) = (list, values);
            sorted.sort();
            expected.sort_unstable();
            expected.dedup();
            prop_assert_eq!(&sorted[..], &expected[..]);
        }
    }
}
