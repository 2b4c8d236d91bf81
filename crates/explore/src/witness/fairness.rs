//! Weak fairness of infinite runs.
//!
//! A run is weakly fair if every process that is enabled in each state with free control, from some
//! time on, steps infinitely often. A process is enabled if a step of the state begins with it: a
//! rendezvous is a step of its sender, and a process that waits in `timeout` is enabled if no other
//! one is. All participants of a step count as stepping. A run in which control is never free from
//! some time on is fair, since no other process is enabled.
//!
//! Fairness is decided only for pumps that return to exactly the state in which they begin.

use std::collections::BTreeSet;

use super::Witness;
use crate::{Move, Run, Semantics, State, Step};

impl Semantics {
    /// The enabled processes of a state: those with which its steps begin, for every choice of
    /// waiting sends. `None` if control is not free.
    #[must_use]
    pub fn executable_processes(&self, state: &State) -> Option<BTreeSet<usize>> {
        if state.held().is_some() {
            return None;
        }
        let first = |moves: Vec<Move>| moves.first().map(|moved| moved.process);
        let movers = |steps: Vec<Step>| steps.into_iter().filter_map(|step| first(step.moves)).collect();
        let each = self.successors_of_choices(state).into_iter().map(movers);
        Some(each.reduce(|one: BTreeSet<usize>, other| &one & &other).unwrap_or_default())
    }

    /// Returns `true` if a run is certainly weakly fair: in each round of its pump, every process
    /// steps, or is disabled in some state with free control, or does not exist all the time.
    ///
    /// Time: as many expansions of states as the run has steps, the pump several times.
    #[must_use]
    pub fn is_weakly_fair(&self, witness: &Witness) -> bool {
        let Run { steps } = witness.prefix();
        let Ok(mut before) = self.initial() else { return false };
        for (at, moves) in steps.iter().enumerate() {
            let Ok(next) = self.advance(&before, moves, at) else { return false };
            before = next;
        }
        for _ in 0..witness.rounds() {
            let Ok(states) = self.follow(&before, &witness.pump().steps, 0) else { return false };
            let Some(after) = states.last().cloned() else { return false };
            if after == before {
                return self.treats_all_fairly(&states, &witness.pump().steps);
            }
            before = after;
        }
        false
    }

    /// Decides fairness for the states and steps of one round.
    fn treats_all_fairly(&self, states: &[State], steps: &[Vec<Move>]) -> bool {
        let movers: BTreeSet<usize> = steps.iter().flatten().map(|moved| moved.process).collect();
        let least = states.iter().map(State::process_count).min().unwrap_or_default();
        let mut starved: BTreeSet<usize> = (0..least).filter(|process| !movers.contains(process)).collect();
        let mut is_free = false;
        for state in states {
            if starved.is_empty() {
                return true;
            }
            if let Some(ready) = self.executable_processes(state) {
                is_free = true;
                starved.retain(|process| ready.contains(process));
            }
        }
        starved.is_empty() || !is_free
    }
}
