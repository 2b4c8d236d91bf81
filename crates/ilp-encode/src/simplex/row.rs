//! The rows of the simplex tableau: sparse equations.
//!
//! A row is an equation `Σ a_j·x_j = b + ε·e`; its basic variable has a positive coefficient.
//! Integer rows are kept primitive and need no common denominator, so a pivot touches only the rows
//! with an entry in the pivot's column: on sparse problems this makes exact arithmetic affordable.

use std::cmp::Ordering;

use num_bigint::BigInt;
use num_traits::One;

use super::number::Number;

/// One equation. `entries` ascend by column and contain no zeros.
#[derive(Clone, Debug)]
pub(super) struct Row<T> {
    pub entries: Vec<(u32, T)>,
    /// Right-hand side.
    pub value: T,
    /// Coefficient of the infinitesimal ε on the right-hand side.
    pub shift: T,
}

impl<T: Number> Row<T> {
    /// The coefficient in a column, if it is not 0.
    pub fn at(&self, column: u32) -> Option<&T> {
        self.entries.binary_search_by_key(&column, |entry| entry.0).ok().map(|at| &self.entries[at].1)
    }

    /// `k·self − t·pivot` with the factors for which `column` vanishes, reduced; `None` if it does
    /// not fit.
    pub fn eliminate(&self, pivot: &Self, column: u32) -> Option<Self> {
        let (Some(own), Some(lead)) = (self.at(column), pivot.at(column)) else {
            return Some(self.clone());
        };
        let common = own.common(lead);
        let (keep, take) = (lead.over(&common), own.over(&common));
        let zero = T::zero();
        let mut entries = Vec::with_capacity(self.entries.len() + pivot.entries.len());
        let (mut left, mut right) = (self.entries.iter().peekable(), pivot.entries.iter().peekable());
        loop {
            let order = match (left.peek(), right.peek()) {
                (Some(a), Some(b)) => a.0.cmp(&b.0),
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (None, None) => break,
            };
            let mine = if order.is_le() { left.next() } else { None };
            let other = if order.is_ge() { right.next() } else { None };
            let Some((at, _)) = mine.or(other) else { break };
            let value = match (mine, other) {
                (Some((_, a)), None) if keep.is_one() => a.clone(),
                (a, b) => {
                    let (a, b) = (a.map_or(&zero, |a| &a.1), b.map_or(&zero, |b| &b.1));
                    T::combine(&keep, a, &take, b)?
                }
            };
            if *at != column && value.sign() != Ordering::Equal {
                entries.push((*at, value));
            }
        }
        let value = T::combine(&keep, &self.value, &take, &pivot.value)?;
        let shift = T::combine(&keep, &self.shift, &take, &pivot.shift)?;
        let mut row = Self { entries, value, shift };
        row.reduce();
        Some(row)
    }

    /// Divides all numbers by their greatest common divisor.
    fn reduce(&mut self) {
        let mut common = T::zero();
        let entries = self.entries.iter().map(|(_, value)| value);
        for value in [&self.value, &self.shift].into_iter().chain(entries) {
            common = common.common(value);
            if common.is_one() {
                return;
            }
        }
        if common.sign() != Ordering::Equal {
            let entries = self.entries.iter_mut().map(|(_, value)| value);
            for value in [&mut self.value, &mut self.shift].into_iter().chain(entries) {
                *value = value.over(&common);
            }
        }
    }

    /// The slack row `x_column = value + ε·shift`.
    pub fn slack(column: u32, value: &BigInt, shift: &BigInt) -> Option<Self> {
        Some(Self {
            entries: vec![(column, T::from_big(&BigInt::one())?)],
            value: T::from_big(value)?,
            shift: T::from_big(shift)?,
        })
    }

    /// The same row in another number type, which has room for all of this one.
    pub fn widen<W: Number>(&self) -> Row<W> {
        let wide = |value: &T| W::from_big(&value.to_big()).expect("a wider kind has room");
        Row {
            entries: self.entries.iter().map(|(column, value)| (*column, wide(value))).collect(),
            value: wide(&self.value),
            shift: wide(&self.shift),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elimination_removes_the_column_and_common_divisors() {
        let pivot = Row { entries: vec![(0, 2i128), (1, 4)], value: 6, shift: 0 };
        let row = Row { entries: vec![(0, 3i128), (2, 1)], value: 1, shift: 2 };
        let result = row.eliminate(&pivot, 0).unwrap();
        // 2·row − 3·pivot = -12 x1 + 2 x2 = -16 + 4ε, halved
        assert_eq!(result.entries, [(1, -6), (2, 1)]);
        assert_eq!((result.value, result.shift), (-8, 2));
    }

    #[test]
    fn overflow_is_reported() {
        let pivot = Row { entries: vec![(0, i128::MAX - 1), (1, 1)], value: 0, shift: 0 };
        let row = Row { entries: vec![(0, 5i128), (1, i128::MAX / 2)], value: 0, shift: 0 };
        assert!(row.eliminate(&pivot, 0).is_none());
    }
}
