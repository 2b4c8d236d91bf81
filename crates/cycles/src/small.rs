//! The search where all vertices of interest fit into a machine word: sets of vertices are numbers.
//!
//! Johnson's search finds out that a vertex leads nowhere by going there. With sets as words it is cheaper to look
//! first: the vertices from which the root can be reached around the path are found backwards from those that leave
//! their strongly connected component, and the search goes to no other. So each choice leads to a cycle, nothing has
//! to be blocked and unblocked, and a vertex whose last choice is taken is never come back to. Mostly there is nothing
//! to look for: vertices that are on no cycle without the root, and those with an edge out of their component (in a
//! complete digraph, all of them), reach the root whatever the path is.

use std::sync::Arc;

use crate::classes::{NONE, Variants};
use crate::component::{Component, Ways};
use crate::graph::{EdgeId, narrow};
use crate::mask::Mask;
use crate::path::{Mark, Path};
use crate::search::{Fuel, Status, Visitor};

/// The part of a component that a search from the root sees. Its *points* are the vertices with a choice and the
/// vertices that those lead to, numbered in ascending order; the root is point 0.
#[derive(Clone, Debug)]
struct Graph<M> {
    points: Vec<Point<M>>,
    /// For each point the number of its end.
    end: Vec<u8>,
    /// The least edge from one point to another, at the first times the number of points plus the second.
    edges: Vec<EdgeId>,
    /// Where the forced edges of each point begin in `forced`.
    first_forced: Vec<u32>,
    /// The edges from each point to its end.
    forced: Vec<EdgeId>,
    /// Points from which the root can be reached whatever the path is, as long as they are not on it.
    safe: M,
}

/// A point that is an end; for the others it is empty.
#[derive(Clone, Copy, Debug)]
struct Point<M> {
    /// The points that it leads to.
    next: M,
    /// Those that it leads to by edges without parallel ones, those forced behind it included.
    single: M,
    /// Those of them that it leads to by one edge.
    plain: M,
    /// The points whose end it is, if a path can come back to it; empty if none can but through the root.
    group: M,
}

/// The points of a component, if they are few enough: for each its vertex.
fn points(component: &Component, ways: &Ways, most: usize) -> Option<Vec<u32>> {
    let mut seen = vec![false; component.len()];
    let mut entered = vec![false; component.len()];
    let mut found = vec![0];
    let mut open = vec![0];
    (seen[0], entered[0]) = (true, true);
    while let Some(vertex) = open.pop() {
        for arc in ways.useful(component, vertex) {
            let target = component.target(arc);
            let end = ways.end(target);
            for point in [target, end] {
                if !std::mem::replace(&mut seen[point as usize], true) {
                    found.push(point);
                }
            }
            if !std::mem::replace(&mut entered[end as usize], true) {
                open.push(end);
            }
        }
        if found.len() > most {
            return None;
        }
    }
    found.sort_unstable();
    Some(found)
}

impl<M: Mask> Graph<M> {
    /// The graph of a component, if its points fit.
    fn new(component: &Component, ways: &Ways, variants: &Variants) -> Option<Self> {
        let vertices = points(component, ways, M::BITS)?;
        let count = vertices.len();
        let mut number = vec![0u8; component.len()];
        for (point, &vertex) in vertices.iter().enumerate() {
            number[vertex as usize] = u8::try_from(point).expect("a mask has at most 128 numbers");
        }
        let empty = Point { next: M::EMPTY, single: M::EMPTY, plain: M::EMPTY, group: M::EMPTY };
        let mut graph = Self {
            points: vec![empty; count],
            end: vertices.iter().map(|&vertex| number[ways.end(vertex) as usize]).collect(),
            edges: vec![EdgeId::new(NONE); count * count],
            first_forced: vec![0],
            forced: Vec::new(),
            safe: M::EMPTY,
        };
        for (point, &vertex) in vertices.iter().enumerate() {
            let mut at = vertex;
            while let Some(arc) = ways.forced(at) {
                graph.forced.push(component.edge(arc));
                at = component.target(arc);
            }
            graph.first_forced.push(narrow(graph.forced.len()));
            graph.points[usize::from(graph.end[point])].group |= M::of(narrow(point));
        }
        for (point, &vertex) in vertices.iter().enumerate() {
            if ways.end(vertex) != vertex {
                continue;
            }
            for arc in ways.useful(component, vertex) {
                let target = number[component.target(arc) as usize];
                let edge = component.edge(arc);
                graph.edges[point * count + usize::from(target)] = edge;
                graph.points[point].next |= M::of(target.into());
                let behind = graph.forced_behind(target);
                if variants.size(edge) == 1 && behind.iter().all(|&edge| variants.size(edge) == 1) {
                    if behind.is_empty() {
                        graph.points[point].plain |= M::of(target.into());
                    }
                    graph.points[point].single |= M::of(target.into());
                }
            }
        }
        graph.find_safe(&vertices, ways);
        Some(graph)
    }

