//! `freeboard contract`: what is proved about a component in every environment.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use freeboard::report::text;
use freeboard::report::view::ClauseListing;
use freeboard::{OpenError, Options, component, read_open_program};

use super::arguments::{Format, Input, duration, target};
use super::error::Error;
use super::input::{self, Machines, Source};
use super::{Status, output};

#[derive(Debug, Args)]
pub struct Arguments {
    #[command(flatten)]
    input: Input,
    /// Write the contract here (JSON), for `freeboard compose`
    #[arg(long, short, value_name = "PATH", value_parser = target)]
    output: Option<PathBuf>,
    /// Format of the result
    #[arg(long, default_value = "human")]
    format: Format,
    /// Give up after this time, e.g. 30s or 2m
    #[arg(long, value_name = "DURATION", value_parser = duration, default_value = "60s")]
    time_limit: Duration,
}

pub fn run(arguments: &Arguments) -> Result<Status, Error> {
    input::without_assumptions(&arguments.input)?;
    let options = Options { time_limit: Some(arguments.time_limit), ..Options::default() };
    let (name, component) = match input::open(&arguments.input)? {
        Source::Machines(Machines { name, open: Some(open), .. }) => (name, open.component(&options)),
        Source::Machines(Machines { name, .. }) => (name, Err(OpenError::Nothing)),
        Source::Promela(text) => {
            let (parse, open) = (arguments.input.parse_options(), arguments.input.open_channels());
            let (program, warnings) = read_open_program(&text.name, &text.text, &parse, &open)
                .map_err(|failure| Error::of_model(&text.name, failure))?;
            output::diagnostics(&warnings, &program.sources);
            (text.name, component(&program, &warnings, &options))
        }
        Source::Room(_) => return Err(Error::Usage("contracts are for Promela models and machines only")),
    };
    let component = component.map_err(|error| Error::of_model(&name, error.into()))?;
    if let Some(path) = &arguments.output {
        output::file(path, &component.file().to_json())?;
    }
    let listing = ClauseListing::of(&component, &name);
    output::view(&listing, arguments.format, text::clauses)?;
    Ok(if listing.is_complete { Status::Success } else { Status::Unknown })
}
