//! Exhaustive breadth-first search without reductions.
//!
//! Only states in which control is free are stored. From each of them one atomic macro-step is
//! searched: the states inside `atomic` in front of the next free ones, which are discarded
//! afterwards.

mod components;
pub(crate) mod macro_step;
pub(crate) mod maxima;
mod progress;

use cfsm_core::deadline::Deadline;
use cfsm_core::program::{EdgeId, ProcessTypeId};
use std::collections::BTreeMap;

use macro_step::MacroStep;
use maxima::Maxima;
pub use progress::{Lasso, Progress};

use crate::ready::FullQueue;
use crate::store::{Full, Store};
use crate::{Move, QueueOrigin, Run, RunError, Semantics, State, Step};

/// Limits and options of a search.
#[derive(Clone, Debug, Default)]
pub struct Limits {
    /// Greatest number of states in which control is free, and of states inside `atomic` between
    /// one of them and the next ones. Only these are kept at a time.
    pub states: Option<usize>,
    /// Greatest number of states inside `atomic` that are passed in the whole search:
    /// [`Exploration::passed`].
    pub passed: Option<usize>,
    /// Greatest amount of work, in bytes of all successor states as they would be stored; the time
    /// of a step is proportional to it. Only
    /// [`Semantics::recurrence`](crate::Semantics::recurrence) and [`Semantics::explore`] observe
    /// this limit.
    pub work: Option<usize>,
    /// Approximate greatest number of bytes for states.
    pub bytes: Option<usize>,
    /// Time at which the search stops.
    pub deadline: Deadline,
    /// Greatest number of violations that are reported with a run, one for each kind; further ones
    /// are only counted. The search does not stop at them.
    pub violations: usize,
    /// `true` to search for a non-progress cycle once all states are visited or a limit is hit.
    /// That takes as long again as the search, or twice as long.
    pub progress: bool,
    /// `true` to record, for each queue, the first state in which a send to it finds the queue
    /// full.
    pub waits: bool,
}

/// Reason for which a search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Completion {
    /// All states were visited.
    Complete,
    /// [`Limits::states`], [`Limits::passed`] or [`Limits::work`] was hit, or there are more
    /// states, or larger ones, than can be stored.
    States,
    /// [`Limits::bytes`] was hit.
    Bytes,
    /// [`Limits::deadline`] was hit.
    Time,
    /// All states were visited, but the environment of the program may do more than is tried:
    /// [`Environment::is_complete`](cfsm_core::program::Environment::is_complete).
    Environment,
}

impl Completion {
    /// The reason for which a search ended, in any environment of the program.
    pub(crate) fn in_any_environment(self, semantics: &Semantics) -> Self {
        match self {
            Self::Complete if semantics.leaves_out_steps() => Self::Environment,
            _ => self,
        }
    }
}

/// A violation of the properties that Spin checks by default.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Violation {
    /// No process can step, and some process is not at a valid end state, while another one rests
    /// at an `end` label.
    InvalidEnd,
    /// No process can step, and no process that has not terminated is at a valid end state.
    Deadlock,
    /// A run-time error.
    Error(RunError),
}

impl Violation {
    /// Returns `true` if the violation only says that a limit of the semantics was hit, which the
    /// program does not know.
    #[must_use]
    pub const fn is_limit(&self) -> bool {
        matches!(
            self,
            Self::Error(
                RunError::TooManyProcesses(_)
                    | RunError::TooManyQueues(_)
                    | RunError::DStepTooLong(_)
                    | RunError::EnabledLoop
                    | RunError::TooManyWaiting(_)
            )
        )
    }

    /// Returns `true` for an error behind which the program, executed elsewhere, may continue in
    /// ways that this semantics does not define.
    #[must_use]
    pub const fn is_open(&self) -> bool {
        // A receive with more fields than the channel: Spin's simulator continues behind it, its
        // verifier does not.
        if let Self::Error(RunError::FieldCount { given, wanted }) = self {
            return *given > *wanted;
        }
        matches!(
            self,
            Self::Error(
                RunError::Shift(_)
                    | RunError::DivisionByZero
                    | RunError::DivisionOverflow
                    | RunError::UnknownChannel(_)
                    | RunError::ChannelOverwritten
                    | RunError::RemoteType(_)
            )
        )
    }
}

