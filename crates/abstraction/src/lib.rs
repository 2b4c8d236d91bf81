//! Program to system: process classes, channel identity, value ranges, message types.
//!
//! [`abstract_program`] turns a [`Program`] (extended machines with data) into a [`System`]
//! (communicating finite state machines) whose runs include, step by step, those of the program:
//! the code abstraction of thesis chapter 7 and paper 000 section 3. Read as a counting net, the
//! system is what boundedness is proved about; so the one thing that matters here is that **no step
//! of the program is lost**. `docs/soundness/abstraction.md` argues that per construct.
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
mod matter;
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
mod rooms;
#[cfg(test)]
mod scenarios;
mod selection;
mod step;
#[cfg(test)]
mod testing;
mod traffic;
mod transitions;
mod unfolding;
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
pub use counters::{Counters, Declared, Extent, UNKNOWN_RANGE, keeps_its_type};
pub use data::{Part, Quantity, Slots};
pub use findings::findings;
pub use registers::{Register, may_have_registers};

/// What is tracked beyond what the analysis tracks by itself (theory: value tracking).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Precision {
    /// Variables of each type whose values are unfolded into the control states, where they are few
    /// and still matter. Of an array each element, if it is short enough to have one by one. Not
    /// channels; a global only if this type alone writes it and has one instance; others are
    /// ignored. What controls loops in which processes are created is tracked without being asked
    /// for.
    pub tracked: BTreeMap<ProcessTypeId, BTreeSet<VariableRef>>,
    /// Variables of each type that are unfolded only where, by what is known when the others are,
    /// their values may still come to something that is looked at: a condition, an index, a channel
    /// to choose. What a message holds that nobody looks into is left together. Of an array, the
    /// element that a condition selects.
    pub carried: BTreeMap<ProcessTypeId, BTreeSet<VariableRef>>,
    /// Variables with registers: of each, or of each element, what it holds is a process of its
    /// own, which those that read or write it meet. Numbers that nothing but assignments writes, in
    /// processes of which there is one in any run, or globals, that hold few values; others are
    /// ignored.
    pub registers: BTreeSet<Declared>,
    /// Whether variables that are counted down to an end, or up to one, and the room that guards on
    /// the length of a queue leave in it, are data places of the system.
    pub data_places: bool,
    /// Variables of which it is taken for granted that they hold nothing but the numbers of a
    /// range, and that sums with small numbers that are stored in them are not cut to their types.
    /// A step that would leave the range is left out of the system: it has every run of the program
    /// only if no run leaves it.
    pub counters: Counters,
    /// Whether processes that send to another one, message by message, are followed together with
    /// it, to find statements that it never executes.
    pub pairs: bool,
}

/// A variable that is tracked, or one element of it. Of a channel, what is in its queue: the number
/// of messages (2: or more), or a field of the message in front.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Tracked {
    /// The variable.
    pub variable: VariableRef,
    /// The element, if it is an array; the field, if it is a channel.
    pub element: Option<u32>,
    /// Instead, if it is an array: which of the elements that conditions select, counted from 1
    /// over all arrays of the process type, in the order in which conditions name them.
    pub selected: Option<u32>,
}

