//! The same for livelocks: one call from a program to what is known about them.

use std::sync::Arc;
use std::time::{Duration, Instant};

use abstraction::Abstraction;
use cfsm_core::program::Program;
use refine::{Act, LivelockConfirmation, LivelockQuestion, Refinement, Strategy, confirm_livelock};
use report::view::{self, Check, LivelockRuns, LivelockSubject};

use crate::analysis::{Notes, Timings};
use crate::livelock_check::{LivelockAnalysis, decide, livelock_options};
use crate::options::Options;
use crate::programs::{Analysis, Model};

impl LivelockAnalysis {
    /// The result in plain data; `file` is what the user calls the model.
    #[must_use]
    pub fn view(&self, file: &str, model: &Model) -> Check {
        let runs = LivelockRuns { program: &model.program, confirmation: &self.confirmation };
        self.view_of(file, &model.abstraction, runs, model.timings)
    }

    /// The result together with the one of boundedness.
    #[must_use]
    pub fn view_after(&self, file: &str, analysis: &Analysis) -> Check {
        let runs = LivelockRuns { program: &analysis.program, confirmation: &self.confirmation };
        let view = self.view_of(file, &analysis.abstraction, runs, Timings::default());
        analysis.view(file).and(view)
    }

    fn view_of(
        &self,
        file: &str,
        abstraction: &Abstraction,
        runs: LivelockRuns<'_>,
        timings: Timings,
    ) -> Check {
        let abstraction = self.refined.as_ref().unwrap_or(abstraction);
        view::livelock(&LivelockSubject {
            file,
            system: &abstraction.system,
            outcome: &self.outcome,
            assumptions: &abstraction.assumptions,
            approximations: &abstraction.approximations,
            refinement: &self.refinement.acts,
            tried: &self.refinement.tried,
            runs: Some(runs),
            seconds: self.timings(timings).seconds(),
        })
    }
}

/// Decides, as far as the abstraction allows, whether a program is free of livelocks; and searches runs of it for
/// what the abstraction cannot decide. The abstraction must be about the program.
///
/// The clock of the time limit starts anew.
#[must_use]
pub fn check_livelock(program: &Program, abstraction: &Abstraction, options: &Options) -> LivelockAnalysis {
    let start = Instant::now();
    let mut found = LivelockAnalysis {
        refined: None,
        outcome: decide(&abstraction.system, options, start),
        refinement: Notes::default(),
        confirmation: LivelockConfirmation::default(),
        solve: start.elapsed(),
        refine: Duration::ZERO,
        search: Duration::ZERO,
    };
    let strategies = &options.refinement.0;
    if !found.outcome.verdict.is_proved() && strategies.iter().any(|one| *one != Strategy::Exhaustion) {
        refine(program, abstraction, options, start, &mut found);
    }
    let begin = Instant::now();
    let limits = options.limits_of_runs(start);
    let system = found.refined.as_ref().unwrap_or(abstraction);
    let confirmation = confirm_livelock(program, system, &found.outcome, &limits);
    if confirmation.contradicts(&found.outcome) {
        found.outcome = found.outcome.contradicted();
    }
    let open = !found.outcome.verdict.is_proved();
    if open && confirmation.exhausted && strategies.contains(&Strategy::Exhaustion) {
        let spurious = found.outcome.combination.clone();
        let spurious = spurious.map(|loops| (Arc::new(system.system.clone()), loops));
        found.refinement.acts.push(Act::exhaustion(spurious, confirmation.states, 1));
    }
    LivelockAnalysis { confirmation, search: begin.elapsed(), ..found }
}

fn refine(
    program: &Program,
    abstraction: &Abstraction,
    options: &Options,
    start: Instant,
    found: &mut LivelockAnalysis,
) {
    let begin = Instant::now();
    let question = LivelockQuestion { options: livelock_options(options, start) };
    let limits = options.refinement(start, &abstraction.precision);
    let first = (abstraction.clone(), found.outcome.clone());
    let Refinement { abstraction, outcome, acts, tried } = refine::refine(program, &question, first, &limits);
    found.refined = (!acts.is_empty()).then_some(abstraction);
    found.outcome = outcome;
    found.refinement = Notes { acts, tried };
    found.refine = begin.elapsed();
}
