//! `freeboard close`: an open model with its environment, as text.

use clap::{Args, ValueEnum};
use freeboard::close_promela;

use super::arguments::Input;
use super::error::Error;
use super::input::{self, Source};
use super::{Status, output};

#[derive(Debug, Args)]
pub struct Arguments {
    #[command(flatten)]
    input: Input,
    /// Format of the result
    #[arg(long, value_name = "FORMAT", default_value = "promela")]
    dump: Dump,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Dump {
    /// The text with the environment as one more process, for Spin
    Promela,
}

pub fn run(arguments: &Arguments) -> Result<Status, Error> {
    let Dump::Promela = arguments.dump;
    let Source::Promela(text) = input::open(&arguments.input)? else {
        return Err(Error::Usage("only Promela models can be closed"));
    };
    let open = arguments.input.open_channels();
    let closed = close_promela(&text.name, &text.text, &arguments.input.parse_options(), &open);
    output::data(&closed.map_err(|failure| Error::of_model(&text.name, failure))?)?;
    Ok(Status::Success)
}
