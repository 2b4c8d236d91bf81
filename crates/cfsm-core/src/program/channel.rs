//! Declarations of channels: capacity, message format, and limits.

use std::num::NonZeroU32;

use serde::{Deserialize, Serialize};

use super::Type;

/// Capacity and message format of a channel.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChannelShape {
    /// Capacity in messages; 0 for rendezvous, [`ANY`](Self::ANY) if none is declared.
    pub capacity: u32,
    /// The types of a message's fields.
    pub fields: Vec<Type>,
    /// The fate of a message that is sent when the channel holds as many as are declared, where it
    /// is limited as declared.
    #[serde(default, skip_serializing_if = "WhenFull::waits")]
    pub when_full: WhenFull,
    /// The limit that is part of the model in every reading; `None` leaves the channel unlimited,
    /// or limited as declared, depending on the reading.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<FixedLimit>,
    /// `true` if the [environment](super::Environment) sends to the channel and receives from it.
    /// Nothing is asked about the length of such a channel. Where runs are executed, it holds one
    /// message, and others are lost.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_open: bool,
}

/// The capacity that a channel has in every reading of a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct FixedLimit {
    /// Greatest number of messages in the channel.
    pub size: NonZeroU32,
    /// The fate of a message that is sent when the channel is full.
    #[serde(default)]
    pub when_full: WhenFull,
}

/// The fate of a message that is sent to a full channel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WhenFull {
    /// The sender waits.
    #[default]
    Wait,
    /// The message is lost, and the sender continues (`spin -m`).
    Lose,
}

impl WhenFull {
    /// True if the sender waits.
    #[must_use]
    pub const fn waits(&self) -> bool {
        matches!(self, Self::Wait)
    }
}

impl ChannelShape {
    /// A channel without a [limit](Self::limit) of its own.
    #[must_use]
    pub const fn new(capacity: u32, fields: Vec<Type>) -> Self {
        Self { capacity, fields, when_full: WhenFull::Wait, limit: None, is_open: false }
    }

    /// The capacity of a channel that holds any number of messages (not in Promela).
    pub const ANY: u32 = u32::MAX;

    /// Returns `true` if messages to the full channel are lost in every reading.
    #[must_use]
    pub fn is_lossy(&self) -> bool {
        self.limit.is_some_and(|limit| limit.when_full == WhenFull::Lose)
    }

    /// The declared capacity, if there is one.
    #[must_use]
    pub const fn declared(&self) -> Option<u32> {
        if self.capacity == Self::ANY { None } else { Some(self.capacity) }
    }
}
