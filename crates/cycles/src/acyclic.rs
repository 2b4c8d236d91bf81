//! Search in a component that is acyclic without its root, so that only the root closes cycles.
//!
//! Then every path leads to the root, and no path visits a vertex twice. So the cycles are all
//! paths from the root back to it, and the only state is the stack of remaining choices: every step
//! is part of a cycle.
//!
//! The remaining paths depend only on the current vertex. So the last vertices with a choice, from
//! which few paths lead to the root, have these paths, their *tails*, instead of hops. Each cycle
//! passes at most one such vertex first, so finding tails takes no longer than walking the cycles
//! once.

use std::ops::ControlFlow;
use std::sync::Arc;

use crate::classes::Variants;
use crate::component::{Component, Ways};
use crate::graph::{EdgeId, narrow};
use crate::path::{BLOCK, Mark, Path};
use crate::search::{Fuel, Status, Visitor};

/// Largest number of paths from a vertex to the root that are found once, and then copied.
const MOST_TAILS: u64 = 32;
/// Largest number of edges of such a path.
const LONGEST_TAIL: u32 = 32;
/// Largest number of edges of all such paths, so that they stay in the processor's cache.
const TAIL_EDGES: usize = 1 << 12;
/// Tails are found if there are at least this many times more cycles than hops.
const WORTH: u64 = 4;

/// The vertices with a choice, and hops between them.
#[derive(Debug)]
struct Graph {
    /// The hops, sorted by their source.
    hops: Vec<Hop>,
    /// The forced edge of each passed vertex, and the vertex that it enters.
    links: Vec<Option<(EdgeId, u32)>>,
    /// The edges of all tails, one after the other, followed by a block of arbitrary edges.
    tails: Vec<EdgeId>,
}

/// A way to the next vertex with a choice, and the range of hops from there; the range is empty at
/// the root.
#[derive(Clone, Copy, Debug)]
struct Hop {
    way: Way,
    first: u32,
    stop: u32,
}

/// The edges of a hop: the edge of an arc, followed by all forced edges after it; or a tail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    /// A single edge, without parallel edges.
    Plain(EdgeId),
    /// Several edges, none of which has parallel edges.
    Single(EdgeId, u32),
    /// Edges some of which have parallel edges.
    Various(EdgeId, u32),
    /// All edges to the root, as the start and the length of a tail; none has parallel edges.
    Tail(u32, u32),
}

/// Facts about the paths from a vertex with a choice to the root.
#[derive(Clone, Copy, Debug, Default)]
struct Rest {
    /// Number of paths; saturates.
    ways: u64,
    /// Number of edges of the longest path.
    longest: u32,
    /// `true` if some edges have parallel edges.
    various: bool,
}

impl Rest {
    /// Returns `true` if the paths are to be stored as tails.
    fn is_short(self) -> bool {
        (2..=MOST_TAILS).contains(&self.ways) && self.longest <= LONGEST_TAIL && !self.various
    }
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
        // The hops from the root come first, and no hop continues from there.
        range[0] = (0, 0);
        let various = parallel_edges_behind(component, ways, variants);
        let hop = |arc: usize| {
            let (edge, target) = (component.edge(arc), component.target(arc));
            let (first, stop) = range[ways.end(target) as usize];
            let way = if variants.size(edge) > 1 || various[target as usize] {
                Way::Various(edge, target)
            } else if ways.end(target) == target {
                Way::Plain(edge)
            } else {
                Way::Single(edge, target)
            };
            Hop { way, first, stop }
        };
        let hops = ends().flat_map(|vertex| ways.useful(component, vertex)).map(hop).collect();
        let link = |arc| (component.edge(arc), component.target(arc));
        let links = (0..count).map(|vertex| ways.forced(vertex).map(link)).collect();
        Self { hops, links, tails: Vec::new() }
    }

    /// Extends a path by a hop, at a mark, which is advanced.
    #[inline(always)]
    fn step(&self, path: &mut Path, mark: &mut Mark, way: Way, variants: &Variants) {
        match way {
            Way::Plain(edge) => path.push_at(mark, edge),
            Way::Tail(start, length) => path.push_blocks_at(mark, &self.tails, start as usize, length),
            Way::Single(edge, mut vertex) => {
                path.push_at(mark, edge);
                while let Some((edge, next)) = self.links[vertex as usize] {
                    path.push_at(mark, edge);
                    vertex = next;
                }
            }
            Way::Various(edge, target) => *mark = self.long_step(path, *mark, edge, target, variants),
        }
    }

    /// The same for edges with parallel edges.
    #[inline(never)]
    fn long_step(
        &self,
        path: &mut Path,
        mark: Mark,
        edge: EdgeId,
        mut vertex: u32,
        variants: &Variants,
    ) -> Mark {
        path.back_to(mark);
        path.push_class(edge, variants);
        while let Some((edge, next)) = self.links[vertex as usize] {
            path.push_class(edge, variants);
            vertex = next;
        }
        path.mark()
    }

    /// Returns the number of edges of a hop, and whether some have parallel edges.
    fn measure(&self, way: Way) -> (u32, bool) {
        match way {
            Way::Plain(_) => (1, false),
            Way::Tail(_, length) => (length, false),
            Way::Various(_, _) => (1, true),
            Way::Single(_, mut vertex) => {
                let mut length = 1;
                while let Some((_, next)) = self.links[vertex as usize].filter(|_| length <= LONGEST_TAIL) {
                    length += 1;
                    vertex = next;
                }
                (length, false)
            }
        }
    }

    /// The facts about the paths from each vertex, stored at the index of its first hop; `root` is
    /// the range of hops of the root. Time: O(V + E).
    fn rests(&self, root: Hop) -> Vec<Rest> {
        let mut rests = vec![Rest::default(); self.hops.len() + 1];
        let mut open = vec![(root, root.first)];
        while let Some((from, next)) = open.last_mut() {
            let first = from.first as usize;
            if *next == from.stop {
                open.pop();
                continue;
            }
            let hop = self.hops[*next as usize];
            let is_last = hop.first == hop.stop;
            let behind =
                if is_last { Rest { ways: 1, ..Rest::default() } } else { rests[hop.first as usize] };
            if behind.ways == 0 {
                open.push((hop, hop.first));
                continue;
            }
            *next += 1;
            let (length, various) = self.measure(hop.way);
            let rest = &mut rests[first];
            rest.ways = rest.ways.saturating_add(behind.ways);
            rest.longest = rest.longest.max(length.saturating_add(behind.longest));
            rest.various |= various || behind.various;
        }
        rests
    }

    /// Replaces the hops from vertices with few paths to the root by tails; `root` is the range of
    /// hops of the root.
    fn find_tails(&mut self, vertices: usize, root: Hop, variants: &Variants) {
        let rests = self.rests(root);
        if rests[0].ways / WORTH < self.hops.len() as u64 {
            return;
        }
        let mut tails = Tails::default();
        let mut found: Vec<Option<(u32, u32)>> = vec![None; self.hops.len()];
        let mut path = Path::new(vertices);
        let mut open = vec![root];
        while let Some(from) = open.pop() {
            for number in from.first..from.stop {
                let to = self.hops[number as usize];
                if to.first == to.stop || tails.edges.len() > TAIL_EDGES {
                    continue;
                }
                let (first, stop) = found[to.first as usize].unwrap_or_else(|| {
                    if !rests[to.first as usize].is_short() {
                        open.push(to);
                        return (to.first, to.stop);
                    }
                    let before = tails.hops.len();
                    let mut frames = vec![Frame { next: to.first, stop: to.stop, mark: Mark::default() }];
                    let mut fuel = Fuel::new(u32::MAX);
                    walk(self, &mut frames, &mut path, variants, &mut fuel, &mut tails);
                    (narrow(self.hops.len() + before), narrow(self.hops.len() + tails.hops.len()))
                });
                found[to.first as usize] = Some((first, stop));
                let hop = &mut self.hops[number as usize];
                (hop.first, hop.stop) = (first, stop);
            }
        }
        self.hops.append(&mut tails.hops);
        self.tails = tails.edges;
        self.tails.extend([EdgeId::new(0); BLOCK]);
    }
}

