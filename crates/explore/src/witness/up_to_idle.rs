//! Pumps that repeat exactly except for irrelevant data, such as a counter in messages that is only
//! printed.
//!
//! They are pumps of the sliced program, and the program itself can repeat what that one can:
//! `docs/soundness/witnesses.md`.

use super::{Refusal, Witness};
use crate::{ReplayError, Run, Semantics};

impl Semantics {
    /// Confirms that the edges of a prefix and a pump are those of a pump of `part`, which is the
    /// sliced program. The program itself takes these edges as often as `part` does to confirm
    /// that. Adds the number of replayed steps to `effort`.
    pub(super) fn confirm_up_to_idle_data(
        &self,
        part: &Self,
        prefix: &Run,
        pump: &Run,
        effort: &mut usize,
    ) -> Result<Witness, Refusal> {
        let (first, repeated) = part.same_edges(prefix, pump)?;
        let found = part.confirm_exactly(&first, &repeated, effort)?;
        let start = self.initial().map_err(ReplayError::Start)?;
        let before = self.follow(&start, &prefix.steps, 0)?.pop().unwrap_or(start);
        let mut state = self.follow(&before, &pump.steps, prefix.steps.len())?.pop().unwrap_or(before);
        for _ in 1..found.rounds {
            state = self.repeated(state, pump, &mut Vec::new(), &mut |_| {}).ok_or(Refusal::Differs)?;
        }
        *effort += prefix.steps.len() + found.rounds * pump.steps.len();
        Ok(Witness { prefix: prefix.clone(), pump: pump.clone(), up_to_idle_data: true, ..found })
    }

    /// The runs in which the same processes take the same edges as in two consecutive runs.
    pub(super) fn same_edges(&self, first: &Run, then: &Run) -> Result<(Run, Run), Refusal> {
        let (mut before, mut behind) = (Vec::new(), Vec::new());
        let start = self.initial().map_err(ReplayError::Start)?;
        self.repeated(start, first, &mut before, &mut |_| {})
            .and_then(|state| self.repeated(state, then, &mut behind, &mut |_| {}))
            .ok_or(ReplayError::NoSuchStep(before.len() + behind.len()))?;
        Ok((Run { steps: before }, Run { steps: behind }))
    }
}

impl Refusal {
    /// Returns `true` if statements outside a pump may be the reason for a refusal.
    pub(super) const fn may_be_of_other_statements(&self) -> bool {
        self.may_be_of_idle_data() || matches!(self, Self::Sensitive)
    }

    /// Returns `true` if irrelevant data may be the reason for a refusal.
    pub(super) const fn may_be_of_idle_data(&self) -> bool {
        matches!(self, Self::Differs | Self::Order | Self::Replay(ReplayError::NoSuchStep(_)))
    }
}
