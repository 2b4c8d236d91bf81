//! The cone of a system: what can be repeated for ever, and what that adds up to.
//!
//! A buffer can only grow for ever if some non-negative combination of cycles has a positive effect
//! (thesis, Proposition 5.4), and how long it can get is a linear programme over the same columns
//! ([`cone`]). This crate builds the cone of a [`System`](cfsm_core::system::System) in one of two
//! [forms](Encoding), searches it with floating-point solvers and decides with exact integers. It
//! knows what a question is, not what a property is: `boundedness` puts the questions.
//!
//! No float decides anything here. A solver's answer is rounded and then verified exactly; where
//! that fails, an exact simplex finds the answer. Callers get weights that satisfy every column
//! (and are checked once more, by `certify`, before anybody is told) or columns that add up to
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

mod balance;
mod bounds;
pub mod cone;
mod cycle_form;
mod decide;
pub mod float;
mod flow;
mod growth;
mod lists;
mod merged;
mod property;
mod question;
mod rounding;
mod simplex;
mod vertex;
mod walk;

use cfsm_core::deadline::Deadline;

use thiserror::Error;

pub use bounds::{BoundProofs, Bounds};
pub use cone::{Behaviour, Column, Cone, Potential, Row, RowId};
pub use cycle_form::{ControlFlow, control_flow_graphs};
pub use decide::Pool;
pub use growth::{Combination, Gain, Growth, gain, growing, growth};
pub use merged::Merged;
pub use property::Property;

/// How the columns of a cone come about. Both give the same verdicts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Encoding {
    /// On demand, from longest paths: linear space (theory 2).
    #[default]
    Flow,
    /// Every elementary cycle is listed first (thesis 5.4): exponentially many at worst.
    Cycles,
}

/// Where candidates come from. Both give the same verdicts and bounds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Search {
    /// Floating-point solvers first, the exact simplex where they lead nowhere.
    #[default]
    Float,
    /// The exact simplex alone.
    Exact,
}

/// How to work, and for how long.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The form of the cone.
    pub encoding: Encoding,
    /// Where candidates come from.
    pub search: Search,
    /// When to stop; by default when done. Looked at between steps, so it may be passed by one
    /// step.
    pub deadline: Deadline,
    /// How many elementary cycles the cycle form may list; `None`: all.
    pub max_cycles: Option<usize>,
    /// Whether to pose questions as they are, without merging first what looks the same. The
    /// verdicts are the same.
    pub as_they_are: bool,
}

impl Options {
    /// Whether what looks the same may be merged.
    #[must_use]
    pub fn merges(&self) -> bool {
        self.encoding == Encoding::Flow && self.search == Search::Float && !self.as_they_are
    }

    /// # Errors
    /// [`Stopped::Time`] if the deadline has passed, [`Stopped::Cancelled`] if somebody said so.
    fn check_time(&self) -> Result<(), Stopped> {
        if self.deadline.is_cancelled() {
            return Err(Stopped::Cancelled);
        }
        if self.deadline.is_over() { Err(Stopped::Time) } else { Ok(()) }
    }
}

/// A limit was hit before the answer was found. Nothing is known then.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Stopped {
    /// The deadline passed.
    #[error("the time limit was reached")]
    Time,
    /// Somebody said so.
    #[error("it was cancelled")]
    Cancelled,
    /// There are more elementary cycles than allowed.
    #[error("there are more than {limit} elementary cycles")]
    Cycles {
        /// How many were allowed.
        limit: usize,
    },
}
