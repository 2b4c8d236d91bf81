//! How a call goes about it: limits, strategies, and who is told.

use cfsm_core::clock::Instant;
use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

#[cfg(feature = "programs")]
use abstraction::Precision;
use cfsm_core::deadline::{Deadline, Stop};
use ilp_encode::{BoundSearch, Encoding, Search};
use livelock::Fairness;
use refine::Strategy;
#[cfg(feature = "programs")]
use refine::portfolio::Slot;
#[cfg(feature = "programs")]
use refine::{Boundedness, LivelockFreedom, RefinementOptions};

use crate::capacities::Capacities;
#[cfg(feature = "programs")]
use crate::environment_assumption::EnvironmentAssumption;
#[cfg(feature = "programs")]
use crate::open::OpenChannels;

/// How to read, how precise to be, how to decide, and when to stop.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Macros and limits of the front end.
    #[cfg(feature = "promela")]
    pub parse: promela_front::Options,
    /// Precision and limits of the abstraction.
    #[cfg(feature = "programs")]
    pub abstraction: abstraction::Options,
    /// The form of the cone. All forms give the same verdicts.
    pub encoding: Encoding,
    /// Where candidates for proofs come from. All give the same verdicts.
    pub search: Search,
    /// The work for the bound of each buffer. All give the same verdicts.
    pub bounds: BoundSearch,
    /// How long a call may take; `None`: as long as it takes. The clock runs from the start of the
    /// call and is looked at between steps of the decision.
    pub time_limit: Option<Duration>,
    /// How many elementary cycles [`Encoding::Cycles`] may list; `None`: all.
    pub max_cycles: Option<usize>,
    /// How many configurations of one system may be listed, with messages in their order; `None`:
    /// 10 000.
    pub max_configurations: Option<usize>,
    /// The channels that are limited in every reading that is asked about; none by default.
    pub capacities: Capacities,
    /// The channels that the environment uses; none by default. Comments of a text may name more.
    #[cfg(feature = "programs")]
    pub open: OpenChannels,
    /// Assumptions on the environment; none by default.
    #[cfg(feature = "programs")]
    pub assumptions: Vec<EnvironmentAssumption>,
    /// Which infinite runs have to make progress, where livelocks are asked for.
    pub fairness: Fairness,
    /// How far runs of the model are searched, for witnesses and true maxima.
    pub runs: RunLimits,
    /// How many states may be looked at where everything is proved bounded, only to find true
    /// maxima, and bounds where the proof has no numbers; `None`: 2 000 for true maxima (5 000
    /// where some bound exceeds its capacity), 50 000 for bounds.
    pub maxima_states: Option<usize>,
    /// What may be done about counterexamples that the abstraction cannot decide.
    pub refinement: Strategies,
    /// Engines of the caller, which have their turns before all others.
    #[cfg(feature = "programs")]
    pub engines: OwnEngines,
    /// What stops a call, from another thread or a signal handler, as soon as it looks at the
    /// clock; what it has found until then comes back, as with a time limit. A [`Stop`] of its own
    /// for each call, or one made of a static flag.
    pub cancelled: Option<Stop>,
    /// Who is told how far a call has come.
    pub progress: Option<Progress>,
}

/// What may be done about counterexamples: the strategies of [`refine`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Strategies(pub BTreeSet<Strategy>);

impl Strategies {
    /// Nothing: the plain test only.
    #[must_use]
    pub const fn none() -> Self {
        Self(BTreeSet::new())
    }
}

impl Default for Strategies {
    /// All of them.
    fn default() -> Self {
        Self(Strategy::ALL.into())
    }
}

/// Engines of the caller, for each property.
#[cfg(feature = "programs")]
#[derive(Clone, Debug, Default)]
pub struct OwnEngines {
    /// Those for boundedness.
    pub boundedness: Vec<Slot<Boundedness>>,
    /// Those for freedom from livelocks.
    pub livelock: Vec<Slot<LivelockFreedom>>,
}

