//! Syntax tree: statements.

use cfsm_core::program::Binary;
use cfsm_core::source::Span;

use super::{Declaration, Expression, Name, Pattern, Text, Variable};

/// A sequence of statements.
#[derive(Clone, Debug, PartialEq)]
pub struct Block {
    /// Its statements.
    pub statements: Vec<Statement>,
    /// Span, including the braces if there are any.
    pub span: Span,
}

/// A statement.
#[derive(Clone, Debug, PartialEq)]
pub struct Statement {
    /// Labels before it.
    pub labels: Vec<Name>,
    /// The kind of the statement.
    pub kind: StatementKind,
    /// Span without the labels.
    pub span: Span,
}

/// The kinds of statements.
#[derive(Clone, Debug, PartialEq)]
pub enum StatementKind {
    /// `byte x = 1`
    Declaration(Declaration),
    /// `xr c, d`, `xs c`
    Exclusive {
        /// `true` for `xs`, `false` for `xr`.
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
        /// `true` for `!!`.
        sorted: bool,
        /// The message.
        fields: Vec<Expression>,
    },
    /// `c?a,b`, `c??a,b`, `c?<a,b>`, `c??<a,b>`
    Receive {
        /// The channel.
        channel: Variable,
        /// `true` for `??`.
        random: bool,
        /// `true` if the message stays in the channel (`< >`).
        peek: bool,
        /// The patterns of the message.
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
        /// The variable that receives the value.
        variable: Box<Variable>,
        /// The least value.
        from: Expression,
        /// The greatest value.
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
    /// The empty statement, for a label without a statement.
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
        /// The condition in brackets, whose violation is a run-time error.
        guard: Option<Text>,
        /// The text between the braces.
        text: Text,
    },
    /// A statement that could not be parsed; it was reported.
    Error,
}

/// The call of an inline.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    /// The variable that receives the returned value.
    pub target: Option<Variable>,
    /// The inline.
    pub name: Name,
    /// The texts that replace the parameters.
    pub arguments: Vec<Text>,
    /// The arguments as expressions, which Spin requires them to be; they are not evaluated.
    pub values: Vec<Expression>,
    /// The statements that the call expands to.
    pub body: Block,
}

/// The range of a `for`.
#[derive(Clone, Debug, PartialEq)]
pub enum ForRange {
    /// `x : a .. b`
    Values {
        /// The loop variable.
        variable: Variable,
        /// The first one.
        from: Expression,
        /// The last one.
        to: Expression,
    },
    /// `x in a`: indices of an array, or messages of a channel.
    In {
        /// The variable that receives the index or the message.
        variable: Variable,
        /// The array or the channel.
        collection: Variable,
    },
}
