//! Open programs: programs with channels that processes outside use.
//!
//! An [`Interface`] names the open channels of a program. [`close`] adds the most general
//! environment for it: a process that sends any message to these channels at any time, and takes
//! any message from them. What holds for the closed program holds for the open one in every
//! environment that touches nothing but the interface (paper 002, with the corrections and the
//! theorems of `docs/soundness/open-systems.md`). [`DataFlow`] tells which values come from the
//! environment, and which conditions hang on them.
//!
//! ```
//! use cfsm_core::program::{Action, Pattern, ProgramBuilder, Type};
//! use closing::{Interface, close};
//!
//! let mut b = ProgramBuilder::new("worker.txt");
//! let jobs = b.channel("jobs", 2, vec![Type::Bit]);
//! let patterns = vec![Pattern::Any];
//! let take = Action::Receive { channel: jobs, patterns, random: false, peek: false };
//! b.process("Worker", 1).edge("idle", take, "idle", "jobs ? _");
//! let program = b.build()?;
//!
//! let closed = close(&program, &Interface::named(&program, ["jobs"])?);
//! let environment = &closed.types[closed.environment.expect("it is open").process_type];
//! assert_eq!(environment.edges.len(), 4); // wait until jobs is empty; jobs!0, jobs!1; end
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod completeness;
mod environment;
mod flow;
mod interface;
mod messages;
mod promela;
mod range;
mod uses;

pub use environment::close;
pub use flow::{Cell, ConditionKind, DataFlow, Flags, HangingCondition, Reliability};
pub use interface::{Interface, InterfaceError};
pub use promela::{NotWritable, promela};
pub use range::{FieldRange, RangeAssumption, RangeError};
