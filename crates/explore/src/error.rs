//! What cannot be run, and what goes wrong in a run.

use thiserror::Error;

/// A program, or a part of it, that has no meaning here. Nothing is guessed.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Unsupported {
    /// The program is not valid.
    #[error("the program is broken: {0}")]
    Broken(#[from] cfsm_core::program::Fault),
    /// Code in another language.
    #[error("code in C: `{0}`")]
    EmbeddedCode(String),
    /// The number of a control location, which is Spin's own.
    #[error("`pc_value`: locations have no numbers here")]
    ProgramCounter,
    /// A claim, and [`Claims::Refused`](crate::Claims::Refused).
    #[error("the claim `{0}`: claims are not run")]
    Claim(String),
    /// An expression of greater depth than can be evaluated.
    #[error("an expression is nested deeper than {0}")]
    Depth(usize),
    /// Priorities in a program with rendezvous, which Spin's verifier does not take.
    #[error("priorities together with rendezvous")]
    PriorityRendezvous,
    /// An array without its index, or an index without an array.
    #[error("`{0}` is indexed and no array, or the other way round")]
    Index(String),
    /// A program of more variables, locations or edges than can be numbered.
    #[error("the program is too large")]
    TooLarge,
    /// An option out of its range.
    #[error("at most {0} processes and queues are possible")]
    Limit(u16),
}

/// What ends a run with an error, or should: see [`Step::after`](crate::Step::after).
#[derive(Clone, Debug, PartialEq, Eq, Hash, Error)]
pub enum RunError {
    /// An assertion does not hold. The run can go on.
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
    /// A division by 0, or a remainder.
    #[error("division by 0")]
    DivisionByZero,
    /// The least integer divided by −1.
    #[error("the quotient has more than 32 bits")]
    DivisionOverflow,
    /// A shift by a negative number or by more than 31, which C leaves open.
    #[error("shift by {0}")]
    Shift(i64),
    /// The use of a channel variable that refers to none.
    #[error("use of a channel that was never set")]
    NoChannel,
    /// The number of a channel that does not exist (any more).
    #[error("there is no channel {0}")]
    UnknownChannel(i64),
    /// A message of another number of fields than the channel has. The run can go on if a send has
    /// too few or too many, or a receive too few.
    #[error("{given} fields in a statement on a channel of {wanted}")]
    FieldCount {
        /// In the statement.
        given: usize,
        /// In the channel.
        wanted: usize,
    },
    /// The channel variable of a receive is written by the same receive, before its last field.
    #[error("a receive changes the variable of its own channel")]
    ChannelOverwritten,
    /// More channels than a search looks at may make a send wait or not ([`Limit::Either`]).
    ///
    /// [`Limit::Either`]: cfsm_core::program::Limit::Either
    #[error("sends to more than {0} channels may wait or not")]
    TooManyWaiting(usize),
    /// A poll of a rendezvous channel, or a receive from it that would leave the message.
    #[error("a rendezvous channel cannot be polled")]
    PolledRendezvous,
    /// One more process than possible.
    #[error("more than {0} processes")]
    TooManyProcesses(u16),
    /// One more queue than possible.
    #[error("more than {0} queues")]
    TooManyQueues(u16),
    /// A statement in the middle of a `d_step` cannot be executed.
    #[error("a statement inside of a d_step blocks")]
    DStepBlocks,
    /// A send to a rendezvous channel in a `d_step`.
    #[error("a rendezvous send inside of a d_step")]
    DStepRendezvous,
    /// A `d_step` does not come to its end.
    #[error("a d_step of more than {0} statements")]
    DStepTooLong(u32),
    /// A priority outside 1 to 255.
    #[error("a priority of {0}")]
    Priority(i64),
    /// A process asks whether it is enabled itself.
    #[error("`enabled` of the process itself")]
    EnabledSelf,
    /// Whether a process is enabled depends on whether another one is, and so on.
    #[error("`enabled` depends on itself")]
    EnabledLoop,
    /// A remote reference to a process that is of another type.
    #[error("process {0} is of another type than the remote reference says")]
    RemoteType(i64),
}

impl RunError {
    /// Whether Spin's verifier could go on behind it in a defined way.
    #[must_use]
    pub const fn can_go_on(&self) -> bool {
        matches!(self, Self::Assertion | Self::FieldCount { .. })
    }
}
