//! What two or three processes do, alone or with each other.

use std::collections::BTreeMap;

use cfsm_core::ids::IdMap;
use cfsm_core::system::{ClassId, Direction, MessageId, System, Transition};

use super::Atlas;

/// With whom a transition has to fire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Meeting {
    /// It fires alone.
    Nobody,
    /// With one that has the other half of its only rendezvous event.
    Half(MessageId, Direction),
    /// It has several rendezvous events.
    Several,
}

impl Meeting {
    fn of(system: &System, transition: &Transition) -> Self {
        let mut events = transition.events.iter().filter(|event| system.is_rendezvous(event.message));
        match (events.next(), events.next()) {
            (None, _) => Self::Nobody,
            (Some(event), None) if event.count == 1 => Self::Half(event.message, event.direction),
            _ => Self::Several,
        }
    }

    /// Whether a transition may fire in one step with another one.
    pub(super) fn may_meet(self, other: Self) -> bool {
        match (self, other) {
            (Self::Nobody, _) | (_, Self::Nobody) => false,
            (Self::Several, _) | (_, Self::Several) => true,
            (Self::Half(one, direction), Self::Half(other, opposite)) => {
                one == other && direction != opposite
            }
        }
    }
}

/// A step that leaves a place.
#[derive(Clone, Copy, Debug)]
pub(super) struct Leaving {
    pub(super) to: usize,
    pub(super) meeting: Meeting,
    /// Whether nobody else of these need take part.
    pub(super) alone: bool,
}

/// The transitions of one of some classes, by places.
pub(super) struct Moves {
    /// Where it begins.
    pub(super) start: usize,
    /// What leaves its places. Who has not been created may be.
    pub(super) leaving: Vec<Vec<Leaving>>,
}

impl Moves {
    /// Of each of some classes. Time linear in the system.
    pub(super) fn of(system: &System, atlas: &Atlas, classes: &[ClassId]) -> Vec<Self> {
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
            let start = atlas.number((declared.instances > 0).then_some(declared.initial));
            let mut leaving = vec![Vec::new(); atlas.len(class)];
            let to = atlas.number(Some(declared.initial));
            leaving[0].push(Leaving { to, meeting: Meeting::Nobody, alone: true });
            for (_, transition) in system.transitions.iter().filter(|(id, _)| system.class_of(*id) == class) {
                let meeting = Meeting::of(system, transition);
                let alone = match meeting {
                    Meeting::Nobody | Meeting::Several => true,
                    Meeting::Half(message, direction) => {
                        others[message][usize::from(direction != Direction::Send)]
                    }
                };
                let to = atlas.number(Some(transition.target));
                leaving[atlas.number(Some(transition.source))].push(Leaving { to, meeting, alone });
            }
            Self { start, leaving }
        };
        classes.iter().map(of_class).collect()
    }
}

/// The steps of a class that meet somebody, by whom they meet.
pub(super) struct Meetings {
    /// Those with one rendezvous event, from place to place.
    halves: BTreeMap<(MessageId, bool), Vec<(usize, usize)>>,
    /// Those with several.
    several: Vec<(usize, usize)>,
}

impl Meetings {
    pub(super) fn of(moves: &Moves) -> Self {
        let mut meetings = Self { halves: BTreeMap::new(), several: Vec::new() };
        for (from, leaving) in moves.leaving.iter().enumerate() {
            for step in leaving {
                match step.meeting {
                    Meeting::Nobody => {}
                    Meeting::Half(message, direction) => {
                        let sends = direction == Direction::Send;
                        meetings.halves.entry((message, sends)).or_default().push((from, step.to));
                    }
                    Meeting::Several => meetings.several.push((from, step.to)),
                }
            }
        }
        meetings
    }

    /// Those that [may fire](Meeting::may_meet) in one step with one of another class.
    pub(super) fn with(&self, other: Meeting) -> impl Iterator<Item = &(usize, usize)> {
        let (half, others) = match other {
            Meeting::Nobody => (None, None),
            Meeting::Half(message, direction) => {
                (self.halves.get(&(message, direction != Direction::Send)), None)
            }
            Meeting::Several => (None, Some(self.halves.values())),
        };
        let several = if other == Meeting::Nobody { &[][..] } else { &self.several };
        half.into_iter().flatten().chain(others.into_iter().flatten().flatten()).chain(several)
    }

    /// Those that may fire in one step with two of other classes.
    pub(super) fn with_two(&self, one: Meeting, other: Meeting) -> impl Iterator<Item = &(usize, usize)> {
        let halves = match [one, other] {
            [Meeting::Nobody, _] | [_, Meeting::Nobody] => None,
            [Meeting::Several, _] | [_, Meeting::Several] => Some(self.halves.values()),
            [Meeting::Half(..), Meeting::Half(..)] => None,
        };
        let meet = ![one, other].contains(&Meeting::Nobody);
        let several = if meet { &self.several[..] } else { &[] };
        halves.into_iter().flatten().flatten().chain(several)
    }
}
