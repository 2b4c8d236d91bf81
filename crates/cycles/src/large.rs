//! Johnson's algorithm on components of any size.
//!
//! A vertex is *blocked* while it is on the path, and after it was left without a cycle found: then
//! no path from it reaches the root around the current path, so entering it again is useless. It
//! waits, in the lists that Johnson calls *B*, for one of its successors to be unblocked, which
//! happens to vertices that are left after a cycle was found through them. Every vertex is
//! unblocked at most once between two cycles, hence the delay of O(V + E).

use std::sync::Arc;

use crate::classes::{NONE, Variants};
use crate::component::{Component, Ways};
use crate::graph::narrow;
use crate::path::{Mark, Path};
use crate::search::{Fuel, Status, Visitor};

/// The part of a component that a search from the root uses: the vertices with a choice, and hops
/// between them.
#[derive(Debug)]
struct Graph {
    component: Component,
    ways: Ways,
    /// Index of the first hop of each vertex; one more entry for the end of the last. Passed
    /// vertices have none.
    first: Vec<u32>,
    hops: Vec<Hop>,
}

/// An arc and all forced arcs after it.
#[derive(Clone, Copy, Debug)]
struct Hop {
    source: u32,
    /// The next vertex with a choice, or the root.
    end: u32,
    /// The first arc of the hop.
    arc: u32,
}

impl Graph {
    fn new(component: Component, ways: Ways) -> Self {
        let mut first = vec![0];
        let mut hops = Vec::new();
        for source in 0..narrow(component.len()) {
            if ways.end(source) == source {
                hops.extend(ways.useful(&component, source).map(|arc| Hop {
                    source,
                    end: ways.end(component.target(arc)),
                    arc: narrow(arc),
                }));
            }
            first.push(narrow(hops.len()));
        }
        Self { component, ways, first, hops }
    }

    fn hops_from(&self, vertex: u32) -> std::ops::Range<u32> {
        self.first[vertex as usize]..self.first[vertex as usize + 1]
    }

    /// Extends a path by a hop.
    fn step(&self, path: &mut Path, hop: Hop, variants: &Variants) {
        let mut arc = hop.arc as usize;
        loop {
            path.push_class(self.component.edge(arc), variants);
            match self.ways.forced(self.component.target(arc)) {
                Some(next) => arc = next,
                None => return,
            }
        }
    }
}

/// A vertex with a choice on the path.
#[derive(Clone, Copy, Debug)]
struct Frame {
    vertex: u32,
    /// The next hop to follow.
    next: u32,
    /// The end of the hops of this vertex.
    stop: u32,
    /// The end of the path at this vertex.
    mark: Mark,
    /// `true` if a cycle was found since the vertex was entered.
    found: bool,
}

/// The state of a paused search.
#[derive(Clone, Debug)]
pub(crate) struct Search {
    graph: Arc<Graph>,
    /// The vertices with a choice on the path, the root first.
    frames: Vec<Frame>,
    blocked: Vec<bool>,
    /// For each vertex the first hop to it whose source waits for it to be unblocked. These lists
    /// are Johnson's B, with hops instead of vertices so that a hop is in at most one of them and
    /// membership is one bit.
    first_waiting: Vec<u32>,
    /// For each waiting hop the next one in its list.
    next_waiting: Vec<u32>,
    waiting: Vec<bool>,
    /// Unblocked vertices whose waiting hops have not been processed yet.
    unblocking: Vec<u32>,
}

impl Search {
    /// The search from the root of a component.
    pub(crate) fn new(component: Component, ways: Ways) -> Self {
        let mut search = Self::begin(Arc::new(Graph::new(component, ways)));
        search.enter(0, Mark::default());
        // The root is entered by no hop: a hop to it closes a cycle.
        search.blocked[0] = false;
        search
    }

