//! The system of several components whose channels of the same name are one.

use std::collections::{BTreeMap, BTreeSet};

use cfsm_core::ids::IdMap;
use cfsm_core::system::{
    Buffer, BufferId, BufferKind, Class, ClassId, DataChange, DataId, DataPlace, Direction, Event, MessageId,
    MessageType, SCHEMA, State, StateId, System, Transition,
};

use super::component::Part;
use super::kinds::may_agree;

/// A message type of a part on one of its open channels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Outer {
    /// The number of the part.
    pub(super) part: usize,
    /// The type, in the system of the part.
    pub(super) message: MessageId,
}

/// The system of all parts, without an environment.
pub(super) struct Joint {
    pub(super) system: System,
    /// The channels that are open still; they are rendezvous.
    pub(super) open: BTreeSet<BufferId>,
    /// The channels between parts.
    pub(super) closed: BTreeSet<BufferId>,
    /// The types of each part that are sent, by the type that stands for them.
    pub(super) sent: BTreeMap<MessageId, Vec<Outer>>,
    /// The types of each part that are received as the type.
    pub(super) received: BTreeMap<MessageId, Vec<Outer>>,
    /// The places of each part.
    pub(super) places: Vec<Places>,
}

/// The places of a part as places of the whole.
#[derive(Default)]
pub(super) struct Places {
    pub(super) buffers: BTreeMap<BufferId, BufferId>,
    /// Types that are sent, and those that are received from a channel of the part itself.
    pub(super) messages: BTreeMap<MessageId, MessageId>,
    pub(super) states: BTreeMap<StateId, StateId>,
    pub(super) data: BTreeMap<DataId, DataId>,
    classes: BTreeMap<ClassId, ClassId>,
    /// For types that are received from channels outside: all types that may be these.
    arriving: BTreeMap<MessageId, Vec<MessageId>>,
}

/// The messages of parts on the channels of one name.
#[derive(Default)]
struct Channel {
    sent: BTreeSet<Outer>,
    received: BTreeSet<Outer>,
    /// The least capacity that a part declares.
    declared: Option<u32>,
}

impl Joint {
    pub(super) fn of(parts: &[Part]) -> Self {
        let names: Vec<&str> = parts.iter().map(|part| part.name.as_str()).collect();
        let mut source = Vec::new();
        for text in parts.iter().flat_map(|part| &part.component.system.source) {
            if !source.contains(text) {
                source.push(text.clone());
            }
        }
        let mut joint = Self {
            system: System {
                schema: SCHEMA.into(),
                name: names.join(" and "),
                order: None,
                buffers: IdMap::default(),
                messages: IdMap::default(),
                classes: IdMap::default(),
                states: IdMap::default(),
                transitions: IdMap::default(),
                data: IdMap::default(),
                source,
            },
            open: BTreeSet::new(),
            closed: BTreeSet::new(),
            sent: BTreeMap::new(),
            received: BTreeMap::new(),
            places: parts.iter().map(|_| Places::default()).collect(),
        };
        for (name, channel) in &channels(parts) {
            joint.add_channel(parts, name, channel);
        }
        for (number, part) in parts.iter().enumerate() {
            joint.add_places(number, part);
            joint.add_transitions(number, part);
        }
        joint
    }

    /// A channel that some parts use: closed if it is both sent to and received from. It is a queue
    /// then, unless a part declares it as a rendezvous, which leaves fewer runs.
    fn add_channel(&mut self, parts: &[Part], name: &str, channel: &Channel) {
        let is_closed = !channel.sent.is_empty() && !channel.received.is_empty();
        let is_queue = is_closed && channel.declared != Some(0);
        let kind = if is_queue { BufferKind::Queue } else { BufferKind::Rendezvous };
        let declared = channel.declared.filter(|_| is_closed);
        let buffer = self.system.buffers.push(Buffer { name: name.into(), kind, declared, in_order: false });
        if is_closed {
            self.closed.insert(buffer)
        } else {
            self.open.insert(buffer)
        };
        let label = |outer: &Outer| parts[outer.part].component.system.messages[outer.message].name.clone();
        // A channel between parts has the messages that are sent.
        let named = if is_closed { &channel.sent } else { &(&channel.sent | &channel.received) };
        let mut types: BTreeMap<String, MessageId> = BTreeMap::new();
        for outer in named {
            let name = label(outer);
            let next = &mut self.system.messages;
            types.entry(name.clone()).or_insert_with(|| next.push(MessageType { buffer, name }));
        }
        for outer in &channel.sent {
            let id = types[&label(outer)];
            self.places[outer.part].messages.insert(outer.message, id);
            self.sent.entry(id).or_default().push(*outer);
        }
        for outer in &channel.received {
            let own = label(outer);
            let fits = types
                .iter()
                .filter(|(sent, _)| if is_closed { may_agree(sent, &own) } else { **sent == own });
            let fits: Vec<MessageId> = fits.map(|(_, id)| *id).collect();
            for id in &fits {
                self.received.entry(*id).or_default().push(*outer);
            }
            self.places[outer.part].arriving.insert(outer.message, fits);
        }
    }

