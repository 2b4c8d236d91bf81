//! The graph on which searches with bit sets work.

use crate::classes::{NONE, Variants};
use crate::component::{Component, Ways};
use crate::graph::{EdgeId, narrow};
use crate::mask::Mask;
use crate::path::{Mark, Path};
use crate::search::Fuel;

/// The part of a component that a search from the root uses. Its *points* are the vertices with a
/// choice and the targets of their arcs, numbered in ascending order; the root is point 0.
#[derive(Clone, Debug)]
pub(crate) struct Graph<M> {
    pub(crate) points: Vec<Point<M>>,
    /// The hop from point x to point y is at `x * points.len() + y`.
    pub(crate) hops: Vec<Hop>,
    /// Index of the first forced edge of each point in `forced`.
    first_forced: Vec<u32>,
    /// The edges from each point to its end.
    forced: Vec<EdgeId>,
    /// Points from which the root can be reached around any path that does not contain them.
    pub(crate) safe: M,
}

/// A point, with the data of its end, so that a search need not look up the end first.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Point<M> {
    /// The targets of its end.
    pub(crate) next: M,
    /// The points with the same end, if a path can return to it; empty if one can return only
    /// through the root.
    pub(crate) group: M,
    /// The points whose way out leads through it, if a path can return to it: its *shadow*. Each
    /// point has one fixed way out, to a safe point. While no point of that way is on the path, the
    /// root can be reached.
    pub(crate) shadow: M,
    /// Index of the first hop from its end.
    pub(crate) row: u32,
    /// The end of the point itself.
    pub(crate) end: u8,
}

/// The edges from a point to another and on to the end of that.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Hop {
    /// The least edge between the two.
    edge: EdgeId,
    kind: Kind,
}

/// The kind of the edges of a hop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A single edge, without parallel edges.
    Plain,
    /// Several edges, none of which has parallel edges.
    Single,
    /// Edges some of which have parallel edges.
    Various,
}

