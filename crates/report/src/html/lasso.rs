//! Runs: a table of the steps of each, and the data from which the script draws and steps.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde::Serialize;

use super::place::Places;
use super::{LIMITS, place, table};
use crate::markup::escaped;
use crate::text;
use crate::view::{Message, Report, WitnessStep};
use crate::visible;

/// All runs of a report.
pub(super) struct Runs {
    runs: Vec<Run>,
}

/// A run as the script reads it.
#[derive(Serialize)]
struct Run {
    title: String,
    /// The run in a sentence.
    summary: String,
    /// The processes in the order in which they appear.
    lifelines: Vec<String>,
    /// The buffers that change.
    buffers: Vec<String>,
    /// Number of steps before the loop; that of all if there is none.
    prefix: usize,
    /// Number of steps of the whole run, of which `steps` may be the first ones only.
    length: usize,
    steps: Vec<RunStep>,
}

/// A step: one statement, or several that happen at once.
#[derive(Serialize)]
struct RunStep {
    statements: Vec<Statement>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    errors: Vec<String>,
}

/// A statement of a run.
#[derive(Serialize)]
struct Statement {
    /// Position of the process among the lifelines.
    process: usize,
    place: String,
    line: u32,
    /// Position of the text among those of the report.
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<usize>,
    text: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    sent: Option<Message>,
    #[serde(skip_serializing_if = "Option::is_none")]
    received: Option<Message>,
    #[serde(skip_serializing_if = "Option::is_none")]
    created: Option<usize>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    ended: bool,
    /// Lengths of buffers afterwards, by position among the buffers.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    lengths: BTreeMap<usize, usize>,
    /// Position of the machine, with the transitions that the statement may be.
    #[serde(skip_serializing_if = "Option::is_none")]
    machine: Option<usize>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    transitions: Vec<usize>,
}

impl Runs {
    /// The witnesses, and then the runs to what was found about the model.
    pub(super) fn new(report: &Report, places: &Places<'_>) -> Self {
        let mut budget = LIMITS.steps;
        let mut runs = Vec::new();
        let results = &report.check.property_results;
        for witness in results.iter().flat_map(|result| &result.witnesses) {
            let steps = witness.prefix.iter().chain(&witness.pump);
            let mut teller = Teller::new(places, text::in_short(witness));
            teller.run.title = format!("Run {}", runs.len() + 1);
            teller.run.prefix = witness.prefix.len();
            teller.tell(steps, &mut budget);
            runs.push(teller.run);
        }
        for finding in report.check.findings.iter().filter(|finding| !finding.run.is_empty()) {
            let mut teller = Teller::new(places, visible::text(&text::sentence(finding)).into_owned());
            teller.run.title = format!("Run {}", runs.len() + 1);
            teller.run.prefix = finding.run.len();
            teller.tell(finding.run.iter(), &mut budget);
            runs.push(teller.run);
        }
        Self { runs }
    }

    /// The runs as JSON.
    pub(super) fn json(&self) -> String {
        serde_json::to_string(&self.runs).expect("all keys are strings or numbers")
    }

    /// A place for each run, with its table; empty if there are no runs.
    pub(super) fn html(&self) -> String {
        self.runs.iter().enumerate().map(|(number, run)| run.html(number)).collect()
    }
}

impl Run {
    fn html(&self, number: usize) -> String {
        let Self { title, summary, .. } = self;
        let mut out = format!(
            "<article class=\"run\" data-run=\"{number}\" aria-labelledby=\"run-{number}\">\n<h3 id=\"run-{number}\">{title}: {}</h3>\n",
            escaped(summary)
        );
        if self.steps.len() < self.length {
            let _ = writeln!(
                out,
                "<p>The first {} of its {} steps are shown; <code>freeboard check --format json</code> has all.</p>",
                self.steps.len(),
                self.length
            );
        }
        out.push_str("<div class=\"player\"></div>\n<noscript><p>Without scripts there is the table only.</p></noscript>\n");
        let headings = ["Step", "Process", "Place", "Statement", "Messages", "Buffers"];
        let rows = self.steps.iter().enumerate().flat_map(|(position, step)| self.rows(position, step));
        let rows = table(&format!("Steps of {}", title.to_lowercase()), headings, rows);
        let _ = writeln!(
            out,
            "<details class=\"steps\"><summary>Steps as a table</summary>\n{rows}</details></article>"
        );
        out
    }

