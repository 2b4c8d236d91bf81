//! Matrices against the points that they stand for; differences against runs of a machine.

mod matrices;
mod runs;
mod texts;
