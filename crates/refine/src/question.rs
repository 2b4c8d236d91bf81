//! What refinement needs to know of a property.

use std::collections::BTreeMap;

use boundedness::{BufferVerdict, Combination};
use certify::Rejection;
use cfsm_core::deadline::Deadline;
use cfsm_core::system::System;

use crate::{Options, prove_by_configurations};

/// A question about a system, and what its answers look like. Refinement knows nothing else of a
/// property.
pub trait Question {
    /// The answer.
    type Outcome: Clone;

    /// The same question, to be answered until another deadline.
    #[must_use]
    fn until(&self, deadline: Deadline) -> Self
    where
        Self: Sized;

    /// Decides about a system, as far as that allows.
    fn ask(&self, system: &System) -> Self::Outcome;

    /// Decides about a system of which an answer leaves something open, given where processes are
    /// in the long run; with the number of cases. `None` if that does not help, or if
    /// [`ask`](Self::ask) does so already.
    fn ask_by_cases(&self, _system: &System, _plain: &Self::Outcome) -> Option<(Self::Outcome, usize)> {
        None
    }

    /// Decides about a system of which an answer leaves something open, given that queues keep the
    /// order of messages, by no more than `most` configurations; with the number of those that had
    /// to be listed. `None` if that does not help, or is no question of this property.
    fn ask_in_order(
        &self,
        _system: &System,
        _plain: &Self::Outcome,
        _most: usize,
    ) -> Option<(Self::Outcome, usize)> {
        None
    }

    /// How much the answer leaves open: 0 if nothing.
    fn open(&self, outcome: &Self::Outcome) -> usize;

    /// Why the checker rejects proofs that were found: bugs of the search.
    fn rejected<'a>(&self, outcome: &'a Self::Outcome) -> &'a [Rejection];

    /// The counterexamples in the abstraction.
    fn counterexamples<'a>(&self, outcome: &'a Self::Outcome) -> &'a [Combination];
}

/// Whether buffers are bounded.
#[derive(Clone, Debug)]
pub struct BoundednessQuestion {
    /// How to decide; by cases only where the plain test leaves something open and the strategies
    /// allow it.
    pub options: boundedness::Options,
}

impl Question for BoundednessQuestion {
    type Outcome = boundedness::Outcome;

    fn until(&self, deadline: Deadline) -> Self {
        let mut options = self.options.clone();
        options.questions.deadline = deadline;
        Self { options }
    }

    fn ask(&self, system: &System) -> Self::Outcome {
        boundedness::check(system, &self.options.questions.clone().into())
    }

    fn ask_by_cases(&self, system: &System, plain: &Self::Outcome) -> Option<(Self::Outcome, usize)> {
        let better = boundedness::by_cases(system, plain, &self.options)?;
        let cases = better.cases;
        Some((better, cases))
    }

    fn ask_in_order(
        &self,
        system: &System,
        plain: &Self::Outcome,
        most: usize,
    ) -> Option<(Self::Outcome, usize)> {
        let mut better = plain.clone();
        let limits = Options {
            exploration_states: most,
            deadline: self.options.questions.deadline,
            ..Options::default()
        };
        let listed = prove_by_configurations(system, &mut better, &BTreeMap::new(), &limits);
        let is_news = self.open(&better) < self.open(plain) || better.rejected.len() > plain.rejected.len();
        is_news.then_some((better, listed))
    }

    fn open(&self, outcome: &Self::Outcome) -> usize {
        let open = |verdict: &&BufferVerdict| {
            matches!(verdict, BufferVerdict::CanGrow { .. } | BufferVerdict::Unknown)
        };
        outcome.buffers.values().filter(open).count()
    }

    fn rejected<'a>(&self, outcome: &'a Self::Outcome) -> &'a [Rejection] {
        &outcome.rejected
    }

    fn counterexamples<'a>(&self, outcome: &'a Self::Outcome) -> &'a [Combination] {
        &outcome.combinations
    }
}

/// Whether a system is free of livelocks.
#[derive(Clone, Debug)]
pub struct LivelockQuestion {
    /// How to decide.
    pub options: livelock::Options,
}

impl Question for LivelockQuestion {
    type Outcome = livelock::Outcome;

    fn until(&self, deadline: Deadline) -> Self {
        let mut options = self.options.clone();
        options.questions.deadline = deadline;
        Self { options }
    }

    fn ask(&self, system: &System) -> Self::Outcome {
        livelock::check(system, &self.options)
    }

    fn open(&self, outcome: &Self::Outcome) -> usize {
        usize::from(!outcome.verdict.is_proved())
    }

    fn rejected<'a>(&self, outcome: &'a Self::Outcome) -> &'a [Rejection] {
        outcome.rejected.as_slice()
    }

    fn counterexamples<'a>(&self, outcome: &'a Self::Outcome) -> &'a [Combination] {
        outcome.combination.as_slice()
    }
}
