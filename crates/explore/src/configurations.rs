//! Enumerates all configurations of a part of a system, for parts with few of them.
//!
//! The system is executed exactly: instances are at states, and queues hold words of messages. What
//! lies outside the part is not represented: a queue that outside classes use too may deliver any
//! message at any time.

use cfsm_core::deadline::Deadline;
use std::collections::{BTreeMap, VecDeque};
use std::ops::Range;

use cfsm_core::ids::IdMap;
use cfsm_core::system::{
    BufferId, BufferKind, ClassId, Direction, MessageId, StateId, System, Transition, TransitionId,
};
use hashbrown::DefaultHashBuilder;
use indexmap::IndexSet;

/// A part of a system: the classes and buffers that are represented exactly. No other class may use
/// these buffers, or create instances of these classes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Portion {
    /// The classes, ascending.
    pub classes: Vec<ClassId>,
    /// The buffers, ascending.
    pub buffers: Vec<BufferId>,
}

/// Limits of the enumeration of configurations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConfigurationLimits {
    /// Greatest number of configurations.
    pub configurations: usize,
    /// Greatest number of states and messages in all configurations together.
    pub size: usize,
    /// Time at which the enumeration stops.
    pub deadline: Deadline,
}

/// A configuration: the state of each instance in ascending order, and the messages of all queues,
/// queue by queue, the oldest first.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Configuration {
    /// The states.
    pub states: Vec<StateId>,
    /// The messages.
    pub messages: Vec<MessageId>,
}

/// Greatest number of messages and creations of one transition.
const STEP: u64 = 10_000;
/// Number of configurations that are expanded between two checks of the deadline.
const PATIENCE: usize = 64;

/// A part has more configurations than were allowed, or a transition that is not supported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unlisted {
    /// Number of configurations that were found.
    pub found: usize,
}

/// All reachable configurations of a part, in breadth-first order. The system must be
/// [valid](System::validate).
///
/// Time linear in the configurations, times the transitions that leave them and the size of both.
///
/// # Errors
/// [`Unlisted`] if a limit is hit, or if a transition is not supported: a rendezvous together with
/// other events, or more than 10 000 messages.
pub fn configurations(
    system: &System,
    portion: &Portion,
    limits: &ConfigurationLimits,
) -> Result<Vec<Configuration>, Unlisted> {
    let none = Unlisted { found: 0 };
    let part = Part::of(system, portion).ok_or(none)?;
    let start = part.start(limits.size).ok_or(none)?;
    let mut size = start.states.len();
    let mut all: IndexSet<Configuration, DefaultHashBuilder> = IndexSet::default();
    all.insert(start);
    let mut at = 0;
    while at < all.len() {
        if at % PATIENCE == 0 && limits.deadline.is_over() {
            return Err(Unlisted { found: all.len() });
        }
        for next in part.steps(&all[at]) {
            let next_size = next.states.len() + next.messages.len();
            if all.insert(next) {
                size += next_size;
            }
            if all.len() > limits.configurations || size > limits.size {
                return Err(Unlisted { found: all.len() });
            }
        }
        at += 1;
    }
    Ok(all.into_iter().collect())
}

struct Part<'s> {
    system: &'s System,
    classes: IdMap<ClassId, bool>,
    buffers: IdMap<BufferId, bool>,
    leaving: IdMap<StateId, Vec<TransitionId>>,
}

impl<'s> Part<'s> {
    fn of(system: &'s System, portion: &Portion) -> Option<Self> {
        let mut classes = IdMap::filled(false, system.classes.len());
        portion.classes.iter().for_each(|class| classes[*class] = true);
        let mut buffers = IdMap::filled(false, system.buffers.len());
        portion.buffers.iter().for_each(|buffer| buffers[*buffer] = true);
        let mut leaving = IdMap::filled(Vec::new(), system.states.len());
        for (id, transition) in system.transitions.iter().filter(|(id, _)| classes[system.class_of(*id)]) {
            let messages: u64 = transition.events.iter().map(|event| u64::from(event.count)).sum();
            let all = messages + transition.creates.len() as u64;
            let meets = transition.events.iter().any(|event| system.is_rendezvous(event.message));
            if all > STEP || (meets && all > 1) {
                return None;
            }
            leaving[transition.source].push(id);
        }
        Some(Self { system, classes, buffers, leaving })
    }

