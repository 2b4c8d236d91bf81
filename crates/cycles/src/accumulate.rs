//! Sums along cycles: of weights, effects, or values of any accumulator.

use std::collections::BTreeSet;
use std::ops::AddAssign;

use crate::classes::Classes;
use crate::enumerate::Cycle;
use crate::graph::{EdgeId, Multigraph, narrow};
use crate::limits::{Answer, Enumeration, Summary};

/// A value that is accumulated along the edges of a cycle.
///
/// ```
/// use cycles::{Accumulator, EdgeId, Enumeration, Multigraph};
///
/// /// The least of the capacities on the way.
/// struct Capacity(Vec<u32>);
///
/// impl Accumulator for Capacity {
///     type Value = u32;
///     fn empty(&self) -> u32 {
///         u32::MAX
///     }
///     fn add(&self, value: &mut u32, edge: EdgeId) {
///         *value = self.0[edge.index()].min(*value);
///     }
/// }
///
/// let graph = Multigraph::new(3, [(0, 1), (1, 2), (2, 0), (1, 0)])?;
/// let mut found = Vec::new();
/// Enumeration::of(&graph).for_each_sum(&Capacity(vec![7, 5, 9, 8]), |edges, &least| found.push((edges.len(), least)));
/// assert_eq!(found, [(2, 7), (3, 5)]);
/// # Ok::<(), cycles::GraphError>(())
/// ```
pub trait Accumulator {
    /// The type of the accumulated value.
    type Value: Clone;

    /// The value of no edges.
    fn empty(&self) -> Self::Value;

    /// Adds an edge to the value of the edges before it.
    fn add(&self, value: &mut Self::Value, edge: EdgeId);
}

/// A number per edge, by edge id; cycles get the sum.
#[derive(Clone, Copy, Debug)]
pub struct Weights<'a, T>(pub &'a [T]);

impl<T: Copy + Default + AddAssign> Accumulator for Weights<'_, T> {
    type Value = T;

    fn empty(&self) -> T {
        T::default()
    }

    /// # Panics
    /// If there is no weight for `edge`.
    fn add(&self, value: &mut T, edge: EdgeId) {
        *value += self.0[edge.index()];
    }
}

/// A vector per edge, by edge id, as its entries that are not zero; cycles get the sum.
#[derive(Clone, Copy, Debug)]
pub struct Effects<'a, T> {
    /// The length of the vectors.
    pub dimension: usize,
    /// For each edge, the positions and values of its entries.
    pub entries: &'a [Vec<(usize, T)>],
}

impl<T: Copy + Default + AddAssign> Accumulator for Effects<'_, T> {
    type Value = Vec<T>;

    fn empty(&self) -> Vec<T> {
        vec![T::default(); self.dimension]
    }

    /// # Panics
    /// If there is no vector for `edge`, or if it has an entry beyond the dimension.
    fn add(&self, value: &mut Vec<T>, edge: EdgeId) {
        for &(position, entry) in &self.entries[edge.index()] {
            value[position] += entry;
        }
    }
}

/// The accumulated values of all prefixes of the last cycle: consecutive cycles mostly share a long
/// prefix, and only the rest is accumulated anew.
struct Prefixes<'a, A: Accumulator> {
    accumulator: &'a A,
    edges: Vec<EdgeId>,
    /// The value of each prefix: one more than edges.
    values: Vec<A::Value>,
}

impl<'a, A: Accumulator> Prefixes<'a, A> {
    fn new(accumulator: &'a A) -> Self {
        Self { accumulator, edges: Vec::new(), values: vec![accumulator.empty()] }
    }

    fn value(&mut self, edges: &[EdgeId]) -> &A::Value {
        let same = self.edges.iter().zip(edges).take_while(|(before, now)| before == now).count();
        self.edges.truncate(same);
        for &edge in &edges[same..] {
            self.edges.push(edge);
            let length = self.edges.len();
            // Values beyond the path are kept to reuse their memory.
            if self.values.len() == length {
                self.values.push(self.values[length - 1].clone());
            } else {
                let (before, behind) = self.values.split_at_mut(length);
                behind[0].clone_from(&before[length - 1]);
            }
            self.accumulator.add(&mut self.values[length], edge);
        }
        &self.values[edges.len()]
    }
}

