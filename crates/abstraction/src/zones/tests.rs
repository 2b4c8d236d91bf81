//! Tests of matrices against the points that they represent, and of differences against runs of a
//! machine.

mod matrices;
mod runs;
mod texts;
