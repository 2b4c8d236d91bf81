//! The model that every other crate of freeboard speaks about, and nothing else.
//!
//! Two forms, and the step between them is the business of the crate `abstraction`:
//!
//! - [`program`]: extended machines, i.e. locations and edges with guards, assignments, sends and
//!   receives over expressions, atomicity and spans. Rich enough to hold a Promela model without loss;
//!   this is what a front end produces and what a concrete execution steps through.
//! - [`system`]: communicating finite state machines (thesis, Definition 3.1), read as a counting net:
//!   states, transitions, message types, effect vectors. This is what is proved about, and what a
//!   certificate speaks of.
//!
//! [`finding`] has what the author of a model should know beside a verdict, [`ids`] has the typed
//! indices and the dense maps that both are built from, [`source`] the spans that lead back to what
//! the user wrote.
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
pub mod system;
#[cfg(feature = "testing")]
pub mod testing;
