//! Action code, reduced to the messages that it may send.

use cfsm_core::source::Span;

use super::{MessageId, PortId};

/// Steps one after another.
pub type Block = Vec<Step>;

/// A step of action code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// A message is sent.
    Send(Send),
    /// One of these is executed.
    Choice(Vec<Block>),
    /// The block is executed any number of times.
    Repeat(Block),
    /// The block of an operation is executed; [`Return`](Self::Return) in it leads behind it.
    Call(Block),
    /// The innermost loop is left.
    Break,
    /// The innermost loop begins again, or ends.
    Continue,
    /// The innermost call is left, or the whole code.
    Return,
}

/// A send.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Send {
    /// The port.
    pub port: PortId,
    /// The message.
    pub message: MessageId,
    /// The peers that receive it.
    pub recipient: Recipient,
    /// The place of its text.
    pub span: Span,
}

/// The peers of a port that a message is sent to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recipient {
    /// Each of them, one message each.
    All,
    /// The one with this index.
    Index(usize),
    /// One of them.
    Any,
}
