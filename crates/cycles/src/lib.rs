//! Elementary cycles of directed multigraphs: all of them, one at a time, fast.
//!
//! A *cycle* is a closed walk; it is *elementary* if it enters no vertex twice. In a multigraph the
//! edges make the cycle, not the vertices: two parallel edges on a cycle give two cycles, and a
//! self-loop is a cycle of length 1. Control flow graphs are such multigraphs: two transitions
//! between the same two states send different messages, and the loops through them have different
//! effects.
//!
//! # The graph
//!
//! A [`Multigraph`] is built once, from a number of vertices and a list of edges. The position of
//! an edge in the list is its [`EdgeId`], so a cycle leads back to whatever the caller keeps per
//! edge:
//!
//! ```
//! use cycles::{Multigraph, elementary_cycles};
//!
//! // idle --request!--> waiting --reply?--> idle, and waiting --timeout--> idle.
//! let (idle, waiting) = (0, 1);
//! let transitions = [("request!", idle, waiting), ("reply?", waiting, idle), ("timeout", waiting, idle)];
//! let graph = Multigraph::new(2, transitions.iter().map(|&(_, from, to)| (from, to)))?;
//!
//! let loops: Vec<Vec<&str>> = elementary_cycles(&graph)
//!     .map(|cycle| cycle.edges.iter().map(|edge| transitions[edge.index()].0).collect())
//!     .collect();
//! assert_eq!(loops, [["request!", "reply?"], ["request!", "timeout"]]);
//! # Ok::<(), cycles::GraphError>(())
//! ```
//!
//! A graph in compressed form comes in through [`Multigraph::from_compressed`]. A graph of petgraph
//! comes in through `Multigraph::from_petgraph` (feature `petgraph`, on by default), which keeps
//! petgraph's edge ids:
//!
//! ```
//! # #[cfg(feature = "petgraph")] {
//! use cycles::Multigraph;
//! use petgraph::graph::{DiGraph, EdgeIndex};
//!
//! let ring = DiGraph::<(), ()>::from_edges([(0, 1), (1, 2), (2, 0)]);
//! let imported = Multigraph::from_petgraph(&ring).expect("few enough edges");
//! let cycles: Vec<Vec<EdgeIndex>> = imported.cycles().collect();
//! assert_eq!(cycles, [[EdgeIndex::new(0), EdgeIndex::new(1), EdgeIndex::new(2)]]);
//! # }
//! ```
//!
//! # Millions of cycles
//!
//! [`elementary_cycles`] is an iterator, and copies each cycle into a `Vec` of its own.
//! [`ElementaryCycles::next_edges`] lends them instead. The fastest is a callback, which nothing is
//! allocated for; [`Enumeration`] has it, with limits on the number of cycles, their length, the
//! time, and a flag that another thread may set. It says how it ended:
//!
//! ```
//! use std::time::Duration;
//! use cycles::{End, Enumeration, Multigraph};
//!
//! // All edges between 40 vertices: more cycles than anybody will see.
//! let edges = (0..1600).filter(|n| n / 40 != n % 40).map(|n| (n / 40, n % 40));
//! let graph = Multigraph::new(40, edges)?;
//! let mut longest = 0;
//! let summary = Enumeration::of(&graph)
//!     .max_cycles(100_000)
//!     .time_limit(Duration::from_secs(3600))
//!     .for_each(|edges| longest = edges.len().max(longest));
//! assert_eq!((summary.cycles, summary.end, longest), (100_000, End::CycleLimit, 40));
//!
//! // There are not that many short ones.
//! assert_eq!(Enumeration::of(&graph).max_length(2).iter().count(), 780);
//! # Ok::<(), cycles::GraphError>(())
//! ```
//!
//! # Parallel edges
//!
//! Parallel edges are one class. A cycle of classes is found once, and stands for as many cycles as
//! the product of the sizes of its classes; those are walked in place, by changing an edge at a
//! time. [`count`] multiplies instead:
//!
//! ```
//! use cycles::{Multigraph, bounded, count};
//!
//! // A ring of 64 vertices with every edge doubled has 2^64 cycles.
//! let doubled = (0..128).map(|edge| (edge / 2, (edge / 2 + 1) % 64));
//! let graph = Multigraph::new(64, doubled)?;
//! assert_eq!(count(&graph, u128::MAX).cycles, 1 << 64);
//! let some = bounded(&graph, 1000);
//! assert_eq!(some.cycles.len(), 1000);
//! assert!(!some.complete);
//! # Ok::<(), cycles::GraphError>(())
//! ```
//!
//! # Weights and effects
//!
//! [`Enumeration::for_each_sum`] adds something up along each cycle, [`Weights`], [`Effects`] or an
//! [`Accumulator`] of your own; what a cycle has in common with the one before it is not added
//! again. [`Enumeration::distinct`] keeps the different sums only, and does not walk parallel edges
//! that would give the same:
//!
//! ```
//! use cycles::{Enumeration, Multigraph, Weights};
//!
//! // From 0 to 1 for 2, 2 or 5; back for -2.
//! let graph = Multigraph::new(2, [(0, 1), (0, 1), (0, 1), (1, 0)])?;
//! let distinct = Enumeration::of(&graph).distinct(&Weights(&[2, 2, 5, -2]));
//! let sums: Vec<i32> = distinct.values.iter().map(|(sum, _)| *sum).collect();
//! assert_eq!(sums, [0, 3]);
//! # Ok::<(), cycles::GraphError>(())
//! ```
//!
//! # Threads
//!
//! With the feature `rayon`, `Enumeration::par_fold` and `Enumeration::par_collect` use all threads
//! of rayon's pool, and give the same cycles in the same order.
//!
//! # Machines with history
//!
//! [`walk`] goes along all acyclic paths of a [`Machine`]: of a graph, as a reference, or of a
//! [`Hierarchy`], where composite states remember in which state they were left, so that no graph
//! has the same cycles.
//!
//! # Order
//!
//! Every cycle is told from its least vertex on. Cycles come in lexicographic order of their
//! vertices, so by ascending least vertex first; cycles along the same vertices come in
//! lexicographic order of their edge ids. The order is thus a property of the graph alone, not of
//! the algorithm.
//!
//! # Cost
//!
//! For *V* vertices, *E* edges and *c* cycles: O(*V* + *E*) memory, however many cycles there are,
//! and O((*V* + *E*)(*c* + 1)) time for all cycles; O(*V* + *E*) time until the first cycle,
//! between two consecutive ones and after the last. The searches keep their stacks on the heap: the
//! length of a cycle is not bounded by the thread's stack.
//!
//! # Algorithm
//!
//! Each vertex in turn is the root, and cycles through it are searched for in its strongly
//! connected component of the graph without the earlier roots. Vertices with a single way on are
//! passed without a step, and edges that lead back to where they began are dropped, so that the
//! search goes from choice to choice. If every closed walk contains the root, as in structured
//! control flow, the cycles are all paths, and each step belongs to one of them. Otherwise, the
//! component is mostly small. If at most 128 vertices are relevant, sets of them are machine words,
//! and before the search enters a vertex it checks that the root can be reached from there around
//! the path; often no check is needed, because a vertex is on no cycle without the root, has an
//! edge out of its component, or was visited since the last choice. So each step is part of a
//! cycle, and the search never returns to vertices whose last choice is taken. A check takes at
//! most as many steps as there are relevant vertices, which is where the 128 enters the constant
//! above. Where there are many cycles with the same root, different paths often leave the same few
//! vertices to go through: the ways on from there are found once, stored in a table of bounded size
//! (at most about 1 MB for a search), and copied; if that is not worth while, it is given up.
//! Beyond 128 the search is Johnson's, with his blocked vertices and lists.
//!
//! # Source
//!
//! D. B. Johnson, *Finding all the elementary circuits of a directed graph*, SIAM Journal on
//! Computing 4(1):77–84, 1975; here on multigraphs. It replaces the collection of cycles of the
//! thesis (2008), section 13.2, whose Listing 13.1 walks every acyclic path and so takes
//! exponential time even on graphs with few cycles; that is still here as [`walk`].
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod accumulate;
mod acyclic;
mod bitset_graph;
mod classes;
mod component;
mod count;
mod enumerate;
mod graph;
mod hierarchy;
#[cfg(feature = "petgraph")]
mod import;
mod large;
mod limits;
mod mask;
mod memo_dfs;
#[cfg(feature = "rayon")]
mod parallel;
mod path;
mod paths;
mod reach_masks;
mod roots;
mod scc;
mod search;
mod short;
mod small;
mod suffix_memo;
#[cfg(test)]
mod tests;

pub use accumulate::{Accumulator, Distinct, Effects, Weights};
pub use count::{Bounded, Count, bounded, count};
pub use enumerate::{Cycle, ElementaryCycles, elementary_cycles};
pub use graph::{EdgeId, GraphError, Multigraph, VertexId};
pub use hierarchy::{Hierarchy, HierarchyError};
#[cfg(feature = "petgraph")]
pub use import::Imported;
pub use limits::{Answer, End, Enumeration, Summary};
pub use paths::{Machine, StartedAt, Walked, walk};
