//! What is done to globals and queues, summed up.

use super::cells::Globals;

/// A set of queues, by their numbers less 1. There are at most 255.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct QueueSet([u64; 4]);

impl QueueSet {
    /// All that there may be.
    pub const ANY: Self = Self([u64::MAX; 4]);

    /// How many queues can be told apart.
    pub const MOST: usize = 256;

    /// The queue with a number, counted from 1; none if there is no such queue.
    pub fn of(number: i32) -> Self {
        let at = number.checked_sub(1).and_then(|at| usize::try_from(at).ok());
        at.filter(|at| *at < Self::MOST).map_or_else(Self::default, Self::at)
    }

    /// The queue at a position.
    pub fn at(at: usize) -> Self {
        let mut set = Self::default();
        match set.0.get_mut(at / 64) {
            Some(word) => *word |= 1 << (at % 64),
            None => return Self::ANY,
        }
        set
    }

    /// Puts in what is in another one.
    pub fn add(&mut self, other: Self) {
        self.0.iter_mut().zip(other.0).for_each(|(word, other)| *word |= other);
    }

    /// What is in one of both.
    pub fn with(mut self, other: Self) -> Self {
        self.add(other);
        self
    }

    /// Whether a queue is in it, by its position.
    pub fn contains(&self, at: usize) -> bool {
        at >= Self::MOST || self.0[at / 64] & (1 << (at % 64)) != 0
    }

    /// Whether some queue is in both.
    pub fn meets(&self, other: &Self) -> bool {
        self.0.iter().zip(&other.0).any(|(word, other)| word & other != 0)
    }

    /// Whether there is none in it.
    pub fn is_empty(&self) -> bool {
        self.0 == [0; 4]
    }
}

/// What is done to what processes share.
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
    /// The queues that are asked for more than a first message: what is done may differ with
    /// another message in them.
    pub asks: QueueSet,
    /// The queues to which messages are offered where it makes a difference that somebody is ready
    /// to receive.
    pub offers: QueueSet,
}

impl Uses {
    /// Puts in what is in another one.
    pub fn add(&mut self, other: &Self) {
        self.reads.add(&other.reads);
        self.writes.add(&other.writes);
        self.sends.add(other.sends);
        self.receives.add(other.receives);
        self.asks.add(other.asks);
        self.offers.add(other.offers);
    }
}
