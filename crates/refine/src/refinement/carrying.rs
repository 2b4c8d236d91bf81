//! Kinds of messages are followed, and what comes with them is carried: maybe before it is known
//! whether that will be needed.

use std::collections::BTreeSet;

use abstraction::{Abstraction, Counters};
use cfsm_core::deadline::Deadline;
use cfsm_core::program::Program;

use super::{Asked, RefinementOptions, Refiner, by_cases};
use crate::Question;
use crate::following::Following;
use crate::relevance::{Followed, Relevance};
use crate::strategy::Strategy;

/// What kinds of messages are to be told apart, and what is to be carried where that matters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wanted {
    told: BTreeSet<Followed>,
    carried: BTreeSet<Followed>,
}

impl Wanted {
    /// What will probably be wanted once an abstraction of a program has counterexamples.
    #[must_use]
    pub fn ahead(program: &Program, abstraction: &Abstraction) -> Option<Self> {
        Self::of(program, abstraction, |relevance| relevance.turns_anywhere())
    }

    /// What kinds of messages there are in a program, given an abstraction of it, and what else
    /// comes with them and is compared with constants in the end; `None` if there is not both. What
    /// counts the rounds of loops is told apart, too.
    fn of(
        program: &Program,
        abstraction: &Abstraction,
        turns: impl Fn(&Relevance<'_>) -> BTreeSet<Followed>,
    ) -> Option<Self> {
        let relevance = Relevance { program, abstraction };
        let is_kind = |thread: &BTreeSet<Followed>| thread.len() == 1;
        let (kinds, carried): (Vec<_>, Vec<_>) = relevance.kinds().into_iter().partition(is_kind);
        if carried.is_empty() {
            return None;
        }
        let told: BTreeSet<Followed> = kinds.into_iter().flatten().chain(turns(&relevance)).collect();
        // Where nothing is told apart, nothing tells where the others matter.
        (!told.is_empty()).then(|| Self { told, carried: carried.into_iter().flatten().collect() })
    }
}

/// An abstraction in which kinds of messages are followed, and the answer about it. It rests on
/// what is wanted and on what is known of counters, and on nothing else that a [`Refiner`] finds
/// out.
#[derive(Clone, Debug)]
pub struct Carried<O> {
    wanted: Wanted,
    counters: Counters,
    answered: Option<Answered<O>>,
}

#[derive(Clone, Debug)]
struct Answered<O> {
    abstraction: Abstraction,
    what: String,
    outcome: O,
    /// The answer by cases, and what was done.
    by_cases: Option<(O, String)>,
}

/// Follows kinds of messages. That may be done before there is anything to [refine](Refiner).
#[derive(Clone, Debug)]
pub struct Carrier<'a, Q> {
    program: &'a Program,
    question: &'a Q,
    options: &'a RefinementOptions,
    counters: Counters,
}

impl<'a, Q: Question> Carrier<'a, Q> {
    /// Asks that about a program; nothing is known of counters.
    pub const fn new(program: &'a Program, question: &'a Q, options: &'a RefinementOptions) -> Self {
        Self { program, question, options, counters: Counters::new() }
    }

    /// What comes of carrying what is wanted until another deadline.
    #[must_use]
    pub fn carried_until(self, wanted: Wanted, deadline: Deadline) -> Carried<Q::Outcome> {
        let Self { program, question, options, counters } = self;
        let question = question.until(deadline);
        let options = RefinementOptions { deadline, ..options.clone() };
        Carrier { program, question: &question, options: &options, counters }.carried(wanted)
    }

    fn carried(self, wanted: Wanted) -> Carried<Q::Outcome> {
        let Self { program, question, options, counters } = self;
        let pairs = options.wants_pairs();
        let mut following = Following::new(program, options, (&counters, pairs));
        let abstraction = following.carry(&wanted.told, &wanted.carried);
        let answered = abstraction.map(|abstraction| {
            let outcome = question.ask(&abstraction.system);
            let is_open = question.open(&outcome) > 0;
            let told_apart = || by_cases((question, options), &abstraction.system, &outcome);
            let by_cases = if is_open { told_apart() } else { None };
            Answered { what: following.described(), outcome, by_cases, abstraction }
        });
        Carried { wanted, counters, answered }
    }
}

