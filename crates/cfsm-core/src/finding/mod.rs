//! Findings: facts about a model that its author should know beside the verdict.
//!
//! A model that leaves its environment out is proved bounded, but of the closed reading only: a
//! channel to which nobody sends stays empty. [`in_system`] finds such places in a system; a front
//! end that knows the program finds more. None of them changes a verdict.

mod regions;
mod system;

use serde::{Deserialize, Serialize};

use crate::source::Origin;
use crate::system::System;

pub use regions::{Step, dead_regions};
pub use system::in_system;

/// A fact about a model that its author should know. `R` is the type of runs that lead to one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding<R = ()> {
    /// Its kind.
    pub kind: FindingKind,
    /// The channel, statement or process that it is about, as the author would write it.
    pub name: String,
    /// The fact: a clause without a full stop.
    pub text: String,
    /// The place in the author's text, if there is one.
    pub origin: Option<Origin>,
    /// A run that shows it, for the kinds that have one.
    pub run: Option<R>,
}

/// Kinds of findings. More may come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum FindingKind {
    /// A channel, or a message type of a machine, that is only sent, only received, or neither.
    OneEndedChannel,
    /// A process type without any process.
    NeverStarted,
    /// A statement that no run executes.
    NeverExecuted,
    /// A state in which no process can step, and no process is at a valid end state.
    Deadlock,
    /// A state in which no process can step, and some process is not at a valid end state.
    InvalidEndState,
    /// An assertion that fails in some run.
    Assertion,
}

impl FindingKind {
    /// Returns `true` if a proof about a model with such a finding may be vacuous: part of the
    /// model never runs.
    #[must_use]
    pub const fn is_vacuity(self) -> bool {
        matches!(self, Self::OneEndedChannel | Self::NeverStarted | Self::NeverExecuted)
    }
}

/// The ends of a channel, or of a message type, that are used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ends {
    /// `true` if some statement sends.
    pub sent: bool,
    /// `true` if some statement receives.
    pub received: bool,
}

impl Ends {
    /// Both ends.
    pub const BOTH: Self = Self { sent: true, received: true };

    /// The union of two sets of ends.
    #[must_use]
    pub const fn or(self, other: Self) -> Self {
        Self { sent: self.sent || other.sent, received: self.received || other.received }
    }

    /// A clause that names the missing end; `None` if both ends are used.
    #[must_use]
    pub const fn missing(self) -> Option<&'static str> {
        match (self.sent, self.received) {
            (true, true) => None,
            (false, true) => Some("is never sent to"),
            (true, false) => Some("is never received from"),
            (false, false) => Some("is never used"),
        }
    }
}

impl<R> Finding<R> {
    /// A finding without a run. Its text is the name in quotes and what is said of it.
    #[must_use]
    pub fn new(kind: FindingKind, name: impl Into<String>, said: &str, origin: Option<Origin>) -> Self {
        let name = name.into();
        let text = format!("`{name}` {said}");
        Self { kind, name, text, origin, run: None }
    }

    /// The finding with a run that shows it.
    #[must_use]
    pub fn with_run(self, run: R) -> Self {
        Self { run: Some(run), ..self }
    }
}

impl System {
    /// The [findings](in_system) in this system: names that are used at one end only, most of all.
    /// The system must be [valid](Self::validate).
    ///
    /// ```
    /// # use cfsm_core::system::SystemBuilder;
    /// let mut b = SystemBuilder::new("misspelt");
    /// let (ask, asks) = (b.message("server", "ask"), b.message("server", "asks"));
    /// b.class("client", 1).send("0", ask, "1");
    /// b.class("server", 1).receive("0", asks, "0");
    /// let system = b.build()?;
    /// assert_eq!(system.findings()[0].text, "`server(ask)` is sent and never received");
    /// # Ok::<(), cfsm_core::system::Defect>(())
    /// ```
    #[must_use]
    pub fn findings(&self) -> Vec<Finding> {
        in_system(self)
    }
}
