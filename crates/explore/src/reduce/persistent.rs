//! Persistent sets (Godefroid 1996): processes whose next steps commute with whatever the others do
//! first.
//!
//! In a state, a set of processes is persistent if nothing that the others may ever do, as long as
//! none of the set has moved, influences the next steps of the set, or is influenced by them. A
//! search may then take the next steps of the set first: `docs/soundness/exploration.md`.

use super::future::{Facts, First, Futures, Next};
use super::looks_at_processes;
use super::uses::Uses;
use crate::code::Statement;
use crate::{Semantics, State};

/// A set of processes, as a bit mask.
pub(crate) type Processes = u64;

/// Computes persistent sets, with cached analyses.
#[derive(Debug, Default)]
pub(crate) struct Persistence {
    futures: Futures,
    /// Cache of the conditional dependence of the next step of one process (row) on the later steps
    /// of another one (column), by their numbers.
    known: Vec<Vec<Option<When>>>,
    /// Dependences in the state of the latest query; the next state mostly differs in one or two
    /// processes.
    latest: Disturbances,
    /// `true` if persistent sets cannot be used for the program.
    off: bool,
    /// `true` if the program has sorted sends.
    sorted: bool,
    /// `true` if processes declare queues.
    owned: bool,
}

/// Condition under which the next step of a process and the later steps of another one are
/// dependent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum When {
    Always,
    Never,
    /// The dependence is decided by the contents of queues.
    Sometimes,
}

/// For each process of a state, the processes on which it depends.
#[derive(Debug, Default)]
struct Disturbances {
    facts: Vec<Facts>,
    /// Processes on which it depends in all states with the same facts.
    always: Vec<Processes>,
    /// Processes on which it depends in some states with the same facts.
    sometimes: Vec<Processes>,
}

impl Disturbances {
    /// Sets the current facts and recomputes the dependences of the processes whose facts have
    /// changed.
    fn update(&mut self, facts: Vec<Facts>, mut when: impl FnMut(Facts, Facts) -> When) {
        if self.facts.len() != facts.len() {
            let none = vec![0; facts.len()];
            *self = Self { facts: Vec::new(), always: none.clone(), sometimes: none };
        }
        let known = std::mem::replace(&mut self.facts, facts);
        let has_changed = |process: usize| known.get(process) != self.facts.get(process);
        for changed in (0..self.facts.len()).filter(|process| has_changed(*process)) {
            for other in (0..self.facts.len()).filter(|other| *other != changed) {
                for (process, by) in [(changed, other), (other, changed)] {
                    let found = when(self.facts[process], self.facts[by]);
                    put(&mut self.always[process], by, found == When::Always);
                    put(&mut self.sometimes[process], by, found == When::Sometimes);
                }
            }
        }
    }
}

/// Inserts a process into a set, or removes it.
const fn put(set: &mut Processes, process: usize, is_in: bool) {
    *set = *set & !(1 << process) | (is_in as Processes) << process;
}

/// The processes of a set.
pub(crate) fn members(mut set: Processes) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let least = set.trailing_zeros();
        set &= set.wrapping_sub(1);
        (least < Processes::BITS).then_some(least as usize)
    })
}

impl Persistence {
    /// Prepares the analysis of a program, given its initial state.
    pub fn new(semantics: &Semantics, start: &State) -> Self {
        // A `timeout` may be executable beside steps of others, if these are sends that may wait.
        let times_out_early = semantics.has_timeout && semantics.has_waiting_choices();
        if semantics.whole_steps || looks_at_processes(semantics) || times_out_early {
            return Self { off: true, ..Self::default() };
        }
        let mut edges = semantics.types.iter().flat_map(|ty| &ty.edges);
        let sorted = edges.any(|edge| matches!(edge.statement, Statement::Send { sorted: true, .. }));
        let owned = semantics.queues.iter().any(|queue| queue.owner.is_some());
        Self { futures: Futures::new(semantics, start), sorted, owned, ..Self::default() }
    }

    /// For each process of a state in which control is free, the smallest persistent set found that
    /// contains it. Empty if nothing can be left out.
    pub fn sets(&mut self, semantics: &Semantics, state: &State) -> Vec<Processes> {
        let count = state.process_count();
        if self.off || count > Processes::BITS as usize || state.held.is_some() {
            return Vec::new();
        }
        if self.futures.is_full(count) {
            self.futures.forget();
            self.known.clear();
            self.latest = Disturbances::default();
        }
        let facts: Vec<Facts> =
            (0..count).map(|process| self.futures.at(semantics, state, process)).collect();
        let mut latest = std::mem::take(&mut self.latest);
        latest.update(facts, |own, other| self.when(state, own, other));
        let set = |process: usize| {
            let now = |other: &usize| {
                self.disturbs_now(semantics, state, process, latest.facts[process], latest.facts[*other])
            };
            let sometimes = members(latest.sometimes[process]).filter(now);
            sometimes.fold(latest.always[process] | 1 << process, |set, other| set | 1 << other)
        };
        let mut sets: Vec<Processes> = (0..count).map(set).collect();
        self.latest = latest;
        close(&mut sets);
        sets
    }

