//! Actors whose handlers are proved: one handler, three readings.
//!
//! A [`Role`] is a local state and a handler for messages. The same handler is
//!
//! 1. *extracted*: [`Network::extract`] runs each role on its own, over all its local states and
//!    all messages that are ever sent to it, to a [`System`](cfsm_core::system::System) of
//!    machines, whose mailboxes `freeboard` proves bounded ([`Extracted::prove`]);
//! 2. *run*: with the feature `tokio`, [`spawn`](live::spawn) runs each actor as a task, with
//!    channels of the capacities that were proved;
//! 3. *monitored*: [`Monitor`](monitor::Monitor) watches channels of existing code, and tells the
//!    first step that is none of the model's, and the first mailbox that is longer than proved.
//!
//! [`Network`] has an example. What the extraction covers, and what it cannot see, is in
//! `docs/soundness/actors.md`.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

// The derive macro names this crate as others do.
extern crate self as freeboard_actors;

mod delivery;
mod explore;
mod extract;
#[cfg(feature = "tokio")]
pub mod live;
mod machine;
mod message;
pub mod monitor;
mod network;
#[cfg(feature = "tokio")]
mod playing;
mod proof;
mod role;
#[cfg(feature = "stateright")]
mod stateright;
mod system;

pub use freeboard;
pub use freeboard::Options;
pub use freeboard_actors_derive::Message;

pub use delivery::Delivery;
pub use extract::{ExtractError, Extracted, Limits, Panic};
#[doc(hidden)]
pub use message::label_of;
pub use message::{Ignored, Message};
pub use network::Network;
pub use proof::{Capacities, NotProved};
pub use role::{Address, Out, Role};
#[cfg(feature = "stateright")]
pub use stateright::{ActorRole, ActorTimer, Labelled};
