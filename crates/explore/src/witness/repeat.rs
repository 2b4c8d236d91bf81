//! Conditions under which a pump can be repeated for ever.
//!
//! **Theorem** (theory 9; the proof is in `docs/soundness/witnesses.md`). Let a pump be executed
//! from a state and lead to one with the same control, data and queues, and let it have been
//! executed before. For each queue whose content after the pump differs from the one before, let
//! the queue exist all the time, and with `x` its content before, `s` the messages sent to it, `r`
//! those received from it:
//!
//! 1. its content after the pump is the one that first in, first out yields: `x s = r x'`;
//! 2. it does not shrink: `|s| >= |r|`;
//! 3. `r` is empty, or `x s s s ... = r r r ...`;
//! 4. no statement at hand depends on more of it than the existence and value of the first message,
//!    and a comparison of its length with a number that it exceeds all the time.
//!
//! For random receives and sorted sends, [`out_of_order`](super::out_of_order) has the
//! corresponding conditions.
//!
//! Then the pump can be executed again, for ever, with the same moves.

use std::collections::BTreeSet;

use cfsm_core::ids::Id;

use super::Refusal;
use super::out_of_order::{Letter, Passage};
use super::sensitive::{Looks, Sensitive};
use crate::code::Statement;
use crate::evaluate::Scene;
use crate::state::QueueState;
use crate::{Message, Move, QueueOrigin, ReplayError, Run, Semantics, State};

/// Least number of replayed rounds: one so that growing queues are not empty, and three more. A
/// supply has as many.
pub(super) const ROUNDS: usize = 4;
/// Greatest number of rounds until lengths exceed the numbers with which they are compared.
const MOST_ROUNDS: usize = 2_000;
/// Greatest number of steps of such rounds.
const MOST_STEPS: usize = 50_000;

/// Queues that grow, with their growth per round.
pub(super) type Growth = Vec<(QueueOrigin, u32)>;

/// Replays a pump from a state on, and checks the conditions of the theorem in the round after the
/// first one in which growing queues are long enough. Adds the number of steps to `effort`.
pub(super) fn confirm(
    semantics: &Semantics,
    start: &State,
    pump: &Run,
    offset: usize,
    effort: &mut usize,
) -> Result<(Growth, usize), Refusal> {
    confirm_supplied(semantics, start, pump, offset, &BTreeSet::new(), effort)
}

/// As [`confirm`], where `close` maps the state after each round to the one in which the next round
/// starts: processes that were left behind are dropped.
pub(super) fn confirm_closed(
    semantics: &Semantics,
    start: &State,
    pump: &Run,
    close: &dyn Fn(&State) -> Result<State, Refusal>,
    effort: &mut usize,
) -> Result<(Growth, usize), Refusal> {
    confirm_rounds(semantics, start, pump, 0, &BTreeSet::new(), close, effort)
}

/// As [`confirm`], where some queues, by index, hold any number of messages: these are not checked
/// here.
pub(super) fn confirm_supplied(
    semantics: &Semantics,
    start: &State,
    pump: &Run,
    offset: usize,
    supplied: &BTreeSet<usize>,
    effort: &mut usize,
) -> Result<(Growth, usize), Refusal> {
    confirm_rounds(semantics, start, pump, offset, supplied, &|state| Ok(state.clone()), effort)
}

