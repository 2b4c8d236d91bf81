//! Recorded runs: replay and random simulation.

use cfsm_core::splitmix::SplitMix;
use thiserror::Error;

use crate::{Move, RunError, Semantics, State, Step};

/// A run from the initial state: the moves of each step.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Run {
    /// The moves of each step, as in [`Step::moves`].
    pub steps: Vec<Vec<Move>>,
}

/// Reasons for which a recorded run is not a run of the program.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ReplayError {
    /// The initial state cannot be computed.
    #[error("the start fails: {0}")]
    Start(RunError),
    /// No step of the state has these moves.
    #[error("step {0} is none of the steps that are possible there")]
    NoSuchStep(usize),
    /// The run continues behind an error that ends it.
    #[error("step {0} is behind the end of the run")]
    BehindTheEnd(usize),
}

impl Semantics {
    /// Replays a recorded run, checking that each step is possible. Returns the initial state and
    /// all steps.
    ///
    /// # Errors
    /// The first step that is not possible.
    pub fn replay(&self, run: &Run) -> Result<(State, Vec<Step>), ReplayError> {
        let start = self.initial().map_err(ReplayError::Start)?;
        let mut steps: Vec<Step> = Vec::with_capacity(run.steps.len());
        for (at, moves) in run.steps.iter().enumerate() {
            let state = match steps.last() {
                None => &start,
                Some(Step { after: Some(state), .. }) => state,
                Some(Step { after: None, .. }) => return Err(ReplayError::BehindTheEnd(at)),
            };
            let step = self.successors(state).into_iter().find(|step| step.moves == *moves);
            steps.push(step.ok_or(ReplayError::NoSuchStep(at))?);
        }
        Ok((start, steps))
    }

    /// The state after steps in which the same processes take the same edges, whatever is sent and
    /// received. The steps are appended to `steps`, and `passed` is called with the state before
    /// each. `None` if there are no such steps, or if one ends the run.
    pub(crate) fn repeated(
        &self,
        mut state: State,
        run: &Run,
        steps: &mut Vec<Vec<Move>>,
        passed: &mut dyn FnMut(&State),
    ) -> Option<State> {
        for moves in &run.steps {
            let same = |own: &[Move]| {
                own.len() == moves.len()
                    && own.iter().zip(moves).all(|(one, other)| is_same_statement(one, other))
            };
            passed(&state);
            let step = self.successors(&state).into_iter().find(|step| same(&step.moves))?;
            steps.push(step.moves);
            state = step.after?;
        }
        Some(state)
    }

    /// A random run of at most `length` steps, determined by the seed. It ends early in a state
    /// without steps, or behind an error that ends it.
    ///
    /// # Errors
    /// The error of the initial state, if it has one.
    pub fn simulate(&self, seed: u64, length: usize) -> Result<Vec<Step>, RunError> {
        let mut random = SplitMix::new(seed);
        let mut left = length;
        self.chosen_run(|possible| {
            left = left.checked_sub(1)?;
            Some(below(&mut random, possible.len()))
        })
    }

    /// A run each of whose steps is chosen, by position, from the possible ones. It ends early
    /// where [`simulate`](Self::simulate) does.
    ///
    /// # Errors
    /// The error of the initial state, if it has one.
    pub(crate) fn chosen_run(
        &self,
        mut choose: impl FnMut(&[Step]) -> Option<usize>,
    ) -> Result<Vec<Step>, RunError> {
        let mut state = self.initial()?;
        let mut steps = Vec::new();
        loop {
            let mut possible = self.successors(&state);
            if possible.is_empty() {
                break;
            }
            let Some(choice) = choose(&possible) else { break };
            let step = possible.swap_remove(choice);
            let after = step.after.clone();
            steps.push(step);
            match after {
                Some(after) => state = after,
                None => break,
            }
        }
        Ok(steps)
    }
}

/// Returns `true` if the same process takes the same edge in both moves.
fn is_same_statement(one: &Move, other: &Move) -> bool {
    (one.process, one.process_type, one.edge) == (other.process, other.process_type, other.edge)
}

/// A random number below `count`, which must be small against 2^64.
pub(crate) fn below(random: &mut SplitMix, count: usize) -> usize {
    let high = (u128::from(random.draw()) * count as u128) >> 64;
    usize::try_from(high).unwrap_or_default()
}