    /// Fills in `safe`, and empties the groups that need not be blocked.
    fn find_safe(&mut self, vertices: &[u32], ways: &Ways) {
        let part = |point: u32| ways.part(vertices[usize::from(self.end[point as usize])]);
        let leaves = |from: u32, to: u32| part(from).is_none() || part(from) != part(to);
        let count = narrow(self.points.len());
        let safe_ends = |end: &u32| self.points[*end as usize].next.numbers().any(|to| leaves(*end, to));
        let ends = (1..count).filter(|&end| u32::from(self.end[end as usize]) == end);
        let safe: Vec<u32> = ends.filter(safe_ends).collect();
        self.safe = self.points[0].group;
        for end in safe {
            self.safe |= self.points[end as usize].group;
        }
        for (point, &vertex) in vertices.iter().enumerate() {
            if point == 0 || ways.part(vertex).is_none() {
                self.points[point].group = M::EMPTY;
            }
        }
    }

    fn forced_behind(&self, point: u8) -> &[EdgeId] {
        let point = usize::from(point);
        &self.forced[self.first_forced[point] as usize..self.first_forced[point + 1] as usize]
    }

    /// Whether one of the points `goal` can be reached from `point` around `blocked`; if not, whatever can be reached
    /// is blocked, too.
    #[inline(always)]
    fn reaches(&self, point: u32, goal: M, blocked: &mut M, fuel: &mut Fuel) -> bool {
        let end = usize::from(self.end[point as usize]);
        let mut seen = self.points[end].group;
        let mut open = M::of(end as u32);
        while !open.is_empty() {
            fuel.spend();
            let at = &self.points[self.end[open.least() as usize] as usize];
            let next = at.next & !*blocked & !seen;
            if next.meets(goal) {
                return true;
            }
            open = open.without_least() & !at.group | next;
            seen |= next | at.group;
        }
        *blocked |= seen;
        false
    }

    /// Extends a path that ends at the end `from` to `point` and its end.
    #[inline(always)]
    fn step(&self, path: &mut Path, from: u8, point: u32, variants: &Variants) {
        let edge = self.edges[usize::from(from) * self.points.len() + point as usize];
        let sort = &self.points[usize::from(from)];
        if sort.plain.meets(M::of(point)) {
            path.push(edge);
        } else if sort.single.meets(M::of(point)) {
            path.push(edge);
            path.push_all(self.forced_behind(point as u8));
        } else {
            self.long_step(path, edge, point, variants);
        }
    }

    #[inline(never)]
    fn long_step(&self, path: &mut Path, edge: EdgeId, point: u32, variants: &Variants) {
        path.push_class(edge, variants);
        for &edge in self.forced_behind(point as u8) {
            path.push_class(edge, variants);
        }
    }
}

/// A vertex with a choice on the path.
#[derive(Clone, Copy, Debug)]
struct Frame<M> {
    /// Points to go to, of which some may turn out to lead nowhere.
    rest: M,
    /// Points on the path that could be come back to, and points from which the root cannot be reached around it.
    blocked: M,
    /// While other vertices are behind this one: the points that the path was led to since it came here. From all of
    /// them the root can be reached around the path to here.
    alive: M,
    /// Where the path ends at this vertex.
    mark: Mark,
    vertex: u8,
}

/// The search, stopped somewhere.
#[derive(Clone, Debug)]
pub(crate) struct Search<M> {
    graph: Arc<Graph<M>>,
    /// The vertices on the path at which a choice is left, but the last.
    frames: Vec<Frame<M>>,
    /// The last at which there was a choice.
    top: Frame<M>,
    /// What is `alive` of the top.
    alive: M,
}

