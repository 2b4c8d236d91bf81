//! Text renderer for findings about a model.

use cfsm_core::finding::FindingKind;

use crate::view::{ModelFinding, Verdict};

use super::{Ink, SHORT, Style, line, paragraph, plural, run};

/// Largest number of findings of one kind that are listed; the others are counted.
const LISTED: usize = 5;

/// Suffix of the text of a channel with no end in use, which does not weaken a verdict.
const UNUSED: &str = "never used";

/// Part of the text of a channel, or a message type, that no process sends.
const UNSENT: &str = "never sent";

/// The kinds in the order in which they are listed: those first that affect most of a model.
const ORDER: [FindingKind; 6] = [
    FindingKind::Deadlock,
    FindingKind::InvalidEndState,
    FindingKind::Assertion,
    FindingKind::OneEndedChannel,
    FindingKind::NeverStarted,
    FindingKind::NeverExecuted,
];

/// The list of findings; empty if there are none.
pub(super) fn findings(out: &mut String, found: &[ModelFinding], style: Style) {
    if found.is_empty() {
        return;
    }
    out.push('\n');
    line(out, &format!("{}:", style.paint(Ink::Strong, "Findings")));
    for kind in ORDER {
        let of_kind: Vec<&ModelFinding> = found.iter().filter(|finding| finding.kind == kind).collect();
        for finding in of_kind.iter().take(LISTED) {
            let word = word(kind);
            paragraph(
                out,
                &format!("- {}{word}{}{}", place(finding), finding.text, distance(finding)),
                2,
                style,
            );
            if (1..=SHORT).contains(&finding.run.len()) {
                out.push_str(&run::sequence(&finding.run, 1, style));
            }
        }
        if let Some(more @ 1..) = of_kind.len().checked_sub(LISTED) {
            let more = plural(more, "finding", "findings");
            paragraph(out, &format!("- and {more} more of this kind (`--format json` lists all)"), 2, style);
        }
    }
}

/// A finding without its run: its place, its kind and its text.
#[must_use]
pub fn sentence(finding: &ModelFinding) -> String {
    format!("{}{}{}", place(finding), word(finding.kind), finding.text)
}

/// A prefix for findings whose text does not name their kind.
const fn word(kind: FindingKind) -> &'static str {
    match kind {
        FindingKind::Deadlock => "deadlock: ",
        FindingKind::InvalidEndState => "invalid end state: ",
        _ => "",
    }
}

/// `, in a run of 9 steps with the declared capacities`
fn distance(finding: &ModelFinding) -> String {
    match finding.run.len() {
        0 if finding.kind.is_vacuity() => String::new(),
        0 => ", at the start".into(),
        steps if steps <= SHORT => {
            format!(", with the declared capacities, after {}:", plural(steps, "step", "steps"))
        }
        steps => format!(
            ", with the declared capacities, after {} (`freeboard explore` and `--format json` list them)",
            plural(steps, "step", "steps")
        ),
    }
}

/// `model.pml:7: `
fn place(finding: &ModelFinding) -> String {
    finding.line.map(|line| format!("{}:{line}: ", finding.file)).unwrap_or_default()
}

/// The remark after the verdict that states its scope, where the model has parts that never act.
/// Without an environment that sends, or processes that run, it is a verdict on the closed reading
/// of the model.
pub(crate) fn caveat(verdict: Verdict, found: &[ModelFinding]) -> String {
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
