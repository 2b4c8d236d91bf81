//! The renderer for people.
//!
//! First the verdict, then a table of the buffers, the counterexamples as statements of the model, what
//! would help, what is taken for granted, and sizes. Times stand alone on the last line, which begins with
//! `Time:`; everything above it depends on the view's other fields only.

mod exploration;
mod listing;
mod run;

use std::fmt::Write as _;

use comfy_table::{Table, presets};

use crate::view::{
    Buffer, BufferVerdict, Check, Counterexample, Cycle, CycleKind, Number, Property, PropertyResult,
    Seconds, Statistics, Step, Verdict,
};

pub use exploration::exploration;
pub use listing::cycles;
pub use run::{sequence, simulation};

/// How to render.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Style {
    /// With ANSI colours.
    pub colour: bool,
}

/// Lines of prose are broken before this column.
const WIDTH: usize = 100;

/// An ANSI rendition.
#[derive(Clone, Copy)]
enum Ink {
    Good,
    Bad,
    Open,
    Strong,
    Faint,
}

impl Style {
    fn paint(self, ink: Ink, text: &str) -> String {
        if !self.colour {
            return text.to_owned();
        }
        let code = match ink {
            Ink::Good => "1;32",
            Ink::Bad => "1;31",
            Ink::Open => "1;33",
            Ink::Strong => "1",
            Ink::Faint => "2",
        };
        format!("\u{1b}[{code}m{text}\u{1b}[0m")
    }
}

/// Renders a check.
#[must_use]
pub fn check(check: &Check, style: Style) -> String {
    let mut out = String::new();
    for result in &check.property_results {
        property(&mut out, result, style);
    }
    list(&mut out, "Assumptions", &check.assumptions, style);
    list(&mut out, "Coarser than it could be", &check.approximations, style);
    out.push('\n');
    out.push_str(&statistics(&check.statistics));
    out
}

fn property(out: &mut String, result: &PropertyResult, style: Style) {
    let (ink, word, rest) = verdict_line(result);
    line(out, &format!("{}: {rest}", style.paint(ink, word)));
    if !result.buffers.is_empty() {
        out.push('\n');
        out.push_str(&table(&result.buffers, result.counterexamples.len() > 1));
    }
    let count = result.counterexamples.len();
    for (position, example) in result.counterexamples.iter().enumerate() {
        out.push('\n');
        let number = if count > 1 { format!(" {}", position + 1) } else { String::new() };
        counterexample(out, &number, example, style);
    }
    if let Some(reason) = &result.reason {
        out.push('\n');
        paragraph(out, &format!("{} {reason}.", style.paint(Ink::Strong, "Why:")), 0);
    }
}

/// The verdict in one word, and what it means here.
fn verdict_line(result: &PropertyResult) -> (Ink, &'static str, String) {
    let total = result.buffers.len();
    let of = |verdict| result.buffers.iter().filter(|buffer| buffer.verdict == verdict).count();
    let bounded = of(BufferVerdict::Bounded);
    match (result.property, result.verdict) {
        (Property::Boundedness, Verdict::Proved) => {
            let what = match total {
                0 => "there is no buffer that could overflow",
                _ => "every buffer is proved bounded (certificate checked)",
            };
            (Ink::Good, "BOUNDED", what.into())
        }
        (Property::Boundedness, Verdict::Refuted) => {
            let some = of(BufferVerdict::Unbounded);
            let what = format!("{} in a run that was replayed", plural(some, "buffer grows", "buffers grow"));
            (Ink::Bad, "UNBOUNDED", what)
        }
        (Property::Boundedness, Verdict::Unknown) if total == 0 => {
            (Ink::Open, "UNKNOWN", "nothing was decided".into())
        }
        (Property::Boundedness, Verdict::Unknown) => {
            let open = plural(total - bounded, "buffer is", "buffers are");
            let what =
                format!("{open} not proved bounded, {bounded} of {total} proved (certificate checked)");
            let nothing = format!("{open} not proved bounded");
            (Ink::Open, "UNKNOWN", if bounded == 0 { nothing } else { what })
        }
        (Property::Livelock, Verdict::Proved) => {
            (Ink::Good, "LIVELOCK-FREE", "every infinite run makes progress (certificate checked)".into())
        }
        (Property::Livelock, Verdict::Refuted) => {
            (Ink::Bad, "LIVELOCK", "a run without progress was replayed".into())
        }
        (Property::Livelock, Verdict::Unknown) => {
            (Ink::Open, "UNKNOWN", "freedom from livelocks is not proved".into())
        }
    }
}

/// The table of buffers; if `numbered`, with the number of the counterexample for each.
fn table(buffers: &[Buffer], numbered: bool) -> String {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    table.set_header(["buffer", "declared", "proved bound", "verdict", ""]);
    for buffer in buffers {
        let verdict = match buffer.verdict {
            BufferVerdict::Bounded => "bounded",
            BufferVerdict::Unbounded => "unbounded",
            BufferVerdict::Unknown => "unknown",
        };
        let declared = buffer.declared.map_or_else(|| "-".into(), |capacity| capacity.to_string());
        let bound = buffer.bound.as_ref().map_or_else(|| "-".into(), Number::to_string);
        table.add_row([buffer.name.clone(), declared, bound, verdict.into(), remark(buffer, numbered)]);
    }
    let mut out = String::new();
    for row in table.lines() {
        line(&mut out, &format!("  {}", row.trim()));
    }
    out
}

