//! All tests of this crate that need no process of their own, as one program, since every program
//! must be linked.

mod exactness;
mod growing;
