//! Explicit-state execution and exploration: the concrete semantics of a
//! [`Program`](cfsm_core::program::Program).
//!
//! [`Semantics`] defines the initial state and the steps of each state exactly as Spin's verifier
//! does (reference: Spin 6.5; `docs/semantics.md` lists the surprising cases). It is independent of
//! the abstraction and serves as its oracle.
//!
//! - [`Semantics::initial`] and [`Semantics::successors`]: the semantics itself;
//! - [`Semantics::explore`]: all states, breadth first, without reductions, and non-progress cycles
//!   among them;
//! - [`Semantics::termination`]: checks that every run terminates, with reductions;
//! - [`Semantics::simulate`] and [`Semantics::replay`]: random runs and recorded ones;
//! - [`State`]: processes, variables, queues, and the declaration of each queue.
//!
//! Constructs without a defined meaning are refused ([`Unsupported`]); run-time errors are part of
//! the steps ([`RunError`]).
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod code;
mod compile;
mod configurations;
mod create;
mod encode;
mod error;
mod evaluate;
mod exhaust;
mod expand;
mod options;
mod parts;
mod perform;
mod queue;
mod ready;
mod reduce;
mod run;
mod search;
mod semantics;
mod state;
mod staying;
mod step;
mod store;
mod symbolic;
mod termination;
mod waiting;
mod width;
mod witness;

pub use configurations::{Configuration, ConfigurationLimits, Portion, Unlisted, configurations};
pub use error::{RunError, Unsupported};
pub use exhaust::{Exhausted, Exhaustion};
pub use options::{Buffers, Claims, Options};
pub use reduce::Reduction;
pub use run::{ReplayError, Run};
pub use search::{Completion, Exploration, Lasso, Limits, Progress, Violation, WaitingSend};
pub use semantics::Semantics;
pub use state::{Process, Queue, QueueOrigin, State};
pub use staying::{RandomRuns, Region, Staying, StepGraph};
pub use step::{Message, Move, Step};
pub use symbolic::SymbolicExhaustion;
pub use termination::{Terminating, Termination};
pub use witness::{Aim, Budget, Guide, Quest, Refusal, Search, Searcher, Supply, Witness};
