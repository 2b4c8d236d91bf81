//! Sets of integers: small ones are lists, large ones ranges.

use cfsm_core::program::Type;

use crate::few::List;
use crate::range::Range;

/// A set of integers. The empty list means that there is no value, i.e. that the evaluation does
/// not succeed in any run without error.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum ValueSet {
    /// Exactly these values; ascending, without duplicates.
    Only(List),
    /// The values of the range.
    Range(Range),
}

impl ValueSet {
    /// Any integer.
    pub(crate) const ANY: Self = Self::Range(Range::ALL);

    /// No value.
    pub(crate) const fn empty() -> Self {
        Self::Only(List::new())
    }

    /// One value.
    pub(crate) const fn of(value: i64) -> Self {
        Self::Only(List::of(value))
    }

    /// 0 and 1.
    pub(crate) fn truth() -> Self {
        Self::Only([0, 1].into_iter().collect())
    }

    /// The integers from `low` to `high`, both included; listed if they are no more than `limit`.
    pub(crate) fn between(low: i64, high: i64, limit: usize) -> Self {
        Self::listed(Range::new(low, high, 1), limit)
    }

    /// The integers of a range; listed if they are no more than `limit`.
    pub(crate) fn listed(range: Option<Range>, limit: usize) -> Self {
        match range {
            None => Self::empty(),
            Some(range) if range.count() <= limit as u128 => Self::Only(range.values().collect()),
            Some(range) => Self::Range(range),
        }
    }

    /// The set of the given values; a range that contains them if they are more than `limit`.
    pub(crate) fn collect(values: impl IntoIterator<Item = i64>, limit: usize) -> Self {
        Self::gathered(values.into_iter().collect(), limit)
    }

    /// The same for a list in any order.
    pub(crate) fn gathered(mut all: List, limit: usize) -> Self {
        all.sort();
        if all.len() <= limit {
            return Self::Only(all);
        }
        Self::Only(all).hull().map_or_else(Self::empty, Self::Range)
    }

    /// The least range that contains the set; `None` if it is empty.
    pub(crate) fn hull(&self) -> Option<Range> {
        match self {
            Self::Range(range) => Some(*range),
            Self::Only(values) => {
                let mut points = values.iter().filter_map(|&value| Range::new(value, value, 1));
                let first = points.next()?;
                Some(points.fold(first, |hull, point| hull.join(&point)))
            }
        }
    }

    /// The least and the greatest value.
    pub(crate) fn bounds(&self) -> Option<(i64, i64)> {
        match self {
            Self::Range(range) => Some((range.low, range.high)),
            Self::Only(values) => Some((*values.first()?, *values.last()?)),
        }
    }

    /// The value, if there is one only.
    pub(crate) fn single(&self) -> Option<i64> {
        self.bounds().filter(|(low, high)| low == high).map(|(low, _)| low)
    }

    /// The values, if they are listed.
    pub(crate) fn values(&self) -> Option<&[i64]> {
        match self {
            Self::Only(values) => Some(values),
            Self::Range(_) => None,
        }
    }

    /// Returns `true` if the set is empty.
    pub(crate) fn is_empty(&self) -> bool {
        self.values().is_some_and(<[i64]>::is_empty)
    }

    /// Returns `true` if the set contains `value`.
    pub(crate) fn contains(&self, value: i64) -> bool {
        match self {
            Self::Only(values) => values.binary_search(&value).is_ok(),
            Self::Range(range) => range.contains(value),
        }
    }

    /// Returns `true` if the set contains a value other than 0.
    pub(crate) fn has_nonzero(&self) -> bool {
        self.bounds().is_some_and(|(low, high)| low != 0 || high != 0)
    }

    /// Returns `false` only if the sets are disjoint.
    pub(crate) fn meets(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Only(values), set) | (set, Self::Only(values)) => {
                values.iter().any(|&value| set.contains(value))
            }
            (Self::Range(a), Self::Range(b)) => a.meet(b).is_some(),
        }
    }

    /// Returns `true` if the set includes all values of `other`. Linear time.
    pub(crate) fn includes(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Range(range), Self::Range(other)) => range.includes(other),
            (Self::Range(range), Self::Only(others)) => others.iter().all(|&value| range.contains(value)),
            (Self::Only(values), Self::Range(other)) => {
                other.count() <= values.len() as u128 && other.values().all(|value| self.contains(value))
            }
            (Self::Only(values), Self::Only(others)) => {
                // The sets are mostly equal.
                let mut rest = values.iter();
                values == others
                    || (others.len() < values.len()
                        && others.iter().all(|other| rest.any(|value| value == other)))
            }
        }
    }

    /// The union; a range that contains it if it has more than `limit` values.
    pub(crate) fn join(&self, other: &Self, limit: usize) -> Self {
        if let (Self::Only(left), Self::Only(right)) = (self, other) {
            let all = Self::Only(union(left, right));
            let fits = all.values().is_some_and(|values| values.len() <= limit);
            return if fits { all } else { all.hull().map_or_else(Self::empty, Self::Range) };
        }
        match (self.hull(), other.hull()) {
            (Some(left), Some(right)) => Self::Range(left.join(&right)),
            (Some(one), None) | (None, Some(one)) => Self::Range(one),
            (None, None) => Self::empty(),
        }
    }

    /// The intersection, or a superset of it if it cannot be represented.
    pub(crate) fn meet(&self, other: &Self, limit: usize) -> Self {
        match (self, other) {
            (Self::Only(values), set) | (set, Self::Only(values)) => {
                Self::Only(values.iter().copied().filter(|&value| set.contains(value)).collect())
            }
            (Self::Range(a), Self::Range(b)) => Self::listed(a.meet(b), limit),
        }
    }

    /// The set without one value, or the same set if the result cannot be represented.
    pub(crate) fn without(&self, value: i64, limit: usize) -> Self {
        match self {
            Self::Only(values) => {
                Self::Only(values.iter().copied().filter(|&other| other != value).collect())
            }
            Self::Range(range) if range.low == value && range.low < range.high => {
                Self::listed(range.within(value + 1, range.high), limit)
            }
            Self::Range(range) if range.high == value && range.low < range.high => {
                Self::listed(range.within(range.low, value - 1), limit)
            }
            Self::Range(_) => self.clone(),
        }
    }

    /// The values after they are stored in `ty`: the whole range of the type if the set is a range
    /// that does not fit in.
    pub(crate) fn stored_in(&self, ty: Type, limit: usize) -> Self {
        let (least, greatest) = ty.range();
        match self {
            _ if self.bounds().is_none_or(|(low, high)| least <= low && high <= greatest) => self.clone(),
            Self::Only(values) => Self::collect(values.iter().map(|&value| ty.wrap(value)), limit),
            Self::Range(_) => Self::between(least, greatest, limit),
        }
    }
}

