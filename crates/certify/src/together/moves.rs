//! What two or three processes do, alone or with each other.

use cfsm_core::ids::IdMap;
use cfsm_core::system::{ClassId, Direction, MessageId, System, Transition};

use super::Atlas;

/// With whom a transition has to fire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Meeting {
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
    fn may_meet(self, other: Self) -> bool {
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
struct Leaving {
    to: usize,
    meeting: Meeting,
    /// Whether nobody else of these need take part.
    alone: bool,
}

/// The transitions of some classes, by places.
pub(super) struct Moves {
    /// For each class, where it begins.
    start: Vec<usize>,
    /// For each class, what leaves its places. Who has not been created may be.
    leaving: Vec<Vec<Vec<Leaving>>>,
}

impl Moves {
    pub(super) fn new(system: &System, atlas: &Atlas, classes: &[ClassId]) -> Self {
        let mut others: IdMap<MessageId, [bool; 2]> = IdMap::filled([false; 2], system.messages.len());
        for (id, transition) in system.transitions.iter() {
            if !classes.contains(&system.class_of(id)) {
                for event in &transition.events {
                    others[event.message][usize::from(event.direction == Direction::Send)] = true;
                }
            }
        }
        let of_class = |&class: &ClassId| {
            let mut leaving = vec![Vec::new(); atlas.len(class)];
            let to = atlas.number(Some(system.classes[class].initial));
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
            leaving
        };
        let start = classes.iter().map(|&class| {
            let declared = &system.classes[class];
            atlas.number((declared.instances > 0).then_some(declared.initial))
        });
        Self { start: start.collect(), leaving: classes.iter().map(of_class).collect() }
    }

    /// Where they begin.
    pub(super) fn start(&self) -> Vec<usize> {
        self.start.clone()
    }

    /// Where they may be after a step, one combination after the other.
    pub(super) fn after(&self, at: &[usize], next: &mut Vec<usize>) {
        for one in 0..at.len() {
            for step in &self.leaving[one][at[one]] {
                if step.alone {
                    push(at, &[(one, step.to)], next);
                }
                for other in one + 1..at.len() {
                    for with in &self.leaving[other][at[other]] {
                        if step.meeting.may_meet(with.meeting) {
                            push(at, &[(one, step.to), (other, with.to)], next);
                        }
                    }
                }
            }
        }
        if let [one, other, third] = *at {
            self.all_three([one, other, third], next);
        }
    }

    /// Three at once: one of them has several events.
    fn all_three(&self, at: [usize; 3], next: &mut Vec<usize>) {
        let meeting = |member: usize| {
            self.leaving[member][at[member]].iter().filter(|step| step.meeting != Meeting::Nobody)
        };
        let is_several = |step: &&Leaving| step.meeting == Meeting::Several;
        if !(0..3).any(|member| meeting(member).any(|step| is_several(&step))) {
            return;
        }
        for one in meeting(0) {
            for other in meeting(1) {
                for third in meeting(2) {
                    if [one, other, third].iter().any(is_several) {
                        next.extend([one.to, other.to, third.to]);
                    }
                }
            }
        }
    }
}

/// The same combination with some elsewhere.
fn push(at: &[usize], moved: &[(usize, usize)], next: &mut Vec<usize>) {
    let first = next.len();
    next.extend_from_slice(at);
    for &(member, to) in moved {
        next[first + member] = to;
    }
}
