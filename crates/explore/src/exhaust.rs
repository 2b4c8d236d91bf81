//! All states of readings in which no send has to wait, to know what queues hold at most.
//!
//! What is stored are states in which control is free, as in [`explore`](Semantics::explore), less
//! what reductions leave out. No runs are kept.

use std::collections::BTreeMap;

use crate::reduce::{Reduction, Tables};
use crate::search::Clock;
use crate::search::maxima::Maxima;
use crate::search::passage::Passage;
use crate::store::{Full, Store};
use crate::{Completion, Limits, QueueOrigin, RunError, Semantics, State, Step, Violation};

/// A proof that all states have been seen while no buffer had a limit, though sends to some may
/// have been let wait ([`Limit::Either`](cfsm_core::program::Limit::Either)): so no buffer can grow
/// without limit in any of the readings that were looked at, and a number is known that none
/// exceeds. Only [`Semantics::exhaust`] and [`Semantics::exhaust_in_sets`] make it.
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

    /// How many states were stored. With reductions, there are more. [`usize::MAX`] stands for
    /// more, too.
    #[must_use]
    pub const fn states(&self) -> usize {
        self.states
    }

    /// Whether they were looked at in sets ([`Semantics::exhaust_in_sets`]), and not one by one.
    #[must_use]
    pub const fn in_sets(&self) -> bool {
        self.in_sets
    }

    /// Most messages that each queue ever holds, in the middle of a step too. It holds no more in
    /// any of the readings; and so many in some run, unless sends could be let wait
    /// ([`Semantics::has_waiting_choices`]).
    #[must_use]
    pub const fn maxima(&self) -> &BTreeMap<QueueOrigin, u32> {
        &self.maxima
    }
}

/// What a search for all states found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exhaustion {
    /// Whether it has seen all.
    pub completion: Completion,
    /// How many states are stored.
    pub states: usize,
    /// How many states inside `atomic` were passed between them.
    pub passed: usize,
    /// Steps that do not end the run.
    pub transitions: usize,
    /// Bytes in use at the end, roughly.
    pub bytes: usize,
    /// Most messages that each queue held in the states that were seen.
    pub seen: BTreeMap<QueueOrigin, u32>,
    /// Whether there is a state in which no process can step and that is no valid end.
    pub invalid_end: bool,
    /// Whether one of them is a deadlock of the whole: [`Semantics::is_deadlock`].
    pub deadlock: bool,
    /// The errors of steps, each once.
    pub errors: Vec<RunError>,
    /// What is proved: there are no other states, nothing is left open, and no send had to wait.
    pub proof: Option<Exhausted>,
}

impl Semantics {
    /// Looks at all states, less what the reductions leave out, each compared whole.
    ///
    /// [`Limits::violations`] and [`Limits::progress`] are not looked at.
    ///
    /// # Errors
    /// What goes wrong at the start.
    pub fn exhaust(&self, limits: &Limits, reduction: Reduction) -> Result<Exhaustion, RunError> {
        self.exhaust_watched(limits, reduction, &mut |_| {})
    }

