//! The way out of what a check of a file finds.

use freeboard::cfsm_core::source::Sources;
use freeboard::promela_front::Diagnostic;
use freeboard::report::view::{self, Check, FileReport};
use freeboard::report::{json, junit, sarif, text};

use super::super::answer::{Answer, Receiver};
use super::super::arguments::ReportFormat;
use super::super::error::Error;
use super::super::{Status, output};
use super::{Arguments, write_evidence};

/// Collects what there is to say about a file, and prints what can be printed at once.
pub struct Outlet<'a> {
    pub arguments: &'a Arguments,
    /// The report on the file, as far as it is known.
    pub report: FileReport,
    /// `true` if the result is printed as soon as it is there.
    prints: bool,
}

impl<'a> Outlet<'a> {
    /// For the only file of a call.
    pub fn of_one(arguments: &'a Arguments) -> Self {
        let file = arguments.question.input.file.display().to_string();
        let prints = matches!(arguments.format, ReportFormat::Human | ReportFormat::Json);
        Self { arguments, report: FileReport { file, ..FileReport::default() }, prints }
    }

    /// For one of several files.
    pub fn of_several(arguments: &'a Arguments, file: String) -> Self {
        Self { arguments, report: FileReport { file, ..FileReport::default() }, prints: false }
    }

    /// Tells the result.
    fn result(&mut self, check: &Check) -> Result<(), Error> {
        self.report.check = Some(check.clone());
        match self.arguments.format {
            ReportFormat::Human if self.prints => {
                output::human(check, |check, style| text::check(check, self.arguments.runs.of(style)))
            }
            ReportFormat::Json if self.prints => output::data(&json::render(check)),
            _ => Ok(()),
        }
    }

    /// Notes the end of the check in the report.
    pub fn note(&mut self, result: &Result<Status, Error>) -> Status {
        let status = result.as_ref().map_or_else(Error::status, |status| *status);
        self.report.status = status as u8;
        match result {
            Err(Error::Diagnostics { diagnostics, sources }) => {
                self.report.diagnostics.extend(view::diagnostics(diagnostics, sources));
            }
            Err(error) => self.report.error = Some(error.reason()),
            Ok(_) => {}
        }
        status
    }

    /// Prints what is printed at the end only. Returns the result.
    pub fn conclude(mut self, result: Result<Status, Error>) -> Result<Status, Error> {
        self.note(&result);
        render(self.arguments.format, &[self.report])?;
        result
    }
}

impl Receiver for Outlet<'_> {
    fn wants_evidence(&self) -> bool {
        self.arguments.certificate.is_some() || self.arguments.system.is_some()
    }

    fn warned(&mut self, found: &[Diagnostic], sources: &Sources) {
        self.report.diagnostics.extend(view::diagnostics(found, sources));
    }

    fn finish(&mut self, answer: &Answer<'_>) -> Result<Status, Error> {
        self.result(&answer.view)?;
        write_evidence(self.arguments, answer)
    }
}

/// Prints reports in a form for other programs. The other forms are printed elsewhere.
pub fn render(format: ReportFormat, reports: &[FileReport]) -> Result<(), Error> {
    match format {
        ReportFormat::Human | ReportFormat::Json => Ok(()),
        ReportFormat::Sarif => output::data(&sarif::render(reports)),
        ReportFormat::Junit => output::data(&junit::render(reports)),
    }
}
