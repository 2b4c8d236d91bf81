//! Bounds as minimum-cost circulations.
//!
//! The nodes are the transitions. A place with one transition that adds a token and one that takes
//! one is an edge from the former to the latter; the tokens that it has at the start are its
//! length. Weights of such places satisfy all transitions if at each of them the incoming weight is
//! at least the outgoing weight. The excess flows to one more node, the *outside*, at no cost;
//! places that no transition fills begin there, and places that no transition empties end there. So
//! weights are circulations whose cost is their value in the initial marking, and the cheapest one
//! with at least 1 on the places of a buffer is found by successive shortest paths, in integers.
//!
//! Places of other kinds have weight 0 here. If there are none (the net is a *network*), the
//! minimum-cost circulation gives the least bound.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use cfsm_core::define_id;
use cfsm_core::ids::{Id, IdMap};
use cfsm_core::system::TransitionId;

use crate::cone::{Cone, Row, RowId};
use crate::csr::Csr;
use crate::question::{Demand, Question};

/// Maximum number of edges visited for one buffer.
const STEPS: usize = 4_000_000;

/// Maximum number of initial tokens of a place, so that the lengths of paths fit.
const TOKENS: u64 = 1 << 30;

define_id!(
    /// The outside or a transition.
    Node, "node"
);

define_id!(
    /// A place, or the free edge from a transition to the outside.
    EdgeId, "edge"
);

/// Index of the outside node.
const OUTSIDE: usize = 0;

#[derive(Clone, Copy, Debug)]
struct Edge {
    from: Node,
    to: Node,
    length: i64,
}

/// The places of a net that are edges.
#[derive(Debug)]
pub(super) struct Network {
    nodes: usize,
    edges: IdMap<EdgeId, Edge>,
    leaving: Csr<Node, EdgeId>,
    entering: Csr<Node, EdgeId>,
    /// Maps each row to its edge.
    of_row: IdMap<RowId, Option<EdgeId>>,
    /// Maps each edge to the row that gets weight from it and the sign of that weight.
    row_of: IdMap<EdgeId, Option<(RowId, i64)>>,
    /// `true` if all places that may have a weight are edges.
    pub is_whole: bool,
}

/// The transitions that add a token to a place and take one from it.
#[derive(Clone, Copy, Debug, Default)]
struct Ends {
    fills: Option<Node>,
    empties: Option<Node>,
    is_other: bool,
}

impl Ends {
    fn add(&mut self, node: Node, change: i64) {
        let end = match change {
            0 => return,
            1 => &mut self.fills,
            -1 => &mut self.empties,
            _ => {
                self.is_other = true;
                return;
            }
        };
        self.is_other |= end.replace(node).is_some();
    }

    fn edge(self, tokens: u64) -> Option<Edge> {
        let node = |end: Option<Node>| end.unwrap_or_else(|| Node::new(OUTSIDE));
        let length = i64::try_from(tokens).ok().filter(|_| tokens <= TOKENS && !self.is_other)?;
        Some(Edge { from: node(self.fills), to: node(self.empties), length })
    }
}

impl Network {
    /// The network of a cone's net. `question` gives the initial tokens of the rows and the rows
    /// that may have a weight. Time linear in the system.
    pub fn new(cone: &Cone<'_>, question: &Question) -> Self {
        let system = cone.system();
        let (rows, ends) = (cone.rows().len(), ends(cone));
        let mut edges: IdMap<EdgeId, Edge> = IdMap::new();
        let mut of_row = IdMap::filled(None, rows);
        let mut row_of = IdMap::new();
        let mut is_whole = true;
        for (row, kind) in cone.rows().iter() {
            let demand = question.demand[row];
            if demand == Demand::Dropped || matches!(kind, Row::Entry(_) | Row::Gain) {
                continue;
            }
            let Some(edge) = ends[row.index()].edge(question.marking[row]) else {
                is_whole = false;
                continue;
            };
            of_row[row] = Some(edges.push(edge));
            row_of.push(Some((row, 1)));
            if demand == Demand::Free {
                edges.push(Edge { from: edge.to, to: edge.from, length: edge.length });
                row_of.push(Some((row, -1)));
            }
        }
        for (state, declared) in system.states.iter() {
            // The weight of an initial state is that of the class's entry row.
            let is_initial = system.classes[declared.class].initial == state;
            let entry = is_initial.then(|| cone.entry_row(declared.class));
            match ends[rows + state.index()].edge(entry.map_or(0, |row| question.marking[row])) {
                Some(edge) => {
                    edges.push(edge);
                    row_of.push(entry.map(|row| (row, 1)));
                }
                None => is_whole = false,
            }
        }
        let nodes = 1 + system.transitions.len();
        for step in cone.taking_part() {
            edges.push(Edge { from: node_of(step), to: Node::new(OUTSIDE), length: 0 });
            row_of.push(None);
        }
        let leaving: Vec<_> = edges.iter().map(|(id, edge)| (edge.from, id)).collect();
        let entering: Vec<_> = edges.iter().map(|(id, edge)| (edge.to, id)).collect();
        let (leaving, entering) = (Csr::sorted(nodes, &leaving), Csr::sorted(nodes, &entering));
        Self { nodes, edges, leaving, entering, of_row, row_of, is_whole }
    }

