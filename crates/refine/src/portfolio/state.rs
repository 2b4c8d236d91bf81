//! The state of an analysis: what is known of a program, and how it was found out.

use std::fmt;
use std::sync::Arc;

use abstraction::Abstraction;
use boundedness::Combination;
use cfsm_core::deadline::Deadline;
use cfsm_core::program::Program;
use cfsm_core::system::System;

use super::{EngineRun, Side, Step};
use crate::property::{Detail, EveryRun, Property};
use crate::refinement::{FirstAnswer, Refinement, RefinementOptions, Refiner};
use crate::strategy::{Act, Strategy};
use crate::{AllStates, Options};

/// The limits of an analysis, as its caller sets them.
#[derive(Clone, Debug)]
pub struct Limits {
    /// The limits of refinement, and the strategies that are allowed.
    pub refinement: RefinementOptions,
    /// The limits of searches of runs.
    pub runs: Options,
    /// Most states that are explored where everything is proved, for true maxima; `None`: as the
    /// schedule says.
    pub maxima_states: Option<usize>,
}

/// A function that is told which half of the state an engine begins to work on.
pub type Observer<'a> = &'a (dyn Fn(Side) + Sync);

/// What is known of a program in the course of an analysis.
#[derive(Clone)]
pub struct AnalysisState<'a, P: Property> {
    program: &'a Program,
    limits: Limits,
    observer: Option<Observer<'a>>,
    refiner: Refiner<'a, P>,
    runs: P::Runs,
    /// The result of the last exploration, and how far it was to go.
    explored: Option<Explored>,
    /// A check of all runs that has proved everything, with the act that says so.
    every_run: Option<ProvedByEveryRun>,
    /// `true` if some run is known to go on for ever, so that not all of them end.
    goes_on: bool,
    is_contradicted: bool,
    log: Vec<EngineRun>,
}

#[derive(Clone)]
struct Explored {
    all: AllStates,
    allowed: usize,
}

#[derive(Clone)]
struct ProvedByEveryRun {
    act: Act,
    states: usize,
}

/// The result of an analysis.
#[derive(Clone, Debug)]
pub struct Conclusion<P: Property> {
    /// The abstraction that the answer is about, the answer, and what was done about
    /// counterexamples.
    pub refinement: Refinement<P::Outcome>,
    /// What runs have shown.
    pub runs: P::Runs,
    /// The calls of engines, in order.
    pub log: Vec<EngineRun>,
}

impl<P: Property> fmt::Debug for AnalysisState<'_, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AnalysisState").field("open", &self.open()).field("log", &self.log).finish()
    }
}

impl<'a, P: Property> AnalysisState<'a, P> {
    /// Begins with an abstraction of a program, and the answer of the plain test about it.
    pub fn new(program: &'a Program, property: &P, first: FirstAnswer<P>, limits: Limits) -> Self {
        Self {
            program,
            observer: None,
            refiner: Refiner::new(program, property, first, &limits.refinement),
            limits,
            runs: P::Runs::default(),
            explored: None,
            every_run: None,
            goes_on: false,
            is_contradicted: false,
            log: Vec::new(),
        }
    }

    /// Tells an observer whenever an engine begins.
    #[must_use]
    pub const fn observed_by(mut self, observer: Observer<'a>) -> Self {
        self.observer = Some(observer);
        self
    }

