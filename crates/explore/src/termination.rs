//! Whether every run comes to an end.
//!
//! Depth first: a run that comes to where it was before ends the search. What is looked at first in each state is what others
//! cannot disturb; if there is a run without end, there is one of these. `docs/soundness/exploration.md` says why.

use crate::reduce::{Persistence, Processes, Reduction, Tables};
use crate::search::Clock;
use crate::store::Store;
use crate::{Completion, Limits, RunError, Semantics, State, Step, Violation};

/// States with one step each that follow each other and are not stored, at most.
const UNSTORED: usize = 200;
/// States on the way from the start that are stored, at most.
const DEEPEST: usize = 2_000;

/// Bytes by which a state may be larger than the first one: where queues only grow, there is no end to be found.
const GROWTH: usize = 1 << 13;

/// A proof that every run comes to an end, so that there are finitely many states. Only [`Semantics::termination`] makes it.
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
    /// Whether some run comes to a state in which it was before, up to variables that are not read any more.
    pub goes_round: bool,
    /// How many states are stored.
    pub states: usize,
    /// Steps that do not end the run.
    pub transitions: usize,
    /// The errors of steps, each once.
    pub errors: Vec<RunError>,
    /// What is proved: every run ends, and nothing is left open.
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
        let start = self.initial()?;
        let mut search = Search::new(self, limits, &start);
        search.arrive(start);
        search.run();
        Ok(search.finish())
    }
}

struct Search<'a> {
    semantics: &'a Semantics,
    limits: &'a Limits,
    tables: Tables,
    persistence: Persistence,
    clock: Clock,
    store: Store,
    /// For each stored state, whether it is on the way.
    on_way: Vec<bool>,
    /// The size of the first state that is stored.
    first: Option<usize>,
    /// The stored states from the start to where the search is, and what is still to be looked at behind each.
    way: Vec<(usize, Vec<State>)>,
    buffer: Vec<u8>,
    /// States whose storage is used again.
    room: Vec<State>,
    found: Termination,
}

impl<'a> Search<'a> {
    fn new(semantics: &'a Semantics, limits: &'a Limits, start: &State) -> Self {
        let found = Termination {
            completion: Completion::Complete,
            goes_round: false,
            states: 0,
            transitions: 0,
            errors: Vec::new(),
            proof: None,
        };
        Self {
            semantics,
            limits,
            tables: Tables::new(semantics, Reduction::ALL),
            persistence: Persistence::new(semantics, start),
            clock: Clock::new(limits),
            store: Store::default(),
            on_way: Vec::new(),
            first: None,
            way: Vec::new(),
            buffer: Vec::new(),
            room: Vec::new(),
            found,
        }
    }

    fn run(&mut self) {
        while self.found.completion == Completion::Complete && !self.found.goes_round {
            let Some((number, left)) = self.way.last_mut() else { return };
            if let Some(next) = left.pop() {
                self.arrive(next);
            } else {
                self.on_way[*number] = false;
                self.way.pop();
            }
        }
    }

    /// Comes to a state. As long as there is one step only, it is taken at once, but not for ever.
    fn arrive(&mut self, mut state: State) {
        for unstored in 0.. {
            if self.clock.is_late() {
                self.found.completion = Completion::Time;
                return;
            }
            let mut steps = self.steps(&state);
            self.found.transitions += steps.len();
            if steps.is_empty() {
                self.room.push(state);
                return;
            }
            if steps.len() > 1 || unstored >= UNSTORED {
                return self.meet(state, steps);
            }
            self.room.extend(steps.pop().map(|next| std::mem::replace(&mut state, next)));
        }
    }

