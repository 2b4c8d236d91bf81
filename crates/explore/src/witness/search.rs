//! The search for witnesses: several strategies in turns.

use std::cell::OnceCell;

use cfsm_core::deadline::Deadline;

use crate::witness::backlog_pump::Supplier;
use crate::witness::reduced_model::{ReducedModel, ReducedProgram};
use crate::witness::tree::{Order, Tree};
use crate::witness::unread_queue::UnreadQueues;
use crate::witness::walk::Walks;
use crate::{RunError, Semantics};

use super::{Aim, Guide, Witness};

/// A search task: the goal and the guidance.
#[derive(Clone, Debug)]
pub struct Quest {
    /// The goal.
    pub aim: Aim,
    /// Statements that should be part of the pump.
    pub guide: Guide,
}

/// Limits of a search for witnesses.
#[derive(Clone, Copy, Debug)]
pub struct Budget {
    /// Greatest number of states that are visited by all strategies together.
    pub states: usize,
    /// Time at which the search stops.
    pub deadline: Deadline,
}

/// Result of a search for witnesses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Search {
    /// The witness, if one was found.
    pub witness: Option<Witness>,
    /// Number of visited states.
    pub states: usize,
    /// `true` if all states were visited, so that no queue grows for ever.
    pub exhausted: bool,
}

/// Number of states of the first turn; each turn has twice as many as the previous one.
const FIRST_TURN: usize = 1_000;

/// A program in which witnesses are searched. What has to be found out about the program for that
/// is found out once, at the first search, however many there are.
pub struct Searcher<'a> {
    semantics: &'a Semantics,
    for_growth: OnceCell<ReducedProgram>,
    for_livelocks: OnceCell<ReducedProgram>,
}

impl<'a> Searcher<'a> {
    /// Searches in a program.
    #[must_use]
    pub const fn new(semantics: &'a Semantics) -> Self {
        Self { semantics, for_growth: OnceCell::new(), for_livelocks: OnceCell::new() }
    }

    /// The program.
    #[must_use]
    pub const fn semantics(&self) -> &'a Semantics {
        self.semantics
    }

    /// Searches for an infinite run with the given goal, and confirms it.
    ///
    /// Strategies in turns: breadth first, which finds short runs; once, the loops of the guide by
    /// count; best first, by the number of moves that are not statements of the guide and by the
    /// distance to those; random walks that prefer them; and, for growth, for each queue a cycle
    /// of the processes that do not read it. All are deterministic. Failure to find a witness means
    /// nothing unless the search is [exhausted](Search::exhausted).
    ///
    /// # Errors
    /// The error of the initial state, if it has one.
    pub fn search(&self, quest: &Quest, budget: &Budget) -> Result<Search, RunError> {
        let search = look(&self.model(&quest.aim), quest, budget)?;
        let witness = search.witness.map(|witness| self.semantics.without_detours(witness));
        Ok(Search { witness, ..search })
    }

    /// As [`search`](Self::search), starting behind a pump that fills queues, which then hold any
    /// number of messages. A witness has a [supply](Witness::supply). The search is never
    /// exhausted.
    ///
    /// Nothing is found if the first pump does not return exactly, or inspects more than the first
    /// messages of the queues that it fills.
    ///
    /// # Errors
    /// The error of the initial state, if it has one.
    pub fn search_supplied(
        &self,
        filling: &Witness,
        quest: &Quest,
        budget: &Budget,
    ) -> Result<Search, RunError> {
        let Ok(supplier) = Supplier::new(self.semantics, &filling.prefix, &filling.pump) else {
            return Ok(Search { witness: None, states: 0, exhausted: false });
        };
        let search = look(&self.model(&quest.aim).supplied(&supplier), quest, budget)?;
        Ok(Search { exhausted: false, ..search })
    }

    fn model<'s>(&'s self, aim: &'s Aim) -> ReducedModel<'s> {
        let reduced = match aim {
            Aim::Growth { .. } => &self.for_growth,
            Aim::NoProgress { .. } => &self.for_livelocks,
        };
        let reduced = reduced.get_or_init(|| ReducedProgram::new(self.semantics, aim));
        ReducedModel::new(self.semantics, reduced, aim)
    }
}

impl Semantics {
    /// As [`Searcher::search`], for a single search.
    ///
    /// # Errors
    /// The error of the initial state, if it has one.
    pub fn search(&self, quest: &Quest, budget: &Budget) -> Result<Search, RunError> {
        Searcher::new(self).search(quest, budget)
    }

    /// The witness with a prefix in which no state occurs twice, if the prefix is short enough:
    /// time is quadratic in it.
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
            // The steps between two equal states are a detour.
            if let Some(earlier) = kept.iter().position(|&kept| states[kept] == states[at]) {
                kept.truncate(earlier);
            }
            kept.push(at);
        }
        let steps = kept.iter().skip(1).map(|&at| witness.prefix.steps[at - 1].clone()).collect();
        self.confirm(&crate::Run { steps }, &witness.pump).unwrap_or(witness)
    }
}

/// Runs the strategies in turns.
pub(super) fn look(model: &ReducedModel<'_>, quest: &Quest, budget: &Budget) -> Result<Search, RunError> {
    let start = model.initial()?;
    let mut breadth = Tree::new(model, quest, Order::Breadth, &start);
    let mut directed = Tree::new(model, quest, Order::Directed, &start);
    let mut walks = Walks::new(model, quest, &start);
    let mut unread = UnreadQueues::new(model, quest, &start);
    let mut looked = 0;
    let mut turn = FIRST_TURN;
    loop {
        let part = |used: usize| turn.min(budget.states.saturating_sub(looked + used));
        let first = breadth.grow(part(0), budget.deadline);
        let witness = match first {
            Some(witness) => Some(witness),
            None if breadth.is_exhausted() => None,
            None => (turn == FIRST_TURN)
                .then(|| walks.count(budget.deadline))
                .flatten()
                .or_else(|| directed.grow(part(turn), budget.deadline))
                .or_else(|| walks.go(part(2 * turn), budget.deadline))
                .or_else(|| unread.go(part(3 * turn), budget.deadline)),
        };
        let before =
            std::mem::replace(&mut looked, breadth.len() + directed.len() + walks.steps() + unread.states());
        let exhausted = breadth.is_exhausted();
        let late = budget.deadline.is_over();
        // A strategy that has reached its memory limit stays there in later turns.
        let stuck = looked == before;
        if witness.is_some() || exhausted || late || stuck || looked >= budget.states {
            return Ok(Search { witness, states: looked, exhausted });
        }
        turn *= 2;
    }
}
