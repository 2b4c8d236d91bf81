//! Findings about a model, for people.

use cfsm_core::finding::FindingKind;

use crate::view::{ModelFinding, Verdict};

use super::{Ink, Style, line, paragraph, plural};

/// Findings of one kind that are listed; the others are counted.
const LISTED: usize = 5;

/// The end of the text of a channel with no end in use, which takes nothing from a verdict.
const UNUSED: &str = "never used";

/// Part of the text of a channel, or a message type, that nobody sends.
const UNSENT: &str = "never sent";

/// The kinds in the order in which they are told: those first that leave most of a model out.
const ORDER: [FindingKind; 6] = [
    FindingKind::Deadlock,
    FindingKind::InvalidEndState,
    FindingKind::Assertion,
    FindingKind::OneEndedChannel,
    FindingKind::NeverStarted,
    FindingKind::NeverExecuted,
];

/// The list of findings; nothing, if there are none.
pub(super) fn findings(out: &mut String, found: &[ModelFinding], style: Style) {
    if found.is_empty() {
        return;
    }
    out.push('\n');
    line(out, &format!("{}:", style.paint(Ink::Strong, "Findings")));
    for kind in ORDER {
        let of_kind: Vec<&ModelFinding> = found.iter().filter(|finding| finding.kind == kind).collect();
        for finding in of_kind.iter().take(LISTED) {
            paragraph(out, &format!("- {}{}", place(finding), finding.text), 2);
        }
        if let Some(more @ 1..) = of_kind.len().checked_sub(LISTED) {
            let more = plural(more, "finding", "findings");
            paragraph(out, &format!("- and {more} more of this kind (`--format json` lists all)"), 2);
        }
    }
}

/// `model.pml:7: `
fn place(finding: &ModelFinding) -> String {
    finding.line.map(|line| format!("{}:{line}: ", finding.file)).unwrap_or_default()
}

/// The words behind the verdict that say of what it is one, where it speaks of less than the model seems to have. Without an
/// environment that sends, or processes that run, it is one of the closed reading of the model.
pub(super) fn caveat(verdict: Verdict, found: &[ModelFinding]) -> String {
    if verdict != Verdict::Proved {
        return String::new();
    }
    let of = |kind: FindingKind| found.iter().filter(move |finding| finding.kind == kind);
    let (closed, unread): (Vec<&ModelFinding>, Vec<&ModelFinding>) = of(FindingKind::OneEndedChannel)
        .filter(|finding| !finding.text.ends_with(UNUSED))
        .chain(of(FindingKind::NeverStarted))
        .partition(|finding| finding.kind == FindingKind::NeverStarted || finding.text.contains(UNSENT));
    match (closed.as_slice(), unread.as_slice(), of(FindingKind::NeverExecuted).count()) {
        ([], [], 0) => String::new(),
        ([], [], 1) => " (1 statement can never be executed)".into(),
        ([], [], dead) => format!(" ({dead} statements can never be executed)"),
        ([], [first, more @ ..], _) => format!(" ({})", and_more(first, more.len())),
        ([first, more @ ..], unread, _) => {
            format!(" (of the closed reading: {})", and_more(first, more.len() + unread.len()))
        }
    }
}

fn and_more(first: &ModelFinding, more: usize) -> String {
    match more {
        0 => first.text.clone(),
        _ => format!("{}, and {more} more", first.text),
    }
}
