//! `freeboard report`.

use std::path::{Path, PathBuf};

use clap::Args;
use freeboard::cfsm_core::source::Sources;
use freeboard::promela_front::Diagnostic;
use freeboard::report::html;
use freeboard::report::view::{Network, Report, arguments, network};

use super::answer::{self, Answer, Receiver, status};
use super::error::Error;
use super::input::is_standard;
use super::question::Question;
use super::{Status, output, progress};

#[derive(Debug, Args)]
pub struct Arguments {
    #[command(flatten)]
    question: Question,
    /// Write the report here; `-` is standard output
    #[arg(long, short, value_name = "PATH", default_value = "-")]
    output: PathBuf,
}

pub fn run(arguments: &Arguments) -> Result<Status, Error> {
    let mut options = arguments.question.options();
    options.progress = progress::stages();
    let mut writer = Writer { output: &arguments.output };
    answer::answer(&arguments.question, &arguments.question.input, options, &mut writer)
}

/// Writes a report of the answer.
struct Writer<'a> {
    output: &'a Path,
}

impl Receiver for Writer<'_> {
    fn wants_evidence(&self) -> bool {
        true
    }

    fn warned(&mut self, _: &[Diagnostic], _: &Sources) {}

    fn finish(&mut self, answer: &Answer<'_>) -> Result<Status, Error> {
        let Answer { view, system, certificates, sources } = answer;
        let proofs = system.iter().flat_map(|system| {
            certificates.iter().flatten().flat_map(move |certificate| arguments(system, certificate))
        });
        let network = system.map_or_else(Network::default, network);
        let page = html::report(&Report::new(view.clone(), network, proofs.collect(), sources));
        if is_standard(self.output) {
            output::data(&page)?;
        } else {
            output::file(self.output, &page)?;
        }
        Ok(status(view))
    }
}
