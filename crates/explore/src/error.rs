//! Errors: programs that cannot be executed, and run-time errors.

use thiserror::Error;

/// A program, or a part of it, that has no defined meaning in this crate. Such programs are
/// refused, not approximated.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Unsupported {
    /// The program is not valid.
    #[error("the program is broken: {0}")]
    Broken(#[from] cfsm_core::program::Fault),
    /// Embedded code in another language.
    #[error("code in C: `{0}`")]
    EmbeddedCode(String),
    /// `pc_value`, the number of a control location, which only Spin defines.
    #[error("`pc_value`: locations have no numbers here")]
    ProgramCounter,
    /// The program has a claim and the options say [`Claims::Refused`](crate::Claims::Refused).
    #[error("the claim `{0}`: claims are not run")]
    Claim(String),
    /// An expression is deeper than can be evaluated.
    #[error("an expression is nested deeper than {0}")]
    Depth(usize),
    /// The program has both priorities and rendezvous, which Spin's verifier does not support.
    #[error("priorities together with rendezvous")]
    PriorityRendezvous,
    /// An array without its index, or an index without an array.
    #[error("`{0}` is indexed and no array, or the other way round")]
    Index(String),
    /// The program has more variables, locations or edges than can be numbered.
    #[error("the program is too large")]
    TooLarge,
    /// An option is out of its range.
    #[error("at most {0} processes and queues are possible")]
    Limit(u16),
}

/// A run-time error: it ends the run ([`Step::after`](crate::Step::after) is `None`), or the run
/// may continue ([`can_go_on`](Self::can_go_on)).
#[derive(Clone, Debug, PartialEq, Eq, Hash, Error)]
pub enum RunError {
    /// An assertion does not hold. The run can continue.
    #[error("assertion violated")]
    Assertion,
    /// An index outside its array.
    #[error("index {index} of an array of {length}")]
    IndexOutOfBounds {
        /// The index.
        index: i64,
        /// The length of the array.
        length: u32,
    },
    /// A division by 0, or a remainder of one.
    #[error("division by 0")]
    DivisionByZero,
    /// The least integer divided by −1.
    #[error("the quotient has more than 32 bits")]
    DivisionOverflow,
    /// A shift by a negative number or by more than 31, which C leaves open.
    #[error("shift by {0}")]
    Shift(i64),
    /// A channel variable is used before it refers to a channel.
    #[error("use of a channel that was never set")]
    NoChannel,
    /// A channel number to which no channel belongs (any more).
    #[error("there is no channel {0}")]
    UnknownChannel(i64),
    /// A message has another number of fields than the channel. The run can continue if a send has
    /// too few or too many, or a receive too few.
    #[error("{given} fields in a statement on a channel of {wanted}")]
    FieldCount {
        /// Number of fields in the statement.
        given: usize,
        /// Number of fields of the channel.
        wanted: usize,
    },
    /// A receive writes its own channel variable before its last field.
    #[error("a receive changes the variable of its own channel")]
    ChannelOverwritten,
    /// More channels may make a send wait or not ([`Limit::Either`]) than a search supports.
    ///
    /// [`Limit::Either`]: cfsm_core::program::Limit::Either
    #[error("sends to more than {0} channels may wait or not")]
    TooManyWaiting(usize),
    /// A poll of a rendezvous channel, or a receive from it that would leave the message in place.
    #[error("a rendezvous channel cannot be polled")]
    PolledRendezvous,
    /// Creation of more processes than the options allow.
    #[error("more than {0} processes")]
    TooManyProcesses(u16),
    /// Creation of more queues than the options allow.
    #[error("more than {0} queues")]
    TooManyQueues(u16),
    /// A statement in the middle of a `d_step` cannot be executed.
    #[error("a statement inside of a d_step blocks")]
    DStepBlocks,
    /// A send to a rendezvous channel in a `d_step`.
    #[error("a rendezvous send inside of a d_step")]
    DStepRendezvous,
    /// A `d_step` executes more statements than the options allow.
    #[error("a d_step of more than {0} statements")]
    DStepTooLong(u32),
    /// A priority outside 1 to 255.
    #[error("a priority of {0}")]
    Priority(i64),
    /// A process evaluates `enabled` for itself.
    #[error("`enabled` of the process itself")]
    EnabledSelf,
    /// `enabled` of a process depends on `enabled` of another one, and so on, too deeply.
    #[error("`enabled` depends on itself")]
    EnabledLoop,
    /// A remote reference to a process of another type.
    #[error("process {0} is of another type than the remote reference says")]
    RemoteType(i64),
}

impl RunError {
    /// Returns `true` if Spin's verifier continues the run behind this error in a defined way.
    #[must_use]
    pub const fn can_go_on(&self) -> bool {
        matches!(self, Self::Assertion | Self::FieldCount { .. })
    }
}
