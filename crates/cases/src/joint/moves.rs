//! The moves of a few processes, alone or together by rendezvous.

use std::collections::BTreeMap;

use cfsm_core::ids::IdMap;
use cfsm_core::system::{ClassId, Direction, MessageId, System, Transition};

use super::StateIndex;

/// Which other transitions one has to fire with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sync {
    /// It has no rendezvous event and fires alone.
    Alone,
    /// It has one rendezvous event and fires with one that has the opposite half.
    Half(MessageId, Direction),
    /// It has several rendezvous events.
    Several,
}

impl Sync {
    fn new(system: &System, transition: &Transition) -> Self {
        let mut events = transition.events.iter().filter(|event| system.is_rendezvous(event.message));
        match (events.next(), events.next()) {
            (None, _) => Self::Alone,
            (Some(event), None) if event.count == 1 => Self::Half(event.message, event.direction),
            _ => Self::Several,
        }
    }

    /// Whether a transition may fire in one step with another one.
    pub(super) fn may_join(self, other: Self) -> bool {
        match (self, other) {
            (Self::Alone, _) | (_, Self::Alone) => false,
            (Self::Several, _) | (_, Self::Several) => true,
            (Self::Half(one, direction), Self::Half(other, opposite)) => {
                one == other && direction != opposite
            }
        }
    }
}

/// A move from a state to another one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Move {
    pub(super) to: usize,
    pub(super) sync: Sync,
    /// Whether no other of the classes need take part.
    pub(super) alone: bool,
}

/// The moves of one class, by the state that they leave.
pub(super) struct ClassMoves {
    /// Where its instance begins.
    pub(super) start: usize,
    /// Per state, the moves that leave it. An instance may be created at any time.
    pub(super) leaving: Vec<Vec<Move>>,
}

impl ClassMoves {
    /// The moves of each of some classes. Time linear in the system.
    pub(super) fn all(system: &System, states: &StateIndex, classes: &[ClassId]) -> Vec<Self> {
        let mut others: IdMap<MessageId, [bool; 2]> = IdMap::filled([false; 2], system.messages.len());
        for (id, transition) in system.transitions.iter() {
            if !classes.contains(&system.class_of(id)) {
                for event in &transition.events {
                    others[event.message][usize::from(event.direction == Direction::Send)] = true;
                }
            }
        }
        let of_class = |&class: &ClassId| {
            let declared = &system.classes[class];
            let start = states.number((declared.instances > 0).then_some(declared.initial));
            let mut leaving = vec![Vec::new(); states.len(class)];
            let to = states.number(Some(declared.initial));
            leaving[0].push(Move { to, sync: Sync::Alone, alone: true });
            for (_, transition) in system.transitions.iter().filter(|(id, _)| system.class_of(*id) == class) {
                let sync = Sync::new(system, transition);
                let alone = match sync {
                    Sync::Alone | Sync::Several => true,
                    Sync::Half(message, direction) => {
                        others[message][usize::from(direction != Direction::Send)]
                    }
                };
                let to = states.number(Some(transition.target));
                leaving[states.number(Some(transition.source))].push(Move { to, sync, alone });
            }
            Self { start, leaving }
        };
        classes.iter().map(of_class).collect()
    }
}

/// A move by rendezvous, with the state that it leaves.
pub(super) struct SyncMove {
    pub(super) from: usize,
    pub(super) to: usize,
}

/// The moves of a class that take part in a rendezvous, by the half that they have.
pub(super) struct SyncIndex {
    /// Those with one rendezvous event; by its message type and whether they send.
    halves: BTreeMap<(MessageId, bool), Vec<SyncMove>>,
    /// Those with several.
    several: Vec<SyncMove>,
}

impl SyncIndex {
    pub(super) fn new(moves: &ClassMoves) -> Self {
        let mut index = Self { halves: BTreeMap::new(), several: Vec::new() };
        for (from, leaving) in moves.leaving.iter().enumerate() {
            for step in leaving {
                let step_from = SyncMove { from, to: step.to };
                match step.sync {
                    Sync::Alone => {}
                    Sync::Half(message, direction) => {
                        let sends = direction == Direction::Send;
                        index.halves.entry((message, sends)).or_default().push(step_from);
                    }
                    Sync::Several => index.several.push(step_from),
                }
            }
        }
        index
    }

    /// The moves that [may fire](Sync::may_join) in one step with one of another class.
    pub(super) fn with(&self, other: Sync) -> impl Iterator<Item = &SyncMove> {
        let (half, others) = match other {
            Sync::Alone => (None, None),
            Sync::Half(message, direction) => {
                (self.halves.get(&(message, direction != Direction::Send)), None)
            }
            Sync::Several => (None, Some(self.halves.values())),
        };
        let several = if other == Sync::Alone { &[][..] } else { &self.several };
        half.into_iter().flatten().chain(others.into_iter().flatten().flatten()).chain(several)
    }

    /// The moves that may fire in one step with two of other classes.
    pub(super) fn with_two(&self, one: Sync, other: Sync) -> impl Iterator<Item = &SyncMove> {
        let halves = match [one, other] {
            [Sync::Alone, _] | [_, Sync::Alone] => None,
            [Sync::Several, _] | [_, Sync::Several] => Some(self.halves.values()),
            [Sync::Half(..), Sync::Half(..)] => None,
        };
        let joins = ![one, other].contains(&Sync::Alone);
        let several = if joins { &self.several[..] } else { &[] };
        halves.into_iter().flatten().flatten().chain(several)
    }
}