fn confirm_rounds(
    semantics: &Semantics,
    start: &State,
    pump: &Run,
    offset: usize,
    supplied: &BTreeSet<usize>,
    close: &dyn Fn(&State) -> Result<State, Refusal>,
    effort: &mut usize,
) -> Result<(Growth, usize), Refusal> {
    let most = MOST_ROUNDS.min(MOST_STEPS / pump.steps.len().max(1)).max(ROUNDS);
    let mut before = start.clone();
    let mut result = None;
    // The first round in which growing queues can be long enough.
    let mut base = 1;
    for round in 0..most {
        *effort += pump.steps.len();
        let states = semantics.follow(&before, &pump.steps, offset + round * pump.steps.len())?;
        let after = close(states.last().unwrap_or(&before))?;
        let changes = compare_others(&before, &after, supplied)?;
        if round == base && result.is_none() {
            let (before, states, changes) = (&before, &states[..], &changes[..]);
            let check = Round { semantics, run: pump, before, states, changes, supplied };
            match check.missing_rounds()? {
                0 => result = Some(check.growth()),
                // Lengths grow linearly, so replaying further would not help.
                missing if missing >= most - round => return Err(Refusal::TooManyRounds(most)),
                missing => base += missing,
            }
        }
        before = after;
        if round + 1 >= ROUNDS
            && let Some(growth) = result
        {
            return Ok((growth, round + 1));
        }
    }
    Err(Refusal::TooManyRounds(most))
}

/// The growth of each queue between two states. Fails unless the states can be the ends of a pump.
pub(super) fn compare(before: &State, after: &State) -> Result<Vec<u32>, Refusal> {
    compare_others(before, after, &BTreeSet::new())
}

/// As [`compare`], with some queues, by index, exempt: their growth is given as 0.
fn compare_others(before: &State, after: &State, supplied: &BTreeSet<usize>) -> Result<Vec<u32>, Refusal> {
    let same = before.cells == after.cells
        && before.frames == after.frames
        && before.held == after.held
        && before.last == after.last
        && before.queues.len() == after.queues.len();
    if !same {
        return Err(Refusal::Differs);
    }
    let pairs = before.queues.iter().zip(&after.queues).enumerate();
    let change = |(at, (old, new)): (usize, (&QueueState, &QueueState))| match supplied.contains(&at) {
        true => Ok(0),
        false => new.length.checked_sub(old.length).ok_or(Refusal::Shrinks),
    };
    pairs.map(change).collect()
}

/// An executed round of a pump, or another executed part of a run.
pub(super) struct Round<'a> {
    pub semantics: &'a Semantics,
    pub run: &'a Run,
    pub before: &'a State,
    /// The state after each step.
    pub states: &'a [State],
    /// The growth of each queue.
    pub changes: &'a [u32],
    /// Indices of the queues that hold any number of messages.
    pub supplied: &'a BTreeSet<usize>,
}

