//! `freeboard engines`.

use std::fmt::Write as _;

use clap::Args;
use freeboard::refine::Strategy;
use freeboard::report::json;
use serde::Serialize;

use super::arguments::Format;
use super::error::Error;
use super::{Status, output};

#[derive(Debug, Args)]
pub struct Arguments {
    /// How to print the result
    #[arg(long, default_value = "human")]
    format: Format,
}

/// The name of the search for runs that refute.
pub const RUNS: &str = "runs";

/// The description of the search for runs.
const RUNS_SUMMARY: &str = "searches a run that makes a buffer grow for ever, or goes on without progress";

/// The result in JSON.
#[derive(Debug, Serialize)]
struct Listing {
    schema: &'static str,
    engines: Vec<Engine>,
}

#[derive(Debug, Serialize)]
struct Engine {
    name: &'static str,
    summary: &'static str,
}

fn engines() -> impl Iterator<Item = Engine> {
    let strategies = Strategy::ALL.into_iter();
    let strategies = strategies.map(|strategy| Engine { name: strategy.name(), summary: strategy.summary() });
    strategies.chain([Engine { name: RUNS, summary: RUNS_SUMMARY }])
}

/// The names of all engines, with commas.
pub fn names() -> String {
    engines().map(|engine| engine.name).collect::<Vec<_>>().join(", ")
}

pub fn run(arguments: &Arguments) -> Result<Status, Error> {
    let listing = Listing { schema: "freeboard.engines/1", engines: engines().collect() };
    match arguments.format {
        Format::Json => output::data(&json::render(&listing))?,
        Format::Human => {
            let width = listing.engines.iter().map(|engine| engine.name.len()).max().unwrap_or(0);
            let mut text = String::new();
            for Engine { name, summary } in &listing.engines {
                let _ = writeln!(text, "{name:width$}  {summary}");
            }
            output::people(&text)?;
        }
    }
    Ok(Status::Success)
}