    /// A search without a path.
    fn begin(graph: Arc<Graph>) -> Self {
        let (vertices, hops) = (graph.component.len(), graph.hops.len());
        Self {
            graph,
            frames: Vec::new(),
            blocked: vec![false; vertices],
            first_waiting: vec![NONE; vertices],
            next_waiting: vec![NONE; hops],
            waiting: vec![false; hops],
            unblocking: Vec::new(),
        }
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
            if top.next == top.stop {
                self.leave(&graph, fuel);
                continue;
            }
            let hop = graph.hops[top.next as usize];
            if self.blocked[hop.end as usize] {
                top.next += 1;
                fuel.spend();
                continue;
            }
            if !fuel.burn() {
                return Status::Paused;
            }
            top.next += 1;
            path.back_to(top.mark);
            graph.step(path, hop, variants);
            if hop.end != 0 {
                self.enter(hop.end, path.mark());
                continue;
            }
            top.found = true;
            if visitor.visit(path).is_break() {
                return Status::Stopped;
            }
        }
        Status::Done
    }

    /// Appends `vertex` to the path.
    fn enter(&mut self, vertex: u32, mark: Mark) {
        let hops = self.graph.hops_from(vertex);
        self.blocked[vertex as usize] = true;
        self.frames.push(Frame { vertex, next: hops.start, stop: hops.end, mark, found: false });
    }

    /// Removes the last vertex from the path.
    fn leave(&mut self, graph: &Graph, fuel: &mut Fuel) {
        let Some(last) = self.frames.pop() else { return };
        if last.found {
            self.unblock(graph, last.vertex, fuel);
            if let Some(parent) = self.frames.last_mut() {
                parent.found = true;
            }
        } else {
            self.wait(graph, last.vertex, fuel);
        }
    }

    /// Makes `vertex` wait for each of its successors.
    fn wait(&mut self, graph: &Graph, vertex: u32, fuel: &mut Fuel) {
        for number in graph.hops_from(vertex) {
            fuel.spend();
            if !self.waiting[number as usize] {
                self.waiting[number as usize] = true;
                let end = graph.hops[number as usize].end as usize;
                self.next_waiting[number as usize] = self.first_waiting[end];
                self.first_waiting[end] = number;
            }
        }
    }

    /// Unblocks `vertex`, all vertices that wait for it, and so on. With an explicit stack: the
    /// chain of waiting vertices can be as long as the graph.
    fn unblock(&mut self, graph: &Graph, vertex: u32, fuel: &mut Fuel) {
        self.blocked[vertex as usize] = false;
        self.unblocking.push(vertex);
        while let Some(vertex) = self.unblocking.pop() {
            let mut number = std::mem::replace(&mut self.first_waiting[vertex as usize], NONE);
            while number != NONE {
                fuel.spend();
                self.waiting[number as usize] = false;
                let source = graph.hops[number as usize].source;
                if self.blocked[source as usize] {
                    self.blocked[source as usize] = false;
                    self.unblocking.push(source);
                }
                number = self.next_waiting[number as usize];
            }
        }
    }

    /// Splits off part of the remaining work: see the search of the same name on small components.
    #[cfg(any(test, feature = "rayon"))]
    pub(crate) fn split(&mut self, path: &Path) -> Option<(Self, Path)> {
        let depth = self.frames.iter().position(|frame| frame.next < frame.stop)?;
        let frame = &self.frames[depth];
        let all = frame.stop - frame.next;
        let stay = if depth + 1 == self.frames.len() { all.div_ceil(2) } else { all / 2 };
        let middle = frame.next + stay;
        if middle == frame.stop {
            return None;
        }
        let mut taken = Self::begin(Arc::clone(&self.graph));
        taken.frames = self.frames[..=depth].to_vec();
        taken.frames[depth].next = middle;
        for frame in &taken.frames[1..] {
            taken.blocked[frame.vertex as usize] = true;
        }
        self.frames[depth].stop = middle;
        // The other part may find cycles: then the vertex must not stay blocked. Unblocking it is
        // always correct.
        self.frames[depth].found = true;
        Some((taken, path.clone()))
    }
}
