//! Proves that the message buffers of asynchronous systems cannot overflow, without exploring their
//! states, and hands over a certificate.
//!
//! # From a text to a verdict
//!
//! [`check_promela`] takes a Promela model and returns a typed [`Analysis`]. It prints nothing and
//! keeps nothing between calls:
//!
//! ```
//! use freeboard::{Options, check_promela};
//!
//! let model = "
//!     mtype = { request, reply };
//!     chan toServer = [4] of { mtype };
//!     chan toClient = [4] of { mtype };
//!     active proctype Client() {
//!         do :: toServer!request; toClient?reply od
//!     }
//!     active proctype Server() {
//!         do :: toServer?request -> toClient!reply od
//!     }
//! ";
//! let analysis = check_promela("client-server.pml", model, &Options::default())?;
//! assert!(analysis.outcome.verdict.is_proved());
//! # Ok::<(), freeboard::Failure>(())
//! ```
//!
//! Most proofs come with a certificate that the independent checker [`certify`] has accepted; a
//! proof by a search of all runs has none, and [`report::view::Check::trust`] says so. A
//! certificate can be written down together with the abstract system that it speaks of, and be
//! checked again anywhere:
//!
//! ```
//! # use freeboard::{Options, check_promela};
//! # let model = "chan c = [2] of { bit }; active proctype P() { do :: c!1; c?_ od }";
//! # let analysis = check_promela("model.pml", model, &Options::default())?;
//! use freeboard::certify::{self, Certificate};
//!
//! let certificate = analysis.outcome.verdict.certificate().expect("it is proved").to_json();
//! let system = certify::write_system(analysis.system());
//!
//! let checked = certify::check(&certify::read_system(&system)?, Certificate::from_json(&certificate)?)?;
//! assert_eq!(checked.bound("c"), Some(&1.into()));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # When there is no proof
//!
//! A buffer that can grow, as far as the abstraction can tell, comes with a combination of cycles
//! that makes it grow; and, where one is found, with a run of the model in which it does, replayed.
//! [`Analysis::view`] turns all ids into names, lines and numbers; the renderers of [`report`]
//! start from there:
//!
//! ```
//! use freeboard::report::text::{self, Style};
//! use freeboard::{Options, check_promela};
//!
//! let model = "chan c = [2] of { bit }; active proctype P() { do :: c!1 od }";
//! let view = check_promela("flood.pml", model, &Options::default())?.view("flood.pml");
//! let example = view.property_results[0].counterexample.as_ref().expect("c can grow");
//! assert_eq!(example.grows, ["c"]);
//! assert_eq!(example.cycles[0].steps[0].text, "c!1");
//!
//! let witness = view.property_results[0].witness.as_ref().expect("it does grow");
//! assert_eq!((witness.prefix.len(), witness.pump.len()), (0, 1));
//! let text = text::check(&view, Style::default());
//! assert!(text.contains("1 step for ever; each time c grows by 1"), "{text}");
//! # Ok::<(), freeboard::Failure>(())
//! ```
//!
//! A text that is wrong is a value too: all its errors, with the places they point at.
//!
//! ```
//! use freeboard::{Failure, Options, check_promela};
//!
//! let Err(Failure::Input { diagnostics, .. }) = check_promela("m.pml", "init { c!1; x = 2 }", &Options::default())
//! else { panic!("neither `c` nor `x` is declared") };
//! assert_eq!(diagnostics.len(), 2);
//! ```
//!
//! # Without Promela
//!
//! [`check_system`] takes a system of communicating finite state machines, built by hand or by a
//! front end of your own. Its runs are those of the program that
//! [`to_program`](cfsm_core::system::System::to_program) makes of it:
//!
//! ```
//! use freeboard::cfsm_core::system::SystemBuilder;
//! use freeboard::{Options, check_system};
//!
//! let mut b = SystemBuilder::new("relay");
//! let (ping, pong) = (b.message("there", "ping"), b.message("back", "pong"));
//! b.class("P", 1).send("0", ping, "1").receive("1", pong, "0");
//! b.class("Q", 1).receive("0", ping, "1").send("1", pong, "0");
//! let analysis = check_system(b.build()?, &Options::default())?;
//! let bounds: Vec<String> = analysis.outcome.buffers.values().map(ToString::to_string).collect();
//! assert_eq!(bounds, ["bounded by 1", "bounded by 1"]);
//! assert_eq!(analysis.confirmation.exact.values().copied().collect::<Vec<_>>(), [1, 1]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`check_machines`] reads them from a text, in the [formats](cfsm_core::formats) of others or in
//! ours. What is bounded because of the order of messages only is proved by listing configurations:
//!
//! ```
//! use freeboard::cfsm_core::formats::Format;
//! use freeboard::{Options, check_machines};
//!
//! let text = "C: rec x . S!ask; S?answer; x\nS: rec y . C?ask; C!answer; y\n";
//! let analysis = check_machines("pair.kmc", text, Format::LocalTypes, &Options::default())?;
//! let certificate = analysis.outcome.verdict.certificate().expect("it is proved");
//! assert_eq!(certificate.bound("C->S"), Some(&1.into()));
//! # Ok::<(), freeboard::Failure>(())
//! ```
//!
//! # In tests
//!
//! [`assert_bounded!`] and [`assert_livelock_free!`] take systems, programs and files, and print
//! the run or the counterexample when they fail; or what never acts, as where a name is misspelt.
//! The guide, with a chapter on actors, is `docs/reference/embedding.md`.
//!
//! # Runs
//!
//! [`explore`] has the concrete semantics. [`simulate_program`] tells a random run,
//! [`explore_program`] looks at all states, as far as limits allow:
//!
//! ```
//! use freeboard::explore::{Buffers, Limits};
//! use freeboard::{explore_program, promela_front, read_program, simulate_program};
//!
//! let model = "chan c = [1] of { byte };
//!     active proctype P() { byte n; do :: n < 3 -> c!n; n++ :: else -> break od }
//!     active proctype Q() { byte n; end: do :: c?n od }";
//! let (program, _) = read_program("m.pml", model, &promela_front::Options::default())?;
//!
//! let found = explore_program(&program, "m.pml", Buffers::Unbounded, &Limits::default())?;
//! assert!(found.complete && !found.found());
//! assert_eq!((found.buffers[0].name.as_str(), found.buffers[0].max), ("c", 3));
//!
//! let run = simulate_program(&program, "m.pml", Buffers::Declared, (0, 100))?;
//! assert!(run.steps.iter().any(|step| step.text == "c!n" && step.buffers[0].length == 1));
//! # Ok::<(), freeboard::Failure>(())
//! ```
//!
//! # Limits
//!
//! Hitting a limit of the [`Options`] gives the verdict unknown with what was found until then,
//! never a wrong one. [`Options::cancelled`] stops a call from outside, [`Options::progress`] tells
//! how far it has come. The crates that do the work are re-exported as modules.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod analysis;
mod as_declared;
pub mod assertions;
mod capacities;
#[cfg(feature = "umlrt")]
mod capsules;
#[cfg(feature = "promela")]
mod comments;
#[cfg(feature = "promela")]
mod component;
mod cycle_listing;
#[cfg(feature = "programs")]
mod environment_assumption;
mod execution;
#[cfg(feature = "promela")]
mod explain;
mod livelock_check;
mod loops;
mod machines;
#[cfg(feature = "programs")]
mod open;
#[cfg(feature = "programs")]
mod open_machines;
mod options;
#[cfg(feature = "programs")]
mod programs;
mod replay;
#[cfg(all(feature = "promela", feature = "documents"))]
mod spin_trail;