impl Round<'_> {
    /// Checks the conditions of the theorem. Returns the number of further rounds until queues are
    /// long enough for it; 0 if it applies now.
    pub fn missing_rounds(&self) -> Result<usize, Refusal> {
        let others = (0..self.changes.len()).filter(|queue| !self.supplied.contains(queue));
        let moving: Vec<usize> = others.filter(|queue| !self.is_unchanged(*queue)).collect();
        if moving.is_empty() {
            return Ok(0);
        }
        let has_limit = |queue: usize| self.semantics.code_at(self.before, queue).has_limit();
        let grows = |queue: &usize| self.changes[*queue] > 0 || self.supplied.contains(queue);
        if (0..self.changes.len()).filter(grows).any(has_limit) {
            // Sends would wait at some time. A queue that does not grow has the same length at the
            // same point of each round, and makes the same sends wait.
            return Err(Refusal::Sensitive);
        }
        let looks = self.looks();
        for &queue in &moving {
            self.goes_round(queue, &looks)?;
        }
        if looks.any || moving.iter().any(|queue| looks.whole.contains(queue)) {
            return Err(Refusal::Sensitive);
        }
        // A queue that does not grow has the same length at the same point of each round.
        let growing = moving.iter().filter(|queue| self.changes[**queue] > 0);
        let missing = growing.filter_map(|queue| {
            let wanted = u64::from(*looks.thresholds.get(queue)?) + 1;
            let short = wanted.saturating_sub(self.shortest(*queue).into());
            Some(short.div_ceil(self.changes[*queue].into()))
        });
        Ok(missing.max().map_or(0, |rounds| usize::try_from(rounds).unwrap_or(usize::MAX)))
    }

    /// The queues that grow.
    pub fn growth(&self) -> Growth {
        let growing = self.changes.iter().enumerate().filter(|(_, change)| **change > 0);
        let named = growing.filter_map(|(queue, change)| {
            Some((self.semantics.queue_origin(self.before, queue + 1)?, *change))
        });
        let mut named: Growth = named.collect();
        named.sort_unstable();
        named
    }

    fn after(&self) -> &State {
        self.states.last().unwrap_or(self.before)
    }

    fn is_unchanged(&self, queue: usize) -> bool {
        self.content(self.before, queue) == self.content(self.after(), queue)
    }

    pub fn content(&self, state: &State, queue: usize) -> Vec<Vec<i64>> {
        self.semantics.queue(state, queue + 1).map(|queue| queue.messages).unwrap_or_default()
    }

    /// Checks conditions 1 to 3, or their counterparts for queues that are not used first in, first
    /// out; and that the queue exists all the time.
    fn goes_round(&self, queue: usize, looks: &Looks) -> Result<(), Refusal> {
        if self.ends_owner(queue) {
            return Err(Refusal::Differs);
        }
        let (held, left) = (self.content(self.before, queue), self.content(self.after(), queue));
        let passage = Passage {
            held: held.iter().collect(),
            sent: self.moves().filter_map(|moved| into(&moved.sent, queue)).collect(),
            taken: self.moves().filter_map(|moved| into(&moved.received, queue)).collect(),
            left: left.iter().collect(),
        };
        let none = BTreeSet::new();
        let patterns = looks.patterns.get(&queue).unwrap_or(&none);
        let looks_at_front = looks.has_front(queue);
        if self.sorts_into(queue) && !passage.is_uniform() {
            let front = if looks_at_front { Some(self.greatest_front(queue)?) } else { None };
            if looks_at_front || !patterns.is_empty() {
                self.is_always_sorted(queue)?;
            }
            passage.sorted(patterns, front.as_ref())
        } else if patterns.is_empty() {
            passage.first_in_first_out()
        } else {
            passage.taken_by_pattern(patterns, looks_at_front)
        }
    }

    /// Returns `true` if the owner of a queue dies.
    pub fn ends_owner(&self, queue: usize) -> bool {
        let owner = usize::from(self.before.queues[queue].owner);
        self.moves().any(|moved| moved.edge.is_none() && moved.process == owner)
    }

    /// Returns `true` if there is a sorted send to a queue.
    pub fn sorts_into(&self, queue: usize) -> bool {
        self.moves().any(|moved| into(&moved.sent, queue).is_some() && self.sorts(moved))
    }

    /// Returns `true` if a move is a sorted send.
    fn sorts(&self, moved: &Move) -> bool {
        matches!(self.statement(moved), Some(Statement::Send { sorted: true, .. }))
    }

    fn statement(&self, moved: &Move) -> Option<&Statement> {
        let edges = &self.semantics.types[moved.process_type.index()].edges;
        edges.iter().find(|edge| Some(edge.id) == moved.edge).map(|edge| &edge.statement)
    }

    /// The states before each step, and the last one.
    fn states(&self) -> impl Iterator<Item = &State> {
        std::iter::once(self.before).chain(self.states)
    }

    /// The greatest first message of a queue over all states, if the queue is never empty.
    fn greatest_front(&self, queue: usize) -> Result<Letter, Refusal> {
        let fronts = self.states().map(|state| self.content(state, queue).into_iter().next());
        let fronts: Option<Vec<Letter>> = fronts.collect();
        fronts.and_then(|fronts| fronts.into_iter().max()).ok_or(Refusal::Sensitive)
    }

    /// Checks that a queue is always sorted, and remains so with more messages in it: all sends to
    /// it are sorted and store their fields without truncation, in steps that do nothing else with
    /// the queue.
    fn is_always_sorted(&self, queue: usize) -> Result<(), Refusal> {
        let sorted = self.states().all(|state| self.content(state, queue).is_sorted());
        let mut steps = self.run.steps.iter().zip(self.states());
        let plain = steps.all(|(moves, before)| {
            let sends = moves.iter().filter(|moved| into(&moved.sent, queue).is_some());
            let touches = moves
                .iter()
                .any(|moved| into(&moved.sent, queue).or_else(|| into(&moved.received, queue)).is_some());
            (!touches || moves.len() == 1) && sends.into_iter().all(|moved| self.keeps_all(moved, before))
        });
        if sorted && plain { Ok(()) } else { Err(Refusal::Sensitive) }
    }

    /// Returns `true` if a sorted send, the only move of its step, stores its fields without
    /// truncation.
    fn keeps_all(&self, moved: &Move, before: &State) -> bool {
        let Some(Statement::Send { fields, sorted: true, .. }) = self.statement(moved) else { return false };
        let value =
            |field| self.semantics.value(before, &Scene::of(moved.process), field).map(i64::from).ok();
        let values: Option<Letter> = fields.iter().map(value).collect();
        values.is_some() && values.as_ref() == moved.sent.as_ref().map(|message| &message.fields)
    }

    pub fn moves(&self) -> impl Iterator<Item = &Move> {
        self.run.steps.iter().flatten()
    }

    /// The queue observations of the round: of the moving processes, before and after each step,
    /// because their executability decides who keeps control inside `atomic`.
    pub fn looks(&self) -> Looks {
        let mut looks = Looks::default();
        self.add_looks(&mut looks);
        looks
    }

    /// Adds the queue observations of the round to others.
    pub fn add_looks(&self, looks: &mut Looks) {
        let mut sensitive = Sensitive::of(self.semantics);
        let before = std::iter::once(self.before).chain(self.states);
        for ((moves, before), after) in self.run.steps.iter().zip(before).zip(self.states) {
            let movers: Vec<usize> = moves.iter().map(|moved| moved.process).collect();
            sensitive.note(before, &movers, looks);
            sensitive.note(after, &movers, looks);
        }
    }

    /// The least length of a queue in the round, including the middle of steps.
    fn shortest(&self, queue: usize) -> u32 {
        let before = std::iter::once(self.before).chain(self.states);
        let lengths = before.zip(&self.run.steps).map(|(state, moves)| {
            let taken = moves
                .iter()
                .filter(|moved| moved.received.as_ref().is_some_and(|message| message.queue == queue + 1));
            let taken = u32::try_from(taken.count()).unwrap_or(u32::MAX);
            state.queues.get(queue).map_or(0, |queue| queue.length).saturating_sub(taken)
        });
        lengths.chain(self.after().queues.get(queue).map(|queue| queue.length)).min().unwrap_or(0)
    }
}

