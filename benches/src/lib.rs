//! Benchmarks only: see `benches/`, and docs/internals/benchmarks.md for what they measured.
//! [`families`] makes models of any size for them.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

pub mod concrete;
pub mod families;
pub mod graphs;
