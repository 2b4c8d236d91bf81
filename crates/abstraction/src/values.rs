//! Abstract values of variables, message fields and expressions: integers and channels.
//!
//! Channels are represented separately from integers: the number that a run gives to a channel is
//! not known, so that `c + 1` or `c == 3` must not be computed from the numbers that this crate
//! gives to channel objects.

use std::collections::BTreeSet;

use cfsm_core::program::Type;

use crate::channels::ObjectId;
use crate::numbers::ValueSet;

/// An abstract value: an integer of `numbers`, or the number of a channel of `channels`.
///
/// A number other than 0 that is used as a channel may be any channel; a channel that is used as a
/// number may be any number but 0.
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

    /// Any value, including any channel (as its number is an integer).
    pub(crate) fn any() -> Self {
        ValueSet::ANY.into()
    }

    /// One channel object.
    pub(crate) fn channel(object: ObjectId) -> Self {
        let (numbers, channels) = (ValueSet::empty(), BTreeSet::from([object]));
        Self { numbers, channels }
    }

    /// Returns `true` if there is no value.
    pub(crate) fn is_empty(&self) -> bool {
        self.numbers.is_empty() && self.channels.is_empty()
    }

    /// Returns `true` if the value may be 0.
    pub(crate) fn may_be_zero(&self) -> bool {
        self.numbers.contains(0)
    }

    /// Returns `true` if the value may be other than 0; numbers of channels begin at 1.
    pub(crate) fn may_be_nonzero(&self) -> bool {
        !self.channels.is_empty() || self.numbers.has_nonzero()
    }

    /// The value as integers; the number of a channel is any integer.
    pub(crate) fn as_numbers(&self) -> ValueSet {
        if self.channels.is_empty() { self.numbers.clone() } else { ValueSet::ANY }
    }

    /// Returns `true` if all integers lie within C's `int`: then comparisons have their
    /// mathematical meaning. (`u == -1` holds for an `unsigned` of 32 bits that is 4294967295.)
    pub(crate) fn is_within_int(&self) -> bool {
        let (least, greatest) = Type::Int.range();
        self.numbers.bounds().is_none_or(|(low, high)| least <= low && high <= greatest)
    }

    /// Returns `true` if the two values may be equal in some run.
    pub(crate) fn may_equal(&self, other: &Self) -> bool {
        let comparable = || self.is_within_int() && other.is_within_int();
        self.numbers.meets(&other.numbers)
            || (!self.numbers.is_empty() && !other.numbers.is_empty() && !comparable())
            || !self.channels.is_disjoint(&other.channels)
            || (!self.channels.is_empty() && other.numbers.has_nonzero())
            || (!other.channels.is_empty() && self.numbers.has_nonzero())
    }

    /// Returns `true` if all values of `other` are values of this one.
    pub(crate) fn includes(&self, other: &Self) -> bool {
        self.numbers.includes(&other.numbers) && self.channels.is_superset(&other.channels)
    }

    /// The union; with more than `limit` integers, a range that includes it.
    pub(crate) fn join(&self, other: &Self, limit: usize) -> Self {
        Self {
            numbers: self.numbers.join(&other.numbers, limit),
            channels: match other.channels.is_empty() {
                true => self.channels.clone(),
                false => self.channels.union(&other.channels).copied().collect(),
            },
        }
    }

    /// The values that remain after a test for equality with `other`. Where a channel may equal a
    /// number, the value is unchanged.
    pub(crate) fn meet(&self, other: &Self, limit: usize) -> Self {
        let mixed =
            |channels: &Self, numbers: &Self| !channels.channels.is_empty() && numbers.numbers.has_nonzero();
        if mixed(self, other) || mixed(other, self) || !self.is_within_int() || !other.is_within_int() {
            return self.clone();
        }
        Self {
            numbers: self.numbers.meet(&other.numbers, limit),
            channels: self.channels.intersection(&other.channels).copied().collect(),
        }
    }

    /// The value after it is stored in `ty`. A channel's number fits into 8 bits; in a narrower
    /// type the identity of the channel is lost.
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

    /// The value after it is stored where Spin may keep a bit in a whole byte: in an element of an
    /// array, or in the only field of a message. There its simulator cuts a value to one bit, and
    /// its verifier to eight; runs of both are covered.
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
        assert_eq!(two.stored_loosely(Type::Bit, 9), ValueSet::Only([0, 2].into_iter().collect()).into());
        assert_eq!(Value::any().stored_loosely(Type::Bit, 9).numbers.bounds(), Some((0, 255)));
        let c = Value::channel(ObjectId::new(0));
        assert!(c.stored_loosely(Type::Bit, 9).includes(&c));
    }

    #[test]
    fn a_meeting_of_channels_and_numbers_leaves_what_may_be_equal() {
        let [c, d] = [0, 1].map(|n| Value::channel(ObjectId::new(n)));
        let both = c.join(&d, 9).join(&Value::zero(), 9);
        assert_eq!(both.meet(&c, 9), c);
        assert_eq!(both.meet(&Value::zero(), 9), Value::zero());
        assert_eq!(both.meet(&ValueSet::of(3).into(), 9), both);
    }
}
