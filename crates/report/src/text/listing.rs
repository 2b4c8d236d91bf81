//! Text renderer for elementary cycles.

use super::{Ink, Style, Widths, line, plural, step_line};
use crate::view::{CycleListing, Gain, ProcessCycles, Step};
use crate::visible;

/// Renders the elementary cycles of a system.
#[must_use]
pub fn cycles(listing: &CycleListing, style: Style) -> String {
    let listing = visible::view(listing);
    let mut out = String::new();
    for process in &listing.processes {
        one_process(&mut out, process, style);
    }
    out + &cycles_total(listing.total, listing.complete)
}

fn one_process(out: &mut String, process: &ProcessCycles, style: Style) {
    let Some(list) = &process.list else {
        let number = number_of(process.cycles, process.complete);
        line(out, &format!("{}, {number}", sizes(process, style)));
        for effect in process.effects.iter().flatten() {
            line(out, &format!("    [{}]", vector(effect)));
        }
        return;
    };
    let mut lines = CycleLines::new(list.iter().flatten(), style);
    out.push_str(&lines.head(process));
    let mut first = 0;
    for cycle in list {
        let positions: Vec<usize> = (first..).take(cycle.len()).collect();
        first += cycle.len();
        out.push_str(&lines.cycle(&positions));
    }
    out.push_str(&lines.end(process.complete));
}

/// Renders the cycles of a class one by one, as they are found; their number comes last, as it is
/// known only then.
#[derive(Clone, Debug)]
pub struct CycleLines {
    style: Style,
    /// The rendered line of each step.
    steps: Vec<String>,
    /// Number of cycles so far.
    cycles: usize,
}

impl CycleLines {
    /// Creates a renderer for the steps of which cycles consist. Time linear in them.
    pub fn new<'a>(steps: impl Iterator<Item = &'a Step>, style: Style) -> Self {
        let steps: Vec<Step> = steps.map(|step| visible::view(step).into_owned()).collect();
        let widths = Widths::of(steps.iter());
        Self { style, steps: steps.iter().map(|step| step_line(step, widths, style)).collect(), cycles: 0 }
    }

    /// The line before the cycles of a class.
    #[must_use]
    pub fn head<L>(&self, process: &ProcessCycles<L>) -> String {
        let mut out = String::new();
        line(&mut out, &sizes(process, self.style));
        out
    }

    /// Renders the next cycle, given the positions of its steps.
    ///
    /// # Panics
    /// If a position is out of range.
    pub fn cycle(&mut self, steps: &[usize]) -> String {
        self.cycles += 1;
        let mut out = format!("  cycle {}\n", self.cycles);
        steps.iter().for_each(|&step| out.push_str(&self.steps[step]));
        out
    }

    /// The line after the cycles: their number, and whether these are all.
    #[must_use]
    pub fn end(&self, complete: bool) -> String {
        format!("  {}\n", number_of(self.cycles, complete))
    }
}

/// The last line of a listing: the number of cycles of all classes, and whether these are all.
#[must_use]
pub fn cycles_total(total: usize, complete: bool) -> String {
    let number = plural(total, "elementary cycle", "elementary cycles");
    match (complete, total) {
        (true, _) => format!("total: {number}\n"),
        // Such a limit is set only by those who do not want all cycles.
        (false, usize::MAX) => format!("total: at least {number}, and no more are counted\n"),
        (false, _) => format!("total: {number}, and more: the limit was reached\n"),
    }
}

/// `Sender: 2 states, 3 transitions`
fn sizes<L>(process: &ProcessCycles<L>, style: Style) -> String {
    let states = plural(process.states, "state", "states");
    let transitions = plural(process.transitions, "transition", "transitions");
    format!("{}: {states}, {transitions}", style.paint(Ink::Strong, &visible::text(&process.name)))
}

fn number_of(cycles: usize, complete: bool) -> String {
    plural(cycles, "cycle", "cycles") + if complete { "" } else { " or more" }
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
