//! Lazy enumeration of the cycles of a whole graph.

use std::iter::FusedIterator;
use std::ops::ControlFlow;

use crate::graph::{EdgeId, Multigraph, VertexId};
use crate::path::Path;
use crate::roots::Roots;
use crate::search::{Choice, Fuel, Search, Status, Visitor};

/// An elementary cycle: it leaves each of its vertices by one edge and enters it by one.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Cycle {
    /// The edges in the order of the cycle, from the one that leaves its least vertex to the one
    /// that returns there. Never empty; one edge if the cycle is a self-loop.
    pub edges: Vec<EdgeId>,
}

impl Cycle {
    /// The number of edges, which is the number of vertices: at least 1.
    #[must_use]
    pub fn length(&self) -> usize {
        self.edges.len()
    }

    /// The vertices in the order of the cycle, from the least one on, each once.
    ///
    /// # Panics
    /// If this is not a cycle of `graph`: it has an edge that the graph has not.
    pub fn vertices<'a>(&'a self, graph: &'a Multigraph) -> impl ExactSizeIterator<Item = VertexId> + 'a {
        self.edges.iter().map(|&edge| graph.source(edge))
    }
}

/// Returns an iterator over the elementary cycles of `graph`, each once.
///
/// They come in the [documented order](crate#order). The call takes O(V + E) time, and so does each
/// cycle; the iterator holds O(V + E) memory. See the [front page](crate) for the source.
#[must_use]
pub fn elementary_cycles(graph: &Multigraph) -> ElementaryCycles {
    ElementaryCycles::new(graph, Choice::Best)
}

/// The iterator that [`elementary_cycles`] returns.
#[derive(Clone, Debug)]
pub struct ElementaryCycles {
    roots: Roots,
    /// The search in the current component.
    search: Option<Search>,
    /// `true` if `search` is at a cycle, which may have parallel ones.
    at_cycle: bool,
}

/// Number of search steps between two checks for a stop; the value is not critical.
pub(crate) const SLICE: u32 = 1 << 12;

impl ElementaryCycles {
    /// The cycles, found by searches of the given form.
    pub(crate) fn new(graph: &Multigraph, choice: Choice) -> Self {
        Self { roots: Roots::new(graph, choice), search: None, at_cycle: false }
    }

    /// The edges of the next cycle, like `next`, but borrowed instead of copied.
    ///
    /// Time: O(V + E); no allocation except at the start of a new root.
    pub fn next_edges(&mut self) -> Option<&[EdgeId]> {
        let advanced = self.next_way() || self.next_path();
        let search = self.search.as_ref()?;
        advanced.then(|| search.path().edges())
    }

    /// Advances to the next cycle along the same vertices.
    fn next_way(&mut self) -> bool {
        let Some(search) = self.search.as_mut().filter(|_| self.at_cycle) else { return false };
        let path = search.path_mut();
        self.at_cycle = path.has_choices() && path.next_way(&self.roots.classes().variants);
        self.at_cycle
    }

    /// Advances to the next cycle along other vertices.
    fn next_path(&mut self) -> bool {
        loop {
            if self.search.is_none() {
                self.search = self.roots.next_search();
            }
            let Some(search) = self.search.as_mut() else { return false };
            let variants = &self.roots.classes().variants;
            match search.run(variants, &mut Fuel::new(SLICE), &mut Halt) {
                Status::Stopped => {
                    self.at_cycle = true;
                    return true;
                }
                Status::Paused => {}
                Status::Done => self.search = None,
            }
        }
    }
}

/// Stops at each cycle.
struct Halt;

impl Visitor for Halt {
    fn visit(&mut self, _: &mut Path) -> ControlFlow<()> {
        ControlFlow::Break(())
    }
}

impl Iterator for ElementaryCycles {
    type Item = Cycle;

    fn next(&mut self) -> Option<Cycle> {
        self.next_edges().map(|edges| Cycle { edges: edges.to_vec() })
    }
}

impl FusedIterator for ElementaryCycles {}
