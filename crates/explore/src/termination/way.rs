//! The run to a stored state, and round: only which stored state was met from which is kept.

use cfsm_core::deadline::Deadline;

use super::{Arrival, Next, Search};
use crate::search::Clock;
use crate::{Lasso, Limits, Move, Run, State};

impl Search<'_> {
    /// The run that goes round, if one was found.
    pub(super) fn lasso(&mut self) -> Option<Lasso> {
        let round = self.round?;
        let mut there = vec![round];
        while let Some(at) = there.last().copied().filter(|at| *at > 0) {
            there.push(self.parents[at] as usize);
        }
        there.reverse();
        let on_way = self.way.iter().map(|(number, _)| *number);
        let mut once: Vec<usize> = on_way.skip_while(|number| *number != round).skip(1).collect();
        once.push(round);

        self.clock = Clock::new(&Limits { deadline: Deadline::default(), ..Limits::default() });
        self.followed.record = true;
        let mut prefix = Vec::new();
        let start = Next { state: self.semantics.initial().ok()?, visible: false };
        let mut state = self.follow(start, |moves| prefix.push(moves))?.state;
        for &number in &there[1..] {
            state = self.step_to(&state, number, true, &mut prefix)?;
        }
        let mut cycle = Vec::new();
        for &number in &once {
            state = self.step_to(&state, number, false, &mut cycle)?;
        }
        Some(Lasso { prefix: Run { steps: prefix }, cycle: Run { steps: cycle } })
    }

    /// What moves from a stored state to the next one with some number. Whether visible steps may.
    fn step_to(
        &mut self,
        from: &State,
        number: usize,
        visible: bool,
        run: &mut Vec<Vec<Move>>,
    ) -> Option<State> {
        for step in self.followed.steps(from) {
            let next = Next { visible: self.followed.is_visible(&step), state: step.after? };
            let mut moves = vec![step.moves];
            let Arrival { state, visible: seen, .. } = self.follow(next, |more| moves.push(more))?;
            self.encode(&mut state.clone());
            if self.store.find(&self.buffer) == Some(number) && (visible || !seen) {
                run.extend(moves);
                return Some(state);
            }
        }
        None
    }
}