    /// The same, and calls with each state that it comes to, those inside `atomic` and those that
    /// it came to before too. What queues hold at any time they hold in one of these, except in the
    /// middle of steps. With [`Reduction::early_sends`] they may hold more.
    ///
    /// # Errors
    /// What goes wrong at the start.
    pub fn exhaust_watched(
        &self,
        limits: &Limits,
        reduction: Reduction,
        watch: &mut dyn FnMut(&State),
    ) -> Result<Exhaustion, RunError> {
        let start = self.initial()?;
        let reduced = reduction.of_program(self);
        let mut search = Search::new(reduced.as_ref().unwrap_or(self), limits, reduction, watch);
        search.arrive(start);
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
    /// For each stored state, whether the steps of some process are local: there are several, or it
    /// would not be stored.
    branches: Vec<bool>,
    passage: Passage,
    maxima: Maxima,
    buffer: Vec<u8>,
    /// Steps of a process on its own, and room for them.
    alone: Vec<Step>,
    /// States whose storage is used again.
    room: Vec<State>,
    /// Whether queues may hold more in the middle of a step than before and after it.
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
            passage: Passage::default(),
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

    /// Goes through the passage from a stored state; `steps` is room for steps.
    fn pass(&mut self, at: usize, steps: &mut Vec<Step>) {
        self.passage.begin();
        while let Some(place) = self.passage.advance(self.semantics, self.store.get(at)) {
            if self.clock.is_late() {
                self.found.completion = Completion::Time;
                return;
            }
            let state = std::mem::take(&mut self.passage.state);
            if place == 0 && self.branches[at] && self.first_local(&state) {
                std::mem::swap(&mut self.alone, steps);
            } else {
                self.semantics.expand_in(&state, self.peaks, steps, &mut self.room);
            }
            if steps.is_empty() {
                self.end(&state);
            }
            self.passage.state = state;
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
            self.maxima.peaks(&self.passage.state, &step);
        }
        self.note_errors(&step.errors);
        let Some(after) = step.after else { return };
        self.found.transitions += 1;
        if after.held.is_some() {
            self.enter(&after, place);
            self.room.push(after);
        } else {
            self.arrive(after);
        }
    }

    fn note_errors(&mut self, errors: &[RunError]) {
        for error in errors {
            if !self.found.errors.contains(error) {
                self.found.errors.push(error.clone());
            }
        }
    }

    /// No process can step.
    fn end(&mut self, state: &State) {
        if !self.semantics.is_valid_end(state) {
            self.found.invalid_end = true;
            self.found.deadlock |= self.semantics.is_deadlock(state);
        }
    }

    /// Comes to a state inside `atomic`.
    fn enter(&mut self, state: &State, from: usize) {
        match self.passage.enter(self.semantics, state, from) {
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

    /// Comes to a state in which control is free. As long as what comes next is one local step, it
    /// is taken at once.
    fn arrive(&mut self, mut state: State) {
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
        self.tables.forget(&mut state);
        self.meet(&state, local);
        self.room.push(state);
    }

    /// The free state behind local steps inside `atomic`, if there is only one way.
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
        self.semantics.expand_process((state, process), self.peaks, &mut self.alone, &mut self.room);
    }

    /// Whether there is a process whose steps are local, all of them without an end of the run;
    /// they are in `alone`.
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
    fn meet(&mut self, state: &State, local: bool) {
        self.buffer.clear();
        self.semantics.encode(state, &mut self.buffer);
        match self.store.insert(&self.buffer) {
            Err(Full) => self.found.completion = Completion::States,
            Ok((_, false)) => {}
            Ok((_, true)) => {
                self.found.states += 1;
                self.branches.push(local);
                // Local steps only send: what queues held on the way is not more.
                self.maxima.note(state);
                self.check_limits();
            }
        }
    }

    fn check_limits(&mut self) {
        let hit = |limit: Option<usize>, count: usize| limit.is_some_and(|most| count >= most);
        if hit(self.limits.states, self.store.len().max(self.passage.len()))
            || hit(self.limits.passed, self.found.passed)
        {
            self.found.completion = Completion::States;
        } else if hit(self.limits.bytes, self.size()) {
            self.found.completion = Completion::Bytes;
        }
    }

    fn size(&self) -> usize {
        self.store.size() + self.branches.capacity() + self.passage.size()
    }

    fn finish(mut self) -> Exhaustion {
        self.found.bytes = self.size();
        self.found.seen = self.maxima.named(self.semantics);
        // Behind these there may be more than is known here.
        let open = self.found.errors.iter().cloned().map(Violation::Error);
        let open = open.into_iter().any(|violation| violation.is_limit() || violation.is_open());
        let all = self.found.completion == Completion::Complete && !open;
        let unbounded = self.semantics.has_no_limit();
        if all && unbounded {
            self.found.proof = Some(Exhausted::new(self.found.states, false, self.found.seen.clone()));
        }
        self.found
    }
}
