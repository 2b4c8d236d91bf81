//! From where on there are no new processes.

use cfsm_core::ids::Id;
use cfsm_core::program::{Hold, LocationId};
use hashbrown::HashSet;

use super::steps::Steps;
use crate::code::{Code, Statement, TypeCode};
use crate::reduce::cells::{self, each_read};
use crate::reduce::reach::locations_behind;
use crate::{Semantics, State};

/// Most states that are looked at until all processes are there.
const MOST: usize = 20_000;
/// Most numbers that these, and those that are still to be looked at, may have, all together.
const MOST_NUMBERS: usize = 1 << 24;

/// States from which on no process is created.
pub(super) struct Starts {
    /// One of them, with all processes.
    pub first: State,
    /// All of them.
    pub all: Vec<State>,
}

/// The states from which on no process is created, and that all runs come to, or could come to
/// earlier: then runs from there have all that queues hold. What queues hold on the way is noted,
/// and what goes wrong.
///
/// `None` if these are too many, or if they differ in what processes they have, other than in some
/// that have ended, or in what these will never write.
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

/// Whether a state has the processes and queues of another one, but for some that have ended, and
/// what processes never write is the same.
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

/// Who creates processes.
struct Creators<'a> {
    semantics: &'a Semantics,
    /// For each type and location, whether processes may be created there or behind.
    at: Vec<Vec<bool>>,
    /// For each cell of the globals, whether it is written.
    written: Vec<bool>,
    /// Whether nobody can tell when processes are created.
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

    /// Whether a process may still create others.
    fn is_one(&self, state: &State, process: usize) -> bool {
        self.at[state.type_of(process).index()][state.location_of(process).index()]
    }

    /// Whether what the only creator does next can come before all that others do: local steps, or
    /// to create a process, with nothing that others make a difference to.
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
                // What comes behind it with control would come first too.
                edge.rank == 0
                    && edge.hold == Hold::No
                    && !self.answers(created, created.entry)
                    && !self.answers(self.semantics.type_at(state, process), edge.target)
                    && codes.all(|code| self.is_fixed(code))
            }
            _ => false,
        })
    }

    /// Whether a process may answer there what others offer: then these may not do something else.
    fn answers(&self, ty: &TypeCode, location: LocationId) -> bool {
        let mut edges = ty.edges_at(location).iter();
        self.semantics.has_rendezvous && edges.any(|edge| matches!(edge.statement, Statement::Receive(_)))
    }

    /// Whether others make no difference to an expression.
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

/// For each location of a type, whether processes may be created there or behind.
fn may_create(ty: &TypeCode) -> Vec<bool> {
    let creates = |location: &usize| {
        let mut edges = ty.edges_at(LocationId::new(*location)).iter();
        edges.any(|edge| matches!(edge.statement, Statement::Create(_)))
    };
    (0..ty.ranges.len()).map(|location| locations_behind(ty, location).iter().any(creates)).collect()
}

/// Whether nobody can tell when processes are created: numbers of processes are not asked for, nor
/// kept, and no process has queues of its own.
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
