//! Text renderer, for people.
//!
//! The output consists of the verdict, a table of the buffers, the counterexamples as statements of
//! the model, advice, assumptions, and sizes. Times are only on the last line, which begins with
//! `Time:`; everything above it depends on the view's other fields only.

mod breaking;
mod composition;
mod environment;
mod exploration;
mod files;
mod findings;
mod headline;
mod listing;
mod loops;
mod run;
mod witness;

use std::fmt::Write as _;

use comfy_table::{Table, presets};

use crate::view::{
    AsDeclared, Buffer, BufferVerdict, Check, Counterexample, Cycle, CycleKind, ModelFinding, Number,
    Property, PropertyResult, Replay, Seconds, Simulation, Statistics, Step, Trusted, Witness, WitnessStep,
    is_told_elsewhere,
};
use crate::visible;

pub use breaking::broken;
use breaking::{longest_word, prose, wrapped};
pub use composition::{clauses, composition};
pub use environment::environment_conditions;
pub use exploration::exploration;
pub use files::files;
pub(crate) use findings::caveat;
pub use findings::sentence;
pub(crate) use headline::{contract, environments, refinements, verdict_line};
pub use listing::{CycleLines, cycles, cycles_total};
pub use loops::loops;
pub(crate) use witness::in_short;
use witness::{limits, witnesses};

/// Options of the renderer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Style {
    /// `true` to use ANSI colours.
    pub colour: bool,
    /// The number of columns that lines should not exceed, if there is a limit.
    pub width: Option<usize>,
    /// The witnesses that are shown step by step.
    pub runs: ShownRuns,
    /// `true` to leave out statements of runs that neither send nor receive.
    pub only_messages: bool,
}

/// The witnesses that a result shows step by step. Of the others there is a line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ShownRuns {
    /// The first one, and short ones.
    #[default]
    FirstAndShort,
    /// All of them.
    All,
    /// The one with this number, counted from 1.
    Number(usize),
}

/// Runs of up to this many steps are shown even if they are not the first one.
const SHORT: usize = 16;

/// An ANSI rendition.
#[derive(Clone, Copy)]
pub(crate) enum Ink {
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
    let check = visible::view(check);
    let mut out = String::new();
    for (position, result) in check.property_results.iter().enumerate() {
        if position > 0 {
            out.push('\n');
        }
        property(&mut out, result, &check.findings, style);
    }
    findings::findings(&mut out, &check.findings, style);
    let trusted = |text: &&String| check.trust.iter().any(|part| part.why == **text);
    let assumptions: Vec<String> = check.assumptions.iter().filter(|text| !trusted(text)).cloned().collect();
    list(&mut out, "Assumptions", &assumptions, style);
    list(&mut out, "Not certified", &not_certified(&check.trust), style);
    list(&mut out, "Coarser than it could be", &check.approximations, style);
    out.push('\n');
    out.push_str(&statistics(&check.statistics));
    out
}

/// The parts of the verdict that no checker repeats, by name. Empty if the only such part is the
/// abstraction of a text, which the verdict line mentions.
pub(crate) fn not_certified(trust: &[Trusted]) -> Vec<String> {
    if trust.iter().all(is_told_elsewhere) {
        return Vec::new();
    }
    trust.iter().map(|part| format!("{}: {}", part.part, part.why)).collect()
}

/// Renders a random run.
#[must_use]
pub fn simulation(run: &Simulation, style: Style) -> String {
    run::simulation(&visible::view(run), style)
}

/// Renders a witness that was executed, or the reason why it could not be.
#[must_use]
pub fn replay(replay: &Replay, style: Style) -> String {
    run::replay(&visible::view(replay), style)
}

/// Renders the line that sums a witness up: the numbers of its steps, and what it makes grow.
#[must_use]
pub fn summary(witness: &Witness) -> String {
    in_short(&visible::view(witness))
}

/// Renders a witness: a line that sums it up, and its steps.
#[must_use]
pub fn witness(witness: &Witness, style: Style) -> String {
    let witness = visible::view(witness);
    format!("{}\n{}", in_short(&witness), run::lasso(&witness, style))
}

/// Renders steps as a table: number, process, place, statement, its effect on messages and
/// processes, and the lengths of the buffers that it changes. The first step has the number
/// `first`; further statements of the same step are on lines of their own without a number.
#[must_use]
pub fn sequence(steps: &[WitnessStep], first: usize, style: Style) -> String {
    run::sequence(&visible::view(&steps.to_vec()), first, style)
}

