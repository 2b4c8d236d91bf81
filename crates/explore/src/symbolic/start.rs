//! The states from which on no new processes are created.

use cfsm_core::ids::Id;
use cfsm_core::program::{Hold, LocationId};
use hashbrown::HashSet;

use super::steps::Steps;
use crate::code::{Code, Statement, TypeCode};
use crate::reduce::cells::{self, each_read};
use crate::reduce::reach::components;
use crate::{Semantics, State};

/// Greatest number of states that are visited until all processes exist.
const MOST: usize = 20_000;
/// Greatest number of cells of these states, and of those that are still pending, all together.
const MOST_NUMBERS: usize = 1 << 24;

/// The states from which on no process is created.
pub(super) struct Starts {
    /// One of them, with all processes.
    pub first: State,
    /// All of them.
    pub all: Vec<State>,
}

/// The states from which on no process is created. Every run reaches one of them, or could reach it
/// earlier; so runs from there have all queue contents. Queue lengths and errors on the way are
/// recorded.
///
/// `None` if there are too many such states, or if they differ in their processes (except for some
/// that have ended), or in variables that these never write.
pub(super) fn starts(steps: &mut Steps) -> Option<Starts> {
    let semantics = steps.semantics;
    let creators = Creators::new(semantics);
    let mut open = vec![semantics.initial().ok()?];
    let (mut met, mut all, mut numbers) = (HashSet::new(), Vec::new(), open[0].size());
    while let Some(state) = open.pop() {
        if met.contains(&state) {
            numbers -= state.size();
            continue;
        }
        if met.len() == MOST || numbers > MOST_NUMBERS || steps.too_many {
            return None;
        }
        let mut there = (0..state.process_count()).filter(|process| creators.is_one(&state, *process));
        let behind = match (there.next(), there.next()) {
            (None, _) if state.held.is_none() => {
                all.push(state.clone());
                Vec::new()
            }
            (Some(creator), None) if creators.is_first(steps, &state, creator) => {
                steps.of_process(&state, creator)
            }
            _ => steps.of_all(&state),
        };
        numbers += behind.iter().map(State::size).sum::<usize>();
        open.extend(behind);
        met.insert(state);
    }
    let first = all.iter().max_by_key(|state| state.process_count())?.clone();
    let written = semantics.types.iter().map(cells::written_of).collect::<Vec<_>>();
    all.iter().all(|state| is_like(state, &first, &written)).then_some(Starts { first, all })
}

/// Returns `true` if a state has the processes and queues of `first`, except for some that have
/// ended, and the same values of local variables that are never written.
fn is_like(state: &State, first: &State, written: &[Vec<bool>]) -> bool {
    let queues = state.queues.iter().zip(&first.queues);
    let same = |process: usize| {
        let ty = state.type_of(process);
        let same =
            |cell: u32| state.cells[state.local(process, cell)] == first.cells[first.local(process, cell)];
        let written = (0..).zip(&written[ty.index()]);
        ty == first.type_of(process) && written.into_iter().all(|(cell, written)| *written || same(cell))
    };
    let ended = |owner: usize| owner >= state.process_count();
    state.queues.len() <= first.queues.len()
        && queues.into_iter().all(|(a, b)| (a.code, a.owner()) == (b.code, b.owner()))
        && first.queues[state.queues.len()..].iter().all(|queue| queue.owner().is_some_and(ended))
        && (0..state.process_count()).all(same)
}

/// Analysis of the processes that create others.
struct Creators<'a> {
    semantics: &'a Semantics,
    /// For each type and location, `true` if a process may still create others.
    at: Vec<Vec<bool>>,
    /// For each cell of the globals, `true` if it is written.
    written: Vec<bool>,
    /// `true` if the time at which processes are created cannot be observed.
    apart: bool,
}

impl<'a> Creators<'a> {
    fn new(semantics: &'a Semantics) -> Self {
        Self {
            semantics,
            at: semantics.types.iter().map(may_create).collect(),
            written: cells::written(semantics),
            apart: are_created_apart(semantics),
        }
    }

    /// Returns `true` if a process may still create others.
    fn is_one(&self, state: &State, process: usize) -> bool {
        self.at[state.type_of(process).index()][state.location_of(process).index()]
    }

    /// Returns `true` if the next steps of the only creator may be taken before all others: local
    /// steps, or independent creations of processes.
    fn is_first(&self, steps: &mut Steps, state: &State, creator: usize) -> bool {
        state.held.is_none()
            && (steps.local_of(state, creator).is_some() || self.apart && self.creates(state, creator))
    }

    fn creates(&self, state: &State, process: usize) -> bool {
        let edges = self.semantics.type_at(state, process).edges_at(state.location_of(process));
        edges.iter().all(|edge| match &edge.statement {
            Statement::Create(create) => {
                let created = &self.semantics.types[create.process_type.index()];
                let mut codes = create.arguments.iter().chain(created.initial_values());
                // Steps that follow inside `atomic` would be taken first, too.
                edge.rank == 0
                    && edge.hold == Hold::No
                    && !self.answers(created, created.entry)
                    && !self.answers(self.semantics.type_at(state, process), edge.target)
                    && codes.all(|code| self.is_fixed(code))
            }
            _ => false,
        })
    }

    /// Returns `true` if a process may receive a rendezvous at a location: its arrival may then
    /// disable other steps.
    fn answers(&self, ty: &TypeCode, location: LocationId) -> bool {
        let mut edges = ty.edges_at(location).iter();
        self.semantics.has_rendezvous && edges.any(|edge| matches!(edge.statement, Statement::Receive(_)))
    }

    /// Returns `true` if no other process influences the value of an expression.
    fn is_fixed(&self, code: &Code) -> bool {
        let mut fixed = true;
        each_read(code, &mut |cells| {
            fixed &= !cells.global || cells.range.into_iter().all(|cell| !self.written[cell as usize]);
        });
        let asks =
            |part: &Code| matches!(part, Code::Length(_) | Code::Empty(_) | Code::Full(_) | Code::Poll(_));
        fixed && !code.any(&mut |part| asks(part))
    }
}

/// For each location of a type, `true` if a process may create others there or later.
fn may_create(ty: &TypeCode) -> Vec<bool> {
    let creates = |location: &usize| {
        let mut edges = ty.edges_at(LocationId::new(*location)).iter();
        edges.any(|edge| matches!(edge.statement, Statement::Create(_)))
    };
    let mut may = vec![false; ty.ranges.len()];
    for component in components(ty) {
        let leads =
            |at: &usize| ty.edges_at(LocationId::new(*at)).iter().any(|edge| may[edge.target.index()]);
        let here = component.iter().any(|at| creates(at) || leads(at));
        component.into_iter().for_each(|at| may[at] = here);
    }
    may
}

/// Returns `true` if the time at which processes are created cannot be observed: the program
/// neither uses nor stores process numbers, and no process declares queues.
fn are_created_apart(semantics: &Semantics) -> bool {
    let asks = |code: &Code| code.any(&mut |part| matches!(part, Code::Pid | Code::ProcessCount));
    let numbers = |ty: &TypeCode| {
        ty.initial_values().into_iter().any(asks)
            || ty.edges.iter().any(|edge| {
                let kept = matches!(&edge.statement, Statement::Create(create) if create.result.is_some());
                kept || edge.statement.codes().into_iter().any(asks)
            })
    };
    semantics.queues.iter().all(|queue| queue.owner.is_none()) && !semantics.types.iter().any(numbers)
}
