//! From where on there are no new processes.

use cfsm_core::ids::Id;

use crate::code::{Code, Statement, TypeCode};
use crate::reduce::Tables;
use crate::reduce::cells::{self, each_read};
use crate::reduce::reach::locations_behind;
use crate::search::maxima::Maxima;
use crate::{Semantics, State};

/// Most steps that are taken until all processes are there.
const MOST: usize = 10_000;

/// The state in which all processes have been created, if there is one that all runs come to, or could come to first: then
/// runs from there have all that queues hold. What queues hold on the way is noted. `None` if it is not known that
/// there is one.
pub(super) fn settled_start(semantics: &Semantics, tables: &Tables, maxima: &mut Maxima) -> Option<State> {
    let mut state = semantics.initial().ok()?;
    let creates: Vec<Vec<bool>> = semantics.types.iter().map(may_create).collect();
    let creates = |state: &State, process: usize| {
        creates[state.type_of(process).index()][state.location_of(process).index()]
    };
    let apart = are_created_apart(semantics);
    for _ in 0..MOST {
        maxima.note(&state);
        let mut creators = (0..state.process_count()).filter(|process| creates(&state, *process));
        let Some(creator) = creators.next() else {
            return state.held.is_none().then_some(state);
        };
        let alone = creators.next().is_none() && state.held.is_none();
        let first = apart && is_apart(semantics, &state, creator) || tables.is_alone(&state, creator);
        let mut steps = Vec::new();
        if alone && first {
            semantics.expand_process((&state, creator), true, &mut steps, &mut Vec::new());
        } else {
            semantics.expand(&state, true, &mut steps);
        }
        let [step] = &mut steps[..] else { return None };
        if !step.errors.is_empty() {
            return None;
        }
        maxima.peaks(&state, step);
        state = step.after.take()?;
    }
    None
}

/// For each location of a type, whether processes may be created there or behind.
fn may_create(ty: &TypeCode) -> Vec<bool> {
    let creates = |location: &usize| {
        ty.edges_at(cfsm_core::program::LocationId::new(*location))
            .iter()
            .any(|edge| matches!(edge.statement, Statement::Create(_)))
    };
    (0..ty.ranges.len()).map(|location| locations_behind(ty, location).iter().any(creates)).collect()
}

/// Whether nobody can tell when processes are created: numbers of processes are not asked for, nor kept, and no process
/// has queues of its own.
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

/// Whether what a process can do next is to create another one, and nothing that others do makes a difference to that.
fn is_apart(semantics: &Semantics, state: &State, process: usize) -> bool {
    let written = cells::written(semantics);
    let is_fixed = |code: &Code| {
        let mut fixed = true;
        each_read(code, &mut |cells| {
            fixed &= !cells.global || cells.range.into_iter().all(|cell| !written[cell as usize]);
        });
        fixed
            && !code.any(&mut |part| {
                matches!(part, Code::Length(_) | Code::Empty(_) | Code::Full(_) | Code::Poll(_))
            })
    };
    let ty = semantics.type_at(state, process);
    let edges = ty.edges_at(state.location_of(process));
    edges.iter().all(|edge| match &edge.statement {
        Statement::Create(create) => {
            let values = semantics.types[create.process_type.index()].initial_values();
            create.arguments.iter().chain(values).all(is_fixed) && edge.rank == 0
        }
        _ => false,
    })
}
