//! Builds the control-flow graph from the nodes, as Spin's verifier does.
//!
//! The edges of a selection are the first statements of its options, all leaving from the location
//! of the selection; a selection that is itself the first statement of an option is merged in the
//! same way, so that an `else` in it refers to all edges of that location. A loop that is merged
//! like this keeps a location of its own, to which its options return. A block is the location of
//! its first statement. Jumps and the ends of selections are not locations: edges skip them, unless
//! control would leave an `atomic` on the way, or reach its last step; then each is a step of its
//! own. A jump that begins an option is an edge.
//!
//! Escapes of `unless` are copied to the locations of its main part and tried before their other
//! edges. Spin does so location by location in the order of their numbers, copying what an escape
//! has *so far*: one that has received the escape of an outer `unless` before passes it on, with
//! equal rank.

use cfsm_core::ids::{Id, IdMap};
use cfsm_core::program::{Action, Edge, EdgeId, Expression, Hold, Location, LocationId};

use super::graph::{DStepId, Graph, NodeId, NodeKind, Target, UnlessId};

/// The finished control-flow graph.
pub(super) struct Flow {
    pub locations: IdMap<LocationId, Location>,
    pub edges: IdMap<EdgeId, Edge>,
    pub entry: LocationId,
    pub exit: LocationId,
    /// The location of each node that is one.
    pub location_of: Vec<Option<LocationId>>,
}

/// An edge of a location before locations are numbered: a statement, and the `unless` that guards
/// it.
#[derive(Clone, Copy, Debug)]
struct Step {
    statement: NodeId,
    guard: Option<UnlessId>,
    /// Number of edges right before it that are options of the same selection.
    alternatives: usize,
    /// The location from which an escape was copied; edges copied together share it. `None` if it
    /// is not an escape.
    escape: Option<NodeId>,
}

/// A location has escapes of more `unless` statements than ranks can represent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TooManyEscapes(pub NodeId);

/// Stopping rule of a walk along jumps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Walk {
    /// Walks to the end.
    Free = 0,
    /// Stops at the end of an `atomic`.
    Held = 1,
    /// Stops at the end of a `d_step`.
    Inside = 2,
}

impl Graph {
    /// The node to which control passes without a statement, if there is one.
    pub(super) fn passed(&self, id: NodeId) -> Option<NodeId> {
        let node = &self.nodes[id];
        match &node.kind {
            NodeKind::Goto(Target::Node(next)) => Some(*next),
            NodeKind::Dot | NodeKind::Behind => node.next,
            NodeKind::Unless(main) => Some(main.first),
            NodeKind::Goto(_)
            | NodeKind::Action(_)
            | NodeKind::Choice(_)
            | NodeKind::Block { .. }
            | NodeKind::Exit => None,
        }
    }

    /// The first node of an option that is a statement; a jump counts as one here.
    pub(super) fn start(&self, mut id: NodeId) -> NodeId {
        while !matches!(self.nodes[id].kind, NodeKind::Goto(_)) {
            let Some(next) = self.passed(id) else { break };
            id = next;
        }
        id
    }

    /// The reachable locations and their edges. The graph must be without errors. Time linear in
    /// the edges; nested selections at the beginning of options multiply them by their depth.
    pub fn flow(&self, first: NodeId, exit: NodeId) -> Result<Flow, TooManyEscapes> {
        Builder { graph: self, found: Default::default() }.flow(first, exit)
    }
}

/// Builder of a control-flow graph.
pub(super) struct Builder<'g> {
    pub graph: &'g Graph,
    /// Cached ends of walks, for each stopping rule.
    found: [Vec<Option<NodeId>>; 3],
}

