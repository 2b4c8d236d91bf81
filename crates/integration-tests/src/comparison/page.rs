//! The results as a page of the documentation, in Markdown.

use std::fmt::Write as _;

use super::differences::{Found, Reasons, found};
use super::pairing::Walk;
use super::run::{Compared, Graphs};
use super::verdict::Class;

/// How many models each side accepts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Acceptance {
    /// Both accept.
    pub both: usize,
    /// Both reject, Spin because of the text.
    pub neither: usize,
    /// Spin accepts, ours rejects.
    pub spin_only: usize,
    /// Spin rejects because of the text, ours accepts.
    pub ours_only: usize,
    /// Spin does not come to the text, or crashes.
    pub elsewhere: usize,
    /// Ours panics.
    pub panics: usize,
}

impl Acceptance {
    /// Counts models; fragments only if the front end panics on them.
    #[must_use]
    pub fn of(results: &[Compared]) -> Self {
        let mut counts = Self::default();
        for result in results {
            counts.panics += usize::from(result.panics);
            if result.model.fragment {
                continue;
            }
            let count = match (result.spin.rejected, result.accepted) {
                (None, true) => &mut counts.both,
                (None, false) => &mut counts.spin_only,
                (Some(Class::Language), true) => &mut counts.ours_only,
                (Some(Class::Language), false) => &mut counts.neither,
                (Some(_), _) => &mut counts.elsewhere,
            };
            *count += 1;
        }
        counts
    }

    /// Of the models that Spin accepts, the part that ours accepts.
    #[must_use]
    pub fn accepted(self) -> f64 {
        part(self.both, self.both + self.spin_only)
    }

    /// Of the models that Spin rejects because of their text, the part that ours rejects.
    #[must_use]
    pub fn rejected(self) -> f64 {
        part(self.neither, self.neither + self.ours_only)
    }
}

/// How many graphs are equal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Equality {
    /// Models whose graphs were compared, and those all of whose are equal.
    pub models: (usize, usize),
    /// Process types and claims whose graphs were compared, and the equal ones.
    pub processes: (usize, usize),
    /// Models whose verifier could not say.
    pub unavailable: usize,
    /// Claims from formulas.
    pub formulas: usize,
    /// Pairs of states; jumps that were passed over; states with options in another order.
    pub states: (usize, usize, usize),
    /// Pairs of edges, and those that stand in different lines.
    pub edges: (usize, usize),
}

impl Equality {
    /// Counts what was compared.
    #[must_use]
    pub fn of(results: &[Compared]) -> Self {
        let mut counts = Self::default();
        for result in results {
            match &result.graphs {
                Graphs::None => {}
                Graphs::Unavailable(_) => counts.unavailable += 1,
                Graphs::Compared(processes, formulas) => {
                    counts.formulas += formulas;
                    let equal = processes.iter().filter(|process| process.walk.difference.is_none()).count();
                    counts.models.0 += 1;
                    counts.models.1 += usize::from(equal == processes.len());
                    counts.processes.0 += processes.len();
                    counts.processes.1 += equal;
                    processes.iter().for_each(|process| counts.add(&process.walk));
                }
            }
        }
        counts
    }

    fn add(&mut self, walk: &Walk) {
        self.states.0 += walk.states;
        self.states.1 += walk.jumps;
        self.states.2 += walk.reordered;
        self.edges.0 += walk.edges;
        self.edges.1 += walk.lines;
    }

    /// The part of the process types whose graphs are equal.
    #[must_use]
    pub fn equal(self) -> f64 {
        part(self.processes.1, self.processes.0)
    }
}

/// All, of nothing.
fn part(some: usize, all: usize) -> f64 {
    let number = |count: usize| f64::from(u32::try_from(count).unwrap_or(u32::MAX));
    if all == 0 { 1.0 } else { number(some) / number(all) }
}

fn percent(part: f64) -> String {
    format!("{:.1} %", 100.0 * part)
}

/// The section about one set of models.
#[must_use]
pub fn section(title: &str, results: &[Compared], reasons: &Reasons) -> String {
    let mut text = format!("## {title}\n\n");
    acceptance(&mut text, results);
    graphs(&mut text, results);
    let (about_graphs, about_texts): (Vec<_>, Vec<_>) =
        found(results).into_iter().partition(|found| found.key.process.is_some());
    table(&mut text, "Accepted by one side only", &about_texts, reasons, results);
    table(&mut text, "Graphs that differ", &about_graphs, reasons, results);
    lines(&mut text, results);
    elsewhere(&mut text, results);
    surprises(&mut text, results);
    text
}

fn line(text: &mut String, line: &str) {
    text.push_str(line);
    text.push('\n');
}

