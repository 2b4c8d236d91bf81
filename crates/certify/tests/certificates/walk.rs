//! The counting reading of a system, step by step, as simply as it can be written down.

use cfsm_core::ids::{Id, IdMap};
use cfsm_core::system::{ClassId, Direction, MessageId, StateId, System, Transition};

/// How many tokens there are at each place.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Configuration {
    pub messages: Vec<u32>,
    instances: Vec<u32>,
}

impl Configuration {
    pub fn initial(system: &System) -> Self {
        let mut instances = vec![0; system.states.len()];
        for class in system.classes.values() {
            instances[class.initial.index()] += class.instances;
        }
        Self { messages: vec![0; system.messages.len()], instances }
    }

    /// Messages in the buffers of this name.
    pub fn load(&self, system: &System, buffers: &[String]) -> u32 {
        let load = |(id, message): (MessageId, &cfsm_core::system::MessageType)| {
            let is_claimed = buffers.contains(&system.buffers[message.buffer].name);
            if is_claimed { self.messages[id.index()] } else { 0 }
        };
        system.messages.iter().map(load).sum()
    }

    /// Every configuration that one step leads to: a transition without rendezvous, or two that
    /// meet.
    pub fn successors(&self, system: &System) -> Vec<Self> {
        let all: Vec<&Transition> = system.transitions.values().collect();
        let mut successors = Vec::new();
        for first in &all {
            match meets(system, first) {
                None => successors.extend(self.fire(system, &[first])),
                Some((Direction::Send, message)) => {
                    for second in &all {
                        if meets(system, second) == Some((Direction::Receive, message)) {
                            successors.extend(self.fire(system, &[first, second]));
                        }
                    }
                }
                Some((Direction::Receive, _)) => {}
            }
        }
        successors
    }

    fn fire(&self, system: &System, transitions: &[&Transition]) -> Option<Self> {
        let mut next = self.clone();
        for transition in transitions {
            take(&mut next.instances, transition.source, 1)?;
        }
        for transition in transitions {
            for event in &transition.events {
                match event.direction {
                    Direction::Send => next.messages[event.message.index()] += event.count,
                    Direction::Receive => take(&mut next.messages, event.message, event.count)?,
                }
            }
            next.instances[transition.target.index()] += 1;
            for class in &transition.creates {
                next.instances[initial(system, *class).index()] += 1;
            }
        }
        Some(next)
    }
}

fn take(tokens: &mut [u32], place: impl Id, count: u32) -> Option<()> {
    let tokens = &mut tokens[place.index()];
    *tokens = tokens.checked_sub(count)?;
    Some(())
}

fn initial(system: &System, class: ClassId) -> StateId {
    system.classes[class].initial
}

/// The one rendezvous that a transition takes part in.
fn meets(system: &System, transition: &Transition) -> Option<(Direction, MessageId)> {
    let event = transition.events.first()?;
    system.is_rendezvous(event.message).then_some((event.direction, event.message))
}

/// Drops the transitions that `keep` does not want.
pub fn retain(system: &mut System, keep: impl Fn(&System, &Transition) -> bool) {
    let kept: IdMap<_, _> =
        system.transitions.values().filter(|transition| keep(system, transition)).cloned().collect();
    system.transitions = kept;
}
