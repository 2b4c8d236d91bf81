//! Builders of systems by name.

use std::collections::BTreeMap;
use std::panic::Location;

use super::{
    Buffer, BufferId, BufferKind, Class, ClassId, DataChange, DataId, DataPlace, Defect, Direction, Event,
    MessageId, MessageType, Order, SCHEMA, State, StateId, System, Transition, TransitionId,
};
use crate::ids::{Id, IdMap, OwnedId, Owner};
use crate::source::Origin;

/// Builds a [`System`]; items are created when they are first named.
///
/// See the [crate's front page](crate) for an example. Ids are good for the builder that they are
/// from, and for its system: all methods panic if they are given one of another builder.
#[derive(Debug)]
pub struct SystemBuilder {
    system: System,
    owner: Owner,
    /// `true` if the places where transitions are added are noted.
    is_located: bool,
    buffers: BTreeMap<String, BufferId>,
    messages: BTreeMap<(BufferId, String), MessageId>,
    states: BTreeMap<(ClassId, String), StateId>,
    started: Vec<bool>,
    /// The messages that are there at the start, in order.
    contents: Vec<Event>,
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
        let (owner, is_located) = (Owner::next(), false);
        let (started, contents) = Default::default();
        Self { system, owner, is_located, buffers, messages, states, started, contents }
    }

    /// Notes from now on where in the caller's source each transition is added: findings and
    /// counterexamples name that place.
    ///
    /// ```
    /// use cfsm_core::system::SystemBuilder;
    ///
    /// let mut b = SystemBuilder::new("relay");
    /// let ping = b.located().message("there", "ping");
    /// b.class("P", 1).send("0", ping, "1");
    /// let system = b.build()?;
    /// let origin = system.transitions.values().next().and_then(|sent| sent.origin.as_ref());
    /// assert_eq!(origin.map(|origin| origin.text.as_str()), Some("there!ping"));
    /// # Ok::<(), cfsm_core::system::Defect>(())
    /// ```
    pub const fn located(&mut self) -> &mut Self {
        self.is_located = true;
        self
    }

    /// The same id without its owner.
    #[track_caller]
    fn own<I: OwnedId>(&self, id: I) -> I {
        let is_own = id.owner().is_none_or(|owner| owner == self.owner);
        assert!(is_own, "{id:?} is from another builder, so here it would be something else");
        I::new(id.index())
    }

    /// Marks the delivery order of queues as [unknown](System::order): the system is then an
    /// abstraction, for which only the counting interpretation is valid.
    pub fn unordered(&mut self) -> &mut Self {
        self.system.order = None;
        self
    }

    /// The buffer with this name; a new one is a queue without declared capacity.
    pub fn buffer(&mut self, name: &str) -> BufferId {
        let buffers = &mut self.system.buffers;
        let id = self.buffers.entry(name.into()).or_insert_with(|| {
            let kind = BufferKind::Queue;
            buffers.push(Buffer { name: name.into(), kind, declared: None, in_order: false })
        });
        id.of(self.owner)
    }

    /// Declares the capacity of a buffer, in messages; 0 makes it a rendezvous.
    #[track_caller]
    pub fn declare(&mut self, buffer: BufferId, capacity: u32) -> &mut Self {
        let buffer = self.own(buffer);
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
    #[track_caller]
    pub fn message_in(&mut self, buffer: BufferId, name: &str) -> MessageId {
        let buffer = self.own(buffer);
        let messages = &mut self.system.messages;
        let message = || messages.push(MessageType { buffer, name: name.into() });
        self.messages.entry((buffer, name.into())).or_insert_with(message).of(self.owner)
    }

    /// Puts messages into their buffer before anything happens, behind those that are there.
    ///
    /// In the system a class of its own sends them, in one step; all others begin with a rendezvous
    /// for which that class is ready from then on. So the system has the runs that it would have
    /// with these messages in its buffers, each with steps at its beginning, and behind creations,
    /// that do nothing else.
    ///
    /// # Panics
    /// If the buffer is a rendezvous.
    #[track_caller]
    pub fn holds(&mut self, message: MessageId, count: u32) -> &mut Self {
        let message = self.own(message);
        assert!(!self.system.is_rendezvous(message), "a rendezvous holds nothing");
        if count > 0 {
            self.contents.push(Event { direction: Direction::Send, message, count });
        }
        self
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
    #[track_caller]
    pub fn class_again(&mut self, class: ClassId) -> ClassBuilder<'_> {
        let class = self.own(class);
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
        self.system.data.push(DataPlace::new(name, initial)).of(self.owner)
    }

    /// Adds the change of a data place, as an upper bound, to the transition that was added last,
    /// to whatever class.
    ///
    /// # Panics
    /// If there is no transition.
    #[track_caller]
    pub fn changes(&mut self, place: DataId, change: i64) -> &mut Self {
        let place = self.own(place);
        let transitions = &mut self.system.transitions;
        let last = transitions.ids().next_back().expect("a transition has been added");
        transitions[last].data.push(DataChange { place, change });
        self
    }

    /// A transition in words: `there!ping, back?pong, create P`.
    fn told(&self, events: &[Event], creates: &[ClassId]) -> String {
        let events = events.iter().map(|event| {
            let MessageType { buffer, name } = &self.system.messages[event.message];
            let sign = if event.direction == Direction::Send { "!" } else { "?" };
            let count = if event.count == 1 { String::new() } else { format!("{} times ", event.count) };
            format!("{count}{}{sign}{name}", self.system.buffers[*buffer].name)
        });
        let creates = creates.iter().map(|class| format!("create {}", self.system.classes[*class].name));
        let all: Vec<String> = events.chain(creates).collect();
        if all.is_empty() { "step".into() } else { all.join(", ") }
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
        if !self.contents.is_empty() {
            self.fill();
        }
        self.system.validate()?;
        Ok(self.system)
    }

    /// Adds the class that sends what buffers hold at the start, and lets all others wait for it.
    fn fill(&mut self) {
        // No place in the caller's source adds what follows.
        self.is_located = false;
        let buffer = self.buffer(CONTENTS);
        let begin = self.declare(buffer, 0).message_in(buffer, "");
        for class in self.system.classes.ids() {
            let old = self.system.classes[class].initial;
            let receive = Event { direction: Direction::Receive, message: begin, count: 1 };
            let mut class = self.class_again(class);
            let new = class.own_state(CONTENTS);
            class.transition(new, vec![receive], Vec::new(), old, None);
            let class = class.class;
            self.system.classes[class].initial = new;
        }
        let contents = std::mem::take(&mut self.contents);
        let mut class = self.class(CONTENTS, 1);
        let (first, then) = (class.own_state("first"), class.own_state("then"));
        class.transition(first, contents, Vec::new(), then, None);
        class.send("then", begin, "then");
    }
}

