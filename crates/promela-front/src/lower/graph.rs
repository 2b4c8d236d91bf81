//! From nodes, one per statement, to the control-flow graph.
//!
//! A node is a state in Spin's sense. The edges of a selection are those of its options' first
//! statements, all leaving from the selection's own location; a selection that is itself the first
//! statement of an option is merged in the same way, so that an `else` in it refers to all edges of that
//! location, as in Spin's verifier. A loop that is merged so keeps a location of its own, to which its
//! options return, with edges of its own. A jump without a label is no state, edges lead past it, unless
//! it leaves an `atomic` or begins an option. A jump with a label is a state, so that no label is lost.

use cfsm_core::ids::{Id, IdMap};
use cfsm_core::program::{Action, Edge, EdgeId, Expression, Hold, Location, LocationId};
use cfsm_core::source::Span;

use crate::ast::Name;
use crate::codes;
use crate::diagnostic::Diagnostic;
use crate::resolve::suggest::closest;

/// Position of a node.
pub(super) type NodeId = usize;
/// Position of an `atomic` or `d_step` block.
pub(super) type BlockId = usize;

/// Where a jump leads.
#[derive(Clone, Debug)]
pub(super) enum Target {
    /// To a label that is looked up at the end; with the scope of the jump.
    Label(Name, Vec<u32>),
    /// To a node.
    Node(NodeId),
    /// Nowhere: it was reported.
    Unknown,
}

#[derive(Clone, Debug)]
pub(super) enum NodeKind {
    /// A statement.
    Action(Action, NodeId),
    /// `goto` or `break`.
    Goto(Target),
    /// `if` or `do`: the first nodes of its options.
    Choice(Vec<NodeId>),
    /// `atomic` or `d_step`: its first node.
    Enter(NodeId),
    /// What leads on to another node: the place behind a statement.
    Join(NodeId),
    /// The end of the body.
    Exit,
}

#[derive(Clone, Debug)]
pub(super) struct Node {
    pub kind: NodeKind,
    pub labels: Vec<String>,
    pub span: Span,
    /// The innermost block it lies in.
    pub block: Option<BlockId>,
}

/// An `atomic` or `d_step`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Region {
    pub parent: Option<BlockId>,
    pub deterministic: bool,
}

/// A label, the scope it stands in, and its node.
#[derive(Clone, Debug)]
struct LabelAt {
    name: Name,
    scope: Vec<u32>,
    node: NodeId,
}

/// The body of a process while it is built.
#[derive(Debug, Default)]
pub(super) struct Graph {
    pub nodes: Vec<Node>,
    pub regions: Vec<Region>,
    labels: Vec<LabelAt>,
}

/// The finished graph.
pub(super) struct Flow {
    pub locations: IdMap<LocationId, Location>,
    pub edges: IdMap<EdgeId, Edge>,
    pub entry: LocationId,
    pub exit: LocationId,
}

impl Graph {
    pub fn push(&mut self, kind: NodeKind, span: Span, block: Option<BlockId>) -> NodeId {
        self.nodes.push(Node { kind, labels: Vec::new(), span, block });
        self.nodes.len() - 1
    }

    /// Puts a label on a node; an earlier one of the same name in the same scope is an error.
    pub fn label(&mut self, name: &Name, scope: &[u32], node: NodeId) -> Option<Diagnostic> {
        let earlier = self.labels.iter().find(|label| label.name.text == name.text && label.scope == scope);
        let diagnostic = earlier.map(|earlier| {
            let message = format!("the label `{}` exists already", name.text);
            Diagnostic::error(codes::DUPLICATE_LABEL, name.span, message)
                .with_label(earlier.name.span, "it is here")
        });
        self.labels.push(LabelAt { name: name.clone(), scope: scope.to_vec(), node });
        self.nodes[node].labels.push(name.text.clone());
        diagnostic
    }

    /// Leads jumps to their labels: one in the same scope, else in the innermost scope around the jump,
    /// else the last one anywhere.
    pub fn link(&mut self) -> Vec<Diagnostic> {
        let mut diagnostics = Vec::new();
        for id in 0..self.nodes.len() {
            let NodeKind::Goto(target) = &self.nodes[id].kind else {
                continue;
            };
            let found = match target {
                Target::Unknown => continue,
                Target::Node(node) => Some(*node),
                Target::Label(name, scope) => {
                    let found = self.find(name, scope);
                    if found.is_none() {
                        let known = self.labels.iter().map(|label| label.name.text.as_str());
                        let hint = closest(&name.text, known).map(|name| format!("did you mean `{name}`?"));
                        let message = format!("there is no label `{}` in this process", name.text);
                        let diagnostic = Diagnostic::error(codes::UNKNOWN_LABEL, name.span, message);
                        diagnostics.push(diagnostic.with_hint_if(hint));
                    }
                    found
                }
            };
            if let Some(target) = found
                && self.d_step(self.nodes[id].block) != self.d_step(self.nodes[target].block)
            {
                let message = "a jump cannot lead into or out of `d_step`";
                diagnostics.push(Diagnostic::error(codes::D_STEP_JUMP, self.nodes[id].span, message));
            }
            self.nodes[id].kind = NodeKind::Goto(found.map_or(Target::Unknown, Target::Node));
        }
        diagnostics.extend(self.goto_loops());
        diagnostics
    }

