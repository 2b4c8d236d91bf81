//! The concrete semantics of programs: what a run of a [`Program`](cfsm_core::program::Program) is.
//!
//! [`Semantics`] says where runs start and which steps a state has, exactly as Spin's verifier does
//! it (the reference is Spin 6.5; `docs/semantics.md` has what one would not expect). It knows
//! nothing of the abstraction and is the oracle for it.
//!
//! - [`Semantics::initial`] and [`Semantics::successors`]: the semantics itself;
//! - [`Semantics::explore`]: all states, breadth first, without reductions, and
//!   cycles without progress among them;
//! - [`Semantics::termination`]: whether every run comes to an end, with fewer states;
//! - [`Semantics::simulate`] and [`Semantics::replay`]: single runs;
//! - [`State`]: processes, variables, queues, and which declaration each queue comes from.
//!
//! What has no meaning here is refused ([`Unsupported`]); what goes wrong in a run is part of its
//! steps ([`RunError`]).
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
mod step;
mod store;
mod symbolic;
mod termination;
mod waiting;
mod width;
mod witness;

pub use configurations::{Configuration, ConfigurationLimits, Portion, configurations};
pub use error::{RunError, Unsupported};
pub use exhaust::{Exhausted, Exhaustion};
pub use options::{Buffers, Claims, Options};
pub use reduce::Reduction;
pub use run::{ReplayError, Run};
pub use search::{Completion, Exploration, Lasso, Limits, Progress, Violation, WaitingSend};
pub use semantics::Semantics;
pub use state::{Process, Queue, QueueOrigin, State};
pub use step::{Message, Move, Step};
pub use symbolic::SymbolicExhaustion;
pub use termination::{Terminating, Termination};
pub use witness::{Aim, Budget, Guide, Quest, Refusal, Search, Supply, Witness};
