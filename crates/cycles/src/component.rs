//! A strongly connected component, and the part of it that cycles through its least vertex can use.

use crate::classes::{Classes, NONE};
use crate::graph::{EdgeId, narrow};
use crate::scc::{Compact, Scc};

/// Largest number of rounds of useless-arc removal, each of which may make further arcs useless:
/// bounds the time per root.
const ROUNDS: usize = 4;

/// A strongly connected subgraph whose vertices are renumbered `0..len()` in ascending order, so
/// that the *root*, the least vertex, is vertex 0. A class of parallel edges inside it is an *arc*;
/// self-loops are no arcs.
#[derive(Clone, Debug)]
pub(crate) struct Component {
    /// The vertices of the whole graph, ascending.
    vertices: Vec<u32>,
    /// Index of the first arc of each vertex; one more entry for the end of the last.
    first: Vec<u32>,
    /// The vertex that each arc enters, ascending for the same source.
    targets: Vec<u32>,
    /// The least edge of each arc.
    edges: Vec<EdgeId>,
}

impl Component {
    /// The subgraph that `vertices` (ascending) induce.
    ///
    /// `number_of` is scratch space with [`NONE`] for each vertex of the graph; it is restored, so
    /// that the time for a small component does not depend on the whole graph.
    pub(crate) fn induced(classes: &Classes, vertices: Vec<u32>, number_of: &mut [u32]) -> Self {
        for (number, &vertex) in vertices.iter().enumerate() {
            number_of[vertex as usize] = narrow(number);
        }
        let mut first = Vec::with_capacity(vertices.len() + 1);
        let most = vertices.iter().map(|&vertex| classes.out(vertex).len()).sum();
        let (mut targets, mut edges) = (Vec::with_capacity(most), Vec::with_capacity(most));
        first.push(0);
        for &vertex in &vertices {
            for class in classes.out(vertex) {
                let target = classes.target(class);
                let number = number_of[target as usize];
                if number != NONE && target != vertex {
                    targets.push(number);
                    edges.push(classes.leader(class));
                }
            }
            first.push(narrow(targets.len()));
        }
        for &vertex in &vertices {
            number_of[vertex as usize] = NONE;
        }
        Self { vertices, first, targets, edges }
    }

    /// Removes the root: returns the components of the rest that contain a cycle.
    ///
    /// Also returns the index of each vertex's component among them; [`NONE`] if the vertex is a
    /// component of its own.
    pub(crate) fn split(&self, scc: &mut Scc, looped: impl Fn(u32) -> bool) -> (Vec<Vec<u32>>, Vec<u32>) {
        let compact = Compact { first: &self.first, targets: &self.targets };
        let mut parts = scc.components(compact, 1, |number| looped(self.vertices[number as usize]));
        let mut part_of = vec![NONE; self.len()];
        for (number, part) in parts.iter().enumerate().filter(|(_, part)| part.len() > 1) {
            part.iter().for_each(|&vertex| part_of[vertex as usize] = narrow(number));
        }
        for vertex in parts.iter_mut().flatten() {
            *vertex = self.vertices[*vertex as usize];
        }
        (parts, part_of)
    }

    /// The root, as a vertex of the whole graph.
    pub(crate) fn root(&self) -> u32 {
        self.vertices[0]
    }

    /// The number of vertices.
    pub(crate) fn len(&self) -> usize {
        self.vertices.len()
    }

    /// The numbers of the arcs that leave `vertex`, by ascending target.
    pub(crate) fn out(&self, vertex: u32) -> std::ops::Range<usize> {
        self.first[vertex as usize] as usize..self.first[vertex as usize + 1] as usize
    }

    /// The vertex that an arc enters.
    pub(crate) fn target(&self, arc: usize) -> u32 {
        self.targets[arc]
    }

    /// The least edge of an arc.
    pub(crate) fn edge(&self, arc: usize) -> EdgeId {
        self.edges[arc]
    }

    /// The number of arcs.
    pub(crate) fn arc_count(&self) -> usize {
        self.targets.len()
    }
}

