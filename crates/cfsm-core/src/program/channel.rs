//! What is declared of a channel.

use serde::{Deserialize, Serialize};

use super::Type;

/// Capacity and message format of a channel.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChannelShape {
    /// How many messages it holds; 0 for rendezvous, [`ANY`](Self::ANY) if nothing is said.
    pub capacity: u32,
    /// The types of a message's fields.
    pub fields: Vec<Type>,
}

impl ChannelShape {
    /// The capacity of a channel that holds any number of messages (not in Promela).
    pub const ANY: u32 = u32::MAX;

    /// How many messages it holds, if that is limited.
    #[must_use]
    pub const fn declared(&self) -> Option<u32> {
        if self.capacity == Self::ANY { None } else { Some(self.capacity) }
    }
}