/// Result of an exhaustive search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exploration {
    /// Reason for which the search ended.
    pub completion: Completion,
    /// Number of states in which control is free: those that Spin's verifier stores.
    pub states: usize,
    /// Number of states inside `atomic` that were passed between free states. They are not stored:
    /// one that lies behind several free states counts once for each of them.
    pub passed: usize,
    /// Number of steps from all of these states that do not end the run; those inside `atomic`
    /// count as often as the states.
    pub transitions: usize,
    /// Approximate number of bytes in use at the end.
    pub bytes: usize,
    /// Number of states in which no process can step.
    pub ends: usize,
    /// Number of these states that are not valid end states.
    pub invalid_ends: usize,
    /// Number of the invalid end states that are deadlocks of the whole program:
    /// [`Semantics::is_deadlock`].
    pub deadlocks: usize,
    /// Number of steps with an error; those inside `atomic` count as often as the states.
    pub errors: usize,
    /// Number of these steps in which an assertion fails.
    pub assertions: usize,
    /// Greatest number of messages that each queue ever held, including the middle of a `d_step`.
    pub maxima: BTreeMap<QueueOrigin, u32>,
    /// The first violation of each kind, with a run to it. No run passes fewer free states, and
    /// between two of them it takes as few steps as possible; without `atomic` it is a shortest
    /// run. Violations are in the order of their distance from the initial state, counted in free
    /// states.
    pub violations: Vec<(Violation, Run)>,
    /// Result of the search for non-progress cycles, if [`Limits::progress`] asks for it.
    pub progress: Progress,
    /// For each queue that some send finds full, the first such send, if [`Limits::waits`] asks for
    /// it.
    pub waits: BTreeMap<QueueOrigin, WaitingSend>,
    /// `true` if some `d_step` has a send that is not its first statement. `waits` does not cover
    /// these: the queue is full in the middle of a step.
    pub has_sends_in_d_steps: bool,
}

/// A send that finds its queue full.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WaitingSend {
    /// The type of the process.
    pub process_type: ProcessTypeId,
    /// The edge of the send statement.
    pub edge: EdgeId,
    /// A run to the state in which the process is at the statement.
    pub run: Run,
}

impl Semantics {
    /// Visits all states, breadth first, without reductions, each stored in full (no hashing). Only
    /// states in which control is free are kept for the whole search.
    ///
    /// # Errors
    /// The error of the initial state, if it has one.
    pub fn explore(&self, limits: &Limits) -> Result<Exploration, RunError> {
        let start = self.initial()?;
        let mut search = Search::new(self, limits);
        search.insert(&start, 0);
        search.run();
        Ok(search.finish())
    }
}

/// Checks the deadline at every 256th call only, since reading the clock costs more than expanding
/// a state.
pub(crate) struct Clock {
    deadline: Deadline,
    asked: usize,
}

impl Clock {
    pub(crate) const fn new(limits: &Limits) -> Self {
        Self { deadline: limits.deadline, asked: 0 }
    }

    pub(crate) fn is_late(&mut self) -> bool {
        const OFTEN: usize = 256;
        let now = self.asked.is_multiple_of(OFTEN);
        self.asked += 1;
        now && self.deadline.is_over()
    }
}

struct Search<'a> {
    semantics: &'a Semantics,
    limits: &'a Limits,
    clock: Clock,
    /// The states in which control is free, and the initial state.
    store: Store,
    /// For each stored state, the one from which it was reached first.
    parents: Vec<u32>,
    /// The macro-step that is being searched.
    macro_step: MacroStep,
    /// `true` if a step inside `atomic` led to a state inside that had been reached in the same
    /// macro-step.
    meets_again: bool,
    maxima: Maxima,
    buffer: Vec<u8>,
    found: Exploration,
    /// Violations, each with the last free state before it and the moves from there on.
    violations: Vec<(Violation, usize, Vec<Vec<Move>>)>,
    /// Queues that a send finds full, each with the last free state before that and the moves from
    /// there on.
    waits: BTreeMap<QueueOrigin, (FullQueue, usize, Vec<Vec<Move>>)>,
    /// `true` if queues may hold more in the middle of a step than before and after it.
    peaks: bool,
    /// Number of bytes of all successor states.
    work: usize,
}

