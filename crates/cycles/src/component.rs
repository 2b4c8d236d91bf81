//! Strongly connected components that hold a cycle, each as a small graph of its own.

use petgraph::algo::kosaraju_scc;
use petgraph::graph::{DiGraph, NodeIndex};

use crate::graph::{EdgeId, Multigraph, VertexId, narrow};

/// Stands for a vertex outside the component.
const OUTSIDE: u32 = u32::MAX;

/// The strongly connected components with at least one edge inside, of the graph with the given arcs:
/// by ascending least vertex, and each as its vertices in ascending order.
///
/// Time and memory: O(V + E).
fn cyclic_components(vertex_count: usize, arcs: impl Iterator<Item = (u32, u32)>) -> Vec<Vec<u32>> {
    let mut graph = DiGraph::<(), ()>::with_capacity(vertex_count, arcs.size_hint().0);
    for _ in 0..vertex_count {
        graph.add_node(());
    }
    let mut cyclic = vec![false; vertex_count];
    for (source, target) in arcs {
        if source == target {
            cyclic[source as usize] = true;
        } else {
            graph.add_edge(NodeIndex::new(source as usize), NodeIndex::new(target as usize), ());
        }
    }
    // Not Tarjan's: petgraph's is recursive, and a long chain would overflow the thread's stack.
    let components = kosaraju_scc(&graph);

    // Bucketing the vertices in ascending order sorts each component, and the components by their least
    // vertices, without the logarithm of a comparison sort.
    let mut component_of = vec![OUTSIDE; vertex_count];
    for (number, component) in components.iter().enumerate() {
        if component.len() > 1 || cyclic[component[0].index()] {
            for vertex in component {
                component_of[vertex.index()] = narrow(number);
            }
        }
    }
    let mut slot_of = vec![OUTSIDE; components.len()];
    let mut result: Vec<Vec<u32>> = Vec::new();
    for (vertex, &number) in component_of.iter().enumerate() {
        if number == OUTSIDE {
            continue;
        }
        let slot = &mut slot_of[number as usize];
        if *slot == OUTSIDE {
            *slot = narrow(result.len());
            result.push(Vec::with_capacity(components[number as usize].len()));
        }
        result[*slot as usize].push(narrow(vertex));
    }
    result
}

/// The components of a whole graph that hold a cycle, by ascending least vertex, each ascending.
pub(crate) fn components_of(graph: &Multigraph) -> Vec<Vec<VertexId>> {
    let arcs = graph.ends().map(|(source, target)| (narrow(source.index()), narrow(target.index())));
    let components = cyclic_components(graph.vertex_count(), arcs);
    components.into_iter().map(|vertices| vertices.into_iter().map(VertexId::new).collect()).collect()
}

/// A strongly connected subgraph whose vertices are renumbered `0..len()` in ascending order, so that the
/// root of its search, the least vertex, is vertex 0. Its edges are called *arcs*, to tell their numbers
/// from the ids of the edges of the whole graph.
#[derive(Clone, Debug)]
pub(crate) struct Component {
    /// The vertices of the whole graph, ascending.
    vertices: Vec<VertexId>,
    /// Where the arcs of each vertex begin; one more entry for the end of the last.
    first_arc: Vec<u32>,
    arcs: Vec<Arc>,
}

/// An edge of a component.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arc {
    /// Vertex of the component that it leaves.
    pub(crate) source: u32,
    /// Vertex of the component that it enters.
    pub(crate) target: u32,
    /// Its id in the whole graph.
    pub(crate) edge: EdgeId,
}