impl<'a, Q: Question> Refiner<'a, Q> {
    /// What would be carried next, as far as it is known by now.
    #[must_use]
    pub fn wants_carried(&self) -> Option<Wanted> {
        if self.options.strategies.contains(&Strategy::Tracking) { self.wanted() } else { None }
    }

    /// Who follows kinds of messages with what is known by now.
    #[must_use]
    pub fn carrier(&self) -> Carrier<'a, Q> {
        let Self { program, question, options, .. } = self;
        Carrier { program, question, options, counters: self.counters.clone() }
    }

    /// The refiner after kinds of messages have been followed, which [tracking](Self::track) begins
    /// with, until another deadline; that may have been done ahead.
    #[must_use]
    pub fn with_carried(self, ahead: Option<Carried<Q::Outcome>>, deadline: Deadline) -> Self {
        let Self { program, question, options, .. } = self;
        if !options.strategies.contains(&Strategy::Tracking) {
            return self;
        }
        let until = (question.until(deadline), RefinementOptions { deadline, ..options.clone() });
        let mut carrying = self.asking(program, &until.0, &until.1);
        carrying.carries_kinds = Some(carrying.carry_kinds(ahead).is_some());
        carrying.asking(program, question, options)
    }

    /// Follows what kinds of messages there are, and where it matters what else comes with them and
    /// is compared with constants in the end: most of what following all of that would say, with
    /// far fewer states. That may have been done ahead.
    pub(super) fn carry_kinds(&mut self, ahead: Option<Carried<Q::Outcome>>) -> Option<()> {
        let wanted = self.wanted()?;
        let is_same = |ahead: &Carried<_>| ahead.wanted == wanted && ahead.counters == self.counters;
        let carried = ahead.filter(is_same).unwrap_or_else(|| self.carrier().carried(wanted));
        let Answered { abstraction, what, outcome, by_cases } = carried.answered?;
        let (strategy, what) = self.followed(&abstraction, what);
        let mut asked: Asked<_> = self.asked(abstraction, outcome, strategy, what);
        if let Some(by_cases) = by_cases {
            self.keep_otherwise(Strategy::Structure, &mut asked, by_cases);
        }
        Some(())
    }

    fn wanted(&self) -> Option<Wanted> {
        let loops = self.question.counterexamples(&self.best.outcome);
        let wanted = || Wanted::of(self.program, &self.best.abstraction, |relevance| relevance.turns(loops));
        if self.may_go_on() { wanted() } else { None }
    }
}

#[cfg(test)]
mod tests {
    use abstraction::abstract_program;
    use cfsm_core::ids::Id;

    use super::*;
    use crate::BoundednessQuestion;

    /// A kind of message and what comes with it, passed on.
    const PASSED_ON: &str = "
        byte n; mtype = { ask, tell }; chan a = [2] of { mtype, byte }; chan b = [2] of { mtype, byte };
        active proctype Start() { do :: a!ask(1) :: a!tell(2) od }
        active proctype Between() { mtype kind; byte with;
          do :: a?kind(with) -> if :: kind == ask -> b!kind(with) :: else fi od }
        active proctype End() { mtype kind; byte with;
          do :: b?kind(with) -> if :: with == 1 :: with == 2 -> b!kind(with) fi od }";

    #[test]
    fn an_answer_to_something_else_is_not_used() {
        let read = promela_front::parse("passed_on.pml", PASSED_ON, &promela_front::Options::default());
        let program = read.program.unwrap();
        let question = BoundednessQuestion { options: boundedness::Options::default() };
        let abstraction = abstract_program(&program, &abstraction::Options::default()).unwrap();
        let outcome = question.ask(&abstraction.system);
        let options = RefinementOptions::default();
        let mut refiner = Refiner::new(&program, &question, (abstraction, outcome), &options);
        let wanted = refiner.wanted().unwrap();
        let nothing = Carried { wanted, counters: Counters::new(), answered: None };
        assert_eq!(refiner.clone().carry_kinds(Some(nothing.clone())), None);
        let told = BTreeSet::new();
        let others = Carried { wanted: Wanted { told, ..nothing.wanted.clone() }, ..nothing.clone() };
        assert_eq!(refiner.clone().carry_kinds(Some(others)), Some(()));
        refiner.counters = Counters::from([((None, Id::new(0)), (0, 1))]);
        assert_eq!(refiner.carry_kinds(Some(nothing)), Some(()));
    }
}
