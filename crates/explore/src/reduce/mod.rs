//! State-space reductions that preserve the reachable queue contents.
//!
//! Steps that are invisible to other processes are taken first (`local`), and dead variables are
//! reset (`live`). `docs/soundness/exploration.md` proves that the same queue contents are reached.

pub(crate) mod cells;
mod channels;
mod confined;
mod counted;
mod failure;
mod future;
mod idle;
mod live;
mod local;
mod persistent;
mod private;
pub(crate) mod reach;
mod uses;
mod values;

use cfsm_core::ids::Id;

use std::collections::BTreeSet;

pub(crate) use confined::{Statements, confined};
pub(crate) use counted::{Counter, Large};
pub(crate) use idle::{without_asserted_data, without_idle_data, without_idle_data_in};
use local::Touch;
pub(crate) use persistent::{Persistence, Processes, members};
pub(crate) use private::queues_stay_private;
use reach::{Queues, Reach, Reaches};

use crate::code::Code;
use crate::evaluate::Scene;
use crate::{Semantics, State};

/// Selection of reductions for a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reduction {
    /// Local steps are taken first, and the other processes wait for them.
    pub local_steps: bool,
    /// Dead variables are set to 0.
    pub dead_variables: bool,
    /// Together with `local_steps`: sends to queues with no other sender are taken first too.
    /// Queues may be longer at a time than without it, but no maximum is greater.
    pub early_sends: bool,
    /// Irrelevant data are set to 0, in variables and in messages.
    pub idle_data: bool,
    /// Together with `idle_data`: data that only assertions read are irrelevant too, so violations
    /// of assertions are not found. A run continues behind an assertion that fails
    /// ([`RunError::Assertion`](crate::RunError::Assertion)).
    pub assertions: bool,
}

impl Reduction {
    /// All reductions that preserve run-time errors.
    pub const ALL: Self = Self {
        local_steps: true,
        dead_variables: true,
        early_sends: true,
        idle_data: true,
        assertions: false,
    };
    /// All reductions.
    pub const WITHOUT_ASSERTIONS: Self = Self { assertions: true, ..Self::ALL };
    /// No reduction.
    pub const NONE: Self = Self {
        local_steps: false,
        dead_variables: false,
        early_sends: false,
        idle_data: false,
        assertions: false,
    };
}

impl Reduction {
    /// The sliced program to be searched; `None` if it is the program itself.
    pub(crate) fn of_program(self, semantics: &Semantics) -> Option<Semantics> {
        match self {
            Self { idle_data: false, .. } => None,
            Self { assertions: false, .. } => without_idle_data(semantics),
            Self { assertions: true, .. } => without_asserted_data(semantics),
        }
    }
}

/// Results of the static analyses that a search with reductions uses.
#[derive(Debug, Default)]
pub(crate) struct Tables {
    /// For each type and location with local steps only, the shared data that they access.
    local: Vec<Vec<Option<Box<Touch>>>>,
    /// For each type and location, the accesses that a process may perform from there on.
    reach: Reaches,
    /// For each type and location, the dead cells of the process.
    dead: Vec<Vec<Vec<u32>>>,
    /// The globals that some statement writes.
    written: Vec<u32>,
}

impl Tables {
    /// Analyses a program. Time linear in the number of edges, times that of the variables of a
    /// type.
    pub fn new(semantics: &Semantics, reduction: Reduction) -> Self {
        // Other processes can observe the location or the variables of a process.
        let plain = !looks_at_processes(semantics);
        let mut tables = Self::default();
        if !plain || reduction == Reduction::NONE {
            return tables;
        }
        let written = cells::written(semantics);
        tables.reach = Reaches::new(semantics, &written);
        if reduction.local_steps {
            // With whole steps, a further message may decide if a step is one.
            tables.local = local::locations(semantics, reduction.early_sends && !semantics.whole_steps);
        }
        if reduction.dead_variables {
            tables.dead = semantics.types.iter().map(live::dead).collect();
            tables.written = (0..semantics.global_cells).filter(|cell| written[*cell as usize]).collect();
        }
        tables
    }

    /// The last process before position `below` all of whose steps are local.
    pub fn first_local(&self, semantics: &Semantics, state: &State, below: usize) -> Option<usize> {
        if self.local.is_empty() || state.held.is_some() {
            return None;
        }
        (0..below).rev().find(|process| {
            let ty = state.type_of(*process);
            let touch = &self.local[ty.index()][state.location_of(*process).index()];
            touch.as_ref().is_some_and(|touch| self.nobody_cares(semantics, state, *process, touch))
        })
    }

