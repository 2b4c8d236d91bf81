//! Termination check: every run terminates, or every infinite run contains visible steps infinitely
//! often.
//!
//! Depth-first search for a cycle, with persistent sets ([`followed`]): if there is an infinite
//! run, there is one among the steps that are followed. `docs/soundness/exploration.md` has the
//! proof.

mod followed;
mod round;
mod way;

use cfsm_core::ids::IdMap;
use cfsm_core::program::{EdgeId, ProcessTypeId};

use crate::reduce::without_idle_data;
use crate::search::Clock;
use crate::store::Store;
use crate::{Completion, Lasso, Limits, Move, RunError, Semantics, State, Step, Violation};
use followed::Followed;

/// Greatest length of a chain of states with one step each that are not stored.
const UNSTORED: usize = 200;
/// Greatest depth of the stack of stored states if no infinite run is allowed.
const DEEPEST: usize = 2_000;
/// Greatest depth of the stack if runs may be infinite.
const DEEPEST_BETWEEN: usize = 200_000;
/// Number of bytes by which a state may exceed the first one: with queues that only grow, the
/// search would not end.
const GROWTH: usize = 1 << 13;

/// A proof that every run terminates, so that there are finitely many states; or, if some steps are
/// visible, that there are finitely many states, and each infinite run has infinitely many visible
/// steps. Only [`Semantics::termination`] and [`Semantics::recurrence`] construct it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Terminating {
    states: usize,
}

impl Terminating {
    /// Number of states that were stored; the unreduced state space is larger.
    #[must_use]
    pub const fn states(&self) -> usize {
        self.states
    }
}

/// Result of the search for an infinite run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Termination {
    /// Reason for which the search ended; complete also if a cycle was found.
    pub completion: Completion,
    /// `true` if some run returns to a state, up to irrelevant data, without a visible step in
    /// between.
    pub goes_round: bool,
    /// A run with a cycle, which returns to exactly the same state; or to the same state up to
    /// irrelevant data, if it would have to be repeated very often until these agree.
    pub lasso: Option<Lasso>,
    /// Number of stored states.
    pub states: usize,
    /// Number of steps that do not end the run.
    pub transitions: usize,
    /// The distinct errors of steps.
    pub errors: Vec<RunError>,
    /// The proof, if there is one: there is no cycle, the search is complete, and no error hides
    /// further states.
    pub proof: Option<Terminating>,
}

impl Semantics {
    /// Checks that every run terminates.
    ///
    /// [`Limits::violations`], [`Limits::passed`] and [`Limits::progress`] are ignored.
    ///
    /// # Errors
    /// The error of the initial state, if it has one.
    pub fn termination(&self, limits: &Limits) -> Result<Termination, RunError> {
        self.recurrence(limits, &IdMap::default())
    }

    /// Checks that every infinite run executes some of these statements infinitely often. Control
    /// must always be free at their locations, as for those of
    /// [`progress`](cfsm_core::program::Program::progress).
    ///
    /// [`Limits::violations`], [`Limits::passed`] and [`Limits::progress`] are ignored.
    ///
    /// # Errors
    /// The error of the initial state, if it has one.
    pub fn recurrence(
        &self,
        limits: &Limits,
        visible: &IdMap<ProcessTypeId, IdMap<EdgeId, bool>>,
    ) -> Result<Termination, RunError> {
        let start = self.initial()?;
        let reduced = without_idle_data(self);
        let mut search = Search::new(reduced.as_ref().unwrap_or(self), limits, Visible(visible), &start);
        search.run(start);
        let mut found = search.finish();
        found.lasso = found.lasso.and_then(|lasso| self.closed(&lasso));
        Ok(found)
    }
}

/// The visible statements: those that must be executed infinitely often.
#[derive(Clone, Copy)]
struct Visible<'a>(&'a IdMap<ProcessTypeId, IdMap<EdgeId, bool>>);

