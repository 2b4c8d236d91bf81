//! The command `freeboard`: see `freeboard --help`.
#![forbid(unsafe_code)]

mod command;

use std::process::ExitCode;

/// An abstraction is made of many small sets, so a quarter of a large model's time went into
/// allocation: `docs/internals/dependencies.md`.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    command::run().into()
}
