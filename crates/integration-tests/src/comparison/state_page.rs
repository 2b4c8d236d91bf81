//! Numbers of states beside Spin's, as a page of the documentation, in Markdown.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::exploration::{Cycles, Extent, Outcome, difference};
use super::features::Features;
use super::page::cell;

/// A model, what came of it, and what it uses.
#[derive(Debug)]
pub struct Row {
    /// Its name.
    pub name: String,
    /// What came of it.
    pub outcome: Outcome,
    /// What it uses.
    pub features: Features,
}

impl Row {
    /// Whether everything that was compared is equal.
    #[must_use]
    pub fn is_equal(&self) -> bool {
        matches!(&self.outcome, Outcome::Both(ours, spin, cycles) if difference(ours, spin, cycles).is_none())
    }

    fn has_verdict_on_cycles(&self) -> bool {
        matches!(&self.outcome, Outcome::Both(_, _, Cycles::Both(..)))
    }
}

/// The page: sets of models, each with a title.
#[must_use]
pub fn page(sections: &[(&str, Vec<Row>)], extent: Extent) -> String {
    let mut text = String::from(HEAD);
    totals(&mut text, sections);
    features(&mut text, sections);
    for (title, rows) in sections {
        let _ = writeln!(text, "## {title}\n");
        compared(&mut text, rows);
        others(&mut text, rows, extent.states);
    }
    text.truncate(text.trim_end().len());
    text.push('\n');
    text
}

const HEAD: &str = "\
# States beside Spin's

Made by `cargo run --release -p integration-tests --example states > docs/generated/states.md`; what a state is, and how Spin is run, is on
[the page on semantics](../reference/semantics.md). `cycle` says whether there is a cycle without progress, where both were asked.

";

fn totals(text: &mut String, sections: &[(&str, Vec<Row>)]) {
    text.push_str("| models | equal | different | cycles compared | too large | not compared |\n");
    text.push_str("|---|---|---|---|---|---|\n");
    for (title, rows) in sections {
        let count = |ask: &dyn Fn(&Row) -> bool| rows.iter().filter(|row| ask(row)).count();
        let both = count(&|row| matches!(row.outcome, Outcome::Both(..)));
        let (equal, cycles) = (count(&Row::is_equal), count(&Row::has_verdict_on_cycles));
        let large = count(&|row| matches!(row.outcome, Outcome::TooLarge));
        let others = rows.len() - both - large;
        let _ = writeln!(text, "| {title} | {equal} | {} | {cycles} | {large} | {others} |", both - equal);
    }
    text.push('\n');
}

/// How many models with equal counts use each construct.
fn features(text: &mut String, sections: &[(&str, Vec<Row>)]) {
    let mut models: BTreeMap<&str, usize> = BTreeMap::new();
    let equal = sections.iter().flat_map(|(_, rows)| rows).filter(|row| row.is_equal());
    for feature in equal.flat_map(|row| &row.features) {
        *models.entry(feature).or_default() += 1;
    }
    let mut order: Vec<(usize, &str)> = models.iter().map(|(feature, models)| (*models, *feature)).collect();
    order.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(b.1)));
    let list: Vec<String> =
        order.iter().map(|(models, feature)| format!("{} {models}", code(feature))).collect();
    let _ = writeln!(
        text,
        "{} constructs occur in models that are equal, each in so many of them: {}.\n",
        list.len(),
        list.join(", ")
    );
}

fn code(feature: &str) -> String {
    if feature.contains('`') { feature.to_owned() } else { format!("`{feature}`") }
}

fn compared(text: &mut String, rows: &[Row]) {
    text.push_str("| model | states | Spin | cycle | uses |\n|---|---|---|---|---|\n");
    for row in rows {
        let Outcome::Both(ours, spin, cycles) = &row.outcome else { continue };
        let cycle = match cycles {
            Cycles::Both(true, true) => "yes",
            Cycles::Both(false, false) => "no",
            Cycles::Both(true, false) => "**only we**",
            Cycles::Both(false, true) => "**only Spin**",
            Cycles::NotAsked => "",
            Cycles::Unknown(_) => "?",
        };
        let spin = match (ours.states as u64 == spin.states, row.is_equal()) {
            (true, true) => spin.states.to_string(),
            _ => format!("**{}**", spin.states),
        };
        let features: Vec<String> = row.features.iter().map(|feature| cell(feature)).collect();
        let features = features.join(", ");
        let _ = writeln!(text, "| {} | {} | {spin} | {cycle} | {features} |", row.name, ours.states);
    }
    text.push('\n');
}

/// What was not compared, by reason.
fn others(text: &mut String, rows: &[Row], most: usize) {
    let mut reasons: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for row in rows {
        let reason = match &row.outcome {
            Outcome::Both(..) => continue,
            Outcome::TooLarge => format!("more than {most} states"),
            Outcome::Passed(reason) => (*reason).to_owned(),
            Outcome::Refused(reason) => format!("refused: {}", cell(reason)),
            Outcome::Uncounted(reason) => format!("Spin's verifier: {}", cell(reason)),
        };
        reasons.entry(reason).or_default().push(&row.name);
    }
    for (reason, names) in reasons {
        let _ = writeln!(text, "Not compared, {reason} ({}): {}.\n", names.len(), names.join(", "));
    }
}
