//! `freeboard cycles`: elementary cycles per process.

use clap::Args;
use freeboard::report::text;
use freeboard::{Detail, list_cycles};

use super::arguments::{Format, Input};
use super::error::Error;
use super::{Status, input, output};

#[derive(Debug, Args)]
pub struct Arguments {
    #[command(flatten)]
    input: Input,
    /// Count the cycles (this is the default)
    #[arg(long, group = "detail")]
    count: bool,
    /// List the cycles, with lines and statements
    #[arg(long, group = "detail")]
    list: bool,
    /// List the different effects that cycles have on the number of messages
    #[arg(long, group = "detail")]
    effects: bool,
    /// Stop after this many cycles
    #[arg(long, value_name = "N")]
    max_cycles: Option<usize>,
    /// How to print the result
    #[arg(long, default_value = "human")]
    format: Format,
}

pub fn run(arguments: &Arguments) -> Result<Status, Error> {
    let detail = match (arguments.list, arguments.effects) {
        (true, _) => Detail::List,
        (false, true) => Detail::Effects,
        (false, false) => Detail::Count,
    };
    let (name, system) = input::system(&arguments.input)?;
    let listing = list_cycles(&system, &name, detail, arguments.max_cycles);
    output::view(&listing, arguments.format, text::cycles)?;
    Ok(if listing.complete { Status::Success } else { Status::Unknown })
}