/// The ways of a component that cycles through its root can use.
///
/// A vertex with one outgoing arc is *passed*: a path that enters it continues to its *end*, the
/// first vertex with a choice, or the root. Searches step from choice to choice. An arc whose
/// target has the arc's source as its end cannot be on a cycle through the root (it would close a
/// cycle without it), so it is *useless*; a vertex with only one arc that is not useless is passed
/// too.
#[derive(Clone, Debug)]
pub(crate) struct Ways {
    /// The only arc of each passed vertex; [`NONE`] for the others.
    forced: Vec<u32>,
    /// The end of each passed vertex; the vertex itself for the others.
    end: Vec<u32>,
    /// `true` for arcs that no cycle through the root uses, as far as detected.
    useless: Vec<bool>,
    /// `true` if each vertex has a choice and no arc was found useless.
    is_plain: bool,
    /// For each vertex the index of its strongly connected component without the root; [`NONE`] if
    /// a path can return to it only through the root.
    parts: Vec<u32>,
}

impl Ways {
    /// The ways of a component. Time and memory: O(V + E).
    pub(crate) fn of(component: &Component, parts: Vec<u32>) -> Self {
        let count = narrow(component.len());
        let degree = |vertex: u32| narrow(component.out(vertex).len());
        let mut ways = Self {
            forced: vec![NONE; component.len()],
            end: (0..count).collect(),
            useless: vec![false; component.arc_count()],
            is_plain: true,
            parts,
        };
        for vertex in (1..count).filter(|&vertex| degree(vertex) == 1) {
            ways.forced[vertex as usize] = narrow(component.out(vertex).start);
            ways.is_plain = false;
        }
        // If no vertex is passed, no arc has its source as its end.
        if ways.is_plain {
            return ways;
        }
        let mut degree: Vec<u32> = (0..count).map(degree).collect();
        let mut passed = Vec::new();
        for _ in 0..ROUNDS {
            ways.find_ends(component, &mut passed);
            if !ways.drop_useless(component, &mut degree) {
                return ways;
            }
        }
        ways.find_ends(component, &mut passed);
        ways
    }

    /// Follows the forced arcs. They cannot form a cycle, as each vertex reaches the root.
    fn find_ends(&mut self, component: &Component, passed: &mut Vec<u32>) {
        self.end.fill(NONE);
        for vertex in 0..narrow(self.end.len()) {
            let mut at = vertex;
            while self.end[at as usize] == NONE && self.forced[at as usize] != NONE {
                passed.push(at);
                at = component.target(self.forced[at as usize] as usize);
            }
            let end = match self.end[at as usize] {
                NONE => at,
                end => end,
            };
            self.end[at as usize] = end;
            for vertex in passed.drain(..) {
                self.end[vertex as usize] = end;
            }
        }
    }

    /// Marks the arcs whose end is their source. Returns `true` if this made vertices passed.
    fn drop_useless(&mut self, component: &Component, degree: &mut [u32]) -> bool {
        let mut changed = false;
        for vertex in 1..narrow(component.len()) {
            if self.forced[vertex as usize] != NONE {
                continue;
            }
            for arc in component.out(vertex) {
                if !self.useless[arc] && self.end[component.target(arc) as usize] == vertex {
                    self.useless[arc] = true;
                    degree[vertex as usize] -= 1;
                }
            }
            if degree[vertex as usize] == 1 {
                let mut left = component.out(vertex).filter(|&arc| !self.useless[arc]);
                self.forced[vertex as usize] = left.next().map_or(NONE, narrow);
                changed = true;
            }
        }
        changed
    }

    /// Returns `true` if no vertex except the root is passed, and no arc is known to be useless.
    pub(crate) fn is_plain(&self) -> bool {
        self.is_plain
    }

    /// The arc that must be taken from `vertex`, if there is no choice.
    pub(crate) fn forced(&self, vertex: u32) -> Option<usize> {
        let arc = self.forced[vertex as usize];
        (arc != NONE).then_some(arc as usize)
    }

    /// The strongly connected component of `vertex` without the root, if a path can return to it
    /// there.
    pub(crate) fn part(&self, vertex: u32) -> Option<u32> {
        let part = self.parts[vertex as usize];
        (part != NONE).then_some(part)
    }

    /// Returns `true` if every closed walk contains the root.
    pub(crate) fn is_acyclic(&self) -> bool {
        self.parts.iter().all(|&part| part == NONE)
    }

    /// The next vertex with a choice on a path that enters `vertex`, or the root.
    pub(crate) fn end(&self, vertex: u32) -> u32 {
        self.end[vertex as usize]
    }

    /// The arcs out of `vertex` that are not known to be useless.
    pub(crate) fn useful<'a>(
        &'a self,
        component: &'a Component,
        vertex: u32,
    ) -> impl Iterator<Item = usize> + 'a {
        component.out(vertex).filter(|&arc| !self.useless[arc])
    }
}
