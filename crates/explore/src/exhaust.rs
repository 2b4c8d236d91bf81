//! Exhaustive state-space search with reductions, for readings of capacities in which no send has
//! to wait. Proves the greatest number of messages that each queue holds.
//!
//! As in [`explore`](Semantics::explore), only states in which control is free are stored, less
//! those that the reductions leave out. No runs are recorded.

use std::collections::BTreeMap;

use crate::reduce::{Reduction, Tables};
use crate::search::Clock;
use crate::search::macro_step::MacroStep;
use crate::search::maxima::Maxima;
use crate::store::{Full, Store};
use crate::{Completion, Limits, QueueOrigin, RunError, Semantics, State, Step, Violation};

/// A proof that the search was exhaustive while no buffer had a limit, though sends to some may
/// have been allowed to wait ([`Limit::Either`](cfsm_core::program::Limit::Either)). Hence no
/// buffer can grow without limit in any of the readings that were searched, and the proof holds a
/// bound for each. Only [`Semantics::exhaust`] and [`Semantics::exhaust_in_sets`] construct it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exhausted {
    states: usize,
    in_sets: bool,
    maxima: BTreeMap<QueueOrigin, u32>,
}

impl Exhausted {
    pub(crate) const fn new(states: usize, in_sets: bool, maxima: BTreeMap<QueueOrigin, u32>) -> Self {
        Self { states, in_sets, maxima }
    }

    /// Number of states that were stored; the unreduced state space is larger. [`usize::MAX`]
    /// stands for any larger number, too.
    #[must_use]
    pub const fn states(&self) -> usize {
        self.states
    }

    /// `true` if the states were explored symbolically ([`Semantics::exhaust_in_sets`]), not one by
    /// one.
    #[must_use]
    pub const fn in_sets(&self) -> bool {
        self.in_sets
    }

    /// Greatest number of messages that each queue ever holds, including the middle of a step. It
    /// is an upper bound in each of the readings, and it is attained in some run unless sends could
    /// be made to wait ([`Semantics::has_waiting_choices`]).
    #[must_use]
    pub const fn maxima(&self) -> &BTreeMap<QueueOrigin, u32> {
        &self.maxima
    }
}

/// Result of an exhaustive search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exhaustion {
    /// Reason for which the search ended.
    pub completion: Completion,
    /// Number of stored states.
    pub states: usize,
    /// Number of states inside `atomic` that were passed between stored states.
    pub passed: usize,
    /// Number of steps that do not end the run.
    pub transitions: usize,
    /// Approximate number of bytes in use at the end.
    pub bytes: usize,
    /// Greatest number of messages that each queue held in the states that were visited.
    pub seen: BTreeMap<QueueOrigin, u32>,
    /// `true` if some state has no step and is not a valid end state.
    pub invalid_end: bool,
    /// `true` if one of these states is a deadlock of the whole program:
    /// [`Semantics::is_deadlock`].
    pub deadlock: bool,
    /// The distinct errors of steps.
    pub errors: Vec<RunError>,
    /// The proof, if there is one: the search is complete, no error hides further states, and no
    /// send had to wait.
    pub proof: Option<Exhausted>,
}

impl Semantics {
    /// Visits all states that the reductions leave, each stored in full (no hashing).
    ///
    /// [`Limits::violations`] and [`Limits::progress`] are ignored.
    ///
    /// # Errors
    /// The error of the initial state, if it has one.
    pub fn exhaust(&self, limits: &Limits, reduction: Reduction) -> Result<Exhaustion, RunError> {
        self.exhaust_watched(limits, reduction, &mut |_| {})
    }

    /// As [`exhaust`](Self::exhaust), and calls `watch` with each state that the search reaches,
    /// including those inside `atomic` and those reached before. Whatever queues hold at some time
    /// they hold in one of these states, except in the middle of steps. With
    /// [`Reduction::early_sends`] they may hold more.
    ///
    /// # Errors
    /// The error of the initial state, if it has one.
    pub fn exhaust_watched(
        &self,
        limits: &Limits,
        reduction: Reduction,
        watch: &mut dyn FnMut(&State),
    ) -> Result<Exhaustion, RunError> {
        let start = self.initial()?;
        let reduced = reduction.of_program(self);
        let mut search = Search::new(reduced.as_ref().unwrap_or(self), limits, reduction, watch);
        search.enqueue(start);
        search.run();
        Ok(search.finish())
    }
}

