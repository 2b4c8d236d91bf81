//! The capsule model: a system of communicating state machines without any syntax.
//!
//! Classes have their inheritance flattened, instances their wires resolved to the ports at the
//! other ends, and action code is reduced to the messages that it may send and the variables that
//! decide about them. Each language of
//! capsules is read into this model; [`lower`](crate::lower()) makes a program of it.

mod action;
mod machine;
mod value;

pub use action::{Block, Loop, Recipient, Send, Step};
pub use machine::{
    ChoiceId, ChoicePoint, Condition, Event, Machine, Node, Point, PointId, PointKind, State, StateId,
    Transition, TransitionId, Trigger,
};
pub use value::{Attribute, AttributeId, Test, Value, ValueType};

use std::collections::BTreeSet;

use cfsm_core::define_id;
use cfsm_core::ids::IdMap;
use cfsm_core::source::Span;

define_id!(
    /// A protocol.
    ProtocolId, "protocol"
);
define_id!(
    /// A class of capsules.
    ClassId, "class"
);
define_id!(
    /// A port of a class.
    PortId, "port"
);
define_id!(
    /// A message of a protocol: incoming ones first, then outgoing ones.
    MessageId, "message"
);
define_id!(
    /// An instance of a class.
    InstanceId, "instance"
);
define_id!(
    /// A thread that instances run on.
    ThreadId, "thread"
);

/// The message that tells a port of a wire that comes.
pub const BOUND: &str = "rtBound";
/// The message that tells a port of a wire that goes.
pub const UNBOUND: &str = "rtUnbound";

/// A system of capsules.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CapsuleSystem {
    /// The name of the system.
    pub name: String,
    /// The protocols.
    pub protocols: IdMap<ProtocolId, Protocol>,
    /// The classes of which there are instances.
    pub classes: IdMap<ClassId, Class>,
    /// The instances, containers before their parts.
    pub instances: IdMap<InstanceId, Instance>,
    /// The threads that instances run on, as far as a mapping says so.
    pub threads: IdMap<ThreadId, Thread>,
    /// True if messages in a queue may overtake each other.
    pub overtaking: bool,
}

/// A thread: the instances on it share one queue, in which messages wait in the order in which they
/// were sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Thread {
    /// The names of its node and its own, with a dot between them.
    pub name: String,
    /// The number of messages that it has room for, the one at hand among them.
    pub pool: Option<u32>,
    /// True if it sends itself a message after each interval, to poll its instances.
    pub polls: bool,
    /// The place of its declaration.
    pub span: Span,
}

/// A set of messages in two directions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Protocol {
    /// Its name.
    pub name: String,
    /// Its messages.
    pub messages: IdMap<MessageId, Message>,
    /// The role that the library gives to it.
    pub role: Role,
}

/// The purpose of a protocol.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Role {
    /// It carries messages between capsules.
    #[default]
    Messages,
    /// It carries values that are read and not received.
    Data,
    /// It is that of the timers of the library.
    Timer,
    /// It is that of the timers of Art, of which each port has any number, or of events from
    /// outside, each of which is asked for.
    Timers,
}

/// A message of a protocol.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// Its name.
    pub name: String,
    /// True if it comes in at a port that is not conjugated.
    pub incoming: bool,
    /// True if code of the ports runs when it is sent, which may drop it, multiply it, or send
    /// others.
    pub handled_at_send: bool,
    /// True if code of the ports runs when it is received, which may drop it or send others.
    pub handled_at_receive: bool,
}

/// A class of capsules, with all that it inherits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Class {
    /// Its name.
    pub name: String,
    /// Its end ports: those that its machine sends to and receives from.
    pub ports: IdMap<PortId, Port>,
    /// The variables on which conditions depend and whose changes are all understood.
    pub variables: IdMap<AttributeId, Attribute>,
    /// The optional parts in which its own code alone creates capsules, all of it understood.
    pub parts: BTreeSet<String>,
    /// Its machine, if it has one.
    pub machine: Option<Machine>,
    /// True if its machine also takes transitions that wait for no message.
    pub polls: bool,
    /// Messages that code outside the machine may send at any time.
    pub background: Block,
    /// The place of its declaration.
    pub span: Span,
}