/// Which part of the states that may be looked at to find a run is for further ones, for other
/// buffers.
const FURTHER: usize = 4;

/// Cases that may be looked at, of each question.
const CASES: usize = 1_000;

/// What a call begins to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Stage {
    /// Reading the text.
    Reading,
    /// Making the abstract system.
    Abstracting,
    /// Deciding about the system, with the check of the certificate.
    Deciding,
    /// Listing configurations.
    Listing,
    /// Searching runs.
    Searching,
}

/// A function that is called whenever a stage begins, in the thread of the call.
#[derive(Clone)]
pub struct Progress(Arc<dyn Fn(Stage) + Send + Sync>);

impl Progress {
    /// From a function.
    pub fn new(tell: impl Fn(Stage) + Send + Sync + 'static) -> Self {
        Self(Arc::new(tell))
    }
}

impl fmt::Debug for Progress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Progress(..)")
    }
}

/// How many states of the model may be looked at. 0: none are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunLimits {
    /// To find runs that refute the property, where there is no proof of it.
    pub search_states: usize,
    /// To look at all states: for proofs, for the true maxima of buffers, and for runs without
    /// progress that come to the same state again.
    pub exploration_states: usize,
}

impl RunLimits {
    /// No run is searched.
    pub const NONE: Self = Self { search_states: 0, exploration_states: 0 };
}

impl Default for RunLimits {
    fn default() -> Self {
        let refine::Options { search_states, exploration_states, .. } = refine::Options::default();
        Self { search_states, exploration_states }
    }
}

impl Options {
    /// When a call that began at some time has to stop. A limit beyond what the clock can tell is
    /// none.
    pub(crate) fn deadline(&self, start: Instant) -> Deadline {
        let deadline = Deadline::at(self.time_limit.and_then(|limit| start.checked_add(limit)));
        match &self.cancelled {
            Some(stop) => deadline.or_stopped(stop),
            None => deadline,
        }
    }

    /// Tells whoever wants to know how far a call has come.
    pub(crate) fn tell(&self, stage: Stage) {
        if let Some(progress) = &self.progress {
            (progress.0)(stage);
        }
    }

    /// The options of the questions of a call that began at some time.
    #[must_use]
    pub fn questions(&self, start: Instant) -> ilp_encode::Options {
        ilp_encode::Options {
            encoding: self.encoding,
            search: self.search,
            bounds: self.bounds,
            deadline: self.deadline(start),
            max_cycles: self.max_cycles,
            ..Default::default()
        }
    }

    /// How to decide about boundedness in a call that began at some time: by cases if that may be
    /// done.
    #[must_use]
    pub fn boundedness(&self, start: Instant) -> boundedness::Options {
        boundedness::Options { questions: self.questions(start), cases: self.cases(), ..Default::default() }
    }

    /// How many cases may be looked at; 1: none is distinguished.
    pub(crate) fn cases(&self) -> usize {
        if self.refinement.0.contains(&Strategy::Structure) { CASES } else { 1 }
    }

    #[cfg(feature = "programs")]
    /// What a refinement may do in a call that began at some time, for an abstraction of some
    /// precision.
    pub(crate) fn refinement(&self, start: Instant, precision: &Precision) -> RefinementOptions {
        let default = RefinementOptions::default();
        RefinementOptions {
            strategies: self.refinement.0.clone(),
            abstraction: abstraction::Options { precision: precision.clone(), ..self.abstraction.clone() },
            configurations: self.max_configurations.unwrap_or(default.configurations),
            deadline: self.deadline(start),
            ..default
        }
    }

    /// How far runs are searched in a call that began at some time.
    pub(crate) fn limits_of_runs(&self, start: Instant) -> refine::Options {
        refine::Options {
            search_states: self.runs.search_states,
            further_states: self.runs.search_states / FURTHER,
            exploration_states: self.runs.exploration_states,
            deadline: self.deadline(start),
            ..refine::Options::default()
        }
    }
}
