//! Which variables exclude a run of a coarse program.

use cfsm_core::program::{EdgeId, ProcessTypeId, Program};
use explore::{Buffers, Claims, Move, Options, Run, Semantics, State};

use super::Kept;
use super::coarse::{Coarse, DSteps, coarse};

/// A statement of a step, as one of the program: the process, its type and the edge.
type Statement = (usize, ProcessTypeId, Option<EdgeId>);

/// A run of a coarse program: a prefix, and what is repeated.
pub struct Path {
    prefix: Vec<Vec<Statement>>,
    pump: Vec<Vec<Statement>>,
}

impl Path {
    pub fn new(coarse: &Coarse, prefix: &Run, pump: &Run) -> Self {
        let of = |run: &Run| run.steps.iter().map(|moves| statements(coarse, moves)).collect();
        Self { prefix: of(prefix), pump: of(pump) }
    }
}

fn statements(coarse: &Coarse, moves: &[Move]) -> Vec<Statement> {
    let of = |moved: &Move| {
        let edge = moved.edge.map(|edge| coarse.origins[moved.process_type][edge]);
        (moved.process, moved.process_type, edge)
    };
    moves.iter().map(of).collect()
}

/// Most states that a path may lead to at once.
const WIDE: usize = 200;

/// What runs are, with unbounded buffers and without claims.
pub fn semantics(program: &Program) -> Option<Semantics> {
    let options = Options { buffers: Buffers::Unbounded, claims: Claims::Ignored, ..Options::default() };
    Semantics::new(program, &options).ok()
}

/// Whether a program without what is not kept can go a path, with so many rounds; `None`: not
/// known.
pub fn can_go(program: &Program, kept: &Kept, path: &Path, rounds: usize) -> Option<bool> {
    let coarse = coarse(program, kept, DSteps::Apart)?;
    let semantics = semantics(&coarse.program)?;
    let mut states: Vec<State> = vec![semantics.initial().ok()?];
    for wanted in path.prefix.iter().chain((0..rounds).flat_map(|_| &path.pump)) {
        let mut next: Vec<State> = Vec::new();
        for step in states.iter().flat_map(|state| semantics.successors(state)) {
            if let Some(after) = step.after
                && statements(&coarse, &step.moves) == *wanted
                && !next.contains(&after)
            {
                next.push(after);
            }
        }
        states = next;
        match states.len() {
            0 => return Some(false),
            WIDE.. => return None,
            _ => {}
        }
    }
    Some(true)
}
