//! The same for livelocks: one call from a program to what is known about them.

use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use abstraction::Abstraction;
use boundedness::Combination;
use cfsm_core::program::Program;
use cfsm_core::system::System;
use explore::{Semantics, Witness};
use livelock::{Fairness, Outcome};
use refine::{
    Act, LivelockConfirmation, LivelockQuestion, Refinement, Refiner, Strategy, confirm_ending,
    confirm_livelock,
};
use report::view::{self, Check, LivelockRuns, LivelockSubject};

use crate::analysis::{Notes, Timings};
use crate::livelock_check::{LivelockAnalysis, decide, livelock_options};
use crate::options::Options;
use crate::programs::beside::{Tracking, track_ahead};
use crate::programs::{Analysis, Model, told};

/// States near the start that are looked at before any search that goes far: many livelocks begin
/// soon.
const FIRST_LOOK: usize = 300;

/// States that may be explored before values are followed, to find out whether some run goes on
/// without progress.
const RECURS_SOON: usize = 120_000;

/// How much work that may take: 100 000 steps with states of 60 bytes. What has larger states takes
/// longer for each.
const WORK_SOON: usize = 6_000_000;

/// So few stored states show that values are followed in no time, too.
const FEW_STATES: usize = 200;

/// What refinement is done by.
type LivelockRefiner<'a> = Refiner<'a, LivelockQuestion>;

impl LivelockAnalysis {
    /// Does a part of refinement, and takes over what it has found.
    fn refine<'a>(&mut self, refiner: &mut LivelockRefiner<'a>, part: impl FnOnce(&mut LivelockRefiner<'a>)) {
        let begin = Instant::now();
        part(refiner);
        self.take(refiner.best().clone(), begin);
    }

    /// Takes over what refinement has found, for which one has waited since some time.
    fn take(&mut self, found: Refinement<Outcome>, begin: Instant) {
        let Refinement { abstraction, outcome, acts, tried } = found;
        self.refined = (!acts.is_empty()).then_some(abstraction);
        self.outcome = outcome;
        self.refinement = Notes { acts, tried };
        self.refine += begin.elapsed();
    }

    /// The result in plain data; `file` is what the user calls the model.
    #[must_use]
    pub fn view(&self, file: &str, model: &Model) -> Check {
        let runs = LivelockRuns { program: &model.program, confirmation: &self.confirmation };
        let view = self.view_of(file, &model.abstraction, runs, model.timings);
        view.with_findings(told(&model.findings, &model.program))
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

/// Decides, as far as the abstraction allows, whether a program is free of livelocks; and searches
/// runs of it for what the abstraction cannot decide. The abstraction must be about the program.
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
    let looked = decide_in_turns(program, abstraction, options, start, &mut found);
    if looked.is_proof || found.confirmation.witness.is_some() {
        return found;
    }
    let begin = Instant::now();
    let limits = options.limits_of_runs(start);
    // Where a run is known, there may be a shorter one near the start.
    let search_states = if looked.witness.is_some() { 0 } else { limits.search_states };
    let limits = refine::Options { search_states, ..limits };
    let system = found.refined.as_ref().unwrap_or(abstraction);
    let mut confirmation = confirm_livelock(program, system, &found.outcome, &limits);
    if let (None, Some((semantics, witness))) = (&confirmation.witness, looked.witness.or(looked.growing)) {
        (confirmation.semantics, confirmation.witness) = (Some(semantics), Some(witness));
    }
    confirmation.states += looked.states;
    if confirmation.contradicts(&found.outcome) {
        found.outcome = found.outcome.contradicted();
    }
    let open = !found.outcome.verdict.is_proved();
    if open && confirmation.exhausted && options.refinement.0.contains(&Strategy::Exhaustion) {
        let act = Act::exhaustion(spurious(&found.outcome, system), (confirmation.states, false), 1);
        found.refinement.acts.push(act);
    }
    let search = found.search + begin.elapsed();
    LivelockAnalysis { confirmation, search, ..found }
}

/// What came of searching runs between the turns of refinement.
#[derive(Default)]
struct Looked {
    /// How many states were stored.
    states: usize,
    /// Whether no run goes on for ever without progress.
    is_proof: bool,
    /// A run that does, and what runs are.
    witness: Option<(Semantics, Witness)>,
    /// One that does and makes queues grow: there may be others that are there with the declared
    /// capacities, too.
    growing: Option<(Semantics, Witness)>,
}

/// Refines what the plain test leaves open, and looks whether some run goes on for ever without
/// progress.
fn decide_in_turns(
    program: &Program,
    abstraction: &Abstraction,
    options: &Options,
    start: Instant,
    found: &mut LivelockAnalysis,
) -> Looked {
    let mut looked = Looked::default();
    if found.outcome.verdict.is_proved() {
        return looked;
    }
    let question = LivelockQuestion { options: livelock_options(options, start) };
    // What was followed for the sake of bounds is mostly not what decides here, and makes systems
    // large.
    let mut limits = options.refinement(start, &options.abstraction.precision);
    // No list of configurations says anything of livelocks.
    limits.strategies.remove(&Strategy::Order);
    let first = (abstraction.clone(), found.outcome.clone());
    let mut refiner = Refiner::new(program, &question, first, &limits);
    found.refine(&mut refiner, Refiner::look);
    looked.growing = found.look_first(program, abstraction, options, start);
    let is_over =
        |found: &LivelockAnalysis| found.outcome.verdict.is_proved() || found.confirmation.witness.is_some();
    thread::scope(|scope| {
        let mut ahead = None;
        for (tracks, exploration_states) in options.turns(RECURS_SOON) {
            if tracks && !is_over(found) {
                found.track(&mut refiner, ahead.take());
            }
            if is_over(found) {
                break;
            }
            if !tracks {
                ahead = track_ahead(scope, &refiner, None, limits.deadline);
            }
            let begin = Instant::now();
            let ending_work = if tracks { usize::MAX } else { WORK_SOON };
            let limits = refine::Options { exploration_states, ending_work, ..options.limits_of_runs(start) };
            found.search_runs(program, abstraction, (options, &limits), &mut looked);
            found.search += begin.elapsed();
            if looked.is_proof && !tracks && looked.states <= FEW_STATES {
                found.prefer_certificate(&mut refiner, ahead.take(), &mut looked);
            }
            if looked.is_proof || looked.witness.is_some() || found.outcome.verdict.is_proved() {
                break;
            }
        }
    });
    looked
}

impl LivelockAnalysis {
    /// Looks for a livelock near the start, if nothing is proved yet; one that makes queues grow
    /// comes back.
    fn look_first(
        &mut self,
        program: &Program,
        first: &Abstraction,
        options: &Options,
        start: Instant,
    ) -> Option<(Semantics, Witness)> {
        if self.outcome.verdict.is_proved() {
            return None;
        }
        let begin = Instant::now();
        let most = options.limits_of_runs(start);
        let exploration_states = most.exploration_states.min(FIRST_LOOK);
        let search_states = most.search_states.min(FIRST_LOOK);
        let limits = refine::Options { search_states, exploration_states, ..most };
        let system = self.refined.as_ref().unwrap_or(first);
        let confirmation = confirm_livelock(program, system, &self.outcome, &limits);
        self.search += begin.elapsed();
        if confirmation.witness.as_ref().is_some_and(|witness| !witness.growth().is_empty()) {
            return confirmation.semantics.zip(confirmation.witness);
        }
        if confirmation.witness.is_some() {
            self.confirmation = confirmation;
        }
        None
    }