/// How precise the abstraction is. Except for [`transitions`](Self::transitions),
/// [`visits`](Self::visits) and the [`deadline`](Self::deadline), to hit a limit makes the system
/// coarser, never wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// Integers that are listed in the set of values of one variable, field or expression; of more,
    /// a range with equal spacing is kept. Default 64.
    pub values: usize,
    /// Elements of an array that are followed one by one; those of a longer one are thrown
    /// together, unless nobody writes the array. Default 64.
    pub array_elements: usize,
    /// Ways in which processes of one type come into being that are told apart. Default 4096.
    pub contexts_per_type: usize,
    /// The same for processes whose creators have been created themselves, where ways multiply.
    /// Default 64.
    pub descendants_per_type: usize,
    /// How often a create statement may lead back to itself, each time with other arguments, until
    /// the processes that it creates are thrown together. Default 32.
    pub recursion: usize,
    /// Locations of one process, unfolded by values of variables. Default 16 384.
    pub nodes: usize,
    /// Constants told apart in a message field. Default 64.
    pub constants: usize,
    /// Combinations of constants that one send statement is split into. Default 4096.
    pub vectors: usize,
    /// Transitions of the abstract system; with more there is no result. Default 200 000.
    pub transitions: usize,
    /// Visits of nodes; with more there is no result. By default they are not limited.
    pub visits: usize,
    /// When to stop; then there is no result. Never, by default.
    pub deadline: Deadline,
    /// Steps from one pair of states to the next, in all, where [pairs](Precision::pairs) are asked
    /// for; half as many for each question to one sender. Beyond them, pairs exclude nothing.
    /// Default 131 072.
    pub pair_steps: usize,
    /// What is tracked.
    pub precision: Precision,
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
        }
    }
}

/// Why there is no abstract system.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Error {
    /// The program is broken.
    #[error("the program is not valid: {0}")]
    Program(#[source] Fault),
    /// The system would be too large.
    #[error("the abstract system has more than {limit} transitions")]
    TooManyTransitions {
        /// The limit that was set.
        limit: usize,
    },
    /// It would take too long.
    #[error("the abstraction visits more than {limit} nodes")]
    TooManyVisits {
        /// The limit that was set.
        limit: usize,
    },
    /// It has to stop before there is a result.
    #[error("the abstraction was stopped")]
    TooLate,
    /// The system is broken, e.g. because two variables of the program have the same name.
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
    /// The numbers that the processes with this channel can have; empty for a global channel.
    pub owners: BTreeSet<i64>,
    /// The number of queues that the buffer stands for in all of a run, if that is known.
    pub queues: Option<u64>,
}

impl Declaration {
    /// Whether a channel of the program may be the one that this declares: that of a variable (and
    /// element), of a process with this number and type if it is a local one.
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

/// An abstract system and the ways back from it to the program.
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
    /// What was asked to be tracked.
    pub precision: Precision,
    /// Process types of which nothing is unfolded, as that would take more
    /// [`nodes`](Options::nodes) than allowed.
    pub folded: BTreeSet<ProcessTypeId>,
    /// The process type of each class.
    pub process_types: IdMap<ClassId, ProcessTypeId>,
    /// The declaration of each buffer.
    pub declarations: IdMap<BufferId, Declaration>,
    /// The ends of each buffer that statements may use which some process comes to, whether they
    /// can be executed there or not.
    pub ends: IdMap<BufferId, Ends>,
    /// What each data place of the system measures, but for the last ones: these are the room that
    /// guards on the length of a queue leave in it.
    pub quantities: IdMap<DataId, Quantity>,
    /// The [registers](Precision::registers). Their classes, states and transitions are the last
    /// ones of the system, and nothing is said of them in `process_types`, `locations` and
    /// `values`; no statement is that of their transitions.
    pub registers: Vec<Register>,
    /// What is known of each of the [counters](Precision::counters), if data places are asked for.
    pub extents: Vec<Extent>,
    /// Variables that could be counters, and that sums may make leave their types, if data places
    /// are asked for.
    pub wrapping: BTreeSet<Declared>,
    /// What is left out because [pairs](Precision::pairs) of processes never execute it: sentences
    /// without a full stop.
    pub excluded: Vec<String>,
    /// Whether some pair of processes has too many states to be followed.
    pub pairs_given_up: bool,
    /// What is taken for granted about the program's runs: sentences without a full stop. A verdict
    /// about the system holds for the program under these.
    pub assumptions: Vec<String>,
    /// Where a limit of the options made the system coarser; sentences without a full stop. They
    /// take nothing from a proof.
    pub approximations: Vec<String>,
}

impl Abstraction {
    /// Of a program of which nothing has been put in yet.
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