fn property(out: &mut String, result: &PropertyResult, found: &[ModelFinding], style: Style) {
    let (ink, word, rest) = verdict_line(result);
    let caveat = caveat(result.verdict, found);
    let scope = environments(result);
    line(out, &format!("{}{scope}{caveat}: {rest}", style.paint(ink, word)));
    if !result.buffers.is_empty() {
        out.push('\n');
        let numbering =
            Numbering { runs: result.witnesses.len() > 1, counterexamples: result.counterexamples.len() > 1 };
        out.push_str(&table(result, numbering, style.width));
    }
    if let Some(contract) = contract(result) {
        out.push('\n');
        paragraph(out, &format!("{} {contract}.", style.paint(Ink::Strong, "Contract:")), 2, style);
    }
    witnesses(out, &result.witnesses, style);
    let count = result.counterexamples.len();
    for (position, example) in result.counterexamples.iter().enumerate() {
        // Where there is a run, the loops of the abstraction are irrelevant.
        if is_confirmed(result, position) {
            continue;
        }
        out.push('\n');
        let number = if count > 1 { format!(" {}", position + 1) } else { String::new() };
        counterexample(out, result.property, &number, example, style);
    }
    let refined: Vec<String> = refinements(result).collect();
    let refined = refined.iter().map(|text| ("Refined", text));
    let reasons = result.reason.iter().map(|text| ("Why:", text));
    let notes = result.notes.iter().map(|text| ("Note:", text));
    for (word, text) in refined.chain(reasons).chain(notes) {
        out.push('\n');
        paragraph(out, &format!("{} {text}.", style.paint(Ink::Strong, word)), 0, style);
    }
}

/// Returns `true` if each buffer to which a counterexample belongs grows in a run.
pub(crate) fn is_confirmed(result: &PropertyResult, counterexample: usize) -> bool {
    let mut about = result.buffers.iter().filter(|buffer| buffer.counterexample == Some(counterexample));
    !result.witnesses.is_empty() && about.all(|buffer| buffer.verdict == BufferVerdict::Unbounded)
}

/// Flags to number the runs and the counterexamples, if there are several.
#[derive(Clone, Copy)]
pub(crate) struct Numbering {
    /// `true` if there are several runs.
    pub(crate) runs: bool,
    /// `true` if there are several counterexamples.
    pub(crate) counterexamples: bool,
}

/// The table of buffers, with remarks behind its columns.
fn table(result: &PropertyResult, numbering: Numbering, width: Option<usize>) -> String {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    table.set_header(["buffer", "declared", "proved bound", "maximum", "verdict"]);
    for buffer in &result.buffers {
        let verdict = match buffer.verdict {
            BufferVerdict::Bounded => "bounded",
            BufferVerdict::Unbounded => "unbounded",
            BufferVerdict::Unknown => "unknown",
        };
        let declared = buffer.declared.map_or_else(|| "-".into(), |capacity| capacity.to_string());
        let number = |number: &Option<Number>| number.as_ref().map_or_else(|| "-".into(), Number::to_string);
        let (bound, exact) = (number(&buffer.bound), number(&buffer.exact));
        table.add_row([buffer.name.clone(), declared, bound, exact, verdict.into()]);
    }
    let rows: Vec<String> = table.lines().map(|row| format!("  {}", row.trim())).collect();
    let columns = rows.iter().map(|row| row.chars().count()).max().unwrap_or_default();
    let remarks = result.buffers.iter().map(|buffer| remark(buffer, &result.witnesses, numbering));
    let mut out = String::new();
    for (row, remark) in rows.iter().zip(std::iter::once(String::new()).chain(remarks)) {
        for text in with_remark(&format!("{row:columns$}  "), &remark, width) {
            line(&mut out, text.trim_end());
        }
    }
    out
}

/// A row with the remark behind it: broken between words at the width, or below the row if not even
/// its longest word has room there.
fn with_remark(row: &str, remark: &str, width: Option<usize>) -> Vec<String> {
    let columns = row.chars().count();
    match width {
        Some(width) if columns + longest_word(remark) > width => {
            let below = wrapped("      ", remark, 6, width);
            std::iter::once(row.to_owned()).chain(below).collect()
        }
        Some(width) => wrapped(row, remark, columns, width),
        None => vec![format!("{row}{remark}")],
    }
}