/// The fields of a message if it passes through the given queue.
pub(super) fn into(message: &Option<Message>, queue: usize) -> Option<&Letter> {
    message.as_ref().filter(|message| message.queue == queue + 1).map(|message| &message.fields)
}

impl Semantics {
    /// Executes recorded moves from a state on, and returns the state after each. Steps are
    /// numbered from `first` in errors.
    pub(super) fn follow(
        &self,
        start: &State,
        moves: &[Vec<Move>],
        first: usize,
    ) -> Result<Vec<State>, Refusal> {
        let mut states: Vec<State> = Vec::with_capacity(moves.len());
        for (moves, at) in moves.iter().zip(first..) {
            states.push(self.advance(states.last().unwrap_or(start), moves, at)?);
        }
        Ok(states)
    }

    /// Executes one recorded step, which has number `at` in errors. It must not have an error.
    pub(super) fn advance(&self, state: &State, moves: &[Move], at: usize) -> Result<State, Refusal> {
        let step = self.successors(state).into_iter().find(|step| step.moves == *moves);
        let step = step.ok_or(ReplayError::NoSuchStep(at))?;
        match (step.errors.into_iter().next(), step.after) {
            (None, Some(after)) => Ok(after),
            (Some(error), _) => Err(Refusal::Fails(error)),
            (None, None) => Err(ReplayError::NoSuchStep(at).into()),
        }
    }
}
