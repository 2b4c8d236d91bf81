//! Sets of values: what a variable, a message field or an expression may hold.
//!
//! A [`ValueSet`] is a finite set of integers or *any*; a [`Value`] adds channels, which are kept apart
//! from integers: the number that a run gives to a channel is not known, so that `c + 1` or `c == 3` must
//! not be computed from the numbers this crate gives to channel objects.

use std::collections::BTreeSet;

use cfsm_core::program::Type;

use crate::channels::ObjectId;

/// A set of integers: all of them, or those listed. The empty list means that there is no value, i.e.
/// that the evaluation never comes to an end in a run without error.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum ValueSet {
    /// Exactly these may occur; ascending, without duplicates.
    Only(Vec<i64>),
    /// Any integer may occur.
    Any,
}

impl ValueSet {
    /// No value.
    pub(crate) const fn empty() -> Self {
        Self::Only(Vec::new())
    }

    /// One value.
    pub(crate) fn of(value: i64) -> Self {
        Self::Only(vec![value])
    }

    /// 0 and 1.
    pub(crate) fn truth() -> Self {
        Self::Only(vec![0, 1])
    }

    /// The set of the values given; `Any` if they are more than `limit`.
    pub(crate) fn collect(values: impl IntoIterator<Item = i64>, limit: usize) -> Self {
        let mut all: Vec<i64> = values.into_iter().collect();
        // Stable, as the values mostly come in a few ascending runs.
        all.sort();
        all.dedup();
        if all.len() > limit { Self::Any } else { Self::Only(all) }
    }

    /// Whether there is no value.
    pub(crate) fn is_empty(&self) -> bool {
        matches!(self, Self::Only(values) if values.is_empty())
    }

    /// Whether `value` may occur.
    pub(crate) fn contains(&self, value: i64) -> bool {
        match self {
            Self::Only(values) => values.binary_search(&value).is_ok(),
            Self::Any => true,
        }
    }

    /// Whether a value other than 0 may occur.
    pub(crate) fn has_nonzero(&self) -> bool {
        match self {
            Self::Only(values) => values.iter().any(|&value| value != 0),
            Self::Any => true,
        }
    }

    /// Whether the two have a value in common.
    pub(crate) fn meets(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Any, set) | (set, Self::Any) => !set.is_empty(),
            (Self::Only(left), Self::Only(_)) => left.iter().any(|&value| other.contains(value)),
        }
    }

    /// Whether all values of `other` are values of this set. Linear time.
    pub(crate) fn includes(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Any, _) => true,
            (Self::Only(_), Self::Any) => false,
            (Self::Only(values), Self::Only(others)) => {
                let mut rest = values.iter();
                others.iter().all(|other| rest.any(|value| value == other))
            }
        }
    }

    /// The values of both; `Any` if they are more than `limit`.
    pub(crate) fn join(&self, other: &Self, limit: usize) -> Self {
        match (self, other) {
            (Self::Any, _) | (_, Self::Any) => Self::Any,
            (Self::Only(left), Self::Only(right)) => Self::collect(left.iter().chain(right).copied(), limit),
        }
    }

    /// What remains of the values when they are stored in `ty`: all of its range where nothing is known,
    /// provided that the range is small enough to be listed.
    pub(crate) fn stored_in(&self, ty: Type, limit: usize) -> Self {
        match self {
            Self::Only(values) => Self::collect(values.iter().map(|&value| ty.wrap(value)), limit),
            Self::Any => {
                let (least, greatest) = ty.range();
                let small = usize::try_from(greatest - least).is_ok_and(|span| span < limit);
                if small { Self::Only((least..=greatest).collect()) } else { Self::Any }
            }
        }
    }
}

/// What a place may hold: an integer of `numbers`, or the number of a channel of `channels`.
///
/// A number other than 0 that is used as a channel may be any channel; a channel that is used as a number
/// may be any number but 0.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Value {
    /// Integers; 0 is also the reference to no channel.
    pub(crate) numbers: ValueSet,
    /// Channel objects.
    pub(crate) channels: BTreeSet<ObjectId>,
}

impl From<ValueSet> for Value {
    fn from(numbers: ValueSet) -> Self {
        let channels = BTreeSet::new();
        Self { numbers, channels }
    }
}

impl Value {
    /// No value.
    pub(crate) fn empty() -> Self {
        ValueSet::empty().into()
    }

    /// The integer 0, i.e. also no channel.
    pub(crate) fn zero() -> Self {
        ValueSet::of(0).into()
    }

    /// Anything, any channel included (as its number is an integer).
    pub(crate) fn any() -> Self {
        ValueSet::Any.into()
    }

    /// One channel object.
    pub(crate) fn channel(object: ObjectId) -> Self {
        let (numbers, channels) = (ValueSet::empty(), BTreeSet::from([object]));
        Self { numbers, channels }
    }

    /// Whether there is no value.
    pub(crate) fn is_empty(&self) -> bool {
        self.numbers.is_empty() && self.channels.is_empty()
    }

    /// Whether it may be 0.
    pub(crate) fn may_be_zero(&self) -> bool {
        self.numbers.contains(0)
    }