    fn add_places(&mut self, number: usize, part: &Part) {
        let Part { name, component } = part;
        let (open, accounts) = (component.open_buffers(), component.accounts());
        let (system, whole, places) = (&component.system, &mut self.system, &mut self.places[number]);
        for (id, buffer) in system.buffers.iter().filter(|(id, _)| !open.contains(id)) {
            let mut own = format!("{name}.{}", buffer.name);
            while whole.buffers.values().any(|other| other.name == own) {
                own.push('\'');
            }
            let named = Buffer { name: own, ..buffer.clone() };
            places.buffers.insert(id, whole.buffers.push(named));
        }
        for (id, message) in system.messages.iter() {
            if let Some(&buffer) = places.buffers.get(&message.buffer) {
                places.messages.insert(id, whole.messages.push(MessageType { buffer, ..message.clone() }));
            }
        }
        for (id, class) in system.classes.iter().filter(|(id, _)| *id != component.environment) {
            // The initial state is known once the states are there.
            let named = Class { name: format!("{name}.{}", class.name), ..class.clone() };
            places.classes.insert(id, whole.classes.push(named));
        }
        for (id, state) in system.states.iter() {
            if let Some(&class) = places.classes.get(&state.class) {
                places
                    .states
                    .insert(id, whole.states.push(State { class, always_ready: false, ..state.clone() }));
            }
        }
        for class in places.classes.values() {
            let initial = &mut whole.classes[*class].initial;
            *initial = places.states[initial];
        }
        for (id, place) in system.data.iter().filter(|(id, _)| !accounts.contains(id)) {
            let room_of = place.room_of.and_then(|buffer| places.buffers.get(&buffer).copied());
            let named = DataPlace { name: format!("{name}.{}", place.name), room_of, ..place.clone() };
            places.data.insert(id, whole.data.push(named));
        }
    }

    /// The transitions of a part: several for one that receives what may be of several types.
    fn add_transitions(&mut self, number: usize, part: &Part) {
        let places = &self.places[number];
        for transition in part.component.system.transitions.values() {
            let Some(&source) = places.states.get(&transition.source) else { continue };
            let data = transition
                .data
                .iter()
                .map(|change| DataChange { place: places.data[&change.place], change: change.change });
            let one = Transition {
                source,
                target: places.states[&transition.target],
                events: Vec::new(),
                creates: transition.creates.iter().map(|class| places.classes[class]).collect(),
                data: data.collect(),
                progress: transition.progress,
                origin: transition.origin.clone(),
            };
            for events in places.readings(&transition.events) {
                self.system.transitions.push(Transition { events, ..one.clone() });
            }
        }
    }
}

impl Places {
    /// All ways to read events of the part as events of the whole.
    fn readings(&self, events: &[Event]) -> Vec<Vec<Event>> {
        let mut readings: Vec<Vec<Event>> = vec![Vec::new()];
        for event in events {
            let arriving =
                self.arriving.get(&event.message).filter(|_| event.direction == Direction::Receive);
            let messages = arriving.cloned().unwrap_or_else(|| vec![self.messages[&event.message]]);
            let longer = |reading: &Vec<Event>, message: &MessageId| {
                let mut reading = reading.clone();
                reading.push(Event { message: *message, ..*event });
                reading
            };
            readings = readings
                .iter()
                .flat_map(|reading| messages.iter().map(move |message| longer(reading, message)))
                .collect();
        }
        readings
    }
}

/// The channels that parts have open, by name.
fn channels(parts: &[Part]) -> BTreeMap<String, Channel> {
    let mut channels: BTreeMap<String, Channel> = BTreeMap::new();
    for (number, part) in parts.iter().enumerate() {
        let system = &part.component.system;
        for event in part.component.outside().flat_map(|transition| &transition.events) {
            let buffer = &system.buffers[system.messages[event.message].buffer];
            let channel = channels.entry(buffer.name.clone()).or_default();
            let outer = Outer { part: number, message: event.message };
            match event.direction {
                // The environment of the part takes what the part sends.
                Direction::Receive => channel.sent.insert(outer),
                Direction::Send => channel.received.insert(outer),
            };
            channel.declared = channel.declared.into_iter().chain(buffer.declared).min();
        }
    }
    channels
}
