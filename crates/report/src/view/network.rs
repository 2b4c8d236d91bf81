//! View of a system: its machines with their states and transitions, and the channels between them.

use std::collections::BTreeSet;

use cfsm_core::ids::Id as _;
use cfsm_core::system::{Buffer, BufferKind, Class, ClassId, Direction, Event, StateId, System, Transition};
use serde::{Deserialize, Serialize};

use super::{Step, step};

/// The machines of a system, and the channels between them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Network {
    /// The system's name.
    pub name: String,
    /// One machine for each process class.
    pub machines: Vec<Machine>,
    /// The channels, rendezvous channels included.
    pub channels: Vec<Channel>,
}

/// A process class as a state machine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Machine {
    /// The class's name.
    pub name: String,
    /// Number of instances at the start.
    pub instances: u32,
    /// Names of the states.
    pub states: Vec<String>,
    /// Position of the initial state in [`states`](Self::states).
    pub initial: usize,
    /// The transitions.
    pub transitions: Vec<MachineTransition>,
    /// Names of the classes of which it creates instances.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub creates: Vec<String>,
}

/// A transition of a machine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct MachineTransition {
    /// Position of the source state in [`Machine::states`].
    pub source: usize,
    /// Position of the target state in [`Machine::states`].
    pub target: usize,
    /// Its sends and receives in short (`AB!a`, `AB?a`), or its statement if it has none, or if the
    /// system does not tell their messages apart.
    pub label: String,
    /// The statement with its place.
    pub step: Step,
}

/// A channel of a network.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Channel {
    /// Its name.
    pub name: String,
    /// Its kind: queue, rendezvous or environment.
    pub kind: BufferKind,
    /// The declared capacity, in messages.
    pub declared: Option<u32>,
    /// Positions in [`Network::machines`] of those that send to it.
    pub senders: Vec<usize>,
    /// Positions in [`Network::machines`] of those that receive from it.
    pub receivers: Vec<usize>,
}

/// The machines and channels of a system. Time `O(n log n)` in its size.
#[must_use]
pub fn network(system: &System) -> Network {
    let mut machines: Vec<Machine> = system.classes.values().map(empty).collect();
    let mut channels: Vec<Channel> = system.buffers.values().map(unused).collect();
    let mut positions = Vec::with_capacity(system.states.len());
    for (id, state) in system.states.iter() {
        let machine = &mut machines[state.class.index()];
        if id == system.classes[state.class].initial {
            machine.initial = machine.states.len();
        }
        positions.push(machine.states.len());
        machine.states.push(state.name.clone());
    }
    let mut users: BTreeSet<User> = BTreeSet::new();
    let mut creators: BTreeSet<Creation> = BTreeSet::new();
    for (id, transition) in system.transitions.iter() {
        let class = system.class_of(id);
        let position = |state: StateId| positions[state.index()];
        machines[class.index()].transitions.push(MachineTransition {
            source: position(transition.source),
            target: position(transition.target),
            label: label(system, transition),
            step: step(system, id),
        });
        let user = |event: &Event| User {
            channel: system.messages[event.message].buffer.index(),
            machine: class.index(),
            sends: event.direction == Direction::Send,
        };
        users.extend(transition.events.iter().map(user));
        creators.extend(transition.creates.iter().map(|&created| Creation { creator: class, created }));
    }
    for User { channel, machine, sends } in users {
        let channel = &mut channels[channel];
        if sends { channel.senders.push(machine) } else { channel.receivers.push(machine) }
    }
    for Creation { creator, created } in creators {
        machines[creator.index()].creates.push(system.classes[created].name.clone());
    }
    Network { name: system.name.clone(), machines, channels }
}

/// A machine that sends to a channel, or receives from it.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct User {
    channel: usize,
    machine: usize,
    sends: bool,
}

/// A class that creates instances of another one.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Creation {
    creator: ClassId,
    created: ClassId,
}

fn empty(class: &Class) -> Machine {
    Machine {
        name: class.name.clone(),
        instances: class.instances,
        states: Vec::new(),
        initial: 0,
        transitions: Vec::new(),
        creates: Vec::new(),
    }
}

fn unused(buffer: &Buffer) -> Channel {
    Channel {
        name: buffer.name.clone(),
        kind: buffer.kind,
        declared: buffer.declared,
        senders: Vec::new(),
        receivers: Vec::new(),
    }
}

fn label(system: &System, transition: &Transition) -> String {
    // Messages that the system does not tell apart have no name; their statement says more.
    let is_nameless = |event: &Event| system.messages[event.message].name.is_empty();
    let events = transition.events.iter().map(|event| message(system, event));
    let created = transition.creates.iter().map(|&class| format!("run {}", system.classes[class].name));
    let parts: Vec<String> = events.chain(created).collect();
    match &transition.origin {
        Some(origin) if parts.is_empty() || transition.events.iter().any(is_nameless) => origin.text.clone(),
        _ => parts.join("; "),
    }
}

/// `AB!a`, `2 AB?a`
fn message(system: &System, event: &Event) -> String {
    let message = &system.messages[event.message];
    let sign = if event.direction == Direction::Send { '!' } else { '?' };
    let often = if event.count == 1 { String::new() } else { format!("{} ", event.count) };
    format!("{often}{}{sign}{}", system.buffers[message.buffer].name, message.name)
}
