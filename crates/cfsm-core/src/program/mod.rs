//! Programs: extended communicating machines, with data, as a modelling language means them.
//!
//! A [`Program`] is a control-flow graph per process type whose edges carry one [`Action`] each,
//! plus declarations. It holds all of Promela without loss (design: one edge is one statement of
//! the user, as in the graphs that `pan -d` prints), so that the concrete semantics can run it,
//! while the abstraction keeps its control flow and message effects only.
//!
//! What is *not* here: syntax (macros, inlines, `for`, `select`, typedefs are resolved by the front
//! end; a typedef's fields become variables of their own) and anything that an analysis found out.

mod action;
mod builder;
mod channel;
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

/// A whole program.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Program {
    /// The texts it was read from.
    pub sources: Sources,
    /// Symbolic constants.
    pub symbols: IdMap<SymbolSetId, SymbolSet>,
    /// Global variables, in declaration order.
    pub globals: IdMap<VariableId, Variable>,
    /// Process types, in declaration order.
    pub types: IdMap<ProcessTypeId, ProcessType>,
    /// The processes that exist at the start, in the order in which they are created.
    pub initial: Vec<Initial>,
    /// Properties that came with the text and are not processes of the system (Promela: `never`,
    /// `trace`, `notrace`, `ltl`).
    pub claims: Vec<Claim>,
    /// What a `d_step` is that cannot go on in the middle: no step at all, as a transition of a
    /// [`System`](crate::system::System), or (if false, as in Promela) an error. Such a program has
    /// nothing but sends and receives of constants, conditions that are constants, and creations
    /// without arguments.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub whole_steps: bool,
}

/// Processes that exist at the start.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Initial {
    /// Their type. Its parameters, if any, have their default values (as Spin does for `active`).
    pub process_type: ProcessTypeId,
    /// How many.
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

    /// What remains of `value` when it is stored in this type: Promela truncates to the width.
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
    /// How many of the first [`locals`](Self::locals) are parameters.
    pub parameters: usize,
    /// Parameters and local variables.
    pub locals: IdMap<VariableId, Variable>,
    /// Control locations.
    pub locations: IdMap<LocationId, Location>,
    /// Edges, in source order (which is the order in which a simulation offers them).
    pub edges: IdMap<EdgeId, Edge>,
    /// Where a new instance starts.
    pub entry: LocationId,
    /// Where an instance has come to its end: it has no edges, and the instance dies there in an
    /// order that is the semantics' business.
    pub exit: LocationId,
    /// An instance may step only while this holds (Promela: `provided`).
    pub provided: Option<Expression>,
    /// Priority of its instances, if stated.
    pub priority: Option<u8>,
    /// Whether the whole is one `D_proctype`, i.e. must be deterministic.
    pub deterministic: bool,
    /// Claims of exclusive channel access (Promela: `xr`, `xs`).
    pub exclusive: Vec<Exclusive>,
    /// Where it is declared.
    pub span: Span,
}

/// A claim that no other process receives from (or sends to) a channel.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Exclusive {
    /// The channel.
    pub channel: Expression,
    /// What is claimed: sending (`xs`), or receiving (`xr`).
    pub sending: bool,
}

/// A control location.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Location {
    /// Labels, as the user wrote them; the prefixes `end`, `progress` and `accept` have their
    /// meaning. Such a label at the beginning of an option marks places behind first steps, in
    /// Promela, and is here at each of these.
    pub labels: Vec<String>,
    /// Where the statement stands that is next here.
    pub span: Span,
}

impl Location {
    /// Whether it is a valid place to rest for ever (a label begins with `end`).
    #[must_use]
    pub fn is_end(&self) -> bool {
        self.has_label_prefix("end")
    }

    /// Whether leaving it is progress (a label begins with `progress`).
    #[must_use]
    pub fn is_progress(&self) -> bool {
        self.has_label_prefix("progress")
    }

    /// Whether it is accepting (a label begins with `accept`).
    #[must_use]
    pub fn is_accept(&self) -> bool {
        self.has_label_prefix("accept")
    }

    fn has_label_prefix(&self, prefix: &str) -> bool {
        self.labels.iter().any(|label| label.starts_with(prefix))
    }
}

/// What a process may do with the processor after an edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Hold {
    /// Other processes may step next.
    No,
    /// Inside `atomic`: the process steps next, unless it is blocked.
    Atomic,
    /// Inside `d_step`: the process steps next; to be blocked is an error.
    DStep,
}

/// One statement of a process.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Edge {
    /// Where it leaves.
    pub source: LocationId,
    /// Where it leads.
    pub target: LocationId,
    /// What it does, and thereby when it can be executed.
    pub action: Action,
    /// Who may step next.
    pub hold: Hold,
    /// Escapes of `unless`: an edge can be executed only if no edge of the same location with a
    /// greater rank can. 0 outside `unless`.
    pub rank: u8,
    /// The `d_step` in which the statement lies, counted from 0 in its process type. Of a location
    /// outside, all edges of one `d_step` are one step, and the first of them that can be executed
    /// begins it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub d_step: Option<u32>,
    /// Of an [`Action::Else`]: how many of the edges right before it are options of the same
    /// selection. Spin's simulator asks whether one of these can be executed, its verifier asks all
    /// edges of the location that stand before.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub alternatives: u32,
    /// Where the statement stands.
    pub span: Span,
}

#[allow(clippy::trivially_copy_pass_by_ref)] // the signature serde asks for
const fn is_zero(count: &u32) -> bool {
    *count == 0
}

/// A property that came with the text.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Claim {
    /// A process type that observes the system (`never`, `trace`, `notrace`).
    Observer {
        /// The observer's machine.
        process_type: ProcessTypeId,
        /// Which of the three it is.
        kind: Observer,
    },
    /// A formula of linear temporal logic, as written.
    Ltl {
        /// Its name, if it has one.
        name: Option<String>,
        /// The formula.
        formula: String,
        /// Where it stands.
        span: Span,
    },
}

/// What an observer observes.
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
    /// The variable a reference denotes, seen from a process type.
    #[must_use]
    pub fn variable(&self, process_type: ProcessTypeId, variable: VariableRef) -> &Variable {
        match variable {
            VariableRef::Global(id) => &self.globals[id],
            VariableRef::Local(id) => &self.types[process_type].locals[id],
        }
    }

    /// Checks every id and arity in the program.
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
