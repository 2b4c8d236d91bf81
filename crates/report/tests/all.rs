//! All tests of this crate that need no process of their own: one program, as each has to be
//! linked.

mod diagrams;
mod renderers;
mod runs;
