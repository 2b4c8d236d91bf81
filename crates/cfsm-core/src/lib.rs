//! The model types that all other crates of freeboard share: programs and systems.
//!
//! There are two forms; the crate `abstraction` translates the first into the second:
//!
//! - [`program`]: extended machines, i.e. locations and edges with guards, assignments, sends and
//!   receives over expressions, atomicity and spans. A program represents a Promela model without
//!   loss; a front end produces it, and the concrete semantics executes it.
//! - [`system`]: communicating finite state machines (thesis, Definition 3.1), interpreted as a
//!   counting net: states, transitions, message types, effect vectors. Proofs and certificates are
//!   about systems.
//!
//! [`finding`] has facts about a model that its author should know beside a verdict, [`ids`] the
//! typed indices and dense maps that both forms are built from, [`source`] the spans that lead back
//! to the text of the user.
//!
//! The client and server of thesis Fig. 3.4, in the builder:
//!
//! ```
//! use cfsm_core::system::SystemBuilder;
//!
//! let mut b = SystemBuilder::new("client-server");
//! let request = b.message("toServer", "request");
//! let reply = b.message("toClient", "reply");
//! b.class("client", 1).send("idle", request, "waiting").receive("waiting", reply, "idle");
//! b.class("server", 1).receive("ready", request, "busy").send("busy", reply, "ready");
//! let system = b.build()?;
//! assert_eq!(system.buffers.len(), 2);
//! # Ok::<(), cfsm_core::system::Defect>(())
//! ```
#![forbid(unsafe_code)]
#![deny(missing_docs)]

pub mod clock;
pub mod deadline;
pub mod diagnostic;
pub mod digest;
#[cfg(feature = "testing")]
pub mod families;
pub mod finding;
pub mod formats;
pub mod ids;
pub mod named;
pub mod program;
pub mod source;
pub mod splitmix;
pub mod suggest;
pub mod system;
#[cfg(feature = "testing")]
pub mod testing;
