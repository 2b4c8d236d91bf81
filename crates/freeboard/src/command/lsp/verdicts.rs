//! Checking a document: bounds and verdicts, at the places of their channels.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range as Bytes;
use std::time::{Duration, Instant};

use freeboard::abstraction::Abstraction;
use freeboard::cfsm_core::formats;
use freeboard::cfsm_core::program::Program;
use freeboard::cfsm_core::system::{Direction, System};
use freeboard::report::view::{Buffer, BufferVerdict, Check, Property};
use freeboard::{
    Failure, Model, Options, Stop, check_model, check_system, read_promela, read_room, umlrt_front,
};
use lsp_types::{DiagnosticSeverity, NumberOrString};

use super::outline;
use super::reading::{Kind, Reading, Snapshot, diagnostic, document};
use super::text::Text;

/// The bounds and verdicts of a document.
#[derive(Debug, Default)]
pub struct Verdicts {
    buffers: Vec<Buffer>,
    /// The reason for which something is unknown.
    reason: Option<String>,
    /// For the beginning of each place that stands for buffers: its end, and the buffers.
    places: BTreeMap<usize, (usize, BTreeSet<usize>)>,
    /// The buffers that each line sends to or receives from.
    lines: BTreeMap<u32, BTreeSet<usize>>,
    /// Warnings: parts that cannot be checked, and buffers that are unbounded.
    pub diagnostics: Vec<lsp_types::Diagnostic>,
}

impl Verdicts {
    /// Checks a document without errors, until some time has passed or the check is stopped.
    pub fn new(snapshot: &Snapshot, time_limit: Duration, stop: Stop) -> Self {
        let options = Options { time_limit: Some(time_limit), cancelled: Some(stop), ..Options::default() };
        let mut verdicts = match checked(snapshot, &options) {
            Ok(verdicts) => verdicts,
            Err(failure) => {
                return Self { diagnostics: vec![snapshot.failure(&failure)], ..Self::default() };
            }
        };
        verdicts.diagnostics = verdicts.unbounded(&snapshot.text);
        verdicts
    }

    /// The verdicts of a result, without their places.
    fn of_view(view: Check, system: &System, snapshot: &Snapshot) -> Self {
        let result =
            view.property_results.into_iter().find(|result| result.property == Property::Boundedness);
        let (buffers, reason) = result.map(|result| (result.buffers, result.reason)).unwrap_or_default();
        let mut verdicts = Self { buffers, reason, ..Self::default() };
        for transition in system.transitions.values() {
            let Some(origin) = transition.origin.as_ref().filter(|origin| origin.file == snapshot.path)
            else {
                continue;
            };
            for event in &transition.events {
                let name = &system.buffers[system.messages[event.message].buffer].name;
                if let Some(row) = verdicts.row(name) {
                    verdicts.lines.entry(origin.line).or_default().insert(row);
                }
            }
        }
        verdicts
    }

    fn row(&self, name: &str) -> Option<usize> {
        self.buffers.iter().position(|buffer| buffer.name == name)
    }

    fn add(&mut self, place: Bytes<usize>, name: &str) {
        if let Some(row) = self.row(name) {
            self.places.entry(place.start).or_insert((place.end, BTreeSet::new())).1.insert(row);
        }
    }

    /// Adds the declarations of a program's channels.
    fn declarations(&mut self, program: &Program, abstraction: &Abstraction) {
        for (id, declaration) in abstraction.declarations.iter() {
            let variable = match declaration.process_type {
                Some(process_type) => &program.types[process_type].locals[declaration.variable],
                None => &program.globals[declaration.variable],
            };
            if variable.span.file == document() {
                self.add(outline::bytes(variable.span), &abstraction.system.buffers[id].name);
            }
        }
    }

    /// Adds the first sends to the buffers of machines, which declare none.
    fn first_sends(&mut self, system: &System, snapshot: &Snapshot) {
        let mut first: BTreeMap<usize, u32> = BTreeMap::new();
        for transition in system.transitions.values() {
            let Some(origin) = transition.origin.as_ref().filter(|origin| origin.line > 0) else { continue };
            for event in transition.events.iter().filter(|event| event.direction == Direction::Send) {
                let buffer = system.messages[event.message].buffer;
                if let Some(row) = self.row(&system.buffers[buffer].name) {
                    let line = first.entry(row).or_insert(origin.line);
                    *line = origin.line.min(*line);
                }
            }
        }
        for (row, line) in first {
            let name = self.buffers[row].name.clone();
            self.add(snapshot.text.line_without_blanks(line), &name);
        }
    }

