//! All tests of this crate that need no process of their own: one program, as each has to be
//! linked.

mod assertions;
mod bounds;
#[cfg(feature = "promela")]
mod library;
