//! The cycles of a whole graph: component after component, root after root.

use std::collections::BTreeMap;
use std::iter::FusedIterator;

use crate::component::{Component, components_of};
use crate::graph::{EdgeId, Multigraph, VertexId};
use crate::johnson::Search;

/// An elementary cycle: it leaves each of its vertices by one edge and enters it by one.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Cycle {
    /// The edges in the order of the cycle, from the one that leaves its least vertex to the one that
    /// returns there. Never empty; one edge if the cycle is a self-loop.
    pub edges: Vec<EdgeId>,
}

impl Cycle {
    /// The number of edges, which is the number of vertices: at least 1.
    #[must_use]
    pub fn length(&self) -> usize {
        self.edges.len()
    }

    /// The vertices in the order of the cycle, from the least one on, each once.
    ///
    /// # Panics
    /// If this is not a cycle of `graph`: it has an edge that the graph has not.
    pub fn vertices<'a>(&'a self, graph: &'a Multigraph) -> impl ExactSizeIterator<Item = VertexId> + 'a {
        self.edges.iter().map(|&edge| graph.source(edge))
    }
}

/// The elementary cycles of `graph`, each once, found as they are asked for.
///
/// They come by ascending least vertex, then in lexicographic order of their edge ids. The call takes
/// O(V + E) time, and so does each cycle; the iterator holds O(V + E) memory. See the
/// [front page](crate) for the source.
#[must_use]
pub fn elementary_cycles(graph: &Multigraph) -> ElementaryCycles<'_> {
    let mut pending = BTreeMap::new();
    add(&mut pending, components_of(graph));
    ElementaryCycles { graph, pending, search: None, scratch: Component::scratch(graph) }
}

/// The iterator that [`elementary_cycles`] returns.
#[derive(Clone, Debug)]
pub struct ElementaryCycles<'g> {
    graph: &'g Multigraph,
    /// Disjoint sets of vertices by the least of each: the components, of the graph without the roots so
    /// far, whose cycles are still to come. Each has one, so that none is pending in vain.
    pending: BTreeMap<VertexId, Vec<VertexId>>,
    /// The search in the component at hand.
    search: Option<Search>,
    scratch: Vec<u32>,
}

impl ElementaryCycles<'_> {
    /// The edges of the next cycle, as `next` gives them but lent instead of copied.
    ///
    /// Time: O(V + E); without allocation except where a new root is begun.
    pub fn next_edges(&mut self) -> Option<&[EdgeId]> {
        while !self.search.as_mut().is_some_and(Search::advance) {
            if let Some(finished) = self.search.take() {
                let parts = finished.into_component().split(self.graph, &mut self.scratch);
                add(&mut self.pending, parts);
            }
            self.search = Some(self.begin()?);
        }
        self.search.as_ref().map(Search::cycle)
    }

    /// The search from the least root that is left.
    fn begin(&mut self) -> Option<Search> {
        let (_, vertices) = self.pending.pop_first()?;
        Some(Search::new(Component::induced(self.graph, vertices, &mut self.scratch)))
    }
}

/// Adds components to the pending ones.
fn add(pending: &mut BTreeMap<VertexId, Vec<VertexId>>, components: Vec<Vec<VertexId>>) {
    pending.extend(components.into_iter().map(|vertices| (vertices[0], vertices)));
}

impl Iterator for ElementaryCycles<'_> {
    type Item = Cycle;

    fn next(&mut self) -> Option<Cycle> {
        self.next_edges().map(|edges| Cycle { edges: edges.to_vec() })
    }
}

impl FusedIterator for ElementaryCycles<'_> {}

/// The first cycles of a graph, and whether there are no others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bounded {
    /// The cycles, in the order of [`elementary_cycles`]; no more than the limit.
    pub cycles: Vec<Cycle>,
    /// Whether these are all cycles of the graph. Also true if there are exactly as many as the limit.
    pub complete: bool,
}

/// The first `limit` elementary cycles of `graph`, and whether these are all.
///
/// Time: O((V + E)(k + 1)) for k cycles returned. Memory: O(V + E) and that of the cycles, up to V edges
/// each.
#[must_use]
pub fn bounded(graph: &Multigraph, limit: usize) -> Bounded {
    let mut rest = elementary_cycles(graph);
    let cycles = rest.by_ref().take(limit).collect();
    Bounded { cycles, complete: rest.next_edges().is_none() }
}

/// How many cycles a graph has, as far as they were counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Count {
    /// The number of cycles counted; no more than the limit.
    pub cycles: usize,
    /// Whether the graph has no others. Also true if there are exactly as many as the limit.
    pub complete: bool,
}

/// Counts the elementary cycles of `graph`, but none beyond `limit`.
///
/// Time: O((V + E)(k + 1)) for k cycles counted. Memory: O(V + E).
#[must_use]
pub fn count(graph: &Multigraph, limit: usize) -> Count {
    let mut rest = elementary_cycles(graph);
    let mut cycles = 0;
    while rest.next_edges().is_some() {
        if cycles == limit {
            return Count { cycles, complete: false };
        }
        cycles += 1;
    }
    Count { cycles, complete: true }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limit_is_hit_only_if_there_is_more() {
        let graph = Multigraph::new(2, [(0, 1), (1, 0), (1, 0)]).unwrap();
        for (limit, complete) in [(0, false), (1, false), (2, true), (3, true), (usize::MAX, true)] {
            let some = bounded(&graph, limit);
            assert_eq!((some.cycles.len(), some.complete), (limit.min(2), complete), "limit {limit}");
            assert_eq!(count(&graph, limit), Count { cycles: limit.min(2), complete });
        }
        let acyclic = Multigraph::new(2, [(0, 1)]).unwrap();
        assert!(bounded(&acyclic, 0).complete);
    }

    #[test]
    fn lent_and_copied_cycles_agree_and_the_end_stays() {
        let graph = Multigraph::new(3, [(0, 1), (1, 2), (2, 0), (1, 0), (2, 2)]).unwrap();
        let copied: Vec<_> = elementary_cycles(&graph).map(|cycle| cycle.edges).collect();
        let mut lending = elementary_cycles(&graph);
        let mut lent = Vec::new();
        while let Some(edges) = lending.next_edges() {
            lent.push(edges.to_vec());
        }
        assert_eq!(copied, lent);
        assert_eq!(lent.len(), 3);
        assert!(lending.next().is_none() && lending.next_edges().is_none());
    }

    #[test]
    fn vertices_start_at_the_least() {
        let graph = Multigraph::new(4, [(3, 1), (1, 2), (2, 3)]).unwrap();
        let cycle = elementary_cycles(&graph).next().unwrap();
        assert_eq!(cycle.length(), 3);
        assert_eq!(cycle.vertices(&graph).map(VertexId::index).collect::<Vec<_>>(), [1, 2, 3]);
    }
}
