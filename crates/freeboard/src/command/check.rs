//! `freeboard check`.

use std::path::PathBuf;

use clap::Args;
use freeboard::certify::{self, Certificate, Claim, Trusted};
use freeboard::cfsm_core::system::System;
use freeboard::report::view::{Check, Verdict, WitnessFile};
use freeboard::report::{json, text};

use super::answer::{self, Answer, Receiver, status};
use super::arguments::{Format, target};
use super::error::Error;
use super::question::Question;
use super::{Status, output};

#[derive(Debug, Args)]
pub struct Arguments {
    #[command(flatten)]
    question: Question,
    /// How to print the result
    #[arg(long, default_value = "human")]
    format: Format,
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

pub fn run(arguments: &Arguments) -> Result<Status, Error> {
    let wants_evidence = arguments.certificate.is_some() || arguments.system.is_some();
    let finish = |answer: &Answer<'_>| finish(arguments, answer);
    answer::answer(&arguments.question, Receiver { wants_evidence, finish: &finish })
}

/// Prints the result, writes the files that were asked for and tells the exit status.
fn finish(arguments: &Arguments, answer: &Answer<'_>) -> Result<Status, Error> {
    let Answer { view, system, certificates, .. } = answer;
    output::view(view, arguments.format, text::check)?;
    let Some(system) = system else { return Ok(status(view)) };
    if let Some(path) = &arguments.system {
        output::file(path, &certify::write_system(system))?;
    }
    if let Some(path) = &arguments.certificate {
        // Each claim stands on its own, so certificates for one system can be put together.
        let claims: Vec<_> = certificates.iter().flatten().flat_map(|found| found.claims.clone()).collect();
        let is_proved = view.property_results.iter().any(|result| result.verdict == Verdict::Proved);
        if is_proved || certificates.iter().any(Option::is_some) {
            output::file(path, &certificate(system, claims, &view.trust).to_json())?;
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
fn certificate(system: &System, claims: Vec<Claim>, trust: &[Trusted]) -> Certificate {
    Certificate::new(system, claims).bound_to(system, trust.iter().cloned())
}

/// The first witness of the first property that has one.
fn witness_file(view: &Check) -> Option<WitnessFile> {
    view.property_results
        .iter()
        .find_map(|result| Some(WitnessFile::new(&view.file, result.property, result.witness.clone()?)))
}
