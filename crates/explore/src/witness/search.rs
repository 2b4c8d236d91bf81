//! The search for a witness: several ways of looking, in turns.

use cfsm_core::deadline::Deadline;

use crate::witness::ground::Ground;
use crate::witness::supply::Supplier;
use crate::witness::tree::{Order, Tree};
use crate::witness::unread::Unread;
use crate::witness::walk::Walks;
use crate::{RunError, Semantics};

use super::{Aim, Guide, Witness};

/// What to look for, and where.
#[derive(Clone, Debug)]
pub struct Quest {
    /// What is to be shown.
    pub aim: Aim,
    /// Statements that should be part of the pump.
    pub guide: Guide,
}

/// How far to look.
#[derive(Clone, Copy, Debug)]
pub struct Budget {
    /// Most states that are looked at, in all ways of looking together.
    pub states: usize,
    /// When to stop.
    pub deadline: Deadline,
}

/// What a search came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Search {
    /// What was found.
    pub witness: Option<Witness>,
    /// How many states were looked at.
    pub states: usize,
    /// Whether there are no other states, so that nothing grows for ever.
    pub exhausted: bool,
}

/// States of a first turn; each turn has twice as many as the one before.
const FIRST_TURN: usize = 1_000;

impl Semantics {
    /// Searches for a run that goes on for ever in the way that is asked for, and confirms it.
    ///
    /// In turns: breadth first, which finds short ones; best first, by how many moves are not among
    /// the statements of the guide and by the distance to those; random walks that prefer them;
    /// and, where growth is asked for, for each queue a round of those who do not read it. All are
    /// determined by the input. What is found is a witness; that nothing is found means nothing,
    /// unless the search is [exhausted](Search::exhausted).
    ///
    /// # Errors
    /// What goes wrong at the start.
    pub fn search(&self, quest: &Quest, budget: &Budget) -> Result<Search, RunError> {
        let search = look(&Ground::new(self, &quest.aim), quest, budget)?;
        let witness = search.witness.map(|witness| self.without_detours(witness));
        Ok(Search { witness, ..search })
    }

    /// The same, not from the start but from behind a pump that fills queues: there are as many
    /// messages in these as are wanted. What is found has a [supply](Witness::supply). It is never
    /// exhausted.
    ///
    /// Nothing is found if the pump does not come back exactly, or looks at more of what it fills
    /// than first messages.
    ///
    /// # Errors
    /// What goes wrong at the start.
    pub fn search_supplied(
        &self,
        filling: &Witness,
        quest: &Quest,
        budget: &Budget,
    ) -> Result<Search, RunError> {
        let Ok(supplier) = Supplier::new(self, &filling.prefix, &filling.pump) else {
            return Ok(Search { witness: None, states: 0, exhausted: false });
        };
        let search = look(&Ground::supplied(self, &quest.aim, &supplier), quest, budget)?;
        Ok(Search { exhausted: false, ..search })
    }

    /// The same with a prefix in which no state occurs twice, if it is not too long: time is
    /// quadratic in it.
    fn without_detours(&self, witness: Witness) -> Witness {
        const LONGEST: usize = 4_000;
        if witness.prefix.steps.len() > LONGEST {
            return witness;
        }
        let Ok((start, steps)) = self.replay(&witness.prefix) else { return witness };
        let states: Vec<_> =
            std::iter::once(Some(start)).chain(steps.into_iter().map(|step| step.after)).collect();
        let mut kept: Vec<usize> = Vec::new();
        for at in 0..states.len() {
            // Positions from the first one with the same state on are a detour.
            if let Some(earlier) = kept.iter().position(|&kept| states[kept] == states[at]) {
                kept.truncate(earlier);
            }
            kept.push(at);
        }
        let steps = kept.iter().skip(1).map(|&at| witness.prefix.steps[at - 1].clone()).collect();
        self.confirm(&crate::Run { steps }, &witness.pump).unwrap_or(witness)
    }
}

/// Searches on some ground, in turns.
pub(super) fn look(ground: &Ground<'_>, quest: &Quest, budget: &Budget) -> Result<Search, RunError> {
    let start = ground.initial()?;
    let mut breadth = Tree::new(ground, quest, Order::Breadth, &start);
    let mut directed = Tree::new(ground, quest, Order::Directed, &start);
    let mut walks = Walks::new(ground, quest, &start);
    let mut unread = Unread::new(ground, quest, &start);
    let mut looked = 0;
    let mut turn = FIRST_TURN;
    loop {
        let part = |used: usize| turn.min(budget.states.saturating_sub(looked + used));
        let first = breadth.grow(part(0), budget.deadline);
        let witness = match first {
            Some(witness) => Some(witness),
            None if breadth.is_exhausted() => None,
            None => directed
                .grow(part(turn), budget.deadline)
                .or_else(|| walks.go(part(2 * turn), budget.deadline))
                .or_else(|| unread.go(part(3 * turn), budget.deadline)),
        };
        let before =
            std::mem::replace(&mut looked, breadth.len() + directed.len() + walks.steps() + unread.states());
        let exhausted = breadth.is_exhausted();
        let late = budget.deadline.is_over();
        // What is full does not grow, whatever the turn.
        let stuck = looked == before;
        if witness.is_some() || exhausted || late || stuck || looked >= budget.states {
            return Ok(Search { witness, states: looked, exhausted });
        }
        turn *= 2;
    }
}
