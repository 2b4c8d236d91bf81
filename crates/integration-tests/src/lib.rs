//! Tests only: differential, papers, layering, documentation
