//! Conditions for the repetition of pumps with queues that are not used first in, first out.
//!
//! Of a queue with random receives or sorted sends, only some messages are ever inspected. Those
//! that are never inspected may accumulate. `docs/soundness/witnesses.md` has the proofs.

use std::collections::{BTreeMap, BTreeSet};

use super::Refusal;
use super::sensitive::Pattern;
use super::words::feeds_itself;

/// A message, given by its fields.
pub(super) type Letter = Vec<i64>;

/// The messages that pass through one queue in a round.
#[derive(Clone, Debug, Default)]
pub(super) struct Passage<'a> {
    /// Content of the queue before the round.
    pub held: Vec<&'a Letter>,
    /// Messages sent in the round.
    pub sent: Vec<&'a Letter>,
    /// Messages received in the round.
    pub taken: Vec<&'a Letter>,
    /// Content of the queue after the round.
    pub left: Vec<&'a Letter>,
}

impl<'a> Passage<'a> {
    /// The restriction to messages that satisfy a predicate.
    fn of(&self, is: impl Fn(&Letter) -> bool) -> Self {
        let part = |all: &[&'a Letter]| all.iter().copied().filter(|letter| is(letter)).collect();
        let Self { held, sent, taken, left } = self;
        Self { held: part(held), sent: part(sent), taken: part(taken), left: part(left) }
    }

    fn is_unchanged(&self) -> bool {
        self.held == self.left
    }

    fn letters(&self) -> impl Iterator<Item = &'a Letter> {
        self.held.iter().chain(&self.sent).copied()
    }

    /// Returns `true` if all messages are equal, so that the slot of an insertion does not matter.
    pub(super) fn is_uniform(&self) -> bool {
        let mut letters = self.letters();
        letters.next().is_none_or(|first| letters.all(|letter| letter == first))
    }

    /// Checks conditions 1 to 3 of the theorem.
    pub(super) fn first_in_first_out(&self) -> Result<(), Refusal> {
        let Self { held, sent, taken, left } = self;
        if !held.iter().chain(sent).eq(taken.iter().chain(left)) {
            return Err(Refusal::Order);
        }
        if sent.len() < taken.len() {
            return Err(Refusal::Shrinks);
        }
        if taken.is_empty() || feeds_itself(held, sent, taken) { Ok(()) } else { Err(Refusal::Order) }
    }

    /// Checks a queue with sends to its end, of which the first message that matches each of these
    /// patterns is inspected, and the first message if `looks_at_front`.
    pub(super) fn taken_by_pattern(
        &self,
        patterns: &BTreeSet<Pattern>,
        looks_at_front: bool,
    ) -> Result<(), Refusal> {
        let signature = |letter: &Letter| -> Vec<bool> {
            patterns.iter().map(|pattern| pattern.may_match(letter)).collect()
        };
        let is_seen = |letter: &Letter| patterns.iter().any(|pattern| pattern.may_match(letter));
        // A message at the front that no statement matches stays there.
        if looks_at_front && self.held.first().is_none_or(|first| is_seen(first)) {
            return Err(Refusal::Sensitive);
        }
        self.of(|letter| !is_seen(letter)).piles_up()?;
        let kinds: BTreeSet<Vec<bool>> = self.letters().map(signature).collect();
        let mut asked: BTreeMap<usize, usize> = BTreeMap::new();
        for pattern in kinds.iter().flat_map(|kind| set(kind)) {
            *asked.entry(pattern).or_default() += 1;
        }
        let exact: Vec<bool> = patterns.iter().map(|pattern| pattern.exact).collect();
        // Each pattern that matches this class of messages matches all of the class and no other
        // message.
        let is_alone = |kind: &[bool]| set(kind).all(|pattern| asked[&pattern] == 1 && exact[pattern]);
        let (alone, together): (Vec<_>, Vec<_>) = kinds.into_iter().partition(|kind| is_alone(kind));
        for kind in alone.iter().filter(|kind| set(kind).next().is_some()) {
            self.of(|letter| signature(letter) == *kind).first_in_first_out()?;
        }
        if self.of(|letter| together.contains(&signature(letter))).is_unchanged() {
            Ok(())
        } else {
            Err(Refusal::Sensitive)
        }
    }

    /// Checks a queue that is always sorted: the messages that may be inspected must be unchanged.
    /// If its first message matters, there always is one, and it is never greater than `front`.
    pub(super) fn sorted(&self, patterns: &BTreeSet<Pattern>, front: Option<&Letter>) -> Result<(), Refusal> {
        let is_asked_for = |letter: &Letter| patterns.iter().any(|pattern| pattern.may_match(letter));
        let is_below = |letter: &Letter| front.is_some_and(|front| letter < front) || is_asked_for(letter);
        // Among the greatest messages that reach the front, all are equal.
        let is_last = |letter: &Letter| !is_below(letter) && front == Some(letter);
        let last = self.of(is_last);
        if last.sent.len() < last.taken.len() {
            return Err(Refusal::Shrinks);
        }
        self.of(|letter| !is_below(letter) && !is_last(letter)).piles_up()?;
        if self.of(is_below).is_unchanged() { Ok(()) } else { Err(Refusal::Sensitive) }
    }

    /// Checks that none of the messages is received, given that none is inspected.
    fn piles_up(&self) -> Result<(), Refusal> {
        if self.taken.is_empty() { Ok(()) } else { Err(Refusal::Order) }
    }
}

/// The indices of the elements that are `true`.
fn set(kind: &[bool]) -> impl Iterator<Item = usize> {
    kind.iter().enumerate().filter(|(_, is)| **is).map(|(at, _)| at)
}
