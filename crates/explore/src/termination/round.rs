//! Extends a run whose cycle returns to its state only up to irrelevant data, so that it returns to
//! the same state.

use std::collections::HashMap;

use crate::{Lasso, Run, Semantics, State};

/// Greatest number of iterations of the cycle.
const MOST_ROUNDS: usize = 1 << 12;
/// Greatest number of steps of these iterations.
const MOST_STEPS: usize = 1 << 14;

impl Semantics {
    /// The run that takes the same edges and repeats the cycle until all data agree; messages may
    /// differ. The first iteration leads to the same control state, and to data that differ only
    /// where they are irrelevant. If that takes too many iterations, the cycle is the first one
    /// only. `None` if the edges cannot be executed.
    ///
    /// Time linear in the number of steps.
    pub(super) fn closed(&self, lasso: &Lasso) -> Option<Lasso> {
        let mut steps = Vec::new();
        let mut state = self.repeated(self.initial().ok()?, &lasso.prefix, &mut steps, &mut |_| {})?;
        let mut begins: HashMap<State, usize> = HashMap::new();
        let (first, length) = (steps.len(), lasso.cycle.steps.len());
        while begins.len() < MOST_ROUNDS && steps.len() <= lasso.prefix.steps.len() + MOST_STEPS {
            if let Some(begin) = begins.insert(state.clone(), steps.len()) {
                let cycle = steps.split_off(begin);
                return Some(Lasso { prefix: Run { steps }, cycle: Run { steps: cycle } });
            }
            state = self.repeated(state, &lasso.cycle, &mut steps, &mut |_| {})?;
        }
        steps.truncate(first + length);
        let cycle = steps.split_off(first);
        Some(Lasso { prefix: Run { steps }, cycle: Run { steps: cycle } })
    }
}
