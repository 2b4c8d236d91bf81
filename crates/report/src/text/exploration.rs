//! Text renderer for explorations.

use comfy_table::{Table, presets};

use super::run::{sequence, waiting};
use super::{Ink, Style, line, plural};
use crate::view::{BufferMaximum, Exploration, Finding, FindingKind};
use crate::visible;

/// Renders an exploration: the errors found, the extent of the search, the greatest lengths of the
/// buffers, and a run to the first violation of each kind.
#[must_use]
pub fn exploration(view: &Exploration, style: Style) -> String {
    let view = &*visible::view(view);
    let mut out = String::new();
    let (ink, word, rest) = headline(view);
    line(&mut out, &format!("{}: {rest}", style.paint(ink, word)));
    if !view.buffers.is_empty() {
        out.push('\n');
        out.push_str(&table(&view.buffers, view.complete));
    }
    for found in &view.findings {
        out.push('\n');
        finding(&mut out, found, style);
    }
    out.push('\n');
    let inside = match view.atomic_states {
        0 => String::new(),
        count => format!(", and {count} passed inside atomic"),
    };
    let states = plural(view.states, "state", "states");
    line(&mut out, &format!("Size: {states}{inside}, {}", plural(view.transitions, "step", "steps")));
    out
}

/// The errors that were found, or that there are none, and the extent of the search.
fn headline(view: &Exploration) -> (Ink, &'static str, String) {
    let counts = [
        (view.deadlocks, "deadlock", "deadlocks"),
        (view.invalid_end_states, "other invalid end state", "other invalid end states"),
        (view.assertion_failures, "step in which an assertion fails", "steps in which an assertion fails"),
        (view.run_time_errors, "step with another run-time error", "steps with other run-time errors"),
    ];
    let counts = counts.iter().filter(|(count, ..)| *count > 0);
    let mut found: Vec<String> = counts.map(|(count, one, several)| plural(*count, one, several)).collect();
    if view.non_progress_cycles {
        found.push("a cycle without progress".into());
    }
    let limit = view.limit.as_ref().map(|limit| format!("not all states were seen: {limit}"));
    match (found.is_empty(), limit) {
        (true, None) => (Ink::Good, "COMPLETE", "nothing is wrong in any state".into()),
        (true, Some(limit)) => (Ink::Open, "INCOMPLETE", format!("nothing wrong was found, but {limit}")),
        (false, None) => (Ink::Bad, "WRONG", found.join(", ")),
        (false, Some(limit)) => (Ink::Bad, "WRONG", format!("{}; {limit}", found.join(", "))),
    }
}

fn table(buffers: &[BufferMaximum], complete: bool) -> String {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    table.set_header(["buffer", "declared", if complete { "holds at most" } else { "holds, so far" }]);
    for buffer in buffers {
        let declared = buffer.declared.map_or_else(|| "-".into(), |capacity| capacity.to_string());
        table.add_row([buffer.name.clone(), declared, buffer.max.to_string()]);
    }
    let mut out = String::new();
    for row in table.lines() {
        line(&mut out, &format!("  {}", row.trim()));
    }
    out
}

fn finding(out: &mut String, found: &Finding, style: Style) {
    let title = match found.kind {
        FindingKind::Deadlock => "Deadlock",
        FindingKind::InvalidEndState => "Invalid end state",
        FindingKind::AssertionFailure => "Assertion failure",
        FindingKind::RunTimeError => "Run-time error",
        FindingKind::NonProgressCycle => "Cycle without progress",
    };
    let way = match found.run.len() {
        0 => "at the start".into(),
        steps => format!("after {}", plural(steps, "step", "steps")),
    };
    line(out, &format!("{}, {way}: {}", style.paint(Ink::Strong, title), found.text));
    out.push_str(&sequence(&found.run, 1, style));
    if !found.cycle.is_empty() {
        line(out, "  and then again and again:");
        out.push_str(&sequence(&found.cycle, found.run.len() + 1, style));
    }
    if matches!(found.kind, FindingKind::Deadlock | FindingKind::InvalidEndState) {
        out.push_str(&waiting(&found.processes));
    }
}
