//! Effect of `end`, `progress` and `accept` labels beyond the locations where they stand.
//!
//! Spin's verifier merges the first statement of an option or a block into the location of the
//! selection or the block, and passes on the marks of that statement. So the label of a selection
//! or a block that is itself the beginning of an option or a block marks the first statements of
//! its own options; and a mark of a merged statement marks the location after that statement. The
//! same is done here, selection by selection in the order of Spin.

use super::flow::{Builder, Walk};
use super::graph::{NodeId, NodeKind};
use super::statement::is_special;

/// The labels that mark each node.
pub(super) type Marks = Vec<Vec<String>>;

impl Builder<'_> {
    /// The marks of each node: its own labels and those passed on. The graph must be without
    /// errors. Time linear in the edges if something is marked, else in the nodes.
    pub(super) fn marks(&mut self) -> Marks {
        let graph = self.graph;
        let special = |label: &&String| is_special(label);
        let own = graph.nodes.iter().map(|node| node.labels.iter().filter(special).cloned().collect());
        let mut marks: Marks = own.collect();
        if marks.iter().all(Vec::is_empty) {
            return marks;
        }
        let mut order: Vec<NodeId> = (0..graph.nodes.len()).collect();
        order.sort_by_key(|&id| graph.nodes[id].order);
        for &id in &order {
            // Only selections and blocks have merged statements.
            for inner in self.pulled(id).into_iter().filter(|&inner| !self.pulled(inner).is_empty()) {
                self.all_pulled(inner).into_iter().for_each(|step| hand_on(&mut marks, inner, step));
            }
        }
        for &id in &order {
            for step in self.all_pulled(id) {
                let target = self.behind(step);
                hand_on(&mut marks, step, target);
            }
        }
        // The verifier skips the end of an `if`, and so does its search for end states.
        for &id in order.iter().filter(|&&id| matches!(graph.nodes[id].kind, NodeKind::Dot)) {
            let ends: Vec<_> = marks[id].iter().filter(|label| label.starts_with("end")).cloned().collect();
            if !ends.is_empty() {
                let target = self.behind(id);
                marks[target].extend(ends);
            }
        }
        marks
    }

    /// The first statements of the options of a selection, or of a block.
    fn pulled(&self, id: NodeId) -> Vec<NodeId> {
        let node = &self.graph.nodes[id];
        match &node.kind {
            // The inside of a `d_step` has no locations.
            _ if node.d_step.is_some() => Vec::new(),
            NodeKind::Choice(options) => {
                options.iter().map(|option| self.graph.start(option.first)).collect()
            }
            NodeKind::Block { body, d_step: None } => vec![self.graph.start(body.first)],
            NodeKind::Block { .. }
            | NodeKind::Action(_)
            | NodeKind::Goto(_)
            | NodeKind::Dot
            | NodeKind::Behind
            | NodeKind::Unless(_)
            | NodeKind::Exit => Vec::new(),
        }
    }

    /// The merged statements that are steps, through nested selections and blocks.
    fn all_pulled(&self, id: NodeId) -> Vec<NodeId> {
        let (mut found, mut work) = (Vec::new(), self.pulled(id));
        work.reverse();
        while let Some(at) = work.pop() {
            let inner = self.pulled(at);
            if inner.is_empty() {
                found.push(at);
            }
            work.extend(inner.into_iter().rev());
        }
        found
    }

    /// The target of a step; a whole `d_step` is one step.
    fn behind(&mut self, id: NodeId) -> NodeId {
        let node = &self.graph.nodes[id];
        match node.kind {
            NodeKind::Block { .. } => {
                let walk = if node.holds { Walk::Held } else { Walk::Free };
                self.walk(node.next.unwrap_or(id), walk)
            }
            _ => self.edge(id).0,
        }
    }
}

/// Passes the marks of one node on to another.
fn hand_on(marks: &mut Marks, from: NodeId, to: NodeId) {
    for label in marks[from].clone() {
        if !marks[to].contains(&label) {
            marks[to].push(label);
        }
    }
}
