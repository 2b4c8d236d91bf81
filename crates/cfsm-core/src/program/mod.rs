//! Programs: extended communicating machines with data, in the sense of a modelling language.
//!
//! A [`Program`] is a control-flow graph for each process type, whose edges carry one [`Action`]
//! each, plus declarations. It represents all of Promela without loss (one edge is one statement of
//! the user, as in the graphs that `pan -d` prints), so that the concrete semantics can execute it,
//! while the abstraction keeps its control flow and message effects only.
//!
//! *Not* part of a program: syntax (macros, inlines, `for`, `select` and typedefs are resolved by
//! the front end; a typedef's fields become variables of their own) and results of analyses.

mod action;
mod builder;
mod channel;
mod environment;
mod expression;
mod progress;
mod readiness;
mod reading;
mod symbol;
mod validate;
mod variable;

use serde::{Deserialize, Serialize};

pub use action::{Action, Pattern};
pub use builder::{ProcessBuilder, ProgramBuilder};
pub use channel::{ChannelShape, FixedLimit, WhenFull};
pub use environment::Environment;
pub use expression::{Binary, Expression, Place, Unary, VariableRef};
pub use reading::{ChannelDeclaration, Limit, Reading};
pub use symbol::SymbolSet;
pub use validate::Fault;
pub use variable::{Initializer, Variable};

use crate::define_id;
use crate::ids::IdMap;
use crate::source::{Sources, Span};

define_id!(
    /// A process type (Promela: `proctype`, `init`, `never`).
    ProcessTypeId, "type"
);
define_id!(
    /// A variable: global in [`Program::globals`], or local in [`ProcessType::locals`].
    VariableId, "var"
);
define_id!(
    /// A control location of a process type.
    LocationId, "loc"
);
define_id!(
    /// An edge of a process type.
    EdgeId, "edge"
);
define_id!(
    /// A set of symbolic constants (Promela: `mtype` or `mtype:NAME`).
    SymbolSetId, "symbols"
);

/// A program.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Program {
    /// The source texts.
    pub sources: Sources,
    /// Symbolic constants.
    pub symbols: IdMap<SymbolSetId, SymbolSet>,
    /// Global variables, in declaration order.
    pub globals: IdMap<VariableId, Variable>,
    /// Process types, in declaration order.
    pub types: IdMap<ProcessTypeId, ProcessType>,
    /// The initial processes, in the order in which they are created.
    pub initial: Vec<Initial>,
    /// Properties in the text that are not processes of the system (Promela: `never`, `trace`,
    /// `notrace`, `ltl`).
    pub claims: Vec<Claim>,
    /// Semantics of a `d_step` that blocks in the middle: if `true`, it is not a step at all, as
    /// for a transition of a [`System`](crate::system::System); if `false`, as in Promela, it is an
    /// error. A program with whole steps has only sends and receives of constants, constant
    /// conditions, and creations without arguments.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub whole_steps: bool,
    /// The assumptions of its front end about runs, as sentences without a full stop: they are told
    /// with each verdict about the program.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub assumptions: Vec<String>,
    /// Further assumptions, which are told with verdicts about livelocks only.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub livelock_assumptions: Vec<String>,
    /// The environment, if the program is open: if there are processes outside that use some of its
    /// channels.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub environment: Option<Environment>,
}

/// Initial processes of one type.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Initial {
    /// Their type. Its parameters, if any, have their default values (as Spin does for `active`).
    pub process_type: ProcessTypeId,
    /// Number of processes.
    pub count: u32,
}

/// The type of a scalar.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Type {
    /// 0 or 1 (`bit`, `bool`).
    Bit,
    /// 0 to 255.
    Byte,
    /// 16 bits, signed.
    Short,
    /// 32 bits, signed.
    Int,
    /// Unsigned with this many bits, 1 to 32.
    Unsigned(u8),
    /// A process number, 0 to 255.
    Pid,
    /// A symbolic constant, kept in a byte; 0 before the first assignment.
    Symbol(SymbolSetId),
    /// A reference to a channel; 0 refers to none.
    Channel,
}

impl Type {
    /// The least and the greatest value, both included.
    #[must_use]
    pub const fn range(self) -> (i64, i64) {
        match self {
            Self::Bit => (0, 1),
            Self::Byte | Self::Pid | Self::Symbol(_) | Self::Channel => (0, 255),
            Self::Short => (-(1 << 15), (1 << 15) - 1),
            Self::Int => (-(1 << 31), (1 << 31) - 1),
            Self::Unsigned(bits) => (0, (1 << bits) - 1),
        }
    }

    /// The value that is stored in this type for `value`: Promela truncates to the width.
    #[must_use]
    pub const fn wrap(self, value: i64) -> i64 {
        match self {
            Self::Bit => value & 1,
            Self::Byte | Self::Pid | Self::Symbol(_) | Self::Channel => value & 0xff,
            #[allow(clippy::cast_possible_truncation)] // truncation is what is meant
            Self::Short => value as i16 as i64,
            #[allow(clippy::cast_possible_truncation)]
            Self::Int => value as i32 as i64,
            Self::Unsigned(bits) => value & ((1 << bits) - 1),
        }
    }
}