    /// The cheapest weights of at least 1 on `targets`, without zeros. `None` if a target is not an
    /// edge, or [`STEPS`] is exceeded.
    pub fn cheapest(&self, targets: &[RowId], scratch: &mut Scratch) -> Option<Vec<(RowId, i64)>> {
        let targets: Option<Vec<EdgeId>> = targets.iter().map(|&row| self.of_row[row]).collect();
        let targets = targets?;
        scratch.clear();
        for &target in &targets {
            *scratch.waiting.entry(self.edges[target].to).or_insert(0) += 1;
            *scratch.waiting.entry(self.edges[target].from).or_insert(0) -= 1;
        }
        let mut steps = STEPS;
        while scratch.waiting.values().any(|&amount| amount > 0) {
            let end = self.nearest(scratch, &mut steps)?;
            self.send(scratch, end);
        }
        // The flow comes on top of the demanded unit.
        targets.iter().for_each(|&target| scratch.put(target, 1));
        let mut weights: BTreeMap<RowId, i64> = BTreeMap::new();
        for &edge in &scratch.used {
            if let Some((row, sign)) = self.row_of[edge] {
                *weights.entry(row).or_default() += sign * std::mem::take(&mut scratch.flow[edge]);
            }
        }
        Some(weights.into_iter().filter(|(_, weight)| *weight != 0).collect())
    }

    /// The nearest node with a deficit, seen from the nodes with a surplus; `None` if the steps run
    /// out.
    fn nearest(&self, scratch: &mut Scratch, steps: &mut usize) -> Option<Node> {
        scratch.begin();
        while let Some(Reverse((distance, hops, node))) = scratch.heap.pop() {
            if std::mem::replace(&mut scratch.nodes[node].is_done, true) {
                continue;
            }
            if scratch.waiting.get(&node).is_some_and(|&amount| amount < 0) {
                scratch.end(distance);
                return Some(node);
            }
            let offset = distance + scratch.nodes[node].potential;
            let (leaving, entering) = (self.leaving.of(node), self.entering.of(node));
            *steps = steps.checked_sub(leaving.len() + entering.len())?;
            for &id in leaving {
                let edge = self.edges[id];
                scratch.reach(edge.to, offset + edge.length, hops + 1, id, true);
            }
            for &id in entering {
                let edge = self.edges[id];
                if scratch.flow[id] > 0 {
                    scratch.reach(edge.from, offset - edge.length, hops + 1, id, false);
                }
            }
        }
        None
    }

    /// Sends as much as possible along the shortest path to `end`.
    fn send(&self, scratch: &mut Scratch, end: Node) {
        let (mut path, mut start) = (Vec::new(), end);
        while let Some((edge, is_forward)) = scratch.nodes[start].by {
            path.push((edge, is_forward));
            start = if is_forward { self.edges[edge].from } else { self.edges[edge].to };
        }
        let back = path.iter().filter(|(_, is_forward)| !is_forward).map(|(edge, _)| scratch.flow[*edge]);
        let amount = back.chain([scratch.waiting[&start], -scratch.waiting[&end]]).min().unwrap_or_default();
        for (edge, is_forward) in path {
            scratch.put(edge, if is_forward { amount } else { -amount });
        }
        for (node, sent) in [(start, amount), (end, -amount)] {
            *scratch.waiting.entry(node).or_default() -= sent;
        }
    }
}