struct Search<'a> {
    semantics: &'a Semantics,
    limits: &'a Limits,
    tables: Tables,
    clock: Clock,
    store: Store,
    /// For each stored state, `true` if the steps of some process are local. There are several such
    /// steps, or the state would not be stored.
    branches: Vec<bool>,
    macro_step: MacroStep,
    maxima: Maxima,
    buffer: Vec<u8>,
    /// Steps of one process, and their storage for reuse.
    alone: Vec<Step>,
    /// States whose storage is reused.
    room: Vec<State>,
    /// `true` if queues may hold more in the middle of a step than before and after it.
    peaks: bool,
    watch: &'a mut dyn FnMut(&State),
    found: Exhaustion,
}

impl<'a> Search<'a> {
    fn new(
        semantics: &'a Semantics,
        limits: &'a Limits,
        reduction: Reduction,
        watch: &'a mut dyn FnMut(&State),
    ) -> Self {
        let found = Exhaustion {
            completion: Completion::Complete,
            states: 0,
            passed: 0,
            transitions: 0,
            bytes: 0,
            seen: BTreeMap::new(),
            invalid_end: false,
            deadlock: false,
            errors: Vec::new(),
            proof: None,
        };
        Self {
            semantics,
            limits,
            tables: Tables::new(semantics, reduction),
            clock: Clock::new(limits),
            store: Store::default(),
            branches: Vec::new(),
            macro_step: MacroStep::default(),
            maxima: Maxima::default(),
            buffer: Vec::new(),
            alone: Vec::new(),
            room: Vec::new(),
            peaks: semantics.sends_in_d_step(),
            watch,
            found,
        }
    }

    fn run(&mut self) {
        let (mut steps, mut at) = (Vec::new(), 0);
        while at < self.store.len() && self.found.completion == Completion::Complete {
            self.pass(at, &mut steps);
            at += 1;
        }
    }

    /// Expands a stored state and all states inside `atomic` behind it; `steps` is a buffer for
    /// reuse.
    fn pass(&mut self, at: usize, steps: &mut Vec<Step>) {
        self.macro_step.begin();
        while let Some(place) = self.macro_step.advance(self.semantics, self.store.get(at)) {
            if self.clock.is_late() {
                self.found.completion = Completion::Time;
                return;
            }
            let state = std::mem::take(&mut self.macro_step.state);
            if place == 0 && self.branches[at] && self.first_local(&state) {
                std::mem::swap(&mut self.alone, steps);
            } else {
                self.semantics.expand_in(&state, self.peaks, steps, &mut self.room);
            }
            if steps.is_empty() {
                self.end(&state);
            }
            self.macro_step.state = state;
            for step in steps.drain(..) {
                self.step(place, step);
                if self.found.completion != Completion::Complete {
                    return;
                }
            }
        }
    }

    fn step(&mut self, place: usize, step: Step) {
        if self.peaks {
            self.maxima.peaks(&self.macro_step.state, &step);
        }
        self.note_errors(&step.errors);
        let Some(after) = step.after else { return };
        self.found.transitions += 1;
        if after.held.is_some() {
            self.enter(&after, place);
            self.room.push(after);
        } else {
            self.enqueue(after);
        }
    }

    fn note_errors(&mut self, errors: &[RunError]) {
        for error in errors {
            if !self.found.errors.contains(error) {
                self.found.errors.push(error.clone());
            }
        }
    }

    /// Records a state in which no process can step.
    fn end(&mut self, state: &State) {
        if !self.semantics.is_valid_end(state) {
            self.found.invalid_end = true;
            self.found.deadlock |= self.semantics.is_deadlock(state);
        }
    }