impl<'a> Search<'a> {
    fn new(semantics: &'a Semantics, limits: &'a Limits) -> Self {
        let found = Exploration {
            completion: Completion::Complete,
            states: 0,
            passed: 0,
            transitions: 0,
            bytes: 0,
            ends: 0,
            invalid_ends: 0,
            deadlocks: 0,
            errors: 0,
            assertions: 0,
            maxima: BTreeMap::new(),
            violations: Vec::new(),
            progress: Progress::Unknown,
            waits: BTreeMap::new(),
            has_sends_in_d_steps: semantics.sends_in_d_step(),
        };
        Self {
            semantics,
            limits,
            clock: Clock::new(limits),
            store: Store::default(),
            parents: Vec::new(),
            macro_step: MacroStep::default(),
            meets_again: false,
            maxima: Maxima::default(),
            buffer: Vec::new(),
            found,
            violations: Vec::new(),
            waits: BTreeMap::new(),
            peaks: semantics.sends_in_d_step(),
            work: 0,
        }
    }

    fn run(&mut self) {
        let (mut steps, mut at) = (Vec::new(), 0);
        while at < self.store.len() && self.found.completion == Completion::Complete {
            self.pass(at, &mut steps);
            at += 1;
        }
    }

    /// Searches the macro-step from a stored state; `steps` is a buffer for reuse.
    fn pass(&mut self, at: usize, steps: &mut Vec<Step>) {
        self.macro_step.begin();
        while let Some(place) = self.macro_step.advance(self.semantics, self.store.get(at)) {
            if self.clock.is_late() {
                self.found.completion = Completion::Time;
                return;
            }
            self.semantics.expand(&self.macro_step.state, self.peaks, steps);
            if self.limits.waits {
                self.note_waits(at, place);
            }
            if steps.is_empty() {
                self.end(at, place);
            }
            for (position, step) in steps.drain(..).enumerate() {
                self.step(at, place, position, &step);
                if self.found.completion != Completion::Complete {
                    return;
                }
            }
        }
    }

    /// Records the queues that a send finds full in the current state.
    fn note_waits(&mut self, at: usize, place: usize) {
        let state = &self.macro_step.state;
        let full = self.semantics.full_for_sends(state);
        let named = full
            .into_iter()
            .filter_map(|full| Some((self.semantics.queue_origin(state, full.queue + 1)?, full)));
        let new: Vec<(QueueOrigin, FullQueue)> =
            named.filter(|(origin, _)| !self.waits.contains_key(origin)).collect();
        if !new.is_empty() {
            let moves = self.macro_step.moves(self.semantics, self.store.get(at), place, None);
            self.waits.extend(new.into_iter().map(|(origin, full)| (origin, (full, at, moves.clone()))));
        }
    }

    fn end(&mut self, at: usize, place: usize) {
        self.found.ends += 1;
        let state = &self.macro_step.state;
        if !self.semantics.is_valid_end(state) {
            self.found.invalid_ends += 1;
            let deadlock = self.semantics.is_deadlock(state);
            self.found.deadlocks += usize::from(deadlock);
            let violation = if deadlock { Violation::Deadlock } else { Violation::InvalidEnd };
            self.violation(violation, at, place, None);
        }
    }

    /// Handles the step with index `position` at a place of the macro-step from a stored state.
    fn step(&mut self, at: usize, place: usize, position: usize, step: &Step) {
        if self.peaks {
            self.maxima.peaks(&self.macro_step.state, step);
        }
        if !step.errors.is_empty() {
            self.found.errors += 1;
            self.found.assertions += usize::from(step.errors.contains(&RunError::Assertion));
            for error in &step.errors {
                self.violation(Violation::Error(error.clone()), at, place, Some(position));
            }
        }
        if let Some(after) = &step.after {
            self.found.transitions += 1;
            if after.held.is_some() { self.enter(after, place) } else { self.insert(after, at) }
        }
    }

    /// Records a violation, unless it is already known, with the moves to it: those from the stored
    /// state to the place and those of the step with index `position` there.
    fn violation(&mut self, violation: Violation, at: usize, place: usize, position: Option<usize>) {
        if self.violations.len() < self.limits.violations
            && !self.violations.iter().any(|(earlier, ..)| *earlier == violation)
        {
            let moves = self.macro_step.moves(self.semantics, self.store.get(at), place, position);
            self.violations.push((violation, at, moves));
        }
    }

