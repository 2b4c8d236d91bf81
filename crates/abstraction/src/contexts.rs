//! Contexts: the process instances, as far as the analysis tells them apart.
//!
//! A context is an entry of the program's list of initial processes, or (context of the creator,
//! its node, create statement). The nodes of a context are its control locations, unfolded by the
//! values of the variables that control the creation of processes. The classes of the abstract
//! system arise from contexts in the end, when the arguments are known (`grouping`).

use std::collections::BTreeMap;
use std::rc::Rc;

use cfsm_core::define_id;
use cfsm_core::ids::{Id, IdMap};
use cfsm_core::program::{EdgeId, LocationId, ProcessTypeId, VariableId};
use petgraph::algo::kosaraju_scc;
use petgraph::graph::DiGraph;

use crate::channels::ObjectId;
use crate::layout::Cells;
use crate::step::Deed;
use crate::values::Value;

define_id!(
    /// A context.
    ContextId, "context"
);
define_id!(
    /// A node of a context.
    NodeId, "node"
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
        /// Where the creator is.
        node: NodeId,
        /// The statement, an edge of the creator's type.
        edge: EdgeId,
    },
}

/// The values of the unfolded variables at a node; `None` where they are not told apart.
pub(crate) type Key = Vec<Option<i64>>;

/// A control location with values of the unfolded variables, and what is known there. All but the
/// moves only grows.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    /// The location.
    pub(crate) location: LocationId,
    /// The values.
    pub(crate) key: Key,
    /// What variables may hold.
    pub(crate) cells: Cells,
    /// Whether other processes may exist.
    pub(crate) accompanied: bool,
    /// Whether other processes may step while the process is here.
    pub(crate) interrupted: bool,
    /// What may be executed here, as of the last visit.
    pub(crate) moves: Vec<Move>,
    /// What the last visit rests on, beside the state; `None` if that has grown since, or if there
    /// was none.
    pub(crate) basis: Option<Basis>,
}

/// What a visit of a node rests on, by how often there has been news of it.
#[derive(Clone, Debug)]
pub(crate) struct Basis {
    /// News of the context.
    pub(crate) news: usize,
    /// How many channel objects there are.
    pub(crate) objects: usize,
    /// News of the queues that its statements speak of.
    pub(crate) lanes: Vec<(ObjectId, usize)>,
}

/// A statement that may be executed at a node.
#[derive(Clone, Debug)]
pub(crate) struct Move {
    /// The statement.
    pub(crate) edge: EdgeId,
    /// What it does.
    pub(crate) deed: Deed,
    /// Where it leads.
    pub(crate) targets: Vec<NodeId>,
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
    /// What the number of an instance may be.
    pub(crate) pid: Value,
    /// What each cell of a global may hold when an instance comes into being, but for what contexts
    /// that may have other instances then write.
    pub(crate) globals: Rc<Cells>,
    /// The channel objects of its local declarations, per variable and in element order.
    pub(crate) declared: BTreeMap<VariableId, Vec<ObjectId>>,
    /// The contexts that its create statements lead to.
    pub(crate) children: BTreeMap<(NodeId, EdgeId), ContextId>,
    /// Its nodes; the first is the entry.
    pub(crate) nodes: IdMap<NodeId, Node>,
    /// What others may put into those cells of its frame that they write, as of the last time that
    /// it was followed.
    pub(crate) around: Cells,
    /// How often something has changed that what is executed at all of its nodes may rest on.
    pub(crate) news: usize,
    /// The nodes by location and values.
    pub(crate) index: BTreeMap<(LocationId, Key), NodeId>,
}

impl Context {
    /// Whether an instance may get to a location.
    pub(crate) fn reaches(&self, location: LocationId) -> bool {
        self.index.range((location, Key::new())..).next().is_some_and(|((found, _), _)| *found == location)
    }

    /// For each node, whether instances get there; others are left over from when less was known.
    /// Linear time.
    pub(crate) fn live(&self) -> IdMap<NodeId, bool> {
        let mut live = IdMap::filled(false, self.nodes.len());
        let mut open: Vec<NodeId> = self.nodes.ids().take(1).collect();
        while let Some(node) = open.pop() {
            if !std::mem::replace(&mut live[node], true) {
                open.extend(self.nodes[node].moves.iter().flat_map(|step| &step.targets));
            }
        }
        live
    }

    /// For each node, which strongly connected component of the moves it lies in. Linear time.
    pub(crate) fn components(&self) -> Vec<usize> {
        let mut graph = DiGraph::<(), ()>::new();
        let nodes: Vec<_> = self.nodes.ids().map(|_| graph.add_node(())).collect();
        for (source, node) in self.nodes.iter() {
            for target in node.moves.iter().flat_map(|step| &step.targets) {
                graph.add_edge(nodes[source.index()], nodes[target.index()], ());
            }
        }
        let mut component = vec![0; nodes.len()];
        for (number, members) in kosaraju_scc(&graph).into_iter().enumerate() {
            for node in members {
                component[node.index()] = number;
            }
        }
        component
    }
}

/// All contexts.
pub(crate) type Contexts = IdMap<ContextId, Context>;

/// For each context, whether no run has more than one instance of it, at the same time or one after
/// the other, as far as is known so far. Linear time.
pub(crate) fn singles(contexts: &Contexts) -> IdMap<ContextId, bool> {
    let mut components = BTreeMap::new();
    let mut singles: IdMap<ContextId, bool> = IdMap::new();
    for context in contexts.values() {
        let single = match context.birth {
            Birth::Initial(count) => count == 1,
            // A creator stands before what it creates.
            Birth::Created { parent, node, edge } => {
                let creator = &contexts[parent];
                let component = components.entry(parent).or_insert_with(|| creator.components());
                let moves = creator.nodes[node].moves.iter().filter(|step| step.edge == edge);
                let mut targets = moves.flat_map(|step| &step.targets);
                let again = targets.any(|target| component[target.index()] == component[node.index()]);
                singles[parent] && !again
            }
        };
        singles.push(single && !context.shared);
    }
    singles
}

/// The ancestors of a process to be created that the same statement has led to before, the nearest
/// first.
pub(crate) fn recursions(
    contexts: &Contexts,
    creator: ContextId,
    edge: EdgeId,
) -> impl Iterator<Item = ContextId> {
    let creator_type = contexts[creator].process_type;
    let parent = |at: &ContextId| match contexts[*at].birth {
        Birth::Created { parent, .. } => Some(parent),
        Birth::Initial(_) => None,
    };
    std::iter::successors(Some(creator), parent).filter(move |at| match contexts[*at].birth {
        Birth::Created { parent, edge: site, .. } => {
            site == edge && contexts[parent].process_type == creator_type
        }
        Birth::Initial(_) => false,
    })
}
