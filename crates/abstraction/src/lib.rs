//! Abstraction of a program to a finite system: process classes, channel identity, value ranges,
//! message types.
//!
//! [`abstract_program`] turns a [`Program`] (extended machines with data) into a [`System`]
//! (communicating finite state machines) whose runs include, step by step, those of the program:
//! the code abstraction of thesis chapter 7 and paper 000 section 3. Boundedness is proved about
//! the system read as a counting net (Petri net), so the central requirement is that **no step of
//! the program is lost**. `docs/soundness/abstraction.md` argues that per construct.
//!
//! ```
//! use cfsm_core::program::Program;
//!
//! let abstraction = abstraction::abstract_program(&Program::default(), &Default::default())?;
//! assert!(abstraction.system.transitions.is_empty());
//! # Ok::<(), abstraction::Error>(())
//! ```
//!
//! The stages, one module each: sets of integers (`range`, `numbers`, `arithmetic`, `widening`) and
//! of channels (`values`), expressions (`evaluate`, `assume`), one statement (`step`), the fixpoint
//! over all processes (`analysis`, with `visits`, `waiting`, `contexts`, `creation`, `unfolding`,
//! `traffic`, `interference`, `channels`, `layout`, `initial`), differences of variables (`zones`),
//! classes (`grouping`, `naming`), message types (`message_types`), and the system (`transitions`,
//! `data`, `assumptions`).
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod activation;
mod analysed;
mod analysis;
mod arithmetic;
mod assume;
mod assumptions;
mod budgets;
mod capacity_guards;
mod channels;
mod contexts;
mod counters;
mod creation;
mod data;
mod evaluate;
mod few;
mod findings;
mod grouping;
mod initial;
mod instances;
mod interference;
mod layout;
mod limits;
mod liveness;
mod message_types;
mod naming;
mod numbers;
mod order;
mod outline;
mod pairs;
mod private_queue;
mod range;
mod receive;
mod registers;
#[cfg(test)]
mod scenarios;
mod selection;
mod step;
#[cfg(test)]
mod testing;
mod traffic;
mod transitions;
mod unfolding;
mod value_relevance;
mod values;
mod visits;
mod waiting;
mod widening;
mod zones;

use std::collections::{BTreeMap, BTreeSet};

use cfsm_core::deadline::Deadline;
use cfsm_core::finding::Ends;
use cfsm_core::ids::IdMap;
use cfsm_core::program::{EdgeId, Fault, LocationId, ProcessTypeId, Program, VariableId, VariableRef};
use cfsm_core::system::{BufferId, ClassId, DataId, Defect, SCHEMA, StateId, System, TransitionId};
use thiserror::Error;

pub use analysed::{Analysed, Made};
pub use budgets::Budget;
pub use counters::{Counters, Declared, Extent, UNKNOWN_RANGE, keeps_its_type};
pub use data::{Part, Quantity, Slots};
pub use findings::{findings, half_used_channels};
pub use registers::{Register, may_have_registers};

/// Precision beyond that of the default analysis (theory: value tracking).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Precision {
    /// Variables of each type whose values are unfolded into the control states, where they have
    /// few values and are live. For an array each element, if the array is short enough to have a
    /// cell per element. Not channels; a global only if this type alone writes it and has one
    /// instance; other variables are ignored. Variables that control loops in which processes are
    /// created are always tracked.
    pub tracked: BTreeMap<ProcessTypeId, BTreeSet<VariableRef>>,
    /// Lazily tracked variables of each type: they are unfolded only where, according to an
    /// analysis without them, their values may still influence a condition, an index or the choice
    /// of a channel. The contents of messages that no process examines are not distinguished. For
    /// an array: the element that a condition selects.
    pub carried: BTreeMap<ProcessTypeId, BTreeSet<VariableRef>>,
    /// Variables with registers: the value of each variable, or of each element, becomes a process
    /// of its own, with which the processes that read or write it synchronise. Only variables with
    /// few numeric values that are written by nothing but assignments, in process types with at
    /// most one instance in any run, or globals; other variables are ignored.
    pub registers: BTreeSet<Declared>,
    /// `true` to add data places to the system: for variables that are counted down or up to an
    /// end, and for the room in queues on whose length there are guards.
    pub data_places: bool,
    /// Variables that are assumed to stay within a range, so that sums with small numbers that are
    /// stored in them are not cut to their types. A step that would leave the range is removed from
    /// the system: it has every run of the program only if no run leaves the range.
    pub counters: Counters,
    /// Amounts that become data places. The system has every run of the program only if no run
    /// takes more of them than there is.
    pub budgets: Vec<Budget>,
    /// `true` to explore the receiver of a queue jointly with each of its senders, message by
    /// message, to find statements that it never executes.
    pub pairs: bool,
}

