//! The schedules: which engine has its turn when, under which condition, and how far it goes. All
//! numbers that steer the analysis of a program stand here.

use std::fmt;
use std::sync::Arc;

use super::engines::{
    CheckEveryRun, ExploreAllStates, ListConfigurations, QuickRefinement, SearchRuns, TrackTags, TrackValues,
};
use super::{AnalysisState, Engine};
use crate::property::{Boundedness, Detail, LivelockFreedom, Property};
use crate::refinement::RefinementOptions;

/// The limits of one call of an engine. No engine goes further than the options of the analysis
/// allow, whatever stands here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Effort {
    /// States of the program that are stored, or configurations that are listed.
    pub states: usize,
    /// Bytes that states may take.
    pub bytes: usize,
    /// Work of a check of all runs: steps, times the bytes of the states that they lead to.
    pub work: usize,
}

impl Effort {
    /// No limit but those of the options.
    pub const ALL: Self = Self { states: usize::MAX, bytes: usize::MAX, work: usize::MAX };

    const fn states(states: usize) -> Self {
        Self { states, ..Self::ALL }
    }
}

/// A condition on the state of the analysis. Once runs settle everything, or are against a proof,
/// only [`Always`](Self::Always) is met.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// In any case, unless a check of all runs has proved everything.
    Always,
    /// Something is not proved, and no check of all runs has proved it.
    Open,
    /// Something is not proved, and no run refutes any of it.
    Undecided,
    /// The same, and not all states have been seen.
    Unexplored,
    /// Something is not proved, and runs refute other parts of the property.
    PartlyRefuted,
    /// A check of all runs has proved everything, and has stored at most this number of states.
    EveryRunProves {
        /// Most states.
        states: usize,
    },
    /// Everything is proved, in this detail.
    Proved(Detail),
}

/// One call of an engine in a schedule.
pub struct Slot<P: Property> {
    /// The engine.
    pub engine: Arc<dyn Engine<P>>,
    /// The condition of the call.
    pub when: When,
    /// The limits of the call.
    pub effort: Effort,
}

impl<P: Property> Clone for Slot<P> {
    fn clone(&self) -> Self {
        Self { engine: self.engine.clone(), ..*self }
    }
}

impl<P: Property> fmt::Debug for Slot<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({:?}, {:?})", self.engine.name(), self.when, self.effort)
    }
}

impl<P: Property> Slot<P> {
    /// A call of an engine.
    pub fn new(engine: impl Engine<P> + 'static, when: When, effort: Effort) -> Self {
        Self { engine: Arc::new(engine), when, effort }
    }
}

/// A turn of a schedule.
pub enum Turn<P: Property> {
    /// One engine.
    One(Slot<P>),
    /// Engines that look at runs, beside engines that ask about abstractions.
    Concurrent {
        /// The engines that look at runs. If they settle everything, the others do not count.
        on_runs: Vec<Slot<P>>,
        /// The engines that ask about abstractions.
        on_abstractions: Vec<Slot<P>>,
    },
}

/// The turns of engines, in order.
pub struct Schedule<P: Property> {
    /// The turns.
    pub turns: Vec<Turn<P>>,
}

impl<P: Property> Schedule<P> {
    /// The schedule with one more turn, before all others.
    #[must_use]
    pub fn with(mut self, slot: Slot<P>) -> Self {
        self.turns.insert(0, Turn::One(slot));
        self
    }
}

fn one<P: Property>(engine: impl Engine<P> + 'static, when: When, effort: Effort) -> Turn<P> {
    Turn::One(Slot::new(engine, when, effort))
}

/// Runs near the start: many counterexamples are runs that begin soon.
const NEAR: Effort = Effort::states(300);

/// All states of programs that have so few that a look at them takes no time.
const FEW_STATES: Effort = Effort { states: 5_000, bytes: 250_000, work: usize::MAX };

/// Most states that a check of all runs stores while values are not tracked yet.
const SOON_STATES: usize = 80_000;

