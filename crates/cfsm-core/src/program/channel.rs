//! What is declared of a channel.

use std::num::NonZeroU32;

use serde::{Deserialize, Serialize};

use super::Type;

/// Capacity and message format of a channel.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChannelShape {
    /// How many messages it holds; 0 for rendezvous, [`ANY`](Self::ANY) if nothing is said.
    pub capacity: u32,
    /// The types of a message's fields.
    pub fields: Vec<Type>,
    /// The limit that is part of the question, in every reading; `None` leaves the channel
    /// unlimited, or limited as declared, as a reading has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<FixedLimit>,
}

/// The number of messages that a channel holds in every reading of a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct FixedLimit {
    /// The most messages that it holds.
    pub size: NonZeroU32,
    /// The fate of a message that finds no room.
    #[serde(default)]
    pub when_full: WhenFull,
}

/// The fate of a message that is sent to a channel without room.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WhenFull {
    /// Its sender waits.
    #[default]
    Wait,
    /// It is lost, and its sender goes on (`spin -m`).
    Lose,
}

impl ChannelShape {
    /// A channel without a [limit](Self::limit) of its own.
    #[must_use]
    pub const fn new(capacity: u32, fields: Vec<Type>) -> Self {
        Self { capacity, fields, limit: None }
    }

    /// The capacity of a channel that holds any number of messages (not in Promela).
    pub const ANY: u32 = u32::MAX;

    /// Whether a message that finds no room is lost.
    #[must_use]
    pub fn is_lossy(&self) -> bool {
        self.limit.is_some_and(|limit| limit.when_full == WhenFull::Lose)
    }

    /// How many messages it holds, if that is limited.
    #[must_use]
    pub const fn declared(&self) -> Option<u32> {
        if self.capacity == Self::ANY { None } else { Some(self.capacity) }
    }
}
