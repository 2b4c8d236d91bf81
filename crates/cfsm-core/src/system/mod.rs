//! Systems: communicating finite state machines, read as a counting net.
//!
//! Thesis, Definition 3.1 and section 5.3 (levels 1 and 2): a set of process classes whose states
//! are connected by transitions that send and receive messages. Two readings of the same object:
//!
//! - *FIFO*: buffers hold words; a transition performs its [`events`](Transition::events) in order,
//!   in one step, and is possible only if it can perform all of them. [`System::to_program`] makes
//!   a program that runs so;
//! - *counting*: buffers hold a number of messages of each type; a transition adds its
//!   [`effect`](Transition::effect). Every FIFO run is a counting run, so what is proved for the
//!   second holds for the first.
//!
//! A *place* holds a non-negative number of tokens: a message type (tokens: messages of it in its
//! buffer) or a state (tokens: instances of the class at it). A transition moves one token from its
//! source to its target; `creates` puts one token on the initial state of each class named there.
//!
//! A *data place* is a place of the counting reading too: a quantity of the program's variables
//! that is never below 0, such as `3 - open` where every increase of `open` is guarded by
//! `open < 3`. Its tokens are what there is of it, and a transition changes them by *at most* what
//! it says.
//!
//! A rendezvous buffer holds nothing: a send and a receive of the same type happen in one step. In
//! the counting reading its places are always empty, while each transition on its own still has an
//! effect.

mod activation;
mod builder;
mod effect;
mod room;
mod translation;
mod validate;

use serde::{Deserialize, Serialize};

pub use activation::Activation;
pub use builder::{ClassBuilder, SystemBuilder};
pub use effect::Effect;
pub use translation::{NotRunnable, Translation};
pub use validate::{Defect, Part};

use crate::define_id;
use crate::digest::SourceDigest;
use crate::ids::IdMap;
use crate::source::Origin;

define_id!(
    /// A buffer.
    BufferId, "buffer"
);
define_id!(
    /// A message type: a buffer and a set of messages that the system does not tell apart.
    MessageId, "message"
);
define_id!(
    /// A process class.
    ClassId, "class"
);
define_id!(
    /// A control state of a class.
    StateId, "state"
);
define_id!(
    /// A transition.
    TransitionId, "transition"
);
define_id!(
    /// A data place.
    DataId, "data"
);

/// The value of [`System::schema`] that this version reads and writes.
pub const SCHEMA: &str = "freeboard.system/1";

/// A system of communicating finite state machines.
///
/// Serialised as JSON this is the file that `freeboard check --system` writes and
/// `freeboard verify` reads; ids are positions in the lists.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct System {
    /// Version of the format: [`SCHEMA`].
    pub schema: String,
    /// Name, e.g. that of the file it comes from.
    pub name: String,
    /// The order in which queues deliver, if it is part of what the system means: then its runs are
    /// those of the FIFO reading, and what holds for these holds for the system. `None` if it is
    /// not, as in an abstraction whose queues may stand for several, or for some that deliver in
    /// another order: then only what holds in the counting reading holds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub order: Option<Order>,
    /// Buffers.
    pub buffers: IdMap<BufferId, Buffer>,
    /// Message types.
    pub messages: IdMap<MessageId, MessageType>,
    /// Process classes.
    pub classes: IdMap<ClassId, Class>,
    /// States of all classes.
    pub states: IdMap<StateId, State>,
    /// Transitions of all classes.
    pub transitions: IdMap<TransitionId, Transition>,
    /// Data places.
    #[serde(default, skip_serializing_if = "no_data")]
    pub data: IdMap<DataId, DataPlace>,
    /// The texts that it was made from, the main one first; none if it was made from no text, or by
    /// a version that did not record them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub source: Vec<SourceDigest>,
}

fn no_data(data: &IdMap<DataId, DataPlace>) -> bool {
    data.is_empty()
}

/// A data place: a quantity that is never below 0.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct DataPlace {
    /// The quantity as a user would write it: `3 - Waiter.open`. Unique. The locals of a class with
    /// several instances add up.
    pub name: String,
    /// How much of it there is at the start, at most.
    pub initial: u64,
    /// The buffer whose free room it is, if it is a limit that the question sets: each message that
    /// is sent takes one, and one that is received gives one back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub room_of: Option<BufferId>,
}

/// What a transition does to a data place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct DataChange {
    /// The data place.
    pub place: DataId,
    /// By how much it grows, at most; below 0, it falls by so much at least. What instances that
    /// are created bring with them is part of it.
    pub change: i64,
}

/// An order in which queues deliver.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Order {
    /// First in, first out.
    Fifo,
    /// First in, first out in what the system is an abstraction of: each run of that is one of the
    /// FIFO reading, which may have others. So what holds for all of these holds for what was
    /// abstracted; a single one shows nothing.
    FifoCover,
}

/// A buffer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Buffer {
    /// Its name as a user would write it: `AB`, `toServer[2]`, `Client[*].reply`. Unique.
    pub name: String,
    /// How it carries messages.
    pub kind: BufferKind,
    /// The capacity that the model declares, in messages; `None` if it declares none. Of a buffer
    /// that stands for several, that of each one. The analysis takes buffers as unbounded all the
    /// same.
    pub declared: Option<u32>,
    /// Whether this is one queue that delivers first in, first out, in what the system means or is
    /// an abstraction of, even if the system has no [order](System::order) of all its queues. Ask
    /// [`System::keeps_order`].
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub in_order: bool,
}

