//! Witnesses of unbounded growth or of livelocks: a finite prefix, and a pump that can be repeated
//! for ever.
//!
//! Theory 9. The pump returns to the same control and data. The messages that it receives must be
//! there in each round: [`repeat`] has the conditions, and `docs/soundness/witnesses.md` their
//! proof. [`Semantics::confirm`] replays both parts and is the only constructor of a [`Witness`];
//! the searches ([`tree`], [`walk`], [`unread_queue`]) only propose.

mod backlog_pump;
mod behind;
mod confined_pump;
mod counted;
mod fairness;
mod guide;
mod out_of_order;
mod reduced_model;
mod repeat;
mod search;
mod sensitive;
mod tree;
mod unread_queue;
mod up_to_idle;
mod walk;
mod words;

use std::collections::BTreeSet;

use cfsm_core::program::{EdgeId, ProcessTypeId, VariableId};
use thiserror::Error;

use crate::reduce::without_idle_data;
use crate::{Buffers, Move, QueueOrigin, ReplayError, Run, RunError, Semantics};

pub use guide::Guide;
pub use search::{Budget, Quest, Search, Searcher};

/// The goal of a search for witnesses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Aim {
    /// A pump that adds messages to some queue that is not in `known`, and shrinks no queue.
    Growth {
        /// Queues whose growth is already known.
        known: BTreeSet<QueueOrigin>,
    },
    /// A pump without any of these statements: a livelock, if they are all progress statements.
    NoProgress {
        /// The progress statements.
        progress: BTreeSet<(ProcessTypeId, EdgeId)>,
    },
}

/// A replayed infinite run: the prefix once, then the pump for ever. Or, if it has a
/// [supply](Self::supply), a run of which any number of rounds can be executed.
///
/// Only [`Semantics::confirm`] and [`Semantics::confirm_supplied`] construct it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Witness {
    prefix: Run,
    pump: Run,
    growth: Vec<(QueueOrigin, u32)>,
    rounds: usize,
    up_to_idle_data: bool,
    supply: Option<Supply>,
    counter: Option<(Option<ProcessTypeId>, VariableId)>,
    left_behind: usize,
    buffers: Buffers,
}

/// A first pump inside the prefix. It fills queues from which the pump after the prefix receives:
/// the more often the first one is executed, the more often the second one can be. (There is no
/// bound on either, but the second pump cannot be repeated for ever.)
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Supply {
    /// Number of steps of the prefix that come first.
    pub first: usize,
    /// Number of steps of one round.
    pub steps: usize,
    /// Number of rounds in the prefix: enough for as many rounds of the pump after it as were
    /// [replayed](Witness::rounds).
    pub times: usize,
}

/// Reasons for which a prefix and a pump are not confirmed as a witness.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Refusal {
    /// A step is not possible.
    #[error(transparent)]
    Replay(#[from] ReplayError),
    /// A step has an error.
    #[error("a step of the run fails: {0}")]
    Fails(RunError),
    /// The pump has no steps.
    #[error("the loop has no steps")]
    Empty,
    /// Control or data after the pump differ from those before it.
    #[error("control and data behind the loop are not what they were before it")]
    Differs,
    /// Some queue holds fewer messages after the pump.
    #[error("the loop takes more messages out of a queue than it puts in")]
    Shrinks,
    /// A statement depends on the length of a growing queue, or on more than its first message.
    #[error("a statement looks at more of a growing queue than its first message")]
    Sensitive,
    /// A later round would receive other messages.
    #[error("the loop puts other messages into a queue than it takes out")]
    Order,
    /// The steps may belong to different readings of capacities.
    #[error("it is not decided which sends wait, so the run need not be one")]
    ManyReadings,
    /// More rounds than the limit would have to be replayed.
    #[error("the loop would have to be replayed more than {0} times")]
    TooManyRounds(usize),
}

impl Witness {
    /// The steps before the pump.
    #[must_use]
    pub const fn prefix(&self) -> &Run {
        &self.prefix
    }

    /// The steps that are repeated.
    #[must_use]
    pub const fn pump(&self) -> &Run {
        &self.pump
    }

    /// The queues that grow, in order, with the number of messages added per round. Empty if none
    /// grows.
    #[must_use]
    pub fn growth(&self) -> &[(QueueOrigin, u32)] {
        &self.growth
    }

    /// Number of replayed rounds; at least three.
    #[must_use]
    pub const fn rounds(&self) -> usize {
        self.rounds
    }

    /// `true` if rounds of the pump differ in irrelevant data. Each takes the same edges; the
    /// messages and values in the [pump](Self::pump) are those of the first one.
    #[must_use]
    pub const fn is_up_to_idle_data(&self) -> bool {
        self.up_to_idle_data
    }

