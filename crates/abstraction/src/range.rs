//! Sets of evenly spaced integers: the reduced product of intervals and congruences.
//!
//! A [`Range`] is `{low, low + step, ..., high}`. Of the product of the two domains it keeps only
//! the elements that are reduced: both bounds are members.

use num_integer::Integer;

/// The integers from `low` to `high`, both included, at a distance of `step`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Range {
    /// The least.
    pub(crate) low: i64,
    /// The greatest.
    pub(crate) high: i64,
    /// The distance between two neighbours, at least 1; 1 if there is one integer only.
    pub(crate) step: i64,
}

/// `high - low`, exactly.
fn span(low: i64, high: i64) -> i128 {
    i128::from(high) - i128::from(low)
}

impl Range {
    /// All integers.
    pub(crate) const ALL: Self = Self { low: i64::MIN, high: i64::MAX, step: 1 };

    /// The integers from `low` to `high` that are `low` plus a multiple of `step`; `None` if there
    /// is none.
    pub(crate) fn new(low: i64, high: i64, step: i64) -> Option<Self> {
        let rest = if low <= high { span(low, high) % i128::from(step) } else { return None };
        let high = i64::try_from(i128::from(high) - rest).ok()?;
        Some(Self { low, high, step: if low == high { 1 } else { step } })
    }

    /// Number of integers in the range.
    pub(crate) fn count(&self) -> u128 {
        (span(self.low, self.high) / i128::from(self.step)).unsigned_abs() + 1
    }

    /// All integers of the range, ascending.
    pub(crate) fn values(&self) -> impl Iterator<Item = i64> + use<> {
        let Self { low, high, step } = *self;
        std::iter::successors(Some(low), move |value| value.checked_add(step)).take_while(move |v| *v <= high)
    }

    /// Returns `true` if the range contains `value`.
    pub(crate) fn contains(&self, value: i64) -> bool {
        (self.low..=self.high).contains(&value) && span(self.low, value) % i128::from(self.step) == 0
    }

    /// Returns `true` if the range includes all of `other`.
    pub(crate) fn includes(&self, other: &Self) -> bool {
        let steps = other.low == other.high || other.step % self.step == 0;
        steps && self.contains(other.low) && self.contains(other.high)
    }

    /// The least range that includes both.
    pub(crate) fn join(&self, other: &Self) -> Self {
        let distance = span(self.low, other.low).abs();
        let step = self.stride().gcd(&other.stride()).gcd(&distance);
        let step = i64::try_from(step).map_or(1, |step| step.max(1));
        Self { low: self.low.min(other.low), high: self.high.max(other.high), step }
    }

    /// A range that includes the intersection, computed from the bounds; the spacing is that of
    /// this range, or that of the other one if this has spacing 1.
    pub(crate) fn meet(&self, other: &Self) -> Option<Self> {
        if self.step == 1 && other.step > 1 {
            return other.within(self.low, self.high);
        }
        self.within(other.low, other.high)
    }

    /// The part of the range between two bounds, both included.
    pub(crate) fn within(&self, low: i64, high: i64) -> Option<Self> {
        let high = self.high.min(high);
        if low <= self.low {
            return Self::new(self.low, high, self.step);
        }
        let above = span(self.low, low);
        let step = i128::from(self.step);
        let aligned = i128::from(self.low) + (above + step - 1) / step * step;
        Self::new(i64::try_from(aligned).ok()?, high, self.step)
    }

    /// The modulus of the congruence: 0 if there is only one integer.
    pub(crate) fn stride(&self) -> i128 {
        if self.low == self.high { 0 } else { self.step.into() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn range() -> impl Strategy<Value = Range> {
        (-20_i64..20, 0_i64..30, 1_i64..6)
            .prop_map(|(low, more, step)| Range::new(low, low + more, step).expect("not empty"))
    }

    proptest! {
        #[test]
        fn operations_are_those_of_sets(a in range(), b in range(), low in -25_i64..25, high in -25_i64..25) {
            let joined = a.join(&b);
            let met = a.meet(&b);
            let within = a.within(low, high);
            prop_assert_eq!(a.count(), a.values().count() as u128);
            prop_assert_eq!(a.includes(&b), b.values().all(|value| a.contains(value)));
            for value in -60..60 {
                prop_assert_eq!(a.contains(value), a.values().any(|other| other == value));
                prop_assert!(joined.contains(value) || !(a.contains(value) || b.contains(value)));
                let in_met = met.is_some_and(|met| met.contains(value));
                prop_assert!(in_met || !(a.contains(value) && b.contains(value)));
                let inside = a.contains(value) && (low..=high).contains(&value);
                prop_assert_eq!(within.is_some_and(|within| within.contains(value)), inside);
            }
        }
    }

    #[test]
    fn the_extremes_do_not_overflow() {
        assert_eq!(Range::ALL.join(&Range::ALL), Range::ALL);
        assert_eq!(Range::ALL.count(), 1 << 64);
        assert_eq!(Range::ALL.within(3, 4), Range::new(3, 4, 1));
        let ends =
            Range::new(i64::MIN, i64::MIN, 1).unwrap().join(&Range::new(i64::MAX, i64::MAX, 1).unwrap());
        assert!(ends.includes(&Range::new(i64::MAX, i64::MAX, 1).unwrap()));
        assert_eq!(Range::new(2, 1, 1), None);
    }
}
