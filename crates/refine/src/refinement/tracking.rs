//! Rounds in which values are followed.

use std::collections::BTreeSet;

use abstraction::Abstraction;

use super::{Asked, FirstAnswer, Refiner};
use crate::Property;
use crate::following::{Following, list};
use crate::relevance::{Followed, Relevance, Turns};
use crate::strategy::Strategy;

/// The distance from the conditions of a counterexample at which variables are looked for, at most.
const DISTANCE: usize = 6;

/// Which of the [threads](Relevance::threads) are followed.
#[derive(Clone, Copy, Debug)]
enum Threads {
    /// What kinds of messages there are.
    Kinds,
    /// What is compared beside the loops of counterexamples.
    Near,
    /// All of them.
    Anywhere,
}

impl<'a, P: Property> Refiner<'a, P> {
    /// Follows the values of variables that the counterexamples rest on, nearest ones first, as far
    /// as that is wanted, and finds out which variables do not wrap. What has been
    /// [looked](Self::look) at is [listed further](Self::list_further) before that takes long.
    pub fn track(&mut self) {
        let tracks = self.options.strategies.contains(&Strategy::Tracking);
        let tracks_tags = match self.tracks_tags.take() {
            Some(tracks_tags) => tracks_tags,
            None => tracks && self.ask_with_tags(),
        };
        let counts = self.count_further();
        if tracks {
            // With what is known of counters now, there may be more to it.
            let tracks_tags = if counts { self.ask_with_tags() } else { tracks_tags };
            self.follow_in_turns(tracks_tags);
        }
        self.list_further(self.options.configurations);
        if tracks {
            self.follow_all();
        }
    }

    /// Finds out which variables do not wrap, and asks with that in all ways; whether there are
    /// any.
    fn count_further(&mut self) -> bool {
        let Some(mut counted) = self.count_without_wrapping() else { return false };
        self.look_by_cases(&mut counted);
        self.list_few(counted);
        true
    }

    /// Follows ever more, until nothing is open.
    fn follow_in_turns(&mut self, tracks_tags: bool) {
        let kinds = if tracks_tags { BTreeSet::new() } else { self.follow_threads(Threads::Kinds, &[]) };
        let near = self.follow_threads(Threads::Near, &[&kinds]);
        // What is left open without registers is what is carried for next.
        let latest = self.latest.clone();
        self.carry_with_registers();
        self.latest = latest;
        self.carry();
        self.carry_everything();
        self.follow_threads(Threads::Anywhere, &[&kinds, &near]);
    }

    /// Follows whatever comes to conditions of counterexamples, with all that it comes from.
    fn follow_all(&mut self) {
        let following = self.follow(self.following());
        if let Some(others) = following.without_counted() {
            self.follow(others);
        }
    }

