//! The elementary cycles of a system, per process class.

use std::collections::BTreeSet;

use cfsm_core::system::{Effect, System, TransitionId};
use cycles::{End, Enumeration};
use ilp_encode::{ControlFlow, control_flow_graphs};
use report::view::{CYCLES_SCHEMA, CycleListing, Gain, ProcessCycles, step};

/// What to say of the cycles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Detail {
    /// Their number.
    #[default]
    Count,
    /// Their steps.
    List,
    /// Their different effects.
    Effects,
}

/// The elementary cycles of each process class of a system, up to `limit` in all; `file` is what the user
/// calls the system.
///
/// Classes with several instances count once. There can be exponentially many cycles; time is linear in
/// those that are looked at, times the size of their class, where for [`Detail::Count`] those along the same states are
/// looked at once. With [`Detail::List`] all of them are kept.
#[must_use]
pub fn list_cycles(system: &System, file: &str, detail: Detail, limit: Option<usize>) -> CycleListing {
    // More than that cannot be said; nobody will list as many.
    let mut left = limit.unwrap_or(usize::MAX);
    let mut processes = Vec::new();
    let graphs = control_flow_graphs(system);
    for (class, graph) in graphs.iter() {
        let name = system.classes[class].name.clone();
        let process = one_class(system, name, graph, detail, left);
        left -= process.cycles;
        processes.push(process);
    }
    CycleListing {
        schema: CYCLES_SCHEMA.into(),
        file: file.into(),
        total: processes.iter().map(|process| process.cycles).sum(),
        complete: processes.iter().all(|process| process.complete),
        processes,
    }
}

fn one_class(
    system: &System,
    name: String,
    graph: &ControlFlow,
    detail: Detail,
    limit: usize,
) -> ProcessCycles {
    let mut list = Vec::new();
    let mut effects = BTreeSet::new();
    let all = Enumeration::of(&graph.multigraph);
    let (count, end) = if detail == Detail::Count {
        let (count, end) = all.count(limit as u128);
        (usize::try_from(count.cycles).unwrap_or(limit), end)
    } else {
        let summary = all.max_cycles(limit as u64).for_each(|edges| {
            let steps = edges.iter().map(|edge| graph.transitions[edge.index()]);
            if detail == Detail::List {
                list.push(steps.map(|id| step(system, id)).collect());
            } else {
                effects.insert(effect(system, steps));
            }
        });
        (usize::try_from(summary.cycles).unwrap_or(limit), summary.end)
    };
    let vectors = effects.iter().map(|effect| vector(system, effect));
    ProcessCycles {
        name,
        states: graph.multigraph.vertex_count(),
        transitions: graph.transitions.len(),
        cycles: count,
        complete: end == End::Complete,
        list: (detail == Detail::List).then_some(list),
        effects: (detail == Detail::Effects).then(|| vectors.collect()),
    }
}

fn effect(system: &System, steps: impl Iterator<Item = TransitionId>) -> Effect {
    steps.flat_map(|id| system.transitions[id].effect().entries().to_vec()).collect()
}

fn vector(system: &System, effect: &Effect) -> Vec<Gain> {
    let gain =
        |&(message, count): &(_, i64)| Gain { message: system.message_name(message), count: count.into() };
    effect.entries().iter().map(gain).collect()
}