    /// Returns `true` if no other process can observe that a process performs these accesses first.
    fn nobody_cares(&self, semantics: &Semantics, state: &State, process: usize, touch: &Touch) -> bool {
        if touch.is_empty() {
            return true;
        }
        let mut queues = Vec::with_capacity(touch.sends.len());
        for channel in &touch.sends {
            let Ok(number) = semantics.value(state, &Scene::of(process), channel) else { return false };
            let Ok(queue) = semantics.find_queue(state, number) else { return false };
            let code = semantics.code_at(state, queue);
            let lives = code.owner.is_none() || usize::from(state.queues[queue].owner) == process;
            if code.rendezvous || code.has_limit() || !lives {
                return false;
            }
            queues.push(number);
        }
        (0..state.process_count()).filter(|other| *other != process).all(|other| {
            let reach = self.reach_of(state, other);
            reach.writes.is_disjoint(&touch.reads)
                && reach.writes.is_disjoint(&touch.writes)
                && reach.reads.is_disjoint(&touch.writes)
                && !queues.iter().any(|queue| includes(&reach.queues, state, other, *queue))
                && (reach.offers.is_empty() || !answers(semantics, state, process, touch, other, reach))
        })
    }

    fn reach_of(&self, state: &State, process: usize) -> &Reach {
        self.reach.at(state.type_of(process), state.location_of(process))
    }

    /// Returns `true` if all steps of a process are local, whatever other processes do.
    pub fn is_alone(&self, state: &State, process: usize) -> bool {
        let touch = self.local.get(state.type_of(process).index());
        let touch = touch.and_then(|locations| locations[state.location_of(process).index()].as_ref());
        touch.is_some_and(|touch| touch.is_empty())
    }

    /// Sets the dead local variables of a process to 0.
    pub fn forget_locals(&self, state: &mut State, process: usize) {
        let dead = self.dead.get(state.type_of(process).index());
        let dead = dead.map(|locations| &locations[state.location_of(process).index()]);
        for cell in dead.into_iter().flatten() {
            let cell = state.local(process, *cell);
            state.cells[cell] = 0;
        }
    }

    /// Sets all dead variables to 0.
    pub fn normalize(&self, state: &mut State) {
        if self.dead.is_empty() {
            return;
        }
        (0..state.process_count()).for_each(|process| self.forget_locals(state, process));
        for cell in &self.written {
            let reads = |process| self.reach_of(state, process).reads.contains(*cell);
            if state.cells[*cell as usize] != 0 && !(0..state.process_count()).any(reads) {
                state.cells[*cell as usize] = 0;
            }
        }
    }
}

/// Returns `true` if one of some channels of a process may refer to the queue with this number.
fn includes(channels: &BTreeSet<Queues>, state: &State, process: usize, queue: i32) -> bool {
    channels.iter().any(|channel| channel.may_be(state, process, queue))
}

/// Returns `true` if `process` may be able, after a step with `touch`, to receive a rendezvous that
/// `other` may offer.
fn answers(
    semantics: &Semantics,
    state: &State,
    process: usize,
    touch: &Touch,
    other: usize,
    reach: &Reach,
) -> bool {
    let is_rendezvous = |number: i32| {
        semantics.find_queue(state, number).is_ok_and(|at| semantics.code_at(state, at).rendezvous)
    };
    touch.answers.iter().any(|channel| match channel.numbers(state, process) {
        None => true,
        Some(numbers) => numbers
            .iter()
            .any(|number| is_rendezvous(*number) && includes(&reach.offers, state, other, *number)),
    })
}

/// Returns `true` if the program depends on the location, the variables, or the executability of
/// another process, or on which process stepped last.
pub(crate) fn looks_at_processes(semantics: &Semantics) -> bool {
    let looks = |code: &Code| {
        code.any(&mut |part| {
            matches!(
                part,
                Code::Enabled(_)
                    | Code::Priority(_)
                    | Code::AtLocation(..)
                    | Code::RemoteRead(..)
                    | Code::NonProgress
                    | Code::Last
            )
        })
    };
    let in_globals = || semantics.globals.iter().any(|global| global.init.codes().iter().any(looks));
    semantics.has_last
        || semantics.has_priorities
        || semantics.types.iter().any(|ty| ty.provided.is_some())
        || in_globals()
        || semantics.types.iter().any(|ty| {
            ty.initial_values().into_iter().any(looks)
                || ty.edges.iter().any(|edge| edge.statement.codes().into_iter().any(looks))
        })
}
