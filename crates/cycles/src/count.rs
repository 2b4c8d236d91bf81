//! Counting of cycles, and the first few cycles.

use crate::classes::Variants;
use crate::enumerate::{Cycle, elementary_cycles};
use crate::graph::Multigraph;
use crate::limits::{End, Enumeration, Watcher, drive};
use crate::path::Path;

/// The first cycles of a graph, and whether these are all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bounded {
    /// The cycles, in the order of [`elementary_cycles`]; no more than the limit.
    pub cycles: Vec<Cycle>,
    /// `true` if these are all cycles of the graph, even if there are exactly as many as the limit.
    pub complete: bool,
}

/// The first `limit` elementary cycles of `graph`, and whether these are all.
///
/// Time: O((V + E)(k + 1)) for k cycles returned. Memory: O(V + E) and that of the cycles, up to V
/// edges each.
#[must_use]
pub fn bounded(graph: &Multigraph, limit: usize) -> Bounded {
    let mut rest = elementary_cycles(graph);
    let cycles = rest.by_ref().take(limit).collect();
    Bounded { cycles, complete: rest.next_edges().is_none() }
}

/// Number of cycles of a graph, up to a limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Count {
    /// Number of cycles counted; at most the limit.
    pub cycles: u128,
    /// `true` if the graph has no other cycles, even if there are exactly as many as the limit.
    pub complete: bool,
}

/// Counts the elementary cycles of `graph`, up to `limit`.
///
/// Cycles along the same vertices are not walked one by one: a ring of 17 vertices with doubled
/// edges has 2^17 cycles, and they are counted in 17 multiplications. Time: O((V + E)(k + 1)) for k
/// cycles of vertices. Memory: O(V + E).
#[must_use]
pub fn count(graph: &Multigraph, limit: u128) -> Count {
    Enumeration::of(graph).count(limit).0
}

impl Enumeration<'_> {
    /// Counts the cycles, up to `limit`, and returns how the enumeration ended; the other limits
    /// apply too.
    ///
    /// See [`count`] for the cost. A number beyond 2^128 - 1 is one beyond any limit.
    #[must_use]
    pub fn count(&self, limit: u128) -> (Count, End) {
        let limit = self.max_cycles.map_or(limit, |most| limit.min(most.into()));
        let mut counter = Counter { cycles: 0, limit };
        let (end, _) = drive(&mut self.roots(), &self.watch(), &mut counter);
        (Count { cycles: counter.cycles, complete: end == End::Complete }, end)
    }
}

/// Counts cycles by multiplying the class sizes, without walking cycles along the same vertices.
struct Counter {
    cycles: u128,
    limit: u128,
}

impl Watcher for Counter {
    #[inline(always)]
    fn see(&mut self, path: &mut Path, variants: &Variants) -> Result<(), End> {
        let ways = if path.has_choices() { path.ways(variants) } else { Some(1) };
        match ways.and_then(|ways| self.cycles.checked_add(ways)).filter(|&sum| sum <= self.limit) {
            Some(sum) => {
                self.cycles = sum;
                Ok(())
            }
            None => {
                self.cycles = self.limit;
                Err(End::CycleLimit)
            }
        }
    }
}
