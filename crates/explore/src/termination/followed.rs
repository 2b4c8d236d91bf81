//! Which steps of a state are followed.

use crate::reduce::{Persistence, Processes, Reduction, Tables, members};
use crate::{RunError, Semantics, State, Step};

use super::Visible;

/// What is known of a program to choose steps, and the errors of those that were.
pub(super) struct Followed<'a> {
    semantics: &'a Semantics,
    tables: Tables,
    persistence: Persistence,
    visible: Visible<'a>,
    /// Whether steps say what moves: needed to see what is visible.
    pub record: bool,
    /// States whose storage is used again.
    pub room: Vec<State>,
    /// The errors of steps, each once.
    pub errors: Vec<RunError>,
}

impl<'a> Followed<'a> {
    pub fn new(semantics: &'a Semantics, visible: Visible<'a>, start: &State) -> Self {
        let tables = Tables::new(semantics, Reduction::ALL);
        let persistence = Persistence::new(semantics, start);
        let record = visible.is_any();
        Self { semantics, tables, persistence, visible, record, room: Vec::new(), errors: Vec::new() }
    }

    /// Forgets what is not read any more.
    pub fn forget(&self, state: &mut State) {
        self.tables.forget(state);
    }

    /// Whether a step is one of those that must not go on for ever.
    pub fn is_visible(&self, step: &Step) -> bool {
        step.moves.iter().any(|moved| self.visible.has(moved))
    }

    /// The steps that have to be followed, all of which go on. Errors are noted.
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

    /// The steps of a persistent set that has few; `None` if there is none that has steps all of
    /// which go on and none of which is visible.
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
        self.semantics.expand_process((state, process), self.record, &mut steps, &mut self.room);
        steps
    }

    /// Whether no step ends the run, and none is visible: only then others may be left out.
    fn are_fine(&self, steps: &[Step]) -> bool {
        steps.iter().all(|step| step.after.is_some() && !self.is_visible(step))
    }

    /// Those that go on; errors are noted.
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
