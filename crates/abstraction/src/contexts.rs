//! Contexts: the process instances, as far as the analysis tells them apart.
//!
//! A context is an entry of the program's list of initial processes, or (context of the creator, create
//! statement). Where the creator descends from the same statement already, the context of then is used
//! again, so that recursion comes to an end: chains of contexts never repeat a statement. The classes
//! of the abstract system arise from contexts in the end, when the arguments are known (`grouping`).

use std::collections::BTreeMap;

use cfsm_core::define_id;
use cfsm_core::ids::{Id, IdMap};
use cfsm_core::program::{EdgeId, LocationId, ProcessType, ProcessTypeId, Program, VariableId};
use petgraph::algo::tarjan_scc;
use petgraph::graph::DiGraph;

use crate::channels::ObjectId;
use crate::layout::Cells;
use crate::values::Value;

define_id!(
    /// A context.
    ContextId, "context"
);

/// Where the instances of a context come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Birth {
    /// They exist at the start; how many.
    Initial(u32),
    /// A create statement of another (or the same) context.
    Created {
        /// The creator.
        parent: ContextId,
        /// The statement, an edge of the creator's type.
        edge: EdgeId,
    },
}

/// A context and what is known of it so far. All of it only grows.
#[derive(Clone, Debug)]
pub(crate) struct Context {
    /// The type of the processes.
    pub(crate) process_type: ProcessTypeId,
    /// Where they come from.
    pub(crate) birth: Birth,
    /// Whether more than one create statement, or one of its own descendants, leads here.
    pub(crate) shared: bool,
    /// What the parameters may be at the start.
    pub(crate) arguments: Vec<Value>,
    /// The channel objects of its local declarations, per variable and in element order.
    pub(crate) declared: BTreeMap<VariableId, Vec<ObjectId>>,
    /// The contexts that its create statements lead to.
    pub(crate) children: BTreeMap<EdgeId, ContextId>,
    /// What variables may hold at each location; `None` where the control flow does not get.
    pub(crate) states: IdMap<LocationId, Option<Cells>>,
    /// What its instances may write into each cell of a global.
    pub(crate) assigned: Vec<Value>,
}

/// All contexts.
pub(crate) type Contexts = IdMap<ContextId, Context>;

/// For each edge of each type, whether it lies on a cycle of the control flow graph.
#[derive(Clone, Debug)]
pub(crate) struct Loops(IdMap<ProcessTypeId, IdMap<EdgeId, bool>>);

impl Loops {
    /// Finds the edges on cycles. Linear time.
    pub(crate) fn of(program: &Program) -> Self {
        Self(program.types.values().map(edges_on_cycles).collect())
    }
}

fn edges_on_cycles(process: &ProcessType) -> IdMap<EdgeId, bool> {
    let mut graph = DiGraph::<(), ()>::new();
    let nodes: Vec<_> = process.locations.ids().map(|_| graph.add_node(())).collect();
    for edge in process.edges.values() {
        graph.add_edge(nodes[edge.source.index()], nodes[edge.target.index()], ());
    }
    let mut component = vec![0; nodes.len()];
    for (number, members) in tarjan_scc(&graph).into_iter().enumerate() {
        for node in members {
            component[node.index()] = number;
        }
    }
    let on_cycle =
        |source: LocationId, target: LocationId| component[source.index()] == component[target.index()];
    process.edges.values().map(|edge| on_cycle(edge.source, edge.target)).collect()
}

/// Whether a run may have more than one instance of a context, at the same time or one after the other.
/// Time linear in the length of the chain of creators.
pub(crate) fn several(contexts: &Contexts, loops: &Loops, id: ContextId) -> bool {
    let context = &contexts[id];
    match context.birth {
        Birth::Initial(count) => context.shared || count > 1,
        Birth::Created { parent, edge } => {
            context.shared || loops.0[contexts[parent].process_type][edge] || several(contexts, loops, parent)
        }
    }
}

/// The context among the creator and its ancestors that the same statement has led to before.
pub(crate) fn recursion(contexts: &Contexts, creator: ContextId, edge: EdgeId) -> Option<ContextId> {
    let creator_type = contexts[creator].process_type;
    let mut at = creator;
    while let Birth::Created { parent, edge: site } = contexts[at].birth {
        if site == edge && contexts[parent].process_type == creator_type {
            return Some(at);
        }
        at = parent;
    }
    None
}