/// The state of a node in a shortest-path search.
#[derive(Clone, Copy, Debug)]
struct Mark {
    /// Reduced distance from the nodes with a surplus, then number of edges of the path.
    distance: (i64, u32),
    /// The last edge of the path, and `true` if the path uses it forward.
    by: Option<(EdgeId, bool)>,
    is_done: bool,
    /// `true` if the node is listed in [`Scratch::met`].
    is_met: bool,
    /// The node potential, with which the reduced lengths of edges are non-negative.
    potential: i64,
}

/// A node that no search has reached.
const UNKNOWN: Mark = Mark { distance: (i64::MAX, 0), by: None, is_done: false, is_met: false, potential: 0 };

/// The state of the searches, reused from one buffer to the next.
#[derive(Debug)]
pub(super) struct Scratch {
    nodes: IdMap<Node, Mark>,
    /// Maps each edge to its flow.
    flow: IdMap<EdgeId, i64>,
    /// Nodes and edges that differ from their initial state.
    met: Vec<Node>,
    used: Vec<EdgeId>,
    /// Maps each node to its surplus; negative for a deficit.
    waiting: BTreeMap<Node, i64>,
    heap: BinaryHeap<Reverse<(i64, u32, Node)>>,
}

impl Scratch {
    pub fn new(network: &Network) -> Self {
        Self {
            nodes: IdMap::filled(UNKNOWN, network.nodes),
            flow: IdMap::filled(0, network.edges.len()),
            met: Vec::new(),
            used: Vec::new(),
            waiting: BTreeMap::new(),
            heap: BinaryHeap::new(),
        }
    }

    fn clear(&mut self) {
        self.met.drain(..).for_each(|node| self.nodes[node] = UNKNOWN);
        self.used.drain(..).for_each(|edge| self.flow[edge] = 0);
        self.waiting.clear();
    }

    fn put(&mut self, edge: EdgeId, amount: i64) {
        self.used.push(edge);
        self.flow[edge] += amount;
    }

    /// Starts a search from the nodes with a surplus.
    fn begin(&mut self) {
        for &node in &self.met {
            let potential = self.nodes[node].potential;
            self.nodes[node] = Mark { potential, is_met: true, ..UNKNOWN };
        }
        self.heap.clear();
        for (&node, _) in self.waiting.iter().filter(|(_, amount)| **amount > 0) {
            let mark = &mut self.nodes[node];
            mark.distance = (0, 0);
            if !std::mem::replace(&mut mark.is_met, true) {
                self.met.push(node);
            }
            self.heap.push(Reverse((0, 0, node)));
        }
    }

    /// Relaxes an edge to a node. `distance` does not yet account for the node's own potential.
    fn reach(&mut self, node: Node, distance: i64, hops: u32, edge: EdgeId, is_forward: bool) {
        let mark = &mut self.nodes[node];
        let distance = (distance - mark.potential, hops);
        if !mark.is_done && distance < mark.distance {
            if !std::mem::replace(&mut mark.is_met, true) {
                self.met.push(node);
            }
            (mark.distance, mark.by) = (distance, Some((edge, is_forward)));
            self.heap.push(Reverse((distance.0, hops, node)));
        }
    }

    /// Ends a search at `distance`: adds to the potential of each nearer node the distance that it
    /// is nearer by, as a negative number.
    fn end(&mut self, distance: i64) {
        for &node in &self.met {
            let mark = &mut self.nodes[node];
            if mark.is_done && mark.distance.0 < distance {
                mark.potential += mark.distance.0 - distance;
            }
        }
    }
}

/// The ends of the places: one per row, then one per state.
fn ends(cone: &Cone<'_>) -> Vec<Ends> {
    let system = cone.system();
    let rows = cone.rows().len();
    let mut ends = vec![Ends::default(); rows + system.states.len()];
    for step in cone.taking_part() {
        let transition = &system.transitions[step];
        let mut changes = vec![(rows + transition.source.index(), -1), (rows + transition.target.index(), 1)];
        changes.extend(cone.changes(step).iter().map(|&(row, change)| match cone.row(row) {
            Row::Entry(class) => (rows + system.classes[class].initial.index(), change),
            Row::Message(_) | Row::Data(_) | Row::Gain => (row.index(), change),
        }));
        changes.sort_unstable();
        for of_place in changes.chunk_by(|a, b| a.0 == b.0) {
            ends[of_place[0].0].add(node_of(step), of_place.iter().map(|change| change.1).sum());
        }
    }
    ends
}

/// The node of a transition.
fn node_of(step: TransitionId) -> Node {
    Node::new(1 + step.index())
}
