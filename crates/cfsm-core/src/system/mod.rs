//! Systems: communicating finite state machines, interpreted as a counting net.
//!
//! Thesis, Definition 3.1 and section 5.3 (levels 1 and 2): a set of process classes whose states
//! are connected by transitions that send and receive messages. There are two interpretations:
//!
//! - *FIFO*: buffers hold words; a transition performs its [`events`](Transition::events) in order,
//!   in one step, and can fire only if all of them are possible. [`System::to_program`] translates
//!   a system to a program with these runs;
//! - *counting*: buffers hold a number of messages of each type; a transition adds its
//!   [`effect`](Transition::effect). Every FIFO run is a counting run, so proofs for the second
//!   hold for the first.
//!
//! A *place* holds a non-negative number of tokens: a message type (tokens: messages of it in its
//! buffer) or a state (tokens: instances of the class at it). A transition moves one token from its
//! source to its target; `creates` puts one token on the initial state of each class named there.
//!
//! A *data place* is a place of the counting interpretation, too: a quantity of the program's
//! variables that is never below 0, such as `3 - open` where every increase of `open` is guarded by
//! `open < 3`. Its tokens measure the quantity, and a transition changes them by *at most* the
//! stated number.
//!
//! A rendezvous buffer holds nothing: a send and a receive of the same type happen in one step. In
//! the counting interpretation its places are always empty, while each transition on its own still
//! has an effect.

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

use crate::digest::SourceDigest;
use crate::ids::IdMap;
use crate::source::Origin;
use crate::{define_id, define_owned_id};

define_owned_id!(
    /// A buffer.
    BufferId, "buffer"
);
define_owned_id!(
    /// A message type: a buffer and a set of messages that the system does not distinguish.
    MessageId, "message"
);
define_owned_id!(
    /// A process class.
    ClassId, "class"
);
define_owned_id!(
    /// A control state of a class.
    StateId, "state"
);
define_id!(
    /// A transition.
    TransitionId, "transition"
);
define_owned_id!(
    /// A data place.
    DataId, "data"
);

/// The value of [`System::schema`] that this version supports.
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
    /// The order in which queues deliver, if it is part of the meaning of the system: its runs are
    /// then those of the FIFO interpretation, and properties of these hold for the system. `None`
    /// if it is not, as in an abstraction whose queues may stand for several, or for some that
    /// deliver in another order: then only properties of the counting interpretation hold.
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
    /// The source texts, the main one first; empty if there are none, or if the version that wrote
    /// the file did not record them.
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
    /// Upper bound of its initial value.
    pub initial: u64,
    /// The buffer whose free room it is, if it represents a capacity that the model fixes: each
    /// sent message takes one, and each received one gives one back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub room_of: Option<BufferId>,
    /// `true` if it is part of the question: an assumption on what the environment does, whose
    /// initial value is a parameter.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_assumed: bool,
}

/// The change of a data place by a transition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct DataChange {
    /// The data place.
    pub place: DataId,
    /// Upper bound of the change; a negative number is a decrease by at least its absolute value.
    /// It includes the contribution of created instances.
    pub change: i64,
}

/// A delivery order of queues.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Order {
    /// First in, first out.
    Fifo,
    /// First in, first out in the model of which the system is an abstraction: each run of that
    /// model is one of the FIFO interpretation, which may have others. So properties of all of
    /// these hold for the model; a single one shows nothing.
    FifoCover,
}

/// A buffer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Buffer {
    /// Its name as a user would write it: `AB`, `toServer[2]`, `Client[*].reply`. Unique.
    pub name: String,
    /// Its kind: queue or rendezvous.
    pub kind: BufferKind,
    /// The declared capacity, in messages; `None` if none is declared. For a buffer that stands for
    /// several, that of each one. The analysis treats buffers as unbounded all the same.
    pub declared: Option<u32>,
    /// `true` if this is a single queue that delivers first in, first out, in the meaning of the
    /// system or in the model of which it is an abstraction, even if the system has no
    /// [order](System::order) of all its queues. Use [`System::keeps_order`].
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub in_order: bool,
}

