//! The search where nothing but the root closes a cycle: without it, the component is acyclic.
//!
//! Then every way leads to the root, and no vertex is come to twice on the way. So the cycles are all paths, and
//! nothing has to be kept but which choices are left: every step is made for a cycle.

use std::sync::Arc;

use crate::classes::Variants;
use crate::component::{Component, Ways};
use crate::graph::{EdgeId, narrow};
use crate::path::{Mark, Path};
use crate::search::{Fuel, Status, Visitor};

/// The vertices with a choice, and hops between them.
#[derive(Debug)]
struct Graph {
    /// Hops by where they begin.
    hops: Vec<Hop>,
    /// The forced edge of each vertex that is passed, and where it leads.
    links: Vec<Option<(EdgeId, u32)>>,
}

/// An arc and all that is forced behind it, and where it goes on from there.
#[derive(Clone, Copy, Debug)]
struct Hop {
    /// The least edge of the arc.
    edge: EdgeId,
    /// The vertex that the arc enters.
    target: u32,
    /// The hops from the end of the hop; none if that is the root.
    first: u32,
    stop: u32,
    kind: Kind,
}

/// What the edges of a hop are like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// There is one, without parallel edges.
    Plain,
    /// None of them has parallel edges.
    Single,
    /// Some have.
    Various,
}

impl Graph {
    fn new(component: &Component, ways: &Ways, variants: &Variants) -> Self {
        let count = narrow(component.len());
        let ends = || (0..count).filter(|&vertex| ways.end(vertex) == vertex);
        let mut range = vec![(0, 0); component.len()];
        let mut hops = 0;
        for vertex in ends() {
            let first = hops;
            hops += narrow(ways.useful(component, vertex).count());
            range[vertex as usize] = (first, hops);
        }
        // The hops from the root are the first, and no hop goes on from there.
        range[0] = (0, 0);
        let various = parallel_edges_behind(component, ways, variants);
        let hop = |arc: usize| {
            let target = component.target(arc);
            let (first, stop) = range[ways.end(target) as usize];
            let kind = if variants.size(component.edge(arc)) > 1 || various[target as usize] {
                Kind::Various
            } else if ways.end(target) == target {
                Kind::Plain
            } else {
                Kind::Single
            };
            Hop { edge: component.edge(arc), target, first, stop, kind }
        };
        let hops = ends().flat_map(|vertex| ways.useful(component, vertex)).map(hop).collect();
        let link = |arc| (component.edge(arc), component.target(arc));
        let links = (0..count).map(|vertex| ways.forced(vertex).map(link)).collect();
        Self { hops, links }
    }

    /// Extends a path by a hop.
    #[inline(always)]
    fn step(&self, path: &mut Path, hop: Hop, variants: &Variants) {
        if hop.kind == Kind::Various {
            self.long_step(path, hop, variants);
            return;
        }
        path.push(hop.edge);
        if hop.kind == Kind::Single {
            let mut vertex = hop.target;
            while let Some((edge, next)) = self.links[vertex as usize] {
                path.push(edge);
                vertex = next;
            }
        }
    }

    /// The same with parallel edges.
    #[inline(never)]
    fn long_step(&self, path: &mut Path, hop: Hop, variants: &Variants) {
        path.push_class(hop.edge, variants);
        let mut vertex = hop.target;
        while let Some((edge, next)) = self.links[vertex as usize] {
            path.push_class(edge, variants);
            vertex = next;
        }
    }
}

/// For each vertex that is passed whether there are parallel edges between it and its end.
fn parallel_edges_behind(component: &Component, ways: &Ways, variants: &Variants) -> Vec<bool> {
    let mut known = vec![None; component.len()];
    let mut open = Vec::new();
    for vertex in 0..narrow(component.len()) {
        let mut at = vertex;
        while let Some(arc) = ways.forced(at).filter(|_| known[at as usize].is_none()) {
            open.push((at, variants.size(component.edge(arc)) > 1));
            at = component.target(arc);
        }
        let mut various = known[at as usize].unwrap_or(false);
        for (vertex, parallel) in open.drain(..).rev() {
            various |= parallel;
            known[vertex as usize] = Some(various);
        }
    }
    known.into_iter().map(|known| known.unwrap_or(false)).collect()
}

/// Hops that are left at a vertex of the path.
#[derive(Clone, Copy, Debug)]
struct Frame {
    next: u32,
    stop: u32,
    mark: Mark,
}

/// The search, stopped somewhere.
#[derive(Clone, Debug)]
pub(crate) struct Search {
    graph: Arc<Graph>,
    /// The vertices of the path at which hops are left.
    frames: Vec<Frame>,
}

impl Search {
    /// The search from the root of a component, to which no path comes back but through the root.
    pub(crate) fn new(component: &Component, ways: &Ways, variants: &Variants) -> Self {
        let stop = narrow(ways.useful(component, 0).count());
        let graph = Arc::new(Graph::new(component, ways, variants));
        let first = Frame { next: 0, stop, mark: Mark::default() };
        Self { graph, frames: if stop > 0 { vec![first] } else { Vec::new() } }
    }

    /// Goes on until there are no more cycles, the visitor says stop, or the fuel is used up.
    pub(crate) fn run(
        &mut self,
        path: &mut Path,
        variants: &Variants,
        fuel: &mut Fuel,
        visitor: &mut impl Visitor,
    ) -> Status {
        let graph = Arc::clone(&self.graph);
        let graph = &*graph;
        while let Some(top) = self.frames.last_mut() {
            if !fuel.burn() {
                return Status::Paused;
            }
            let mut hop = graph.hops[top.next as usize];
            path.back_to(top.mark);
            top.next += 1;
            if top.next == top.stop {
                self.frames.pop();
            }
            loop {
                graph.step(path, hop, variants);
                if hop.first == hop.stop {
                    break;
                }
                fuel.spend();
                if hop.first + 1 < hop.stop {
                    self.frames.push(Frame { next: hop.first + 1, stop: hop.stop, mark: path.mark() });
                }
                hop = graph.hops[hop.first as usize];
            }
            if visitor.visit(path).is_break() {
                return Status::Stopped;
            }
        }
        Status::Done
    }

    /// Takes part of what is left to do away: see the search of the same name on small components.
    #[cfg(any(test, feature = "rayon"))]
    pub(crate) fn split(&mut self, path: &Path) -> Option<(Self, Path)> {
        let only = self.frames.len() == 1;
        let first = self.frames.first_mut()?;
        let count = first.stop - first.next;
        let middle = first.next + if only { count.div_ceil(2) } else { count / 2 };
        if middle == first.stop {
            return None;
        }
        let taken = Frame { next: middle, ..*first };
        first.stop = middle;
        if first.next == middle {
            self.frames.remove(0);
        }
        Some((Self { graph: Arc::clone(&self.graph), frames: vec![taken] }, path.clone()))
    }
}
