//! Benchmarks only: see `benches/`, and docs/internals/benchmarks.md for what they measured.
//! [`families`] makes models of any size for them. [`region_graphs`] is the termination proof of
//! the thesis, which freeboard's own is compared with; no verdict depends on it.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

pub mod affine_loops;
pub mod chapter_nine;
pub mod concrete;
pub mod families;
pub mod graphs;
pub mod region_graphs;
