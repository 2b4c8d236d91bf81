//! `freeboard export`: models and runs for other tools.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use freeboard::cfsm_core::program::Program;
use freeboard::report::export::{Net, claim, itf, lola, lp, pnml};
use freeboard::report::text;
use freeboard::report::view::{Trace, WitnessFile};
use freeboard::{ReplayFailure, promela_front, replay, spin_trail, trace};

use super::arguments::{Input, target};
use super::error::Error;
use super::input::{self, Source, Text};
use super::{Status, output};

#[derive(Debug, Args)]
pub struct Arguments {
    #[command(flatten)]
    input: Input,
    /// Format of the export
    #[arg(long, value_name = "FORMAT")]
    to: Target,
    /// The run to write (itf, never, trail), as `check --witness` writes it
    #[arg(long, value_name = "PATH")]
    witness: Option<PathBuf>,
    /// Write it here [default: standard output]
    #[arg(short, long, value_name = "PATH", value_parser = target)]
    output: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Target {
    /// The states of a run, in Apalache's Informal Trace Format
    Itf,
    /// A run as a never claim that makes Spin find it
    Never,
    /// A run as a trail, which `spin -t` replays
    Trail,
    /// The abstract system as a place/transition net, in PNML
    Pnml,
    /// The same net for LoLA
    Lola,
    /// The question of boundedness as a linear programme, in the CPLEX LP format
    Lp,
}

pub fn run(arguments: &Arguments) -> Result<Status, Error> {
    input::without_assumptions(&arguments.input)?;
    let text = match arguments.to {
        Target::Itf | Target::Never | Target::Trail => of_run(arguments)?,
        Target::Pnml | Target::Lola | Target::Lp => of_system(arguments)?,
    };
    match &arguments.output {
        Some(path) => output::file(path, &text)?,
        None => output::data(&text)?,
    }
    Ok(Status::Success)
}

fn of_system(arguments: &Arguments) -> Result<String, Error> {
    if arguments.witness.is_some() {
        return Err(Error::Usage("--witness is for --to itf, never and trail: the others have no run"));
    }
    let (name, system) = input::system(&arguments.input)?;
    let refused = |reason: String| Error::NotExported { name: name.clone(), reason };
    let net = Net::of(&system).map_err(|reason| refused(reason.to_string()))?;
    match arguments.to {
        Target::Pnml => Ok(pnml(&net)),
        Target::Lola => Ok(lola(&net)),
        _ => Ok(lp(&net)),
    }
}

fn of_run(arguments: &Arguments) -> Result<String, Error> {
    let Some(path) = &arguments.witness else {
        return Err(Error::Usage("--witness is missing: the run that `check --witness` has written"));
    };
    if input::is_standard(&arguments.input.file) && input::is_standard(path) {
        return Err(Error::Usage("only one of the two files can be standard input"));
    }
    let source = input::open(&arguments.input)?;
    let promela = match &source {
        Source::Promela(Text { name, text }) => {
            Some(promela_front::tree(name, text, &arguments.input.parse_options()).ast)
        }
        _ => None,
    };
    let (name, program) = input::program_of(source, &arguments.input)?;
    let for_spin = matches!(arguments.to, Target::Never | Target::Trail);
    let promela = promela.filter(|_| program.environment.is_none());
    if for_spin && promela.is_none() {
        return Err(Error::Usage(
            "a never claim or a trail is for Spin, which reads Promela models without --open only",
        ));
    }
    let Text { name: record_name, text } = input::read(path)?;
    let record = WitnessFile::from_json(&text)
        .map_err(|error| Error::Witness { name: record_name, error: error.to_string() })?;
    let refused = |reason: String| Error::NotExported { name: name.clone(), reason };
    let failed = |failure: ReplayFailure| match failure {
        ReplayFailure::Program(failure) => Error::of_model(&name, failure),
        failure => refused(failure.to_string()),
    };
    // What does not replay is not passed on.
    replay(&program, &record).map_err(failed)?;
    match arguments.to {
        Target::Never => claim(&record.witness).map_err(|reason| refused(reason.to_string())),
        Target::Trail => spin_trail(&program, &promela.unwrap_or_default(), &record)
            .map_err(|reason| refused(reason.to_string())),
        _ => Ok(itf(&told(&name, &program, &record).map_err(failed)?)),
    }
}

fn told(name: &str, program: &Program, record: &WitnessFile) -> Result<Trace, ReplayFailure> {
    let description = text::summary(&record.witness);
    Ok(Trace { file: name.into(), description, ..trace(program, record)? })
}
