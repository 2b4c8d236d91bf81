//! The tree: what the user wrote, with a span on every node and macros expanded.
//!
//! Names are not resolved and nothing is checked here. Long chains of one associative operator
//! (`a || b || ...`) hang balanced, so that every tree is about as deep as the user nested it.

use cfsm_core::program::{Binary, Unary};
use cfsm_core::source::Span;

/// An identifier.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name {
    /// Its letters.
    pub text: String,
    /// Where it stands.
    pub span: Span,
}

/// A whole text.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Model {
    /// Its units, in source order.
    pub units: Vec<Unit>,
    /// Names that were introduced by constructs which are not handled yet (inlines, typedefs) or could not
    /// be read; their uses are no errors of their own.
    pub opaque_names: Vec<String>,
    /// Whether declarations may be missing, because they could not be read.
    pub incomplete: bool,
}

/// A part of a text.
#[derive(Clone, Debug, PartialEq)]
pub enum Unit {
    /// `mtype = { a, b }`
    Symbols(Symbols),
    /// `byte x, y = 2`
    Declaration(Declaration),
    /// `proctype` or `init`
    Process(Process),
}

/// A declaration of symbolic constants.
#[derive(Clone, Debug, PartialEq)]
pub struct Symbols {
    /// The name of the set, if it has one.
    pub set: Option<Name>,
    /// The constants, in source order.
    pub names: Vec<Name>,
    /// The whole.
    pub span: Span,
}

/// A type, as written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TypeName {
    /// `bit`, `bool`
    Bit,
    /// `byte`
    Byte,
    /// `short`
    Short,
    /// `int`
    Int,
    /// `unsigned`
    Unsigned,
    /// `pid`
    Pid,
    /// `chan`
    Chan,
    /// `mtype`, `mtype:name`
    Mtype(Option<Name>),
    /// A typedef, which is not handled yet.
    Opaque(Name),
}

/// A declaration of variables of one type.
#[derive(Clone, Debug, PartialEq)]
pub struct Declaration {
    /// Their type.
    pub ty: TypeName,
    /// The variables.
    pub declarators: Vec<Declarator>,
    /// The whole.
    pub span: Span,
}

/// A variable in a declaration.
#[derive(Clone, Debug, PartialEq)]
pub struct Declarator {
    /// Its name.
    pub name: Name,
    /// `x : 3`
    pub width: Option<Expression>,
    /// `x[3]`
    pub length: Option<Expression>,
    /// `= ...`
    pub init: Initial,
    /// The whole.
    pub span: Span,
}

/// What a variable holds at first.
#[derive(Clone, Debug, PartialEq)]
pub enum Initial {
    /// Nothing is said.
    None,
    /// `= expression`
    Value(Expression),
    /// `= { 1, 2 }`
    List(Vec<Expression>),
    /// `= [capacity] of { types }`
    Channel {
        /// The capacity.
        capacity: Expression,
        /// The types of a message's fields, with their places.
        fields: Vec<(TypeName, Span)>,
        /// From the bracket to the brace.
        span: Span,
    },
}

/// A process type.
#[derive(Clone, Debug, PartialEq)]
pub struct Process {
    /// `proctype`'s name; `init`.
    pub name: Name,
    /// Whether it is `init`.
    pub init: bool,
    /// `active [n]`: whether it is, and n.
    pub active: Option<Option<Expression>>,
    /// Whether it is a `D_proctype`.
    pub deterministic: bool,
    /// Parameters.
    pub parameters: Vec<Declaration>,
    /// The body.
    pub body: Block,
    /// The whole.
    pub span: Span,
}

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
    /// `c?a,b`, `c??a,b`
    Receive {
        /// The channel.
        channel: Variable,
        /// Whether it is `??`.
        random: bool,
        /// The message.
        patterns: Vec<Pattern>,
    },
    /// `if ... fi`
    If(Vec<Block>),
    /// `do ... od`
    Do(Vec<Block>),
    /// `{ ... }`
    Block(Block),
    /// `atomic { ... }`
    Atomic(Block),
    /// `d_step { ... }`
    DStep(Block),
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
    /// What could not be read, or is not handled yet; it was reported.
    Error,
}

/// A variable, or an element of an array.
#[derive(Clone, Debug, PartialEq)]
pub struct Variable {
    /// Its name.
    pub name: Name,
    /// The index, if there is one.
    pub index: Option<Box<Expression>>,
    /// The whole.
    pub span: Span,
}

/// A field in a receive.
#[derive(Clone, Debug, PartialEq)]
pub enum Pattern {
    /// A variable, or a symbolic constant, or `_`.
    Variable(Variable),
    /// A number.
    Number(i64, Span),
    /// `eval(e)`
    Eval(Expression, Span),
    /// What could not be read.
    Error(Span),
}

impl Pattern {
    /// Where it stands.
    #[must_use]
    pub const fn span(&self) -> Span {
        match self {
            Self::Variable(variable) => variable.span,
            Self::Number(_, span) | Self::Eval(_, span) | Self::Error(span) => *span,
        }
    }
}

/// An expression.
#[derive(Clone, Debug, PartialEq)]
pub struct Expression {
    /// What it is.
    pub kind: Box<ExpressionKind>,
    /// Where it stands, without parentheses around it.
    pub span: Span,
    /// Length of the longest way down to a leaf, counted in expressions.
    pub height: u32,
}

/// Questions about a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Probe {
    /// `len`
    Length,
    /// `empty`
    Empty,
    /// `nempty`
    NotEmpty,
    /// `full`
    Full,
    /// `nfull`
    NotFull,
}

/// What an expression is.
#[derive(Clone, Debug, PartialEq)]
pub enum ExpressionKind {
    /// A number, `true`, `false`, `skip`, `'c'`.
    Number(i64),
    /// A variable or a symbolic constant.
    Variable(Variable),
    /// An operator with one operand.
    Unary(Unary, Expression),
    /// An operator with two operands.
    Binary(Binary, Expression, Expression),
    /// `(a -> b : c)`
    Conditional(Expression, Expression, Expression),
    /// `run P(a, b)`
    Run(Name, Vec<Expression>),
    /// `len(c)` and its kin.
    Probe(Probe, Variable),
    /// `c?[a,b]`, `c??[a,b]`
    Poll {
        /// The channel.
        channel: Variable,
        /// Whether it is `??`.
        random: bool,
        /// The message.
        patterns: Vec<Pattern>,
    },
    /// `timeout`
    Timeout,
    /// What could not be read, or is not handled yet; it was reported.
    Error,
}
