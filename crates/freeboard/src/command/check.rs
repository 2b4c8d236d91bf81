//! `freeboard check`.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};
use freeboard::boundedness::Outcome;
use freeboard::cfsm_core::system::System;
use freeboard::ilp_encode::Encoding;
use freeboard::report::view::{self, Check, Seconds, Verdict, WitnessFile};
use freeboard::report::{json, text};
use freeboard::{Failure, Options, RunLimits, abstraction, certify, check_promela, check_system};

use super::arguments::{Format, Input};
use super::error::Error;
use super::input::{Source, Text};
use super::{Status, input, output};

#[derive(Debug, Args)]
pub struct Arguments {
    #[command(flatten)]
    input: Input,
    /// What to prove [default: boundedness]
    #[arg(long)]
    property: Option<Property>,
    /// How to print the result
    #[arg(long, default_value = "human")]
    format: Format,
    /// How to decide; both give the same verdicts
    #[arg(long, default_value = "flow")]
    encoding: Form,
    /// Write the certificate here (JSON): a claim for each buffer that is proved bounded
    #[arg(long, value_name = "PATH")]
    certificate: Option<PathBuf>,
    /// Write the abstract system here (JSON), which the certificate speaks of
    #[arg(long, value_name = "PATH")]
    system: Option<PathBuf>,
    /// Write the replayed execution here (JSON), if something is refuted
    #[arg(long, value_name = "PATH")]
    witness: Option<PathBuf>,
    /// Stop after the plain test (which is what happens anyway at present)
    #[arg(long)]
    no_refine: bool,
    /// Search no concrete run: no witness, no true maxima
    #[arg(long)]
    no_search: bool,
    /// Give up after this time, e.g. 30s or 2m
    #[arg(long, value_name = "DURATION", value_parser = humantime::parse_duration)]
    time_limit: Option<Duration>,
    /// Give up if there are more elementary cycles (with --encoding cycles, which lists them)
    #[arg(long, value_name = "N")]
    max_cycles: Option<usize>,
    /// Look at no more than this many states in each search of concrete runs [default: 400000 for
    /// witnesses, 20000 for true maxima]
    #[arg(long, value_name = "N")]
    max_states: Option<usize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Property {
    /// No buffer can grow without bound
    Boundedness,
    /// Every infinite run makes progress (not built yet)
    Livelock,
    /// Both (not built yet)
    All,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Form {
    /// On demand: linear in the system
    Flow,
    /// Every elementary cycle is listed first
    Cycles,
}

pub fn run(arguments: &Arguments) -> Result<Status, Error> {
    match arguments.property {
        Some(Property::Livelock) => return Err(Error::NotBuilt("the property livelock".into())),
        Some(Property::All) => {
            return Err(Error::NotBuilt("the property livelock, and with it `all`,".into()));
        }
        Some(Property::Boundedness) | None => {}
    }
    let options = Options {
        parse: arguments.input.parse_options(),
        encoding: match arguments.encoding {
            Form::Flow => Encoding::Flow,
            Form::Cycles => Encoding::Cycles,
        },
        time_limit: arguments.time_limit,
        max_cycles: arguments.max_cycles,
        runs: run_limits(arguments),
        ..Options::default()
    };
    match input::open(&arguments.input)? {
        Source::Promela(text) => promela(arguments, &text, &options),
        Source::System(text, system) => {
            let analysis =
                check_system(system, &options).map_err(|failure| Error::of_model(&text.name, failure))?;
            finish(arguments, &analysis.view(&text.name), &analysis.system, &analysis.outcome)
        }
    }
}

fn run_limits(arguments: &Arguments) -> RunLimits {
    match arguments.max_states {
        _ if arguments.no_search => RunLimits::NONE,
        Some(states) => RunLimits { search_states: states, exploration_states: states },
        None => RunLimits::default(),
    }
}

fn promela(arguments: &Arguments, text: &Text, options: &Options) -> Result<Status, Error> {
    let analysis = match check_promela(&text.name, &text.text, options) {
        Ok(analysis) => analysis,
        Err(Failure::Abstraction(limit @ abstraction::Error::TooManyTransitions { .. })) => {
            let view = view::undecided(&text.name, limit, Seconds::default());
            output::view(&view, arguments.format, text::check)?;
            return Ok(Status::Unknown);
        }
        Err(failure) => return Err(Error::of_model(&text.name, failure)),
    };
    output::diagnostics(&analysis.warnings, &analysis.program.sources);
    if arguments.property.is_none() && analysis.has_progress_labels() {
        output::note("the model has progress labels, but freedom from livelocks cannot be checked yet");
    }
    finish(arguments, &analysis.view(&text.name), analysis.system(), &analysis.outcome)
}

/// Prints the result, writes the files that were asked for and tells the exit status.
fn finish(arguments: &Arguments, view: &Check, system: &System, outcome: &Outcome) -> Result<Status, Error> {
    output::view(view, arguments.format, text::check)?;
    if let Some(path) = &arguments.system {
        output::file(path, &certify::write_system(system))?;
    }
    if let Some(path) = &arguments.certificate {
        match outcome.verdict.certificate() {
            Some(certificate) => output::file(path, &certificate.to_json())?,
            None => output::note("nothing is proved: no certificate is written"),
        }
    }
    if let Some(path) = &arguments.witness {
        match witness_file(view) {
            Some(file) => output::file(path, &json::render(&file))?,
            None => output::note("nothing is refuted: no witness is written"),
        }
    }
    Ok(status(view))
}

/// The first witness of the first property that has one.
fn witness_file(view: &Check) -> Option<WitnessFile> {
    view.property_results
        .iter()
        .find_map(|result| Some(WitnessFile::new(&view.file, result.property, result.witness.clone()?)))
}

/// Refuted if anything is, unknown if anything else is.
fn status(view: &Check) -> Status {
    let verdicts = || view.property_results.iter().map(|result| result.verdict);
    if verdicts().any(|verdict| verdict == Verdict::Refuted) {
        Status::Refuted
    } else if verdicts().all(|verdict| verdict == Verdict::Proved) {
        Status::Success
    } else {
        Status::Unknown
    }
}
