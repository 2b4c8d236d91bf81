//! In which order it is found out what words become: by the numbers with which they begin, those
//! first that others come behind.
//!
//! What is found out of a number before all that leads to it is known is found out again. So the
//! numbers of a level come in the order in which steps lead from one to the next, those that lead
//! to each other together.

use hashbrown::HashSet;
use petgraph::algo::tarjan_scc;
use petgraph::graph::DiGraph;

/// Which numbers of a level steps lead to, from which others.
#[derive(Debug, Default)]
pub(super) struct Flow {
    steps: HashSet<(u32, u32)>,
    /// How many there were when they were put in order.
    known: usize,
    /// The place of each number in this order; equal where they lead to each other.
    places: Vec<u32>,
}

impl Flow {
    /// Notes that a step leads from one number to another.
    pub fn note(&mut self, from: u32, to: u32) {
        if from != to {
            self.steps.insert((from, to));
        }
    }

    /// The place of a number, when the numbers were put in order. Those that were not known then
    /// come last.
    pub fn place(&self, number: u32) -> u32 {
        self.places.get(number as usize).copied().unwrap_or(u32::MAX)
    }

    /// Puts the numbers in order, if many steps have been noted since. Time linear in the steps,
    /// and, all in all, in those that there are at the end, times a constant.
    pub fn order(&mut self) {
        if self.steps.len() <= self.known + self.known / 8 {
            return;
        }
        self.known = self.steps.len();
        let graph = DiGraph::<(), (), u32>::from_edges(&self.steps);
        self.places = vec![u32::MAX; graph.node_count()];
        // The last ones come first.
        for (place, numbers) in (0..).zip(tarjan_scc(&graph).into_iter().rev()) {
            numbers.into_iter().for_each(|number| self.places[number.index()] = place);
        }
    }
}
