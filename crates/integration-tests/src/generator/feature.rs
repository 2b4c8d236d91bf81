//! The constructs that programs are made of.

macro_rules! features {
    ($($(#[$doc:meta])* $name:ident,)*) => {
        /// A construct, or a way in which several are used together.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Feature {
            $($(#[$doc])* $name,)*
        }

        impl Feature {
            /// All of them.
            pub const ALL: &[Self] = &[$(Self::$name,)*];
        }
    };
}

features! {
    /// A variable of type `bit`.
    Bit,
    /// A variable of type `bool`.
    Bool,
    /// A variable of type `byte`.
    Byte,
    /// A variable of type `short`.
    Short,
    /// A variable of type `int`.
    Int,
    /// A variable of type `pid`.
    Pid,
    /// A variable of type `unsigned`.
    Unsigned,
    /// A variable of type `mtype`.
    Symbol,
    /// A set of symbols with a name.
    SymbolSet,
    /// A channel variable that is declared without a channel.
    ChannelVariable,
    /// `typedef`, and a variable of it.
    Record,
    /// A record in a record.
    NestedRecord,
    /// An array in a record.
    ArrayInRecord,
    /// An array of records.
    ArrayOfRecords,
    /// A channel in a record, declared there or not.
    ChannelInRecord,
    /// An array of numbers.
    Array,
    /// An initial value.
    Initializer,
    /// A list of initial values.
    InitializerList,
    /// An initial value that reads another variable.
    InitializerReads,
    /// `hidden`.
    Hidden,
    /// A declaration inside a block.
    BlockLocal,
    /// A global channel.
    GlobalChannel,
    /// A channel that each instance has for itself.
    LocalChannel,
    /// An array of channels.
    ChannelArray,
    /// Capacity 0.
    Rendezvous,
    /// A message with several fields.
    SeveralFields,
    /// A channel in a message.
    ChannelInMessage,
    /// A record in a message.
    RecordInMessage,
    /// `init`.
    Init,
    /// `active`.
    Active,
    /// `active [n]`, n above 1.
    ActiveSeveral,
    /// A process type with parameters.
    Parameters,
    /// A channel as a parameter.
    ChannelParameter,
    /// A record as a parameter.
    RecordParameter,
    /// Creation in a straight line.
    Run,
    /// The number that `run` gives.
    RunValue,
    /// Creation in a loop with a bound.
    RunInLoop,
    /// Creation in a loop without a bound.
    RunForEver,
    /// Creation of the own type, with a number that grows less.
    Recursion,
    /// `provided`.
    Provided,
    /// `priority`, `set_priority`, `get_priority`, `_priority`.
    Priority,
    /// `D_proctype`.
    Deterministic,
    /// `xr` and `xs`.
    Exclusive,
    /// An assignment to a number.
    Assign,
    /// An assignment to a symbolic variable.
    AssignSymbol,
    /// An assignment to a channel variable.
    AssignChannel,
    /// `++`.
    Increment,
    /// `--`.
    Decrement,
    /// A value that its variable is too narrow for.
    WrapAround,
    /// `skip`.
    Skip,
    /// A condition that stands for itself.
    Guard,
    /// `assert`.
    Assert,
    /// `printf` and `printm`.
    Print,
    /// `!`.
    Send,
    /// `!!`.
    SortedSend,
    /// `c!a(b)`.
    Shorthand,
    /// `?`.
    Receive,
    /// `??`.
    RandomReceive,
    /// `?< >`.
    PeekReceive,
    /// `??< >`.
    RandomPeek,
    /// `eval` in a receive.
    Eval,
    /// A constant in a receive.
    MatchConstant,
    /// An index that the same receive stores.
    StoredIndex,
    /// `_` in a receive.
    Wildcard,
    /// `?[ ]`.
    Poll,
    /// `??[ ]`.
    RandomPoll,
    /// `len`.
    Length,
    /// `empty`.
    Empty,
    /// `nempty`.
    NotEmpty,
    /// `full`.
    Full,
    /// `nfull`.
    NotFull,
    /// `timeout`.
    Timeout,
    /// `else`.
    Else,
    /// `if`.
    If,
    /// `do`.
    Do,
    /// `break`.
    Break,
    /// `goto`.
    Goto,
    /// A label.
    Label,
    /// A label that begins with `end`.
    EndLabel,
    /// A label that begins with `progress`.
    ProgressLabel,
    /// A label that begins with `accept`.
    AcceptLabel,
    /// `for` over a range.
    ForRange,
    /// `for` over the indices of an array.
    ForArray,
    /// `for` over the messages in a channel.
    ForChannel,
    /// `select`.
    Select,
    /// `atomic`.
    Atomic,
    /// `d_step`.
    DStep,
    /// Braces.
    Block,
    /// `unless`.
    Unless,
    /// `unless` within `unless`.
    NestedUnless,
    /// `inline`.
    Inline,
    /// `return` in an inline.
    InlineReturn,
    /// A macro without parameters.
    Macro,
    /// A macro with parameters.
    MacroCall,
    /// `#if` or `#ifdef`.
    MacroCondition,
    /// `+ - *`.
    Arithmetic,
    /// `/` and `%`.
    Division,
    /// `& | ^ ~`.
    Bitwise,
    /// `<<` and `>>`.
    Shift,
    /// `- x`.
    Negate,
    /// Comparisons.
    Comparison,
    /// `&&`, `||`, `!`.
    Connective,
    /// `(c -> a : b)`.
    Conditional,
    /// An index behind a condition that keeps it within the array.
    GuardedIndex,
    /// Comparison of channels.
    CompareChannels,
    /// `_pid`.
    OwnPid,
    /// `_nr_pr`.
    ProcessCount,
    /// `_last`.
    Last,
    /// `enabled`.
    Enabled,
    /// `pc_value`.
    ProgramCounter,
    /// `P[e]@label`.
    RemoteLabel,
    /// `P[e]:x`.
    RemoteVariable,
    /// A question with a channel of the asker's own, and the answer on it.
    RequestReply,
    /// A loop that answers questions.
    Server,
    /// A token that goes round.
    Token,
    /// A flag that is tested and set.
    Flag,
    /// A loop that counts up to a bound.
    Counter,
    /// A count in a variable of all, with a guard.
    GuardedCount,
    /// A variable of all that is written twice and then asked for the first value.
    Race,
    /// A selection with an option for each value that a variable may well have.
    CaseSplit,
    /// An element of an array by an index that was just chosen.
    ChosenIndex,
    /// Creation when others have come to their end, so that numbers of queues are used again.
    RunAfterEnd,
    /// Two loops, one of which stops the other through a variable.
    StopFlag,
    /// A channel where messages of another kind are wanted.
    OtherShape,
    /// A channel where a number is wanted, or the other way round.
    ChannelAsNumber,
    /// What may be an error of the run: an index or a divisor that nothing guards, no channel.
    RunTimeErrors,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_feature_is_listed_once() {
        assert!(Feature::ALL.windows(2).all(|two| two[0] < two[1]));
        assert!(Feature::ALL.len() > 100);
    }
}
