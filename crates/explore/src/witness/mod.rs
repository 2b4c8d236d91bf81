//! Witnesses: a run that leads somewhere, and a run from there that can be repeated for ever.
//!
//! Theory 9. The pump leads back to the same control and data. What it takes out of queues must be
//! there each time: [`repeat`] says when, and `docs/soundness/witnesses.md` proves it.
//! [`Semantics::confirm`] replays both parts and is the only way to a [`Witness`]; the searches
//! ([`tree`], [`walk`], [`unread`]) only propose.

mod alone;
mod behind;
mod counted;
mod fairness;
mod ground;
mod guide;
mod out_of_order;
mod repeat;
mod search;
mod sensitive;
mod supply;
mod tree;
mod unread;
mod up_to_idle;
mod walk;
mod words;

use std::collections::BTreeSet;

use cfsm_core::program::{EdgeId, ProcessTypeId, VariableId};
use thiserror::Error;

use crate::reduce::without_idle_data;
use crate::{Buffers, Move, QueueOrigin, ReplayError, Run, RunError, Semantics};

pub use guide::Guide;
pub use search::{Budget, Quest, Search};

/// What is to be shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Aim {
    /// A pump that adds messages to some queue that is not listed here (and takes none away for
    /// good).
    Growth {
        /// Queues whose growth is of no interest.
        known: BTreeSet<QueueOrigin>,
    },
    /// A pump with none of these statements: a livelock, if they are all that make progress.
    NoProgress {
        /// What makes progress.
        progress: BTreeSet<(ProcessTypeId, EdgeId)>,
    },
}

/// A run that goes on for ever, replayed: the prefix once, then the pump again and again. Or, if it
/// has a [supply](Self::supply), a run of which any number of rounds can be executed.
///
/// There is no way to one but [`Semantics::confirm`] and [`Semantics::confirm_supplied`].
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

/// Steps of a prefix that are a pump of their own. It fills queues that the pump behind the prefix
/// takes from: the more often it is executed, the more often that one can be. (There is no bound on
/// either, but the pump behind the prefix does not go on for ever.)
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Supply {
    /// Steps of the prefix that come first.
    pub first: usize,
    /// Steps of one round.
    pub steps: usize,
    /// Rounds in the prefix: enough for as many rounds of the pump behind it as were
    /// [replayed](Witness::rounds).
    pub times: usize,
}

/// Why a prefix and a pump are no witness.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Refusal {
    /// A step is none.
    #[error(transparent)]
    Replay(#[from] ReplayError),
    /// A step goes wrong.
    #[error("a step of the run fails: {0}")]
    Fails(RunError),
    /// There is no step to be repeated.
    #[error("the loop has no steps")]
    Empty,
    /// Control or data differ.
    #[error("control and data behind the loop are not what they were before it")]
    Differs,
    /// Some queue holds less.
    #[error("the loop takes more messages out of a queue than it puts in")]
    Shrinks,
    /// A statement asks for the length of a queue that grows, or looks beyond its first message.
    #[error("a statement looks at more of a growing queue than its first message")]
    Sensitive,
    /// What would be received is not what was received.
    #[error("the loop puts other messages into a queue than it takes out")]
    Order,
    /// The steps may be of several readings.
    #[error("it is not decided which sends wait, so the run need not be one")]
    ManyReadings,
    /// It cannot be repeated within a reasonable number of rounds.
    #[error("the loop would have to be replayed more than {0} times")]
    TooManyRounds(usize),
}

impl Witness {
    /// What comes first.
    #[must_use]
    pub const fn prefix(&self) -> &Run {
        &self.prefix
    }

    /// What is repeated then.
    #[must_use]
    pub const fn pump(&self) -> &Run {
        &self.pump
    }

    /// The queues that grow, and by how many messages each round; in order. Empty: none does.
    #[must_use]
    pub fn growth(&self) -> &[(QueueOrigin, u32)] {
        &self.growth
    }

    /// How many rounds were replayed; at least three.
    #[must_use]
    pub const fn rounds(&self) -> usize {
        self.rounds
    }

    /// Whether rounds of the pump differ in data that decide nothing. Each takes the same edges;
    /// what the [pump](Self::pump) sends, receives and stores is what the first one does.
    #[must_use]
    pub const fn is_up_to_idle_data(&self) -> bool {
        self.up_to_idle_data
    }

    /// The steps of the prefix that the pump lives on, if it does not go on for ever by itself.
    #[must_use]
    pub const fn supply(&self) -> Option<Supply> {
        self.supply
    }

    /// The `int` that the supply counts up, if it is a number and no messages that the pump lives
    /// on: a global, or a local of that type. There is no bound only if an `int` may be any number:
    /// that of the language ends at 2 147 483 647.
    #[must_use]
    pub const fn counter(&self) -> Option<(Option<ProcessTypeId>, VariableId)> {
        self.counter
    }

    /// How many processes each round leaves behind that never move again; 0 if none. Rounds take
    /// the same edges, by processes with other numbers. It goes on for ever if there may be any
    /// number of processes: the language itself has a limit of 255.
    #[must_use]
    pub const fn left_behind(&self) -> usize {
        self.left_behind
    }

    /// The reading that it is a run of.
    #[must_use]
    pub const fn buffers(&self) -> &Buffers {
        &self.buffers
    }

    /// Whether no statement of the pump is among these.
    #[must_use]
    pub fn avoids(&self, progress: &BTreeSet<(ProcessTypeId, EdgeId)>) -> bool {
        let moves = self.pump.steps.iter().flatten();
        moves.into_iter().all(|moved| !is_one_of(moved, progress))
    }
}

impl Aim {
    /// Whether a step may be part of the pump.
    fn allows(&self, moves: &[Move]) -> bool {
        match self {
            Self::Growth { .. } => true,
            Self::NoProgress { progress } => moves.iter().all(|moved| !is_one_of(moved, progress)),
        }
    }

    /// Whether growth like this is what is looked for.
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
    /// for ever: as it is, or [up to data that decide nothing](Witness::is_up_to_idle_data).
    ///
    /// Time: as many steps as the two have, the pump at least four times (more where lengths of
    /// growing queues are compared with constants, until they are beyond these).
    ///
    /// # Errors
    /// Why it is none.
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
        let found = part.map(|part| self.confirm_up_to_idle_data(&part, (prefix, pump), &mut effort));
        let found = found.and_then(Result::ok);
        found
            .or_else(|| self.confirm_alone(prefix, pump, &mut effort).ok())
            .or_else(|| self.confirm_behind(prefix, pump, &mut effort).ok())
            .ok_or(refusal)
    }

    /// Confirms the run of a witness, maybe of another reading, in this one.
    ///
    /// # Errors
    /// Why it is none here.
    pub fn confirm_again(&self, witness: &Witness) -> Result<Witness, Refusal> {
        match &witness.supply {
            None => self.confirm(&witness.prefix, &witness.pump),
            Some(supply) => self.confirm_supplied(&witness.prefix, supply, &witness.pump),
        }
    }

    /// Confirms that a pump comes back to the same control, data and queues; adds to `effort` how
    /// many steps were replayed.
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
