//! Contexts: abstract process instances.
//!
//! A context is an entry of the program's list of initial processes, or a triple (context of the
//! creator, its node, create statement). The nodes of a context are its control locations, unfolded
//! by the values of the variables that control the creation of processes. The contexts are finally
//! merged into the classes of the abstract system, when the arguments are known (`grouping`).

use std::collections::BTreeMap;
use std::rc::Rc;

use cfsm_core::define_id;
use cfsm_core::ids::{Id, IdMap};
use cfsm_core::program::{EdgeId, LocationId, ProcessTypeId, VariableId};
use petgraph::algo::kosaraju_scc;
use petgraph::graph::DiGraph;

use crate::channels::ObjectId;
use crate::layout::Cells;
use crate::step::Effect;
use crate::values::Value;

define_id!(
    /// A context.
    ContextId, "context"
);
define_id!(
    /// A node of a context.
    NodeId, "node"
);

/// A node of a context.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct NodeRef {
    /// The context.
    pub(crate) context: ContextId,
    /// Its node.
    pub(crate) node: NodeId,
}

/// The origin of the instances of a context.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Birth {
    /// The instances exist at the start; their number.
    Initial(u32),
    /// The instances are created by a statement of another context, or of the same one.
    Created {
        /// The creator.
        parent: ContextId,
        /// The node of the creator.
        node: NodeId,
        /// The statement, an edge of the creator's type.
        edge: EdgeId,
    },
}

/// The values of the unfolded variables at a node; `None` where they are not distinguished.
pub(crate) type Key = Vec<Option<i64>>;

/// A control location with values of the unfolded variables, and the facts that hold there.
/// Everything except the moves only grows.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    /// The location.
    pub(crate) location: LocationId,
    /// The values of the unfolded variables.
    pub(crate) key: Key,
    /// The values that variables may hold.
    pub(crate) cells: Cells,
    /// `true` if other processes may exist.
    pub(crate) accompanied: bool,
    /// `true` if other processes may step while the process is here.
    pub(crate) interrupted: bool,
    /// The statements that may be executed here, as of the last visit.
    pub(crate) moves: Vec<Move>,
    /// The facts that the last visit depended on, beside the state; `None` if the state has grown
    /// since, or if there was no visit.
    pub(crate) basis: Option<Basis>,
}

/// The version numbers of the facts that a visit of a node depends on. The visit need not be
/// repeated while they are unchanged.
#[derive(Clone, Debug)]
pub(crate) struct Basis {
    /// Version of the context (`Context::news`).
    pub(crate) news: usize,
    /// Number of channel objects.
    pub(crate) objects: usize,
    /// Version of each queue that the node's statements use.
    pub(crate) channels: Vec<(ObjectId, usize)>,
}

/// A statement that may be executed at a node.
#[derive(Clone, Debug)]
pub(crate) struct Move {
    /// The statement.
    pub(crate) edge: EdgeId,
    /// The effect of the statement.
    pub(crate) effect: Effect,
    /// The nodes that it leads to.
    pub(crate) targets: Vec<NodeId>,
}

/// A context and the facts known about it. All of them only grow.
#[derive(Clone, Debug)]
pub(crate) struct Context {
    /// The type of the processes.
    pub(crate) process_type: ProcessTypeId,
    /// The origin of the processes.
    pub(crate) birth: Birth,
    /// `true` if more than one create statement, or one of its own descendants, creates its
    /// instances.
    pub(crate) shared: bool,
    /// The values that the parameters may have at the start.
    pub(crate) arguments: Vec<Value>,
    /// The process numbers (`_pid`) that an instance may have.
    pub(crate) pid: Value,
    /// The values that each cell of a global may hold when an instance is created, except for
    /// values written later by contexts that may have other instances then.
    pub(crate) globals: Rc<Cells>,
    /// The channel objects of its local declarations, per variable and in element order.
    pub(crate) declared: BTreeMap<VariableId, Vec<ObjectId>>,
    /// The contexts that its create statements lead to.
    pub(crate) children: BTreeMap<(NodeId, EdgeId), ContextId>,
    /// Its nodes; the first is the entry.
    pub(crate) nodes: IdMap<NodeId, Node>,
    /// The values that other contexts may put into the shared cells of its frame, as of the last
    /// visit of the context.
    pub(crate) around: Cells,
    /// Version number: incremented whenever a fact changes that the moves of all nodes may depend
    /// on.
    pub(crate) news: usize,
    /// The nodes by location and values.
    pub(crate) index: BTreeMap<(LocationId, Key), NodeId>,
}

impl Context {
    /// Returns `true` if an instance may reach the location.
    pub(crate) fn reaches(&self, location: LocationId) -> bool {
        self.index.range((location, Key::new())..).next().is_some_and(|((found, _), _)| *found == location)
    }

    /// `true` for each node that instances can reach along the current moves; the others remain
    /// from earlier, coarser rounds. Linear time.
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

    /// The index of each node's strongly connected component in the graph of the moves. Linear
    /// time.
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

/// `true` for each context of which no run has more than one instance, neither at the same time nor
/// one after the other, according to the facts known so far. Linear time.
pub(crate) fn singles(contexts: &Contexts) -> IdMap<ContextId, bool> {
    let mut components = BTreeMap::new();
    let mut singles: IdMap<ContextId, bool> = IdMap::new();
    for context in contexts.values() {
        let single = match context.birth {
            Birth::Initial(count) => count == 1,
            // A creator has a smaller id than the contexts that it creates.
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

/// The ancestors of a process to be created that were created by the same statement, the nearest
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