/// An end port of a class.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Port {
    /// Its name.
    pub name: String,
    /// Its protocol.
    pub protocol: ProtocolId,
    /// True if incoming and outgoing messages are exchanged.
    pub conjugated: bool,
    /// True if it receives `rtBound` and `rtUnbound` when its wires come and go.
    pub notified: bool,
    /// The place of its declaration.
    pub span: Span,
}

/// An instance of a class.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Instance {
    /// The names of its containers and its own, with dots between them.
    pub path: String,
    /// The part of another instance that it stands in.
    pub origin: Option<Origin>,
    /// The class. An optional instance may be of any of several.
    pub classes: Vec<ClassId>,
    /// True if it may be created and destroyed while the system runs.
    pub optional: bool,
    /// True if it is not destroyed once it is there.
    pub stays: bool,
    /// The thread that it runs on, if that is known. Without it, each port has a queue of its own.
    pub thread: Option<ThreadId>,
    /// For each class and port, the ports at the other ends of its wires.
    pub peers: Vec<IdMap<PortId, Vec<Peer>>>,
}

/// A part of an instance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    /// The instance.
    pub container: InstanceId,
    /// Its class, as a position in [`Instance::classes`].
    pub class: usize,
    /// The name of the part.
    pub part: String,
    /// True if the part is filled as long as the container is there.
    pub fixed: bool,
}

/// A port at the other end of a wire.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Peer {
    /// The instance.
    pub instance: InstanceId,
    /// Its class, as a position in [`Instance::classes`].
    pub class: usize,
    /// Its port.
    pub port: PortId,
    /// True if the wire is certainly there. Where a number of wires is smaller than the number of
    /// ports that they may lead to, each of them is taken as possible.
    pub certain: bool,
}

impl Instance {
    /// True if its container's code decides when it is created, and that code is followed.
    #[must_use]
    pub fn is_followed(&self, system: &CapsuleSystem) -> bool {
        self.origin.as_ref().is_some_and(|Origin { container, class, part, fixed }| {
            let container = &system.instances[*container];
            !fixed && system.classes[container.classes[*class]].parts.contains(part)
        })
    }
}

impl Class {
    /// The messages that a port receives.
    pub fn received<'s>(
        &self,
        system: &'s CapsuleSystem,
        port: PortId,
    ) -> impl Iterator<Item = MessageId> + use<'s> {
        let Port { protocol, conjugated, .. } = self.ports[port];
        let messages = system.protocols[protocol].messages.iter();
        messages.filter(move |(_, message)| message.incoming != conjugated).map(|(id, _)| id)
    }

    /// The messages that a port sends.
    pub fn sent<'s>(
        &self,
        system: &'s CapsuleSystem,
        port: PortId,
    ) -> impl Iterator<Item = MessageId> + use<'s> {
        let Port { protocol, conjugated, .. } = self.ports[port];
        let messages = system.protocols[protocol].messages.iter();
        messages.filter(move |(_, message)| message.incoming == conjugated).map(|(id, _)| id)
    }

    /// The port with a name.
    #[must_use]
    pub fn port(&self, name: &str) -> Option<PortId> {
        self.ports.iter().find(|(_, port)| port.name == name).map(|(id, _)| id)
    }
}

impl Protocol {
    /// The message with a name in one direction.
    #[must_use]
    pub fn message(&self, name: &str, incoming: bool) -> Option<MessageId> {
        let mut all = self.messages.iter();
        all.find(|(_, message)| message.name == name && message.incoming == incoming).map(|(id, _)| id)
    }
}
