//! The part of a system that is followed, and its steps.

use std::collections::BTreeMap;

use cfsm_core::ids::IdMap;
use cfsm_core::system::{
    BufferId, BufferKind, ClassId, Direction, Event, MessageId, StateId, System, TransitionId,
};

use super::Marking;
use crate::net::Net;
use crate::rejection::{Violation, ensure};
use certificate::{ConfigurationsClaim, MOST_MESSAGES};

/// The classes K and buffers Q of a claim.
pub struct Part<'s> {
    pub net: &'s Net<'s>,
    pub system: &'s System,
    pub classes: IdMap<ClassId, bool>,
    pub buffers: IdMap<BufferId, bool>,
    /// The transitions of K that leave a state.
    leaving: IdMap<StateId, Vec<TransitionId>>,
}

impl<'s> Part<'s> {
    /// Condition 1.
    pub fn new(net: &'s Net<'s>, claim: &ConfigurationsClaim) -> Result<Self, Violation> {
        let system = net.system;
        let mut classes = IdMap::filled(false, system.classes.len());
        for name in &claim.classes {
            let class = net.class(name)?;
            let before = std::mem::replace(&mut classes[class], true);
            ensure!(!before, "the class `{name}` is named twice");
        }
        let mut buffers = IdMap::filled(false, system.buffers.len());
        for name in &claim.buffers {
            let buffer = net.buffer(name)?;
            let before = std::mem::replace(&mut buffers[buffer], true);
            ensure!(!before, "the buffer `{name}` is named twice");
        }
        let leaving = IdMap::filled(Vec::new(), system.states.len());
        let mut part = Self { net, system, classes, buffers, leaving };
        for id in system.transitions.ids() {
            if part.classes[system.class_of(id)] {
                part.can_be_followed(id)?;
                part.leaving[system.transitions[id].source].push(id);
            } else {
                part.is_apart(id)?;
            }
        }
        Ok(part)
    }

    /// The queue of the part that holds messages of this buffer.
    pub fn queue(&self, buffer: BufferId) -> Result<BufferId, Violation> {
        let (name, kind) = (&self.system.buffers[buffer].name, self.system.buffers[buffer].kind);
        ensure!(kind == BufferKind::Queue, "the buffer `{name}` is a rendezvous and holds no messages");
        ensure!(self.buffers[buffer], "the buffer `{name}` is not one of those that are followed");
        Ok(buffer)
    }

    /// A transition of another class does nothing to the part.
    fn is_apart(&self, id: TransitionId) -> Result<(), Violation> {
        let transition = &self.system.transitions[id];
        let name = |class: ClassId| &self.system.classes[class].name;
        let other = name(self.system.class_of(id));
        for event in &transition.events {
            let buffer = self.system.messages[event.message].buffer;
            let name = &self.system.buffers[buffer].name;
            ensure!(
                !self.buffers[buffer],
                "the buffer `{name}` is followed, but the class `{other}`, which is not, uses it"
            );
        }
        for class in &transition.creates {
            let name = name(*class);
            ensure!(
                !self.classes[*class],
                "the class `{name}` is followed, but `{other}`, which is not, creates instances of it"
            );
        }
        Ok(())
    }

    /// A transition with a rendezvous has nothing else, and none has too much.
    fn can_be_followed(&self, id: TransitionId) -> Result<(), Violation> {
        let transition = &self.system.transitions[id];
        let messages: u64 = transition.events.iter().map(|event| u64::from(event.count)).sum();
        let all = messages + transition.creates.len() as u64;
        let meets = transition.events.iter().any(|event| self.system.is_rendezvous(event.message));
        ensure!(!meets || all <= 1, "{id:?} has a rendezvous and does something else besides");
        ensure!(all <= MOST_MESSAGES, "{id:?} has more than {MOST_MESSAGES} messages");
        Ok(())
    }

    /// Condition 2: the configuration in which all begins.
    pub fn start(&self) -> Marking {
        let mut start = Marking::default();
        for (id, class) in self.system.classes.iter() {
            if self.classes[id] && class.instances > 0 {
                *start.states.entry(class.initial).or_insert(0) += u64::from(class.instances);
            }
        }
        start
    }

    /// Condition 3: shows each step from a configuration, with what it fires, and stops at the
    /// first error.
    pub fn steps<E>(
        &self,
        marking: &Marking,
        mut show: impl FnMut(&[TransitionId], Marking) -> Result<(), E>,
    ) -> Result<(), E> {
        for id in marking.states.keys().flat_map(|state| &self.leaving[*state]) {
            match self.rendezvous(*id) {
                Some((message, Direction::Send)) => {
                    for partner in self.partners(marking, *id, message) {
                        let mut after = marking.clone();
                        self.moves(&mut after.states, *id);
                        self.moves(&mut after.states, partner);
                        show(&[*id, partner], after)?;
                    }
                }
                // Fired by its sender.
                Some((_, Direction::Receive)) => {}
                None => {
                    if let Some(after) = self.fire(marking, *id) {
                        show(&[*id], after)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// The rendezvous in Q that a transition takes part in.
    fn rendezvous(&self, id: TransitionId) -> Option<(MessageId, Direction)> {
        let event = self.system.transitions[id].events.first()?;
        let buffer = self.system.messages[event.message].buffer;
        let meets = self.buffers[buffer] && self.system.buffers[buffer].kind == BufferKind::Rendezvous;
        meets.then_some((event.message, event.direction))
    }

    /// The transitions by which another instance receives what this one sends.
    fn partners(&self, marking: &Marking, sender: TransitionId, message: MessageId) -> Vec<TransitionId> {
        let from = self.system.transitions[sender].source;
        let others = marking.states.iter().filter(|(state, count)| **state != from || **count > 1);
        let leaving = others.flat_map(|(state, _)| self.leaving[*state].iter().copied());
        leaving.filter(|id| self.rendezvous(*id) == Some((message, Direction::Receive))).collect()
    }

    /// The configuration behind a transition that fires alone; `None` if it cannot.
    fn fire(&self, marking: &Marking, id: TransitionId) -> Option<Marking> {
        let mut after = marking.clone();
        for event in &self.system.transitions[id].events {
            self.perform(&mut after.queues, *event)?;
        }
        self.moves(&mut after.states, id);
        Some(after)
    }

    fn perform(&self, queues: &mut BTreeMap<BufferId, Vec<MessageId>>, event: Event) -> Option<()> {
        let buffer = self.system.messages[event.message].buffer;
        if !self.buffers[buffer] {
            return Some(());
        }
        let count = event.count as usize;
        let word = queues.entry(buffer).or_default();
        match event.direction {
            Direction::Send => word.extend(std::iter::repeat_n(event.message, count)),
            Direction::Receive => {
                let oldest = word.get(..count)?;
                if oldest.iter().any(|message| *message != event.message) {
                    return None;
                }
                word.drain(..count);
            }
        }
        if word.is_empty() {
            queues.remove(&buffer);
        }
        Some(())
    }

    /// One instance goes from source to target, and what it creates is there.
    fn moves(&self, states: &mut BTreeMap<StateId, u64>, id: TransitionId) {
        let transition = &self.system.transitions[id];
        if let Some(count) = states.get_mut(&transition.source) {
            *count -= 1;
            if *count == 0 {
                states.remove(&transition.source);
            }
        }
        let created = transition.creates.iter().filter(|class| self.classes[**class]);
        let created = created.map(|class| self.system.classes[*class].initial);
        for state in created.chain([transition.target]) {
            *states.entry(state).or_insert(0) += 1;
        }
    }
}
