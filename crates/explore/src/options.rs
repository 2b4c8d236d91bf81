//! Options of the execution of a program.

use std::num::NonZeroU32;

use cfsm_core::program::{ChannelDeclaration, Limit, Reading};

/// Options of the execution of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// Capacities of the queues.
    pub buffers: Buffers,
    /// Greatest number of processes that exist at the same time; one more is a run-time error. At
    /// most 255.
    pub max_processes: u16,
    /// Greatest number of queues that exist at the same time; one more is a run-time error. At most
    /// 255.
    pub max_queues: u16,
    /// Treatment of claims in the program.
    pub claims: Claims,
    /// Greatest number of statements of one `d_step`; one more is a run-time error.
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

/// Capacities of the queues. A channel of capacity 0 is a rendezvous in any case, and `full` and
/// `nfull` always compare with the declared capacity.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Buffers {
    /// The declared capacities.
    #[default]
    Declared,
    /// Unlimited: no send waits.
    Unbounded,
    /// This capacity for all channels; at least 1.
    Size(NonZeroU32),
    /// A capacity for each channel.
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

/// Treatment of `never`, `trace`, `notrace` and `ltl`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Claims {
    /// A program with a claim is refused.
    #[default]
    Refused,
    /// Claims are ignored: the runs are those of the processes alone.
    Ignored,
}