/// The name of what makes messages be there at the start: a class, a rendezvous, and the states in
/// which other classes begin.
const CONTENTS: &str = "initial contents";

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
        self.class.of(self.builder.owner)
    }

    /// The state with this name.
    pub fn state(&mut self, name: &str) -> StateId {
        self.own_state(name).of(self.builder.owner)
    }

    fn own_state(&mut self, name: &str) -> StateId {
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
        let state = self.own_state(name);
        self.builder.system.states[state].always_ready = true;
        self
    }

    /// Adds a transition that sends one message.
    #[track_caller]
    pub fn send(&mut self, source: &str, message: MessageId, target: &str) -> &mut Self {
        self.step(source, &[(message, 1)], target)
    }

    /// Adds a transition that receives one message.
    #[track_caller]
    pub fn receive(&mut self, source: &str, message: MessageId, target: &str) -> &mut Self {
        self.step(source, &[(message, -1)], target)
    }

    /// Adds a transition that sends (positive) and receives (negative) numbers of messages, in
    /// order; 0 is ignored.
    #[track_caller]
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
    #[track_caller]
    pub fn create(&mut self, source: &str, class: ClassId, target: &str) -> &mut Self {
        let (source, target) = (self.state(source), self.state(target));
        self.transition(source, Vec::new(), vec![class], target, None);
        self
    }

    /// Adds a transition in full, without [progress](SystemBuilder::progress).
    #[track_caller]
    pub fn transition(
        &mut self,
        source: StateId,
        events: Vec<Event>,
        creates: Vec<ClassId>,
        target: StateId,
        origin: Option<Origin>,
    ) -> TransitionId {
        let builder = &*self.builder;
        let [source, target] = [source, target].map(|state| builder.own(state));
        let own = |event: Event| Event { message: builder.own(event.message), ..event };
        let events: Vec<Event> = events.into_iter().map(own).collect();
        let creates: Vec<ClassId> = creates.into_iter().map(|class| builder.own(class)).collect();
        let caller = Location::caller();
        let here = || {
            let (file, line) = (caller.file().into(), caller.line());
            Origin { file, line, text: builder.told(&events, &creates) }
        };
        let origin = origin.or_else(|| builder.is_located.then(here));
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
    fn places_are_those_of_the_caller() {
        let mut b = SystemBuilder::new("s");
        let (a, c) = (b.message("AB", "a"), b.message("BA", "c"));
        b.class("P", 1).send("0", a, "1");
        b.located();
        let line = line!() + 1;
        let class = b.class("Q", 1).step("0", &[(a, -2), (c, 1)], "1").step("1", &[], "0").id();
        b.class_again(class).create("1", class, "0");
        let system = b.build().expect("it is valid");
        let told = |origin: &Origin| (origin.line, origin.text.clone());
        let origins = system.transitions.values().map(|step| step.origin.as_ref().map(told));
        let of = |line, text: &str| Some((line, text.to_owned()));
        let expected = [None, of(line, "2 times AB?a, BA!c"), of(line, "step"), of(line + 1, "create Q")];
        assert_eq!(origins.collect::<Vec<_>>(), expected);
    }

    /// The id of another builder has a position here, too, and would be taken for what is there.
    #[test]
    #[should_panic(expected = "message0 is from another builder, so here it would be something else")]
    fn ids_are_good_for_their_builder_only() {
        let (mut one, mut other) = (SystemBuilder::new("one"), SystemBuilder::new("other"));
        let (_, strange) = (one.message("q", "a"), other.message("r", "b"));
        one.class("P", 1).send("0", strange, "1");
    }

    #[test]
    fn an_id_with_an_owner_is_equal_to_one_without() {
        let mut b = SystemBuilder::new("s");
        let message = b.message("q", "a");
        let state = b.class("P", 1).send("0", message, "1").state("1");
        let system = b.build().expect("it is valid");
        assert_eq!(Some(message), system.messages.ids().next());
        assert_eq!(system.state_name(state), "P@1");
        assert_eq!(serde_json::to_string(&message).expect("a number"), "0");
        assert!(serde_json::from_str::<MessageId>("16777216").is_err());
    }

    #[test]
    fn contents_are_sent_before_anything_happens() {
        let mut b = SystemBuilder::new("s");
        let (a, c) = (b.message("AB", "a"), b.message("AB", "c"));
        b.holds(a, 2).holds(c, 1).holds(c, 0);
        b.class("P", 3).receive("0", a, "1");
        let system = b.build().expect("it is valid");
        let names: Vec<String> = system.states.ids().map(|state| system.state_name(state)).collect();
        assert_eq!(
            names,
            ["P@0", "P@1", "P@initial contents", "initial contents@first", "initial contents@then"]
        );
        let start = system.classes.values().map(|class| (class.instances, system.state_name(class.initial)));
        let expected = [(3, "P@initial contents".to_owned()), (1, "initial contents@first".to_owned())];
        assert_eq!(start.collect::<Vec<_>>(), expected);
        let filling = &system.transitions[TransitionId::new(2)];
        let sent: Vec<(MessageId, u32)> =
            filling.events.iter().map(|event| (event.message, event.count)).collect();
        assert_eq!(sent, [(a, 2), (c, 1)]);
    }

    #[test]
    #[should_panic(expected = "a rendezvous holds nothing")]
    fn a_rendezvous_has_no_contents() {
        let mut b = SystemBuilder::new("s");
        let buffer = b.buffer("AB");
        let message = b.declare(buffer, 0).message_in(buffer, "a");
        b.holds(message, 1);
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
