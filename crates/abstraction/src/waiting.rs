//! The edges that leave each location, and the locations at which a process may have to wait.

use std::rc::Rc;

use cfsm_core::ids::IdMap;
use cfsm_core::program::{Action, EdgeId, LocationId, ProcessType, Program};

/// The edges that leave from each location, in their order.
pub(crate) fn leaving(process: &ProcessType) -> IdMap<LocationId, Rc<[EdgeId]>> {
    let mut leaving = IdMap::filled(Vec::new(), process.locations.len());
    for (id, edge) in process.edges.iter() {
        leaving[edge.source].push(id);
    }
    leaving.values().map(|edges| edges.as_slice().into()).collect()
}

/// Returns `true` if processes may have to wait for others of higher priority.
pub(crate) fn has_priorities(program: &Program) -> bool {
    let sets = |action: &Action| {
        matches!(action, Action::SetPriority { .. } | Action::Create { priority: Some(_), .. })
    };
    program.types.values().into_iter().any(|process| {
        process.priority.is_some() || process.edges.values().into_iter().any(|edge| sets(&edge.action))
    })
}

/// `true` for each location at which a process may have to wait. A send may have to wait: buffers
/// are taken as unbounded, but the results about the program must hold with the declared capacities
/// too.
pub(crate) fn waiting(process: &ProcessType, prioritised: bool) -> IdMap<LocationId, bool> {
    let held_up = prioritised || process.provided.is_some();
    let mut waiting = IdMap::filled(true, process.locations.len());
    for edge in process.edges.values() {
        let always = match &edge.action {
            Action::Condition(condition) => condition.constant().is_some_and(|value| value != 0),
            Action::Send { .. } | Action::Receive { .. } => false,
            Action::Opaque { guard, .. } => !guard,
            _ => true,
        };
        if always && !held_up {
            waiting[edge.source] = false;
        }
    }
    waiting
}