    fn rows(&self, position: usize, step: &RunStep) -> Vec<[String; 6]> {
        let is_loop = position >= self.prefix;
        let number = |first: bool| match (first, is_loop) {
            (false, _) => String::new(),
            (true, true) => format!("{} ↻", position + 1),
            (true, false) => (position + 1).to_string(),
        };
        let rows =
            step.statements.iter().enumerate().map(|(at, statement)| self.row(number(at == 0), statement));
        let errors = step.errors.iter().map(|error| {
            [
                String::new(),
                String::new(),
                String::new(),
                format!("error: {error}"),
                String::new(),
                String::new(),
            ]
        });
        rows.chain(errors).collect()
    }

    fn row(&self, number: String, statement: &Statement) -> [String; 6] {
        let message =
            |sign: char, message: &Message| format!("{}{sign}{}", message.channel, message.fields.join(","));
        let process = |number: usize| self.lifelines.get(number).cloned().unwrap_or_default();
        let sent = statement.sent.iter().map(|sent| message('!', sent));
        let received = statement.received.iter().map(|received| message('?', received));
        let created = statement.created.iter().map(|&created| format!("creates {}", process(created)));
        let ended = statement.ended.then(|| "ends".to_owned());
        let effects: Vec<String> = sent.chain(received).chain(created).chain(ended).collect();
        let lengths = statement.lengths.iter();
        let lengths: Vec<String> =
            lengths.map(|(buffer, length)| format!("{} {length}", self.buffers[*buffer])).collect();
        let cells = (process(statement.process), statement.place.clone(), statement.text.clone());
        [number, cells.0, cells.1, cells.2, effects.join(" "), lengths.join(", ")]
    }
}

/// Tells the steps of one run.
struct Teller<'a> {
    places: &'a Places<'a>,
    run: Run,
}

impl<'a> Teller<'a> {
    fn new(places: &'a Places<'a>, summary: String) -> Self {
        let run = Run {
            title: String::new(),
            summary,
            lifelines: Vec::new(),
            buffers: Vec::new(),
            prefix: 0,
            length: 0,
            steps: Vec::new(),
        };
        Self { places, run }
    }

    fn tell<'s>(&mut self, steps: impl Iterator<Item = &'s WitnessStep>, budget: &mut usize) {
        for step in steps {
            self.run.length += 1;
            if *budget == 0 {
                continue;
            }
            *budget -= 1;
            // What is matched with the text is matched before anything in it is spelled out.
            let statements = step.statements().map(|statement| self.statement(statement)).collect();
            let errors = step.errors.iter().map(|error| visible::text(error).into_owned()).collect();
            self.run.steps.push(RunStep { statements, errors });
        }
    }

    fn statement(&mut self, step: &WitnessStep) -> Statement {
        let machine = self.places.machine(&step.process);
        let transitions =
            machine.map(|machine| self.places.taken(machine, step).to_vec()).unwrap_or_default();
        let source = self.places.source(&step.file);
        let step = visible::view(step).into_owned();
        let process = if step.process.is_empty() { "–".into() } else { lifeline(&step.process, step.pid) };
        let lengths = step.buffers.iter();
        let lengths = lengths
            .map(|buffer| (position(&mut self.run.buffers, buffer.name.clone()), buffer.length))
            .collect();
        let created = step.created.map(|created| lifeline(&created.process, created.pid));
        Statement {
            process: position(&mut self.run.lifelines, process),
            place: place(&step.file, step.line),
            line: step.line,
            source,
            text: step.text,
            sent: step.sent,
            received: step.received,
            created: created.map(|created| position(&mut self.run.lifelines, created)),
            ended: step.ended,
            lengths,
            machine,
            transitions,
        }
    }
}

fn lifeline(process: &str, pid: u32) -> String {
    format!("{process}[{pid}]")
}

/// The position of a name in a list, to which it is added if it is not there.
fn position(names: &mut Vec<String>, name: String) -> usize {
    names.iter().position(|known| *known == name).unwrap_or_else(|| {
        names.push(name);
        names.len() - 1
    })
}