impl Visible<'_> {
    fn is_any(&self) -> bool {
        self.0.values().any(|edges| edges.values().any(|visible| *visible))
    }

    fn has(&self, moved: &Move) -> bool {
        let edges = self.0.get(moved.process_type);
        moved.edge.is_some_and(|edge| edges.and_then(|edges| edges.get(edge)).is_some_and(|visible| *visible))
    }
}

/// A successor state.
struct Next {
    state: State,
    /// `true` if the step to it is visible.
    visible: bool,
}

/// Status of a stored state in the depth-first search.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mark {
    /// Reached by visible steps only so far, and not yet expanded.
    Waits,
    /// On the search stack.
    OnWay,
    /// Completely expanded.
    Done,
}

/// Nested searches along invisible steps: depth first from the initial state, and then from each
/// state behind a visible step. A cycle without visible steps returns to the stack of its search.
struct Search<'a> {
    semantics: &'a Semantics,
    limits: &'a Limits,
    followed: Followed<'a>,
    clock: Clock,
    store: Store,
    marks: Vec<Mark>,
    /// For each stored state, the one from which it was reached first; the initial one is its own
    /// parent.
    parents: Vec<u32>,
    /// Stored states behind visible steps from which to start a search.
    waiting: Vec<usize>,
    /// Size in bytes of the first state that was stored.
    first: Option<usize>,
    deepest: usize,
    /// The search stack: stored states with their pending successors.
    way: Vec<(usize, Vec<Next>)>,
    /// The state on the stack to which the last step returns, once a cycle is found.
    round: Option<usize>,
    buffer: Vec<u8>,
    completion: Completion,
    transitions: usize,
    /// The work so far in the unit of [`Limits::work`], and the number of steps that it includes.
    work: usize,
    weighed: usize,
}

/// The end of a chain of states with one step each.
struct Arrival {
    state: State,
    /// The steps of the state; empty at the end of a run.
    steps: Vec<Step>,
    /// `true` if one of the steps of the chain is visible.
    visible: bool,
}

impl<'a> Search<'a> {
    fn new(semantics: &'a Semantics, limits: &'a Limits, visible: Visible<'a>, start: &State) -> Self {
        Self {
            semantics,
            limits,
            followed: Followed::new(semantics, visible, start),
            clock: Clock::new(limits),
            store: Store::default(),
            marks: Vec::new(),
            parents: Vec::new(),
            waiting: Vec::new(),
            first: None,
            deepest: if visible.is_any() { DEEPEST_BETWEEN } else { DEEPEST },
            way: Vec::new(),
            round: None,
            buffer: Vec::new(),
            completion: Completion::Complete,
            transitions: 0,
            work: 0,
            weighed: 0,
        }
    }

    fn run(&mut self, start: State) {
        self.enqueue(Next { state: start, visible: false }, 0);
        while self.completion == Completion::Complete && self.round.is_none() {
            if let Some((number, left)) = self.way.last_mut() {
                let number = *number;
                if let Some(next) = left.pop() {
                    self.enqueue(next, number);
                } else {
                    self.marks[number] = Mark::Done;
                    self.way.pop();
                }
            } else if let Some(number) = self.waiting.pop() {
                self.begin(number);
            } else {
                return;
            }
        }
    }

    /// Starts a search from a state behind a visible step, unless it has been expanded meanwhile.
    fn begin(&mut self, number: usize) {
        if self.marks[number] == Mark::Waits {
            let mut state = self.followed.room.pop().unwrap_or_default();
            self.semantics.decode(self.store.get(number), &mut state);
            let steps = self.followed.steps(&state);
            self.followed.room.push(state);
            self.advance(number, steps);
        }
    }

    /// Processes a successor of a stored state.
    fn enqueue(&mut self, next: Next, from: usize) {
        let Some(arrival) = self.follow(next, drop) else { return };
        if arrival.steps.is_empty() {
            self.followed.room.push(arrival.state);
        } else {
            self.insert(arrival, from);
        }
    }

