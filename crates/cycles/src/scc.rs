//! Strongly connected components of graphs in compact form, without recursion.

use crate::classes::NONE;
use crate::graph::narrow;

/// A graph in compact form: successors of vertex v are `targets[first[v]..first[v + 1]]`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Compact<'a> {
    pub(crate) first: &'a [u32],
    pub(crate) targets: &'a [u32],
}

/// Tarjan's algorithm with its buffers, which are reused from one graph to the next.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scc {
    /// Position of each vertex in the order of discovery; [`NONE`] before that.
    place: Vec<u32>,
    /// The index of each vertex's component, once known.
    component: Vec<u32>,
    low: Vec<u32>,
    /// Vertices whose component is not known yet.
    open: Vec<u32>,
    /// The path of the search: each vertex with its next arc.
    path: Vec<(u32, u32)>,
    /// For each component the index of its set in the result; [`NONE`] before it has one.
    slot: Vec<u32>,
    sizes: Vec<u32>,
}

impl Scc {
    /// The strongly connected components among the vertices from `start` on that have more than one
    /// vertex, or one for which `looped` is true: by ascending least vertex, each ascending.
    ///
    /// Time and memory: O(V + E).
    pub(crate) fn components(
        &mut self,
        graph: Compact<'_>,
        start: u32,
        looped: impl Fn(u32) -> bool,
    ) -> Vec<Vec<u32>> {
        let count = narrow(graph.first.len() - 1);
        self.search(graph, start, count);
        self.slot.clear();
        self.slot.resize(self.sizes.len(), NONE);
        let mut result: Vec<Vec<u32>> = Vec::new();
        for vertex in start..count {
            let component = self.component[vertex as usize] as usize;
            let size = self.sizes[component] as usize;
            if size == 1 && !looped(vertex) {
                continue;
            }
            if self.slot[component] == NONE {
                self.slot[component] = narrow(result.len());
                result.push(Vec::with_capacity(size));
            }
            result[self.slot[component] as usize].push(vertex);
        }
        result
    }

    fn search(&mut self, graph: Compact<'_>, start: u32, count: u32) {
        self.place.clear();
        self.place.resize(count as usize, NONE);
        self.component.clear();
        self.component.resize(count as usize, NONE);
        self.low.clear();
        self.low.resize(count as usize, 0);
        self.sizes.clear();
        let mut found = 0;
        for vertex in start..count {
            if self.place[vertex as usize] == NONE {
                self.discover(graph, vertex, &mut found);
                self.walk(graph, start, &mut found);
            }
        }
    }

    fn discover(&mut self, graph: Compact<'_>, vertex: u32, found: &mut u32) {
        self.place[vertex as usize] = *found;
        self.low[vertex as usize] = *found;
        *found += 1;
        self.open.push(vertex);
        self.path.push((vertex, graph.first[vertex as usize]));
    }

    fn walk(&mut self, graph: Compact<'_>, start: u32, found: &mut u32) {
        while let Some(top) = self.path.last_mut() {
            let vertex = top.0;
            if top.1 == graph.first[vertex as usize + 1] {
                self.path.pop();
                self.leave(vertex);
                continue;
            }
            let target = graph.targets[top.1 as usize];
            top.1 += 1;
            if target < start {
                continue;
            }
            match self.place[target as usize] {
                NONE => self.discover(graph, target, found),
                place if self.component[target as usize] == NONE => {
                    let low = &mut self.low[vertex as usize];
                    *low = place.min(*low);
                }
                _ => {}
            }
        }
    }

    /// Finishes the visit of a vertex: closes its component if the vertex was discovered first in
    /// it.
    fn leave(&mut self, vertex: u32) {
        let low = self.low[vertex as usize];
        if low == self.place[vertex as usize] {
            let number = narrow(self.sizes.len());
            let mut size = 0;
            while let Some(member) = self.open.pop() {
                self.component[member as usize] = number;
                size += 1;
                if member == vertex {
                    break;
                }
            }
            self.sizes.push(size);
        }
        if let Some(&(parent, _)) = self.path.last() {
            let parent = &mut self.low[parent as usize];
            *parent = low.min(*parent);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn components(count: usize, edges: &[(u32, u32)], start: u32) -> Vec<Vec<u32>> {
        let mut first = vec![0];
        let mut targets = Vec::new();
        for vertex in 0..narrow(count) {
            targets.extend(edges.iter().filter(|edge| edge.0 == vertex).map(|edge| edge.1));
            first.push(narrow(targets.len()));
        }
        let looped = |vertex| edges.contains(&(vertex, vertex));
        Scc::default().components(Compact { first: &first, targets: &targets }, start, looped)
    }

    #[test]
    fn components_ascend_and_acyclic_vertices_are_left_out() {
        // 5 <-> 1, 0 -> 4 -> 2 -> 4, 3 with a self-loop, 6 alone, 0 acyclic.
        let edges = [(5, 1), (1, 5), (0, 4), (4, 2), (2, 4), (3, 3), (1, 2)];
        assert_eq!(components(7, &edges, 0), [vec![1, 5], vec![2, 4], vec![3]]);
    }

    #[test]
    fn vertices_before_the_start_are_not_there() {
        let edges = [(0, 1), (1, 2), (2, 3), (3, 0), (2, 1), (3, 3), (0, 0)];
        assert_eq!(components(4, &edges, 0), [vec![0, 1, 2, 3]]);
        assert_eq!(components(4, &edges, 1), [vec![1, 2], vec![3]]);
        assert_eq!(components(4, &edges, 2), [vec![3]]);
    }
}