/// The union of two ascending lists, ascending. Linear time, unlike sorting the concatenation.
fn union(left: &[i64], right: &[i64]) -> List {
    let mut all = List::new();
    let mut rest = right;
    for &value in left {
        let before = rest.iter().take_while(|&&other| other < value).count();
        all.extend(rest[..before].iter().copied());
        all.push(value);
        rest = &rest[before..];
        rest = rest.strip_prefix(&[value]).unwrap_or(rest);
    }
    all.extend(rest.iter().copied());
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn set() -> impl Strategy<Value = ValueSet> {
        let few = prop::collection::vec(-9_i64..9, 0..5).prop_map(|values| ValueSet::collect(values, 9));
        let many = (-9_i64..9, 0_i64..20, 1_i64..4)
            .prop_map(|(low, more, step)| ValueSet::Range(Range::new(low, low + more, step).expect("one")));
        prop_oneof![few, many]
    }

    proptest! {
        #[test]
        fn operations_are_those_of_sets(a in set(), b in set(), limit in 1_usize..6, out in -9_i64..9) {
            let (joined, met, without) = (a.join(&b, limit), a.meet(&b, limit), a.without(out, limit));
            let all: Vec<i64> = (-40..40).collect();
            let inside = |set: &ValueSet| all.iter().copied().filter(|v| set.contains(*v)).collect::<Vec<_>>();
            let (in_a, in_b) = (inside(&a), inside(&b));
            prop_assert_eq!(a.is_empty(), in_a.is_empty());
            prop_assert_eq!(a.has_nonzero(), in_a.iter().any(|&value| value != 0));
            prop_assert_eq!(a.includes(&b), in_b.iter().all(|value| in_a.contains(value)));
            prop_assert_eq!(a.bounds(), in_a.first().map(|&low| (low, in_a[in_a.len() - 1])));
            prop_assert!(joined.includes(&a) && joined.includes(&b));
            prop_assert!(joined.values().is_none_or(|values| values.len() <= limit.max(5)));
            for value in all {
                let both = a.contains(value) && b.contains(value);
                prop_assert!(!both || (met.contains(value) && a.meets(&b)));
                prop_assert!(!a.contains(value) || value == out || without.contains(value));
            }
        }

        #[test]
        fn what_is_stored_is_among_what_may_be_stored(a in set(), by in -3_i64..70_000, limit in 1_usize..6) {
            let moved = ValueSet::listed(a.hull().and_then(|r| Range::new(r.low + by, r.high + by, r.step)), 1);
            for ty in [Type::Bit, Type::Byte, Type::Short, Type::Int, Type::Unsigned(3)] {
                let stored = moved.stored_in(ty, limit);
                for value in -50..70_100 {
                    prop_assert!(!moved.contains(value) || stored.contains(ty.wrap(value)));
                }
            }
        }
    }

    #[test]
    fn a_set_that_grows_past_the_limit_is_a_range() {
        let small = ValueSet::collect([3, 1, 3], 2);
        assert_eq!(small, ValueSet::Only([1, 3].into_iter().collect()));
        assert_eq!(small.join(&ValueSet::of(7), 2), ValueSet::Range(Range { low: 1, high: 7, step: 2 }));
        assert_eq!(small.join(&ValueSet::of(1), 2), small);
    }

    #[test]
    fn storing_wraps_and_lists_small_ranges() {
        let set = ValueSet::Only([-1, 256].into_iter().collect());
        assert_eq!(set.stored_in(Type::Byte, 9), ValueSet::Only([0, 255].into_iter().collect()));
        assert_eq!(
            ValueSet::ANY.stored_in(Type::Unsigned(2), 9),
            ValueSet::Only([0, 1, 2, 3].into_iter().collect())
        );
        assert_eq!(ValueSet::ANY.stored_in(Type::Byte, 9).bounds(), Some((0, 255)));
        assert_eq!(ValueSet::ANY.stored_in(Type::Int, 9).bounds(), Some(Type::Int.range()));
    }
}
