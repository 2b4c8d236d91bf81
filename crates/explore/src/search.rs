//! Exhaustive search: breadth first, without any reduction.

mod progress;

use std::collections::BTreeMap;
use std::time::Instant;

pub use progress::{Lasso, Progress};

use crate::state::QueueState;
use crate::store::Store;
use crate::{QueueOrigin, Run, RunError, Semantics, State, Step};

/// How far a search goes.
#[derive(Clone, Debug, Default)]
pub struct Limits {
    /// Most states that are kept, those inside `atomic` included.
    pub states: Option<usize>,
    /// Most bytes that are used for them, roughly.
    pub bytes: Option<usize>,
    /// When to stop.
    pub deadline: Option<Instant>,
    /// How many violations are reported with a run, one for each kind; others are counted. The search does not
    /// stop at them.
    pub violations: usize,
    /// Whether to look for a cycle without progress, when there are no other states or a limit is hit. It takes as long
    /// again as the search.
    pub progress: bool,
}

/// Why a search came to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Completion {
    /// There are no other states.
    Complete,
    /// [`Limits::states`], or more states, or larger ones, than can be kept.
    States,
    /// [`Limits::bytes`]
    Bytes,
    /// [`Limits::deadline`]
    Time,
}

/// What should not be.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Violation {
    /// No process can step, and some is at no valid place to end, while others rest at an `end` label.
    InvalidEnd,
    /// No process can step, and all that have not come to their end are at no valid place to end.
    Deadlock,
    /// An error of the run.
    Error(RunError),
}

impl Violation {
    /// Whether it is only that a limit of the semantics was hit, which the program does not know of.
    #[must_use]
    pub const fn is_limit(&self) -> bool {
        matches!(
            self,
            Self::Error(
                RunError::TooManyProcesses(_)
                    | RunError::TooManyQueues(_)
                    | RunError::DStepTooLong(_)
                    | RunError::EnabledLoop
            )
        )
    }

    /// Whether it is an error behind which a program that is executed elsewhere may go on in ways of which
    /// nothing is known here.
    #[must_use]
    pub const fn is_open(&self) -> bool {
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
    /// States inside `atomic`, in which one process moves next.
    pub held: usize,
    /// Steps from all of these that do not end the run.
    pub transitions: usize,
    /// Bytes in use at the end, roughly.
    pub bytes: usize,
    /// States in which no process can step.
    pub ends: usize,
    /// Those of them that are no valid ends.
    pub invalid_ends: usize,
    /// Those of the invalid ends that are deadlocks of the whole: [`Semantics::is_deadlock`].
    pub deadlocks: usize,
    /// Steps with an error.
    pub errors: usize,
    /// Those of them in which an assertion fails.
    pub assertions: usize,
    /// Most messages that each queue ever held, also in the middle of a `d_step`.
    pub maxima: BTreeMap<QueueOrigin, u32>,
    /// The first violations of each kind, in the order of their distance from the start, and a shortest run
    /// to each.
    pub violations: Vec<(Violation, Run)>,
    /// Whether there is a cycle without progress, if [`Limits::progress`] asks for it.
    pub progress: Progress,
}

impl Semantics {
    /// Looks at all states, breadth first, each kept whole and compared whole. No reduction.
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

struct Search<'a> {
    semantics: &'a Semantics,
    limits: &'a Limits,
    store: Store,
    /// From which state each was met first.
    parents: Vec<u32>,
    maxima: Maxima,
    buffer: Vec<u8>,
    found: Exploration,
    /// Violations, each with the state in which it shows and the position of the step there, if it is one.
    violations: Vec<(Violation, usize, Option<usize>)>,
    /// Whether queues may hold more in the middle of a step than before and after it.
    peaks: bool,
}

impl<'a> Search<'a> {
    fn new(semantics: &'a Semantics, limits: &'a Limits) -> Self {
        let found = Exploration {
            completion: Completion::Complete,
            states: 0,
            held: 0,
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
        };
        Self {
            semantics,
            limits,
            store: Store::default(),
            parents: Vec::new(),
            maxima: Maxima::default(),
            buffer: Vec::new(),
            found,
            violations: Vec::new(),
            peaks: semantics.sends_in_d_step(),
        }
    }

    fn run(&mut self) {
        // Looking at the clock costs more than a state.
        const OFTEN: usize = 256;
        let (mut state, mut steps, mut at) = (State::default(), Vec::new(), 0);
        while at < self.store.len() && self.found.completion == Completion::Complete {
            if at.is_multiple_of(OFTEN)
                && self.limits.deadline.is_some_and(|deadline| Instant::now() >= deadline)
            {
                self.found.completion = Completion::Time;
                return;
            }
            self.semantics.decode(self.store.get(at), &mut state);
            self.semantics.expand(&state, self.peaks, &mut steps);
            if steps.is_empty() {
                self.end(&state, at);
            }
            for (position, step) in steps.drain(..).enumerate() {
                self.step(&state, (at, position), &step);
                if self.found.completion != Completion::Complete {
                    return;
                }
            }
            at += 1;
        }
    }

    fn end(&mut self, state: &State, at: usize) {
        self.found.ends += 1;
        if !self.semantics.is_valid_end(state) {
            self.found.invalid_ends += 1;
            let deadlock = self.semantics.is_deadlock(state);
            self.found.deadlocks += usize::from(deadlock);
            self.violation(if deadlock { Violation::Deadlock } else { Violation::InvalidEnd }, at, None);
        }
    }