/// A tracked variable, or one element of it. For a channel, the contents of its queue: the number
/// of messages (2 means two or more), or a field of the first message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Tracked {
    /// The variable.
    pub variable: VariableRef,
    /// The element, if it is an array; the field, if it is a channel.
    pub element: Option<u32>,
    /// Instead of `element`: the number of the element that a condition selects, counted from 1
    /// over all arrays of the process type, in the order in which conditions name them.
    pub selected: Option<u32>,
}

/// Limits and precision of the abstraction. Except for [`transitions`](Self::transitions),
/// [`visits`](Self::visits) and the [`deadline`](Self::deadline), hitting a limit makes the system
/// coarser, never unsound.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// Largest number of integers that are listed in the value set of one variable, field or
    /// expression; a larger set becomes a range with equal spacing. Also the largest number of
    /// combinations of tracked values behind one statement, and of parts of a receive. Default 64.
    pub values: usize,
    /// Largest number of elements of an array that have cells of their own; longer arrays are
    /// merged into one cell, unless no statement writes them. Default 64.
    pub array_elements: usize,
    /// Largest number of contexts of a process type. Default 4096.
    pub contexts_per_type: usize,
    /// The same for contexts whose creators have been created themselves, as such contexts
    /// multiply. Default 64.
    pub descendants_per_type: usize,
    /// Largest depth of recursion of a create statement with different arguments; beyond it, the
    /// processes that it creates are merged. Default 32.
    pub recursion: usize,
    /// Largest number of nodes of one context: locations unfolded by values of variables. Default
    /// 16 384.
    pub nodes: usize,
    /// Largest number of constants that are distinguished in a message field. Default 64.
    pub constants: usize,
    /// Largest number of combinations of constants into which one send statement is split. Default
    /// 4096.
    pub vectors: usize,
    /// Largest number of transitions of the abstract system; beyond it there is no result. Default
    /// 200 000.
    pub transitions: usize,
    /// Largest number of node visits; beyond it there is no result. Unlimited by default.
    pub visits: usize,
    /// Deadline after which there is no result. None by default.
    pub deadline: Deadline,
    /// Largest total number of steps between joint states, where [pairs](Precision::pairs) are
    /// asked for; half as many for each query to one sender. Beyond it, pairs exclude nothing.
    /// Default 131 072.
    pub pair_steps: usize,
    /// The variables to track, and the optional parts of the system.
    pub precision: Precision,
    /// `true` to keep the events of all processes but the environment on open channels, as if these
    /// were rendezvous: for contracts. The system alone then shows nothing.
    pub open_events: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            values: 64,
            array_elements: 64,
            contexts_per_type: 4096,
            descendants_per_type: 64,
            recursion: 32,
            nodes: 1 << 14,
            constants: 64,
            vectors: 4096,
            transitions: 200_000,
            visits: usize::MAX,
            deadline: Deadline::default(),
            pair_steps: 1 << 17,
            precision: Precision::default(),
            open_events: false,
        }
    }
}

/// The reasons why there is no abstract system.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Error {
    /// The program is not valid.
    #[error("the program is not valid: {0}")]
    Program(#[source] Fault),
    /// The system has too many transitions.
    #[error("the abstract system has more than {limit} transitions")]
    TooManyTransitions {
        /// The limit that was set.
        limit: usize,
    },
    /// The analysis needs too many node visits.
    #[error("the abstraction visits more than {limit} nodes")]
    TooManyVisits {
        /// The limit that was set.
        limit: usize,
    },
    /// The deadline passed before there was a result.
    #[error("the abstraction was stopped")]
    TooLate,
    /// The system is not valid, e.g. because two variables of the program have the same name.
    #[error("the abstract system is not valid: {0}")]
    System(#[source] Defect),
}

/// The declaration that a buffer comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Declaration {
    /// The process type that declares it; `None` for a global channel.
    pub process_type: Option<ProcessTypeId>,
    /// The variable: of that type's locals, or of the globals.
    pub variable: VariableId,
    /// The element, if the variable is an array.
    pub element: Option<u32>,
    /// The process numbers of the processes that may own this channel; empty for a global channel.
    pub owners: BTreeSet<i64>,
    /// Number of queues that the buffer represents over a whole run, if known.
    pub queues: Option<u64>,
}

impl Declaration {
    /// Returns `true` if a channel of the program may be an instance of this declaration: the
    /// channel of a variable (and element), in a process with the given number and type if it is a
    /// local one.
    #[must_use]
    pub fn covers(
        &self,
        process: Option<(usize, ProcessTypeId)>,
        variable: VariableId,
        element: usize,
    ) -> bool {
        let owner = match (process, self.process_type) {
            (None, None) => true,
            (Some((number, ty)), Some(declared)) => {
                ty == declared && i64::try_from(number).is_ok_and(|number| self.owners.contains(&number))
            }
            _ => false,
        };
        owner && variable == self.variable && element == self.element.map_or(0, |element| element as usize)
    }
}