    fn start(&self, size: usize) -> Option<Configuration> {
        let followed = || self.system.classes.iter().filter(|(id, _)| self.classes[*id]);
        let instances: u64 = followed().map(|(_, class)| u64::from(class.instances)).sum();
        if instances > size as u64 {
            return None;
        }
        let initial =
            followed().flat_map(|(_, class)| std::iter::repeat_n(class.initial, class.instances as usize));
        let mut states: Vec<StateId> = initial.collect();
        states.sort_unstable();
        Some(Configuration { states, messages: Vec::new() })
    }

    fn steps(&self, from: &Configuration) -> Vec<Configuration> {
        let mut found = Vec::new();
        for (at, state) in from.states.iter().enumerate() {
            // Instances at the same state have the same steps, so one of them is enough.
            if at > 0 && from.states[at - 1] == *state {
                continue;
            }
            for id in &self.leaving[*state] {
                let transition = &self.system.transitions[*id];
                match self.meets(transition) {
                    Some((message, Direction::Send)) => {
                        self.meetings(from, at, transition, message, &mut found)
                    }
                    Some((_, Direction::Receive)) => {}
                    None => found.extend(self.alone(from, at, transition)),
                }
            }
        }
        found
    }

    /// The positions of the messages of a buffer in a configuration.
    fn range(&self, from: &Configuration, buffer: BufferId) -> Range<usize> {
        let buffer_of = |message: &MessageId| self.system.messages[*message].buffer;
        let start = from.messages.partition_point(|message| buffer_of(message) < buffer);
        let end = start + from.messages[start..].partition_point(|message| buffer_of(message) == buffer);
        start..end
    }

    /// The message and direction of the rendezvous that a transition takes part in, if its buffer
    /// belongs to the part.
    fn meets(&self, transition: &Transition) -> Option<(MessageId, Direction)> {
        let event = transition.events.first()?;
        let buffer = self.system.messages[event.message].buffer;
        let both = self.buffers[buffer] && self.system.buffers[buffer].kind == BufferKind::Rendezvous;
        both.then_some((event.message, event.direction))
    }

    fn meetings(
        &self,
        from: &Configuration,
        sender: usize,
        sends: &Transition,
        message: MessageId,
        found: &mut Vec<Configuration>,
    ) {
        for (receiver, state) in from.states.iter().enumerate().filter(|(at, _)| *at != sender) {
            let receives = self.leaving[*state].iter().map(|id| &self.system.transitions[*id]);
            for receives in receives.filter(|t| self.meets(t) == Some((message, Direction::Receive))) {
                let mut after = from.clone();
                after.states[sender] = sends.target;
                after.states[receiver] = receives.target;
                after.states.sort_unstable();
                found.push(after);
            }
        }
    }

    fn alone(&self, from: &Configuration, at: usize, transition: &Transition) -> Option<Configuration> {
        let mut changed: BTreeMap<BufferId, VecDeque<MessageId>> = BTreeMap::new();
        for event in &transition.events {
            let buffer = self.system.messages[event.message].buffer;
            if !self.buffers[buffer] {
                continue;
            }
            let before = || from.messages[self.range(from, buffer)].iter().copied().collect();
            let queue = changed.entry(buffer).or_insert_with(before);
            for _ in 0..event.count {
                match event.direction {
                    Direction::Send => queue.push_back(event.message),
                    Direction::Receive => {
                        queue.pop_front().filter(|oldest| *oldest == event.message)?;
                    }
                }
            }
        }
        let mut states = from.states.clone();
        states[at] = transition.target;
        let created = transition.creates.iter().filter(|class| self.classes[**class]);
        states.extend(created.map(|class| self.system.classes[*class].initial));
        states.sort_unstable();
        let mut messages = Vec::with_capacity(from.messages.len() + changed.len());
        let mut copied = 0;
        for (buffer, queue) in changed {
            let before = self.range(from, buffer);
            messages.extend_from_slice(&from.messages[copied..before.start]);
            messages.extend(queue);
            copied = before.end;
        }
        messages.extend_from_slice(&from.messages[copied..]);
        Some(Configuration { states, messages })
    }
}
