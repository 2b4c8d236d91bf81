//! Text renderer for several files: a line for each verdict.

use comfy_table::{Table, presets};

use crate::view::{DiagnosticSeverity, FileReport};
use crate::visible;

use super::{Style, findings, headline, line, plural};

/// Renders a table with a line for each property of each file, and the numbers of files by exit
/// status. Verdicts are in words, so colour adds nothing.
#[must_use]
pub fn files(reports: &[FileReport], _: Style) -> String {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    table.set_header(["file", "verdict", ""]);
    for report in reports {
        for [verdict, rest] in verdicts(report) {
            table.add_row([visible::text(&report.file).as_ref(), &verdict, visible::text(&rest).as_ref()]);
        }
    }
    let mut out = String::new();
    for row in table.lines() {
        line(&mut out, &format!("  {}", row.trim()));
    }
    out.push('\n');
    line(&mut out, &numbers(reports));
    out
}

/// The verdict of each property, and its grounds.
fn verdicts(report: &FileReport) -> Vec<[String; 2]> {
    let Some(check) = &report.check else {
        let errors = report.diagnostics.iter().filter(|row| row.severity == DiagnosticSeverity::Error);
        let lines = errors.map(|row| format!("line {}: {}", row.line, row.message));
        let reason = report.error.iter().cloned().chain(lines).next().unwrap_or_default();
        return vec![["ERROR".into(), reason]];
    };
    let row = |result| {
        let (_, word, rest) = headline::verdict_line(result);
        let scope = headline::environments(result);
        [
            format!("{word}{scope}"),
            format!("{}{rest}", caveat(&findings::caveat(result.verdict, &check.findings))),
        ]
    };
    check.property_results.iter().map(row).collect()
}

/// A remark on the scope of a verdict, in front of its grounds.
fn caveat(caveat: &str) -> String {
    let inside = caveat.trim().trim_start_matches('(').trim_end_matches(')');
    if inside.is_empty() { String::new() } else { format!("{inside}; ") }
}

/// `3 files: 2 proved, 1 refuted`
fn numbers(reports: &[FileReport]) -> String {
    let words = ["proved", "refuted", "unknown", "with errors", "not read"];
    let counts = words.iter().zip(0_u8..).filter_map(|(word, status)| {
        let count = reports.iter().filter(|report| report.status == status).count();
        (count > 0).then(|| format!("{count} {word}"))
    });
    let counts: Vec<String> = counts.collect();
    format!("{}: {}", plural(reports.len(), "file", "files"), counts.join(", "))
}
