//! The command `freeboard`: see `freeboard --help`.
#![forbid(unsafe_code)]

mod command;

use std::process::ExitCode;

use mimalloc::MiMalloc;

/// Sets of values and columns are many small blocks, made and dropped in turn.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

fn main() -> ExitCode {
    command::run().into()
}
