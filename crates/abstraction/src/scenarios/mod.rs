//! Whole abstractions of small programs: what the papers say about each construct; and random
//! programs, run step by step, each of whose steps must have its image.

mod channels;
pub(crate) mod machine;
mod messages;
mod processes;
mod simulation;
