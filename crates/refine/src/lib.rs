//! What the plain test leaves open.
//!
//! The plain test proves, or finds loops of the abstract system that might go on for ever.
//! [`confirm`] looks for them in the program itself: a run that is replayed refutes, and a search
//! that has seen all states knows the true maximum of each buffer. [`confirm_livelock`] does so for
//! runs without progress. Theory 9. Of a system that was made by hand, the program is [what its
//! runs are](cfsm_core::system::System::to_program). What connects the two is a [`Correspondence`].
//!
//! ```
//! use abstraction::abstract_program;
//! use refine::{Options, confirm};
//!
//! let text = "chan c = [2] of { bit }; active proctype P() { do :: c!1 od }";
//! let program = promela_front::parse("flood.pml", text, &Default::default()).program.expect("no errors");
//! let abstraction = abstract_program(&program, &Default::default())?;
//! let outcome = boundedness::check(&abstraction.system, &Default::default());
//! assert!(!outcome.verdict.is_proved());
//!
//! let confirmation = confirm(&program, &abstraction, &outcome, &Options::default());
//! assert_eq!(confirmation.witnesses.len(), 1);
//! assert_eq!(confirmation.witnesses[0].pump().steps.len(), 1);
//! # Ok::<(), abstraction::Error>(())
//! ```
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod all_states;
mod as_declared;
mod closed;
mod confirm;
mod correspondence;
#[cfg(feature = "programs")]
mod counters;
#[cfg(feature = "programs")]
mod explanation;
mod fair;
#[cfg(feature = "programs")]
mod following;
mod lasso;
mod livelock;
#[cfg(feature = "programs")]
pub mod portfolio;
mod property;
mod readings;
#[cfg(feature = "programs")]
mod refinement;
#[cfg(feature = "programs")]
mod relevance;
mod strategy;
mod termination;
#[cfg(feature = "programs")]
mod tightening;
#[cfg(feature = "programs")]
mod values;

pub use all_states::AllStates;
pub use as_declared::{AsDeclared, BufferAsDeclared, DefaultAnswer};
pub use closed::prove_by_configurations;
pub use confirm::{Confirmation, Options, confirm};
pub use correspondence::Correspondence;
#[cfg(feature = "programs")]
pub use counters::with_counters;
pub use livelock::{LivelockConfirmation, confirm_ending, confirm_livelock};
pub use property::{Boundedness, Detail, EveryRun, LivelockFreedom, Property, SeenStates};
#[cfg(feature = "programs")]
pub use refinement::{FirstAnswer, Refinement, RefinementOptions, Refiner, refine};
pub use strategy::{Act, Strategy};
pub use termination::{Ending, recurrence, termination};
#[cfg(feature = "programs")]
pub use values::values_of;
