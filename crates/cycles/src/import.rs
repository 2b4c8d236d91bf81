//! Import of petgraph's graphs.

use petgraph::Directed;
use petgraph::visit::{EdgeRef, GraphProp, IntoEdgeReferences, NodeIndexable};

use crate::enumerate::Cycle;
use crate::graph::{EdgeId, GraphError, Multigraph};

impl Multigraph {
    /// Converts a directed graph of petgraph to a multigraph, with a map from its edges back to
    /// petgraph's.
    ///
    /// The id of a vertex is petgraph's index of the node; indices that are not in use become
    /// vertices without edges. Edge ids follow the order of `edge_references`. Time and memory: O(V
    /// + E).
    ///
    /// # Errors
    /// If node indices or edges number 2^32 - 1 or more.
    pub fn from_petgraph<G>(graph: G) -> Result<Imported<G::EdgeId>, GraphError>
    where
        G: IntoEdgeReferences + NodeIndexable + GraphProp<EdgeType = Directed>,
    {
        let mut originals = Vec::new();
        let edges = graph.edge_references().map(|edge| {
            originals.push(edge.id());
            (graph.to_index(edge.source()), graph.to_index(edge.target()))
        });
        let graph = Self::new(graph.node_bound(), edges)?;
        Ok(Imported { graph, originals })
    }
}

/// A [`Multigraph`] converted from petgraph, with petgraph's id of each of its edges.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Imported<E> {
    /// The graph.
    pub graph: Multigraph,
    originals: Vec<E>,
}

impl<E: Copy> Imported<E> {
    /// The elementary cycles, each as petgraph's ids of its edges, in the [documented
    /// order](crate#order), where vertices are ordered by their indices and parallel edges as
    /// `edge_references` has them. Found as they are asked for, at the cost of
    /// [`elementary_cycles`](crate::elementary_cycles).
    pub fn cycles(&self) -> impl Iterator<Item = Vec<E>> + '_ {
        crate::elementary_cycles(&self.graph).map(|cycle| self.originals(&cycle).collect())
    }

    /// Petgraph's id of `edge`.
    ///
    /// # Panics
    /// If the graph has no such edge.
    #[must_use]
    pub fn original(&self, edge: EdgeId) -> E {
        self.originals[edge.index()]
    }

    /// Petgraph's ids of the edges of `cycle`, in the order of the cycle.
    ///
    /// # Panics
    /// If `cycle` is not a cycle of this graph: it has an edge that the graph has not.
    pub fn originals<'a>(&'a self, cycle: &'a Cycle) -> impl ExactSizeIterator<Item = E> + 'a {
        cycle.edges.iter().map(|&edge| self.original(edge))
    }
}

#[cfg(test)]
mod tests {
    use petgraph::graph::DiGraph;
    use petgraph::visit::{EdgeFiltered, NodeFiltered};

    use super::*;

    #[test]
    fn holes_in_the_indices_of_petgraph_keep_their_ids() {
        let mut whole = DiGraph::<(), bool>::new();
        let nodes: Vec<_> = (0..4).map(|_| whole.add_node(())).collect();
        whole.add_edge(nodes[0], nodes[3], false);
        let there = whole.add_edge(nodes[0], nodes[3], true);
        whole.add_edge(nodes[3], nodes[1], true);
        let back = whole.add_edge(nodes[3], nodes[0], true);
        whole.add_edge(nodes[1], nodes[0], true);
        let holes = EdgeFiltered::from_fn(&whole, |edge| *edge.weight());
        let holes = NodeFiltered::from_fn(&holes, |node| node != nodes[1]);
        let imported = Multigraph::from_petgraph(&holes).unwrap();
        assert_eq!((imported.graph.vertex_count(), imported.graph.edge_count()), (4, 2));
        assert_eq!(imported.original(EdgeId::new(1)), back);
        let cycles: Vec<_> = crate::elementary_cycles(&imported.graph).collect();
        assert_eq!(cycles.len(), 1);
        assert_eq!(imported.originals(&cycles[0]).collect::<Vec<_>>(), [there, back]);
    }
}