fn acceptance(text: &mut String, results: &[Compared]) {
    let counts = Acceptance::of(results);
    let fragments = results.iter().filter(|result| result.model.fragment).count();
    line(text, "| models | |\n|---|---|");
    line(text, &format!("| accepted by both | {} |", counts.both));
    line(text, &format!("| accepted by Spin only | {} |", counts.spin_only));
    line(text, &format!("| rejected by both | {} |", counts.neither));
    line(text, &format!("| accepted by freeboard only | {} |", counts.ours_only));
    line(text, &format!("| Spin does not come to the text, or crashes | {} |", counts.elsewhere));
    line(text, &format!("| fragments (read, not counted) | {fragments} |"));
    line(text, &format!("| freeboard panics | {} |", counts.panics));
    line(text, &format!("| **accepted, of what Spin accepts** | **{}** |", percent(counts.accepted())));
    line(text, &format!("| **rejected, of what Spin rejects** | **{}** |\n", percent(counts.rejected())));
}

fn graphs(text: &mut String, results: &[Compared]) {
    let counts = Equality::of(results);
    let row = |name: &str, (all, some): (usize, usize)| format!("| {name} | {all} | {some} |");
    line(text, "| graphs | compared | equal |\n|---|---|---|");
    line(text, &row("models", counts.models));
    line(text, &row("process types and claims", counts.processes));
    line(text, &format!("| **part that is equal** | | **{}** |\n", percent(counts.equal())));
    let (states, jumps, reordered) = counts.states;
    let (edges, lines) = counts.edges;
    let _ = writeln!(
        text,
        "{states} pairs of states and {edges} pairs of edges; {jumps} jumps passed over; options in another \
         order at {reordered} states; {lines} pairs of edges in different lines; {} claims made from formulas \
         and {} models without a verifier not compared.\n",
        counts.formulas, counts.unavailable
    );
}

fn table(text: &mut String, title: &str, found: &[Found], reasons: &Reasons, results: &[Compared]) {
    let _ = writeln!(text, "### {title}\n");
    if found.is_empty() {
        line(text, "None.\n");
        return;
    }
    line(text, "| model | | what shows | reason |\n|---|---|---|---|");
    for difference in found {
        let key = &difference.key;
        let accepted = results.iter().any(|result| result.model.name == key.model && result.accepted);
        let about = match &key.process {
            Some(process) => format!("`{process}`"),
            None if accepted => String::from("freeboard accepts"),
            None => String::from("Spin accepts"),
        };
        let reason = match reasons.get(key) {
            Some(reason) => reason.as_str(),
            None => "**no reason is known**",
        };
        let _ = writeln!(text, "| {} | {about} | {} | {reason} |", key.model, cell(&difference.text));
    }
    text.push('\n');
}

/// Of each process type, the first statement for which the two sides give different lines.
fn lines(text: &mut String, results: &[Compared]) {
    let mut rows = String::new();
    for result in results {
        let Graphs::Compared(processes, _) = &result.graphs else { continue };
        for process in processes {
            if let Some(line) = &process.walk.line {
                let (name, count, shown) = (&process.name, process.walk.lines, cell(line));
                let _ = writeln!(rows, "| {} | `{name}` | {count} | {shown} |", result.model.name);
            }
        }
    }
    if !rows.is_empty() {
        let head = "| model | | edges | the first |\n|---|---|---|---|";
        let _ = writeln!(text, "### Lines that differ\n\n{head}\n{rows}");
    }
}

/// A text that may stand in a table.
pub(crate) fn cell(text: &str) -> String {
    let text = text.lines().next().unwrap_or_default().trim();
    let short: String = text.chars().take(240).collect();
    let end = if short.len() < text.len() { " …" } else { "" };
    format!("{}{end}", short.replace("\\|", "|").replace('|', "\\|").replace(['<', '\t'], " "))
}

fn elsewhere(text: &mut String, results: &[Compared]) {
    let special = |result: &&Compared| {
        !result.model.fragment && result.spin.rejected.is_some_and(|class| class != Class::Language)
    };
    let all: Vec<&Compared> = results.iter().filter(special).collect();
    if all.is_empty() {
        return;
    }
    line(text, "### Rejected by Spin for other reasons\n\n| model | Spin | freeboard |\n|---|---|---|");
    for result in all {
        let class = result.spin.rejected.map_or("", Class::words);
        let ours = if result.accepted { "accepts" } else { "rejects" };
        let _ =
            writeln!(text, "| {} | {class}: {} | {ours} |", result.model.name, cell(&result.spin.complaint));
    }
    text.push('\n');
}

/// Where Spin says an error and accepts nevertheless, and where the collection's table is wrong.
fn surprises(text: &mut String, results: &[Compared]) {
    let mut rows = String::new();
    for result in results.iter().filter(|result| !result.model.fragment) {
        let accepts = result.spin.rejected.is_none();
        if result.spin.grumbles {
            let complaint = cell(&result.spin.complaint);
            let _ = writeln!(rows, "| {} | Spin accepts, and prints: {complaint} |", result.model.name);
        }
        if result.model.listed.is_some_and(|listed| listed != accepts) {
            let verb = if accepts { "accepts" } else { "rejects" };
            let _ = writeln!(rows, "| {} | Spin {verb}; the collection says otherwise |", result.model.name);
        }
    }
    if !rows.is_empty() {
        let _ = writeln!(text, "### Surprises\n\n| model | |\n|---|---|\n{rows}");
    }
}