    /// Whether it may be something else than 0; numbers of channels begin at 1.
    pub(crate) fn may_be_nonzero(&self) -> bool {
        !self.channels.is_empty() || self.numbers.has_nonzero()
    }

    /// As integers.
    pub(crate) fn as_numbers(&self) -> ValueSet {
        if self.channels.is_empty() { self.numbers.clone() } else { ValueSet::Any }
    }

    /// Whether the two may be equal in some run.
    pub(crate) fn may_equal(&self, other: &Self) -> bool {
        self.numbers.meets(&other.numbers)
            || !self.channels.is_disjoint(&other.channels)
            || (!self.channels.is_empty() && other.numbers.has_nonzero())
            || (!other.channels.is_empty() && self.numbers.has_nonzero())
    }

    /// Whether all values of `other` are values of this one.
    pub(crate) fn includes(&self, other: &Self) -> bool {
        self.numbers.includes(&other.numbers) && self.channels.is_superset(&other.channels)
    }

    /// The values of both; more than `limit` integers are widened to any.
    pub(crate) fn join(&self, other: &Self, limit: usize) -> Self {
        Self {
            numbers: self.numbers.join(&other.numbers, limit),
            channels: self.channels.union(&other.channels).copied().collect(),
        }
    }

    /// What remains when it is stored in `ty`. A channel's number fits into 8 bits; a narrower type loses
    /// which channel it was.
    pub(crate) fn stored_in(&self, ty: Type, limit: usize) -> Self {
        let keeps_channels = match ty {
            Type::Bit => false,
            Type::Unsigned(bits) => bits >= 8,
            Type::Byte | Type::Short | Type::Int | Type::Pid | Type::Symbol(_) | Type::Channel => true,
        };
        if keeps_channels {
            Self { numbers: self.numbers.stored_in(ty, limit), channels: self.channels.clone() }
        } else {
            self.as_numbers().stored_in(ty, limit).into()
        }
    }

    /// What remains when it is stored where Spin may keep a bit in a whole byte: in an element of an
    /// array, or in the only field of a message. There its simulator cuts a value to one bit, and its
    /// verifier to eight; a run of either counts.
    pub(crate) fn stored_loosely(&self, ty: Type, limit: usize) -> Self {
        let stored = self.stored_in(ty, limit);
        match ty {
            Type::Bit => stored.join(&self.stored_in(Type::Byte, limit), limit),
            _ => stored,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cfsm_core::ids::Id;

    #[test]
    fn a_set_that_grows_past_the_limit_is_any() {
        let small = ValueSet::collect([3, 1, 3], 2);
        assert_eq!(small, ValueSet::Only(vec![1, 3]));
        assert_eq!(small.join(&ValueSet::of(2), 2), ValueSet::Any);
        assert_eq!(small.join(&ValueSet::of(1), 2), small);
    }

    #[test]
    fn inclusion_is_that_of_sets() {
        let sets = [
            ValueSet::empty(),
            ValueSet::of(1),
            ValueSet::Only(vec![0, 2]),
            ValueSet::Only(vec![0, 1, 2]),
            ValueSet::Any,
        ];
        for a in &sets {
            for b in &sets {
                assert_eq!(a.includes(b), a.join(b, 9) == *a, "{a:?} {b:?}");
            }
        }
    }

    #[test]
    fn storing_wraps_and_lists_small_ranges() {
        let set = ValueSet::Only(vec![-1, 256]);
        assert_eq!(set.stored_in(Type::Byte, 9), ValueSet::Only(vec![0, 255]));
        assert_eq!(ValueSet::Any.stored_in(Type::Unsigned(2), 9), ValueSet::Only(vec![0, 1, 2, 3]));
        assert_eq!(ValueSet::Any.stored_in(Type::Byte, 9), ValueSet::Any);
    }

    #[test]
    fn a_channel_may_equal_any_number_but_zero() {
        let (c, d) = (Value::channel(ObjectId::new(0)), Value::channel(ObjectId::new(1)));
        assert!(c.may_equal(&c) && !c.may_equal(&d));
        assert!(!c.may_equal(&Value::zero()));
        assert!(c.may_equal(&ValueSet::of(7).into()));
        assert!(c.may_equal(&Value::any()) && !c.may_be_zero());
        assert!(!c.may_equal(&Value::empty()));
    }

    #[test]
    fn a_narrow_type_forgets_the_channel() {
        let c = Value::channel(ObjectId::new(0));
        assert_eq!(c.stored_in(Type::Byte, 9), c);
        assert_eq!(c.stored_in(Type::Bit, 9), ValueSet::truth().into());
    }

    #[test]
    fn a_loosely_stored_bit_may_be_a_byte() {
        let two: Value = ValueSet::of(258).into();
        assert_eq!(two.stored_in(Type::Bit, 9), Value::zero());
        assert_eq!(two.stored_loosely(Type::Bit, 9), ValueSet::Only(vec![0, 2]).into());
        assert_eq!(Value::any().stored_loosely(Type::Bit, 9), Value::any());
        let c = Value::channel(ObjectId::new(0));
        assert!(c.stored_loosely(Type::Bit, 9).includes(&c));
    }
}