    /// The first pump in the prefix that feeds this one, if it cannot be repeated for ever by
    /// itself.
    #[must_use]
    pub const fn supply(&self) -> Option<Supply> {
        self.supply
    }

    /// The `int` that the supply increases, if the pump is fed by a counter and not by messages: a
    /// global, or a local of that type. Growth is then unbounded only if an `int` is unbounded;
    /// that of the language ends at 2 147 483 647.
    #[must_use]
    pub const fn counter(&self) -> Option<(Option<ProcessTypeId>, VariableId)> {
        self.counter
    }

    /// Number of processes that each round leaves behind and that never move again. Rounds then
    /// take the same edges, by processes with other numbers. The run is infinite if the number of
    /// processes is unlimited; the language has a limit of 255.
    #[must_use]
    pub const fn left_behind(&self) -> usize {
        self.left_behind
    }

    /// The reading of capacities to which the run belongs.
    #[must_use]
    pub const fn buffers(&self) -> &Buffers {
        &self.buffers
    }

    /// Returns `true` if none of these statements occurs in the pump.
    #[must_use]
    pub fn avoids(&self, progress: &BTreeSet<(ProcessTypeId, EdgeId)>) -> bool {
        let moves = self.pump.steps.iter().flatten();
        moves.into_iter().all(|moved| !is_one_of(moved, progress))
    }
}

impl Aim {
    /// Returns `true` if a step may be part of the pump.
    fn allows(&self, moves: &[Move]) -> bool {
        match self {
            Self::Growth { .. } => true,
            Self::NoProgress { progress } => moves.iter().all(|moved| !is_one_of(moved, progress)),
        }
    }

    /// Returns `true` if growth of these queues meets the aim.
    fn is_met(&self, mut growing: impl Iterator<Item = QueueOrigin>) -> bool {
        match self {
            Self::Growth { known } => growing.any(|origin| !known.contains(&origin)),
            Self::NoProgress { .. } => true,
        }
    }
}

fn is_one_of(moved: &Move, statements: &BTreeSet<(ProcessTypeId, EdgeId)>) -> bool {
    moved.edge.is_some_and(|edge| statements.contains(&(moved.process_type, edge)))
}

impl Semantics {
    /// Replays a prefix and then a pump, several times, and checks that the pump can be repeated
    /// for ever: exactly, or [up to irrelevant data](Witness::is_up_to_idle_data).
    ///
    /// Time: as many steps as the two have, the pump at least four times (more where lengths of
    /// growing queues are compared with constants, until they are beyond these).
    ///
    /// # Errors
    /// The reason for which the runs are not confirmed.
    pub fn confirm(&self, prefix: &Run, pump: &Run) -> Result<Witness, Refusal> {
        if self.has_waiting_choices() {
            return Err(Refusal::ManyReadings);
        }
        let mut effort = 0;
        let refusal = match self.confirm_exactly(prefix, pump, &mut effort) {
            Err(refusal) if refusal.may_be_of_other_statements() => refusal,
            found => return found,
        };
        let part = without_idle_data(self).filter(|_| refusal.may_be_of_idle_data());
        let found = part.map(|part| self.confirm_up_to_idle_data(&part, prefix, pump, &mut effort));
        let found = found.and_then(Result::ok);
        found
            .or_else(|| self.confirm_alone(prefix, pump, &mut effort).ok())
            .or_else(|| self.confirm_behind(prefix, pump, &mut effort).ok())
            .ok_or(refusal)
    }

    /// Confirms the run of a witness, possibly of another reading, in this one.
    ///
    /// # Errors
    /// The reason for which it is not confirmed here.
    pub fn confirm_again(&self, witness: &Witness) -> Result<Witness, Refusal> {
        match &witness.supply {
            None => self.confirm(&witness.prefix, &witness.pump),
            Some(supply) => self.confirm_supplied(&witness.prefix, supply, &witness.pump),
        }
    }

    /// Confirms that a pump returns to the same control, data and queues; adds the number of
    /// replayed steps to `effort`.
    fn confirm_exactly(&self, prefix: &Run, pump: &Run, effort: &mut usize) -> Result<Witness, Refusal> {
        if pump.steps.is_empty() {
            return Err(Refusal::Empty);
        }
        let offset = prefix.steps.len();
        *effort += offset;
        let mut before = self.initial().map_err(ReplayError::Start)?;
        for (at, moves) in prefix.steps.iter().enumerate() {
            before = self.advance(&before, moves, at)?;
        }
        let (growth, rounds) = repeat::confirm(self, &before, pump, offset, effort)?;
        let (prefix, pump) = (prefix.clone(), pump.clone());
        Ok(Witness {
            prefix,
            pump,
            growth,
            rounds,
            up_to_idle_data: false,
            supply: None,
            counter: None,
            left_behind: 0,
            buffers: self.options.buffers.clone(),
        })
    }
}