    /// The program.
    #[must_use]
    pub const fn program(&self) -> &'a Program {
        self.program
    }

    /// The property.
    #[must_use]
    pub const fn property(&self) -> &P {
        self.refiner.property()
    }

    /// The limits of the analysis.
    #[must_use]
    pub const fn limits(&self) -> &Limits {
        &self.limits
    }

    /// The abstraction that leaves least open.
    #[must_use]
    pub const fn abstraction(&self) -> &Abstraction {
        &self.refiner.best().abstraction
    }

    /// The answer about that abstraction.
    #[must_use]
    pub const fn outcome(&self) -> &P::Outcome {
        &self.refiner.best().outcome
    }

    /// What runs have shown.
    #[must_use]
    pub const fn runs(&self) -> &P::Runs {
        &self.runs
    }

    /// The refinement of the abstraction. An engine on the side of abstractions asks its questions
    /// there.
    pub const fn refiner_mut(&mut self) -> &mut Refiner<'a, P> {
        &mut self.refiner
    }

    /// The refinement of the abstraction.
    #[must_use]
    pub const fn refiner(&self) -> &Refiner<'a, P> {
        &self.refiner
    }

    /// Number of questions that are not proved.
    #[must_use]
    pub fn open(&self) -> usize {
        self.property().open(self.outcome())
    }

    /// The detail in which a proof is known.
    #[must_use]
    pub fn detail(&self) -> Detail {
        self.property().detail(&self.abstraction().system, self.outcome())
    }

    /// Returns `true` if a strategy may be followed.
    #[must_use]
    pub fn is_allowed(&self, strategy: Strategy) -> bool {
        self.limits.refinement.strategies.contains(&strategy)
    }

    /// The deadline of the analysis.
    #[must_use]
    pub const fn deadline(&self) -> Deadline {
        self.limits.runs.deadline
    }

    /// Returns `true` if the deadline is over.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.deadline().is_over()
    }

    /// Returns `true` if a run refutes part of the property.
    #[must_use]
    pub fn is_refuted(&self) -> bool {
        self.property().is_refuted(&self.runs)
    }

    /// Returns `true` if no abstraction can change the verdict any more: runs refute everything
    /// that is open, are against a proof, or a check of all of them has proved everything.
    #[must_use]
    pub fn is_final(&self) -> bool {
        let is_settled = || self.open() > 0 && self.property().is_settled(self.outcome(), &self.runs);
        self.is_contradicted || self.is_proved_by_every_run() || is_settled()
    }

    /// Returns `true` if a check of all runs has proved everything.
    #[must_use]
    pub const fn is_proved_by_every_run(&self) -> bool {
        self.every_run.is_some()
    }

    /// Returns `true` if a check of all runs has proved everything and stored at most `most`
    /// states.
    #[must_use]
    pub fn every_run_proves(&self, most: usize) -> bool {
        self.every_run.as_ref().is_some_and(|found| found.states <= most)
    }

    /// Number of states that the check of all runs has stored that proves everything.
    pub(super) fn states_of_every_run(&self) -> usize {
        self.every_run.as_ref().map_or(0, |found| found.states)
    }

    /// Returns `true` if all states of the program have been seen, and that may be a proof.
    #[must_use]
    pub fn has_seen_all_states(&self) -> bool {
        let is_complete = |explored: &Explored| explored.all.is_complete();
        self.is_allowed(Strategy::Exhaustion) && self.explored.as_ref().is_some_and(is_complete)
    }

    /// Number of states that an exploration may look at before it can show more than the last one.
    pub(super) fn explored_states(&self) -> usize {
        match &self.explored {
            Some(explored) if explored.all.is_complete() => usize::MAX,
            Some(explored) => explored.allowed,
            None => 0,
        }
    }

    /// Searches runs, as far as `limits` say.
    pub(super) fn search(&mut self, limits: &Options) {
        let Refinement { abstraction, outcome, .. } = self.refiner.best();
        let property = self.refiner.property();
        property.search(self.program, abstraction, outcome, limits, &mut self.runs);
        self.goes_on |= property.is_refuted(&self.runs);
    }

    /// Keeps the result of an exploration.
    pub(super) fn keep_explored(&mut self, mut all: AllStates, allowed: usize) {
        all.states += self.explored.take().map_or(0, |before| before.all.states);
        self.explored = Some(Explored { all, allowed });
    }

    /// Returns `true` if a check of all runs may still prove something.
    pub(super) fn may_check_every_run(&self) -> bool {
        let strategies = [Strategy::Termination, Strategy::Recurrence];
        !self.goes_on && strategies.into_iter().any(|strategy| self.is_allowed(strategy))
    }

    /// Checks all runs, as far as `limits` say.
    pub(super) fn check_every_run(&mut self, limits: &Options) {
        let allowed = &self.limits.refinement.strategies;
        let is_allowed = |strategy| allowed.contains(&strategy);
        let property = self.refiner.property();
        let found = property.check_every_run(self.program, &is_allowed, limits, &mut self.runs);
        let Some(EveryRun { strategy, ending, is_proof }) = found else { return };
        self.goes_on |= ending.goes_on;
        if is_proof {
            let act = match strategy {
                Strategy::Recurrence => Act::recurrence(self.spurious(), ending.states),
                _ => Act::termination(self.spurious(), ending.states, self.open()),
            };
            self.every_run = Some(ProvedByEveryRun { act, states: ending.states });
        }
    }

    /// The first counterexample, with the system that it is one of.
    fn spurious(&self) -> Option<(Arc<System>, Combination)> {
        let first = self.property().counterexamples(self.outcome()).first().cloned();
        first.map(|loops| (Arc::new(self.abstraction().system.clone()), loops))
    }

    /// Gives up a proof by a check of all runs if there is a certificate by now.
    pub(super) fn prefer_certificate(&mut self) {
        if self.open() == 0 {
            self.every_run = None;
        }
    }

    pub(super) fn set_deadline(&mut self, deadline: Deadline) {
        self.limits.runs.deadline = deadline;
        self.refiner.set_deadline(deadline);
    }

    /// A copy that notes nothing but its own calls of engines.
    pub(super) fn branch(&self) -> Self {
        Self { log: Vec::new(), ..self.clone() }
    }

    /// Takes over the abstractions, and the calls of engines, of a [branch](Self::branch).
    pub(super) fn take_abstractions_of(&mut self, other: Self) {
        self.log.extend(other.log);
        self.refiner = other.refiner;
        self.refiner.set_deadline(self.limits.runs.deadline);
        self.hold_against_runs();
    }

    /// Relates runs to the abstraction of now, and calls nothing proved any more if they are
    /// against it. That takes a bug.
    pub(super) fn hold_against_runs(&mut self) {
        let Refinement { abstraction, outcome, .. } = self.refiner.best();
        let property = self.refiner.property();
        property.relate(abstraction, &mut self.runs);
        self.is_contradicted |= property.is_against(outcome, &self.runs);
    }

    /// Units of work that have been done.
    pub(super) fn work(&self) -> usize {
        let explored = self.explored.as_ref().map_or(0, |explored| explored.all.states);
        self.property().states(&self.runs) + explored + self.refiner.rounds()
    }

    pub(super) fn log(&mut self, run: EngineRun) {
        self.log.push(run);
    }

    pub(super) fn tell(&self, side: Side) {
        if let Some(observer) = self.observer {
            observer(side);
        }
    }

    /// The step that has led to this state, where `before` questions were open.
    pub(super) fn step(&self, before: usize, has_progress: bool, why: &str) -> Step {
        if self.open() == 0 || self.is_proved_by_every_run() {
            Step::Proved
        } else if self.property().is_settled(self.outcome(), &self.runs) {
            Step::Refuted
        } else if self.open() < before || has_progress {
            Step::Progress
        } else {
            Step::Exhausted(why.to_owned())
        }
    }

    /// Adds what all states show.
    pub(super) fn conclude(&mut self) {
        if let Some(Explored { all, .. }) = self.explored.take() {
            let abstraction = &self.refiner.best().abstraction;
            self.refiner.property().note_all_states(all, abstraction, &mut self.runs);
            self.hold_against_runs();
        }
    }

    /// The result.
    #[must_use]
    pub fn into_conclusion(self) -> Conclusion<P> {
        let (open, spurious) = (self.open(), self.spurious());
        let allows_exhaustion = self.is_allowed(Strategy::Exhaustion);
        let mut refinement = self.refiner.best().clone();
        let property = self.refiner.property().clone();
        if self.is_contradicted {
            refinement.outcome = property.contradicted(refinement.outcome);
        }
        if let Some(found) = self.every_run {
            refinement.acts.push(found.act);
        } else if let Some(seen) = property.seen_all_states(&self.runs)
            && open > 0
            && allows_exhaustion
            && !self.is_contradicted
        {
            refinement.acts.push(Act::exhaustion(spurious, seen, open));
        }
        Conclusion { refinement, runs: property.finished(self.runs), log: self.log }
    }
}
