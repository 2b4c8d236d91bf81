//! Reconstruction of the run to a cycle, from the parents of stored states.

use std::collections::HashMap;

use cfsm_core::deadline::Deadline;

use super::{Arrival, Next, Search};
use crate::search::Clock;
use crate::{Lasso, Limits, Move, Run, State};

impl Search<'_> {
    /// The run with the cycle that was found, if there is one.
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
        self.shortened(prefix, cycle)
    }

    /// The same run with the shortest part of the cycle that is a cycle itself: in chains of states
    /// with one step each not all states are stored.
    fn shortened(&mut self, mut prefix: Vec<Vec<Move>>, cycle: Vec<Vec<Move>>) -> Option<Lasso> {
        let (before, cycle) = (Run { steps: prefix.clone() }, Run { steps: cycle });
        let start = self.semantics.initial().ok()?;
        let start = self.semantics.repeated(start, &before, &mut Vec::new(), &mut |_| {})?;
        let mut states = Vec::with_capacity(cycle.steps.len());
        let end = self
            .semantics
            .repeated(start, &cycle, &mut Vec::new(), &mut |state| states.push(state.clone()))?;
        states.push(end);
        let mut last: HashMap<Vec<u8>, usize> = HashMap::new();
        let mut shortest = (0, cycle.steps.len());
        for (at, mut state) in states.into_iter().enumerate() {
            self.encode(&mut state);
            if let Some(begin) = last.insert(self.buffer.clone(), at)
                && at - begin < shortest.1 - shortest.0
            {
                shortest = (begin, at);
            }
        }
        prefix.extend_from_slice(&cycle.steps[..shortest.0]);
        let cycle = cycle.steps[shortest.0..shortest.1].to_vec();
        Some(Lasso { prefix: Run { steps: prefix }, cycle: Run { steps: cycle } })
    }

    /// Appends the moves from a stored state to the stored state `number`; visible steps are
    /// allowed if `visible`. `None` if there is no such chain.
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