/// The distinct values of cycles.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Distinct<T> {
    /// Each value with the first cycle that has it, in the order of those cycles.
    pub values: Vec<(T, Cycle)>,
    /// Summary of the enumeration; see [`Enumeration::distinct`] for the cycles that it counts.
    pub summary: Summary,
}

impl Enumeration<'_> {
    /// Visits the cycles as [`Enumeration::for_each`] does, each with the sum along its edges.
    ///
    /// Edges are added once for all cycles that have the same path up to there. Memory: that of
    /// `for_each`, and a value per vertex.
    pub fn for_each_sum<A: Accumulator, R: Answer>(
        &self,
        accumulator: &A,
        mut visit: impl FnMut(&[EdgeId], &A::Value) -> R,
    ) -> Summary {
        let mut prefixes = Prefixes::new(accumulator);
        self.for_each(|edges| {
            let value = prefixes.value(edges);
            visit(edges, value)
        })
    }

    /// The distinct sums of cycles.
    ///
    /// If parallel edges have equal values, as single-edge paths, the first represents them all:
    /// cycles through the others have the same sums, and are neither walked nor counted. So equal
    /// values must stay equal when the same edges are added. Memory: that of
    /// [`Enumeration::for_each_sum`], and the values with a cycle each.
    pub fn distinct<A: Accumulator>(&self, accumulator: &A) -> Distinct<A::Value>
    where
        A::Value: Ord,
    {
        let kept = first_of_each_value(self.graph, accumulator);
        let end = |vertex: crate::VertexId| vertex.index();
        let ends = kept.iter().map(|&edge| (end(self.graph.source(edge)), end(self.graph.target(edge))));
        let graph = Multigraph::new(self.graph.vertex_count(), ends).expect("part of a graph");
        let original = |edges: &[EdgeId]| edges.iter().map(|edge| kept[edge.index()]).collect::<Vec<_>>();
        let renamed = Renamed { accumulator, kept: &kept };
        let mut seen = BTreeSet::new();
        let mut values = Vec::new();
        let summary = Enumeration { graph: &graph, ..*self }.for_each_sum(&renamed, |edges, value| {
            if !seen.contains(value) {
                seen.insert(value.clone());
                values.push((value.clone(), Cycle { edges: original(edges) }));
            }
        });
        Distinct { values, summary }
    }
}

/// The edges of a graph without those that are parallel to a lesser one with the same value,
/// ascending.
fn first_of_each_value<A: Accumulator>(graph: &Multigraph, accumulator: &A) -> Vec<EdgeId>
where
    A::Value: Ord,
{
    let variants = Classes::of(graph).variants;
    let mut kept = Vec::new();
    for leader in (0..narrow(graph.edge_count())).map(EdgeId::new) {
        if variants.leader(leader) != leader {
            continue;
        }
        let mut seen = BTreeSet::new();
        let mut next = Some(leader);
        while let Some(edge) = next {
            let mut value = accumulator.empty();
            accumulator.add(&mut value, edge);
            if seen.insert(value) {
                kept.push(edge);
            }
            next = variants.next(edge);
        }
    }
    kept.sort_unstable();
    kept
}

/// An accumulator for a subgraph, whose edges are numbered differently.
struct Renamed<'a, A> {
    accumulator: &'a A,
    kept: &'a [EdgeId],
}

impl<A: Accumulator> Accumulator for Renamed<'_, A> {
    type Value = A::Value;

    fn empty(&self) -> A::Value {
        self.accumulator.empty()
    }

    fn add(&self, value: &mut A::Value, edge: EdgeId) {
        self.accumulator.add(value, self.kept[edge.index()]);
    }
}