/// The vertex of each point of a component, if the points are few enough.
fn points(component: &Component, ways: &Ways, most: usize) -> Option<Vec<u32>> {
    if ways.is_plain() {
        // Each vertex can be reached from the root.
        return (component.len() <= most).then(|| (0..narrow(component.len())).collect());
    }
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
    /// The graph of a component, if its points fit into the mask.
    pub(crate) fn new(component: &Component, ways: &Ways, variants: &Variants) -> Option<Self> {
        let vertices = points(component, ways, M::BITS)?;
        let count = vertices.len();
        let mut number = vec![0u8; component.len()];
        for (point, &vertex) in vertices.iter().enumerate() {
            number[vertex as usize] = u8::try_from(point).expect("a mask has at most 128 numbers");
        }
        let none = Hop { edge: EdgeId::new(NONE), kind: Kind::Plain };
        let empty = |&vertex: &u32| {
            let end = number[ways.end(vertex) as usize];
            Point {
                next: M::EMPTY,
                group: M::EMPTY,
                shadow: M::EMPTY,
                row: u32::from(end) * narrow(count),
                end,
            }
        };
        let mut graph = Self {
            points: vertices.iter().map(empty).collect(),
            hops: vec![none; count * count],
            first_forced: Vec::with_capacity(count + 1),
            forced: Vec::new(),
            safe: M::EMPTY,
        };
        graph.first_forced.push(0);
        for (point, &vertex) in vertices.iter().enumerate() {
            let mut at = vertex;
            while let Some(arc) = ways.forced(at) {
                graph.forced.push(component.edge(arc));
                at = component.target(arc);
            }
            graph.first_forced.push(narrow(graph.forced.len()));
            let end = usize::from(graph.points[point].end);
            graph.points[end].group |= M::of(narrow(point));
        }
        for (point, &vertex) in vertices.iter().enumerate() {
            if ways.end(vertex) != vertex {
                continue;
            }
            for arc in ways.useful(component, vertex) {
                let target = number[component.target(arc) as usize];
                graph.points[point].next |= M::of(target.into());
                graph.hops[point * count + usize::from(target)] =
                    graph.hop(component.edge(arc), target, variants);
            }
        }
        graph.find_safe(&vertices, ways);
        for point in 0..count {
            let end = usize::from(graph.points[point].end);
            graph.points[point] = graph.points[end];
        }
        Some(graph)
    }

    /// The hop over an edge to a point.
    fn hop(&self, edge: EdgeId, point: u8, variants: &Variants) -> Hop {
        let behind = self.forced_behind(point.into());
        let kind = if variants.size(edge) > 1 || behind.iter().any(|&edge| variants.size(edge) > 1) {
            Kind::Various
        } else if behind.is_empty() {
            Kind::Plain
        } else {
            Kind::Single
        };
        Hop { edge, kind }
    }

    /// Computes `safe`, and empties the groups that need not be blocked.
    fn find_safe(&mut self, vertices: &[u32], ways: &Ways) {
        let part = |point: u32| ways.part(vertices[usize::from(self.points[point as usize].end)]);
        let leaves = |from: u32, to: u32| part(from).is_none() || part(from) != part(to);
        let count = narrow(self.points.len());
        let safe_ends = |end: &u32| self.points[*end as usize].next.numbers().any(|to| leaves(*end, to));
        let ends = (1..count).filter(|&end| u32::from(self.points[end as usize].end) == end);
        let mut safe = self.points[0].group;
        for end in ends.filter(safe_ends) {
            safe |= self.points[end as usize].group;
        }
        self.safe = safe;
        if !self.all_safe() {
            self.find_shadows();
        }
        for (point, &vertex) in vertices.iter().enumerate() {
            if point == 0 || ways.part(vertex).is_none() {
                self.points[point].group = M::EMPTY;
                self.points[point].shadow = M::EMPTY;
            }
        }
    }

    /// Computes `shadow`: finds shortest ways to safe points by backward breadth-first search.
    /// Among several ways, prefers one through an end with a small shadow.
    fn find_shadows(&mut self) {
        let count = narrow(self.points.len());
        let is_end = |end: &u32| u32::from(self.points[*end as usize].end) == *end;
        let mut ways = vec![M::EMPTY; self.points.len()];
        let (mut out, mut left): (Vec<u32>, Vec<u32>) =
            (1..count).filter(is_end).partition(|&end| self.safe.meets(M::of(end)));
        out.iter().for_each(|&end| ways[end as usize] = M::of(end));
        while !out.is_empty() {
            for &end in &out {
                let group = self.points[end as usize].group;
                ways[end as usize].numbers().for_each(|at| self.points[at as usize].shadow |= group);
            }
            let way = |end: u32| {
                let ends = self.points[end as usize]
                    .next
                    .numbers()
                    .map(|to| usize::from(self.points[to as usize].end));
                let ends = ends.filter(|&to| !ways[to].is_empty());
                Some(ways[ends.min_by_key(|&to| self.points[to].shadow.numbers().count())?] | M::of(end))
            };
            let found: Vec<(u32, M)> = left.iter().filter_map(|&end| Some((end, way(end)?))).collect();
            found.iter().for_each(|&(end, way)| ways[end as usize] = way);
            out = found.iter().map(|&(end, _)| end).collect();
            left.retain(|end| ways[*end as usize].is_empty());
        }
    }

    /// Returns `true` if the root can be reached from all points around any path.
    pub(crate) fn all_safe(&self) -> bool {
        (1..narrow(self.points.len())).all(|point| self.safe.meets(M::of(point)))
    }

    fn forced_behind(&self, point: u32) -> &[EdgeId] {
        let point = point as usize;
        &self.forced[self.first_forced[point] as usize..self.first_forced[point + 1] as usize]
    }

    /// Returns `true` if one of the points `goal` can be reached from `point` around `blocked`; if
    /// not, all points that can be reached are blocked, too.
    #[inline(always)]
    pub(crate) fn reaches(&self, point: u32, goal: M, blocked: &mut M, fuel: &mut Fuel) -> bool {
        let mut seen = self.points[point as usize].group;
        let mut open = M::of(point);
        while !open.is_empty() {
            fuel.spend();
            let at = &self.points[open.least() as usize];
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

    /// Extends a path by a hop to a point, at a mark, which is advanced.
    #[inline(always)]
    pub(crate) fn step(&self, path: &mut Path, mark: &mut Mark, hop: Hop, point: u32, variants: &Variants) {
        match hop.kind {
            Kind::Plain => path.push_at(mark, hop.edge),
            Kind::Single => {
                path.push_at(mark, hop.edge);
                path.push_all_at(mark, self.forced_behind(point));
            }
            Kind::Various => *mark = self.long_step(path, *mark, hop.edge, point, variants),
        }
    }

    #[inline(never)]
    fn long_step(&self, path: &mut Path, mark: Mark, edge: EdgeId, point: u32, variants: &Variants) -> Mark {
        path.back_to(mark);
        path.push_class(edge, variants);
        for &edge in self.forced_behind(point) {
            path.push_class(edge, variants);
        }
        path.mark()
    }
}
