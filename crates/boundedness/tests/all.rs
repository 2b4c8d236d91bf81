//! All tests of this crate that need no process of their own: one program, as each has to be
//! linked.

mod data;
mod linear;
mod merged;
mod networks;
mod papers;
mod small;
mod structure;