/// The kind of a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BufferKind {
    /// First in, first out, of unbounded length.
    Queue,
    /// Nothing is stored: send and receive are one step.
    Rendezvous,
    /// A queue that the environment of the system uses. No transition has an event on it: what is
    /// received from the environment may come at any time, and what is sent to it is gone. Nothing
    /// is asked about its length.
    Environment,
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

/// A process class: a set of instances of the same machine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Class {
    /// Its name. Unique.
    pub name: String,
    /// Number of initial instances; more may be created.
    pub instances: u32,
    /// The state in which instances start, initially and when created.
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
    /// `true` if an instance here can always step, whatever the others do, so that it does not stay
    /// for ever in a fair run; used for livelocks under weak fairness only. Such a state has a
    /// transition without messages.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub always_ready: bool,
}

/// A transition: one step of one instance.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Transition {
    /// The source state.
    pub source: StateId,
    /// The target state, which belongs to the same class.
    pub target: StateId,
    /// The sends and receives, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub events: Vec<Event>,
    /// The classes of which it creates an instance, one for each occurrence.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub creates: Vec<ClassId>,
    /// Upper bounds of the changes of data places, each named at most once; those that are missing
    /// do not increase.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub data: Vec<DataChange>,
    /// `true` if it makes progress; used for livelocks only.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub progress: bool,
    /// The statement it comes from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<Origin>,
}

/// Consecutive messages of one type that are sent or received.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Event {
    /// The direction: send or receive.
    pub direction: Direction,
    /// The message type.
    pub message: MessageId,
    /// Number of messages, at least 1.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub count: u32,
}

/// Direction of a message.
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
    /// The sparse effect vector: the change of the number of messages of each type.
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
    /// A data place for a quantity of the program's variables.
    #[must_use]
    pub fn new(name: impl Into<String>, initial: u64) -> Self {
        Self { name: name.into(), initial, room_of: None, is_assumed: false }
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

    /// Returns `true` if messages of this type are exchanged by rendezvous, so that none is ever
    /// stored.
    #[must_use]
    pub fn is_rendezvous(&self, message: MessageId) -> bool {
        self.buffers[self.messages[message].buffer].kind == BufferKind::Rendezvous
    }

    /// Returns `true` if a buffer is a single queue that delivers first in, first out in every run
    /// that the system represents.
    #[must_use]
    pub fn keeps_order(&self, buffer: BufferId) -> bool {
        let Buffer { kind, in_order, .. } = self.buffers[buffer];
        kind == BufferKind::Queue && (in_order || self.order.is_some())
    }

    /// The transitions that send (or receive) messages of the types selected by `messages`.
    pub fn with_events<'a>(
        &'a self,
        direction: Direction,
        messages: &'a dyn Fn(MessageId) -> bool,
    ) -> impl Iterator<Item = TransitionId> + 'a {
        let has = move |event: &Event| event.direction == direction && messages(event.message);
        let found = self.transitions.iter().filter(move |(_, transition)| transition.events.iter().any(has));
        found.map(|(id, _)| id)
    }

    /// The full name of a message type: `AB(a)`; `AB` for the nameless type of a buffer.
    #[must_use]
    pub fn message_name(&self, message: MessageId) -> String {
        let MessageType { buffer, name } = &self.messages[message];
        let buffer = &self.buffers[*buffer].name;
        if name.is_empty() { buffer.clone() } else { format!("{buffer}({name})") }
    }

    /// The full name of a state: `Client@waiting`.
    #[must_use]
    pub fn state_name(&self, state: StateId) -> String {
        let State { class, name, .. } = &self.states[state];
        format!("{}@{name}", self.classes[*class].name)
    }

    /// Checks that all ids exist, that transitions stay in their class and that names are unique.
    ///
    /// # Errors
    /// The first [`Defect`] found. Time `O(n log n)` in the size of the system.
    pub fn validate(&self) -> Result<(), Defect> {
        match self.defects().into_iter().next() {
            Some((_, defect)) => Err(defect),
            None => Ok(()),
        }
    }

    /// All defects of the system, with the part that contains each. Time `O(n log n)` in the size
    /// of the system.
    #[must_use]
    pub fn defects(&self) -> Vec<(Part, Defect)> {
        validate::defects(self)
    }
}
