//! When a pump can be repeated for ever.
//!
//! **Theorem** (theory 9; the proof is in `docs/soundness/witnesses.md`). Let a pump be executed
//! from a state and lead to one with the same control, data and queues, and let it have been
//! executed before. For each queue with other contents behind it than before, let the queue be
//! there all the time, and with `x` its content before, `s` what is sent to it, `r` what is
//! received from it:
//!
//! 1. its content behind is what first in, first out makes of these: `x s = r x'`;
//! 2. it does not shrink: `|s| >= |r|`;
//! 3. `r` is empty, or `x s s s ... = r r r ...`;
//! 4. no statement at hand looks at more of it than whether there is a first message, and which,
//!    and whether it is longer than some number, which it is all the time.
//!
//! Where messages are taken or put elsewhere, [`out_of_order`](super::out_of_order) has what takes
//! the place of these.
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

/// Rounds that are replayed, at least: once so that growing queues are not empty, and three more
/// times. A supply has as many.
pub(super) const ROUNDS: usize = 4;
/// Most rounds to get beyond the numbers that lengths are compared with.
const MOST_ROUNDS: usize = 2_000;
/// Most steps of such rounds.
const MOST_STEPS: usize = 50_000;

/// Queues that grow, and by how much each round.
pub(super) type Growth = Vec<(QueueOrigin, u32)>;

/// Replays a pump from a state on, and checks the theorem's conditions in the round that follows
/// the first one in which growing queues are long enough. Steps are counted in `effort`.
pub(super) fn confirm(
    semantics: &Semantics,
    start: &State,
    pump: &Run,
    offset: usize,
    effort: &mut usize,
) -> Result<(Growth, usize), Refusal> {
    confirm_supplied(semantics, start, pump, (offset, &BTreeSet::new()), effort)
}

/// The same where the state behind each round is brought to another one, from which the next round
/// starts: without processes that have been left behind.
pub(super) fn confirm_closed(
    semantics: &Semantics,
    start: &State,
    pump: &Run,
    close: &dyn Fn(&State) -> Result<State, Refusal>,
    effort: &mut usize,
) -> Result<(Growth, usize), Refusal> {
    confirm_rounds(semantics, start, pump, (0, &BTreeSet::new()), close, effort)
}

/// The same where some queues, by position, hold as many messages as are wanted: of these, nothing
/// is asked here.
pub(super) fn confirm_supplied(
    semantics: &Semantics,
    start: &State,
    pump: &Run,
    supplied: (usize, &BTreeSet<usize>),
    effort: &mut usize,
) -> Result<(Growth, usize), Refusal> {
    confirm_rounds(semantics, start, pump, supplied, &|state| Ok(state.clone()), effort)
}

fn confirm_rounds(
    semantics: &Semantics,
    start: &State,
    pump: &Run,
    (offset, supplied): (usize, &BTreeSet<usize>),
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
                // Lengths grow by the same in each round, so there is no need to try.
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

/// Whether two states may be the ends of a pump, and by how much each queue has grown if so.
pub(super) fn compare(before: &State, after: &State) -> Result<Vec<u32>, Refusal> {
    compare_others(before, after, &BTreeSet::new())
}

/// The same if some queues, by position, do not matter: these are told not to have grown.
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

/// One round of a pump, or another part of a run, executed.
pub(super) struct Round<'a> {
    pub semantics: &'a Semantics,
    pub run: &'a Run,
    pub before: &'a State,
    /// Behind each step.
    pub states: &'a [State],
    /// By how much each queue has grown.
    pub changes: &'a [u32],
    /// Queues, by position, that hold as many messages as are wanted.
    pub supplied: &'a BTreeSet<usize>,
}

impl Round<'_> {
    /// Whether the theorem applies: behind how many more rounds, because queues are not yet long
    /// enough for it before.
    pub fn missing_rounds(&self) -> Result<usize, Refusal> {
        let others = (0..self.changes.len()).filter(|queue| !self.supplied.contains(queue));
        let moving: Vec<usize> = others.filter(|queue| !self.is_unchanged(*queue)).collect();
        if moving.is_empty() {
            return Ok(0);
        }
        let has_limit = |queue: usize| self.semantics.code_at(self.before, queue).has_limit();
        let grows = |queue: &usize| self.changes[*queue] > 0 || self.supplied.contains(queue);
        if (0..self.changes.len()).filter(grows).any(has_limit) {
            // Sends would wait some day. What does not grow has the same length at the same point
            // of each round, and makes the same sends wait.
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

    /// Conditions 1 to 3, or what takes their place where a queue is not used first in, first out;
    /// and that the queue is there all the time.
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

    /// Whether the process that a queue belongs to comes to its end.
    pub fn ends_owner(&self, queue: usize) -> bool {
        let owner = usize::from(self.before.queues[queue].owner);
        self.moves().any(|moved| moved.edge.is_none() && moved.process == owner)
    }

    /// Whether there is a sorted send to a queue.
    pub fn sorts_into(&self, queue: usize) -> bool {
        self.moves().any(|moved| into(&moved.sent, queue).is_some() && self.sorts(moved))
    }

    /// Whether a move is a sorted send.
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

    /// The greatest message that is the first one of a queue at some point, if there always is one.
    fn greatest_front(&self, queue: usize) -> Result<Letter, Refusal> {
        let fronts = self.states().map(|state| self.content(state, queue).into_iter().next());
        let fronts: Option<Vec<Letter>> = fronts.collect();
        fronts.and_then(|fronts| fronts.into_iter().max()).ok_or(Refusal::Sensitive)
    }

    /// Whether a queue is always sorted, and remains so with more messages in it: all sends to it
    /// are sorted ones, of what it keeps, in steps that do nothing else with it.
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

    /// Whether a sorted send, the only move of its step, puts into the queue what it is sorted by.
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

    /// What is looked at in the round: by those who move, where they were and where they got to,
    /// because whether they go on inside `atomic` is part of a step.
    pub fn looks(&self) -> Looks {
        let mut looks = Looks::default();
        self.add_looks(&mut looks);
        looks
    }

    /// Adds what is looked at in the round to what is in others.
    pub fn add_looks(&self, looks: &mut Looks) {
        let mut sensitive = Sensitive::of(self.semantics);
        let before = std::iter::once(self.before).chain(self.states);
        for ((moves, before), after) in self.run.steps.iter().zip(before).zip(self.states) {
            let movers: Vec<usize> = moves.iter().map(|moved| moved.process).collect();
            sensitive.note(before, &movers, looks);
            sensitive.note(after, &movers, looks);
        }
    }

    /// The least length of a queue in the round, in the middle of steps too.
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

/// A message, if it goes through a queue.
pub(super) fn into(message: &Option<Message>, queue: usize) -> Option<&Letter> {
    message.as_ref().filter(|message| message.queue == queue + 1).map(|message| &message.fields)
}

impl Semantics {
    /// Executes recorded moves from a state on; the state behind each comes back. Steps are counted
    /// from `first` in errors.
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

    /// Executes one recorded step, the one with this number. It may not fail.
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
