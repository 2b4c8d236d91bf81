//! Searches that leave states out, held against searches that leave out nothing.
//!
//! `FREEBOARD_LONG` compares more random programs, `PROPTEST_CASES` as many as it says; the first
//! number is `PROPTEST_RNG_SEED`, or 0.

mod exhaustion;
mod sets;
mod termination;

use cfsm_core::program::Program;
use explore::{Buffers, Claims, Options, Semantics};

/// A program and what it does, if that can be executed.
fn semantics(text: &str, buffers: Buffers) -> Option<(Program, Semantics)> {
    let read = promela_front::parse("model.pml", text, &promela_front::Options::default());
    let options =
        Options { buffers, claims: Claims::Ignored, max_processes: 12, max_queues: 30, d_step_limit: 1_000 };
    let program = read.program?;
    let semantics = Semantics::new(&program, &options).ok()?;
    Some((program, semantics))
}
