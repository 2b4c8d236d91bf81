//! `freeboard loops`: which loops end, and how often they turn.

use clap::Args;
use freeboard::list_loops;
use freeboard::report::text;
use freeboard::report::view::LoopVerdict;

use super::arguments::{Format, Input};
use super::error::Error;
use super::{Status, input, output};

#[derive(Debug, Args)]
pub struct Arguments {
    #[command(flatten)]
    input: Input,
    /// Format of the result
    #[arg(long, default_value = "human")]
    format: Format,
}

pub fn run(arguments: &Arguments) -> Result<Status, Error> {
    input::without_assumptions(&arguments.input)?;
    let (name, program) = input::program(&arguments.input)?;
    let listing = list_loops(&program, &name);
    output::view(&listing, arguments.format, text::loops)?;
    let some = |verdict| listing.loops.iter().any(|row| row.verdict == verdict);
    Ok(match (some(LoopVerdict::Endless), some(LoopVerdict::Unknown)) {
        (true, _) => Status::Refuted,
        (false, true) => Status::Unknown,
        (false, false) => Status::Success,
    })
}