    fn step(&mut self, before: &State, (at, position): (usize, usize), step: &Step) {
        if self.peaks {
            self.maxima.peaks(before, step);
        }
        if !step.errors.is_empty() {
            self.found.errors += 1;
            self.found.assertions += usize::from(step.errors.contains(&RunError::Assertion));
            for error in &step.errors {
                self.violation(Violation::Error(error.clone()), at, Some(position));
            }
        }
        if let Some(after) = &step.after {
            self.found.transitions += 1;
            self.meet(after, at);
        }
    }

    fn violation(&mut self, violation: Violation, at: usize, step: Option<usize>) {
        if self.violations.len() < self.limits.violations
            && !self.violations.iter().any(|(earlier, ..)| *earlier == violation)
        {
            self.violations.push((violation, at, step));
        }
    }

    fn meet(&mut self, state: &State, from: usize) {
        self.buffer.clear();
        self.semantics.encode(state, &mut self.buffer);
        let Ok((_, new)) = self.store.insert(&self.buffer) else {
            self.found.completion = Completion::States;
            return;
        };
        if !new {
            return;
        }
        self.parents.push(u32::try_from(from).unwrap_or_default());
        if state.held.is_some() {
            self.found.held += 1;
        } else {
            self.found.states += 1;
        }
        self.maxima.note(state);
        if self.limits.states.is_some_and(|most| self.store.len() >= most) {
            self.found.completion = Completion::States;
        } else if self.limits.bytes.is_some_and(|most| self.store.size() + self.parents.len() * 4 >= most) {
            self.found.completion = Completion::Bytes;
        }
    }

    fn finish(mut self) -> Exploration {
        let violations = std::mem::take(&mut self.violations);
        let violations = violations.into_iter().map(|(violation, at, step)| (violation, self.way(at, step)));
        let violations = violations.collect();
        let maxima = self.maxima.named(self.semantics);
        let bytes = self.store.size() + self.parents.capacity() * size_of::<u32>();
        let progress = if self.limits.progress { self.progress() } else { Progress::Unknown };
        Exploration { violations, maxima, bytes, progress, ..self.found }
    }

    /// A shortest run to a state, and then the step at a position there.
    fn way(&self, at: usize, step: Option<usize>) -> Run {
        let mut way = vec![at];
        while let Some(last) = way.last().copied().filter(|last| *last > 0) {
            way.push(self.parents[last] as usize);
        }
        way.reverse();
        let mut run = self.along(&way);
        if let Some(position) = step {
            let mut state = State::default();
            self.semantics.decode(self.store.get(at), &mut state);
            run.steps
                .extend(self.semantics.successors(&state).into_iter().nth(position).map(|step| step.moves));
        }
        run
    }

    /// A run from state to state.
    fn along(&self, way: &[usize]) -> Run {
        let mut run = Run::default();
        let (mut state, mut next) = (State::default(), State::default());
        for pair in way.windows(2) {
            self.semantics.decode(self.store.get(pair[0]), &mut state);
            self.semantics.decode(self.store.get(pair[1]), &mut next);
            let steps = self.semantics.successors(&state).into_iter();
            let found = steps.into_iter().find(|step| step.after.as_ref() == Some(&next));
            run.steps.extend(found.map(|step| step.moves));
        }
        run
    }
}

/// The most messages that queues held, by declaration and owner.
#[derive(Debug, Default)]
struct Maxima {
    most: Vec<Vec<Option<u32>>>,
}

impl Maxima {
    fn note(&mut self, state: &State) {
        state.queues.iter().for_each(|queue| self.raise(queue, queue.length));
    }

    fn raise(&mut self, queue: &QueueState, length: u32) {
        let code = usize::from(queue.code);
        if self.most.len() <= code {
            self.most.resize(code + 1, Vec::new());
        }
        // Those of globals, whose owner has the greatest number, come first.
        let owner = usize::from(queue.owner.wrapping_add(1));
        let owners = &mut self.most[code];
        if owners.len() <= owner {
            owners.resize(owner + 1, None);
        }
        owners[owner] = owners[owner].max(Some(length));
    }

    /// Lengths in the middle of a step.
    fn peaks(&mut self, before: &State, step: &Step) {
        let mut lengths: BTreeMap<usize, u32> = BTreeMap::new();
        for moved in &step.moves {
            for (message, sent) in [(&moved.sent, true), (&moved.received, false)] {
                let Some(message) = message else { continue };
                let Some(queue) = before.queues.get(message.queue - 1) else { continue };
                let length = lengths.entry(message.queue).or_insert(queue.length);
                *length = if sent { *length + 1 } else { length.saturating_sub(1) };
                if step.moves.len() > 1 {
                    self.raise(queue, *length);
                }
            }
        }
    }

    fn named(&self, semantics: &Semantics) -> BTreeMap<QueueOrigin, u32> {
        let mut named = BTreeMap::new();
        for (code, owners) in semantics.queues.iter().zip(&self.most) {
            for (owner, most) in owners.iter().enumerate() {
                let Some(most) = *most else { continue };
                let process = code.owner.map(|ty| (owner.wrapping_sub(1), ty));
                let origin = QueueOrigin { process, variable: code.variable, element: code.element as usize };
                // A message that is handed over was never in a queue.
                named.insert(origin, if code.rendezvous { 0 } else { most });
            }
        }
        named
    }
}
