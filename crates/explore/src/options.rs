//! How a program is run.

use std::num::NonZeroU32;

use cfsm_core::program::{ChannelDeclaration, Limit, Reading};

/// How a program is run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// How many messages queues hold.
    pub buffers: Buffers,
    /// Most processes that exist at the same time; one more is an error of the run. At most 255.
    pub max_processes: u16,
    /// Most queues that exist at the same time; one more is an error of the run. At most 255.
    pub max_queues: u16,
    /// What is made of claims that come with the text.
    pub claims: Claims,
    /// Most statements of one `d_step`; one more is an error of the run.
    pub d_step_limit: u32,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            buffers: Buffers::Declared,
            max_processes: 255,
            max_queues: 255,
            claims: Claims::Refused,
            d_step_limit: 100_000,
        }
    }
}

/// How many messages queues hold. A channel of capacity 0 is a rendezvous in any case, and `full`
/// and `nfull` compare with the declared number in any case.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Buffers {
    /// As many as the program says.
    #[default]
    Declared,
    /// Any number: no send waits.
    Unbounded,
    /// This many, whatever the program says; at least 1.
    Size(NonZeroU32),
    /// Channel by channel.
    Reading(Reading),
}

impl Buffers {
    /// The limit of a channel.
    #[must_use]
    pub fn limit(&self, channel: ChannelDeclaration) -> Limit {
        match self {
            Self::Declared => Limit::Declared,
            Self::Unbounded => Limit::Unlimited,
            Self::Size(size) => Limit::Size(*size),
            Self::Reading(reading) => reading.limit(channel),
        }
    }
}

/// What is made of `never`, `trace`, `notrace` and `ltl`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Claims {
    /// A program with one is not taken.
    #[default]
    Refused,
    /// They are left out: the runs are those of the processes alone.
    Ignored,
}