/// The meaning of the verdict on a buffer for its senders, and the verdict with the declared
/// capacities.
pub(crate) fn remark(buffer: &Buffer, witnesses: &[Witness], numbering: Numbering) -> String {
    let limit = buffer.limit.as_ref().map(|limit| format!("limited to {limit}"));
    let default = match limit {
        Some(limit) => limit,
        None => default_remark(buffer, witnesses, numbering),
    };
    if let Some(found) = buffer.as_declared.as_ref().filter(|found| found.loses) {
        let default = default.strip_suffix(NEVER_BLOCKS).unwrap_or(&default).trim_end_matches(": ");
        return format!("{default}; {}", loss(found));
    }
    let story = buffer.as_declared.as_ref().filter(|_| !default.ends_with(NEVER_BLOCKS)).map(declared_remark);
    story.map_or_else(|| default.clone(), |story| format!("{default}; {story}"))
}

const NEVER_BLOCKS: &str = "a send can never block";

/// `as declared a send can wait (model.pml:7 data!i)`
fn declared_remark(found: &AsDeclared) -> String {
    let most = found.exact.as_ref().or(found.bound.as_ref());
    let most = most.map(|most| format!(", at most {most}")).unwrap_or_default();
    match (found.blocks, &found.send) {
        (Some(false), _) => format!("as declared {NEVER_BLOCKS}{most}"),
        (Some(true), Some(send)) if send.line > 0 => {
            format!("as declared a send can block ({}:{} {})", send.file, send.line, send.text)
        }
        (Some(true), _) => "as declared a send can block".into(),
        (None, _) => "as declared a send may block".into(),
    }
}

/// The fate of messages to a channel that loses what finds no room.
fn loss(found: &AsDeclared) -> String {
    match (found.blocks, &found.send) {
        (Some(false), _) => "no message is ever lost".into(),
        (Some(true), Some(send)) if send.line > 0 => {
            format!("a message can be lost ({}:{} {})", send.file, send.line, send.text)
        }
        (Some(true), _) => "a message can be lost".into(),
        (None, _) => "a message may be lost".into(),
    }
}

/// The meaning of the verdict on a buffer that is taken as unbounded.
fn default_remark(buffer: &Buffer, witnesses: &[Witness], numbering: Numbering) -> String {
    let fits = |most: &Number, declared: u32| most.as_u64().is_some_and(|most| most <= u64::from(declared));
    match (buffer.verdict, &buffer.bound, buffer.declared) {
        (BufferVerdict::Bounded, Some(bound), Some(declared)) => {
            let fits = |most: &Number| fits(most, declared);
            match &buffer.exact {
                _ if fits(bound) => {
                    format!("declared {declared}, proved ≤ {bound}: {NEVER_BLOCKS}")
                }
                Some(exact) if fits(exact) => {
                    format!("declared {declared}, at most {exact} in any run: {NEVER_BLOCKS}")
                }
                _ if buffer.as_declared.is_some() => format!("declared {declared}, proved ≤ {bound}"),
                _ => format!("declared {declared}, proved ≤ {bound}: may block"),
            }
        }
        (BufferVerdict::Bounded, Some(bound), None) => format!("proved ≤ {bound}"),
        (BufferVerdict::Bounded, None, declared) => match (&buffer.exact, declared) {
            (Some(exact), Some(declared)) if fits(exact, declared) => {
                format!("declared {declared}, at most {exact} in any run: {NEVER_BLOCKS}")
            }
            (Some(exact), _) => format!("at most {exact} in any run"),
            (None, _) => "proved bounded by a number that is not known".into(),
        },
        (BufferVerdict::Unbounded, _, declared) => {
            let declared = declared.map(|declared| format!("declared {declared}, ")).unwrap_or_default();
            let number = buffer.witness.filter(|_| numbering.runs).map(|run| format!(" {}", run + 1));
            let witness = buffer.witness.and_then(|run| witnesses.get(run));
            let limits = witness.and_then(|witness| limits(&witness.limited));
            let limits = limits.map(|limits| format!(" {limits}")).unwrap_or_default();
            format!("{declared}can exceed any capacity{limits}: see run{}", number.unwrap_or_default())
        }
        (BufferVerdict::Unknown, _, _) => match (&buffer.exact, buffer.counterexample) {
            (Some(exact), _) => format!("at most {exact} in any run, without a certificate"),
            (None, Some(position)) if numbering.counterexamples => {
                format!("can grow in the abstraction (counterexample {})", position + 1)
            }
            (None, Some(_)) => "can grow in the abstraction".into(),
            (None, None) => "not decided".into(),
        },
    }
}

