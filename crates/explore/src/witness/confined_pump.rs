//! Confined pumps: they repeat exactly except for data on which none of their own statements
//! depends, such as a counter that only other statements read.
//!
//! They are pumps of the program confined to their statements: `docs/soundness/witnesses.md` proves
//! that this suffices.

use super::{Refusal, Witness, repeat};
use crate::reduce::{Statements, confined, without_idle_data_in};
use crate::{ReplayError, Run, Semantics};

impl Semantics {
    /// Confirms that a pump can be repeated for ever in the program that is confined to its
    /// statements, starting in the state after the prefix: control, data and queues return exactly,
    /// or up to data that are irrelevant there. Adds the number of replayed steps to `effort`.
    pub(super) fn confirm_alone(
        &self,
        prefix: &Run,
        pump: &Run,
        effort: &mut usize,
    ) -> Result<Witness, Refusal> {
        if pump.steps.is_empty() {
            return Err(Refusal::Empty);
        }
        let alone = confined(self, &statements(pump)).ok_or(Refusal::Sensitive)?;
        let offset = prefix.steps.len();
        let start = self.initial().map_err(ReplayError::Start)?;
        let before = self.follow(&start, &prefix.steps, 0)?.pop().unwrap_or(start);
        *effort += offset;
        let witness = |(growth, rounds), up_to_idle_data| Witness {
            prefix: prefix.clone(),
            pump: pump.clone(),
            growth,
            rounds,
            up_to_idle_data,
            supply: None,
            counter: None,
            left_behind: 0,
            buffers: self.options.buffers.clone(),
        };
        let refusal = match repeat::confirm(&alone, &before, pump, offset, effort) {
            Ok(found) => return Ok(witness(found, false)),
            Err(refusal) => refusal,
        };
        let Some(less) = without_idle_data_in(&alone, self) else { return Err(refusal) };
        let mut repeated = Vec::new();
        less.repeated(before.clone(), pump, &mut repeated, &mut |_| {})
            .ok_or(ReplayError::NoSuchStep(offset))?;
        let (growth, rounds) = repeat::confirm(&less, &before, &Run { steps: repeated }, offset, effort)?;
        let mut state = self.follow(&before, &pump.steps, offset)?.pop().unwrap_or(before);
        for _ in 1..rounds {
            state = self.repeated(state, pump, &mut Vec::new(), &mut |_| {}).ok_or(Refusal::Differs)?;
        }
        *effort += rounds * pump.steps.len();
        Ok(witness((growth, rounds), true))
    }
}

/// The statements of a run, as pairs of a process type and an edge.
pub(super) fn statements(run: &Run) -> Statements {
    let moves = run.steps.iter().flatten();
    moves.filter_map(|moved| Some((moved.process_type, moved.edge?))).collect()
}
