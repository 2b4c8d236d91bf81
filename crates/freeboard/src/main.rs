//! The command `freeboard`: see `freeboard --help`.
#![forbid(unsafe_code)]

mod command;

use std::process::ExitCode;

/// An abstraction is made of many small sets, so a quarter of the time goes into allocation: this one takes half of it.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    command::run().into()
}
