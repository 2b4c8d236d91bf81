//! Text renderer for runs: one line for each statement, in columns.

pub(super) mod narrow;

use std::iter::zip;

use super::{Ink, Style, in_short, line, plural};
use crate::view::{
    BufferLength, DEADLOCK, End, INVALID_END, Message, Replay, Simulation, Standing, Supply, Witness,
    WitnessStep,
};

/// Headings of the columns.
const HEADINGS: Row = ["step", "process", "place", "statement", "messages", "buffers"];

/// The cells of a line.
type Row<T = &'static str> = [T; 6];

/// A statement, with the errors that are told below it.
struct Line<'a> {
    row: Row<String>,
    errors: &'a [String],
}

/// Renders steps as a table: number, process, place, statement, its effect on messages and
/// processes, and the lengths of the buffers that it changes. The first step has the number
/// `first`; further statements of the same step are on lines of their own without a number.
#[must_use]
pub fn sequence(steps: &[WitnessStep], first: usize, style: Style) -> String {
    let mut lines: Vec<Line<'_>> = Vec::new();
    let mut left_out = 0;
    for (number, step) in (first..).zip(steps) {
        let start = lines.len();
        for statement in step.statements() {
            let row = row(String::new(), statement);
            if style.only_messages && is_silent(&row) {
                left_out += 1;
            } else {
                lines.push(Line { row, errors: &[] });
            }
        }
        if lines.len() == start && !step.errors.is_empty() {
            lines.push(Line { row: row(String::new(), step), errors: &[] });
        }
        if let Some(line) = lines.get_mut(start) {
            line.row[0] = number.to_string();
        }
        if let Some(line) = lines[start..].last_mut() {
            line.errors = &step.errors;
        }
    }
    let mut out = if lines.is_empty() { String::new() } else { table(&lines, style) };
    if left_out > 0 {
        let statements = plural(left_out, "statement", "statements");
        line(&mut out, &format!("  ({statements} without messages left out)"));
    }
    out
}

/// `true` if a statement neither sends nor receives, and creates and ends no process.
fn is_silent([.., messages, _]: &Row<String>) -> bool {
    messages.is_empty()
}

