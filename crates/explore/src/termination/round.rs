//! From a run that goes round up to data that decide nothing to one that comes back to the same state.

use std::collections::HashMap;

use crate::{Lasso, Move, Run, Semantics, State};

/// Rounds that are made to come back to the same state, at most.
const MOST_ROUNDS: usize = 1 << 12;
/// The same in steps.
const MOST_STEPS: usize = 1 << 20;

impl Semantics {
    /// The run that does what this one does, and goes round until all data are the same; what is sent and received may differ. The first
    /// round leads to the same control, and to data that differ in what decides nothing only. `None` if that takes too long.
    ///
    /// Time linear in the number of steps.
    pub(super) fn closed(&self, lasso: &Lasso) -> Option<Lasso> {
        let mut steps = Vec::new();
        let mut state = self.repeated(self.initial().ok()?, &lasso.prefix, &mut steps)?;
        let mut begins: HashMap<State, usize> = HashMap::new();
        while begins.len() < MOST_ROUNDS && steps.len() <= lasso.prefix.steps.len() + MOST_STEPS {
            if let Some(begin) = begins.insert(state.clone(), steps.len()) {
                let cycle = steps.split_off(begin);
                return Some(Lasso { prefix: Run { steps }, cycle: Run { steps: cycle } });
            }
            state = self.repeated(state, &lasso.cycle, &mut steps)?;
        }
        None
    }

    /// The state behind steps like these; they are added to `steps`.
    fn repeated(&self, mut state: State, run: &Run, steps: &mut Vec<Vec<Move>>) -> Option<State> {
        for moves in &run.steps {
            let same =
                |own: &[Move]| own.len() == moves.len() && own.iter().zip(moves).all(is_same_statement);
            let step = self.successors(&state).into_iter().find(|step| same(&step.moves))?;
            steps.push(step.moves);
            state = step.after?;
        }
        Some(state)
    }
}

/// Whether the same process does the same.
fn is_same_statement((one, other): (&Move, &Move)) -> bool {
    (one.process, one.process_type, one.edge) == (other.process, other.process_type, other.edge)
}