#[cfg(feature = "programs")]
pub use abstraction;
pub use boundedness;
pub use certify;
pub use cfsm_core;
pub use cycles;
pub use explore;
pub use ilp_encode;
pub use livelock;
#[cfg(feature = "promela")]
pub use promela_front;
pub use ranking;
pub use refine;
pub use report;
#[cfg(feature = "umlrt")]
pub use umlrt_front;

pub use cfsm_core::deadline::Stop;
pub use report::view::BufferAnswer;

pub use analysis::{Failure, Notes, SystemAnalysis, Timings, check_system};
pub use capacities::{Capacities, CapacityComment, CapacityError, ChannelCapacity};
#[cfg(feature = "umlrt")]
pub use capsules::{check_room, read_room};
#[cfg(feature = "programs")]
pub use closing::{RangeAssumption, RangeError};
#[cfg(feature = "promela")]
pub use component::component;
pub use cycle_listing::{ClassCycles, Detail, LazyCycles, cycles_of, list_cycles, list_cycles_lazily};
#[cfg(feature = "programs")]
pub use environment_assumption::{AssumptionError, EnvironmentAssumption};
pub use execution::{claims, explore_program, has_progress_labels, semantics, simulate_program};
#[cfg(feature = "promela")]
pub use execution::{read_open_program, read_program};
#[cfg(feature = "promela")]
pub use explain::explain_promela;
pub use livelock_check::{LivelockAnalysis, check_livelock_of_system};
pub use loops::list_loops;
pub use machines::{check_machines, read_machines};
#[cfg(feature = "promela")]
pub use open::close_promela;
#[cfg(feature = "programs")]
pub use open::{NoChannel, OpenChannels, OpenComment, OpenError};
#[cfg(feature = "programs")]
pub use open_machines::OpenMachines;
#[cfg(feature = "programs")]
pub use options::OwnEngines;
pub use options::{Options, Progress, RunLimits, Stage, Strategies};
#[cfg(feature = "programs")]
pub use programs::{Analysis, Model, abstract_model, check_livelock, check_model};
#[cfg(feature = "promela")]
pub use programs::{check_promela, read_promela};
pub use replay::{ReplayFailure, Replayed, replay, trace};
#[cfg(all(feature = "promela", feature = "documents"))]
pub use spin_trail::{NoTrail, spin_trail};
