//! Nondeterministic waiting of sends: one search that covers all runs of every combination of
//! channel limits.
//!
//! For a channel with [`Limit::Either`](cfsm_core::program::Limit::Either) that holds its declared
//! number of messages or more, a send may wait or not. The steps of a state are those of each
//! *choice*: a set of such channels whose sends wait, while those of the others do not. In a
//! reading in which each of these channels is unlimited or limited as declared, the steps of a
//! state are those of the choice of the limited ones, so each of its runs is a run here.

use std::collections::BTreeMap;

use cfsm_core::program::Hold;

use crate::code::{Code, EdgeCode, QueueCode, Statement, TypeCode};
use crate::semantics::Semantics;
use crate::state::State;
use crate::{QueueOrigin, RunError};

/// The channels, among those with [`may_wait_from`](QueueCode::may_wait_from), whose sends wait as
/// soon as they may.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Waiting {
    /// No channel.
    #[default]
    Nowhere,
    /// All channels.
    Everywhere,
    /// The channels in this bit set of queue indices.
    At(u64),
}

impl Waiting {
    const fn includes(self, queue: usize) -> bool {
        match self {
            Self::Nowhere => false,
            Self::Everywhere => true,
            Self::At(queues) => queue < u64::BITS as usize && queues & (1 << queue) != 0,
        }
    }
}

/// The choices on which the steps of a state depend.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum WaitingChoices {
    /// A single one: no sends may wait.
    #[default]
    One,
    /// Two choices: none waits, and all wait. They suffice because more waiting can only remove
    /// sends and make `else` and `timeout` executable.
    Extremes,
    /// One choice for each set of channels.
    Subsets,
}

/// Greatest number of channels that may wait in a state if all subsets have to be considered.
const MOST_WAITING: usize = 6;

impl WaitingChoices {
    /// The choices that have to be considered in a program.
    pub fn new(types: &[TypeCode], queues: &[QueueCode], has_priorities: bool) -> Self {
        if queues.iter().all(|queue| queue.may_wait_from.is_none()) {
            return Self::One;
        }
        let mixes = has_priorities || types.iter().any(mixes);
        if mixes { Self::Subsets } else { Self::Extremes }
    }
}

/// Returns `true` if a step of a process type may require that sends wait for one channel and not
/// for another: an escape hides other statements, a `d_step` has several sends in one step, a step
/// inside `atomic` decides which process continues, and `enabled` may be used in any way.
fn mixes(ty: &TypeCode) -> bool {
    let asks = |code: &Code| code.any(&mut |part| matches!(part, Code::Enabled(_)));
    let is_send = |edge: &EdgeCode| matches!(edge.statement, Statement::Send { .. });
    let sends_at_target = |edge: &EdgeCode| ty.edges_at(edge.target).iter().any(is_send);
    ty.provided.as_ref().is_some_and(asks)
        || ty.initial_values().into_iter().any(asks)
        || ty.edges.iter().any(|edge| {
            edge.rank > 0
                || (edge.hold != Hold::No && sends_at_target(edge))
                || edge.statement.codes().into_iter().any(asks)
        })
}

impl Semantics {
    /// Returns `true` if a send to a queue waits; for a rendezvous, as long as a message is handed
    /// over.
    pub(crate) fn has_no_room(&self, state: &State, queue: usize, waiting: Waiting) -> bool {
        let code = self.code_at(state, queue);
        let length = state.queues[queue].length;
        (!code.is_lossy && self.is_at_capacity(state, queue))
            || code.may_wait_from.is_some_and(|from| length >= from && waiting.includes(queue))
    }

    /// Returns `true` if a queue is full: a send waits, or its message is lost.
    pub(crate) fn is_at_capacity(&self, state: &State, queue: usize) -> bool {
        let code = self.code_at(state, queue);
        let capacity = if code.rendezvous { Some(1) } else { code.capacity };
        capacity.is_some_and(|capacity| state.queues[queue].length >= capacity)
    }

    /// Returns `true` if a queue is full for some choice of waiting sends.
    pub(crate) fn may_have_no_room(&self, state: &State, queue: usize) -> bool {
        self.is_at_capacity(state, queue) || self.has_no_room(state, queue, Waiting::Everywhere)
    }

    /// Returns `true` if no send ever waits for room, except to channels whose capacity is part of
    /// the model.
    #[must_use]
    pub fn has_no_limit(&self) -> bool {
        self.queues.iter().all(|queue| queue.rendezvous || queue.is_fixed || queue.capacity.is_none())
    }

    /// Returns `true` if sends may wait that need not, so that a search covers the runs of several
    /// readings.
    #[must_use]
    pub fn has_waiting_choices(&self) -> bool {
        self.waiting_choices != WaitingChoices::One
    }

    /// Returns `true` if some send may have been made to wait in runs in which queues hold at most
    /// these numbers of messages. If none was, each step was possible in every reading.
    #[must_use]
    pub fn may_have_waited(&self, maxima: &BTreeMap<QueueOrigin, u32>) -> bool {
        let is_of = |code: &QueueCode, origin: &QueueOrigin| {
            (code.owner, code.variable, code.element as usize)
                == (origin.process.map(|(_, owner)| owner), origin.variable, origin.element)
        };
        let may_wait = |origin: &QueueOrigin, most: u32| {
            let mut codes = self.queues.iter().filter(|code| is_of(code, origin));
            codes.any(|code| code.may_wait_from.is_some_and(|from| most >= from))
        };
        maxima.iter().any(|(origin, most)| may_wait(origin, *most))
    }

    /// The choices to be considered in a state; the one in which no send waits is the first.
    pub(crate) fn choices_of_waiting(&self, state: &State) -> Result<Vec<Waiting>, RunError> {
        if self.waiting_choices == WaitingChoices::One {
            return Ok(vec![Waiting::Nowhere]);
        }
        let may_wait: Vec<usize> =
            (0..state.queue_count()).filter(|queue| self.may_come_to_wait(state, *queue)).collect();
        match self.waiting_choices {
            _ if may_wait.is_empty() => Ok(vec![Waiting::Nowhere]),
            WaitingChoices::One | WaitingChoices::Extremes => Ok(vec![Waiting::Nowhere, Waiting::Everywhere]),
            WaitingChoices::Subsets => subsets(&may_wait),
        }
    }

    /// Returns `true` if sends to a queue may wait before or after the next step.
    fn may_come_to_wait(&self, state: &State, queue: usize) -> bool {
        let more = if self.sends_in_d_step() { u32::MAX } else { 1 };
        let length = state.queues[queue].length.saturating_add(more);
        self.code_at(state, queue).may_wait_from.is_some_and(|from| length >= from)
    }
}

/// All subsets of some queues.
fn subsets(queues: &[usize]) -> Result<Vec<Waiting>, RunError> {
    if queues.len() > MOST_WAITING || queues.iter().any(|queue| *queue >= u64::BITS as usize) {
        return Err(RunError::TooManyWaiting(MOST_WAITING));
    }
    let set = |chosen: usize| {
        let inside = queues.iter().enumerate().filter(|(at, _)| chosen & (1 << at) != 0);
        Waiting::At(inside.fold(0, |set, (_, queue)| set | (1 << queue)))
    };
    Ok((0..1_usize << queues.len()).map(set).collect())
}