impl Schedule<Boundedness> {
    /// The schedule for boundedness.
    #[must_use]
    pub fn boundedness() -> Self {
        use When::{EveryRunProves, Open, PartlyRefuted, Proved, Undecided, Unexplored};
        let every_run_proves = EveryRunProves { states: usize::MAX };
        let turns = vec![
            Turn::Concurrent {
                on_runs: vec![
                    Slot::new(SearchRuns, Open, NEAR),
                    Slot::new(ExploreAllStates, Undecided, FEW_STATES),
                ],
                on_abstractions: vec![Slot::new(QuickRefinement, Open, Effort::ALL)],
            },
            // A check of all runs, where few states show that they end, beside what takes longer.
            Turn::Concurrent {
                on_runs: vec![Slot::new(
                    CheckEveryRun,
                    Undecided,
                    Effort { states: SOON_STATES, work: 500_000, ..Effort::ALL },
                )],
                on_abstractions: vec![Slot::new(TrackTags, Undecided, Effort::ALL)],
            },
            Turn::Concurrent {
                on_runs: vec![Slot::new(
                    CheckEveryRun,
                    Undecided,
                    Effort { states: SOON_STATES, work: 3_000_000, ..Effort::ALL },
                )],
                on_abstractions: vec![Slot::new(TrackValues, Undecided, Effort::ALL)],
            },
            one(TrackValues, PartlyRefuted, Effort::ALL),
            // A run may still be found sooner than all of them are checked.
            one(SearchRuns, Unexplored, Effort::states(12_000)),
            one(CheckEveryRun, Undecided, Effort::ALL),
            // A list of configurations is a certificate, a check of all runs is none.
            one(ListConfigurations, every_run_proves, Effort::ALL),
            one(ExploreAllStates, every_run_proves, FEW_STATES),
            one(ExploreAllStates, every_run_proves, Effort::states(50_000)),
            // Nothing is left to refine.
            one(SearchRuns, PartlyRefuted, Effort::ALL),
            one(ExploreAllStates, Unexplored, Effort::states(50_000)),
            one(SearchRuns, Unexplored, Effort::ALL),
            one(ExploreAllStates, Unexplored, Effort::ALL),
            // True maxima of what is bounded.
            one(ExploreAllStates, Proved(Detail::WithinCapacities), Effort::states(2_000)),
            one(ExploreAllStates, Proved(Detail::AboveCapacities), FEW_STATES),
            one(ExploreAllStates, Proved(Detail::WithoutNumber), FEW_STATES),
            one(ExploreAllStates, Proved(Detail::WithoutNumber), Effort::states(50_000)),
        ];
        Self { turns }
    }
}

impl Schedule<LivelockFreedom> {
    /// The schedule for freedom from livelocks.
    #[must_use]
    pub fn livelock_freedom() -> Self {
        use When::{Always, EveryRunProves, Open, Undecided};
        let turns = vec![
            one(QuickRefinement, Open, Effort::ALL),
            one(SearchRuns, Open, NEAR),
            Turn::Concurrent {
                on_runs: vec![Slot::new(
                    CheckEveryRun,
                    Undecided,
                    Effort { states: 120_000, work: 6_000_000, ..Effort::ALL },
                )],
                on_abstractions: vec![Slot::new(TrackValues, Undecided, Effort::ALL)],
            },
            // Where few states are a proof, values are tracked soon too, and that is a certificate.
            one(TrackValues, EveryRunProves { states: 200 }, Effort::ALL),
            one(CheckEveryRun, Undecided, Effort::ALL),
            one(SearchRuns, Always, Effort::ALL),
        ];
        Self { turns }
    }
}

/// Configurations that are listed for each state that a check of all runs has stored.
pub(super) const LISTED_PER_STATE: usize = 4;

/// The limits of refinement where all states have been seen already: it is only for the sake of a
/// certificate.
pub(super) fn brief(limits: &RefinementOptions) -> RefinementOptions {
    RefinementOptions {
        nodes: 500,
        transitions: 2_000,
        visits: 2_000,
        configurations: 300,
        rounds: 6,
        ..limits.clone()
    }
}

impl<P: Property> AnalysisState<'_, P> {
    /// Returns `true` if the state meets a condition.
    #[must_use]
    pub fn meets(&self, when: When) -> bool {
        if self.is_final() {
            return match when {
                When::Always => !self.is_proved_by_every_run(),
                When::EveryRunProves { states } => self.every_run_proves(states),
                _ => false,
            };
        }
        let is_open = self.open() > 0;
        let is_undecided = is_open && !self.is_refuted();
        match when {
            When::Always => true,
            When::Open => is_open,
            When::Undecided => is_undecided,
            When::Unexplored => is_undecided && !self.has_seen_all_states(),
            When::PartlyRefuted => is_open && self.is_refuted(),
            When::EveryRunProves { .. } => false,
            When::Proved(detail) => !is_open && self.detail() == detail,
        }
    }
}
