//! `freeboard check`.

mod files;
mod outlet;

use std::path::PathBuf;

use clap::Args;
use freeboard::certify::{self, Certificate, Claim, Trusted, Values};
use freeboard::cfsm_core::system::System;
use freeboard::report::json;
use freeboard::report::view::{Check, Verdict, WitnessFile};

use super::answer::{Answer, answer, status};
use super::arguments::{Input, ReportFormat, RunOptions, target};
use super::error::Error;
use super::question::Question;
use super::{Status, output, progress};
use outlet::Outlet;

#[derive(Debug, Args)]
pub struct Arguments {
    #[command(flatten)]
    question: Question,
    /// Further models, and directories, whose models are checked; then there is a line for each
    #[arg(value_name = "MORE")]
    more: Vec<PathBuf>,
    /// How to print the result
    #[arg(long, default_value = "human")]
    format: ReportFormat,
    #[command(flatten)]
    runs: RunOptions,
    /// Write the certificate here (JSON): a claim for each buffer that is proved bounded, and one
    /// for livelock freedom if that is proved; and, by name, what no checker repeats
    #[arg(long, value_name = "PATH", value_parser = target)]
    certificate: Option<PathBuf>,
    /// Write the abstract system here (JSON), which the certificate speaks of
    #[arg(long, value_name = "PATH", value_parser = target)]
    system: Option<PathBuf>,
    /// Write the replayed execution here (JSON), if something is refuted
    #[arg(long, value_name = "PATH", value_parser = target)]
    witness: Option<PathBuf>,
}

impl Arguments {
    /// The models and directories that are named, in order.
    fn named(&self) -> impl Iterator<Item = &PathBuf> {
        std::iter::once(&self.question.input.file).chain(&self.more)
    }

    /// The input for one of several files.
    fn about(&self, file: PathBuf) -> Input {
        Input { file, ..self.question.input.clone() }
    }
}

/// Checks what is named: one file, or several of them.
pub fn run(arguments: &Arguments) -> Result<Status, Error> {
    let mut options = arguments.question.options();
    options.progress = progress::stages();
    if files::is_alone(arguments) {
        let mut outlet = Outlet::of_one(arguments);
        let result = answer(&arguments.question, &arguments.question.input, options, &mut outlet);
        return outlet.conclude(result);
    }
    files::check_all(arguments, &options)
}

/// Writes the files that were asked for, and returns the exit status.
fn write_evidence(arguments: &Arguments, answer: &Answer<'_>) -> Result<Status, Error> {
    let Answer { view, system, certificates, .. } = answer;
    let Some(system) = system else { return Ok(status(view)) };
    if let Some(path) = &arguments.system {
        output::file(path, &certify::write_system(system))?;
    }
    if let Some(path) = &arguments.certificate {
        // Each claim stands on its own, so certificates for one system can be put together.
        let found = || certificates.iter().flatten();
        let claims = found().flat_map(|found| found.claims.clone()).collect();
        let values = found().flat_map(|found| found.values.clone()).collect();
        let is_proved = view.property_results.iter().any(|result| result.verdict == Verdict::Proved);
        if is_proved || certificates.iter().any(Option::is_some) {
            output::file(path, &certificate(system, claims, values, &view.trust).to_json())?;
        } else {
            output::note("nothing is proved: no certificate is written");
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

/// The certificate of a system, with what of the verdicts it does not have: what is trusted beyond
/// what its claims rest on, which it derives itself.
fn certificate(system: &System, claims: Vec<Claim>, values: Vec<Values>, trust: &[Trusted]) -> Certificate {
    Certificate::new(system, claims).with_values(values).bound_to(system, trust.iter().cloned())
}

/// The first witness of the first property that has one.
fn witness_file(view: &Check) -> Option<WitnessFile> {
    view.property_results
        .iter()
        .find_map(|result| Some(WitnessFile::new(&view.file, result.property, result.witness.clone()?)))
}
