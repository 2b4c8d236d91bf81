//! All tests of this crate that need no process of their own: one program, as each has to be
//! linked.

mod diagnostics;
mod effects;
mod incarnations;
mod robustness;
mod statements;
mod systems;
