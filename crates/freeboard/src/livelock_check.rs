//! One call from a program, or a system, to what is known about its livelocks.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use abstraction::Abstraction;
use boundedness::Combination;
use cfsm_core::program::{Claim, Location, Program};
use cfsm_core::system::System;
use livelock::Outcome;
use refine::{
    Act, LivelockConfirmation, LivelockQuestion, Refinement, RefinementOptions, Strategy, confirm_ending,
    confirm_livelock,
};
use report::view::{self, Check, LivelockRuns, LivelockSubject};

use crate::{Analysis, Model, Notes, Options, SystemAnalysis, Timings};

/// What was found out about livelocks.
#[derive(Clone, Debug)]
pub struct LivelockAnalysis {
    /// The abstract system that the outcome is about, if it had to be another one than the first.
    pub refined: Option<Abstraction>,
    /// What was found out about the system.
    pub outcome: Outcome,
    /// What was done about counterexamples.
    pub refinement: Notes,
    /// What runs of the program have shown, buffers taken as unbounded; nothing, if there is no program.
    pub confirmation: LivelockConfirmation,
    /// How long deciding took, with the check of the certificate.
    pub solve: Duration,
    /// How long refining took.
    pub refine: Duration,
    /// How long searching runs took.
    pub search: Duration,
}

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

    /// The result in plain data, for a system that does not come from a program.
    #[must_use]
    pub fn view_of_system(&self, file: &str, system: &System) -> Check {
        view::livelock(&LivelockSubject {
            file,
            system,
            outcome: &self.outcome,
            assumptions: &[],
            approximations: &[],
            refinement: &[],
            tried: &[],
            runs: None,
            seconds: self.timings(Timings::default()).seconds(),
        })
    }

    /// The same together with the one of boundedness.
    #[must_use]
    pub fn view_after_system(&self, file: &str, analysis: &SystemAnalysis) -> Check {
        analysis.view(file).and(self.view_of_system(file, &analysis.system))
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

    fn timings(&self, before: Timings) -> Timings {
        let Self { solve, refine, search, .. } = *self;
        Timings { solve, refine, search, total: before.total + solve + refine + search, ..before }
    }
}

/// Whether a process of a program has a progress label, so that livelocks are a question.
#[must_use]
pub fn has_progress_labels(program: &Program) -> bool {
    let observer = |claim: &Claim| match claim {
        Claim::Observer { process_type, .. } => Some(*process_type),
        Claim::Ltl { .. } => None,
    };
    let observers: Vec<_> = program.claims.iter().filter_map(observer).collect();
    let types = program.types.iter().filter(|(id, _)| !observers.contains(id));
    types.flat_map(|(_, process)| process.locations.values()).any(Location::is_progress)
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
    let states = match decide_in_turns(program, abstraction, options, start, &mut found) {
        Ok(states) => states,
        Err(Ended) => return found,
    };
    let begin = Instant::now();
    let limits = options.limits_of_runs(start);
    let system = found.refined.as_ref().unwrap_or(abstraction);
    let mut confirmation = confirm_livelock(program, system, &found.outcome, &limits);
    confirmation.states += states;
    if confirmation.contradicts(&found.outcome) {
        found.outcome = found.outcome.contradicted();
    }
    let open = !found.outcome.verdict.is_proved();
    if open && confirmation.exhausted && options.refinement.0.contains(&Strategy::Exhaustion) {
        let act = Act::exhaustion(spurious(&found.outcome, system), confirmation.states, 1);
        found.refinement.acts.push(act);
    }
    let search = found.search + begin.elapsed();
    LivelockAnalysis { confirmation, search, ..found }
}

/// It has turned out that every run ends.
struct Ended;

/// Refines what the plain test leaves open, and looks whether every run ends; at how many states.
fn decide_in_turns(
    program: &Program,
    abstraction: &Abstraction,
    options: &Options,
    start: Instant,
    found: &mut LivelockAnalysis,
) -> Result<usize, Ended> {
    let strategies = &options.refinement.0;
    let plain = found.outcome.clone();
    let mut states = 0;
    for (strategies_now, exploration_states) in options.turns() {
        if found.outcome.verdict.is_proved() {
            break;
        }
        if strategies.iter().any(|one| one.refines()) {
            let first = (abstraction.clone(), plain.clone());
            refine(program, first, (options, strategies_now), start, found);
        }
        if found.outcome.verdict.is_proved() || !strategies.contains(&Strategy::Termination) {
            continue;
        }
        let begin = Instant::now();
        let limits = refine::Options { exploration_states, ..options.limits_of_runs(start) };
        let ending = refine::termination(program, &limits);
        states += ending.states;
        if ending.ends && ending.clean {
            let system = found.refined.as_ref().unwrap_or(abstraction);
            let act = Act::termination(spurious(&found.outcome, system), ending.states, 1);
            found.refinement.acts.push(act);
            found.confirmation = confirm_ending(program, states, &limits);
            found.search += begin.elapsed();
            return Err(Ended);
        }
        found.search += begin.elapsed();
    }
    Ok(states)
}

/// The counterexample of an outcome, with the system that it is one of.
fn spurious(outcome: &Outcome, abstraction: &Abstraction) -> Option<(Arc<System>, Combination)> {
    outcome.combination.clone().map(|loops| (Arc::new(abstraction.system.clone()), loops))
}

fn refine(
    program: &Program,
    first: (Abstraction, Outcome),
    (options, strategies): (&Options, BTreeSet<Strategy>),
    start: Instant,
    found: &mut LivelockAnalysis,
) {
    let begin = Instant::now();
    let question = LivelockQuestion { options: livelock_options(options, start) };
    let limits = options.refinement(start, &first.0.precision);
    let limits = RefinementOptions { strategies, ..limits };
    let Refinement { abstraction, outcome, acts, tried } = refine::refine(program, &question, first, &limits);
    found.refined = (!acts.is_empty()).then_some(abstraction);
    found.outcome = outcome;
    found.refinement = Notes { acts, tried };
    found.refine += begin.elapsed();
}

/// Decides whether a system, in which transitions are marked as progress, is free of livelocks. Exact up to the order
/// of messages. The system must be [valid](System::validate).
#[must_use]
pub fn check_livelock_of_system(system: &System, options: &Options) -> LivelockAnalysis {
    let start = Instant::now();
    let outcome = decide(system, options, start);
    let confirmation = LivelockConfirmation::default();
    LivelockAnalysis {
        refined: None,
        outcome,
        refinement: Notes::default(),
        confirmation,
        solve: start.elapsed(),
        refine: Duration::ZERO,
        search: Duration::ZERO,
    }
}

fn decide(system: &System, options: &Options, start: Instant) -> Outcome {
    livelock::check(system, &livelock_options(options, start))
}

fn livelock_options(options: &Options, start: Instant) -> livelock::Options {
    let questions = options.questions(start);
    livelock::Options { questions, cases: options.cases(), fairness: options.fairness }
}
