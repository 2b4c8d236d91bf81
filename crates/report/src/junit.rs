//! JUnit renderer: the XML that build servers read, with a test suite for each file.
//!
//! There is a test case for each property and each buffer. What is refuted is a failure, what is
//! undecided or could not be checked an error.

use xmlwriter::XmlWriter;

use crate::alerts::because;
use crate::text::{self, Style};
use crate::view::{
    Buffer, BufferVerdict, DiagnosticSeverity, FileReport, Property, PropertyResult, Verdict, Witness,
};
use crate::xml::{attribute, document, end_with};

/// A test case.
struct Case {
    name: String,
    outcome: Outcome,
}

/// The outcome of a test case.
enum Outcome {
    Passed,
    Failed(Cause),
    Undecided(Cause),
}

/// The cause of an outcome that is no success.
struct Cause {
    kind: &'static str,
    message: String,
    /// A run, or further lines.
    details: String,
}

/// Renders the results for files. Time linear in them.
#[must_use]
pub fn render(files: &[FileReport]) -> String {
    document(|writer| {
        writer.start_element("testsuites");
        attribute(writer, "name", "freeboard");
        files.iter().for_each(|report| suite(writer, report));
        writer.end_element();
    })
}

fn suite(writer: &mut XmlWriter, report: &FileReport) {
    let cases = cases(report);
    let number =
        |kind: fn(&Outcome) -> bool| cases.iter().filter(|case| kind(&case.outcome)).count().to_string();
    let seconds = report.check.as_ref().map_or(0.0, |check| check.statistics.seconds.total);
    writer.start_element("testsuite");
    attribute(writer, "name", &report.file);
    attribute(writer, "tests", &cases.len().to_string());
    attribute(writer, "failures", &number(|outcome| matches!(outcome, Outcome::Failed(_))));
    attribute(writer, "errors", &number(|outcome| matches!(outcome, Outcome::Undecided(_))));
    attribute(writer, "time", &format!("{seconds:.3}"));
    cases.iter().for_each(|found| case(writer, &report.file, found));
    writer.end_element();
}

fn case(writer: &mut XmlWriter, file: &str, case: &Case) {
    writer.start_element("testcase");
    attribute(writer, "classname", file);
    attribute(writer, "name", &case.name);
    let cause = match &case.outcome {
        Outcome::Passed => None,
        Outcome::Failed(cause) => Some(("failure", cause)),
        Outcome::Undecided(cause) => Some(("error", cause)),
    };
    if let Some((tag, Cause { kind, message, details })) = cause {
        writer.start_element(tag);
        attribute(writer, "type", kind);
        attribute(writer, "message", message);
        if details.is_empty() {
            writer.end_element();
        } else {
            end_with(writer, details);
        }
    }
    writer.end_element();
}

/// The test cases of a file. One that could not be checked has a single one.
fn cases(report: &FileReport) -> Vec<Case> {
    let Some(check) = &report.check else {
        let errors = report.diagnostics.iter().filter(|row| row.severity == DiagnosticSeverity::Error);
        let lines = errors.map(|row| format!("{}:{}: {}: {}", row.file, row.line, row.code, row.message));
        let lines: Vec<String> = report.error.iter().cloned().chain(lines).collect();
        let message = lines.first().cloned().unwrap_or_default();
        let cause = Cause { kind: "not-checked", message, details: lines.join("\n") };
        return vec![Case { name: "reading".into(), outcome: Outcome::Undecided(cause) }];
    };
    let both = |result| {
        let one = move |buffer| of_buffer(result, buffer);
        std::iter::once(of_property(result)).chain(result.buffers.iter().map(one))
    };
    check.property_results.iter().flat_map(both).collect()
}

fn of_property(result: &PropertyResult) -> Case {
    let name = match result.property {
        Property::Boundedness => "boundedness",
        Property::Livelock => "livelock freedom",
    };
    let cause = |kind, message| Cause { kind, message, details: run(result.witness.as_ref()) };
    let outcome = match result.verdict {
        Verdict::Proved => Outcome::Passed,
        Verdict::Refuted => Outcome::Failed(cause("refuted", format!("{name} is refuted"))),
        Verdict::Unknown => {
            let message = format!("{name} is neither proved nor refuted{}", because(result));
            Outcome::Undecided(cause("undecided", message))
        }
    };
    Case { name: name.into(), outcome }
}

fn of_buffer(result: &PropertyResult, buffer: &Buffer) -> Case {
    let name = &buffer.name;
    let witness = buffer.witness.and_then(|position| result.witnesses.get(position));
    let cause = |kind, message| Cause { kind, message, details: run(witness) };
    let outcome = match buffer.verdict {
        BufferVerdict::Bounded => Outcome::Passed,
        BufferVerdict::Unbounded => {
            Outcome::Failed(cause("unbounded-buffer", format!("{name} grows without bound")))
        }
        BufferVerdict::Unknown => {
            let message = format!("{name}: no bound is proved, and no run makes it grow{}", because(result));
            Outcome::Undecided(cause("undecided-buffer", message))
        }
    };
    Case { name: format!("buffer {name}"), outcome }
}

fn run(witness: Option<&Witness>) -> String {
    witness.map(|witness| text::witness(witness, Style::default())).unwrap_or_default()
}