    /// Enters a state inside `atomic`.
    fn enter(&mut self, state: &State, from: usize) {
        match self.macro_step.enter(self.semantics, state, from) {
            Err(Full) => self.found.completion = Completion::States,
            Ok((_, false)) => {}
            Ok((_, true)) => {
                self.found.passed += 1;
                self.maxima.note(state);
                (self.watch)(state);
                self.check_limits();
            }
        }
    }

    /// Reaches a state in which control is free. As long as exactly one local step comes next, it
    /// is taken at once without storing the state.
    fn enqueue(&mut self, mut state: State) {
        let mut local = self.first_local(&state);
        while local && self.alone.len() == 1 {
            let Some(step) = self.alone.pop() else { break };
            self.note_errors(&step.errors);
            let Some(next) = step.after else { break };
            if next.held.is_some() {
                let Some(free) = self.through_atomic(next) else { break };
                self.room.push(std::mem::replace(&mut state, free));
            } else {
                self.room.push(std::mem::replace(&mut state, next));
            }
            self.found.transitions += 1;
            local = self.first_local(&state);
        }
        (self.watch)(&state);
        self.tables.normalize(&mut state);
        self.insert(&state, local);
        self.room.push(state);
    }

    /// The free state behind local steps inside `atomic`; `None` if the steps branch.
    fn through_atomic(&mut self, mut state: State) -> Option<State> {
        while let Some(process) = state.held {
            self.expand_alone(&state, process.into());
            if self.alone.len() != 1 {
                return None;
            }
            let step = self.alone.pop()?;
            self.note_errors(&step.errors);
            state = step.after?;
        }
        Some(state)
    }

    fn expand_alone(&mut self, state: &State, process: usize) {
        self.room.extend(self.alone.drain(..).filter_map(|step| step.after));
        self.semantics.expand_process(state, process, self.peaks, &mut self.alone, &mut self.room);
    }

    /// Returns `true` if some process has only local steps, none of which ends the run; they are
    /// left in `alone`.
    fn first_local(&mut self, state: &State) -> bool {
        let mut below = state.process_count();
        while let Some(process) = self.tables.first_local(self.semantics, state, below) {
            self.expand_alone(state, process);
            if !self.alone.is_empty() && self.alone.iter().all(|step| step.after.is_some()) {
                return true;
            }
            below = process;
        }
        false
    }

    /// Stores a state if it is new.
    fn insert(&mut self, state: &State, local: bool) {
        self.buffer.clear();
        self.semantics.encode(state, &mut self.buffer);
        match self.store.insert(&self.buffer) {
            Err(Full) => self.found.completion = Completion::States,
            Ok((_, false)) => {}
            Ok((_, true)) => {
                self.found.states += 1;
                self.branches.push(local);
                // Local steps only send, so queues held no more on the path to this state.
                self.maxima.note(state);
                self.check_limits();
            }
        }
    }

    fn check_limits(&mut self) {
        let hit = |limit: Option<usize>, count: usize| limit.is_some_and(|most| count >= most);
        if hit(self.limits.states, self.store.len().max(self.macro_step.len()))
            || hit(self.limits.passed, self.found.passed)
        {
            self.found.completion = Completion::States;
        } else if hit(self.limits.bytes, self.size()) {
            self.found.completion = Completion::Bytes;
        }
    }

    fn size(&self) -> usize {
        self.store.size() + self.branches.capacity() + self.macro_step.size()
    }

    fn finish(mut self) -> Exhaustion {
        self.found.bytes = self.size();
        self.found.seen = self.maxima.named(self.semantics);
        // Behind such an error there may be states that the search does not know.
        let open = self.found.errors.iter().cloned().map(Violation::Error);
        let open = open.into_iter().any(|violation| violation.is_limit() || violation.is_open());
        self.found.completion = self.found.completion.in_any_environment(self.semantics);
        let all = self.found.completion == Completion::Complete && !open;
        let unbounded = self.semantics.has_no_limit();
        if all && unbounded {
            self.found.proof = Some(Exhausted::new(self.found.states, false, self.found.seen.clone()));
        }
        self.found
    }
}