    fn find(&self, name: &Name, scope: &[u32]) -> Option<NodeId> {
        let same_name = || self.labels.iter().filter(|label| label.name.text == name.text);
        let around = same_name().filter(|label| scope.starts_with(&label.scope));
        let best = around.max_by_key(|label| label.scope.len()).or_else(|| same_name().next_back());
        best.map(|label| label.node)
    }

    /// The outermost `d_step` around a block.
    fn d_step(&self, mut block: Option<BlockId>) -> Option<BlockId> {
        let mut found = None;
        while let Some(id) = block {
            if self.regions[id].deterministic {
                found = Some(id);
            }
            block = self.regions[id].parent;
        }
        found
    }

    /// Jumps from which nothing but jumps can be reached: one for each circle of them.
    fn goto_loops(&self) -> Vec<Diagnostic> {
        let mut diagnostics = Vec::new();
        let mut seen_from = vec![usize::MAX; self.nodes.len()];
        for start in 0..self.nodes.len() {
            let mut at = start;
            while seen_from[at] == usize::MAX {
                seen_from[at] = start;
                let Some(next) = self.jump(at) else { break };
                at = next;
                if seen_from[at] == start {
                    let message = "this jump leads back to itself without a statement on the way";
                    diagnostics.push(Diagnostic::error(codes::GOTO_LOOP, self.nodes[at].span, message));
                }
            }
        }
        diagnostics
    }

    fn jump(&self, id: NodeId) -> Option<NodeId> {
        match self.nodes[id].kind {
            NodeKind::Goto(Target::Node(next)) | NodeKind::Join(next) => Some(next),
            _ => None,
        }
    }

    /// The state that a step from some block leads to: past joins and past jumps without labels. A jump
    /// out of a block is a step of its own, the last one of the block, as in Spin.
    fn state(&self, mut id: NodeId, from: Option<BlockId>) -> NodeId {
        loop {
            let node = &self.nodes[id];
            match node.kind {
                NodeKind::Join(next) => id = next,
                NodeKind::Goto(Target::Node(next)) if node.labels.is_empty() => {
                    let next = self.past_joins(next);
                    if from.is_some() && node.block.is_some() && self.nodes[next].block.is_none() {
                        return id;
                    }
                    id = next;
                }
                _ => return id,
            }
        }
    }

    /// The locations that can be reached and their edges. Only for a graph without errors. Time linear
    /// in the edges, which nested loops at the beginning of options multiply by their depth.
    pub fn flow(&self, first: NodeId, exit: NodeId) -> Flow {
        let first = self.state(first, None);
        let mut seen = vec![false; self.nodes.len()];
        let mut work = vec![first];
        let mut edges_of: Vec<Vec<(NodeId, Edge)>> = vec![Vec::new(); self.nodes.len()];
        while let Some(id) = work.pop() {
            if std::mem::replace(&mut seen[id], true) {
                continue;
            }
            let mut found = Vec::new();
            self.edges(id, &mut found);
            work.extend(found.iter().map(|(target, _)| *target));
            edges_of[id] = found;
        }
        seen[exit] = false;
        let order: Vec<NodeId> =
            (0..self.nodes.len()).filter(|&id| seen[id]).chain(std::iter::once(exit)).collect();
        let mut number = vec![LocationId::new(0); self.nodes.len()];
        for (position, id) in order.iter().enumerate() {
            number[*id] = LocationId::new(position);
        }
        let mut flow =
            Flow { locations: IdMap::new(), edges: IdMap::new(), entry: number[first], exit: number[exit] };
        for id in order {
            let node = &self.nodes[id];
            flow.locations.push(Location { labels: node.labels.clone(), span: node.span });
            for (target, edge) in std::mem::take(&mut edges_of[id]) {
                flow.edges.push(Edge { source: number[id], target: number[target], ..edge });
            }
        }
        flow
    }

    fn past_joins(&self, mut id: NodeId) -> NodeId {
        while let NodeKind::Join(next) = self.nodes[id].kind {
            id = next;
        }
        id
    }

    /// The edges that leave from a node, with the nodes they lead to; source and target are filled in
    /// later.
    fn edges(&self, id: NodeId, found: &mut Vec<(NodeId, Edge)>) {
        let node = &self.nodes[id];
        let (action, next) = match &node.kind {
            NodeKind::Choice(options) => {
                for &option in options {
                    self.edges(self.past_joins(option), found);
                }
                return;
            }
            NodeKind::Enter(first) => return self.edges(self.past_joins(*first), found),
            NodeKind::Action(action, next) => (action.clone(), *next),
            NodeKind::Goto(Target::Node(next)) => (Action::Condition(Expression::Constant(1)), *next),
            NodeKind::Goto(_) | NodeKind::Join(_) | NodeKind::Exit => return,
        };
        let target = self.state(next, node.block);
        let hold = self.hold(node.block, self.nodes[target].block);
        let unset = LocationId::new(0);
        let edge = Edge { source: unset, target: unset, action, hold, rank: 0, span: node.span };
        found.push((target, edge));
    }

    /// Atomicity lasts while the process stays inside blocks, be it by a jump from one to another.
    fn hold(&self, from: Option<BlockId>, to: Option<BlockId>) -> Hold {
        if from.is_none() || to.is_none() {
            return Hold::No;
        }
        match self.d_step(from) {
            Some(block) if self.d_step(to) == Some(block) => Hold::DStep,
            _ => Hold::Atomic,
        }
    }
}
