//! `freeboard explore`: all states of the concrete semantics.

use std::time::{Duration, Instant};

use clap::Args;
use freeboard::cfsm_core::deadline::Deadline;
use freeboard::explore::{Buffers, Limits};
use freeboard::explore_program;
use freeboard::report::text;

use super::arguments::{Format, Input, capacity, count, duration};
use super::error::Error;
use super::{Status, input, interrupt, output};

/// Most bytes that states may take: the search says so and does not take the machine with it.
const MEMORY: usize = 2 << 30;

#[derive(Debug, Args)]
pub struct Arguments {
    #[command(flatten)]
    input: Input,
    /// How many messages channels hold: declared, unbounded, or a number for all that are no
    /// rendezvous
    #[arg(long, value_name = "CAPACITY", default_value = "declared", value_parser = capacity)]
    capacity: Buffers,
    /// Give up after this many states
    #[arg(long, value_name = "N", value_parser = count)]
    max_states: Option<usize>,
    /// Give up after this time, e.g. 30s or 2m
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    time_limit: Option<Duration>,
    /// How to print the result
    #[arg(long, default_value = "human")]
    format: Format,
}

pub fn run(arguments: &Arguments) -> Result<Status, Error> {
    input::without_assumptions(&arguments.input)?;
    let start = Instant::now();
    let stop = interrupt::watch(None);
    let (name, program) = input::program(&arguments.input)?;
    let limits = Limits {
        states: arguments.max_states,
        bytes: Some(MEMORY),
        // A limit beyond what the clock can tell is none.
        deadline: Deadline::at(arguments.time_limit.and_then(|limit| start.checked_add(limit)))
            .or_stopped(&stop),
        ..Limits::default()
    };
    let view = explore_program(&program, &name, arguments.capacity.clone(), &limits)
        .map_err(|failure| Error::of_model(&name, failure))?;
    output::view(&view, arguments.format, text::exploration)?;
    Ok(match (view.found(), view.complete) {
        (true, _) => Status::Refuted,
        (false, true) => Status::Success,
        (false, false) => Status::Unknown,
    })
}