    /// Returns `true` if two processes are dependent in this state, for pairs that are so in some
    /// states only.
    fn disturbs_now(
        &self,
        semantics: &Semantics,
        state: &State,
        process: usize,
        own: Facts,
        other: Facts,
    ) -> bool {
        let ever = self.futures.ever_of(other);
        let mut firsts = self.futures.next_of(own).first.iter();
        firsts.any(|first| self.first(semantics, state, process, *first, ever))
    }

    /// The condition under which two processes are dependent; cached.
    fn when(&mut self, state: &State, own: Facts, other: Facts) -> When {
        if self.known.len() <= own.next {
            self.known.resize_with(own.next + 1, Vec::new);
        }
        let known = &mut self.known[own.next];
        if known.len() <= other.ever {
            known.resize(other.ever + 1, None);
        }
        if let Some(known) = known[other.ever] {
            return known;
        }
        let (next, ever) = (self.futures.next_of(own), self.futures.ever_of(other));
        let when = if self.meet(next, ever) {
            When::Always
        } else if next.first.iter().all(|first| self.is_apart(state, *first, ever)) {
            When::Never
        } else {
            When::Sometimes
        };
        self.known[own.next][other.ever] = Some(when);
        when
    }

    /// Returns `true` if a first statement operates on a queue that exists in all states and that
    /// the other process never uses.
    fn is_apart(&self, state: &State, first: First, ever: &Uses) -> bool {
        let (First::Send(at) | First::Receive(at)) = first else { return false };
        let used = [&ever.sends, &ever.receives, &ever.asks, &ever.offers];
        !self.owned && at < state.queues.len() && !used.into_iter().any(|queues| queues.contains(at))
    }

    /// Returns `true` if the next step of a process, apart from first operations on known queues,
    /// is dependent on the later steps of another one.
    fn meet(&self, next: &Next, ever: &Uses) -> bool {
        let later = &next.uses;
        // Queues of other processes, which may die.
        let foreign = self.owned && !(later.sends.with(later.receives).with(later.asks).is_empty());
        let all = ever.sends.with(ever.receives);
        next.all
            || foreign
            || !ever.writes.is_disjoint(&later.reads)
            || !ever.writes.is_disjoint(&later.writes)
            || !ever.reads.is_disjoint(&later.writes)
            || later.sends.with(later.receives).meets(&all.with(ever.asks).with(ever.offers))
            || later.asks.meets(&all)
            || next.answers.meets(&ever.offers)
    }

    /// As [`meet`](Self::meet), for the operation of a first statement on a queue.
    fn first(&self, semantics: &Semantics, state: &State, process: usize, first: First, ever: &Uses) -> bool {
        let (First::Send(at) | First::Receive(at) | First::Poll(at)) = first;
        let Some(queue) = state.queues.get(at) else { return true };
        let code = semantics.queue_code(queue);
        if code.owner.is_some() && usize::from(queue.owner) != process {
            return true;
        }
        let (sends, receives) = (ever.sends.contains(at), ever.receives.contains(at));
        let (asks, offers) = (ever.asks.contains(at), ever.offers.contains(at));
        // After a receive there is room for a message that would be lost before it.
        let first_may_change = self.sorted || queue.length == 0 || code.is_lossy;
        match first {
            First::Send(_) if code.rendezvous => receives,
            First::Receive(_) if code.rendezvous => sends,
            First::Poll(_) if code.rendezvous => true,
            First::Send(_) => sends || asks || (receives && semantics.may_have_no_room(state, at)),
            First::Receive(_) => {
                receives || asks || (sends && first_may_change) || (offers && code.has_limit())
            }
            First::Poll(_) => receives || (sends && first_may_change),
        }
    }
}

/// Transitive closure: adds to each set those of all of its members.
fn close(sets: &mut [Processes]) {
    for member in 0..sets.len() {
        let its = sets[member];
        for set in sets.iter_mut().filter(|set| **set & (1 << member) != 0) {
            *set |= its;
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// An arbitrary answer for each pair, which is not symmetric.
    fn when(own: Facts, other: Facts) -> When {
        match (2 * own.next + 3 * other.ever) % 5 {
            0 | 1 => When::Never,
            2 | 3 => When::Sometimes,
            _ => When::Always,
        }
    }

    fn some_facts() -> impl Strategy<Value = Vec<Facts>> {
        prop::collection::vec((0..4_usize, 0..4_usize).prop_map(|(next, ever)| Facts { next, ever }), 0..5)
    }

    proptest! {
        #[test]
        fn what_has_not_changed_need_not_be_asked_again(states in prop::collection::vec(some_facts(), 1..6)) {
            let mut latest = Disturbances::default();
            for facts in states {
                latest.update(facts.clone(), when);
                let asked = |own: usize, wanted| {
                    let others = (0..facts.len()).filter(|other| *other != own && when(facts[own], facts[*other]) == wanted);
                    others.fold(0, |set, other| set | 1 << other)
                };
                for own in 0..facts.len() {
                    prop_assert_eq!(latest.always[own], asked(own, When::Always));
                    prop_assert_eq!(latest.sometimes[own], asked(own, When::Sometimes));
                }
            }
        }

        #[test]
        fn members_are_those_whose_bit_is_set(set: u64) {
            prop_assert_eq!(members(set).fold(0, |all, process| all | 1_u64 << process), set);
        }
    }
}
