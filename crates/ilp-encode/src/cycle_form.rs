//! The cycle form: every elementary cycle as a column (thesis, sections 5.4 and 13.2).

use std::collections::BTreeMap;

use cfsm_core::ids::IdMap;
use cfsm_core::system::{ClassId, StateId, System, TransitionId};
use cycles::Multigraph;

use crate::cone::{Behaviour, Column, RowId};
use crate::flow::FlowGraph;
use crate::{Options, Stopped};

/// The columns of all elementary cycles, in the order of enumeration; of cycles with equal effects
/// only the first (thesis 13.3). Time linear in the number of cycles times their length.
pub(crate) fn columns(
    system: &System,
    flow: &FlowGraph<'_>,
    options: &Options,
) -> Result<Vec<Column>, Stopped> {
    let mut columns = Vec::new();
    let mut seen: BTreeMap<Vec<(RowId, i128)>, ()> = BTreeMap::new();
    let mut count = 0usize;
    let mut takes_part = IdMap::filled(false, system.transitions.len());
    flow.transitions().for_each(|id| takes_part[id] = true);
    for graph in control_flow_graphs_of(system, |id| takes_part[id]).values() {
        let mut cycles = cycles::elementary_cycles(&graph.multigraph);
        while let Some(edges) = cycles.next_edges() {
            count += 1;
            if options.max_cycles.is_some_and(|limit| count > limit) {
                return Err(Stopped::Cycles { limit: count - 1 });
            }
            if count.is_multiple_of(1024) {
                options.check_time()?;
            }
            let steps = edges.iter().map(|edge| graph.transitions[edge.index()]).collect();
            let column = flow.column(Behaviour::Cycle(steps));
            if seen.insert(column.entries.clone(), ()).is_none() {
                columns.push(column);
            }
        }
    }
    Ok(columns)
}

/// The control-flow graph of a class, with the map from its edges to transitions.
#[derive(Clone, Debug)]
pub struct ControlFlow {
    /// Vertices are the class's states in the order of their ids; edges are its transitions.
    pub multigraph: Multigraph,
    /// Maps each edge to its transition.
    pub transitions: Vec<TransitionId>,
}

/// The control-flow graph of each class. Time linear in the system.
#[must_use]
pub fn control_flow_graphs(system: &System) -> IdMap<ClassId, ControlFlow> {
    control_flow_graphs_of(system, |_| true)
}

fn control_flow_graphs_of(
    system: &System,
    takes_part: impl Fn(TransitionId) -> bool,
) -> IdMap<ClassId, ControlFlow> {
    let mut position: IdMap<StateId, usize> = IdMap::filled(0, system.states.len());
    let mut states = IdMap::<ClassId, usize>::filled(0, system.classes.len());
    for (id, state) in system.states.iter() {
        position[id] = states[state.class];
        states[state.class] += 1;
    }
    let mut transitions: IdMap<ClassId, Vec<TransitionId>> = IdMap::filled(Vec::new(), states.len());
    for id in system.transitions.ids().filter(|&id| takes_part(id)) {
        transitions[system.class_of(id)].push(id);
    }
    let graph = |(class, transitions): (ClassId, &Vec<TransitionId>)| {
        let ends = transitions.iter().map(|&id| {
            let transition = &system.transitions[id];
            (position[transition.source], position[transition.target])
        });
        let multigraph = Multigraph::new(states[class], ends).expect("states are numbered within the class");
        ControlFlow { multigraph, transitions: transitions.clone() }
    };
    transitions.iter().map(graph).collect()
}
