//! The cone of a system: repeatable behaviour and its total effect.
//!
//! A buffer can only grow for ever if some non-negative combination of cycles has a positive effect
//! (thesis, Proposition 5.4), and its greatest length is the optimum of a linear programme over the
//! same columns ([`cone`]). This crate builds the cone of a [`System`](cfsm_core::system::System)
//! in one of two [forms](Encoding), searches it with floating-point solvers and decides with exact
//! integers. It handles questions about rows; the crate `boundedness` and others translate
//! properties to them.
//!
//! No float decides a result. The result of a solver is rounded and then verified exactly; where
//! that fails, an exact simplex finds the answer. Callers get weights that satisfy every column
//! (and are checked once more, by `certify`, before they are reported) or columns whose sum is a
//! growth.
//!
//! ```
//! use cfsm_core::system::{MessageId, System, SystemBuilder};
//! use ilp_encode::{Cone, Options, Pool, Property, Row, growth};
//!
//! struct NoMessageGrows;
//! impl Property for NoMessageGrows {
//!     fn is_target(&self, _: &System, _: MessageId) -> bool {
//!         true
//!     }
//! }
//!
//! let mut b = SystemBuilder::new("flood");
//! let m = b.message("q", "m");
//! b.class("P", 1).send("0", m, "0");
//! let system = b.build()?;
//! let cone = Cone::new(&system, &NoMessageGrows, &Options::default())?;
//! let growth = growth(&cone, &mut Pool::default(), &Options::default())?;
//! assert_eq!(growth.growing, [Row::Message(m)]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod bounds;
pub mod cone;
mod csr;
mod cycle_form;
mod decide;
mod dual_simplex;
pub mod float;
mod flow;
mod growth;
pub mod linear;
mod lumping;
mod projection;
mod property;
mod question;
mod rounding;
mod simplex;
mod threads;
mod walk;

use cfsm_core::deadline::Deadline;

use thiserror::Error;

pub use bounds::{BoundProofs, Bounds};
pub use cone::{Behaviour, Column, Cone, Potential, Row, RowId};
pub use cycle_form::{ControlFlow, control_flow_graphs};
pub use decide::Pool;
pub use growth::{Combination, Gain, Growth, gain, growing, growth};
pub use lumping::Merged;
pub use property::Property;

/// The way in which the columns of a cone are generated. Both give the same verdicts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Encoding {
    /// On demand, from longest paths: linear space (theory 2).
    #[default]
    Flow,
    /// Every elementary cycle is listed first (thesis 5.4): exponentially many in the worst case.
    Cycles,
}

/// The source of candidates. Both give the same verdicts and bounds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Search {
    /// Floating-point solvers first, the exact simplex where they fail.
    #[default]
    Float,
    /// The exact simplex alone.
    Exact,
}

/// The work that is done for the bound of each buffer. Every bound is proved, whatever is chosen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum BoundSearch {
    /// None: all buffers together have one bound, which is much larger than the bound of each.
    None,
    /// Weights on places near the buffer, and for buffers that are alike the least ones of one of
    /// them: less work than for all least bounds, in symmetrical systems as much.
    Fast,
    /// The least bound that the relaxation of the state equation gives.
    #[default]
    Least,
}

/// Form, search and limits of a computation.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The form of the cone.
    pub encoding: Encoding,
    /// The source of candidates.
    pub search: Search,
    /// The work for the bound of each buffer.
    pub bounds: BoundSearch,
    /// The deadline; by default none. It is checked between steps, so it may be exceeded by one
    /// step.
    pub deadline: Deadline,
    /// Maximum number of elementary cycles in the cycle form; `None`: no limit.
    pub max_cycles: Option<usize>,
    /// `true` if questions are put to the system itself rather than to the lumped one first. The
    /// verdicts are the same.
    pub as_they_are: bool,
}

impl Options {
    /// Returns `true` if questions may be put to the lumped system first.
    #[must_use]
    pub fn merges(&self) -> bool {
        self.encoding == Encoding::Flow && self.search == Search::Float && !self.as_they_are
    }

    /// Reads the clock.
    ///
    /// # Errors
    /// [`Stopped::Time`] if the deadline has passed, [`Stopped::Cancelled`] if the caller
    /// cancelled.
    pub fn check_time(&self) -> Result<(), Stopped> {
        if self.deadline.is_cancelled() {
            return Err(Stopped::Cancelled);
        }
        if self.deadline.is_over() { Err(Stopped::Time) } else { Ok(()) }
    }
}

/// A limit was hit before the answer was found. There is no partial result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Stopped {
    /// The deadline passed.
    #[error("the time limit was reached")]
    Time,
    /// The caller cancelled the computation.
    #[error("it was cancelled")]
    Cancelled,
    /// There are more elementary cycles than allowed.
    #[error("there are more than {limit} elementary cycles")]
    Cycles {
        /// Maximum number of cycles.
        limit: usize,
    },
}
