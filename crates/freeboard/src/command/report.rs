//! `freeboard report`.

use std::path::PathBuf;

use clap::Args;
use freeboard::report::html;
use freeboard::report::view::{Network, Report, arguments, network};

use super::answer::{self, Answer, Receiver, status};
use super::error::Error;
use super::input::is_standard;
use super::question::Question;
use super::{Status, output};

#[derive(Debug, Args)]
pub struct Arguments {
    #[command(flatten)]
    question: Question,
    /// Write the report here; `-` is standard output
    #[arg(long, short, value_name = "PATH", default_value = "-")]
    output: PathBuf,
}

pub fn run(arguments: &Arguments) -> Result<Status, Error> {
    let finish = |answer: &Answer<'_>| finish(arguments, answer);
    answer::answer(&arguments.question, Receiver { wants_evidence: true, finish: &finish })
}

/// Writes the report, and returns the exit status of `check`.
fn finish(report: &Arguments, answer: &Answer<'_>) -> Result<Status, Error> {
    let Answer { view, system, certificates, sources } = answer;
    let proofs = system.iter().flat_map(|system| {
        certificates.iter().flatten().flat_map(move |certificate| arguments(system, certificate))
    });
    let network = system.map_or_else(Network::default, network);
    let page = html::report(&Report::new(view.clone(), network, proofs.collect(), sources));
    if is_standard(&report.output) {
        output::data(&page)?;
    } else {
        output::file(&report.output, &page)?;
    }
    Ok(status(view))
}
