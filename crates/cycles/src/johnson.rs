//! Johnson's search: the elementary cycles through the least vertex of one component.
//!
//! A depth-first search from the root keeps a vertex *blocked* while it is on the path, and after it was
//! left without a cycle found: then no path from it reaches the root around the present path, and there is
//! no use in entering it again. It waits, in the lists that Johnson calls *B*, for one of its successors to
//! be unblocked, which happens to vertices that are left after a cycle was found through them. Every vertex
//! is unblocked at most once between two cycles, hence the delay of O(V + E).

use crate::component::Component;
use crate::graph::EdgeId;

/// The end of a list of waiting arcs.
const NONE: u32 = u32::MAX;

/// The search from vertex 0 of a component, stopped at a cycle or before the first.
#[derive(Clone, Debug)]
pub(crate) struct Search {
    component: Component,
    /// The vertices of the path from the root on, with the state of each.
    frames: Vec<Frame>,
    /// The edges of the path, and after a cycle was found the edge that closes it.
    edges: Vec<EdgeId>,
    blocked: Vec<bool>,
    /// For each vertex the first arc into it whose source waits for it to be unblocked. These lists are
    /// Johnson's B, told by arcs so that an arc is in at most one of them and membership is one bit.
    first_waiting: Vec<u32>,
    /// For each waiting arc the next one in its list.
    next_waiting: Vec<u32>,
    waiting: Vec<bool>,
    /// Vertices that are unblocked but whose waiting arcs are not yet gone through.
    unblocking: Vec<u32>,
    /// Arcs looked at since the search began, for the test of the delay.
    #[cfg(test)]
    pub(crate) steps: usize,
}

/// A vertex of the path.
#[derive(Clone, Copy, Debug)]
struct Frame {
    vertex: u32,
    /// The next arc to follow.
    next: u32,
    /// One past the last arc of the vertex.
    end: u32,
    /// Whether a cycle was found since the vertex was entered.
    found: bool,
}

impl Search {
    /// A search that has not yet begun.
    pub(crate) fn new(component: Component) -> Self {
        let (vertices, arcs) = (component.len(), component.arc_count());
        let mut search = Self {
            component,
            frames: Vec::new(),
            edges: Vec::new(),
            blocked: vec![false; vertices],
            first_waiting: vec![NONE; vertices],
            next_waiting: vec![NONE; arcs],
            waiting: vec![false; arcs],
            unblocking: Vec::new(),
            #[cfg(test)]
            steps: 0,
        };
        search.enter(0);
        search
    }

    /// Goes on to the next cycle; false if there is none.
    pub(crate) fn advance(&mut self) -> bool {
        // Drops the edge that closed the cycle before: the path has an edge less than vertices.
        self.edges.truncate(self.frames.len().saturating_sub(1));
        while let Some(top) = self.frames.last_mut() {
            if top.next == top.end {
                self.leave();
                continue;
            }
            let arc = self.component.arc(top.next);
            top.next += 1;
            self.tick();
            if arc.target == 0 {
                // The root is entered nowhere else, so this arc closes the path.
                if let Some(top) = self.frames.last_mut() {
                    top.found = true;
                }
                self.edges.push(arc.edge);
                return true;
            }
            if !self.blocked[arc.target as usize] {
                self.edges.push(arc.edge);
                self.enter(arc.target);
            }
        }
        false
    }

    /// The edges of the cycle that the last call of `advance` found, from the root on.
    pub(crate) fn cycle(&self) -> &[EdgeId] {
        &self.edges
    }

    /// The component, once the search is over.
    pub(crate) fn into_component(self) -> Component {
        self.component
    }

    /// Puts `vertex` at the end of the path.
    fn enter(&mut self, vertex: u32) {
        let arcs = self.component.arcs_from(vertex);
        self.blocked[vertex as usize] = true;
        self.frames.push(Frame { vertex, next: arcs.start, end: arcs.end, found: false });
    }

