//! Renderer of reports: one HTML document without anything from outside.
//!
//! The verdicts come first, then the system, the runs, the loops of counterexamples, the proof and
//! the source texts. Style sheet and script are part of the document, and its content security
//! policy forbids to load anything. Each picture has its content as a table or a list, too; the
//! script only draws runs and marks steps.

mod argument;
mod lasso;
mod place;
mod system;
mod verdict;

use std::fmt::Write as _;

use crate::diagram::STYLE;
use crate::markup::{escaped, script_data};
use crate::view::Report;

use lasso::Runs;
use place::Places;

/// The limits of a report, which keep it readable.
struct Limits {
    /// Number of steps that are shown, in all runs together.
    steps: usize,
    /// Number of weights that are told in a sentence; if there are more, all are in a table.
    spoken: usize,
    /// Number of machines whose diagrams are open at first.
    open: usize,
    /// Number of rows of a table of transitions or weights.
    rows: usize,
}

const LIMITS: Limits = Limits { steps: 3_000, spoken: 8, open: 4, rows: 500 };

/// Renders a report. Time linear in the report, but for the layout of diagrams.
#[must_use]
pub fn report(report: &Report) -> String {
    let places = Places::new(report);
    let runs = Runs::new(report, &places);
    let file = escaped(&report.check.file);
    let sections = [
        section("verdict", "Verdict", &verdict::verdicts(report)),
        section("system", "System", &system::system(report)),
        section("runs", "Runs", &runs.html()),
        section("loops", "Counterexamples", &system::counterexamples(report, &places)),
        section("proof", "Why it holds", &argument::arguments(report)),
        section("basis", "What it rests on", &verdict::basis(&report.check)),
        section("source", "Model", &sources(report)),
    ];
    let links: String =
        sections.iter().filter_map(|section| section.as_ref().map(|one| one.link.as_str())).collect();
    let body: String = sections.iter().flatten().map(|section| section.html.as_str()).collect();
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; base-uri 'none'; form-action 'none'\">\n\
         <title>{file}: report of freeboard</title>\n<style>\n{}{STYLE}</style>\n</head>\n<body>\n\
         <a class=\"skip\" href=\"#verdict\">Skip to the verdict</a>\n\
         <header><p class=\"tool\">freeboard report</p><h1>{file}</h1></header>\n\
         <nav aria-label=\"Sections\"><ul>{links}</ul></nav>\n<main>\n{body}</main>\n\
         <footer>{}</footer>\n\
         <script type=\"application/json\" id=\"data\">{}</script>\n<script>\n{}</script>\n</body>\n</html>\n",
        include_str!("report.css"),
        verdict::sizes(&report.check.statistics),
        script_data(&runs.json()),
        include_str!("report.js"),
    )
}

/// A section of the document.
struct Section {
    link: String,
    html: String,
}

/// A section with a heading; nothing if it has no content.
fn section(id: &str, title: &str, content: &str) -> Option<Section> {
    (!content.is_empty()).then(|| Section {
        link: format!("<li><a href=\"#{id}\">{title}</a></li>"),
        html: format!(
            "<section id=\"{id}\" aria-labelledby=\"{id}-title\">\n<h2 id=\"{id}-title\">{title}</h2>\n{content}</section>\n"
        ),
    })
}

/// The source texts with numbered lines.
fn sources(report: &Report) -> String {
    let mut out = String::new();
    for (number, source) in report.sources.iter().enumerate() {
        let name = escaped(&source.name);
        let _ = write!(
            out,
            "<h3>{name}</h3>\n<pre class=\"source\" id=\"source-{number}\" tabindex=\"0\" aria-label=\"{name}\">"
        );
        for (line, text) in source.text.lines().enumerate() {
            let text = escaped(&text.replace('\t', "    "));
            let _ = writeln!(out, "<span class=\"line\" data-line=\"{}\">{text}</span>", line + 1);
        }
        out.push_str("</pre>\n");
    }
    out
}

/// A table with a caption for those who do not see it, from texts.
fn table<const N: usize>(
    caption: &str,
    headings: [&str; N],
    rows: impl IntoIterator<Item = [String; N]>,
) -> String {
    let mut out = format!("<div class=\"wide\"><table><caption>{}</caption><thead><tr>", escaped(caption));
    for heading in headings {
        let _ = write!(out, "<th scope=\"col\">{heading}</th>");
    }
    out.push_str("</tr></thead><tbody>\n");
    for row in rows {
        out.push_str("<tr>");
        for (column, cell) in row.iter().enumerate() {
            let cell = escaped(cell);
            let _ = match column {
                0 => write!(out, "<th scope=\"row\">{cell}</th>"),
                _ => write!(out, "<td>{cell}</td>"),
            };
        }
        out.push_str("</tr>\n");
    }
    out.push_str("</tbody></table></div>\n");
    out
}

/// The first rows of a table that may be long, and a sentence if there are more.
fn long_table<const N: usize>(
    caption: &str,
    headings: [&str; N],
    rows: impl ExactSizeIterator<Item = [String; N]>,
) -> String {
    let left = rows.len().saturating_sub(LIMITS.rows);
    let mut out = table(caption, headings, rows.take(LIMITS.rows));
    if left > 0 {
        let _ = writeln!(
            out,
            "<p>{left} more are left out: <code>freeboard check --system PATH --certificate PATH</code> writes all.</p>"
        );
    }
    out
}

/// A list of texts under a heading; nothing if it is empty.
fn list(heading: &str, items: &[String]) -> String {
    if items.is_empty() {
        return String::new();
    }
    let items: String = items.iter().map(|item| format!("<li>{}</li>\n", escaped(item))).collect();
    format!("<h3>{}</h3>\n<ul>\n{items}</ul>\n", escaped(heading))
}

/// `model.pml:7`, without the directory; empty if there is no line.
fn place(file: &str, line: u32) -> String {
    let name = file.rsplit('/').next().unwrap_or(file);
    if line == 0 { String::new() } else { format!("{name}:{line}") }
}
