//! Benchmarks only: see `benches/`, and docs/benchmarks.md for what they measured.
