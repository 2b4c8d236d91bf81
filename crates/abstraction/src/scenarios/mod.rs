//! Tests of whole abstractions of small programs: the results stated in the papers for each
//! construct; and random programs, run step by step, each of whose steps must be simulated by the
//! system.

mod channels;
pub(crate) mod machine;
mod messages;
mod processes;
mod simulation;
