//! `freeboard close`: an open model with its environment, as text, or what hangs on it.

use clap::{Args, ValueEnum};
use freeboard::report::text::environment_conditions;
use freeboard::{close_promela, explain_promela};

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
    /// Print the conditions that hang on the environment instead
    #[arg(long, conflicts_with = "dump")]
    explain: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Dump {
    /// The text with the environment as one more process, for Spin
    Promela,
}

pub fn run(arguments: &Arguments) -> Result<Status, Error> {
    input::without_assumptions(&arguments.input)?;
    let Dump::Promela = arguments.dump;
    let Source::Promela(text) = input::open(&arguments.input)? else {
        return Err(Error::Usage("only Promela models can be closed"));
    };
    let open = arguments.input.open_channels();
    let options = arguments.input.parse_options();
    let told = if arguments.explain {
        explain_promela(&text.name, &text.text, &options, &open)
            .map(|listing| environment_conditions(&listing))
    } else {
        close_promela(&text.name, &text.text, &options, &open)
    };
    output::data(&told.map_err(|failure| Error::of_model(&text.name, failure))?)?;
    Ok(Status::Success)
}
