//! Action code, reduced to the messages that it may send and the values that decide about them.

use cfsm_core::source::Span;

use super::{AttributeId, MessageId, PortId, Test, Value};

/// Steps one after another.
pub type Block = Vec<Step>;

/// A step of action code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// A message is sent.
    Send(Send),
    /// The message at hand is put at the end of its queue again.
    Requeue,
    /// A capsule is created in an optional part, if there is room and nothing fails.
    Incarnate {
        /// The name of the part.
        part: String,
    },
    /// A variable gets a value.
    Assign {
        /// The variable.
        variable: AttributeId,
        /// The value.
        value: Value,
    },
    /// One of these is executed.
    Choice(Vec<Block>),
    /// The first block is executed if the condition holds, the second one if not.
    If {
        /// The condition.
        condition: Test,
        /// The block if it holds.
        then: Block,
        /// The block if it does not.
        otherwise: Block,
    },
    /// A loop.
    Loop(Loop),
    /// The block is executed; [`Break`](Self::Break) in it leads behind it.
    Switch(Block),
    /// The block is executed any number of times.
    Repeat(Block),
    /// The block of an operation is executed; [`Return`](Self::Return) in it leads behind it.
    Call(Block),
    /// The innermost loop or `switch` is left.
    Break,
    /// The round of the innermost loop ends.
    Continue,
    /// The innermost call is left, or the whole code.
    Return,
}

/// A loop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loop {
    /// The steps before each test of the condition.
    pub before: Block,
    /// The condition of another round; none may hold or not.
    pub condition: Option<Test>,
    /// The steps of a round.
    pub body: Block,
    /// The steps behind each round, [`Continue`](Step::Continue) or not.
    pub update: Block,
    /// The first round comes without a test.
    pub body_first: bool,
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
    /// Any number of them, one message each.
    Some,
    /// The one with this index.
    Index(usize),
    /// One of them.
    Any,
}

impl Step {
    /// The blocks inside the step.
    #[must_use]
    pub fn blocks(&self) -> Vec<&Block> {
        match self {
            Self::Choice(blocks) => blocks.iter().collect(),
            Self::If { then, otherwise, .. } => vec![then, otherwise],
            Self::Loop(Loop { before, body, update, .. }) => vec![before, body, update],
            Self::Repeat(block) | Self::Call(block) | Self::Switch(block) => vec![block],
            Self::Send(_)
            | Self::Requeue
            | Self::Incarnate { .. }
            | Self::Assign { .. }
            | Self::Break
            | Self::Continue
            | Self::Return => Vec::new(),
        }
    }

    /// Mutable access to the blocks inside the step.
    pub fn blocks_mut(&mut self) -> Vec<&mut Block> {
        match self {
            Self::Choice(blocks) => blocks.iter_mut().collect(),
            Self::If { then, otherwise, .. } => vec![then, otherwise],
            Self::Loop(Loop { before, body, update, .. }) => vec![before, body, update],
            Self::Repeat(block) | Self::Call(block) | Self::Switch(block) => vec![block],
            Self::Send(_)
            | Self::Requeue
            | Self::Incarnate { .. }
            | Self::Assign { .. }
            | Self::Break
            | Self::Continue
            | Self::Return => Vec::new(),
        }
    }

    /// True if a fact holds of the step or of one inside.
    pub fn any(&self, holds: &mut dyn FnMut(&Self) -> bool) -> bool {
        holds(self) || self.blocks().into_iter().flatten().any(|step| step.any(holds))
    }
}
