//! Loops, for people: a row for each.

use comfy_table::{Table, presets};

use super::{Ink, Style};
use crate::view::{LoopListing, LoopRow, LoopVerdict};
use crate::visible;

/// Renders loops: a table with a row for each, and their number.
#[must_use]
pub fn loops(listing: &LoopListing, style: Style) -> String {
    let listing = visible::view(listing);
    if listing.loops.is_empty() {
        return "no process has a loop\n".into();
    }
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    table.set_header(["process", "line", "loop", "rounds"]);
    for row in &listing.loops {
        let line = match &row.file {
            Some(file) => format!("{file}:{}", row.line),
            None => row.line.to_string(),
        };
        table.add_row([
            indented(row),
            line,
            style.paint(ink(row.verdict), verdict(row.verdict)),
            explained(row),
        ]);
    }
    let text: Vec<String> = table.lines().map(|line| line.trim_end().to_owned()).collect();
    let of = |wanted| listing.loops.iter().filter(|row| row.verdict == wanted).count();
    let [ends, endless, unknown] = [LoopVerdict::Ends, LoopVerdict::Endless, LoopVerdict::Unknown].map(of);
    format!("{}\ntotal: {ends} end, {endless} endless, {unknown} unknown\n", text.join("\n"))
}

fn indented(row: &LoopRow) -> String {
    format!("{}{}", "  ".repeat(row.depth), row.process)
}

const fn ink(verdict: LoopVerdict) -> Ink {
    match verdict {
        LoopVerdict::Ends => Ink::Good,
        LoopVerdict::Endless => Ink::Bad,
        LoopVerdict::Unknown => Ink::Open,
    }
}

const fn verdict(verdict: LoopVerdict) -> &'static str {
    match verdict {
        LoopVerdict::Ends => "ends",
        LoopVerdict::Endless => "endless",
        LoopVerdict::Unknown => "unknown",
    }
}

fn explained(row: &LoopRow) -> String {
    let lines = lines(&row.statements);
    match row.verdict {
        LoopVerdict::Ends => {
            let own = row.rounds.as_deref().unwrap_or("?");
            let rounds = match (&row.per_message, own) {
                (Some(each), "0") => format!("at most {each} for each message received"),
                (Some(each), own) => format!("at most {own}, and {each} for each message received"),
                (None, "0") => "none".into(),
                (None, own) => format!("at most {own}"),
            };
            match (&row.at_most, row.states) {
                (Some(most), _) => format!("{rounds} ({most} in all cases)"),
                (None, Some(states)) => format!("{rounds}, as all {states} states show"),
                (None, None) => rounds,
            }
        }
        LoopVerdict::Endless => match row.reached_after {
            Some(0) => format!("a run repeats {lines} from the start"),
            Some(1) => format!("a run repeats {lines} after 1 step"),
            Some(steps) => format!("a run repeats {lines} after {steps} steps"),
            None => format!("once control is there it can repeat {lines}"),
        },
        LoopVerdict::Unknown => format!("no quantity was found that {lines} use up"),
    }
}

/// `line 3`, `lines 3, 5-7`.
fn lines(lines: &[u32]) -> String {
    let mut parts: Vec<[u32; 2]> = Vec::new();
    for &line in lines {
        match parts.last_mut() {
            Some([_, last]) if *last + 1 == line => *last = line,
            _ => parts.push([line, line]),
        }
    }
    let part = |[first, last]: &[u32; 2]| {
        if first == last { first.to_string() } else { format!("{first}-{last}") }
    };
    let text: Vec<String> = parts.iter().map(part).collect();
    format!("{} {}", if lines.len() == 1 { "line" } else { "lines" }, text.join(", "))
}
