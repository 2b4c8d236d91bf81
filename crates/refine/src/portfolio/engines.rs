//! The engines that every analysis has.

use super::schedule::{LISTED_PER_STATE, brief};
use super::{AnalysisState, Effort, Engine, Side, Step};
use crate::property::Property;
use crate::strategy::Strategy;
use crate::{AllStates, Options};

/// Refines the abstraction by everything that takes few questions: dead transitions, cases, data
/// places, pairs of processes, and a list of few configurations.
#[derive(Clone, Copy, Debug)]
pub struct QuickRefinement;

impl<P: Property> Engine<P> for QuickRefinement {
    fn name(&self) -> &'static str {
        "quick-refinement"
    }

    fn side(&self) -> Side {
        Side::Abstractions
    }

    fn applies(&self, state: &AnalysisState<'_, P>) -> bool {
        state.limits().refinement.strategies.iter().any(|strategy| strategy.refines())
    }

    fn run(&self, state: &mut AnalysisState<'_, P>, _effort: &Effort) -> Step {
        let before = state.open();
        state.refiner_mut().look();
        state.step(before, false, "no quick refinement excludes a counterexample")
    }
}

/// Tracks message tags: the fields that say of which kind a message is.
#[derive(Clone, Copy, Debug)]
pub struct TrackTags;

impl<P: Property> Engine<P> for TrackTags {
    fn name(&self) -> &'static str {
        "track-tags"
    }

    fn side(&self) -> Side {
        Side::Abstractions
    }

    fn applies(&self, state: &AnalysisState<'_, P>) -> bool {
        state.refiner().has_tags()
    }

    fn run(&self, state: &mut AnalysisState<'_, P>, _effort: &Effort) -> Step {
        let before = state.open();
        keep_brief(state);
        state.refiner_mut().track_tags();
        state.step(before, false, "message tags exclude no counterexample")
    }
}

/// Tracks the values of variables that counterexamples rest on, nearest ones first, and finds out
/// which counters keep to a range.
#[derive(Clone, Copy, Debug)]
pub struct TrackValues;

impl<P: Property> Engine<P> for TrackValues {
    fn name(&self) -> &'static str {
        "track-values"
    }

    fn side(&self) -> Side {
        Side::Abstractions
    }

    fn applies(&self, state: &AnalysisState<'_, P>) -> bool {
        [Strategy::Counters, Strategy::Tracking, Strategy::Order]
            .into_iter()
            .any(|strategy| state.is_allowed(strategy))
    }

    fn run(&self, state: &mut AnalysisState<'_, P>, _effort: &Effort) -> Step {
        let before = state.open();
        keep_brief(state);
        state.refiner_mut().track();
        state.prefer_certificate();
        state.step(before, false, "no values that can be tracked exclude a counterexample")
    }
}

/// Where all states have been seen, refinement is only for the sake of a certificate.
fn keep_brief<P: Property>(state: &mut AnalysisState<'_, P>) {
    if state.has_seen_all_states() {
        let options = brief(state.refiner().options());
        state.refiner_mut().keep_to(options);
    }
}

/// Lists configurations of the machines, with messages in their order, once it is known that every
/// run ends: if they are about as many as the states that showed it, they are a certificate.
#[derive(Clone, Copy, Debug)]
pub struct ListConfigurations;

impl<P: Property> Engine<P> for ListConfigurations {
    fn name(&self) -> &'static str {
        "list-configurations"
    }

    fn side(&self) -> Side {
        Side::Abstractions
    }

    fn applies(&self, state: &AnalysisState<'_, P>) -> bool {
        state.is_allowed(Strategy::Order)
    }

    fn run(&self, state: &mut AnalysisState<'_, P>, effort: &Effort) -> Step {
        let before = state.open();
        let most = state.states_of_every_run().saturating_mul(LISTED_PER_STATE);
        state.refiner_mut().list_further(most.min(effort.states));
        state.prefer_certificate();
        state.step(before, false, "there are too many configurations to list")
    }
}

/// Searches runs that refute the property, led by the loops of counterexamples.
#[derive(Clone, Copy, Debug)]
pub struct SearchRuns;

impl<P: Property> Engine<P> for SearchRuns {
    fn name(&self) -> &'static str {
        "search-runs"
    }

    fn side(&self) -> Side {
        Side::Runs
    }

    fn applies(&self, state: &AnalysisState<'_, P>) -> bool {
        let allows_exhaustion = state.is_allowed(Strategy::Exhaustion);
        state.refiner().property().can_search(&state.limits().runs, allows_exhaustion)
    }

    fn run(&self, state: &mut AnalysisState<'_, P>, effort: &Effort) -> Step {
        let before = state.open();
        let was_refuted = state.is_refuted();
        let limits = &state.limits().runs;
        let limits = Options {
            search_states: limits.search_states.min(effort.states),
            exploration_states: limits.exploration_states.min(effort.states),
            ..*limits
        };
        state.search(&limits);
        let has_progress = state.is_refuted() && !was_refuted;
        state.step(before, has_progress, "no run was found that refutes what is open")
    }
}

/// Checks all runs at once: that each of them ends, or makes progress again and again.
#[derive(Clone, Copy, Debug)]
pub struct CheckEveryRun;

impl<P: Property> Engine<P> for CheckEveryRun {
    fn name(&self) -> &'static str {
        "check-every-run"
    }

    fn side(&self) -> Side {
        Side::Runs
    }

    fn applies(&self, state: &AnalysisState<'_, P>) -> bool {
        state.may_check_every_run() && state.limits().runs.exploration_states > 0
    }

    fn run(&self, state: &mut AnalysisState<'_, P>, effort: &Effort) -> Step {
        let before = state.open();
        let limits = &state.limits().runs;
        let limits = Options {
            exploration_states: limits.exploration_states.min(effort.states),
            ending_work: limits.ending_work.min(effort.work),
            ..*limits
        };
        state.check_every_run(&limits);
        state.step(before, false, "some run goes on for ever, or there are too many states to tell")
    }
}

/// Explores all states of the program, in every combination of unlimited and limited channels.
#[derive(Clone, Copy, Debug)]
pub struct ExploreAllStates;

impl<P: Property> Engine<P> for ExploreAllStates {
    fn name(&self) -> &'static str {
        "explore-all-states"
    }

    fn side(&self) -> Side {
        Side::Runs
    }

    fn applies(&self, state: &AnalysisState<'_, P>) -> bool {
        state.limits().runs.exploration_states > 0
    }

    fn run(&self, state: &mut AnalysisState<'_, P>, effort: &Effort) -> Step {
        let before = state.open();
        let limits = &state.limits().runs;
        let asked = state.limits().maxima_states.filter(|_| before == 0).unwrap_or(effort.states);
        let states = limits.exploration_states.min(asked);
        if states > state.explored_states() {
            let exploration_bytes = limits.exploration_bytes.min(effort.bytes);
            let limits = Options { exploration_states: states, exploration_bytes, ..*limits };
            let all = AllStates::of(state.program(), &limits);
            state.keep_explored(all, states);
        }
        state.step(before, state.has_seen_all_states(), "there are too many states")
    }
}
