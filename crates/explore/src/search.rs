//! Exhaustive search: breadth first, without any reduction.
//!
//! What is stored are the states in which control is free. From each of them one passage is
//! searched: the states inside `atomic` that lie before the next free ones, which are forgotten
//! after it.

mod components;
pub(crate) mod maxima;
pub(crate) mod passage;
mod progress;

use cfsm_core::deadline::Deadline;
use cfsm_core::program::{EdgeId, ProcessTypeId};
use std::collections::BTreeMap;

use maxima::Maxima;
use passage::Passage;
pub use progress::{Lasso, Progress};

use crate::ready::FullQueue;
use crate::store::{Full, Store};
use crate::{Move, QueueOrigin, Run, RunError, Semantics, State, Step};

/// How far a search goes.
#[derive(Clone, Debug, Default)]
pub struct Limits {
    /// Most states in which control is free, and most states inside `atomic` between one of them
    /// and the next ones. Those are all that are kept at a time.
    pub states: Option<usize>,
    /// Most states inside `atomic` that are passed in the whole search: [`Exploration::passed`].
    pub passed: Option<usize>,
    /// Most work: bytes of all states that steps lead to, as they would be stored; a step takes
    /// time in proportion to them. Only [`Semantics::recurrence`](crate::Semantics::recurrence) and
    /// [`Semantics::explore`] look at it.
    pub work: Option<usize>,
    /// Most bytes that are used for states, roughly.
    pub bytes: Option<usize>,
    /// When to stop.
    pub deadline: Deadline,
    /// How many violations are reported with a run, one for each kind; others are counted. The
    /// search does not stop at them.
    pub violations: usize,
    /// Whether to look for a cycle without progress, when there are no other states or a limit is
    /// hit. It takes as long again as the search, or twice as long.
    pub progress: bool,
    /// Whether to note the first state in which a send to each queue finds no room.
    pub waits: bool,
}

/// Why a search came to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Completion {
    /// There are no other states.
    Complete,
    /// [`Limits::states`], [`Limits::passed`] or [`Limits::work`], or more states, or larger ones,
    /// than can be kept.
    States,
    /// [`Limits::bytes`]
    Bytes,
    /// [`Limits::deadline`]
    Time,
}

/// What should not be.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Violation {
    /// No process can step, and some is at no valid place to end, while others rest at an `end`
    /// label.
    InvalidEnd,
    /// No process can step, and all that have not come to their end are at no valid place to end.
    Deadlock,
    /// An error of the run.
    Error(RunError),
}

impl Violation {
    /// Whether it is only that a limit of the semantics was hit, which the program does not know
    /// of.
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

    /// Whether it is an error behind which a program that is executed elsewhere may go on in ways
    /// of which nothing is known here.
    #[must_use]
    pub const fn is_open(&self) -> bool {
        // A receive of more fields than there are: Spin's simulator goes on behind it, its verifier
        // does not.
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

/// What a search found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exploration {
    /// Whether it has seen all.
    pub completion: Completion,
    /// States between which control is free: those that Spin's verifier stores.
    pub states: usize,
    /// How many states inside `atomic`, in which one process moves next, were passed on the way
    /// from a free state to the next ones. They are not stored: one that lies behind several free
    /// states counts once for each of them.
    pub passed: usize,
    /// Steps from all of these that do not end the run; those inside `atomic` count as often as the
    /// states.
    pub transitions: usize,
    /// Bytes in use at the end, roughly.
    pub bytes: usize,
    /// States in which no process can step.
    pub ends: usize,
    /// Those of them that are no valid ends.
    pub invalid_ends: usize,
    /// Those of the invalid ends that are deadlocks of the whole: [`Semantics::is_deadlock`].
    pub deadlocks: usize,
    /// Steps with an error; those inside `atomic` count as often as the states.
    pub errors: usize,
    /// Those of them in which an assertion fails.
    pub assertions: usize,
    /// Most messages that each queue ever held, also in the middle of a `d_step`.
    pub maxima: BTreeMap<QueueOrigin, u32>,
    /// The first violations of each kind, and a run to each. There is none through fewer free
    /// states, and between each two of them it takes as few steps as possible; without `atomic` it
    /// is a shortest one. Violations are in the order of their distance from the start, counted in
    /// free states.
    pub violations: Vec<(Violation, Run)>,
    /// Whether there is a cycle without progress, if [`Limits::progress`] asks for it.
    pub progress: Progress,
    /// For each queue to which a send finds no room in some state, the first such send, as far as
    /// [`Limits::waits`] asks for it.
    pub waits: BTreeMap<QueueOrigin, WaitingSend>,
    /// Whether some `d_step` has a send that is not its first statement: that one of these finds no
    /// room is no state.
    pub has_sends_in_d_steps: bool,
}

/// A send that finds no room.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WaitingSend {
    /// The type of the process.
    pub process_type: ProcessTypeId,
    /// The statement.
    pub edge: EdgeId,
    /// A run to the state in which the process is there.
    pub run: Run,
}

