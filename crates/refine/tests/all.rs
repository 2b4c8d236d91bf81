//! All tests of this crate that need no process of their own: one program, as each has to be
//! linked.

mod capacities;
mod counters;
mod following;
mod maxima;
mod order;
mod readings;
mod termination;
