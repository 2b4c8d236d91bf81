//! Elementary cycles for people.

use super::{Ink, Style, Widths, line, plural, steps};
use crate::view::{CycleListing, Gain, ProcessCycles};

/// Renders the elementary cycles of a system.
#[must_use]
pub fn cycles(listing: &CycleListing, style: Style) -> String {
    let mut out = String::new();
    for process in &listing.processes {
        one_process(&mut out, process, style);
    }
    let total = plural(listing.total, "elementary cycle", "elementary cycles");
    let more = if listing.complete { "" } else { ", and more: the limit was reached" };
    line(&mut out, &format!("total: {total}{more}"));
    out
}

fn one_process(out: &mut String, process: &ProcessCycles, style: Style) {
    let more = if process.complete { "" } else { " or more" };
    let sizes = [
        plural(process.states, "state", "states"),
        plural(process.transitions, "transition", "transitions"),
        plural(process.cycles, "cycle", "cycles") + more,
    ];
    let name = style.paint(Ink::Strong, &process.name);
    line(out, &format!("{name}: {}", sizes.join(", ")));
    let listed = process.list.iter().flatten();
    let widths = Widths::of(listed.clone().flatten());
    for (number, cycle) in (1..).zip(listed) {
        line(out, &format!("  cycle {number}"));
        steps(out, cycle, widths, style);
    }
    for effect in process.effects.iter().flatten() {
        line(out, &format!("    [{}]", vector(effect)));
    }
}

/// `+4 AB(a) -2 BA(c)`; `0` if nothing changes.
fn vector(effect: &[Gain]) -> String {
    let change = |gain: &Gain| {
        let count = gain.count.to_string();
        let sign = if count.starts_with('-') { "" } else { "+" };
        format!("{sign}{count} {}", gain.message)
    };
    match effect {
        [] => "0".into(),
        changes => changes.iter().map(change).collect::<Vec<_>>().join(" "),
    }
}
