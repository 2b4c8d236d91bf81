//! From a run that goes round up to data that decide nothing to one that comes back to the same
//! state.

use std::collections::HashMap;

use crate::{Lasso, Run, Semantics, State};

/// Rounds that are made to come back to the same state, at most.
const MOST_ROUNDS: usize = 1 << 12;
/// The same in steps.
const MOST_STEPS: usize = 1 << 14;

impl Semantics {
    /// The run that does what this one does, and goes round until all data are the same; what is
    /// sent and received may differ. The first round leads to the same control, and to data that
    /// differ in what decides nothing only. If that takes too long, it is only the first round.
    /// `None` if there is none.
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
