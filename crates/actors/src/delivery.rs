//! Delivery of messages.

/// The way in which messages travel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Delivery {
    /// One queue for each actor, first in, first out, in the order in which messages were sent,
    /// whoever sent them: channels within a process.
    #[default]
    Mailboxes,
    /// One queue for each pair of actors, first in, first out: connections.
    Links,
    /// Messages to an actor come in any order: datagrams.
    Unordered,
}