/// The tails found so far.
#[derive(Debug, Default)]
struct Tails {
    hops: Vec<Hop>,
    edges: Vec<EdgeId>,
}

impl Visitor for Tails {
    fn visit(&mut self, path: &mut Path) -> ControlFlow<()> {
        let way = Way::Tail(narrow(self.edges.len()), path.mark().length());
        self.hops.push(Hop { way, first: 0, stop: 0 });
        self.edges.extend(path.edges());
        ControlFlow::Continue(())
    }
}

/// `true` for each passed vertex if there are parallel edges between it and its end.
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

/// The remaining hops at a vertex of the path.
#[derive(Clone, Copy, Debug)]
struct Frame {
    next: u32,
    stop: u32,
    mark: Mark,
}

/// The state of a paused search.
#[derive(Clone, Debug)]
pub(crate) struct Search {
    graph: Arc<Graph>,
    /// The vertices of the path with remaining hops.
    frames: Vec<Frame>,
}

impl Search {
    /// The search from the root of a component that is acyclic without the root.
    pub(crate) fn new(component: &Component, ways: &Ways, variants: &Variants) -> Self {
        let stop = narrow(ways.useful(component, 0).count());
        let mut graph = Graph::new(component, ways, variants);
        let root = Hop { way: Way::Plain(EdgeId::new(0)), first: 0, stop };
        graph.find_tails(component.len(), root, variants);
        let first = Frame { next: 0, stop, mark: Mark::default() };
        Self { graph: Arc::new(graph), frames: if stop > 0 { vec![first] } else { Vec::new() } }
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
        walk(&graph, &mut self.frames, path, variants, fuel, visitor)
    }

    /// Splits off part of the remaining work: see the search of the same name on small components.
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

/// Walks all remaining paths to the root.
#[inline(always)]
fn walk(
    graph: &Graph,
    frames: &mut Vec<Frame>,
    path: &mut Path,
    variants: &Variants,
    fuel: &mut Fuel,
    visitor: &mut impl Visitor,
) -> Status {
    while let Some(top) = frames.last_mut() {
        if !fuel.burn() {
            return Status::Paused;
        }
        let mut hop = graph.hops[top.next as usize];
        let mut mark = top.mark;
        top.next += 1;
        if top.next == top.stop {
            frames.pop();
        }
        loop {
            graph.step(path, &mut mark, hop.way, variants);
            if hop.first == hop.stop {
                break;
            }
            fuel.spend();
            if hop.first + 1 < hop.stop {
                frames.push(Frame { next: hop.first + 1, stop: hop.stop, mark });
            }
            hop = graph.hops[hop.first as usize];
        }
        path.back_to(mark);
        if visitor.visit(path).is_break() {
            return Status::Stopped;
        }
    }
    Status::Done
}
