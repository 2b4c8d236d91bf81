//! Builders of systems by name.

use std::collections::BTreeMap;

use super::{
    Buffer, BufferId, BufferKind, Class, ClassId, DataChange, DataId, DataPlace, Defect, Direction, Event,
    MessageId, MessageType, Order, SCHEMA, State, StateId, System, Transition, TransitionId,
};
use crate::ids::{Id, IdMap};
use crate::source::Origin;

/// Builds a [`System`]; items are created when they are first named.
///
/// See the [crate's front page](crate) for an example.
#[derive(Debug)]
pub struct SystemBuilder {
    system: System,
    buffers: BTreeMap<String, BufferId>,
    messages: BTreeMap<(BufferId, String), MessageId>,
    states: BTreeMap<(ClassId, String), StateId>,
    started: Vec<bool>,
}

impl SystemBuilder {
    /// An empty system with a name, whose queues deliver [in order](System::order).
    #[must_use]
    pub fn new(name: impl Into<String>) -> Self {
        let system = System {
            schema: SCHEMA.into(),
            name: name.into(),
            order: Some(Order::Fifo),
            buffers: IdMap::new(),
            messages: IdMap::new(),
            classes: IdMap::new(),
            states: IdMap::new(),
            transitions: IdMap::new(),
            data: IdMap::new(),
            source: Vec::new(),
        };
        let (buffers, messages, states) = Default::default();
        Self { system, buffers, messages, states, started: Vec::new() }
    }

    /// Marks the delivery order of queues as [unknown](System::order): the system is then an
    /// abstraction, for which only the counting interpretation is valid.
    pub fn unordered(&mut self) -> &mut Self {
        self.system.order = None;
        self
    }

    /// The buffer with this name; a new one is a queue without declared capacity.
    pub fn buffer(&mut self, name: &str) -> BufferId {
        if let Some(&id) = self.buffers.get(name) {
            return id;
        }
        let id = self.system.buffers.push(Buffer {
            name: name.into(),
            kind: BufferKind::Queue,
            declared: None,
            in_order: false,
        });
        self.buffers.insert(name.into(), id);
        id
    }

    /// Declares the capacity of a buffer, in messages; 0 makes it a rendezvous.
    pub fn declare(&mut self, buffer: BufferId, capacity: u32) -> &mut Self {
        let buffer = &mut self.system.buffers[buffer];
        buffer.kind = if capacity == 0 { BufferKind::Rendezvous } else { BufferKind::Queue };
        buffer.declared = Some(capacity);
        self
    }

    /// The message type of this name in the buffer of this name.
    pub fn message(&mut self, buffer: &str, name: &str) -> MessageId {
        let buffer = self.buffer(buffer);
        self.message_in(buffer, name)
    }

    /// The message type of this name in a buffer.
    pub fn message_in(&mut self, buffer: BufferId, name: &str) -> MessageId {
        let messages = &mut self.system.messages;
        *self
            .messages
            .entry((buffer, name.into()))
            .or_insert_with(|| messages.push(MessageType { buffer, name: name.into() }))
    }

    /// A new process class with this many initial instances. Its first named state is the initial
    /// one.
    pub fn class(&mut self, name: &str, instances: u32) -> ClassBuilder<'_> {
        // The initial state is known when the first state is named; until then this is a
        // placeholder, and `build` adds a state to a class without states.
        let initial = Id::new(0);
        let id = self.system.classes.push(Class { name: name.into(), instances, initial });
        self.started.push(false);
        ClassBuilder { builder: self, class: id }
    }

    /// Continues with a class.
    pub fn class_again(&mut self, class: ClassId) -> ClassBuilder<'_> {
        ClassBuilder { builder: self, class }
    }

    /// Marks the transition that was added last, to whatever class, as progress.
    ///
    /// # Panics
    /// If there is no transition.
    pub fn progress(&mut self) -> &mut Self {
        let transitions = &mut self.system.transitions;
        let last = transitions.ids().next_back().expect("a transition has been added");
        transitions[last].progress = true;
        self
    }

    /// Adds a data place with at most this initial value.
    pub fn data(&mut self, name: &str, initial: u64) -> DataId {
        self.system.data.push(DataPlace::new(name, initial))
    }

    /// Adds the change of a data place, as an upper bound, to the transition that was added last,
    /// to whatever class.
    ///
    /// # Panics
    /// If there is no transition.
    pub fn changes(&mut self, place: DataId, change: i64) -> &mut Self {
        let transitions = &mut self.system.transitions;
        let last = transitions.ids().next_back().expect("a transition has been added");
        transitions[last].data.push(DataChange { place, change });
        self
    }

    /// Finishes the system.
    ///
    /// # Errors
    /// The first [`Defect`], e.g. two classes of the same name.
    pub fn build(mut self) -> Result<System, Defect> {
        for class in self.system.classes.ids() {
            if !self.started[Id::index(class)] {
                self.class_again(class).state("start");
            }
        }
        self.system.validate()?;
        Ok(self.system)
    }
}

