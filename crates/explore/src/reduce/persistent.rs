//! Processes that others cannot disturb until one of them has moved.
//!
//! In a state, a set of processes is persistent if nothing that the others may ever do, as long as none of the set has moved,
//! makes a difference to what the set can do next, or the other way round. What the set can do next can come first then:
//! `docs/soundness/exploration.md`.

use super::future::{Facts, First, Futures, Next};
use super::looks_at_processes;
use super::uses::Uses;
use crate::code::Statement;
use crate::{Semantics, State};

/// A set of processes, one bit for each.
pub(crate) type Processes = u64;

/// What is needed to find persistent sets.
#[derive(Debug, Default)]
pub(crate) struct Persistence {
    futures: Futures,
    /// For what a process can do next and what another one may ever do, by their numbers, in which states the one disturbs the other, as
    /// far as that was asked.
    known: Vec<Vec<Option<When>>>,
    /// Whether there is anything to be left out.
    off: bool,
    /// Whether any send is sorted.
    sorted: bool,
    /// Whether there are queues that processes own.
    owned: bool,
}

/// In which states what a process may ever do makes a difference to what another one can do next, or the other way round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum When {
    Always,
    Never,
    /// It depends on queues.
    Sometimes,
}

impl Persistence {
    /// Of a program, given its first state.
    pub fn new(semantics: &Semantics, start: &State) -> Self {
        if semantics.whole_steps || looks_at_processes(semantics) {
            return Self { off: true, ..Self::default() };
        }
        let mut edges = semantics.types.iter().flat_map(|ty| &ty.edges);
        let sorted = edges.any(|edge| matches!(edge.statement, Statement::Send { sorted: true, .. }));
        let owned = semantics.queues.iter().any(|queue| queue.owner.is_some());
        Self { futures: Futures::new(semantics, start), sorted, owned, ..Self::default() }
    }

    /// For each process of a state in which control is free, the least persistent set with it, as far as is known. None
    /// if there is nothing to be left out.
    pub fn sets(&mut self, semantics: &Semantics, state: &State) -> Vec<Processes> {
        let count = state.process_count();
        if self.off || count > Processes::BITS as usize || state.held.is_some() {
            return Vec::new();
        }
        if self.futures.is_full(count) {
            self.futures.forget();
            self.known.clear();
        }
        let facts: Vec<Facts> =
            (0..count).map(|process| self.futures.at(semantics, state, process)).collect();
        let mut sets = Vec::with_capacity(count);
        for (process, own) in facts.iter().enumerate() {
            let mut set: Processes = 1 << process;
            for (other, its) in facts.iter().enumerate() {
                if other != process && self.disturbs(semantics, state, (process, *own), *its) {
                    set |= 1 << other;
                }
            }
            sets.push(set);
        }
        close(&mut sets);
        sets
    }

    /// Whether what another process may ever do makes a difference to what a process can do next, or the other way round.
    fn disturbs(
        &mut self,
        semantics: &Semantics,
        state: &State,
        (process, own): (usize, Facts),
        other: Facts,
    ) -> bool {
        match self.when(state, own, other) {
            When::Always => true,
            When::Never => false,
            When::Sometimes => {
                let ever = self.futures.ever_of(other);
                let mut firsts = self.futures.next_of(own).first.iter();
                firsts.any(|first| self.first(semantics, state, (process, *first), ever))
            }
        }
    }

    /// In which states it does. What was found out is kept.
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

    /// Whether a first statement does something to a queue that is there in all states, to which another process never does anything.
    fn is_apart(&self, state: &State, first: First, ever: &Uses) -> bool {
        let (First::Send(at) | First::Receive(at)) = first else { return false };
        let used = [&ever.sends, &ever.receives, &ever.asks, &ever.offers];
        !self.owned && at < state.queues.len() && !used.into_iter().any(|queues| queues.contains(at))
    }

    /// Whether what a process can do next, but for what its first statements do with queues that are known, meets what another one may
    /// ever do.
    fn meet(&self, next: &Next, ever: &Uses) -> bool {
        let later = &next.uses;
        // Queues of others, which may die.
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

    /// The same for what a first statement of a process does with a queue.
    fn first(
        &self,
        semantics: &Semantics,
        state: &State,
        (process, first): (usize, First),
        ever: &Uses,
    ) -> bool {
        let (First::Send(at) | First::Receive(at) | First::Poll(at)) = first;
        let Some(queue) = state.queues.get(at) else { return true };
        let code = semantics.queue_code(queue);
        if code.owner.is_some() && usize::from(queue.owner) != process {
            return true;
        }
        let (sends, receives) = (ever.sends.contains(at), ever.receives.contains(at));
        let (asks, offers) = (ever.asks.contains(at), ever.offers.contains(at));
        let first_may_change = self.sorted || queue.length == 0;
        match first {
            First::Send(_) if code.rendezvous => receives,
            First::Receive(_) if code.rendezvous => sends,
            First::Poll(_) if code.rendezvous => true,
            First::Send(_) => sends || asks || (receives && semantics.is_full(state, at)),
            First::Receive(_) => {
                receives || asks || (sends && first_may_change) || (offers && code.capacity.is_some())
            }
            First::Poll(_) => receives || (sends && first_may_change),
        }
    }
}

/// Puts into the set of each process those of all of its members.
fn close(sets: &mut [Processes]) {
    for member in 0..sets.len() {
        let its = sets[member];
        for set in sets.iter_mut().filter(|set| **set & (1 << member) != 0) {
            *set |= its;
        }
    }
}
