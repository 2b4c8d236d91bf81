//! Compiled programs: the form in which [`Semantics`](crate::Semantics) executes a program.
//! Variables are resolved to cells of a state, locations to ranges of edges.

use cfsm_core::program::{Binary, EdgeId, Hold, LocationId, ProcessTypeId, Unary, VariableId};

use crate::width::Width;

/// An expression over cells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Code {
    Constant(i32),
    /// Reads the cell with this number of the globals.
    Global(u32),
    /// Reads the cell with this number of the process's locals.
    Local(u32),
    /// Reads an element of an array.
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
    /// 1 if the process is at the location with this number, else 0.
    AtLocation(Remote, u32),
    /// Reads a local variable of another process: its first cell, and its length and index if it is
    /// an array.
    RemoteRead(Remote, u32, Option<Box<(u32, Self)>>),
    /// Bounds check: evaluates to 0 if the index lies inside an array of this length, and is an
    /// error otherwise.
    Inside(Box<(u32, Self)>),
}

/// An element of an array that an expression reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Element {
    pub global: bool,
    pub first: u32,
    pub length: u32,
    pub index: Code,
}

/// A reference to another process, as in `P[2]@label` and `P[2]:x`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Remote {
    pub process_type: ProcessTypeId,
    /// The number of the process; `None` means the first process of the type.
    pub process: Option<Box<Code>>,
}

/// A poll of a channel, `c?[...]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Poll {
    pub channel: Code,
    pub patterns: Vec<Slot>,
    pub random: bool,
}

/// The destination of a write: a scalar variable or an element of an array.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Target {
    pub global: bool,
    pub first: u32,
    /// Length of the array and index of the element; `None` for a scalar.
    pub element: Option<Box<(u32, Code)>>,
    pub width: Width,
}

/// Pattern for one field of a received message: store it, ignore it, or compare it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Slot {
    Store(Target),
    Any,
    Match(Code),
}

/// The statement of an edge.
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

/// A receive statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Receive {
    pub channel: Code,
    pub patterns: Vec<Slot>,
    pub random: bool,
    pub peek: bool,
}

/// A statement that creates a process (`run`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Create {
    pub process_type: ProcessTypeId,
    pub arguments: Vec<Code>,
    pub priority: i32,
    pub result: Option<Target>,
}

/// An edge of a process type with its compiled statement.
#[derive(Clone, Debug)]
pub(crate) struct EdgeCode {
    pub id: EdgeId,
    pub statement: Statement,
    pub target: LocationId,
    pub hold: Hold,
    pub rank: u8,
    pub d_step: Option<u32>,
}

/// One alternative of a process at a location; it corresponds to one transition of Spin's verifier.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Choice {
    /// Index of the first edge of the choice in [`TypeCode::edges`].
    pub first: u32,
    /// Number of edges; greater than 1 only in a `d_step`.
    pub count: u32,
    pub d_step: bool,
    pub rank: u8,
}

/// A compiled process type.
#[derive(Clone, Debug)]
pub(crate) struct TypeCode {
    /// Locals, in declaration order, which is that of their initialisation.
    pub locals: Vec<VariableCode>,
    /// Number of cells of all locals together.
    pub cells: u32,
    /// All edges, grouped by source location.
    pub edges: Vec<EdgeCode>,
    /// For each location, the alternatives that a process has there.
    pub choices: Vec<Vec<Choice>>,
    /// For each location, the half-open range of its edges in `edges`.
    pub ranges: Vec<(u32, u32)>,
    /// For each location, `true` if a process may rest there at the end of a run (a valid end
    /// state).
    pub ends: Vec<bool>,
    /// For each location, `true` if it has a progress label.
    pub progress: Vec<bool>,
    pub entry: LocationId,
    pub exit: LocationId,
    pub provided: Option<Code>,
    pub priority: i32,
}

/// A compiled variable.
#[derive(Clone, Debug)]
pub(crate) struct VariableCode {
    /// Index of the first cell of the variable.
    pub first: u32,
    /// Number of cells: the length of an array, 1 for a scalar.
    pub length: u32,
    pub width: Width,
    pub init: Init,
}

/// The initial value of a variable.
#[derive(Clone, Debug)]
pub(crate) enum Init {
    Zero,
    /// The same expression for each element.
    Value(Code),
    /// One expression for each element; elements beyond the list are 0.
    List(Vec<Code>),
    /// New queues, one for each element; the number is the position of the first one's declaration.
    Queues(u32),
    Parameter,
}

/// A declaration of a queue.
#[derive(Clone, Debug)]
pub(crate) struct QueueCode {
    /// Number of messages from which on a send waits; `None` if sends never have to wait.
    pub capacity: Option<u32>,
    /// Number of messages from which on a send may wait but need not ([`Limit::Either`]).
    ///
    /// [`Limit::Either`]: cfsm_core::program::Limit::Either
    pub may_wait_from: Option<u32>,
    /// The declared capacity, which `full` compares with; `None` if the program declares none.
    pub declared: Option<u32>,
    /// `true` if the capacity is part of the model, so that it is the same in every reading of
    /// capacities.
    pub is_fixed: bool,
    /// `true` if a message is lost when the queue is full, so that no send waits.
    pub is_lossy: bool,
    pub rendezvous: bool,
    pub fields: Vec<Width>,
    /// The process type that declares the queue as a local; `None` for a global.
    pub owner: Option<ProcessTypeId>,
    pub variable: VariableId,
    pub element: u32,
}

impl QueueCode {
    /// Returns `true` if a send to the queue waits, or may wait, in some state.
    pub const fn has_limit(&self) -> bool {
        self.capacity.is_some() || self.may_wait_from.is_some()
    }
}