impl Semantics {
    /// Looks at all states, breadth first, each compared whole. Kept for the whole search are those
    /// in which control is free. No reduction.
    ///
    /// # Errors
    /// What goes wrong at the start.
    pub fn explore(&self, limits: &Limits) -> Result<Exploration, RunError> {
        let start = self.initial()?;
        let mut search = Search::new(self, limits);
        search.meet(&start, 0);
        search.run();
        Ok(search.finish())
    }
}

/// Tells now and then whether it is too late: to look at the clock costs more than a state.
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
    /// The states in which control is free, and the start.
    store: Store,
    /// From which of them each was met first.
    parents: Vec<u32>,
    /// What lies between one of them and the next ones.
    passage: Passage,
    /// Whether a step inside `atomic` led to a state inside that had been met in the same passage.
    meets_again: bool,
    maxima: Maxima,
    buffer: Vec<u8>,
    found: Exploration,
    /// Violations, each with the last free state before it and what moves from there on.
    violations: Vec<(Violation, usize, Vec<Vec<Move>>)>,
    /// Queues to which a send finds no room, each with the last free state before that and what
    /// moves from there on.
    waits: BTreeMap<QueueOrigin, (FullQueue, usize, Vec<Vec<Move>>)>,
    /// Whether queues may hold more in the middle of a step than before and after it.
    peaks: bool,
    /// Bytes of all states that steps led to.
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
            passage: Passage::default(),
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

    /// Goes through the passage from a stored state; `steps` is room for steps.
    fn pass(&mut self, at: usize, steps: &mut Vec<Step>) {
        self.passage.begin();
        while let Some(place) = self.passage.advance(self.semantics, self.store.get(at)) {
            if self.clock.is_late() {
                self.found.completion = Completion::Time;
                return;
            }
            self.semantics.expand(&self.passage.state, self.peaks, steps);
            if self.limits.waits {
                self.note_waits(at, place);
            }
            if steps.is_empty() {
                self.end(at, place);
            }
            for (position, step) in steps.drain(..).enumerate() {
                self.step((at, place, position), &step);
                if self.found.completion != Completion::Complete {
                    return;
                }
            }
        }
    }

    /// Notes to which queues a send finds no room in the state of the passage.
    fn note_waits(&mut self, at: usize, place: usize) {
        let state = &self.passage.state;
        let full = self.semantics.full_for_sends(state);
        let named = full
            .into_iter()
            .filter_map(|full| Some((self.semantics.queue_origin(state, full.queue + 1)?, full)));
        let new: Vec<(QueueOrigin, FullQueue)> =
            named.filter(|(origin, _)| !self.waits.contains_key(origin)).collect();
        if !new.is_empty() {
            let moves = self.passage.moves(self.semantics, self.store.get(at), (place, None));
            self.waits.extend(new.into_iter().map(|(origin, full)| (origin, (full, at, moves.clone()))));
        }
    }

    fn end(&mut self, at: usize, place: usize) {
        self.found.ends += 1;
        let state = &self.passage.state;
        if !self.semantics.is_valid_end(state) {
            self.found.invalid_ends += 1;
            let deadlock = self.semantics.is_deadlock(state);
            self.found.deadlocks += usize::from(deadlock);
            let violation = if deadlock { Violation::Deadlock } else { Violation::InvalidEnd };
            self.violation(violation, at, (place, None));
        }
    }

    fn step(&mut self, (at, place, position): (usize, usize, usize), step: &Step) {
        if self.peaks {
            self.maxima.peaks(&self.passage.state, step);
        }
        if !step.errors.is_empty() {
            self.found.errors += 1;
            self.found.assertions += usize::from(step.errors.contains(&RunError::Assertion));
            for error in &step.errors {
                self.violation(Violation::Error(error.clone()), at, (place, Some(position)));
            }
        }
        if let Some(after) = &step.after {
            self.found.transitions += 1;
            if after.held.is_some() { self.enter(after, place) } else { self.meet(after, at) }
        }
    }

    fn violation(&mut self, violation: Violation, at: usize, step: (usize, Option<usize>)) {
        if self.violations.len() < self.limits.violations
            && !self.violations.iter().any(|(earlier, ..)| *earlier == violation)
        {
            let moves = self.passage.moves(self.semantics, self.store.get(at), step);
            self.violations.push((violation, at, moves));
        }
    }

    /// Comes to a state inside `atomic`.
    fn enter(&mut self, state: &State, from: usize) {
        match self.passage.enter(self.semantics, state, from) {
            Err(Full) => self.found.completion = Completion::States,
            Ok((_, false)) => self.meets_again |= from > 0,
            Ok((_, true)) => {
                self.found.passed += 1;
                self.maxima.note(state);
                self.check_limits();
            }
        }
    }

    /// Comes to a state in which control is free, or to the start.
    fn meet(&mut self, state: &State, from: usize) {
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
        if hit(self.limits.states, self.store.len().max(self.passage.len()))
            || hit(self.limits.passed, self.found.passed)
        {
            self.found.completion = Completion::States;
        } else if hit(self.limits.bytes, self.size(&self.passage)) {
            self.found.completion = Completion::Bytes;
        }
    }

    /// How many bytes all stored states and a passage take, roughly.
    fn size(&self, passage: &Passage) -> usize {
        self.store.size() + self.parents.len() * size_of::<u32>() + passage.size()
    }

    fn finish(mut self) -> Exploration {
        let violations = std::mem::take(&mut self.violations);
        let violations = violations.into_iter().map(|(violation, at, tail)| (violation, self.way(at, tail)));
        let violations = violations.collect();
        let waits = std::mem::take(&mut self.waits);
        let told = |(origin, (full, at, tail)): (QueueOrigin, (FullQueue, usize, Vec<Vec<Move>>))| {
            let FullQueue { process_type, edge, .. } = full;
            (origin, WaitingSend { process_type, edge, run: self.way(at, tail) })
        };
        let waits = waits.into_iter().map(told).collect();
        let maxima = self.maxima.named(self.semantics);
        let bytes = self.store.size() + self.parents.capacity() * size_of::<u32>() + self.passage.size();
        let progress = if self.limits.progress { self.progress() } else { Progress::Unknown };
        Exploration { violations, maxima, bytes, progress, waits, ..self.found }
    }

    /// A run to a stored state on which no other has fewer free states, and what moves then.
    fn way(&self, at: usize, tail: Vec<Vec<Move>>) -> Run {
        let mut way = vec![at];
        while let Some(last) = way.last().copied().filter(|last| *last > 0) {
            way.push(self.parents[last] as usize);
        }
        way.reverse();
        let mut run = self.along(&way);
        run.steps.extend(tail);
        run
    }

    /// A run from stored state to stored state, as short as possible between each two.
    fn along(&self, way: &[usize]) -> Run {
        let mut passage = Passage::default();
        let steps = way.windows(2).flat_map(|pair| self.through(&mut passage, pair[0], pair[1]));
        Run { steps: steps.collect() }
    }

    /// What moves in the passage from a stored state to another one.
    fn through(&self, passage: &mut Passage, from: usize, to: usize) -> Vec<Vec<Move>> {
        let (start, mut target, mut steps) = (self.store.get(from), State::default(), Vec::new());
        self.semantics.decode(self.store.get(to), &mut target);
        passage.begin();
        while let Some(place) = passage.advance(self.semantics, start) {
            self.semantics.expand(&passage.state, false, &mut steps);
            for (position, step) in steps.drain(..).enumerate() {
                match step.after {
                    Some(after) if after == target => {
                        return passage.moves(self.semantics, start, (place, Some(position)));
                    }
                    // It was possible before.
                    Some(after) if after.held.is_some() => drop(passage.enter(self.semantics, &after, place)),
                    _ => {}
                }
            }
        }
        Vec::new()
    }
}