    /// Each place that stands for buffers, with a few words on them.
    pub fn lenses(&self) -> impl Iterator<Item = (Bytes<usize>, String)> + '_ {
        self.places.iter().map(|(&start, (end, rows))| (start..*end, self.title(rows)))
    }

    /// A few words on some buffers of one place.
    fn title(&self, rows: &BTreeSet<usize>) -> String {
        let rows: Vec<&Buffer> = rows.iter().map(|&row| &self.buffers[row]).collect();
        let words: BTreeSet<String> = rows.iter().copied().map(few_words).collect();
        match (words.len(), rows.as_slice()) {
            // Machines name the channel nowhere.
            (1, [only]) if only.name.contains("->") => format!("{}: {}", only.name, few_words(only)),
            (1, [first, ..]) => few_words(first),
            _ => {
                let each: Vec<String> =
                    rows.iter().map(|row| format!("{}: {}", row.name, few_words(row))).collect();
                each.join("; ")
            }
        }
    }

    /// The buffers that are meant at an offset, by a name or by the statement there, each with what
    /// is known about it, in Markdown.
    pub fn told(&self, snapshot: &Snapshot, reading: &Reading, offset: usize) -> Option<String> {
        let word = snapshot.text.word(offset).map(|word| &snapshot.text.content[word]);
        let defined = word.and_then(|word| reading.defined_at(word, offset));
        let by_name = defined.and_then(|at| {
            let (_, (end, rows)) = self.places.range(..=at).next_back()?;
            (at < *end).then_some(rows)
        });
        let rows = by_name.or_else(|| self.lines.get(&snapshot.text.line_number(offset)))?;
        let lines: Vec<String> = rows.iter().map(|&row| self.sentence(&self.buffers[row])).collect();
        Some(lines.join("\n\n"))
    }

    /// The bound and the verdict of a buffer, in words.
    fn sentence(&self, buffer: &Buffer) -> String {
        let mut text = format!("**`{}`**: ", buffer.name);
        text += &match (buffer.verdict, &buffer.bound, &self.reason) {
            (BufferVerdict::Bounded, Some(bound), _) => format!("bounded, proved ≤ {bound}"),
            (BufferVerdict::Bounded, None, _) => "bounded".into(),
            (BufferVerdict::Unbounded, ..) => "unbounded: a run exceeds any capacity".into(),
            (_, _, Some(reason)) => format!("unknown: {reason}"),
            _ => "unknown".into(),
        };
        if let Some(exact) = &buffer.exact {
            text += &format!("; maximum {exact}");
        }
        if let Some(declared) = buffer.declared {
            text += &format!("; declared {declared}");
        }
        let fits = |most: u64| buffer.declared.is_some_and(|declared| most <= declared.into());
        let most = buffer.exact.as_ref().or(buffer.bound.as_ref()).and_then(|most| most.as_u64());
        let blocks = buffer.as_declared.as_ref().and_then(|found| found.blocks);
        text += match blocks {
            _ if most.is_some_and(fits) => ": a send can never block",
            Some(true) => ": as declared a send can block",
            Some(false) => ": as declared a send can never block",
            None => "",
        };
        text
    }

    /// A warning at each place with a buffer that is unbounded.
    fn unbounded(&self, text: &Text) -> Vec<lsp_types::Diagnostic> {
        let is_unbounded = |row: &&usize| self.buffers[**row].verdict == BufferVerdict::Unbounded;
        let warning = |(&start, (end, rows)): (&usize, &(usize, BTreeSet<usize>))| {
            let names: Vec<String> = rows
                .iter()
                .filter(is_unbounded)
                .map(|&row| format!("`{}`", self.buffers[row].name))
                .collect();
            let message = format!("{} can exceed any capacity", names.join(", "));
            (!names.is_empty()).then(|| lsp_types::Diagnostic {
                code: Some(NumberOrString::String("unbounded-buffer".into())),
                ..diagnostic(text.range(start..*end), DiagnosticSeverity::WARNING, message)
            })
        };
        self.places.iter().filter_map(warning).collect()
    }
}

/// A few words on a buffer.
fn few_words(buffer: &Buffer) -> String {
    let verdict = match (buffer.verdict, &buffer.bound) {
        (BufferVerdict::Bounded, Some(bound)) => format!("≤ {bound}"),
        (BufferVerdict::Bounded, None) => "bounded".into(),
        (BufferVerdict::Unbounded, _) => "unbounded".into(),
        _ => "unknown".into(),
    };
    match buffer.declared {
        Some(declared) => format!("{verdict}, declared {declared}"),
        None => verdict,
    }
}

/// The verdicts of a document, without diagnostics.
fn checked(snapshot: &Snapshot, options: &Options) -> Result<Verdicts, Failure> {
    let start = Instant::now();
    let (name, text) = (&*snapshot.path, &*snapshot.text.content);
    let program = |model: Model| {
        let analysis = check_model(model, options, start);
        let mut verdicts = Verdicts::of_view(analysis.view(name), analysis.system(), snapshot);
        verdicts.declarations(&analysis.program, &analysis.abstraction);
        verdicts
    };
    match snapshot.kind {
        Kind::Promela => read_promela(name, text, options).map(program),
        Kind::Room => read_room(name, text, &umlrt_front::Options::default(), options).map(program),
        Kind::Machines(format) => {
            let Some(system) = formats::read(format, name, text).system else {
                return Ok(Verdicts::default());
            };
            let analysis = check_system(system, options)?;
            let mut verdicts = Verdicts::of_view(analysis.view(name), &analysis.system, snapshot);
            verdicts.first_sends(&analysis.system, snapshot);
            Ok(verdicts)
        }
    }
}