    /// Follows a chain of states with one step each, up to a limit; `passed` is called with the
    /// moves. `None` if the deadline has passed.
    fn follow(&mut self, next: Next, mut passed: impl FnMut(Vec<Move>)) -> Option<Arrival> {
        let Next { mut state, mut visible } = next;
        for unstored in 0.. {
            if self.clock.is_late() {
                self.completion = Completion::Time;
                return None;
            }
            let mut steps = self.followed.steps(&state);
            self.transitions += steps.len();
            if steps.len() != 1 || unstored >= UNSTORED {
                return Some(Arrival { state, steps, visible });
            }
            visible |= self.followed.is_visible(&steps[0]);
            let step = steps.pop()?;
            passed(step.moves);
            self.followed.room.push(std::mem::replace(&mut state, step.after?));
        }
        None
    }

    /// Stores a state, and expands it or detects a cycle.
    fn insert(&mut self, arrival: Arrival, from: usize) {
        let Arrival { mut state, steps, visible } = arrival;
        self.encode(&mut state);
        self.weigh();
        self.followed.room.push(state);
        if self.buffer.len() > GROWTH + *self.first.get_or_insert(self.buffer.len()) {
            self.completion = Completion::States;
            return;
        }
        let Ok((number, new)) = self.store.insert(&self.buffer) else {
            self.completion = Completion::States;
            return;
        };
        if new {
            self.marks.push(Mark::Waits);
            self.parents.push(u32::try_from(from).unwrap_or_default());
        }
        match self.marks[number] {
            Mark::Waits if !visible => return self.advance(number, steps),
            Mark::Waits if new => self.waiting.push(number),
            Mark::OnWay if !visible => self.round = Some(number),
            _ => {}
        }
        self.followed.room.extend(steps.into_iter().filter_map(|step| step.after));
        self.check_limits();
    }

    /// Resets dead variables, and leaves the encoding of the state in the buffer.
    fn encode(&mut self, state: &mut State) {
        self.followed.normalize(state);
        self.buffer.clear();
        self.semantics.encode(state, &mut self.buffer);
    }

    /// Accounts for the steps since the last call, with the size of the state in the buffer for
    /// each.
    fn weigh(&mut self) {
        self.work += (self.transitions - self.weighed) * self.buffer.len();
        self.weighed = self.transitions;
    }

    /// Pushes a stored state onto the search stack.
    fn advance(&mut self, number: usize, steps: Vec<Step>) {
        let next = |step: Step| {
            let visible = self.followed.is_visible(&step);
            step.after.map(|state| Next { state, visible })
        };
        let left = steps.into_iter().filter_map(next).collect();
        self.marks[number] = Mark::OnWay;
        self.way.push((number, left));
        self.check_limits();
    }

    fn check_limits(&mut self) {
        let hit = |limit: Option<usize>, count: usize| limit.is_some_and(|most| count >= most);
        if hit(self.limits.states, self.store.len())
            || hit(self.limits.work, self.work)
            || self.way.len() >= self.deepest
        {
            self.completion = Completion::States;
        } else if hit(self.limits.bytes, self.size()) {
            self.completion = Completion::Bytes;
        }
    }

    /// Approximate number of bytes in use; each state on the stack is assumed to have about three
    /// pending successors, of `BEHIND` bytes in all.
    fn size(&self) -> usize {
        const BEHIND: usize = 1_000;
        let beside = self.marks.capacity() * size_of::<Mark>() + self.parents.capacity() * size_of::<u32>();
        self.store.size() + beside + self.waiting.capacity() * size_of::<usize>() + self.way.len() * BEHIND
    }

    fn finish(mut self) -> Termination {
        let lasso = self.lasso();
        let errors = std::mem::take(&mut self.followed.errors);
        // Behind such an error there may be states that the search does not know.
        let mut violations = errors.iter().cloned().map(Violation::Error);
        let open = violations.any(|violation| violation.is_limit() || violation.is_open());
        let states = self.store.len();
        let goes_round = self.round.is_some();
        let completion = self.completion.in_any_environment(self.semantics);
        let all = completion == Completion::Complete && !goes_round && !open;
        Termination {
            completion,
            goes_round,
            lasso,
            states,
            transitions: self.transitions,
            errors,
            proof: all.then_some(Terminating { states }),
        }
    }
}