/// What the verdict on a buffer means for whoever sends to it.
fn remark(buffer: &Buffer, numbered: bool) -> String {
    match (buffer.verdict, &buffer.bound, buffer.declared) {
        (BufferVerdict::Bounded, Some(bound), Some(declared)) => {
            let fits = bound.as_u64().is_some_and(|bound| bound <= u64::from(declared));
            let consequence = if fits { "a send can never block" } else { "may block" };
            format!("declared {declared}, proved ≤ {bound}: {consequence}")
        }
        (BufferVerdict::Bounded, Some(bound), None) => format!("proved ≤ {bound}"),
        (BufferVerdict::Bounded, None, _) => String::new(),
        (BufferVerdict::Unbounded, _, Some(declared)) => {
            format!("declared {declared}, can exceed any capacity: see run")
        }
        (BufferVerdict::Unbounded, _, None) => "can exceed any capacity: see run".into(),
        (BufferVerdict::Unknown, _, _) => match buffer.counterexample {
            Some(position) if numbered => {
                format!("can grow in the abstraction (counterexample {})", position + 1)
            }
            Some(_) => "can grow in the abstraction".into(),
            None => "not decided".into(),
        },
    }
}

fn counterexample(out: &mut String, number: &str, example: &Counterexample, style: Style) {
    let title = style.paint(Ink::Strong, &format!("Counterexample{number}"));
    let floods = match example.grows.as_slice() {
        [] => "what can be repeated for ever".into(),
        grows => format!("floods {}", grows.join(", ")),
    };
    line(out, &format!("{title}: {floods}"));
    let gains = example.gains.iter().map(|gain| format!("{} {}", gain.count, gain.message));
    let gains: Vec<String> = gains.collect();
    if !gains.is_empty() {
        paragraph(out, &format!("Each round adds {} and takes nothing away.", gains.join(", ")), 2);
    }
    let widths = Widths::of(example.cycles.iter().flat_map(|cycle| &cycle.steps));
    for cycle in &example.cycles {
        out.push('\n');
        line(out, &format!("  {}", headline(cycle, style)));
        steps(out, &cycle.steps, widths, style);
    }
}

/// `Sender, 2 times:`
fn headline(cycle: &Cycle, style: Style) -> String {
    let times = match cycle.times.as_u64() {
        Some(1) => "once".into(),
        _ => format!("{} times", cycle.times),
    };
    let process = style.paint(Ink::Strong, &cycle.process);
    match cycle.kind {
        CycleKind::Cycle => format!("{process}, {times}:"),
        CycleKind::Path => format!("{process}, a new process each time, {times}:"),
    }
}

/// Steps as lines `model.pml:7  ch!a  [+ch(a)]`, in columns.
fn steps(out: &mut String, steps: &[Step], Widths { places, texts }: Widths, style: Style) {
    for step in steps {
        let place = match places {
            0 => String::new(),
            _ => format!("{:places$}  ", place(step)),
        };
        let whole = if step.effect.is_empty() {
            style.paint(Ink::Faint, format!("{place}{}", step.text).trim_end())
        } else {
            format!("{place}{:texts$}  [{}]", step.text, step.effect.join(" "))
        };
        line(out, &format!("    {whole}"));
    }
}

fn place(step: &Step) -> String {
    if step.line == 0 {
        return String::new();
    }
    format!("{}:{}", step.file, step.line)
}

/// Widths of columns of steps.
#[derive(Clone, Copy)]
struct Widths {
    /// Of the longest place.
    places: usize,
    /// Of the longest text with an effect behind it.
    texts: usize,
}

impl Widths {
    fn of<'a>(steps: impl Iterator<Item = &'a Step>) -> Self {
        let mut widths = Self { places: 0, texts: 0 };
        for step in steps {
            widths.places = widths.places.max(place(step).chars().count());
            if !step.effect.is_empty() {
                widths.texts = widths.texts.max(step.text.chars().count());
            }
        }
        widths
    }
}

fn list(out: &mut String, title: &str, items: &[String], style: Style) {
    if items.is_empty() {
        return;
    }
    out.push('\n');
    line(out, &format!("{}:", style.paint(Ink::Strong, title)));
    for item in items {
        paragraph(out, &format!("- {item}"), 2);
    }
}

fn statistics(statistics: &Statistics) -> String {
    let Statistics { processes, states, transitions, message_types, buffers, cycles, seconds } = statistics;
    let mut out = format!(
        "Size: {}, {}, {}, {}, {}",
        plural(*processes, "process class", "process classes"),
        plural(*states, "state", "states"),
        plural(*transitions, "transition", "transitions"),
        plural(*message_types, "message type", "message types"),
        plural(*buffers, "buffer", "buffers"),
    );
    if let Some(cycles) = cycles {
        let _ = write!(out, ", {}", plural(*cycles, "cycle", "cycles"));
    }
    let Seconds { parse, abstraction, solve, total, .. } = seconds;
    let _ =
        writeln!(out, "\nTime: {total:.3} s (parse {parse:.3}, abstract {abstraction:.3}, solve {solve:.3})");
    out
}

/// `1 buffer`, `2 buffers`.
fn plural(count: usize, one: &str, several: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { several })
}

/// A line without blanks at its end.
fn line(out: &mut String, text: &str) {
    out.push_str(text.trim_end());
    out.push('\n');
}

/// Prose, broken between words; later lines are indented by two more than the first.
fn paragraph(out: &mut String, text: &str, indent: usize) {
    let mut current = " ".repeat(indent);
    let mut empty = true;
    for word in text.split_whitespace() {
        if !empty && current.chars().count() + 1 + word.chars().count() > WIDTH {
            line(out, &current);
            current = " ".repeat(indent + 2);
            empty = true;
        }
        if !empty {
            current.push(' ');
        }
        current.push_str(word);
        empty = false;
    }
    line(out, &current);
}
