//! `freeboard simulate`: a run of the concrete semantics.

use clap::Args;
use freeboard::explore::Buffers;
use freeboard::report::text;
use freeboard::report::view::{End, Simulation};
use freeboard::simulate_program;

use super::arguments::{Format, Input, capacity};
use super::error::Error;
use super::{Status, input, output};

#[derive(Debug, Args)]
pub struct Arguments {
    #[command(flatten)]
    input: Input,
    /// What the choices follow from: the same seed gives the same run
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// Stop after this many steps
    #[arg(long, value_name = "N", default_value_t = 100)]
    steps: usize,
    /// How many messages channels hold: declared, unbounded, or a number for all that are no
    /// rendezvous
    #[arg(long, value_name = "CAPACITY", default_value = "declared", value_parser = capacity)]
    capacity: Buffers,
    /// How to print the result
    #[arg(long, default_value = "human")]
    format: Format,
}

pub fn run(arguments: &Arguments) -> Result<Status, Error> {
    input::without_assumptions(&arguments.input)?;
    let (name, program) = input::program(&arguments.input)?;
    let view =
        simulate_program(&program, &name, arguments.capacity.clone(), (arguments.seed, arguments.steps))
            .map_err(|failure| Error::of_model(&name, failure))?;
    output::view(&view, arguments.format, text::simulation)?;
    Ok(status(&view))
}

/// Something found if the run came upon something wrong.
fn status(view: &Simulation) -> Status {
    let wrong = matches!(view.end, End::Deadlock | End::InvalidEndState | End::Error);
    if wrong || view.steps.iter().any(|step| !step.errors.is_empty()) {
        Status::Refuted
    } else {
        Status::Success
    }
}
