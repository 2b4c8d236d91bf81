//! Order in which the numbers of a level are processed by saturation: topological in the steps
//! between them.
//!
//! The image of a number is recomputed if a predecessor of it changes later. So the numbers of a
//! level are processed in the order in which steps lead from one to the next, and strongly
//! connected ones together.

use hashbrown::HashSet;
use petgraph::algo::tarjan_scc;
use petgraph::graph::DiGraph;

/// The graph of steps between the numbers of a level.
#[derive(Debug, Default)]
pub(super) struct Flow {
    steps: HashSet<(u32, u32)>,
    /// Number of steps at the time of the last ordering.
    known: usize,
    /// The place of each number in the order; equal in a strongly connected component.
    places: Vec<u32>,
}

impl Flow {
    /// Notes that a step leads from one number to another.
    pub fn note(&mut self, from: u32, to: u32) {
        if from != to {
            self.steps.insert((from, to));
        }
    }

    /// The place of a number in the last ordering. Numbers that were unknown then come last.
    pub fn place(&self, number: u32) -> u32 {
        self.places.get(number as usize).copied().unwrap_or(u32::MAX)
    }

    /// Recomputes the order if many steps were added. Time linear in the number of steps; over the
    /// whole search, a constant times the final number of steps.
    pub fn order(&mut self) {
        if self.steps.len() <= self.known + self.known / 8 {
            return;
        }
        self.known = self.steps.len();
        let graph = DiGraph::<(), (), u32>::from_edges(&self.steps);
        self.places = vec![u32::MAX; graph.node_count()];
        // Tarjan's algorithm emits components in reverse topological order.
        for (place, numbers) in (0..).zip(tarjan_scc(&graph).into_iter().rev()) {
            numbers.into_iter().for_each(|number| self.places[number.index()] = place);
        }
    }
}