    /// Takes the last vertex off the path.
    fn leave(&mut self) {
        let Some(frame) = self.frames.pop() else { return };
        self.edges.pop();
        if frame.found {
            self.unblock(frame.vertex);
            if let Some(parent) = self.frames.last_mut() {
                parent.found = true;
            }
        } else {
            self.wait(frame.vertex);
        }
    }

    /// Has `vertex` wait for each of its successors.
    fn wait(&mut self, vertex: u32) {
        for number in self.component.arcs_from(vertex) {
            self.tick();
            if !self.waiting[number as usize] {
                self.waiting[number as usize] = true;
                let target = self.component.arc(number).target as usize;
                self.next_waiting[number as usize] = self.first_waiting[target];
                self.first_waiting[target] = number;
            }
        }
    }

    /// Unblocks `vertex`, whoever waits for it, and so on. With a stack of its own: the chain of waiting
    /// vertices can be as long as the graph.
    fn unblock(&mut self, vertex: u32) {
        self.blocked[vertex as usize] = false;
        self.unblocking.push(vertex);
        while let Some(vertex) = self.unblocking.pop() {
            let mut number = std::mem::replace(&mut self.first_waiting[vertex as usize], NONE);
            while number != NONE {
                self.tick();
                self.waiting[number as usize] = false;
                let source = self.component.arc(number).source;
                if self.blocked[source as usize] {
                    self.blocked[source as usize] = false;
                    self.unblocking.push(source);
                }
                number = self.next_waiting[number as usize];
            }
        }
    }

    /// Counts a step where a test wants to know.
    fn tick(&mut self) {
        #[cfg(test)]
        {
            self.steps += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::component::components_of;
    use crate::graph::Multigraph;

    /// Runs the search of every first component and returns the number of cycles, and the greatest number
    /// of steps before, between and after them per vertex and arc, rounded up.
    fn delay(graph: &Multigraph) -> (usize, usize) {
        let mut scratch = Component::scratch(graph);
        let (mut cycles, mut worst) = (0, 0);
        for vertices in components_of(graph) {
            let component = Component::induced(graph, vertices, &mut scratch);
            let size = component.len() + component.arc_count();
            let mut search = Search::new(component);
            let mut before = 0;
            loop {
                let more = search.advance();
                worst = worst.max((search.steps - before).div_ceil(size));
                before = search.steps;
                if !more {
                    break;
                }
                cycles += 1;
            }
        }
        (cycles, worst)
    }

    #[test]
    fn a_vertex_on_the_path_is_never_unblocked() {
        // Vertex 2 closes a cycle and is unblocked while 1 is on the path: were 1 unblocked with it, the
        // walk 0 1 2 1 0 would come out.
        let graph = Multigraph::new(3, [(0, 1), (1, 2), (2, 1), (2, 0), (1, 0)]).unwrap();
        assert_eq!(delay(&graph).0, 2);
    }

    #[test]
    fn dead_ends_are_walked_once() {
        // Vertex i leads to i + 1 over two edges and back over one: from 0 there are 2^60 paths down, but
        // two cycles.
        let edges = (0..60).flat_map(|i| [(i, i + 1), (i, i + 1), (i + 1, i)]);
        let (cycles, worst) = delay(&Multigraph::new(61, edges).unwrap());
        assert_eq!(cycles, 2);
        assert!(worst <= 3, "{worst} steps per vertex and arc");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(512))]

        #[test]
        fn the_delay_is_linear(
            edges in (3usize..10).prop_flat_map(|n| prop::collection::vec((0..n, 0..n), n..3 * n)),
        ) {
            // An arc is followed, waits and stops to wait: each at most twice between two cycles.
            let (_, worst) = delay(&Multigraph::new(10, edges).unwrap());
            prop_assert!(worst <= 6, "{} steps per vertex and arc", worst);
        }
    }
}
