//! Syntax tree: expressions, variables, and patterns of receives.

use cfsm_core::program::{Binary, Unary};
use cfsm_core::source::Span;

use super::{Name, Number, Text};

/// A variable, an element of an array, or a field of one of these.
#[derive(Clone, Debug, PartialEq)]
pub struct Variable {
    /// Its name.
    pub name: Name,
    /// The index, if there is one.
    pub index: Option<Box<Expression>>,
    /// The fields `.f[i].g`, from left to right.
    pub fields: Vec<Field>,
    /// Span of the whole variable.
    pub span: Span,
}

/// `.f` or `.f[i]`
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    /// Its name.
    pub name: Name,
    /// The index, if there is one.
    pub index: Option<Box<Expression>>,
}

impl Variable {
    /// Returns `true` if it is a name without index and fields.
    #[must_use]
    pub const fn is_name(&self) -> bool {
        self.index.is_none() && self.fields.is_empty()
    }

    /// The names of the path, joined with dots.
    #[must_use]
    pub fn path(&self) -> String {
        self.fields.iter().fold(self.name.text.to_string(), |path, field| path + "." + &field.name.text)
    }

    /// The indices in it, from left to right.
    pub fn indices(&self) -> impl Iterator<Item = &Expression> {
        self.index
            .iter()
            .chain(self.fields.iter().filter_map(|field| field.index.as_ref()))
            .map(|index| &**index)
    }
}

/// A field in a receive.
#[derive(Clone, Debug, PartialEq)]
pub enum Pattern {
    /// A variable, or a symbolic constant, or `_`.
    Variable(Variable),
    /// A number.
    Number(Number),
    /// `eval(e)`
    Eval(Expression, Span),
    /// A pattern that could not be parsed; it was reported.
    Error(Span),
}

impl Pattern {
    /// The span of the pattern.
    #[must_use]
    pub const fn span(&self) -> Span {
        match self {
            Self::Variable(variable) => variable.span,
            Self::Number(number) => number.span,
            Self::Eval(_, span) | Self::Error(span) => *span,
        }
    }
}

/// An expression.
#[derive(Clone, Debug, PartialEq)]
pub struct Expression {
    /// The kind of the expression, with its operands.
    pub kind: Box<ExpressionKind>,
    /// Span, without parentheses around it.
    pub span: Span,
    /// Height of the tree, counted in expressions.
    pub height: u32,
}

/// Tests of a channel.
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

/// Functions of a process, given its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Query {
    /// `enabled`
    Enabled,
    /// `pc_value`
    ProgramCounter,
    /// `get_priority`
    Priority,
}

/// Temporal operators with one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Temporal {
    /// `[]`, `always`
    Always,
    /// `<>`, `eventually`
    Eventually,
    /// `X`, `next`
    Next,
}

/// Temporal operators with two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TemporalBinary {
    /// `U`, `until`, `stronguntil`
    Until,
    /// `W`, `weakuntil`
    WeakUntil,
    /// `V`, `release`
    Release,
    /// `->`, `implies`
    Implies,
    /// `<->`, `equivalent`
    Equivalent,
}

/// `P@label`, `P[n]@label`, `P:x`, `P[n]:x`
#[derive(Clone, Debug, PartialEq)]
pub struct Remote {
    /// The process type.
    pub process: Name,
    /// The number of the process, if it is given.
    pub number: Option<Expression>,
    /// The property of the process that is read.
    pub part: RemotePart,
}

/// The part of another process that a remote reference reads.
#[derive(Clone, Debug, PartialEq)]
pub enum RemotePart {
    /// `@label`: tests if the process is there.
    Label(Name),
    /// `:x`: the value of one of its variables.
    Variable(Variable),
}

/// The kinds of expressions.
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
    /// `run P(a, b) priority n`
    Run {
        /// The process type.
        process: Name,
        /// Its arguments.
        arguments: Vec<Expression>,
        /// Its priority.
        priority: Option<Number>,
    },
    /// `len(c)`, `empty(c)` and the like.
    Probe(Probe, Variable),
    /// `c?[a,b]`, `c??[a,b]`
    Poll {
        /// The channel.
        channel: Box<Variable>,
        /// `true` for `??`.
        random: bool,
        /// The patterns of the message.
        patterns: Vec<Pattern>,
    },
    /// `timeout`
    Timeout,
    /// `np_`
    NonProgress,
    /// `enabled(p)` and the like.
    Query(Query, Expression),
    /// A location or a variable of another process.
    Remote(Box<Remote>),
    /// `c_expr { ... }`
    Code {
        /// The condition in brackets, whose violation is a run-time error.
        guard: Option<Text>,
        /// The text between the braces.
        text: Text,
    },
    /// A temporal operator with one operand, in a formula.
    Temporal(Temporal, Expression),
    /// A temporal operator with two operands, in a formula.
    TemporalBinary(TemporalBinary, Expression, Expression),
    /// An expression that could not be parsed; it was reported.
    Error,
}
