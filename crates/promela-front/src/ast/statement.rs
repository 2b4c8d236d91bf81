//! Statements.

use cfsm_core::program::Binary;
use cfsm_core::source::Span;

use super::{Declaration, Expression, Name, Pattern, Text, Variable};

/// A sequence of statements.
#[derive(Clone, Debug, PartialEq)]
pub struct Block {
    /// Its statements.
    pub statements: Vec<Statement>,
    /// With the braces, if there are any.
    pub span: Span,
}

/// A statement.
#[derive(Clone, Debug, PartialEq)]
pub struct Statement {
    /// Labels before it.
    pub labels: Vec<Name>,
    /// What it is.
    pub kind: StatementKind,
    /// Without the labels.
    pub span: Span,
}

/// What a statement is.
#[derive(Clone, Debug, PartialEq)]
pub enum StatementKind {
    /// `byte x = 1`
    Declaration(Declaration),
    /// `xr c, d`, `xs c`
    Exclusive {
        /// Whether it is `xs`.
        sending: bool,
        /// The channels.
        channels: Vec<Variable>,
    },
    /// A condition, or `run`.
    Expression(Expression),
    /// `x = e`
    Assign(Variable, Expression),
    /// `x++`, `x--`
    Step(Variable, Binary),
    /// `c!a,b`, `c!!a,b`
    Send {
        /// The channel.
        channel: Variable,
        /// Whether it is `!!`.
        sorted: bool,
        /// The message.
        fields: Vec<Expression>,
    },
    /// `c?a,b`, `c??a,b`, `c?<a,b>`, `c??<a,b>`
    Receive {
        /// The channel.
        channel: Variable,
        /// Whether it is `??`.
        random: bool,
        /// Whether the message stays in the channel (`< >`).
        peek: bool,
        /// The message.
        patterns: Vec<Pattern>,
    },
    /// `if ... fi`
    If(Vec<Block>),
    /// `do ... od`
    Do(Vec<Block>),
    /// `for (...) { ... }`
    For(Box<ForRange>, Block),
    /// `select (x : a .. b)`
    Select {
        /// What gets the value.
        variable: Box<Variable>,
        /// The least one.
        from: Expression,
        /// The greatest one.
        to: Expression,
    },
    /// `{ ... }`
    Block(Block),
    /// `atomic { ... }`
    Atomic(Block),
    /// `d_step { ... }`
    DStep(Block),
    /// `a unless b`; labels before it belong to `a`.
    Unless(Box<Statement>, Box<Statement>),
    /// `goto label`
    Goto(Name),
    /// `break`
    Break,
    /// `else`
    Else,
    /// A label with nothing behind it.
    Nothing,
    /// `assert(e)`
    Assert(Expression),
    /// `printf("...", e, ...)`
    Print(String, Vec<Expression>),
    /// `printm(e)`
    PrintSymbol(Expression),
    /// `set_priority(process, priority)`
    SetPriority(Expression, Expression),
    /// `f(a, b)` or `x = f(a, b)` with an inline `f`.
    Call(Box<Call>),
    /// `return e`, in an inline.
    Return(Expression),
    /// `c_code [guard] { ... }`
    Code {
        /// What must hold, or else it is an error of the run.
        guard: Option<Text>,
        /// What stands between the braces.
        text: Text,
    },
    /// What could not be read; it was reported.
    Error,
}

/// The call of an inline.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    /// What gets the value that is returned.
    pub target: Option<Variable>,
    /// The inline.
    pub name: Name,
    /// What is put in the place of its parameters.
    pub arguments: Vec<Text>,
    /// The same as expressions, which Spin wants them to be; nothing computes them.
    pub values: Vec<Expression>,
    /// The statements that the call stands for.
    pub body: Block,
}

/// What a `for` runs over.
#[derive(Clone, Debug, PartialEq)]
pub enum ForRange {
    /// `x : a .. b`
    Values {
        /// What gets the value.
        variable: Variable,
        /// The first one.
        from: Expression,
        /// The last one.
        to: Expression,
    },
    /// `x in a`: indices of an array, or messages of a channel.
    In {
        /// What gets the index or the message.
        variable: Variable,
        /// The array or the channel.
        collection: Variable,
    },
}
