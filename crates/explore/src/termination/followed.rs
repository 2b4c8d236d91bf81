//! Selection of the steps that the termination check follows in each state.

use crate::reduce::{Persistence, Processes, Reduction, Tables, members};
use crate::{RunError, Semantics, State, Step};

use super::Visible;

/// Static analyses for the selection of steps, and the errors of selected steps.
pub(super) struct Followed<'a> {
    semantics: &'a Semantics,
    tables: Tables,
    persistence: Persistence,
    visible: Visible<'a>,
    /// `true` if moves are recorded, which is needed to tell visible steps.
    pub record: bool,
    /// States whose storage is reused.
    pub room: Vec<State>,
    /// The distinct errors of steps.
    pub errors: Vec<RunError>,
}

impl<'a> Followed<'a> {
    pub fn new(semantics: &'a Semantics, visible: Visible<'a>, start: &State) -> Self {
        let tables = Tables::new(semantics, Reduction::ALL);
        let persistence = Persistence::new(semantics, start);
        let record = visible.is_any();
        Self { semantics, tables, persistence, visible, record, room: Vec::new(), errors: Vec::new() }
    }

    /// Sets dead variables to 0.
    pub fn normalize(&self, state: &mut State) {
        self.tables.normalize(state);
    }

    /// Returns `true` if a step contains a visible statement.
    pub fn is_visible(&self, step: &Step) -> bool {
        step.moves.iter().any(|moved| self.visible.has(moved))
    }

    /// The steps that have to be followed, without those that end the run. Errors are recorded.
    pub fn steps(&mut self, state: &State) -> Vec<Step> {
        let mut below = state.process_count();
        while let Some(process) = self.tables.first_local(self.semantics, state, below) {
            let steps = self.alone(state, process);
            if !steps.is_empty() && self.are_fine(&steps) {
                return self.take(steps);
            }
            below = process;
        }
        if let Some(steps) = self.undisturbed(state) {
            return self.take(steps);
        }
        let mut steps = Vec::new();
        self.semantics.expand_in(state, self.record, &mut steps, &mut self.room);
        self.take(steps)
    }

    /// The steps of a persistent set with few steps; `None` if each set has no step, one that ends
    /// the run, or a visible one.
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
                fine &= self.are_fine(&steps);
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
        self.semantics.expand_process(state, process, self.record, &mut steps, &mut self.room);
        steps
    }

    /// Returns `true` if no step ends the run and none is visible, which is the condition for
    /// leaving out other steps.
    fn are_fine(&self, steps: &[Step]) -> bool {
        steps.iter().all(|step| step.after.is_some() && !self.is_visible(step))
    }

    /// The steps that do not end the run; errors are recorded.
    fn take(&mut self, mut steps: Vec<Step>) -> Vec<Step> {
        for error in steps.iter().flat_map(|step| &step.errors) {
            if !self.errors.contains(error) {
                self.errors.push(error.clone());
            }
        }
        steps.retain(|step| step.after.is_some());
        steps
    }
}
