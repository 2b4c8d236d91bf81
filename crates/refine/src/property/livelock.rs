//! Freedom from livelocks as a property that engines decide.

use ::boundedness::Combination;
use ::livelock::{Fairness, Outcome};
use certify::{Certificate, Checked, Rejection};
use cfsm_core::deadline::Deadline;
use cfsm_core::program::Program;
use cfsm_core::system::System;

use super::{Detail, EveryRun, Property, SeenStates};
use crate::{
    AllStates, Correspondence, LivelockConfirmation, Options, Strategy, confirm_ending, confirm_livelock,
    recurrence, termination,
};

/// Every infinite run makes progress again and again.
#[derive(Clone, Debug)]
pub struct LivelockFreedom {
    /// How to decide.
    pub options: ::livelock::Options,
}

impl Property for LivelockFreedom {
    type Outcome = Outcome;
    type Runs = LivelockConfirmation;

    fn until(&self, deadline: Deadline) -> Self {
        let mut options = self.options.clone();
        options.questions.deadline = deadline;
        Self { options }
    }

    fn most_rounds(&self) -> i64 {
        // Any limit will do, if sums of it can be computed.
        1 << 40
    }

    fn ask(&self, system: &System) -> Outcome {
        ::livelock::check(system, &self.options)
    }

    fn open(&self, outcome: &Outcome) -> usize {
        usize::from(!outcome.verdict.is_proved())
    }

    fn certificate<'a>(&self, outcome: &'a mut Outcome) -> Option<&'a mut Checked<Certificate>> {
        outcome.verdict.certificate_mut()
    }

    fn rejected<'a>(&self, outcome: &'a Outcome) -> &'a [Rejection] {
        outcome.rejected.as_slice()
    }

    fn counterexamples<'a>(&self, outcome: &'a Outcome) -> &'a [Combination] {
        outcome.combination.as_slice()
    }

    fn contradicted(&self, outcome: Outcome) -> Outcome {
        outcome.contradicted()
    }

    fn detail(&self, _system: &System, _outcome: &Outcome) -> Detail {
        Detail::WithinCapacities
    }

    fn can_search(&self, limits: &Options, allows_exhaustion: bool) -> bool {
        // The search for lassos is the one that looks at all states.
        limits.search_states > 0 || (allows_exhaustion && limits.exploration_states > 0)
    }

    fn search<C: Correspondence>(
        &self,
        program: &Program,
        correspondence: &C,
        outcome: &Outcome,
        limits: &Options,
        runs: &mut LivelockConfirmation,
    ) {
        if runs.witness.is_some() {
            return;
        }
        // Where a run is known, there may be a shorter one near the start.
        let search_states = if runs.is_refuted() { 0 } else { limits.search_states };
        let limits = Options { search_states, ..*limits };
        let found = confirm_livelock(program, correspondence, outcome, &limits);
        let before = std::mem::take(runs);
        *runs = found.after(before);
    }

    fn check_every_run(
        &self,
        program: &Program,
        is_allowed: &dyn Fn(Strategy) -> bool,
        limits: &Options,
        runs: &mut LivelockConfirmation,
    ) -> Option<EveryRun> {
        let (strategy, ending) = if is_allowed(Strategy::Recurrence) {
            (Strategy::Recurrence, recurrence(program, limits))
        } else if is_allowed(Strategy::Termination) {
            (Strategy::Termination, termination(program, limits))
        } else {
            return None;
        };
        runs.states += ending.states;
        // A run need not be fair.
        let witness = ending.witness.clone().filter(|_| self.options.fairness == Fairness::None);
        // A run that has been seen is against any proof. There is none, unless there is a bug.
        let is_proof = ending.ends && ending.clean && runs.fallback.is_none() && runs.witness.is_none();
        if is_proof {
            *runs = confirm_ending(program, runs.states, limits);
        }
        runs.fallback = witness.or(runs.fallback.take());
        Some(EveryRun { strategy, ending, is_proof })
    }

    fn note_all_states<C: Correspondence>(
        &self,
        _all: AllStates,
        _correspondence: &C,
        _runs: &mut LivelockConfirmation,
    ) {
    }

    fn relate<C: Correspondence>(&self, _correspondence: &C, _runs: &mut LivelockConfirmation) {}

    fn is_refuted(&self, runs: &LivelockConfirmation) -> bool {
        runs.is_refuted()
    }

    fn is_settled(&self, _outcome: &Outcome, runs: &LivelockConfirmation) -> bool {
        runs.is_refuted()
    }

    fn is_against(&self, outcome: &Outcome, runs: &LivelockConfirmation) -> bool {
        runs.contradicts(outcome)
    }

    fn seen_all_states(&self, runs: &LivelockConfirmation) -> Option<SeenStates> {
        let is_refuted = runs.witness.is_some() || runs.fallback.is_some();
        (runs.exhausted && !is_refuted).then_some(SeenStates { states: runs.states, in_sets: false })
    }

    fn finished(&self, runs: LivelockConfirmation) -> LivelockConfirmation {
        runs.with_fallback()
    }

    fn states(&self, runs: &LivelockConfirmation) -> usize {
        runs.states
    }
}
