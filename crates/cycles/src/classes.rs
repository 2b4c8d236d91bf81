//! The graph without parallel edges on which the searches work.
//!
//! All edges from one vertex to another form one *class*. A cycle of classes represents as many
//! cycles of edges as the product of the sizes of its classes, and is found once for all of them.

use crate::graph::{EdgeId, Multigraph, VertexId, narrow};
use crate::scc::Compact;

/// Marks a missing edge or vertex.
pub(crate) const NONE: u32 = u32::MAX;

/// The classes of a multigraph, with a linked list of the edges of each class.
///
/// Memory: 20 bytes per edge at most, 4 per vertex.
#[derive(Clone, Debug)]
pub(crate) struct Classes {
    /// Index of the first class of each vertex; one more entry for the end of the last.
    first_out: Vec<u32>,
    /// The vertex that each class enters, ascending for the same source.
    targets: Vec<u32>,
    /// The least edge of each class.
    leaders: Vec<EdgeId>,
    /// The linked lists of the classes.
    pub(crate) variants: Variants,
}

/// The position of each edge among its parallel edges.
#[derive(Clone, Debug)]
pub(crate) struct Variants {
    /// The next greater parallel edge, or [`NONE`].
    next: Vec<u32>,
    /// The least parallel edge.
    leader: Vec<EdgeId>,
    /// Number of edges of the class, stored at its leader.
    size: Vec<u32>,
}

impl Variants {
    /// The next greater edge that is parallel to `edge`.
    pub(crate) fn next(&self, edge: EdgeId) -> Option<EdgeId> {
        let next = self.next[edge.index()];
        (next != NONE).then_some(EdgeId::new(next))
    }

    /// The least edge that is parallel to `edge`.
    pub(crate) fn leader(&self, edge: EdgeId) -> EdgeId {
        self.leader[edge.index()]
    }

    /// Number of edges of the class of the leader `edge`.
    pub(crate) fn size(&self, edge: EdgeId) -> u32 {
        self.size[edge.index()]
    }
}

impl Classes {
    /// The classes of `graph`. Time and memory: O(V + E).
    pub(crate) fn of(graph: &Multigraph) -> Self {
        let mut classes = Self {
            first_out: vec![0],
            targets: Vec::with_capacity(graph.edge_count()),
            leaders: Vec::with_capacity(graph.edge_count()),
            variants: Variants {
                next: vec![NONE; graph.edge_count()],
                leader: (0..narrow(graph.edge_count())).map(EdgeId::new).collect(),
                size: vec![1; graph.edge_count()],
            },
        };
        classes.first_out.reserve(graph.vertex_count());
        let mut source = 0;
        let mut last = None;
        for edge in by_ends(graph) {
            let ends = (graph.source(edge), graph.target(edge));
            while source < ends.0.index() {
                classes.first_out.push(narrow(classes.targets.len()));
                source += 1;
            }
            match last {
                Some((before, parallel)) if before == ends => classes.add_variant(parallel, edge),
                _ => {
                    classes.targets.push(narrow(ends.1.index()));
                    classes.leaders.push(edge);
                }
            }
            last = Some((ends, edge));
        }
        classes.first_out.resize(graph.vertex_count() + 1, narrow(classes.targets.len()));
        classes
    }

    /// Adds `edge` to the class whose last edge is `last`.
    fn add_variant(&mut self, last: EdgeId, edge: EdgeId) {
        let leader = self.variants.leader[last.index()];
        self.variants.next[last.index()] = narrow(edge.index());
        self.variants.leader[edge.index()] = leader;
        self.variants.size[leader.index()] += 1;
    }

    /// The graph of classes.
    pub(crate) fn compact(&self) -> Compact<'_> {
        Compact { first: &self.first_out, targets: &self.targets }
    }

    /// The number of vertices.
    pub(crate) fn vertex_count(&self) -> usize {
        self.first_out.len() - 1
    }

    /// The numbers of the classes that leave `vertex`, by ascending target.
    pub(crate) fn out(&self, vertex: u32) -> std::ops::Range<usize> {
        self.first_out[vertex as usize] as usize..self.first_out[vertex as usize + 1] as usize
    }

    /// The least self-loop of `vertex`, if it has one. Time logarithmic in its classes.
    pub(crate) fn self_loop(&self, vertex: u32) -> Option<EdgeId> {
        let out = self.out(vertex);
        let place = self.targets[out.clone()].binary_search(&vertex).ok()?;
        Some(self.leaders[out.start + place])
    }

    /// The vertex that a class enters.
    pub(crate) fn target(&self, class: usize) -> u32 {
        self.targets[class]
    }

    /// The least edge of a class.
    pub(crate) fn leader(&self, class: usize) -> EdgeId {
        self.leaders[class]
    }
}

/// The edges by source, then target, then id: two counting sorts, the second of which is the
/// graph's own.
fn by_ends(graph: &Multigraph) -> Vec<EdgeId> {
    let count = graph.vertex_count();
    let mut next_in = vec![0u32; count + 1];
    for (_, target) in graph.ends() {
        next_in[target.index() + 1] += 1;
    }
    for vertex in 0..count {
        next_in[vertex + 1] += next_in[vertex];
    }
    let mut by_target = vec![EdgeId::new(0); graph.edge_count()];
    for (edge, (_, target)) in graph.ends().enumerate() {
        let slot = &mut next_in[target.index()];
        by_target[*slot as usize] = EdgeId::new(narrow(edge));
        *slot += 1;
    }
    let mut next_out: Vec<u32> = (0..count).map(|v| graph.out_start(VertexId::new(narrow(v)))).collect();
    let mut sorted = vec![EdgeId::new(0); graph.edge_count()];
    for edge in by_target {
        let slot = &mut next_out[graph.source(edge).index()];
        sorted[*slot as usize] = edge;
        *slot += 1;
    }
    sorted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parallel_edges_make_one_class() {
        let graph = Multigraph::new(3, [(0, 2), (0, 1), (2, 0), (0, 2), (2, 2), (0, 2)]).unwrap();
        let classes = Classes::of(&graph);
        let out = |vertex| classes.out(vertex).map(|class| classes.target(class)).collect::<Vec<_>>();
        assert_eq!((out(0), out(1), out(2)), (vec![1, 2], vec![], vec![0, 2]));
        let class = classes.out(0).end - 1;
        let leader = classes.leader(class);
        let variants = &classes.variants;
        assert_eq!((leader, variants.size(leader)), (EdgeId::new(0), 3));
        assert_eq!(variants.next(leader), Some(EdgeId::new(3)));
        assert_eq!(variants.next(EdgeId::new(3)), Some(EdgeId::new(5)));
        assert_eq!((variants.next(EdgeId::new(5)), variants.leader(EdgeId::new(5))), (None, leader));
    }
}
