//! Whether every run comes to an end, or every run that is not seen again and again.
//!
//! Depth first: a run that comes to where it was before ends the search. What is looked at first in
//! each state is what others cannot disturb ([`followed`]); if there is a run without end, there is
//! one of these. `docs/soundness/exploration.md` says why.

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

/// States with one step each that follow each other and are not stored, at most.
const UNSTORED: usize = 200;
/// States on the way from the start that are stored, at most, if no run may go on for ever.
const DEEPEST: usize = 2_000;
/// The same, if some may.
const DEEPEST_BETWEEN: usize = 200_000;
/// Bytes by which a state may be larger than the first one: where queues only grow, there is no end
/// to be found.
const GROWTH: usize = 1 << 13;

/// A proof that every run comes to an end, so that there are finitely many states; or, if some
/// steps are visible, that there are finitely many states, and each run without end has infinitely
/// many visible steps. Only [`Semantics::termination`] and [`Semantics::recurrence`] make it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Terminating {
    states: usize,
}

impl Terminating {
    /// How many states were stored. There are more.
    #[must_use]
    pub const fn states(&self) -> usize {
        self.states
    }
}

/// What a search for a run without end found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Termination {
    /// Whether it has come to its end; with a run that goes round it has.
    pub completion: Completion,
    /// Whether some run comes to a state in which it was before, up to data that decide nothing,
    /// without a visible step in between.
    pub goes_round: bool,
    /// A run that goes round, to a state that is the same in all data; or up to data that decide
    /// nothing, where it would have to go round very often until they are.
    pub lasso: Option<Lasso>,
    /// How many states are stored.
    pub states: usize,
    /// Steps that do not end the run.
    pub transitions: usize,
    /// The errors of steps, each once.
    pub errors: Vec<RunError>,
    /// What is proved: no run goes round, there are no other states, and nothing is left open.
    pub proof: Option<Terminating>,
}

impl Semantics {
    /// Looks whether every run comes to an end.
    ///
    /// [`Limits::violations`], [`Limits::passed`] and [`Limits::progress`] are not looked at.
    ///
    /// # Errors
    /// What goes wrong at the start.
    pub fn termination(&self, limits: &Limits) -> Result<Termination, RunError> {
        self.recurrence(limits, &IdMap::default())
    }

    /// Looks whether every run that goes on for ever executes again and again some of these
    /// statements, at whose locations control is always free, like those of
    /// [`progress`](cfsm_core::program::Program::progress).
    ///
    /// [`Limits::violations`], [`Limits::passed`] and [`Limits::progress`] are not looked at.
    ///
    /// # Errors
    /// What goes wrong at the start.
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

/// Statements that must be executed again and again, or none.
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

/// Where a step leads.
struct Next {
    state: State,
    /// Whether it is visible.
    visible: bool,
}

/// How far the search has come with a state that is stored.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mark {
    /// Only visible steps have led to it so far.
    Waits,
    /// It is on the way.
    OnWay,
    /// All behind it has been looked at.
    Done,
}

/// The states between which steps are not visible are gone through depth first, from the start and
/// then from each state behind a visible step: what goes round without one comes to its own way
/// again.
struct Search<'a> {
    semantics: &'a Semantics,
    limits: &'a Limits,
    followed: Followed<'a>,
    clock: Clock,
    store: Store,
    marks: Vec<Mark>,
    /// For each stored state, from which one it was met first; the first one's is itself.
    parents: Vec<u32>,
    /// Stored states to begin from.
    waiting: Vec<usize>,
    /// The size of the first state that is stored.
    first: Option<usize>,
    deepest: usize,
    /// The stored states from where it began to where the search is, and what is still to be looked
    /// at behind each.
    way: Vec<(usize, Vec<Next>)>,
    /// The stored state on the way to which the last one leads back.
    round: Option<usize>,
    buffer: Vec<u8>,
    completion: Completion,
    transitions: usize,
    /// [`Limits::work`] so far, and how many steps are in it.
    work: usize,
    weighed: usize,
}

/// Where a chain of states with one step each has come to.
struct Arrival {
    state: State,
    /// What may be next; none at an end.
    steps: Vec<Step>,
    /// Whether one of its steps is visible.
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
        self.arrive(Next { state: start, visible: false }, 0);
        while self.completion == Completion::Complete && self.round.is_none() {
            if let Some((number, left)) = self.way.last_mut() {
                let number = *number;
                if let Some(next) = left.pop() {
                    self.arrive(next, number);
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

    /// Begins from a state behind a visible step, unless it has been come to otherwise.
    fn begin(&mut self, number: usize) {
        if self.marks[number] == Mark::Waits {
            let mut state = self.followed.room.pop().unwrap_or_default();
            self.semantics.decode(self.store.get(number), &mut state);
            let steps = self.followed.steps(&state);
            self.followed.room.push(state);
            self.go_on(number, steps);
        }
    }

    /// Comes to a state from a stored one.
    fn arrive(&mut self, next: Next, from: usize) {
        let Some(arrival) = self.follow(next, drop) else { return };
        if arrival.steps.is_empty() {
            self.followed.room.push(arrival.state);
        } else {
            self.meet(arrival, from);
        }
    }

    /// Follows states as long as there is one step only, but not for ever; `passed` is told what
    /// moves. `None` if it is too late.
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

    /// Stores a state if it is new.
    fn meet(&mut self, arrival: Arrival, from: usize) {
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
            Mark::Waits if !visible => return self.go_on(number, steps),
            Mark::Waits if new => self.waiting.push(number),
            Mark::OnWay if !visible => self.round = Some(number),
            _ => {}
        }
        self.followed.room.extend(steps.into_iter().filter_map(|step| step.after));
        self.check_limits();
    }

    /// Forgets what is not read any more, and leaves what is kept of a state in the buffer.
    fn encode(&mut self, state: &mut State) {
        self.followed.forget(state);
        self.buffer.clear();
        self.semantics.encode(state, &mut self.buffer);
    }

    /// Steps since the last time have led to states about as large as the one in the buffer.
    fn weigh(&mut self) {
        self.work += (self.transitions - self.weighed) * self.buffer.len();
        self.weighed = self.transitions;
    }

    /// The way goes through a stored state.
    fn go_on(&mut self, number: usize, steps: Vec<Step>) {
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

    /// How many bytes are in use, roughly; each state on the way has about three others behind it,
    /// of so many bytes more than stored ones.
    fn size(&self) -> usize {
        const BEHIND: usize = 1_000;
        let beside = self.marks.capacity() * size_of::<Mark>() + self.parents.capacity() * size_of::<u32>();
        self.store.size() + beside + self.waiting.capacity() * size_of::<usize>() + self.way.len() * BEHIND
    }

    fn finish(mut self) -> Termination {
        let lasso = self.lasso();
        let errors = std::mem::take(&mut self.followed.errors);
        // Behind these there may be more than is known here.
        let mut violations = errors.iter().cloned().map(Violation::Error);
        let open = violations.any(|violation| violation.is_limit() || violation.is_open());
        let states = self.store.len();
        let goes_round = self.round.is_some();
        let all = self.completion == Completion::Complete && !goes_round && !open;
        Termination {
            completion: self.completion,
            goes_round,
            lasso,
            states,
            transitions: self.transitions,
            errors,
            proof: all.then_some(Terminating { states }),
        }
    }
}
