//! All tests of this crate that need no process of their own: one program, as each has to be
//! linked.

mod alone;
mod behind;
mod common;
mod counted;
mod exhaust;
mod footprints;
mod idle;
mod search;
mod sets;
mod steps;
mod supply;
mod up_to_idle;
mod witnesses;
