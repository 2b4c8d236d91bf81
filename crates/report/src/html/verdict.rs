//! Verdicts with their buffers, and what they rest on.

use std::fmt::Write as _;

use super::{list, table};
use crate::markup::escaped;
use crate::text::{self, Numbering};
use crate::view::{
    Buffer, BufferVerdict, Check, Number, Property, PropertyResult, Report, Statistics, Verdict,
};

/// The verdict on each property, and on each buffer.
pub(super) fn verdicts(report: &Report) -> String {
    report.check.property_results.iter().map(|result| property(&report.check, result)).collect()
}

fn property(check: &Check, result: &PropertyResult) -> String {
    let (_, word, rest) = text::verdict_line(result);
    let scope = text::environments(result);
    let caveat = text::caveat(result.verdict, &check.findings);
    let name = match result.property {
        Property::Boundedness => "Boundedness",
        Property::Livelock => "Freedom from livelocks",
    };
    let class = match result.verdict {
        Verdict::Proved => "proved",
        Verdict::Refuted => "refuted",
        Verdict::Unknown => "unknown",
    };
    let mut out = format!(
        "<article class=\"result {class}\"><h3>{name}</h3>\n<p class=\"line\"><strong class=\"word\">{word}</strong> {}</p>\n",
        escaped(format!("{scope}{caveat}: {rest}").trim_start_matches([':', ' ']))
    );
    if !result.buffers.is_empty() {
        out.push_str(&buffers(result));
    }
    let contract = text::contract(result).map(|contract| ("Contract", contract));
    let reason = result.reason.clone().map(|reason| ("Why", reason));
    let notes = result.notes.iter().map(|note| ("Note", note.clone()));
    let refined = text::refinements(result).map(|refinement| ("Refined", refinement));
    for (word, text) in contract.into_iter().chain(reason).chain(notes).chain(refined) {
        let _ = writeln!(out, "<p><strong>{word}:</strong> {}.</p>", escaped(&text));
    }
    out.push_str("</article>\n");
    out
}

fn buffers(result: &PropertyResult) -> String {
    let numbering =
        Numbering { runs: result.witnesses.len() > 1, counterexamples: result.counterexamples.len() > 1 };
    let number = |number: &Option<Number>| number.as_ref().map_or_else(|| "–".into(), Number::to_string);
    let row = |buffer: &Buffer| {
        let verdict = match buffer.verdict {
            BufferVerdict::Bounded => "✓ bounded",
            BufferVerdict::Unbounded => "✗ unbounded",
            BufferVerdict::Unknown => "? unknown",
        };
        [
            buffer.name.clone(),
            verdict.into(),
            buffer.declared.map_or_else(|| "–".into(), |declared| declared.to_string()),
            number(&buffer.bound),
            number(&buffer.exact),
            text::remark(buffer, &result.witnesses, numbering),
        ]
    };
    let headings = ["Buffer", "Verdict", "Declared", "Proved bound", "Maximum", "Meaning"];
    table("Buffers", headings, result.buffers.iter().map(row))
}

/// Findings, assumptions and what no checker repeats.
pub(super) fn basis(check: &Check) -> String {
    let findings: Vec<String> = check.findings.iter().map(text::sentence).collect();
    let trusted = |text: &&String| check.trust.iter().any(|part| part.why == **text);
    let assumptions: Vec<String> = check.assumptions.iter().filter(|text| !trusted(text)).cloned().collect();
    [
        list("Findings", &findings),
        list("Assumptions", &assumptions),
        list("Not certified", &text::not_certified(&check.trust)),
        list("Coarser than it could be", &check.approximations),
    ]
    .concat()
}

/// The sizes of the system in a sentence.
pub(super) fn sizes(statistics: &Statistics) -> String {
    format!(
        "Size: {} process classes, {} states, {} transitions, {} message types, {} buffers.",
        statistics.processes,
        statistics.states,
        statistics.transitions,
        statistics.message_types,
        statistics.buffers
    )
}
