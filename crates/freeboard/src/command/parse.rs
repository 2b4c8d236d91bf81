//! `freeboard parse`: the front end alone.

use clap::{Args, ValueEnum};
use freeboard::abstraction::{self, abstract_program};
use freeboard::cfsm_core::formats::Reading;
use freeboard::cfsm_core::program::Program;
use freeboard::cfsm_core::source::Sources;
use freeboard::cfsm_core::system::System;
use freeboard::promela_front::{self, Diagnostic};
use freeboard::report::view::{self, DiagnosticRow};
use freeboard::report::{json, visible};
use freeboard::{Failure, certify, umlrt_front};
use serde::Serialize;

use super::arguments::{Format, Input};
use super::error::Error;
use super::input::{Found, Text};
use super::{Status, input, output};

#[derive(Debug, Args)]
pub struct Arguments {
    #[command(flatten)]
    input: Input,
    /// Print what came out of the text
    #[arg(long)]
    dump: Option<Dump>,
    /// How to print it; without --dump, `json` prints the diagnostics on standard output too
    #[arg(long, default_value = "human")]
    format: Format,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Dump {
    /// The syntax tree, or of capsules the capsule model (for people only)
    Ast,
    /// The model as it was read, macros expanded, as Promela text
    Promela,
    /// The control-flow graph of each process
    Program,
    /// The abstract system
    System,
}

/// What the front end has to say, in plain data.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct Findings {
    schema: &'static str,
    file: String,
    diagnostics: Vec<DiagnosticRow>,
}

pub fn run(arguments: &Arguments) -> Result<Status, Error> {
    if matches!(arguments.dump, Some(Dump::Ast | Dump::Promela)) && arguments.format == Format::Json {
        return Err(Error::Usage("the syntax tree has no JSON form: use --dump program"));
    }
    match input::find(&arguments.input)? {
        Found::Promela(text) => promela(arguments, &text),
        Found::Room(text) => room(arguments, &text),
        Found::Machines(text, reading) => machines(arguments, &text, &reading),
    }
}

fn machines(arguments: &Arguments, text: &Text, reading: &Reading) -> Result<Status, Error> {
    output::diagnostics(&reading.diagnostics, &reading.sources);
    if arguments.dump.is_none() {
        findings(arguments.format, &text.name, &reading.diagnostics, &reading.sources)?;
    }
    let Some(system) = &reading.system else {
        return Ok(Status::Input);
    };
    match arguments.dump {
        None => {}
        Some(Dump::System) => output::data(&certify::write_system(system))?,
        Some(Dump::Ast | Dump::Promela | Dump::Program) => {
            return Err(Error::Usage("a system has neither a syntax tree nor a program: use --dump system"));
        }
    }
    Ok(Status::Success)
}

fn promela(arguments: &Arguments, text: &Text) -> Result<Status, Error> {
    let read = promela_front::parse(&text.name, &text.text, &arguments.input.parse_options());
    output::diagnostics(&read.diagnostics, &read.sources);
    if arguments.dump.is_none() {
        findings(arguments.format, &text.name, &read.diagnostics, &read.sources)?;
    }
    if arguments.dump == Some(Dump::Ast) {
        // As far as the text could be read: that is what helps to find out what went wrong.
        output::data(&format!("{:#?}\n", read.ast))?;
    }
    let Some(program) = &read.program else {
        return Ok(Status::Input);
    };
    if arguments.dump == Some(Dump::Promela) {
        output::data(&promela_front::print(&read.ast))?;
    }
    dump(arguments, &text.name, program)?;
    Ok(Status::Success)
}

fn room(arguments: &Arguments, text: &Text) -> Result<Status, Error> {
    let read = umlrt_front::parse(&text.name, &text.text, &arguments.input.capsule_options());
    output::diagnostics(&read.diagnostics, &read.sources);
    if arguments.dump.is_none() {
        findings(arguments.format, &text.name, &read.diagnostics, &read.sources)?;
    }
    if let (Some(Dump::Ast), Some(system)) = (arguments.dump, &read.system) {
        output::data(&format!("{system:#?}\n"))?;
    }
    let Some(lowered) = &read.lowered else {
        return Ok(Status::Input);
    };
    if arguments.dump == Some(Dump::Promela) {
        return Err(Error::Usage("a model of capsules is no Promela text: use --dump program"));
    }
    dump(arguments, &text.name, &lowered.program)?;
    Ok(Status::Success)
}

/// Prints a program, or the abstract system of one, if that is asked for.
fn dump(arguments: &Arguments, name: &str, program: &Program) -> Result<(), Error> {
    match (arguments.dump, arguments.format) {
        (None | Some(Dump::Ast | Dump::Promela), _) => {}
        (Some(Dump::Program), Format::Json) => output::data(&json::render(program))?,
        (Some(Dump::Program), Format::Human) => {
            let types = program.types.values().map(|process| promela_front::dump(program, process));
            output::data(&visible::lines(&types.collect::<Vec<_>>().join("\n")))?;
        }
        (Some(Dump::System), format) => {
            let abstraction = abstract_program(program, &abstraction::Options::default())
                .map_err(|error| Error::of_model(name, Failure::Abstraction(error)))?;
            let system: &System = &abstraction.system;
            output::data(&match format {
                Format::Human => visible::lines(&abstraction.outline()).into_owned(),
                Format::Json => certify::write_system(system),
            })?;
        }
    }
    Ok(())
}

/// Diagnostics as data; nothing in the form for people, who have them on standard error.
fn findings(format: Format, name: &str, diagnostics: &[Diagnostic], sources: &Sources) -> Result<(), Error> {
    if format == Format::Human {
        return Ok(());
    }
    output::data(&json::render(&Findings {
        schema: "freeboard.parse/1",
        file: name.into(),
        diagnostics: view::diagnostics(diagnostics, sources),
    }))
}
