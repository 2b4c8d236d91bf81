//! Boundedness of buffers as a property that engines decide.

use std::collections::BTreeMap;

use ::boundedness::{BufferVerdict, Combination, Outcome};
use certify::{Certificate, Checked, Rejection};
use cfsm_core::deadline::Deadline;
use cfsm_core::program::Program;
use cfsm_core::system::System;

use super::{Detail, EveryRun, Property, SeenStates};
use crate::{
    AllStates, Confirmation, Correspondence, Options, Strategy, confirm, prove_by_configurations, termination,
};

/// Every buffer of a system is bounded.
#[derive(Clone, Debug)]
pub struct Boundedness {
    /// How to decide; by cases only where the plain test leaves something open and the strategies
    /// allow it.
    pub options: ::boundedness::Options,
}

/// Returns `true` if a buffer is not proved bounded.
const fn is_open(verdict: &BufferVerdict) -> bool {
    matches!(verdict, BufferVerdict::CanGrow { .. } | BufferVerdict::Unknown)
}

impl Property for Boundedness {
    type Outcome = Outcome;
    type Runs = Confirmation;

    fn until(&self, deadline: Deadline) -> Self {
        let mut options = self.options.clone();
        options.questions.deadline = deadline;
        Self { options }
    }

    fn ask(&self, system: &System) -> Outcome {
        ::boundedness::check(system, &self.options.questions.clone().into())
    }

    fn ask_by_cases(&self, system: &System, plain: &Outcome) -> Option<(Outcome, usize)> {
        let better = ::boundedness::by_cases(system, plain, &self.options)?;
        let cases = better.cases;
        Some((better, cases))
    }

    fn ask_in_order(&self, system: &System, plain: &Outcome, most: usize) -> Option<(Outcome, usize)> {
        let mut better = plain.clone();
        let limits = Options {
            exploration_states: most,
            deadline: self.options.questions.deadline,
            ..Options::default()
        };
        let listed = prove_by_configurations(system, &mut better, &BTreeMap::new(), &limits);
        let is_news = self.open(&better) < self.open(plain) || better.rejected.len() > plain.rejected.len();
        is_news.then_some((better, listed))
    }

    fn open(&self, outcome: &Outcome) -> usize {
        outcome.buffers.values().filter(|verdict| is_open(verdict)).count()
    }

    fn certificate<'a>(&self, outcome: &'a mut Outcome) -> Option<&'a mut Checked<Certificate>> {
        outcome.verdict.certificate_mut()
    }

    fn rejected<'a>(&self, outcome: &'a Outcome) -> &'a [Rejection] {
        &outcome.rejected
    }

    fn counterexamples<'a>(&self, outcome: &'a Outcome) -> &'a [Combination] {
        &outcome.combinations
    }

    fn contradicted(&self, outcome: Outcome) -> Outcome {
        outcome.contradicted()
    }

    fn detail(&self, system: &System, outcome: &Outcome) -> Detail {
        if outcome.buffers.values().any(|verdict| *verdict == BufferVerdict::Finite) {
            return Detail::WithoutNumber;
        }
        let fits = outcome.buffers.iter().all(|(id, verdict)| match (verdict, system.buffers[id].declared) {
            (BufferVerdict::Bounded { bound }, Some(declared)) => *bound <= declared.into(),
            _ => true,
        });
        if fits { Detail::WithinCapacities } else { Detail::AboveCapacities }
    }

    fn can_search(&self, limits: &Options, _allows_exhaustion: bool) -> bool {
        limits.search_states > 0
    }

    fn search<C: Correspondence>(
        &self,
        program: &Program,
        correspondence: &C,
        outcome: &Outcome,
        limits: &Options,
        runs: &mut Confirmation,
    ) {
        let limits = Options { exploration_states: 0, ..*limits };
        let found = confirm(program, correspondence, outcome, &limits);
        let states = runs.states + found.states;
        // A search begins anew each time, as the system is another one.
        if found.witnesses.len() >= runs.witnesses.len() {
            *runs = found;
        }
        runs.states = states;
    }

    fn check_every_run(
        &self,
        program: &Program,
        is_allowed: &dyn Fn(Strategy) -> bool,
        limits: &Options,
        runs: &mut Confirmation,
    ) -> Option<EveryRun> {
        if !is_allowed(Strategy::Termination) {
            return None;
        }
        let ending = termination(program, limits);
        runs.states += ending.states;
        Some(EveryRun { strategy: Strategy::Termination, is_proof: ending.ends, ending })
    }

    fn note_all_states<C: Correspondence>(
        &self,
        all: AllStates,
        correspondence: &C,
        runs: &mut Confirmation,
    ) {
        runs.note(all, correspondence);
    }

    fn relate<C: Correspondence>(&self, correspondence: &C, runs: &mut Confirmation) {
        runs.relate(correspondence);
    }

    fn is_refuted(&self, runs: &Confirmation) -> bool {
        !runs.witnesses.is_empty()
    }

    fn is_settled(&self, outcome: &Outcome, runs: &Confirmation) -> bool {
        let mut open = outcome.buffers.iter().filter(|(_, verdict)| is_open(verdict));
        open.all(|(id, _)| runs.unbounded.contains_key(&id))
    }

    fn is_against(&self, outcome: &Outcome, runs: &Confirmation) -> bool {
        runs.contradicts(outcome)
    }

    fn seen_all_states(&self, runs: &Confirmation) -> Option<SeenStates> {
        let all = runs.exhausted.as_ref().filter(|_| runs.witnesses.is_empty())?;
        Some(SeenStates { states: all.states(), in_sets: all.in_sets() })
    }

    fn states(&self, runs: &Confirmation) -> usize {
        runs.states
    }
}
