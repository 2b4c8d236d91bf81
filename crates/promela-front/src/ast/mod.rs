//! The tree: what the user wrote, with a span on every node and macros expanded.
//!
//! Names are not resolved and nothing is checked here. Inlines are kept: their definitions as text,
//! their calls with the arguments as text and with the statements that they stand for. Long chains
//! of one associative operator (`a || b || ...`) hang balanced, so that every tree is about as deep
//! as the user nested it. [`print`](crate::print) gives the text back.

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
    /// Where it stands.
    pub span: Span,
}

/// A stretch of tokens as text: single blanks where there was something between them, ends of lines
/// kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Text {
    /// The letters.
    pub text: String,
    /// Where it stands.
    pub span: Span,
}

/// A number with its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Number {
    /// The number.
    pub value: i64,
    /// Where it stands.
    pub span: Span,
}

/// A whole text.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Model {
    /// Its units, in source order.
    pub units: Vec<Unit>,
    /// Names that were introduced by units which could not be read; their uses are no errors of
    /// their own.
    pub opaque_names: Vec<Arc<str>>,
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
    /// Where it stands.
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
    /// The whole.
    pub span: Span,
}

/// A record type.
#[derive(Clone, Debug, PartialEq)]
pub struct Typedef {
    /// Its name.
    pub name: Name,
    /// Its fields.
    pub fields: Vec<Declaration>,
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
    /// The name of a typedef.
    Named(Name),
}

/// What is said before a type about who sees a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Visibility {
    /// `hidden`: it is no part of the state.
    Hidden,
    /// `show`: a simulation prints its changes.
    Show,
    /// `local`: one process uses it.
    Local,
}

/// A declaration of variables of one type.
#[derive(Clone, Debug, PartialEq)]
pub struct Declaration {
    /// What stands before the type.
    pub visibility: Option<Visibility>,
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
    /// `priority n`
    pub priority: Option<Number>,
    /// `provided (e)`
    pub provided: Option<Expression>,
    /// The body.
    pub body: Block,
    /// The whole.
    pub span: Span,
}

/// A piece of text with a name, which stands for statements where it is called.
#[derive(Clone, Debug, PartialEq)]
pub struct Inline {
    /// Its name.
    pub name: Name,
    /// What arguments are put in the place of.
    pub parameters: Vec<Name>,
    /// What stands between the braces.
    pub body: Text,
    /// The whole.
    pub span: Span,
}

/// Which of the observers one is.
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
    /// Which of them.
    pub kind: ObserverKind,
    /// The name, if it has one.
    pub name: Option<Name>,
    /// The body.
    pub body: Block,
    /// The whole.
    pub span: Span,
}

/// A formula of linear temporal logic.
#[derive(Clone, Debug, PartialEq)]
pub struct Ltl {
    /// Its name, if it has one.
    pub name: Option<Name>,
    /// The formula: an expression in which temporal operators may stand.
    pub formula: Expression,
    /// The whole.
    pub span: Span,
}

/// What a unit of C declares.
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

/// C at the top level.
#[derive(Clone, Debug, PartialEq)]
pub struct Embedded {
    /// What it is.
    pub kind: EmbeddedKind,
    /// What stands between the braces; of `c_state` and `c_track`, two or three strings without
    /// their quotes.
    pub texts: Vec<Text>,
    /// The whole.
    pub span: Span,
}
