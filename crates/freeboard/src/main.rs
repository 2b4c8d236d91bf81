//! The command `freeboard`: see `freeboard --help`.
#![forbid(unsafe_code)]

mod command;

use std::process::ExitCode;

fn main() -> ExitCode {
    command::run().into()
}