impl Component {
    /// The subgraph that `vertices` (ascending) induce.
    ///
    /// `number_of` is scratch space with [`Component::scratch`]'s entry for each vertex of the graph; it is
    /// handed back as it was, so that a small component does not cost time for the whole graph.
    pub(crate) fn induced(graph: &Multigraph, vertices: Vec<VertexId>, number_of: &mut [u32]) -> Self {
        for (number, vertex) in vertices.iter().enumerate() {
            number_of[vertex.index()] = narrow(number);
        }
        let mut first_arc = Vec::with_capacity(vertices.len() + 1);
        let mut arcs = Vec::new();
        first_arc.push(0);
        for (number, &vertex) in vertices.iter().enumerate() {
            let source = narrow(number);
            for &edge in graph.out_edges(vertex) {
                let target = number_of[graph.target(edge).index()];
                // A self-loop is a cycle of its own vertex only; to the searches from others it is noise.
                if target != OUTSIDE && (target != source || source == 0) {
                    arcs.push(Arc { source, target, edge });
                }
            }
            first_arc.push(narrow(arcs.len()));
        }
        for vertex in &vertices {
            number_of[vertex.index()] = OUTSIDE;
        }
        Self { vertices, first_arc, arcs }
    }

    /// The scratch space that [`Component::induced`] needs.
    pub(crate) fn scratch(graph: &Multigraph) -> Vec<u32> {
        vec![OUTSIDE; graph.vertex_count()]
    }

    /// What is left without the root: the components of the rest that hold a cycle, as in [`components_of`].
    ///
    /// The arcs are read off `graph` again, because a component holds no self-loops but those of its root.
    pub(crate) fn split(&self, graph: &Multigraph, number_of: &mut [u32]) -> Vec<Vec<VertexId>> {
        for (number, vertex) in self.vertices.iter().enumerate().skip(1) {
            number_of[vertex.index()] = narrow(number);
        }
        let arcs = self.vertices.iter().enumerate().skip(1).flat_map(|(number, &vertex)| {
            graph.out_edges(vertex).iter().map(move |&edge| (number, graph.target(edge)))
        });
        let inner = arcs.filter_map(|(source, target)| match number_of[target.index()] {
            OUTSIDE => None,
            target => Some((narrow(source), target)),
        });
        let parts = cyclic_components(self.vertices.len(), inner);
        for vertex in &self.vertices {
            number_of[vertex.index()] = OUTSIDE;
        }
        let original = |number: u32| self.vertices[number as usize];
        parts.into_iter().map(|part| part.into_iter().map(original).collect()).collect()
    }

    /// The number of vertices.
    pub(crate) fn len(&self) -> usize {
        self.vertices.len()
    }

    /// The number of arcs.
    pub(crate) fn arc_count(&self) -> usize {
        self.arcs.len()
    }

    /// The arc with the given number.
    pub(crate) fn arc(&self, number: u32) -> Arc {
        self.arcs[number as usize]
    }

    /// The numbers of the arcs that leave `vertex`, by ascending edge id.
    pub(crate) fn arcs_from(&self, vertex: u32) -> std::ops::Range<u32> {
        self.first_arc[vertex as usize]..self.first_arc[vertex as usize + 1]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(parts: &[Vec<VertexId>]) -> Vec<Vec<usize>> {
        parts.iter().map(|part| part.iter().map(|vertex| vertex.index()).collect()).collect()
    }

    #[test]
    fn components_ascend_and_acyclic_vertices_are_left_out() {
        // 5 <-> 1, 0 -> 4 -> 2 -> 4, 3 with a self-loop, 6 alone, 0 acyclic.
        let edges = [(5, 1), (1, 5), (0, 4), (4, 2), (2, 4), (3, 3), (1, 2)];
        let graph = Multigraph::new(7, edges).unwrap();
        assert_eq!(numbers(&components_of(&graph)), [vec![1, 5], vec![2, 4], vec![3]]);
    }

    #[test]
    fn splitting_removes_the_root_and_keeps_the_loops_of_the_others() {
        let edges = [(0, 1), (1, 2), (2, 3), (3, 0), (2, 1), (3, 3), (0, 0)];
        let graph = Multigraph::new(4, edges).unwrap();
        let mut scratch = Component::scratch(&graph);
        let whole = components_of(&graph).remove(0);
        let component = Component::induced(&graph, whole, &mut scratch);
        assert_eq!((component.len(), component.arc_count()), (4, 6));
        assert_eq!(numbers(&component.split(&graph, &mut scratch)), [vec![1, 2], vec![3]]);
        assert_eq!(scratch, Component::scratch(&graph));
    }
}