    /// Nothing is followed yet, but what is known is.
    pub(super) fn following(&self) -> Following<'a> {
        Following::new(self.program, self.options.clone(), &self.counters, self.options.wants_pairs())
    }

    /// What has been done about a system in which values are followed, as that says: that, or what
    /// pairs of processes exclude for the first time.
    pub(super) fn followed(&mut self, followed: &Abstraction, what: String) -> (Strategy, String) {
        if self.pairs || followed.excluded.is_empty() {
            return (Strategy::Tracking, what);
        }
        self.pairs = true;
        let all: Vec<String> =
            std::iter::once(what).filter(|what| !what.is_empty()).chain(followed.excluded.clone()).collect();
        (Strategy::Pairs, all.join("; "))
    }

    /// Asks about a system in which values are followed, in two ways.
    fn ask_about(&mut self, followed: Abstraction, following: &Following<'_>) -> Asked<P::Outcome> {
        let (strategy, what) = self.followed(&followed, following.described());
        let mut asked = self.ask(followed, strategy, what);
        self.look_by_cases(&mut asked);
        asked
    }

    /// Follows what is compared with constants, all the way that it comes, without anything else
    /// but what loops of counterexamples count: as many of these threads as one can; which they
    /// are. In programs that pass records on, that is little, and what kind of a message it is. Not
    /// if that is what was followed before.
    fn follow_threads(&mut self, which: Threads, before: &[&BTreeSet<Followed>]) -> BTreeSet<Followed> {
        if !self.may_go_on() {
            return BTreeSet::new();
        }
        let mut following = self.following();
        let relevance = Relevance { program: self.program, abstraction: &self.best.abstraction };
        let loops = self.property.counterexamples(&self.best.outcome);
        let mut threads = match which {
            Threads::Kinds => relevance.kinds(),
            Threads::Near => relevance.threads(Some(loops)),
            Threads::Anywhere => relevance.threads(None),
        };
        let mut turns = relevance.turns(loops);
        while self.may_go_on() {
            let mut all = following.possible(&threads.iter().flatten().copied().collect());
            if all.is_empty() {
                break;
            }
            all.extend(following.possible(&turns));
            if before.contains(&&all) {
                break;
            }
            if let Some(followed) = following.follow_only(&all) {
                self.ask_about(followed, &following);
                return all;
            }
            if turns.is_empty() {
                threads.pop();
            }
            turns.clear();
        }
        BTreeSet::new()
    }

    /// Follows what is copied from place to place, and comes to conditions or chooses channels
    /// beside the loops of counterexamples, where it matters; and all threads that are passed on,
    /// as these tell where that is.
    fn carry(&mut self) {
        let mut following = self.following();
        let FirstAnswer { mut abstraction, mut outcome } = self.latest.clone();
        let mut copied = BTreeSet::new();
        while self.may_go_on() {
            let relevance = Relevance { program: self.program, abstraction: &abstraction };
            let before = copied.len();
            let none = Turns { counting: &BTreeSet::new(), are_copied: false };
            copied.extend(relevance.copied(Some(self.property.counterexamples(&outcome)), none));
            if copied.len() == before {
                return;
            }
            let threads = relevance.threads(None).into_iter();
            let threads = threads.filter(|thread| relevance.is_passed_on(thread)).flatten().collect();
            let Some(followed) = following.carry(&threads, &copied) else { return };
            let asked = self.ask_about(followed, &following);
            (abstraction, outcome) = (asked.abstraction, asked.outcome);
        }
    }

    /// Carries what is copied and comes to something that is looked at, wherever that is, with the
    /// kinds of messages; tables of it have registers.
    fn carry_with_registers(&mut self) {
        if !self.may_go_on() {
            return;
        }
        let mut following = self.following();
        let relevance = Relevance { program: self.program, abstraction: &self.best.abstraction };
        let counting = relevance.turns_anywhere();
        let copied = relevance.copied(None, Turns { counting: &counting, are_copied: true });
        if following.give_registers(&copied).is_none() {
            return;
        }
        let told = relevance.kinds().into_iter().flatten().collect();
        let Some(followed) = following.carry(&told, &copied) else { return };
        self.ask_about(followed, &following);
    }

    /// Carries what is copied and comes to something that is looked at, wherever that is, with the
    /// kinds of messages and all that counts the rounds of loops.
    fn carry_everything(&mut self) {
        if !self.may_go_on() {
            return;
        }
        let mut following = self.following();
        let relevance = Relevance { program: self.program, abstraction: &self.best.abstraction };
        let turns = relevance.turns_anywhere();
        let copied = relevance.copied(None, Turns { counting: &turns, are_copied: false });
        if copied.is_empty() {
            return;
        }
        let told = relevance.kinds().into_iter().flatten().chain(turns).collect();
        let Some(followed) = following.carry(&told, &copied) else { return };
        self.ask_about(followed, &following);
    }

    /// Follows values as far as that is wanted; what was followed in the end.
    fn follow(&mut self, mut following: Following<'a>) -> Following<'a> {
        let mut abstraction = self.best.abstraction.clone();
        let mut outcome = self.best.outcome.clone();
        let mut distance = 0;
        while self.may_go_on() && distance <= DISTANCE {
            let relevance = Relevance { program: self.program, abstraction: &abstraction };
            let wanted = relevance.variables(self.property.counterexamples(&outcome), distance);
            let fresh = following.fresh(&wanted);
            if fresh.is_empty() {
                distance += 1;
                continue;
            }
            let Some(followed) = following.follow(&fresh) else { continue };
            let (strategy, what) = self.followed(&followed, following.described());
            if followed.pairs_given_up && !self.pairs {
                following.without_pairs();
            }
            let mut asked = self.ask(followed, strategy, what);
            // Counterexamples are looked for among what is left open before cases are told apart.
            outcome = asked.outcome.clone();
            self.look_by_cases(&mut asked);
            self.look_in_order(&mut asked, self.options.configurations);
            abstraction = asked.abstraction;
        }
        let skipped = following.skipped.iter().map(|followed| following.named(*followed));
        let skipped: Vec<String> = skipped.collect();
        if !skipped.is_empty() {
            self.note_in_vain(format!("to follow {} as well would take too many states", list(&skipped)));
        }
        following
    }
}
