//! Abstract values: reliability, provenance, and the channels that a value may refer to.

use std::collections::BTreeSet;

use cfsm_core::program::{ChannelDeclaration, VariableId};

/// The values that a variable may hold, as far as it matters where they come from.
///
/// No flag is set and no source named where no run stores a value: where no run leads to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Flags {
    /// `true` if the value may be *reliable*: computed from values of the program only.
    pub may_be_reliable: bool,
    /// The provenance of *chaotic* values: the open channels, ids of
    /// [`Program::globals`](cfsm_core::program::Program::globals), from which a value may come, or
    /// a value that it is computed from. Empty if the value is never chaotic.
    pub sources: BTreeSet<VariableId>,
}

/// Classification of a variable at a location, or of a condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Reliability {
    /// No run has a value here.
    Unreached,
    /// Surely reliable: in no run does the value come from the environment.
    Reliable,
    /// Surely chaotic: in each run the value comes from the environment.
    Chaotic,
    /// Neither of both is sure.
    Mixed,
}

impl Flags {
    /// Returns `true` if the value may be chaotic: computed from a value of the environment.
    #[must_use]
    pub fn may_be_chaotic(&self) -> bool {
        !self.sources.is_empty()
    }

    /// The classification that both flags make.
    #[must_use]
    pub fn reliability(&self) -> Reliability {
        match (self.may_be_reliable, self.may_be_chaotic()) {
            (false, false) => Reliability::Unreached,
            (true, false) => Reliability::Reliable,
            (false, true) => Reliability::Chaotic,
            (true, true) => Reliability::Mixed,
        }
    }

    /// The flags of a reliable value.
    pub(super) const fn reliable() -> Self {
        Self { may_be_reliable: true, sources: BTreeSet::new() }
    }

    /// The flags of values from these open channels.
    pub(super) const fn chaotic(sources: BTreeSet<VariableId>) -> Self {
        Self { may_be_reliable: false, sources }
    }

    /// The flags of a value that is computed from both: chaotic if one of them is.
    pub(super) fn combined(mut self, other: &Self) -> Self {
        self.may_be_reliable &= other.may_be_reliable;
        self.sources.extend(&other.sources);
        self
    }

    /// Adds the values of another; returns `true` if there are more then.
    pub(super) fn join(&mut self, other: &Self) -> bool {
        let before = (self.may_be_reliable, self.sources.len());
        self.may_be_reliable |= other.may_be_reliable;
        self.sources.extend(&other.sources);
        before != (self.may_be_reliable, self.sources.len())
    }
}

/// The channels that a value may refer to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum References {
    /// Those of these declarations; `None` stands for no channel.
    Of(BTreeSet<Option<ChannelDeclaration>>),
    /// Any channel of the program: the value is a number that may be that of any.
    Any,
}

impl Default for References {
    fn default() -> Self {
        Self::Of(BTreeSet::new())
    }
}

impl References {
    /// Returns `true` if the value may refer to no channel.
    pub(super) fn may_be_none(&self) -> bool {
        match self {
            Self::Of(known) => known.contains(&None),
            Self::Any => true,
        }
    }

    fn join(&mut self, other: &Self) -> bool {
        match (&mut *self, other) {
            (Self::Any, _) => false,
            (_, Self::Any) => {
                *self = Self::Any;
                true
            }
            (Self::Of(known), Self::Of(more)) => {
                let before = known.len();
                known.extend(more);
                known.len() > before
            }
        }
    }
}

/// An abstract value. The least one, [`Value::default`], stands for no value at all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Value {
    pub(super) flags: Flags,
    pub(super) channels: References,
}

impl Value {
    /// A reliable number.
    pub(super) const fn number() -> Self {
        Self { flags: Flags::reliable(), channels: References::Any }
    }

    /// A reliable value that refers to no channel, as 0 does.
    pub(super) fn zero() -> Self {
        Self { flags: Flags::reliable(), channels: References::Of([None].into()) }
    }

    /// A reliable reference to a channel of a declaration.
    pub(super) fn reference(channel: ChannelDeclaration) -> Self {
        Self { flags: Flags::reliable(), channels: References::Of([Some(channel)].into()) }
    }

    /// A number with these flags.
    pub(super) const fn with(flags: Flags) -> Self {
        Self { flags, channels: References::Any }
    }

    /// The value, chosen by another one or computed from both: chaotic if one of them is.
    pub(super) fn combined(mut self, other: &Flags) -> Self {
        self.flags = self.flags.combined(other);
        self
    }

    /// Adds the values of another; returns `true` if there are more then.
    pub(super) fn join(&mut self, other: &Self) -> bool {
        let flags = self.flags.join(&other.flags);
        self.channels.join(&other.channels) || flags
    }

    /// The values of both.
    pub(super) fn joined(mut self, other: &Self) -> Self {
        self.join(other);
        self
    }
}

#[cfg(test)]
mod tests {
    use cfsm_core::ids::Id;

    use super::*;

    fn chaotic() -> Flags {
        Flags::chaotic([VariableId::new(0)].into())
    }

    #[test]
    fn both_flags_classify() {
        let mut flags = Flags::default();
        assert_eq!(flags.reliability(), Reliability::Unreached);
        assert!(flags.join(&Flags::reliable()));
        assert_eq!(flags.reliability(), Reliability::Reliable);
        assert!(flags.join(&chaotic()) && !flags.join(&chaotic()));
        assert_eq!(flags.reliability(), Reliability::Mixed);
        assert_eq!(chaotic().reliability(), Reliability::Chaotic);
    }

    #[test]
    fn what_is_computed_is_as_reliable_as_all_that_it_is_computed_from() {
        assert_eq!(Flags::reliable().combined(&Flags::reliable()), Flags::reliable());
        assert_eq!(Flags::reliable().combined(&chaotic()), chaotic());
        let mut mixed = Flags::reliable();
        mixed.join(&chaotic());
        assert_eq!(mixed.clone().combined(&Flags::reliable()), mixed);
        assert_eq!(mixed.combined(&chaotic()), chaotic());
    }

    #[test]
    fn references_grow_until_they_may_be_any() {
        let channel = |number| ChannelDeclaration { owner: None, variable: VariableId::new(number) };
        let mut value = Value::reference(channel(0));
        assert!(!value.channels.may_be_none());
        assert!(value.join(&Value::zero()) && value.channels.may_be_none());
        assert!(value.join(&Value::reference(channel(1))));
        assert!(value.join(&Value::number()));
        assert!(!value.join(&Value::reference(channel(2))));
        assert_eq!(value.channels, References::Any);
    }
}
