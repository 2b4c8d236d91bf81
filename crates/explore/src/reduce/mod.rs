//! Reductions of the search that leave exact what queues hold.
//!
//! What a step does that nobody but its process can see is done at once, before anybody else moves (`local`), and what
//! nobody will read again is forgotten (`live`). Why the same queue contents are reached is in
//! `docs/soundness/exploration.md`.

mod cells;
mod live;
mod local;

use cfsm_core::ids::Id;

use crate::code::Code;
use crate::{Semantics, State};

/// Which reductions a search uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reduction {
    /// Steps that only their own process can see come first, and the other processes wait for them.
    pub local_steps: bool,
    /// Variables that are not read any more are set to 0.
    pub dead_variables: bool,
}

impl Reduction {
    /// All that there are.
    pub const ALL: Self = Self { local_steps: true, dead_variables: true };
    /// None.
    pub const NONE: Self = Self { local_steps: false, dead_variables: false };
}

/// What is known of a program before it is searched with reductions.
#[derive(Debug, Default)]
pub(crate) struct Tables {
    /// For each type and location, whether all steps there are local.
    local: Vec<Vec<bool>>,
    /// For each type and location, the cells of the process that are not read before they are written.
    dead: Vec<Vec<Vec<u32>>>,
    /// Cells of globals that are never read.
    unread: Vec<usize>,
}

impl Tables {
    /// Of a program. Time linear in the number of edges, times that of the variables of a type.
    pub fn new(semantics: &Semantics, reduction: Reduction) -> Self {
        // Others see where a process is, or what it has in its variables.
        let plain = !looks_at_processes(semantics);
        let mut tables = Self::default();
        if plain && reduction.local_steps {
            tables.local = local::locations(semantics);
        }
        if plain && reduction.dead_variables {
            tables.dead = semantics.types.iter().map(live::dead).collect();
            tables.unread = cells::unread(semantics);
        }
        tables
    }

    /// The last process before a position that is at a local location.
    pub fn first_local(&self, state: &State, below: usize) -> Option<usize> {
        if self.local.is_empty() || state.held.is_some() {
            return None;
        }
        (0..below).rev().find(|process| {
            let ty = state.type_of(*process);
            self.local[ty.index()][state.location_of(*process).index()]
        })
    }

    /// Forgets what is not read any more.
    pub fn forget(&self, state: &mut State) {
        if self.dead.is_empty() {
            return;
        }
        for cell in &self.unread {
            state.cells[*cell] = 0;
        }
        for process in 0..state.process_count() {
            let dead = &self.dead[state.type_of(process).index()][state.location_of(process).index()];
            for cell in dead {
                let cell = state.local(process, *cell);
                state.cells[cell] = 0;
            }
        }
    }
}

/// Whether anything depends on where another process is, on what it has in its variables, on whether it can step, or on
/// who stepped last.
fn looks_at_processes(semantics: &Semantics) -> bool {
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
