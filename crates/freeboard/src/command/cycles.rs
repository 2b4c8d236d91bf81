//! `freeboard cycles`: elementary cycles per process.

use std::io::{self, Write};
use std::ops::ControlFlow;

use clap::Args;
use freeboard::cfsm_core::system::System;
use freeboard::report::text::{self, CycleLines, Style};
use freeboard::report::{json, view::ProcessCycles};
use freeboard::{ClassCycles, Detail, cycles_of, list_cycles, list_cycles_lazily};

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
    input::without_assumptions(&arguments.input)?;
    let (name, system) = input::system(&arguments.input)?;
    let complete = if arguments.list {
        list(arguments, &name, &system)?
    } else {
        let detail = if arguments.effects { Detail::Effects } else { Detail::Count };
        let listing = list_cycles(&system, &name, detail, arguments.max_cycles);
        output::view(&listing, arguments.format, text::cycles)?;
        listing.complete
    };
    Ok(if complete { Status::Success } else { Status::Unknown })
}

/// Writes the cycles as they are found, and tells whether these are all; there can be more than fit
/// into memory, or than anybody waits for.
fn list(arguments: &Arguments, name: &str, system: &System) -> Result<bool, Error> {
    let limit = arguments.max_cycles;
    let complete = output::stream(|out| match arguments.format {
        Format::Json => {
            let listing = list_cycles_lazily(system, name, limit);
            json::write(&listing, out).map(|()| listing.complete)
        }
        Format::Human => human(system, limit, output::style(), out),
    })?;
    // That nobody reads on is no error, and says nothing about what has not been written.
    Ok(complete.unwrap_or(true))
}

/// The same text as [`text::cycles`] has, but for the widths of columns, which are those of all
/// steps.
fn human(system: &System, limit: Option<usize>, style: Style, out: &mut dyn Write) -> io::Result<bool> {
    let (mut total, mut complete) = (0_usize, true);
    for class in cycles_of(system) {
        let most = limit.map_or(usize::MAX, |limit| limit - total);
        let (cycles, all) = one_class(&class, most, style, out)?;
        total = total.saturating_add(cycles);
        complete &= all;
    }
    out.write_all(text::cycles_total(total, complete).as_bytes())?;
    Ok(complete)
}

fn one_class(
    class: &ClassCycles<'_>,
    most: usize,
    style: Style,
    out: &mut dyn Write,
) -> io::Result<(usize, bool)> {
    let mut lines = CycleLines::new(class.steps().iter(), style);
    let head: ProcessCycles = class.summary((0, false));
    out.write_all(lines.head(&head).as_bytes())?;
    let mut written = Ok(());
    let (cycles, complete) = class.visit(most, |steps| {
        written = out.write_all(lines.cycle(steps).as_bytes());
        if written.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    });
    written?;
    out.write_all(lines.end(complete).as_bytes())?;
    Ok((cycles, complete))
}
