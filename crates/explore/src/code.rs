//! A program in the form in which it is run: names are resolved to cells.

use cfsm_core::program::{Binary, EdgeId, Hold, LocationId, ProcessTypeId, Unary, VariableId};

use crate::width::Width;

/// An expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Code {
    Constant(i32),
    /// A cell of the globals.
    Global(u32),
    /// A cell of the process's locals.
    Local(u32),
    /// An element of an array.
    Element(Box<Element>),
    Unary(Unary, Box<Self>),
    Binary(Binary, Box<(Self, Self)>),
    Conditional(Box<(Self, Self, Self)>),
    Length(Box<Self>),
    Empty(Box<Self>),
    Full(Box<Self>),
    Poll(Box<Poll>),
    Timeout,
    NonProgress,
    Pid,
    ProcessCount,
    Last,
    Enabled(Box<Self>),
    Priority(Box<Self>),
    /// Whether a process is at a location.
    AtLocation(Remote, u32),
    /// A local of another process: its first cell, and its length and index if it is an array.
    RemoteRead(Remote, u32, Option<Box<(u32, Self)>>),
    /// 0, if this is an index of an array of such a length.
    Inside(Box<(u32, Self)>),
}

/// An element of an array, to be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Element {
    pub global: bool,
    pub first: u32,
    pub length: u32,
    pub index: Code,
}

/// Another process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Remote {
    pub process_type: ProcessTypeId,
    /// Its number; if `None`, the first one of the type.
    pub process: Option<Box<Code>>,
}

/// `c?[...]`
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Poll {
    pub channel: Code,
    pub patterns: Vec<Slot>,
    pub random: bool,
}

/// Something that can be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Target {
    pub global: bool,
    pub first: u32,
    /// Length and index of an array.
    pub element: Option<Box<(u32, Code)>>,
    pub width: Width,
}

/// What a receive does with a field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Slot {
    Store(Target),
    Any,
    Match(Code),
}

/// What an edge does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Statement {
    Condition(Code),
    Else,
    Assign(Target, Code),
    Send { channel: Code, fields: Vec<Code>, sorted: bool },
    Receive(Receive),
    Create(Create),
    Assert(Code),
    Print(Vec<Code>),
    SetPriority(Code, Code),
}

/// A receive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Receive {
    pub channel: Code,
    pub patterns: Vec<Slot>,
    pub random: bool,
    pub peek: bool,
}

/// The creation of a process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Create {
    pub process_type: ProcessTypeId,
    pub arguments: Vec<Code>,
    pub priority: i32,
    pub result: Option<Target>,
}

/// An edge.
#[derive(Clone, Debug)]
pub(crate) struct EdgeCode {
    pub id: EdgeId,
    pub statement: Statement,
    pub target: LocationId,
    pub hold: Hold,
    pub rank: u8,
    pub d_step: Option<u32>,
}

/// What a process can choose at a location: what is one transition in Spin's verifier.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Choice {
    /// Position of its first edge among those of the type.
    pub first: u32,
    /// How many edges there are; more than one only in a `d_step`.
    pub count: u32,
    pub d_step: bool,
    pub rank: u8,
}

/// A process type.
#[derive(Clone, Debug)]
pub(crate) struct TypeCode {
    /// Locals, in declaration order, which is that of their initialisation.
    pub locals: Vec<VariableCode>,
    /// How many cells the locals have.
    pub cells: u32,
    /// All edges, by location.
    pub edges: Vec<EdgeCode>,
    /// For each location, what can be chosen there.
    pub choices: Vec<Vec<Choice>>,
    /// For each location, the range of its edges.
    pub ranges: Vec<(u32, u32)>,
    /// For each location, whether it is a valid place to rest at.
    pub ends: Vec<bool>,
    /// For each location, whether it has a progress label.
    pub progress: Vec<bool>,
    pub entry: LocationId,
    pub exit: LocationId,
    pub provided: Option<Code>,
    pub priority: i32,
}

/// A variable.
#[derive(Clone, Debug)]
pub(crate) struct VariableCode {
    /// Its first cell.
    pub first: u32,
    /// How many cells there are.
    pub length: u32,
    pub width: Width,
    pub init: Init,
}

/// How a variable begins.
#[derive(Clone, Debug)]
pub(crate) enum Init {
    Zero,
    /// The same for each element.
    Value(Code),
    /// One for each element.
    List(Vec<Code>),
    /// Queues: positions of their declarations, from this one on.
    Queues(u32),
    Parameter,
}

/// A declaration of a queue.
#[derive(Clone, Debug)]
pub(crate) struct QueueCode {
    /// From how many messages on a send waits; `None` if it never has to.
    pub capacity: Option<u32>,
    /// From how many messages on a send may wait, where it need not ([`Limit::Either`]).
    ///
    /// [`Limit::Either`]: cfsm_core::program::Limit::Either
    pub may_wait_from: Option<u32>,
    /// The declared capacity, which `full` compares with; `None` if the program says none.
    pub declared: Option<u32>,
    /// Whether the capacity is part of the question, so that it is the same in every reading.
    pub is_fixed: bool,
    /// Whether a message that finds no room is lost, so that no send waits.
    pub is_lossy: bool,
    pub rendezvous: bool,
    pub fields: Vec<Width>,
    /// The type whose local it is.
    pub owner: Option<ProcessTypeId>,
    pub variable: VariableId,
    pub element: u32,
}

impl QueueCode {
    /// Whether a send ever waits, or may.
    pub const fn has_limit(&self) -> bool {
        self.capacity.is_some() || self.may_wait_from.is_some()
    }
}