/// A process type: a control-flow graph.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ProcessType {
    /// Its name; `init` for Promela's init process.
    pub name: String,
    /// Number of the first [`locals`](Self::locals) that are parameters.
    pub parameters: usize,
    /// Parameters and local variables.
    pub locals: IdMap<VariableId, Variable>,
    /// Control locations.
    pub locations: IdMap<LocationId, Location>,
    /// Edges, in source order (in which a simulation offers them).
    pub edges: IdMap<EdgeId, Edge>,
    /// The location at which a new instance starts.
    pub entry: LocationId,
    /// The location at which an instance has terminated: it has no outgoing edges, and the
    /// semantics determines the order in which instances die there.
    pub exit: LocationId,
    /// The condition under which an instance may step (Promela: `provided`).
    pub provided: Option<Expression>,
    /// Priority of its instances, if stated.
    pub priority: Option<u8>,
    /// `true` for a `D_proctype`, which must be deterministic.
    pub deterministic: bool,
    /// Assertions of exclusive channel access (Promela: `xr`, `xs`).
    pub exclusive: Vec<Exclusive>,
    /// Span of the declaration.
    pub span: Span,
}

/// The assertion that no other process receives from (or sends to) a channel.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Exclusive {
    /// The channel.
    pub channel: Expression,
    /// `true` for sending (`xs`), `false` for receiving (`xr`).
    pub sending: bool,
}

/// A control location.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Location {
    /// Labels, as written; the prefixes `end`, `progress` and `accept` have their meaning. In
    /// Promela, such a label at the beginning of an option marks the locations behind first steps,
    /// and it is listed here at each of these.
    pub labels: Vec<String>,
    /// Span of the next statement.
    pub span: Span,
}

impl Location {
    /// Returns `true` if it is a valid end state (a label begins with `end`).
    #[must_use]
    pub fn is_end(&self) -> bool {
        self.has_label_prefix("end")
    }

    /// Returns `true` if leaving it is progress (a label begins with `progress`).
    #[must_use]
    pub fn is_progress(&self) -> bool {
        self.has_label_prefix("progress")
    }

    /// Returns `true` if it is accepting (a label begins with `accept`).
    #[must_use]
    pub fn is_accept(&self) -> bool {
        self.has_label_prefix("accept")
    }

    fn has_label_prefix(&self, prefix: &str) -> bool {
        self.labels.iter().any(|label| label.starts_with(prefix))
    }
}

/// Control after an edge: which processes may step next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Hold {
    /// Other processes may step next.
    No,
    /// Inside `atomic`: the process keeps control, unless it is blocked.
    Atomic,
    /// Inside `d_step`: the process keeps control; blocking is an error.
    DStep,
}

/// One statement of a process.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Edge {
    /// The source location.
    pub source: LocationId,
    /// The target location.
    pub target: LocationId,
    /// The action, which determines the executability.
    pub action: Action,
    /// The processes that may step next.
    pub hold: Hold,
    /// Rank of an escape of `unless`: an edge is executable only if no edge of the same location
    /// with a greater rank is. 0 outside `unless`.
    pub rank: u8,
    /// The `d_step` that contains the statement, counted from 0 in its process type. At a location
    /// outside, all edges of one `d_step` are one step, which begins with the first executable one
    /// of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub d_step: Option<u32>,
    /// For [`Action::Else`]: number of the edges right before it that are options of the same
    /// selection. Spin's simulator tests the executability of these, its verifier that of all
    /// earlier edges of the location.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub alternatives: u32,
    /// Span of the statement.
    pub span: Span,
}

#[allow(clippy::trivially_copy_pass_by_ref)] // the signature serde asks for
const fn is_zero(count: &u32) -> bool {
    *count == 0
}

/// A property in the text.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Claim {
    /// A process type that observes the system (`never`, `trace`, `notrace`).
    Observer {
        /// The observer's machine.
        process_type: ProcessTypeId,
        /// Kind of the observer.
        kind: Observer,
    },
    /// A formula of linear temporal logic, as written.
    Ltl {
        /// Its name, if it has one.
        name: Option<String>,
        /// The formula.
        formula: String,
        /// Span of the formula.
        span: Span,
    },
}

/// Kind of an observer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Observer {
    /// States: behaviour that must not occur.
    Never,
    /// Messages: behaviour that must occur.
    Trace,
    /// Messages: behaviour that must not occur.
    NoTrace,
}

impl Program {
    /// The variable that a reference denotes in a process type.
    #[must_use]
    pub fn variable(&self, process_type: ProcessTypeId, variable: VariableRef) -> &Variable {
        match variable {
            VariableRef::Global(id) => &self.globals[id],
            VariableRef::Local(id) => &self.types[process_type].locals[id],
        }
    }

    /// Checks all ids and arities in the program.
    ///
    /// # Errors
    /// The first [`Fault`] found. A front end that produces one has a bug; a program read from a
    /// file may be broken. Time linear in the program.
    pub fn validate(&self) -> Result<(), Fault> {
        validate::validate(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_wrap_as_promela_stores() {
        assert_eq!(Type::Byte.wrap(256), 0);
        assert_eq!(Type::Byte.wrap(-1), 255);
        assert_eq!(Type::Short.wrap(1 << 15), -(1 << 15));
        assert_eq!(Type::Int.wrap(1 << 31), -(1 << 31));
        assert_eq!(Type::Unsigned(3).wrap(9), 1);
        assert_eq!(Type::Bit.wrap(2), 0);
    }

    #[test]
    fn label_prefixes_carry_meaning() {
        let span = Span { file: crate::ids::Id::new(0), start: 0, end: 0 };
        let location = Location { labels: vec!["endHere".into(), "progress_1".into()], span };
        assert!(location.is_end() && location.is_progress() && !location.is_accept());
    }
}