/// An abstract system, with maps from its parts back to the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Abstraction {
    /// The system.
    pub system: System,
    /// The statements of each transition, in source order: several if they have the same effect and
    /// lead from the same state to the same state.
    pub statements: IdMap<TransitionId, Vec<(ProcessTypeId, EdgeId)>>,
    /// The control location of each state.
    pub locations: IdMap<StateId, (ProcessTypeId, LocationId)>,
    /// The values of unfolded variables in each state; a location has a state for each of them.
    pub values: IdMap<StateId, BTreeMap<Tracked, i64>>,
    /// The precision with which it was built.
    pub precision: Precision,
    /// Process types without unfolding, because it would take more [`nodes`](Options::nodes) than
    /// allowed.
    pub folded: BTreeSet<ProcessTypeId>,
    /// The process type of each class.
    pub process_types: IdMap<ClassId, ProcessTypeId>,
    /// The declaration of each buffer.
    pub declarations: IdMap<BufferId, Declaration>,
    /// The ends of each buffer that are used by statements at reached locations, whether the
    /// statements can be executed there or not.
    pub ends: IdMap<BufferId, Ends>,
    /// The quantity of each data place of the system, except the last ones: these measure the free
    /// room in queues on whose length there are guards, and [budgets](Precision::budgets).
    pub quantities: IdMap<DataId, Quantity>,
    /// The [registers](Precision::registers). Their classes, states and transitions are the last
    /// ones of the system; `process_types`, `locations` and `values` have no entries for them, and
    /// their transitions have no statements.
    pub registers: Vec<Register>,
    /// The extents of the [counters](Precision::counters), if data places are asked for.
    pub extents: Vec<Extent>,
    /// The variables that could be counters and whose sums may leave their types, if data places
    /// are asked for.
    pub wrapping: BTreeSet<Declared>,
    /// The statements that are excluded because [pairs](Precision::pairs) of processes never
    /// execute them, as sentences without a full stop.
    pub excluded: Vec<String>,
    /// `true` if some pair of processes has too many states to be explored.
    pub pairs_given_up: bool,
    /// The assumptions about the program's runs, as sentences without a full stop. A verdict about
    /// the system holds for the program under these.
    pub assumptions: Vec<String>,
    /// The places at which a limit of the options made the system coarser, as sentences without a
    /// full stop. They do not weaken a proof.
    pub approximations: Vec<String>,
}

impl Abstraction {
    /// An empty abstraction of the program, to which nothing has been added yet.
    pub(crate) fn empty(program: &Program) -> Self {
        let file = program.sources.files.values().next();
        Self {
            system: System {
                schema: SCHEMA.into(),
                name: file.map(|file| file.name.clone()).unwrap_or_default(),
                order: None,
                buffers: IdMap::new(),
                messages: IdMap::new(),
                classes: IdMap::new(),
                states: IdMap::new(),
                transitions: IdMap::new(),
                data: IdMap::new(),
                source: program.sources.digests(),
            },
            statements: IdMap::new(),
            locations: IdMap::new(),
            values: IdMap::new(),
            precision: Precision::default(),
            folded: BTreeSet::new(),
            process_types: IdMap::new(),
            declarations: IdMap::new(),
            ends: IdMap::new(),
            quantities: IdMap::new(),
            registers: Vec::new(),
            extents: Vec::new(),
            wrapping: BTreeSet::new(),
            excluded: Vec::new(),
            pairs_given_up: false,
            assumptions: Vec::new(),
            approximations: Vec::new(),
        }
    }

    /// A compact text form: a line per buffer with its message types, then for each class a line
    /// per transition. Time quadratic in the size of the system.
    #[must_use]
    pub fn outline(&self) -> String {
        outline::outline(&self.system)
    }
}

/// The abstract system of a program (thesis 7.1-7.5, paper 000 section 3).
///
/// Classes stand in the order in which processes are created, buffers in declaration order, global
/// ones first; transitions by class, then in source order. The same program gives the same result.
///
/// # Errors
/// [`Error::Program`] if the program is not valid, [`Error::TooManyTransitions`] and
/// [`Error::TooManyVisits`] beyond these limits, [`Error::TooLate`] after the deadline.
///
/// # Complexity
/// The fixpoint visits each node of each context again when more is known there; a visit takes time
/// `O(edges * (globals that the type names + locals))`. Chains of growing sets are finite (see the
/// options `values`, `nodes`, `contexts_per_type`, `recursion`), in practice a handful of visits.
/// The system has at most one transition per class, statement, channel, message type and pair of
/// unfolded values.
pub fn abstract_program(program: &Program, options: &Options) -> Result<Abstraction, Error> {
    let Precision { data_places, pairs, .. } = options.precision;
    Analysed::of(program, options)?.abstraction(Made { data_places, pairs })
}