/// The lines of a run below their headings.
fn table(lines: &[Line<'_>], style: Style) -> String {
    let mut widths = HEADINGS.map(|heading| heading.chars().count());
    for Line { row, .. } in lines {
        for (width, cell) in zip(&mut widths, row) {
            *width = (*width).max(cell.chars().count());
        }
    }
    let total = widths.iter().map(|width| width + 2).sum::<usize>();
    if let Some(width) = style.width.filter(|width| *width < total) {
        return narrow::table(lines, width, style);
    }
    let mut out = String::new();
    line(&mut out, &style.paint(Ink::Strong, &columns(&HEADINGS, &widths)));
    for Line { row, errors } in lines {
        let text = columns(row, &widths);
        let silent = is_silent(row);
        line(&mut out, &if silent { style.paint(Ink::Faint, &text) } else { text });
        for error in *errors {
            let indent = " ".repeat(2 + widths[0] + 2);
            line(&mut out, &format!("{indent}{} {error}", style.paint(Ink::Bad, "error:")));
        }
    }
    out
}

/// Renders a prefix and the loop after it; steps are numbered consecutively.
pub(super) fn lasso(witness: &Witness, style: Style) -> String {
    let mut out = before_the_loop(witness, style);
    let then = match witness {
        Witness { supply: Some(_), .. } => "and then, as often as there is enough to take:",
        Witness { left_behind: 1.., .. } => "for ever, by other processes each time:",
        Witness { up_to_idle_data: true, .. } => {
            "for ever, with other values each time of what decides nothing in it:"
        }
        Witness { prefix, .. } if prefix.is_empty() => "",
        _ => "and then, for ever:",
    };
    if !then.is_empty() {
        line(&mut out, &format!("  {}", style.paint(Ink::Strong, then)));
    }
    out.push_str(&sequence(&witness.pump, witness.prefix.len() + 1, style));
    out
}

/// Number of steps that [`lasso`] shows.
pub(super) fn shown(witness: &Witness) -> usize {
    let repeated = witness.supply.map_or(0, |supply| supply.steps * supply.times.saturating_sub(1));
    (witness.prefix.len() + witness.pump.len()).saturating_sub(repeated)
}

/// Renders a prefix; if it contains repeated rounds, only one of them.
fn before_the_loop(witness: &Witness, style: Style) -> String {
    let Some(Supply { first, steps, times }) = witness.supply else {
        return sequence(&witness.prefix, 1, style);
    };
    let (before, rest) = witness.prefix.split_at(first.min(witness.prefix.len()));
    let (round, rest) = rest.split_at(steps.min(rest.len()));
    let repeated = steps * times.saturating_sub(1);
    let behind = &rest[repeated.min(rest.len())..];
    let mut out = sequence(before, 1, style);
    let often = format!("as often as one likes, here {}:", plural(times, "time", "times"));
    line(&mut out, &format!("  {}", style.paint(Ink::Strong, &often)));
    out.push_str(&sequence(round, first + 1, style));
    if !behind.is_empty() {
        line(&mut out, &format!("  {}", style.paint(Ink::Strong, "behind that:")));
        out.push_str(&sequence(behind, first + steps + repeated + 1, style));
    }
    out
}

/// Renders a witness that was executed, or the reason why it could not be.
#[must_use]
pub fn replay(replay: &Replay, style: Style) -> String {
    let mut out = String::new();
    match &replay.reason {
        Some(reason) => line(&mut out, &format!("{}: {reason}", style.paint(Ink::Bad, "rejected"))),
        None => {
            out.push_str(&lasso(&replay.witness, style));
            out.push('\n');
            let rounds = match replay.rounds {
                0 => String::new(),
                rounds => format!("; the loop was executed {rounds} times"),
            };
            let accepted = style.paint(Ink::Good, "accepted");
            line(&mut out, &format!("{accepted}: {}{rounds}", in_short(&replay.witness)));
        }
    }
    out
}

/// Joins cells to a line, the first one aligned right.
fn columns<T: AsRef<str>>(row: &Row<T>, widths: &Row<usize>) -> String {
    let mut text = format!("  {:>width$}", row[0].as_ref(), width = widths[0]);
    for (cell, &width) in zip(row, widths).skip(1) {
        text.push_str(&format!("  {:width$}", cell.as_ref()));
    }
    text.trim_end().to_owned()
}

fn row(number: String, step: &WitnessStep) -> Row<String> {
    let message =
        |sign: char, message: &Message| format!("{}{sign}{}", message.channel, message.fields.join(","));
    let sent = step.sent.iter().map(|sent| message('!', sent));
    let received = step.received.iter().map(|received| message('?', received));
    let created = step.created.iter().map(|created| format!("+ {}[{}]", created.process, created.pid));
    let ended = step.ended.then(|| format!("- {}[{}]", step.process, step.pid));
    let effects: Vec<String> = sent.chain(received).chain(created).chain(ended).collect();
    let process =
        if step.process.is_empty() { String::new() } else { format!("{}[{}]", step.process, step.pid) };
    [
        number,
        process,
        place(&step.file, step.line),
        step.text.clone(),
        effects.join(" "),
        lengths(&step.buffers),
    ]
}

fn place(file: &str, line: u32) -> String {
    if line == 0 { String::new() } else { format!("{file}:{line}") }
}

/// `AB 3, BA 0`
fn lengths(buffers: &[BufferLength]) -> String {
    let lengths = buffers.iter().map(|buffer| format!("{} {}", buffer.name, buffer.length));
    lengths.collect::<Vec<_>>().join(", ")
}

/// Renders a random run.
#[must_use]
pub fn simulation(run: &Simulation, style: Style) -> String {
    let mut out = sequence(&run.steps, 1, style);
    if !run.steps.is_empty() {
        out.push('\n');
    }
    let count = plural(run.steps.len(), "step", "steps");
    let (ink, end) = match run.end {
        End::Steps => (Ink::Strong, "the run can go on".into()),
        End::ValidEnd if run.processes.is_empty() => {
            (Ink::Good, "all processes have come to their end".into())
        }
        End::ValidEnd => (Ink::Good, "no process can step, and each may rest where it is".into()),
        End::Deadlock => (Ink::Bad, format!("deadlock: {DEADLOCK}")),
        End::InvalidEndState => (Ink::Bad, format!("invalid end state: {INVALID_END}")),
        End::Error => (Ink::Bad, "an error ended the run".into()),
    };
    line(&mut out, &format!("{} {end}", style.paint(ink, &format!("{count}:"))));
    if !run.buffers.is_empty() {
        line(&mut out, &format!("Buffers at the end: {}", lengths(&run.buffers)));
    }
    if matches!(run.end, End::Deadlock | End::InvalidEndState) {
        out.push_str(&waiting(&run.processes));
    }
    out
}

/// Lists the processes that wait in locations that are no valid ends, with the statements they wait
/// for.
pub(super) fn waiting(processes: &[Standing]) -> String {
    let waiting = || processes.iter().filter(|process| !process.valid_end);
    let cells = |process: &Standing| {
        (format!("{}[{}]", process.process, process.pid), place(&process.file, process.line))
    };
    let names = waiting().map(|process| cells(process).0.chars().count()).max().unwrap_or_default();
    let places = waiting().map(|process| cells(process).1.chars().count()).max().unwrap_or_default();
    let mut out = String::new();
    for process in waiting() {
        let (name, place) = cells(process);
        line(&mut out, &format!("  {name:names$}  waits at {place:places$}  {}", process.text));
    }
    out
}