impl Builder<'_> {
    fn flow(mut self, first: NodeId, exit: NodeId) -> Result<Flow, TooManyEscapes> {
        let count = self.graph.nodes.len();
        self.found = std::array::from_fn(|_| vec![None; count]);
        let first = self.walk(first, if self.graph.nodes[first].holds { Walk::Held } else { Walk::Free });
        let mut steps = if self.graph.unlesses.is_empty() { Vec::new() } else { self.with_escapes() };
        steps.resize(count, None);
        let mut seen = vec![false; count];
        let mut work = vec![first];
        let mut edges_of: Vec<Vec<(NodeId, Edge)>> = vec![Vec::new(); count];
        while let Some(id) = work.pop() {
            if std::mem::replace(&mut seen[id], true) {
                continue;
            }
            let steps = steps[id].take().unwrap_or_else(|| self.steps(id));
            let edges = self.edges(id, &steps)?;
            work.extend(edges.iter().map(|(target, _)| *target));
            edges_of[id] = edges;
        }
        seen[exit] = false;
        let mut order: Vec<NodeId> = (0..count).filter(|&id| seen[id]).collect();
        order.sort_by_key(|&id| self.graph.nodes[id].place);
        order.push(exit);
        let mut location_of = vec![None; count];
        for (position, id) in order.iter().enumerate() {
            location_of[*id] = Some(LocationId::new(position));
        }
        let number = |id: NodeId| location_of[id].unwrap_or_else(|| LocationId::new(0));
        let (entry, exit) = (number(first), number(exit));
        let (mut locations, mut edges) = (IdMap::new(), IdMap::new());
        let mut marks = self.marks();
        for id in order {
            let node = &self.graph.nodes[id];
            let marks = std::mem::take(&mut marks[id]).into_iter().filter(|mark| !node.labels.contains(mark));
            let labels = node.labels.iter().cloned().chain(marks).collect();
            locations.push(Location { labels, span: node.span });
            for (target, edge) in std::mem::take(&mut edges_of[id]) {
                edges.push(Edge { source: number(id), target: number(target), ..edge });
            }
        }
        Ok(Flow { locations, edges, entry, exit, location_of })
    }

    /// The edges that leave a node, without escapes.
    fn steps(&self, id: NodeId) -> Vec<Step> {
        let mut found = Vec::new();
        let mut work = vec![(id, None, 0)];
        // Depth first, options in order; with the index at which the options of the selection
        // begin.
        while let Some((id, within, begin)) = work.pop() {
            let node = &self.graph.nodes[id];
            match &node.kind {
                NodeKind::Choice(options) => {
                    let firsts = options.iter().rev().map(|option| self.graph.start(option.first));
                    let begin = found.len();
                    work.extend(firsts.map(|first| (first, within, begin)));
                }
                NodeKind::Block { body, d_step } => {
                    let first = self.graph.start(body.first);
                    work.push((first, within.or(d_step.map(|_| node.guard)), begin));
                }
                NodeKind::Unless(main) => work.push((self.graph.start(main.first), within, begin)),
                NodeKind::Exit => {}
                NodeKind::Action(_) | NodeKind::Goto(_) | NodeKind::Dot | NodeKind::Behind => {
                    let guard = within.unwrap_or(node.guard);
                    let alternatives = found.len() - begin;
                    found.push(Step { statement: id, guard, alternatives, escape: None });
                }
            }
        }
        found
    }

    /// The edges that leave each node, escapes first.
    fn with_escapes(&mut self) -> Vec<Option<Vec<Step>>> {
        let count = self.graph.nodes.len();
        let mut lists: Vec<Vec<Step>> = (0..count).map(|id| self.steps(id)).collect();
        let mut order: Vec<NodeId> = (0..count).collect();
        order.sort_by_key(|&id| self.graph.nodes[id].order);
        let mut member = vec![usize::MAX; count];
        for id in order {
            let own = lists[id].clone();
            for step in &own {
                member[step.statement] = id;
            }
            // In reverse order: the front one is last here.
            let mut before: Vec<Step> = Vec::new();
            for step in own {
                let mut guard =
                    step.guard.filter(|_| !matches!(self.graph.nodes[step.statement].kind, NodeKind::Dot));
                while let Some(unless) = guard {
                    let unless = &self.graph.unlesses[unless];
                    guard = unless.parent;
                    let Some(escape) = unless.escape else { continue };
                    let holds = self.graph.nodes[step.statement].holds;
                    let escape = self.walk(escape, if holds { Walk::Held } else { Walk::Free });
                    for copied in lists[escape].clone() {
                        if std::mem::replace(&mut member[copied.statement], id) != id {
                            // Options before an escape may have been left out.
                            before.push(Step { escape: Some(escape), alternatives: 0, ..copied });
                        }
                    }
                }
            }
            before.reverse();
            lists[id].splice(0..0, before);
        }
        lists.into_iter().map(Some).collect()
    }

    /// The edges with the nodes that they lead to; source and target are filled in later.
    fn edges(&mut self, id: NodeId, steps: &[Step]) -> Result<Vec<(NodeId, Edge)>, TooManyEscapes> {
        let mut rank = 0_u8;
        let mut edges = Vec::with_capacity(steps.len());
        let mut behind: Option<&Step> = None;
        for step in steps.iter().rev() {
            if behind.is_some_and(|behind| behind.escape != step.escape) {
                rank = rank.checked_add(1).ok_or(TooManyEscapes(id))?;
            }
            behind = Some(step);
            let (target, edge) = self.edge(step.statement);
            let alternatives = match edge.action {
                Action::Else => u32::try_from(step.alternatives).unwrap_or(0),
                _ => 0,
            };
            edges.push((target, Edge { rank, alternatives, ..edge }));
        }
        edges.reverse();
        Ok(edges)
    }

    pub(super) fn edge(&mut self, id: NodeId) -> (NodeId, Edge) {
        let node = &self.graph.nodes[id];
        let (action, next) = match &node.kind {
            NodeKind::Action(action) => (action.clone(), node.next),
            _ => (Action::Condition(Expression::Constant(1)), self.graph.passed(id)),
        };
        // Every sequence continues to the end of the body.
        let next = next.unwrap_or(id);
        let outside = |holds| if holds { Walk::Held } else { Walk::Free };
        let walk = match node.d_step {
            Some(_) if self.graph.nodes[next].d_step == node.d_step => Walk::Inside,
            Some(d_step) => outside(self.d_step_holds(d_step)),
            None => outside(node.holds),
        };
        let target = self.walk(next, walk);
        let hold = match node.d_step {
            Some(d_step) if self.graph.nodes[target].d_step == Some(d_step) => Hold::DStep,
            Some(d_step) if self.d_step_holds(d_step) => Hold::Atomic,
            None if node.holds => Hold::Atomic,
            _ => Hold::No,
        };
        let unset = LocationId::new(0);
        let d_step = node.d_step.and_then(|d_step| u32::try_from(d_step).ok());
        (
            target,
            Edge {
                source: unset,
                target: unset,
                action,
                hold,
                rank: 0,
                d_step,
                alternatives: 0,
                span: node.span,
            },
        )
    }

    /// Returns `true` if control is held after a `d_step` because it lies in an `atomic`.
    fn d_step_holds(&self, d_step: DStepId) -> bool {
        self.graph.d_steps[d_step].is_some_and(|block| self.graph.nodes[block].holds)
    }

    /// The location that control reaches from a node.
    pub(super) fn walk(&mut self, start: NodeId, walk: Walk) -> NodeId {
        let mut way = Vec::new();
        let mut at = start;
        let end = loop {
            if let Some(end) = self.found[walk as usize][at] {
                break end;
            }
            way.push(at);
            let Some(next) = self.graph.passed(at) else { break at };
            if walk == Walk::Held && !self.graph.nodes[next].holds {
                break at;
            }
            if walk == Walk::Inside
                && let Some(d_step) = self.graph.nodes[at].d_step
                && self.graph.nodes[next].d_step != Some(d_step)
            {
                let outside = if self.d_step_holds(d_step) { Walk::Held } else { Walk::Free };
                break self.walk(next, outside);
            }
            at = next;
        };
        for passed in way {
            self.found[walk as usize][passed] = Some(end);
        }
        end
    }
}
