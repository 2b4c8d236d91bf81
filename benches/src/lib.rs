//! Generated families of systems, shared by the benchmarks.