/// Adds states and transitions to one class.
#[derive(Debug)]
pub struct ClassBuilder<'a> {
    builder: &'a mut SystemBuilder,
    class: ClassId,
}

impl ClassBuilder<'_> {
    /// The class.
    #[must_use]
    pub fn id(&self) -> ClassId {
        self.class
    }

    /// The state with this name.
    pub fn state(&mut self, name: &str) -> StateId {
        let key = (self.class, name.to_owned());
        if let Some(&id) = self.builder.states.get(&key) {
            return id;
        }
        let id = self.builder.system.states.push(State {
            class: self.class,
            name: name.into(),
            always_ready: false,
        });
        let started = &mut self.builder.started[Id::index(self.class)];
        if !std::mem::replace(started, true) {
            self.builder.system.classes[self.class].initial = id;
        }
        self.builder.states.insert(key, id);
        id
    }

    /// Marks a state as [always ready](State::always_ready).
    pub fn always_ready(&mut self, name: &str) -> &mut Self {
        let state = self.state(name);
        self.builder.system.states[state].always_ready = true;
        self
    }

    /// Adds a transition that sends one message.
    pub fn send(&mut self, source: &str, message: MessageId, target: &str) -> &mut Self {
        self.step(source, &[(message, 1)], target)
    }

    /// Adds a transition that receives one message.
    pub fn receive(&mut self, source: &str, message: MessageId, target: &str) -> &mut Self {
        self.step(source, &[(message, -1)], target)
    }

    /// Adds a transition that sends (positive) and receives (negative) numbers of messages, in
    /// order; 0 is ignored.
    pub fn step(&mut self, source: &str, changes: &[(MessageId, i32)], target: &str) -> &mut Self {
        let events = changes.iter().filter(|change| change.1 != 0).map(|&(message, change)| Event {
            direction: if change > 0 { Direction::Send } else { Direction::Receive },
            message,
            count: change.unsigned_abs(),
        });
        let events = events.collect();
        let (source, target) = (self.state(source), self.state(target));
        self.transition(source, events, Vec::new(), target, None);
        self
    }

    /// Adds a transition that creates an instance of a class.
    pub fn create(&mut self, source: &str, class: ClassId, target: &str) -> &mut Self {
        let (source, target) = (self.state(source), self.state(target));
        self.transition(source, Vec::new(), vec![class], target, None);
        self
    }

    /// Adds a transition in full, without [progress](SystemBuilder::progress).
    pub fn transition(
        &mut self,
        source: StateId,
        events: Vec<Event>,
        creates: Vec<ClassId>,
        target: StateId,
        origin: Option<Origin>,
    ) -> TransitionId {
        let (data, progress) = (Vec::new(), false);
        let transition = Transition { source, target, events, creates, data, progress, origin };
        self.builder.system.transitions.push(transition)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_class_without_states_rests() {
        let mut b = SystemBuilder::new("idle");
        b.class("P", 2);
        let system = b.build().unwrap();
        assert_eq!(system.states.len(), 1);
        assert_eq!(system.state_name(system.classes[ClassId::new(0)].initial), "P@start");
    }

    #[test]
    fn names_are_given_once() {
        let mut b = SystemBuilder::new("s");
        assert_eq!(b.message("AB", "a"), b.message("AB", "a"));
        let a = b.message("AB", "a");
        b.class("P", 1).send("0", a, "0");
        b.class("P", 1);
        assert!(matches!(b.build(), Err(Defect::Twice { .. })));
    }
}