    /// Follows values, unless that has been begun ahead.
    fn track(&mut self, refiner: &mut LivelockRefiner<'_>, ahead: Option<Tracking<'_, Outcome>>) {
        let begin = Instant::now();
        match ahead.and_then(Tracking::wait) {
            Some(found) => self.take(found, begin),
            None => self.refine(refiner, Refiner::track),
        }
    }

    /// Follows values although it is known already that no run goes on without progress: what has
    /// few states is done with soon, and a certificate can be checked again.
    fn prefer_certificate(
        &mut self,
        refiner: &mut LivelockRefiner<'_>,
        ahead: Option<Tracking<'_, Outcome>>,
        looked: &mut Looked,
    ) {
        let act = self.refinement.acts.pop();
        self.track(refiner, ahead);
        if self.outcome.verdict.is_proved() {
            (looked.is_proof, self.confirmation) = (false, LivelockConfirmation::default());
        } else {
            self.refinement.acts.extend(act);
        }
    }

    /// Looks whether some run goes on for ever without progress.
    fn search_runs(
        &mut self,
        program: &Program,
        abstraction: &Abstraction,
        (options, limits): (&Options, &refine::Options),
        looked: &mut Looked,
    ) {
        let may = |strategy| options.refinement.0.contains(&strategy);
        let spurious = || spurious(&self.outcome, self.refined.as_ref().unwrap_or(abstraction));
        let (ending, act) = if may(Strategy::Recurrence) {
            let ending = refine::recurrence(program, limits);
            let act = Act::recurrence(spurious(), ending.states);
            (ending, act)
        } else if may(Strategy::Termination) {
            let ending = refine::termination(program, limits);
            let act = Act::termination(spurious(), ending.states, 1);
            (ending, act)
        } else {
            return;
        };
        looked.states += ending.states;
        // A run need not be fair.
        looked.witness = ending.witness.filter(|_| options.fairness == Fairness::None);
        // A run that has been seen is against any proof. There is none, unless there is a bug.
        looked.is_proof = ending.ends && ending.clean && looked.growing.is_none();
        if looked.is_proof {
            self.refinement.acts.push(act);
            self.confirmation = confirm_ending(program, looked.states, limits);
        }
    }
}

/// The counterexample of an outcome, with the system that it is one of.
fn spurious(outcome: &Outcome, abstraction: &Abstraction) -> Option<(Arc<System>, Combination)> {
    outcome.combination.clone().map(|loops| (Arc::new(abstraction.system.clone()), loops))
}
