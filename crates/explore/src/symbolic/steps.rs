//! Steps between states in which control is free, including subsequent local steps.

use hashbrown::HashSet;

use crate::reduce::Tables;
use crate::search::maxima::Maxima;
use crate::{RunError, Semantics, State, Step};

/// Greatest number of cells of the states between a step and the next one, all together.
const MOST_NUMBERS: usize = 1 << 24;

/// Computation of steps, with records of queue lengths and errors.
pub(super) struct Steps<'a> {
    pub semantics: &'a Semantics,
    /// Local steps and dead variables of the program.
    tables: Tables,
    /// Greatest number of messages that queues held.
    pub maxima: Maxima,
    /// The distinct errors.
    pub errors: Vec<RunError>,
    /// `true` if the states between two steps exceeded the limit, so that steps are incomplete.
    pub too_many: bool,
    /// `true` if queues may hold more in the middle of a step than before and after it.
    peaks: bool,
    room: Vec<State>,
}

impl<'a> Steps<'a> {
    pub fn new(semantics: &'a Semantics, tables: Tables) -> Self {
        let peaks = semantics.sends_in_d_step();
        let (maxima, errors, room) = (Maxima::default(), Vec::new(), Vec::new());
        Self { semantics, tables, maxima, errors, too_many: false, peaks, room }
    }

    /// The state with all dead local variables set to 0.
    pub fn forgotten(&self, mut state: State) -> State {
        (0..state.process_count()).for_each(|process| self.tables.forget_locals(&mut state, process));
        state
    }

    /// The states after the steps of all processes.
    pub fn of_all(&mut self, state: &State) -> Vec<State> {
        self.maxima.note(state);
        let mut steps = Vec::new();
        self.semantics.expand_in(state, self.peaks, &mut steps, &mut self.room);
        self.note(state, &steps);
        steps.into_iter().filter_map(|step| step.after).collect()
    }

    /// The states after the steps of one process.
    pub fn of_process(&mut self, state: &State, process: usize) -> Vec<State> {
        self.maxima.note(state);
        self.of(state, process, false).into_iter().filter_map(|step| step.after).collect()
    }

    /// The states after the steps of a process (those that wait for `timeout` if it is set, the
    /// others if not) and after the subsequent local steps of the processes `others`. `None` if it
    /// has no step; the result may be empty otherwise, too.
    pub fn behind(
        &mut self,
        state: &State,
        process: usize,
        timeout: bool,
        others: &[usize],
    ) -> Option<Vec<State>> {
        self.maxima.note(state);
        let steps = self.of(state, process, timeout);
        let has_some = !steps.is_empty();
        let behind = steps.into_iter().filter_map(|step| step.after).collect();
        has_some.then(|| self.settle(behind, others))
    }

    /// The states after all steps inside `atomic`, and after all local steps of these processes;
    /// others must have none.
    pub fn settle(&mut self, mut open: Vec<State>, processes: &[usize]) -> Vec<State> {
        // The cells of states that were visited or are pending.
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

    /// The local steps of some process, if they exist and none of them ends the run.
    fn local(&mut self, state: &State, processes: &[usize]) -> Option<Vec<Step>> {
        let mut there = processes.iter().filter(|process| **process < state.process_count());
        there.find_map(|process| self.local_of(state, *process))
    }

    /// The steps of a process, if there are some, all of them are local, and none ends the run.
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
        semantics.expand_waiting(state, process, self.peaks, timeout, &mut steps, room);
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
