//! Elementary cycles of directed multigraphs, one at a time.
//!
//! A *cycle* is a closed walk; it is *elementary* if it enters no vertex twice. In a multigraph the edges
//! make the cycle, not the vertices: two parallel edges on a cycle give two cycles, and a self-loop is a
//! cycle of length 1. Control flow graphs are such multigraphs: two transitions between the same two
//! states send different messages, and the loops through them have different effects.
//!
//! # The graph
//!
//! A [`Multigraph`] is built once, from a number of vertices and a list of edges. The position of an edge
//! in the list is its [`EdgeId`], so a cycle leads back to whatever the caller keeps per edge:
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
//! A graph of petgraph comes in through [`Multigraph::from_petgraph`], which keeps petgraph's edge ids too:
//!
//! ```
//! use cycles::{Multigraph, elementary_cycles};
//! use petgraph::graph::{DiGraph, EdgeIndex};
//!
//! let ring = DiGraph::<(), ()>::from_edges([(0, 1), (1, 2), (2, 0)]);
//! let imported = Multigraph::from_petgraph(&ring)?;
//! let cycle = elementary_cycles(&imported.graph).next().expect("a ring has a cycle");
//! let back: Vec<EdgeIndex> = imported.originals(&cycle).collect();
//! assert_eq!(back, [EdgeIndex::new(0), EdgeIndex::new(1), EdgeIndex::new(2)]);
//! # Ok::<(), cycles::GraphError>(())
//! ```
//!
//! # Many cycles
//!
//! A graph can have exponentially many elementary cycles, so the enumeration is lazy, and whoever wants
//! all of them says how many would be too many. The answer tells whether it is all of them:
//!
//! ```
//! use cycles::{Multigraph, bounded, count};
//!
//! // A ring of 64 vertices with every edge doubled has 2^64 cycles.
//! let doubled = (0..128).map(|edge| (edge / 2, (edge / 2 + 1) % 64));
//! let graph = Multigraph::new(64, doubled)?;
//! let some = bounded(&graph, 1000);
//! assert_eq!(some.cycles.len(), 1000);
//! assert!(!some.complete);
//! assert!(!count(&graph, 5000).complete);
//! # Ok::<(), cycles::GraphError>(())
//! ```
//!
//! # Order
//!
//! Every cycle is told from its least vertex on. Cycles come by ascending least vertex, and those with the
//! same least vertex in lexicographic order of their edge ids. The order is thus a property of the graph
//! alone, not of the algorithm.
//!
//! # Cost
//!
//! For *V* vertices, *E* edges and *c* cycles: O(*V* + *E*) memory, O((*V* + *E*)(*c* + 1)) time for all
//! cycles, and O(*V* + *E*) time until the first cycle, between two consecutive ones and after the last.
//! The search keeps its stack on the heap: the length of a cycle is not bounded by the thread's stack.
//!
//! # Source
//!
//! D. B. Johnson, *Finding all the elementary circuits of a directed graph*, SIAM Journal on Computing
//! 4(1):77–84, 1975; here on multigraphs and with one search per strongly connected component. It replaces
//! the collection of cycles of the thesis (2008), section 13.2, whose Listing 13.1 walks every acyclic path
//! and so takes exponential time even on graphs with few cycles.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod component;
mod enumerate;
mod graph;
mod johnson;

pub use enumerate::{Bounded, Count, Cycle, ElementaryCycles, bounded, count, elementary_cycles};
pub use graph::{EdgeId, GraphError, Imported, Multigraph, VertexId};