    /// Enters a state inside `atomic`.
    fn enter(&mut self, state: &State, from: usize) {
        match self.macro_step.enter(self.semantics, state, from) {
            Err(Full) => self.found.completion = Completion::States,
            Ok((_, false)) => self.meets_again |= from > 0,
            Ok((_, true)) => {
                self.found.passed += 1;
                self.maxima.note(state);
                self.check_limits();
            }
        }
    }

    /// Reaches a state in which control is free, or the initial state.
    fn insert(&mut self, state: &State, from: usize) {
        self.buffer.clear();
        self.semantics.encode(state, &mut self.buffer);
        self.work += self.buffer.len();
        if self.limits.work.is_some_and(|most| self.work >= most) {
            self.found.completion = Completion::States;
            return;
        }
        let Ok((_, new)) = self.store.insert(&self.buffer) else {
            self.found.completion = Completion::States;
            return;
        };
        if !new {
            return;
        }
        self.parents.push(u32::try_from(from).unwrap_or_default());
        self.found.states += 1;
        self.maxima.note(state);
        self.check_limits();
    }

    fn check_limits(&mut self) {
        let hit = |limit: Option<usize>, count: usize| limit.is_some_and(|most| count >= most);
        if hit(self.limits.states, self.store.len().max(self.macro_step.len()))
            || hit(self.limits.passed, self.found.passed)
        {
            self.found.completion = Completion::States;
        } else if hit(self.limits.bytes, self.size(&self.macro_step)) {
            self.found.completion = Completion::Bytes;
        }
    }

    /// Approximate number of bytes of all stored states and a macro-step.
    fn size(&self, macro_step: &MacroStep) -> usize {
        self.store.size() + self.parents.len() * size_of::<u32>() + macro_step.size()
    }

    fn finish(mut self) -> Exploration {
        self.found.completion = self.found.completion.in_any_environment(self.semantics);
        let violations = std::mem::take(&mut self.violations);
        let violations = violations.into_iter().map(|(violation, at, tail)| (violation, self.path(at, tail)));
        let violations = violations.collect();
        let waits = std::mem::take(&mut self.waits);
        let told = |(origin, (full, at, tail)): (QueueOrigin, (FullQueue, usize, Vec<Vec<Move>>))| {
            let FullQueue { process_type, edge, .. } = full;
            (origin, WaitingSend { process_type, edge, run: self.path(at, tail) })
        };
        let waits = waits.into_iter().map(told).collect();
        let maxima = self.maxima.named(self.semantics);
        let bytes = self.store.size() + self.parents.capacity() * size_of::<u32>() + self.macro_step.size();
        let progress = if self.limits.progress { self.progress() } else { Progress::Unknown };
        Exploration { violations, maxima, bytes, progress, waits, ..self.found }
    }

    /// A run to a stored state that passes as few free states as possible, followed by further
    /// moves.
    fn path(&self, at: usize, tail: Vec<Vec<Move>>) -> Run {
        let mut way = vec![at];
        while let Some(last) = way.last().copied().filter(|last| *last > 0) {
            way.push(self.parents[last] as usize);
        }
        way.reverse();
        let mut run = self.along(&way);
        run.steps.extend(tail);
        run
    }

    /// A run along stored states, as short as possible between each two.
    fn along(&self, way: &[usize]) -> Run {
        let mut macro_step = MacroStep::default();
        let steps = way.windows(2).flat_map(|pair| self.through(&mut macro_step, pair[0], pair[1]));
        Run { steps: steps.collect() }
    }

    /// The moves of the macro-step from one stored state to another one.
    fn through(&self, macro_step: &mut MacroStep, from: usize, to: usize) -> Vec<Vec<Move>> {
        let (start, mut target, mut steps) = (self.store.get(from), State::default(), Vec::new());
        self.semantics.decode(self.store.get(to), &mut target);
        macro_step.begin();
        while let Some(place) = macro_step.advance(self.semantics, start) {
            self.semantics.expand(&macro_step.state, false, &mut steps);
            for (position, step) in steps.drain(..).enumerate() {
                match step.after {
                    Some(after) if after == target => {
                        return macro_step.moves(self.semantics, start, place, Some(position));
                    }
                    // Entering the state was possible in the search.
                    Some(after) if after.held.is_some() => {
                        let _ = macro_step.enter(self.semantics, &after, place);
                    }
                    _ => {}
                }
            }
        }
        Vec::new()
    }
}
