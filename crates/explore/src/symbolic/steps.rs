//! From a state in which control is free to those behind a step of a process, local steps included.

use hashbrown::HashSet;

use crate::reduce::Tables;
use crate::search::maxima::Maxima;
use crate::{RunError, Semantics, State, Step};

/// Most numbers that the states may have, all together, between a step and the next one.
const MOST_NUMBERS: usize = 1 << 24;

/// Steps of processes, and what is noted of them.
pub(super) struct Steps<'a> {
    pub semantics: &'a Semantics,
    /// At which locations steps are local, and which variables are not read any more.
    tables: Tables,
    /// Most messages that queues held.
    pub maxima: Maxima,
    /// What went wrong.
    pub errors: Vec<RunError>,
    /// Whether so many states come between two steps that these are not known.
    pub too_many: bool,
    /// Whether queues may hold more in the middle of a step than before and after it.
    peaks: bool,
    room: Vec<State>,
}

impl<'a> Steps<'a> {
    pub fn new(semantics: &'a Semantics, tables: Tables) -> Self {
        let peaks = semantics.sends_in_d_step();
        let (maxima, errors, room) = (Maxima::default(), Vec::new(), Vec::new());
        Self { semantics, tables, maxima, errors, too_many: false, peaks, room }
    }

    /// A state in which what processes do not read any more is 0.
    pub fn forgotten(&self, mut state: State) -> State {
        (0..state.process_count()).for_each(|process| self.tables.forget_locals(&mut state, process));
        state
    }

    /// The states behind the steps of all processes.
    pub fn of_all(&mut self, state: &State) -> Vec<State> {
        self.maxima.note(state);
        let mut steps = Vec::new();
        self.semantics.expand_in(state, self.peaks, &mut steps, &mut self.room);
        self.note(state, &steps);
        steps.into_iter().filter_map(|step| step.after).collect()
    }

    /// The states behind those of one process.
    pub fn of_process(&mut self, state: &State, process: usize) -> Vec<State> {
        self.maxima.note(state);
        self.of(state, process, false).into_iter().filter_map(|step| step.after).collect()
    }

    /// The states behind the steps of a process, those that wait for `timeout` or those that do
    /// not, and the local steps of some processes behind those. `None` if it has no step: there may
    /// be no state behind one, too.
    pub fn behind(
        &mut self,
        state: &State,
        (process, timeout): (usize, bool),
        others: &[usize],
    ) -> Option<Vec<State>> {
        self.maxima.note(state);
        let steps = self.of(state, process, timeout);
        let has_some = !steps.is_empty();
        let behind = steps.into_iter().filter_map(|step| step.after).collect();
        has_some.then(|| self.settle(behind, others))
    }

    /// The states behind steps inside `atomic`, and behind all local steps of some processes;
    /// others have none.
    pub fn settle(&mut self, mut open: Vec<State>, processes: &[usize]) -> Vec<State> {
        // Of the states that are met, or still to be looked at.
        let mut numbers: usize = open.iter().map(State::size).sum();
        let (mut met, mut found) = (HashSet::new(), Vec::new());
        while let Some(mut state) = open.pop() {
            if numbers > MOST_NUMBERS {
                self.too_many = true;
                break;
            }
            self.maxima.note(&state);
            let count = state.process_count();
            for process in processes.iter().filter(|process| **process < count) {
                self.tables.forget_locals(&mut state, *process);
            }
            if met.contains(&state) {
                numbers -= state.size();
                continue;
            }
            let steps = match state.held {
                Some(process) => Some(self.of(&state, process.into(), false)),
                None => self.local(&state, processes),
            };
            match steps {
                Some(steps) => {
                    let behind: Vec<State> = steps.into_iter().filter_map(|step| step.after).collect();
                    numbers += behind.iter().map(State::size).sum::<usize>();
                    open.extend(behind);
                }
                None => found.push(state.clone()),
            }
            met.insert(state);
        }
        found
    }

    /// The steps of a process that nobody else can see, if one has such steps, none of which ends
    /// the run.
    fn local(&mut self, state: &State, processes: &[usize]) -> Option<Vec<Step>> {
        let mut there = processes.iter().filter(|process| **process < state.process_count());
        there.find_map(|process| self.local_of(state, *process))
    }

    /// The steps of a process, if nobody else can see them, there are some, and none of them ends
    /// the run.
    pub fn local_of(&mut self, state: &State, process: usize) -> Option<Vec<Step>> {
        if !self.tables.is_alone(state, process) {
            return None;
        }
        let steps = self.of(state, process, false);
        (!steps.is_empty() && steps.iter().all(|step| step.after.is_some())).then_some(steps)
    }

    fn of(&mut self, state: &State, process: usize, timeout: bool) -> Vec<Step> {
        let mut steps = Vec::new();
        let Self { semantics, room, .. } = self;
        semantics.expand_waiting((state, process), (self.peaks, timeout), &mut steps, room);
        self.note(state, &steps);
        steps
    }

    fn note(&mut self, state: &State, steps: &[Step]) {
        for step in steps {
            if self.peaks {
                self.maxima.peaks(state, step);
            }
            for error in &step.errors {
                if !self.errors.contains(error) {
                    self.errors.push(error.clone());
                }
            }
        }
    }
}
