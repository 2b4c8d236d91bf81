//! Sets of queues, and summaries of accesses to globals and queues.

use super::cells::Globals;

/// A bit set of queues, by their numbers less 1. There are at most 255.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct QueueSet([u64; 4]);

impl QueueSet {
    /// The set of all queues.
    pub const ANY: Self = Self([u64::MAX; 4]);

    /// Number of queues that can be represented.
    pub const MOST: usize = 256;

    /// The queue with a number, counted from 1; empty if there is no such queue.
    pub fn of(number: i32) -> Self {
        let at = number.checked_sub(1).and_then(|at| usize::try_from(at).ok());
        at.filter(|at| *at < Self::MOST).map_or_else(Self::default, Self::at)
    }

    /// The queue at an index.
    pub fn at(at: usize) -> Self {
        let mut set = Self::default();
        match set.0.get_mut(at / 64) {
            Some(word) => *word |= 1 << (at % 64),
            None => return Self::ANY,
        }
        set
    }

    /// Adds the elements of another set.
    pub fn add(&mut self, other: Self) {
        self.0.iter_mut().zip(other.0).for_each(|(word, other)| *word |= other);
    }

    /// The union of two sets.
    pub fn with(mut self, other: Self) -> Self {
        self.add(other);
        self
    }

    /// Returns `true` if the set contains the queue at an index.
    pub fn contains(&self, at: usize) -> bool {
        at >= Self::MOST || self.0[at / 64] & (1 << (at % 64)) != 0
    }

    /// Returns `true` if the sets have a queue in common.
    pub fn meets(&self, other: &Self) -> bool {
        self.0.iter().zip(&other.0).any(|(word, other)| word & other != 0)
    }

    /// Returns `true` if the set is empty.
    pub fn is_empty(&self) -> bool {
        self.0 == [0; 4]
    }
}

/// Accesses to data that processes share.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Uses {
    /// The globals that are read.
    pub reads: Globals,
    /// The globals that are written.
    pub writes: Globals,
    /// The queues that are sent to.
    pub sends: QueueSet,
    /// The queues that are received from.
    pub receives: QueueSet,
    /// The queues of which more than the first message is observed: a further message in them may
    /// change the behaviour.
    pub asks: QueueSet,
    /// The queues to which messages are offered at places where the presence of a receiver matters.
    pub offers: QueueSet,
}

impl Uses {
    /// Adds the accesses of another summary.
    pub fn add(&mut self, other: &Self) {
        self.reads.add(&other.reads);
        self.writes.add(&other.writes);
        self.sends.add(other.sends);
        self.receives.add(other.receives);
        self.asks.add(other.asks);
        self.offers.add(other.offers);
    }
}