/// How a buffer carries messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BufferKind {
    /// First in, first out, of unbounded length.
    Queue,
    /// Nothing is stored: send and receive are one step.
    Rendezvous,
}

/// A message type (thesis, Definitions 3.1 and 7.1).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct MessageType {
    /// The buffer it belongs to.
    pub buffer: BufferId,
    /// Its name. Unique within the buffer.
    pub name: String,
}

/// A process class: instances with the same machine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Class {
    /// Its name. Unique.
    pub name: String,
    /// Number of instances at the start; more may be created.
    pub instances: u32,
    /// Where instances start, at the start and when created.
    pub initial: StateId,
}

/// A control state.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct State {
    /// The class it belongs to.
    pub class: ClassId,
    /// Its name. Unique within the class.
    pub name: String,
    /// Whether an instance here can always step, whatever the others do, so that in a fair run it
    /// does not stay for ever; a question of livelocks under weak fairness only. Such a state has a
    /// transition without messages.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub always_ready: bool,
}

/// A transition: one step of one instance.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Transition {
    /// Where it leaves.
    pub source: StateId,
    /// Where it leads; a state of the same class.
    pub target: StateId,
    /// What it sends and receives, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub events: Vec<Event>,
    /// The classes of which it creates an instance, one each time a class is named.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub creates: Vec<ClassId>,
    /// How much it changes data places, each named at most once; it leaves those that are missing
    /// as they are, or takes from them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub data: Vec<DataChange>,
    /// Whether it makes progress; a question of livelocks only.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub progress: bool,
    /// The statement it comes from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<Origin>,
}

/// Messages of one type sent or received in a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Event {
    /// Sent or received.
    pub direction: Direction,
    /// The message type.
    pub message: MessageId,
    /// How many, at least 1.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub count: u32,
}

/// Which way a message goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Direction {
    /// Into the buffer.
    Send,
    /// Out of the buffer.
    Receive,
}

const fn one() -> u32 {
    1
}

#[allow(clippy::trivially_copy_pass_by_ref)] // the signature serde asks for
const fn is_one(count: &u32) -> bool {
    *count == 1
}

impl Transition {
    /// Its effect vector, sparse: what it adds to the number of messages of each type.
    #[must_use]
    pub fn effect(&self) -> Effect {
        self.events
            .iter()
            .map(|event| {
                let count = i64::from(event.count);
                (event.message, if event.direction == Direction::Send { count } else { -count })
            })
            .collect()
    }
}

impl DataPlace {
    /// A quantity of the program's variables.
    #[must_use]
    pub fn new(name: impl Into<String>, initial: u64) -> Self {
        Self { name: name.into(), initial, room_of: None }
    }
}

impl System {
    /// The class of a transition.
    #[must_use]
    pub fn class_of(&self, transition: TransitionId) -> ClassId {
        self.states[self.transitions[transition].source].class
    }

    /// Message types of a buffer, ascending. Time linear in the number of message types.
    pub fn messages_of(&self, buffer: BufferId) -> impl Iterator<Item = MessageId> + '_ {
        self.messages.iter().filter(move |(_, message)| message.buffer == buffer).map(|(id, _)| id)
    }

    /// Whether messages of this type are exchanged by rendezvous, so that none is ever stored.
    #[must_use]
    pub fn is_rendezvous(&self, message: MessageId) -> bool {
        self.buffers[self.messages[message].buffer].kind == BufferKind::Rendezvous
    }

    /// Whether a buffer is one queue that delivers first in, first out in every run that the system
    /// is about.
    #[must_use]
    pub fn keeps_order(&self, buffer: BufferId) -> bool {
        let Buffer { kind, in_order, .. } = self.buffers[buffer];
        kind == BufferKind::Queue && (in_order || self.order.is_some())
    }

    /// The transitions that send messages of some types, or receive some.
    pub fn with_events<'a>(
        &'a self,
        direction: Direction,
        messages: &'a dyn Fn(MessageId) -> bool,
    ) -> impl Iterator<Item = TransitionId> + 'a {
        let has = move |event: &Event| event.direction == direction && messages(event.message);
        let found = self.transitions.iter().filter(move |(_, transition)| transition.events.iter().any(has));
        found.map(|(id, _)| id)
    }

    /// A message type's full name: `AB(a)`; of a buffer with one nameless type, `AB`.
    #[must_use]
    pub fn message_name(&self, message: MessageId) -> String {
        let MessageType { buffer, name } = &self.messages[message];
        let buffer = &self.buffers[*buffer].name;
        if name.is_empty() { buffer.clone() } else { format!("{buffer}({name})") }
    }

    /// A state's full name: `Client@waiting`.
    #[must_use]
    pub fn state_name(&self, state: StateId) -> String {
        let State { class, name, .. } = &self.states[state];
        format!("{}@{name}", self.classes[*class].name)
    }

    /// Checks that every id points at something, that transitions stay in their class and that
    /// names are unique.
    ///
    /// # Errors
    /// The first [`Defect`] found. Time `O(n log n)` in the size of the system.
    pub fn validate(&self) -> Result<(), Defect> {
        match self.defects().into_iter().next() {
            Some((_, defect)) => Err(defect),
            None => Ok(()),
        }
    }

    /// All that is wrong with the system, and in which part of it. Time `O(n log n)` in the size of
    /// the system.
    #[must_use]
    pub fn defects(&self) -> Vec<(Part, Defect)> {
        validate::defects(self)
    }
}
