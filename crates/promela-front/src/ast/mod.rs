//! The syntax tree: the text with a span on every node, after macro expansion.
//!
//! Names are not resolved and nothing is checked here. Inlines are kept: their definitions as text,
//! their calls with the arguments as text and with the statements that they expand to. Long chains
//! of one associative operator (`a || b || ...`) are balanced, so that every tree is about as deep
//! as the nesting in the text. [`print`](crate::print) is the inverse.

mod expression;
mod statement;

use std::sync::Arc;

use cfsm_core::source::Span;

pub use expression::{
    Expression, ExpressionKind, Field, Pattern, Probe, Query, Remote, RemotePart, Temporal, TemporalBinary,
    Variable,
};
pub use statement::{Block, Call, ForRange, Statement, StatementKind};

/// An identifier.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name {
    /// Its letters; equal names of a text share them.
    pub text: Arc<str>,
    /// Span of the identifier.
    pub span: Span,
}

/// A sequence of tokens as text: single blanks for any white space between them, line ends kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Text {
    /// The letters.
    pub text: String,
    /// Span of the text.
    pub span: Span,
}

/// A number with its span.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Number {
    /// The number.
    pub value: i64,
    /// Span of the number.
    pub span: Span,
}

/// A whole model.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Model {
    /// Its units, in source order.
    pub units: Vec<Unit>,
    /// Names introduced by units that could not be parsed; their uses are not reported.
    pub opaque_names: Vec<Arc<str>>,
    /// `true` if declarations may be missing because they could not be parsed.
    pub incomplete: bool,
}

/// A top-level unit of a model.
#[derive(Clone, Debug, PartialEq)]
pub enum Unit {
    /// `mtype = { a, b }`
    Symbols(Symbols),
    /// `byte x, y = 2`
    Declaration(Declaration),
    /// `typedef T { ... }`
    Typedef(Typedef),
    /// `proctype` or `init`
    Process(Process),
    /// `inline f(x) { ... }`
    Inline(Inline),
    /// `never`, `trace` or `notrace`
    Observer(Observer),
    /// `ltl name { formula }`
    Ltl(Ltl),
    /// `c_decl`, `c_code`, `c_state` or `c_track`
    Embedded(Embedded),
}

impl Unit {
    /// The span of the unit.
    #[must_use]
    pub const fn span(&self) -> Span {
        match self {
            Self::Symbols(unit) => unit.span,
            Self::Declaration(unit) => unit.span,
            Self::Typedef(unit) => unit.span,
            Self::Process(unit) => unit.span,
            Self::Inline(unit) => unit.span,
            Self::Observer(unit) => unit.span,
            Self::Ltl(unit) => unit.span,
            Self::Embedded(unit) => unit.span,
        }
    }
}

/// A declaration of symbolic constants.
#[derive(Clone, Debug, PartialEq)]
pub struct Symbols {
    /// The name of the set, if it has one.
    pub set: Option<Name>,
    /// The constants, in source order.
    pub names: Vec<Name>,
    /// Span of the whole declaration.
    pub span: Span,
}

/// A record type.
#[derive(Clone, Debug, PartialEq)]
pub struct Typedef {
    /// Its name.
    pub name: Name,
    /// Its fields.
    pub fields: Vec<Declaration>,
    /// Span of the whole type definition.
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
    /// The name of a typedef.
    Named(Name),
}

/// Visibility keyword of a declaration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Visibility {
    /// `hidden`: the variable is not part of the state.
    Hidden,
    /// `show`: a simulation prints its changes.
    Show,
    /// `local`: it is used by one process only.
    Local,
}

/// A declaration of variables of one type.
#[derive(Clone, Debug, PartialEq)]
pub struct Declaration {
    /// The visibility keyword, if there is one.
    pub visibility: Option<Visibility>,
    /// Their type.
    pub ty: TypeName,
    /// The variables.
    pub declarators: Vec<Declarator>,
    /// Span of the whole declaration.
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
    /// Span of the declarator.
    pub span: Span,
}

/// The initial value of a variable.
#[derive(Clone, Debug, PartialEq)]
pub enum Initial {
    /// No initialiser.
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
        /// Span from the bracket to the brace.
        span: Span,
    },
}

/// A process type.
#[derive(Clone, Debug, PartialEq)]
pub struct Process {
    /// The name of the `proctype`; `init` for that.
    pub name: Name,
    /// `true` for `init`.
    pub init: bool,
    /// `active [n]`: the outer option is set for `active`, the inner one holds n.
    pub active: Option<Option<Expression>>,
    /// `true` for a `D_proctype`.
    pub deterministic: bool,
    /// Parameters.
    pub parameters: Vec<Declaration>,
    /// `priority n`
    pub priority: Option<Number>,
    /// `provided (e)`
    pub provided: Option<Expression>,
    /// The body.
    pub body: Block,
    /// Span of the whole process type.
    pub span: Span,
}

/// An inline: a named text that replaces its calls.
#[derive(Clone, Debug, PartialEq)]
pub struct Inline {
    /// Its name.
    pub name: Name,
    /// The parameters, which are replaced by the text of the arguments.
    pub parameters: Vec<Name>,
    /// The text between the braces.
    pub body: Text,
    /// Span of the whole definition.
    pub span: Span,
}

/// Kind of an observer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ObserverKind {
    /// `never`
    Never,
    /// `trace`
    Trace,
    /// `notrace`
    NoTrace,
}

/// `never`, `trace` or `notrace`.
#[derive(Clone, Debug, PartialEq)]
pub struct Observer {
    /// The kind of the observer.
    pub kind: ObserverKind,
    /// The name, if it has one.
    pub name: Option<Name>,
    /// The body.
    pub body: Block,
    /// Span of the whole observer.
    pub span: Span,
}

/// A formula of linear temporal logic.
#[derive(Clone, Debug, PartialEq)]
pub struct Ltl {
    /// Its name, if it has one.
    pub name: Option<Name>,
    /// The formula: an expression that may contain temporal operators.
    pub formula: Expression,
    /// Span of the whole formula.
    pub span: Span,
}

/// Kind of a top-level unit of embedded C.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EmbeddedKind {
    /// `c_decl { ... }`: types and declarations.
    Declaration,
    /// `c_code { ... }` outside of processes: functions and data.
    Code,
    /// `c_state "declaration" "where" ["initial value"]`: a variable of the state.
    State,
    /// `c_track "address" "size" ["matched"]`: memory that belongs to the state.
    Track,
}

/// Embedded C at the top level.
#[derive(Clone, Debug, PartialEq)]
pub struct Embedded {
    /// The kind of the unit.
    pub kind: EmbeddedKind,
    /// The text between the braces; for `c_state` and `c_track`, two or three strings without their
    /// quotes.
    pub texts: Vec<Text>,
    /// Span of the whole unit.
    pub span: Span,
}