fn counterexample(
    out: &mut String,
    property: Property,
    number: &str,
    example: &Counterexample,
    style: Style,
) {
    let title = style.paint(Ink::Strong, &format!("Counterexample{number}"));
    let floods = match (property, example.grows.as_slice()) {
        (Property::Livelock, _) => "what can be repeated for ever without progress".into(),
        (Property::Boundedness, []) => "what can be repeated for ever".into(),
        (Property::Boundedness, grows) => format!("floods {}", grows.join(", ")),
    };
    line(out, &format!("{title}: {floods}"));
    let gains = example.gains.iter().map(|gain| format!("{} {}", gain.count, gain.message));
    let gains: Vec<String> = gains.collect();
    if !gains.is_empty() {
        paragraph(out, &format!("Each round adds {} and takes nothing away.", gains.join(", ")), 2, style);
    }
    let widths = Widths::of(example.cycles.iter().flat_map(|cycle| &cycle.steps));
    for cycle in &example.cycles {
        out.push('\n');
        line(out, &format!("  {}", headline(cycle, style)));
        cycle.steps.iter().for_each(|step| out.push_str(&step_line(step, widths, style)));
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

/// A step as a line `model.pml:7  ch!a  [+ch(a)]`, in columns.
fn step_line(step: &Step, Widths { places, texts }: Widths, style: Style) -> String {
    let place = match places {
        0 => String::new(),
        _ => format!("{:places$}  ", place(step)),
    };
    let whole = if step.effect.is_empty() {
        style.paint(Ink::Faint, format!("{place}{}", step.text).trim_end())
    } else {
        format!("{place}{:texts$}  [{}]", step.text, step.effect.join(" "))
    };
    let mut out = String::new();
    line(&mut out, &format!("    {whole}"));
    out
}

fn place(step: &Step) -> String {
    if step.line == 0 {
        return String::new();
    }
    format!("{}:{}", step.file, step.line)
}

/// Widths of the columns of steps.
#[derive(Clone, Copy)]
struct Widths {
    /// Width of the longest place.
    places: usize,
    /// Width of the longest text that is followed by an effect.
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
        paragraph(out, &format!("- {item}"), 2, style);
    }
}

fn statistics(statistics: &Statistics) -> String {
    let Statistics { processes, states, transitions, message_types, buffers, cycles, seconds, .. } =
        statistics;
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
    let Seconds { parse, abstraction, solve, search, total, .. } = seconds;
    let _ = writeln!(
        out,
        "\nTime: {total:.3} s (parse {parse:.3}, abstract {abstraction:.3}, solve {solve:.3}, search {search:.3})"
    );
    out
}

/// `1 buffer`, `2 buffers`.
pub(crate) fn plural(count: usize, one: &str, several: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { several })
}

/// Appends a line, without trailing blanks.
fn line(out: &mut String, text: &str) {
    out.push_str(text.trim_end());
    out.push('\n');
}

/// Appends a paragraph, broken between words; later lines are indented by two more than the first.
fn paragraph(out: &mut String, text: &str, indent: usize, style: Style) {
    let words: Vec<&str> = text.split_whitespace().collect();
    let start = " ".repeat(indent);
    let lines = wrapped(&start, &words.join(" "), indent + 2, prose(style.width));
    lines.iter().for_each(|text| line(out, text));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remarks_are_broken_between_words() {
        let remark = "declared 25, proved ≤ 13: a send can never block";
        let shown = |width| with_remark("  AB  25  bounded  ", remark, width).join("\n");
        assert_eq!(shown(None), format!("  AB  25  bounded  {remark}"));
        assert_eq!(shown(Some(200)), shown(None));
        assert_eq!(
            shown(Some(45)),
            "  AB  25  bounded  declared 25, proved ≤ 13:\n                   a send can never block"
        );
        assert_eq!(
            shown(Some(24)),
            "  AB  25  bounded  \n      declared 25,\n      proved ≤ 13: a\n      send can never\n      block"
        );
    }
}