impl<M: Mask> Search<M> {
    /// The search from the root of a component, if its points fit into the mask.
    pub(crate) fn new(component: &Component, ways: &Ways, variants: &Variants) -> Option<Self> {
        let graph = Graph::<M>::new(component, ways, variants)?;
        let rest = graph.points[0].next;
        let top = Frame { rest, blocked: M::EMPTY, alive: M::EMPTY, mark: Mark::default(), vertex: 0 };
        Some(Self { graph: Arc::new(graph), frames: Vec::new(), top, alive: M::EMPTY })
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
        loop {
            while self.top.rest.is_empty() {
                match self.frames.pop() {
                    Some(frame) => {
                        self.top = frame;
                        self.alive |= frame.alive;
                    }
                    None => return Status::Done,
                }
            }
            if !fuel.burn() {
                return Status::Paused;
            }
            let point = self.top.rest.least();
            self.top.rest = self.top.rest.without_least();
            if !graph.safe.meets(M::of(point)) && !self.is_alive(graph, point, fuel) {
                continue;
            }
            path.back_to(self.top.mark);
            graph.step(path, self.top.vertex, point, variants);
            if self.descend(graph, path, point, variants) && visitor.visit(path).is_break() {
                return Status::Stopped;
            }
        }
    }

    /// Whether the root can be reached from a point to which the top leads. If not, that is kept in mind as long as the
    /// path only grows.
    #[inline(always)]
    fn is_alive(&mut self, graph: &Graph<M>, point: u32, fuel: &mut Fuel) -> bool {
        let this = M::of(point);
        if self.alive.meets(this) {
            return true;
        }
        if self.top.blocked.meets(this) {
            return false;
        }
        // The top leads to the root. If nothing before did and nothing comes after, then this does.
        if self.alive.is_empty() && (self.top.rest & !self.top.blocked).is_empty() {
            return true;
        }
        let goal = (graph.safe | self.alive) & !self.top.blocked;
        graph.reaches(point, goal, &mut self.top.blocked, fuel)
    }

    /// Goes on from a point that the path has just reached, to the next choice, which becomes the top, or to the
    /// root. Whether it came to the root, which it also does if that is the first choice.
    #[inline(always)]
    fn descend(&mut self, graph: &Graph<M>, path: &mut Path, mut point: u32, variants: &Variants) -> bool {
        let mut blocked = self.top.blocked;
        let mut alive = self.alive;
        loop {
            alive |= M::of(point);
            let end = graph.end[point as usize];
            if end == 0 {
                self.alive = alive;
                return true;
            }
            let at = &graph.points[usize::from(end)];
            blocked |= at.group;
            alive |= at.group;
            let rest = at.next & !blocked;
            if !rest.without_least().is_empty() {
                self.keep(alive);
                self.top = Frame { rest, blocked, alive: M::EMPTY, mark: path.mark(), vertex: end };
                self.alive = M::EMPTY;
                if rest.least() != 0 {
                    return false;
                }
                self.alive = M::of(0);
                self.top.rest = rest.without_least();
                graph.step(path, end, 0, variants);
                return true;
            }
            point = rest.least();
            graph.step(path, end, point, variants);
        }
    }

    /// Puts the top aside if a choice is left there, before another takes its place.
    #[inline(always)]
    fn keep(&mut self, alive: M) {
        if !self.top.rest.is_empty() {
            self.top.alive = alive;
            self.frames.push(self.top);
        } else if let Some(frame) = self.frames.last_mut() {
            frame.alive |= alive;
        }
    }

    /// Takes part of what is left to do away: the second half of the choices that are left at the first vertex of
    /// the path that has any. What is taken comes after all that stays. Nothing if there is no choice left.
    #[cfg(any(test, feature = "rayon"))]
    pub(crate) fn split(&mut self, path: &Path) -> Option<(Self, Path)> {
        // Frames that gave all away are still there. Something has to stay, if nothing else is under way.
        let place = self.frames.iter().position(|frame| !frame.rest.is_empty());
        let under_way = place.is_some();
        let frame = match place {
            Some(place) => &mut self.frames[place],
            None => &mut self.top,
        };
        let count = frame.rest.numbers().count();
        let (stay, take) = parted(frame.rest, if under_way { count / 2 } else { count.div_ceil(2) });
        if take.is_empty() {
            return None;
        }
        let top = Frame { rest: take, ..*frame };
        frame.rest = stay;
        // The other part may be the one that leads to the root.
        frame.alive |= M::of(0);
        if !under_way {
            self.alive |= M::of(0);
        }
        let graph = Arc::clone(&self.graph);
        Some((Self { graph, frames: Vec::new(), top, alive: M::of(0) }, path.clone()))
    }
}

/// The first `count` numbers of a set, and the others.
#[cfg(any(test, feature = "rayon"))]
fn parted<M: Mask>(set: M, count: usize) -> (M, M) {
    let mut first = M::EMPTY;
    set.numbers().take(count).for_each(|number| first |= M::of(number));
    (first, set & !first)
}
