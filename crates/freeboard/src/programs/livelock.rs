//! The same for livelocks: one call from a program to what is known about them.

use cfsm_core::clock::Instant;

use abstraction::{Abstraction, abstract_program};
use cfsm_core::program::Program;
use refine::portfolio::Schedule;
use refine::{FirstAnswer, LivelockFreedom, Property as _, Refinement, Strategy};
use report::view::{self, Check, InEnvironment, LivelockRuns, LivelockSubject};

use crate::analysis::{Notes, Timings};
use crate::livelock_check::{LivelockAnalysis, livelock_options};
use crate::open::InOpenProgram as _;
use crate::options::Options;
use crate::programs::{Analysis, Model, engine_calls, run_schedule, told};

impl LivelockAnalysis {
    /// The result in plain data; `file` is what the user calls the model.
    #[must_use]
    pub fn view(&self, file: &str, model: &Model) -> Check {
        let runs = LivelockRuns { program: &model.program, confirmation: &self.confirmation };
        let view = self.view_of(file, &model.abstraction, runs, model.timings);
        view.with_findings(told(&model.findings, &model.program))
            .in_environment(&model.program, InEnvironment::default())
    }

    /// The result together with the one of boundedness.
    #[must_use]
    pub fn view_after(&self, file: &str, analysis: &Analysis) -> Check {
        let runs = LivelockRuns { program: &analysis.program, confirmation: &self.confirmation };
        let view = self.view_of(file, &analysis.abstraction, runs, Timings::default());
        analysis.view(file).and(view).in_environment(&analysis.program, analysis.environment())
    }

    fn view_of(
        &self,
        file: &str,
        abstraction: &Abstraction,
        runs: LivelockRuns<'_>,
        timings: Timings,
    ) -> Check {
        let abstraction = self.refined.as_ref().unwrap_or(abstraction);
        let assumptions = [&abstraction.assumptions[..], &runs.program.livelock_assumptions].concat();
        view::livelock(&LivelockSubject {
            file,
            system: &abstraction.system,
            outcome: &self.outcome,
            assumptions: &assumptions,
            approximations: &abstraction.approximations,
            refinement: &self.refinement.acts,
            tried: &self.refinement.tried,
            runs: Some(runs),
            seconds: self.timings(timings).seconds(),
        })
        .with_engines(engine_calls(view::Property::Livelock, &self.engines))
    }
}

/// Decides, as far as the abstraction allows, whether a program is free of livelocks; and searches
/// runs of it for what the abstraction cannot decide. The abstraction must be about the program. If
/// it is one for an environment that keeps to assumptions, another one is made: the answer is for
/// every environment.
///
/// The clock of the time limit starts anew.
///
/// # Panics
/// If another abstraction has to be made, and a limit does not allow it that allowed the first one.
#[must_use]
pub fn check_livelock(program: &Program, abstraction: &Abstraction, options: &Options) -> LivelockAnalysis {
    let start = Instant::now();
    let is_assumed = abstraction.system.data.values().any(|place| place.is_assumed);
    let make = || abstract_program(program, &options.abstraction).expect("there has been an abstraction");
    let of_every_environment = is_assumed.then(make);
    let abstraction = of_every_environment.as_ref().unwrap_or(abstraction);
    let property = LivelockFreedom { options: livelock_options(options, start) };
    let outcome = property.ask(&abstraction.system);
    let solve = start.elapsed();
    let first = FirstAnswer { abstraction: abstraction.clone(), outcome };
    // What was tracked for the sake of bounds is mostly not what decides here, and makes systems
    // large.
    let mut refinement = options.refinement(start, &options.abstraction.precision);
    // No list of configurations says anything of livelocks.
    refinement.strategies.remove(&Strategy::Order);
    let own = options.engines.livelock.iter().cloned();
    let schedule = own.rev().fold(Schedule::livelock_freedom(), Schedule::with);
    let deadline = refinement.deadline;
    let found = run_schedule(program, &property, first, refinement, options, start, &schedule);
    let mut timings = Timings::default();
    timings.add(&found.log);
    let begin = Instant::now();
    let refinement = found.refinement.with_values(program, &property, deadline);
    let solve = solve + begin.elapsed();
    let Refinement { abstraction, outcome, acts, tried } = refinement;
    let is_refined = acts.iter().any(|act| act.strategy.refines());
    LivelockAnalysis {
        refined: is_refined.then_some(abstraction),
        outcome,
        refinement: Notes { acts, tried },
        engines: found.log,
        confirmation: found.runs,
        solve,
        refine: timings.refine,
        search: timings.search,
    }
}