    /// Stores a state if it is new.
    fn meet(&mut self, mut state: State, steps: Vec<State>) {
        self.tables.forget(&mut state);
        self.buffer.clear();
        self.semantics.encode(&state, &mut self.buffer);
        self.room.push(state);
        if self.buffer.len() > GROWTH + *self.first.get_or_insert(self.buffer.len()) {
            self.found.completion = Completion::States;
            return;
        }
        match self.store.insert(&self.buffer) {
            Err(_) => self.found.completion = Completion::States,
            Ok((number, false)) => {
                self.found.goes_round |= self.on_way[number];
                self.room.extend(steps);
            }
            Ok((number, true)) => {
                self.found.states += 1;
                self.on_way.push(true);
                self.way.push((number, steps));
                self.check_limits();
            }
        }
    }

    fn check_limits(&mut self) {
        let hit = |limit: Option<usize>, count: usize| limit.is_some_and(|most| count >= most);
        if hit(self.limits.states, self.found.states) || self.way.len() >= DEEPEST {
            self.found.completion = Completion::States;
        } else if hit(self.limits.bytes, self.store.size() + self.on_way.capacity()) {
            self.found.completion = Completion::Bytes;
        }
    }

    /// Where the steps lead that have to be looked at.
    fn steps(&mut self, state: &State) -> Vec<State> {
        let mut below = state.process_count();
        while let Some(process) = self.tables.first_local(self.semantics, state, below) {
            let steps = self.alone(state, process);
            if do_not_fail(&steps) {
                return self.take(steps);
            }
            below = process;
        }
        if let Some(steps) = self.undisturbed(state) {
            return self.take(steps);
        }
        let mut steps = Vec::new();
        self.semantics.expand_in(state, false, &mut steps, &mut self.room);
        self.take(steps)
    }

    /// The steps of a persistent set that has few; `None` if there is none that has steps all of which go on.
    fn undisturbed(&mut self, state: &State) -> Option<Vec<Step>> {
        let mut sets = self.persistence.sets(self.semantics, state);
        sets.sort_unstable_by_key(|set| (set.count_ones(), *set));
        sets.dedup();
        let mut alone: Vec<Option<Vec<Step>>> = vec![None; state.process_count()];
        let mut best: Option<(usize, Processes)> = None;
        for set in sets {
            let mut count = 0;
            let mut fine = true;
            for process in members(set) {
                let steps = alone[process].take().unwrap_or_else(|| self.alone(state, process));
                count += steps.len();
                fine &= steps.is_empty() || do_not_fail(&steps);
                alone[process] = Some(steps);
            }
            if fine && count > 0 && best.is_none_or(|(least, _)| count < least) {
                best = Some((count, set));
            }
            if best.is_some_and(|(least, _)| least == 1) {
                break;
            }
        }
        let (_, best) = best?;
        Some(members(best).flat_map(|process| alone[process].take().unwrap_or_default()).collect())
    }

    /// The steps of one process.
    fn alone(&mut self, state: &State, process: usize) -> Vec<Step> {
        let mut steps = Vec::new();
        self.semantics.expand_process((state, process), false, &mut steps, &mut self.room);
        steps
    }

    /// Where steps lead; errors are noted.
    fn take(&mut self, steps: Vec<Step>) -> Vec<State> {
        for error in steps.iter().flat_map(|step| &step.errors) {
            if !self.found.errors.contains(error) {
                self.found.errors.push(error.clone());
            }
        }
        steps.into_iter().filter_map(|step| step.after).collect()
    }

    fn finish(mut self) -> Termination {
        // Behind these there may be more than is known here.
        let mut errors = self.found.errors.iter().cloned().map(Violation::Error);
        let open = errors.any(|violation| violation.is_limit() || violation.is_open());
        if self.found.completion == Completion::Complete && !self.found.goes_round && !open {
            self.found.proof = Some(Terminating { states: self.found.states });
        }
        self.found
    }
}

/// Whether there are steps, none of which ends the run.
fn do_not_fail(steps: &[Step]) -> bool {
    !steps.is_empty() && steps.iter().all(|step| step.after.is_some())
}

/// The processes of a set.
fn members(set: Processes) -> impl Iterator<Item = usize> {
    (0..Processes::BITS as usize).filter(move |process| set & (1 << process) != 0)
}
