//! The search where nothing but the root closes a cycle: without it, the component is acyclic.
//!
//! Then every way leads to the root, and no vertex is come to twice on the way. So the cycles are
//! all paths, and nothing has to be kept but which choices are left: every step is made for a
//! cycle.
//!
//! What is left of a way depends on nothing but where it is. So the last vertices with a choice,
//! from which few ways go on to the root, have these ways, *tails*, instead of hops. Each cycle
//! goes through at most one such vertex first, so to find tails takes no longer than to walk the
//! cycles once.

use std::ops::ControlFlow;
use std::sync::Arc;

use crate::classes::Variants;
use crate::component::{Component, Ways};
use crate::graph::{EdgeId, narrow};
use crate::path::{BLOCK, Mark, Path};
use crate::search::{Fuel, Status, Visitor};

/// From a vertex with so many ways to the root at most they are found once, and then copied.
const MOST_TAILS: u64 = 32;
/// Edges of such a way, at most.
const LONGEST_TAIL: u32 = 32;
/// Edges of all such ways, at most: they stay where a processor finds them soon.
const TAIL_EDGES: usize = 1 << 12;
/// To find them pays off if there are so many times more cycles than hops.
const WORTH: u64 = 4;

/// The vertices with a choice, and hops between them.
#[derive(Debug)]
struct Graph {
    /// Hops by where they begin.
    hops: Vec<Hop>,
    /// The forced edge of each vertex that is passed, and where it leads.
    links: Vec<Option<(EdgeId, u32)>>,
    /// The edges of tails, one after the other, and then a block of any edges.
    tails: Vec<EdgeId>,
}

/// A way on, and the hops from where it leads; none if that is the root.
#[derive(Clone, Copy, Debug)]
struct Hop {
    way: Way,
    first: u32,
    stop: u32,
}

/// The edges of a hop: that of an arc, and all that is forced behind the vertex which it enters; or
/// a tail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    /// There is one, without parallel edges.
    Plain(EdgeId),
    /// None of them has parallel edges.
    Single(EdgeId, u32),
    /// Some have.
    Various(EdgeId, u32),
    /// All edges to the root, where they begin and how many; none has parallel edges.
    Tail(u32, u32),
}

/// What is known of the ways from a vertex with a choice to the root.
#[derive(Clone, Copy, Debug, Default)]
struct Rest {
    /// How many there are, if not more than fits.
    ways: u64,
    /// How many edges the longest has.
    longest: u32,
    /// Whether some have parallel edges.
    various: bool,
}

impl Rest {
    /// Whether the ways are to be found once.
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
        // The hops from the root are the first, and no hop goes on from there.
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

    /// Extends a path by a hop, at a mark, which moves on.
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

    /// The same with parallel edges.
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

    /// The number of edges of a hop, and whether some have parallel edges.
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

    /// What is known behind the hops of each vertex, at the first of its hops; `root` is those of
    /// the root. Time: O(V + E).
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

    /// Has hops lead to tails where the ways on are few; `root` is the hops from the root.
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
                    walk(self, &mut frames, &mut path, (variants, &mut fuel, &mut tails));
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

/// Tails that were found.
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
        let mut graph = Graph::new(component, ways, variants);
        let root = Hop { way: Way::Plain(EdgeId::new(0)), first: 0, stop };
        graph.find_tails(component.len(), root, variants);
        let first = Frame { next: 0, stop, mark: Mark::default() };
        Self { graph: Arc::new(graph), frames: if stop > 0 { vec![first] } else { Vec::new() } }
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
        walk(&graph, &mut self.frames, path, (variants, fuel, visitor))
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

/// Goes all ways to the root that are left at some vertices of a path.
#[inline(always)]
fn walk(
    graph: &Graph,
    frames: &mut Vec<Frame>,
    path: &mut Path,
    (variants, fuel, visitor): (&Variants, &mut Fuel, &mut impl Visitor),
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
