//! `freeboard replay`: a witness, step by step.

use std::path::PathBuf;

use clap::Args;
use freeboard::report::text;
use freeboard::report::view::{REPLAY_SCHEMA, Replay, Witness, WitnessFile};
use freeboard::{ReplayFailure, Replayed, replay};

use super::arguments::{Format, Input, Only};
use super::error::Error;
use super::input::{self, Text};
use super::{Status, output};

#[derive(Debug, Args)]
pub struct Arguments {
    #[command(flatten)]
    input: Input,
    /// The witness, as `check --witness` writes it
    witness: PathBuf,
    /// How to print the result
    #[arg(long, default_value = "human")]
    format: Format,
    /// Show only some statements of the run
    #[arg(long)]
    only: Option<Only>,
}

pub fn run(arguments: &Arguments) -> Result<Status, Error> {
    input::without_assumptions(&arguments.input)?;
    if input::is_standard(&arguments.input.file) && input::is_standard(&arguments.witness) {
        return Err(Error::Usage("only one of the two files can be standard input"));
    }
    let (name, program) = input::program(&arguments.input)?;
    let Text { name: record_name, text } = input::read(&arguments.witness)?;
    let record = WitnessFile::from_json(&text)
        .map_err(|error| Error::Witness { name: record_name, error: error.to_string() })?;
    let (witness, rounds, reason) = match replay(&program, &record) {
        // A run with an end makes nothing grow, whatever the file says.
        Ok(Replayed::Run(_)) => (Witness { grows: Vec::new(), ..record.witness }, 0, None),
        Ok(Replayed::Lasso(view, rounds)) => (*view, rounds, None),
        Err(ReplayFailure::Program(failure)) => return Err(Error::of_model(&name, failure)),
        Err(failure) => (record.witness, 0, Some(failure.to_string())),
    };
    let view = Replay {
        schema: REPLAY_SCHEMA.into(),
        file: name,
        accepted: reason.is_none(),
        rounds,
        reason,
        witness,
    };
    let only_messages = arguments.only.is_some();
    output::view(&view, arguments.format, |view, style| {
        text::replay(view, text::Style { only_messages, ..style })
    })?;
    Ok(if view.accepted { Status::Success } else { Status::Refuted })
}
