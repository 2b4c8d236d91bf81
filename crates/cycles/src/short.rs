//! Search for cycles with a limited number of edges.
//!
//! A vertex is entered only if its distance to the root around the path fits into the limit: the
//! distances are recomputed, backwards from the root, wherever there is more than one way on. So
//! each vertex that is entered leads to a cycle, and the time between two cycles is at most that of
//! one search for each vertex of the path.

use std::collections::VecDeque;
use std::sync::Arc;

use crate::classes::{NONE, Variants};
use crate::component::Component;
use crate::graph::narrow;
use crate::path::{Mark, Path};
use crate::search::{Fuel, Status, Visitor};

/// A component with its arcs in both directions.
#[derive(Debug)]
struct Graph {
    component: Component,
    first_in: Vec<u32>,
    /// The predecessors of each vertex.
    sources: Vec<u32>,
    /// The largest length of a cycle.
    longest: u32,
}

impl Graph {
    fn new(component: Component, longest: u32) -> Self {
        let count = narrow(component.len());
        let mut first_in = vec![0u32; component.len() + 1];
        for arc in 0..component.arc_count() {
            first_in[component.target(arc) as usize + 1] += 1;
        }
        for vertex in 0..component.len() {
            first_in[vertex + 1] += first_in[vertex];
        }
        let mut next = first_in.clone();
        let mut sources = vec![0; component.arc_count()];
        for source in 0..count {
            for arc in component.out(source) {
                let slot = &mut next[component.target(arc) as usize];
                sources[*slot as usize] = source;
                *slot += 1;
            }
        }
        Self { component, first_in, sources, longest }
    }

    fn before(&self, vertex: u32) -> &[u32] {
        &self.sources[self.first_in[vertex as usize] as usize..self.first_in[vertex as usize + 1] as usize]
    }
}

/// A vertex of the path.
#[derive(Clone, Copy, Debug)]
struct Frame {
    vertex: u32,
    /// Index of its first arc among the arcs to follow; its arcs end where those of the next vertex
    /// begin.
    first: u32,
    /// The next of them.
    next: u32,
    mark: Mark,
}

/// The state of a paused search.
#[derive(Clone, Debug)]
pub(crate) struct Search {
    graph: Arc<Graph>,
    frames: Vec<Frame>,
    /// The arcs to follow, for each vertex of the path: at most all arcs of the component.
    arcs: Vec<u32>,
    on_path: Vec<bool>,
    /// Distances to the root around the path; [`NONE`] where it is too large.
    distance: Vec<u32>,
    /// Vertices whose distance is known.
    known: VecDeque<u32>,
}

impl Search {
    /// The search from the root of a component for cycles of at most `longest` edges.
    pub(crate) fn new(component: Component, longest: usize) -> Self {
        let count = component.len();
        let longest = narrow(longest.min(count));
        let mut search = Self {
            graph: Arc::new(Graph::new(component, longest)),
            frames: Vec::new(),
            arcs: Vec::new(),
            on_path: vec![false; count],
            distance: vec![NONE; count],
            known: VecDeque::new(),
        };
        search.enter(0, Mark::default(), &mut Fuel::new(0));
        search
    }

    /// Continues until there are no more cycles, the visitor stops it, or the fuel is used up.
    pub(crate) fn run(
        &mut self,
        path: &mut Path,
        variants: &Variants,
        fuel: &mut Fuel,
        visitor: &mut impl Visitor,
    ) -> Status {
        let graph = Arc::clone(&self.graph);
        while let Some(top) = self.frames.last_mut() {
            let Some(&arc) = self.arcs.get(top.next as usize) else {
                self.arcs.truncate(top.first as usize);
                self.on_path[top.vertex as usize] = false;
                self.frames.pop();
                continue;
            };
            if !fuel.burn() {
                return Status::Paused;
            }
            top.next += 1;
            path.back_to(top.mark);
            path.push_class(graph.component.edge(arc as usize), variants);
            let target = graph.component.target(arc as usize);
            if target != 0 {
                self.enter(target, path.mark(), fuel);
            } else if visitor.visit(path).is_break() {
                return Status::Stopped;
            }
        }
        Status::Done
    }

    /// Appends a vertex to the path, with the arcs that lead to a short cycle.
    fn enter(&mut self, vertex: u32, mark: Mark, fuel: &mut Fuel) {
        let graph = Arc::clone(&self.graph);
        self.on_path[vertex as usize] = true;
        let first = narrow(self.arcs.len());
        self.frames.push(Frame { vertex, first, next: first, mark });
        let left = graph.longest.saturating_sub(mark.length());
        self.measure(&graph, left, fuel);
        for arc in graph.component.out(vertex) {
            fuel.spend();
            if self.distance[graph.component.target(arc) as usize] < left {
                self.arcs.push(narrow(arc));
            }
        }
        for vertex in self.known.drain(..) {
            self.distance[vertex as usize] = NONE;
        }
    }

    /// Computes all distances below `bound`, by backward breadth-first search. Stores the vertices
    /// with such a distance in `known`.
    fn measure(&mut self, graph: &Graph, bound: u32, fuel: &mut Fuel) {
        if bound == 0 {
            return;
        }
        self.distance[0] = 0;
        self.known.push_back(0);
        let mut at = 0;
        while let Some(&vertex) = self.known.get(at) {
            at += 1;
            let next = self.distance[vertex as usize] + 1;
            if next >= bound {
                break;
            }
            for &source in graph.before(vertex) {
                fuel.spend();
                if self.distance[source as usize] == NONE && !self.on_path[source as usize] {
                    self.distance[source as usize] = next;
                    self.known.push_back(source);
                }
            }
        }
    }

    /// Splits off part of the remaining work: see the search of the same name on small components.
    #[cfg(any(test, feature = "rayon"))]
    pub(crate) fn split(&mut self, path: &Path) -> Option<(Self, Path)> {
        let ends = self.frames.iter().skip(1).map(|frame| frame.first).chain([narrow(self.arcs.len())]);
        let depth = self.frames.iter().zip(ends.clone()).position(|(frame, end)| frame.next < end)?;
        let end = ends.clone().nth(depth)?;
        let frame = self.frames[depth];
        let all = end - frame.next;
        let stay = if depth + 1 == self.frames.len() { all.div_ceil(2) } else { all / 2 };
        let middle = frame.next + stay;
        if middle == end {
            return None;
        }
        let mut taken = self.clone();
        taken.frames.truncate(depth + 1);
        taken.frames[depth].next = middle;
        taken.arcs.truncate(end as usize);
        for frame in &self.frames[depth + 1..] {
            taken.on_path[frame.vertex as usize] = false;
        }
        self.skip(depth, middle..end);
        Some((taken, path.clone()))
    }

    /// Removes arcs of a vertex of the path.
    #[cfg(any(test, feature = "rayon"))]
    fn skip(&mut self, depth: usize, arcs: std::ops::Range<u32>) {
        let count = narrow(arcs.len());
        self.arcs.drain(arcs.start as usize..arcs.end as usize);
        for frame in &mut self.frames[depth + 1..] {
            frame.first -= count;
            frame.next -= count;
        }
    }
}
