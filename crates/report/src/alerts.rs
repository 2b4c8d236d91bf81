//! Alerts: the parts of a result that its reader should act on, each with a rule and a place.

use cfsm_core::finding::FindingKind;

use crate::text;
use crate::view::{
    Buffer, BufferVerdict, Check, DiagnosticRow, DiagnosticSeverity, FileReport, Property, PropertyResult,
    Step, Verdict, Witness, WitnessStep,
};

/// The severity of an alert.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Level {
    /// Something is wrong, and shown.
    Error,
    /// Something may be wrong.
    Warning,
    /// Something is worth knowing.
    Note,
}

/// A line of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    pub file: String,
    /// Counted from 1; 0 if only the file is known.
    pub line: u32,
}

/// A statement of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Stop {
    pub place: Place,
    pub text: String,
}

/// An alert.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Alert {
    /// The identifier of its rule, or the code of a diagnostic.
    pub rule: String,
    pub level: Level,
    /// The buffer, channel, statement or process that it is about.
    pub name: String,
    pub text: String,
    pub place: Place,
    /// A run that shows it; empty if there is none.
    pub run: Vec<Stop>,
}

/// The rules, with one sentence about each.
pub(crate) const RULES: [Rule; 12] = [
    Rule { id: "unbounded-buffer", text: "A buffer grows without bound in a run that was replayed." },
    Rule { id: "undecided-buffer", text: "No bound of a buffer is proved, and no run makes it grow." },
    Rule { id: "blocking-send", text: "With the declared capacities, a send finds its channel full." },
    Rule { id: "livelock", text: "A run without progress was replayed." },
    Rule { id: "undecided", text: "A property is neither proved nor refuted." },
    Rule { id: "not-checked", text: "The file could not be checked." },
    Rule { id: "deadlock", text: "No process can step, and all that are left wait." },
    Rule { id: "invalid-end-state", text: "No process can step, and some wait where they may not rest." },
    Rule { id: "assertion", text: "An assertion fails in some run." },
    Rule { id: "one-ended-channel", text: "A channel is only sent to, only received from, or neither." },
    Rule { id: "never-started", text: "A process type has no process." },
    Rule { id: "never-executed", text: "No run executes a statement." },
];

/// A rule.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rule {
    pub id: &'static str,
    pub text: &'static str,
}

/// All alerts of a file: diagnostics, verdicts, findings.
pub(crate) fn of_file(report: &FileReport) -> Vec<Alert> {
    let mut alerts: Vec<Alert> = report.diagnostics.iter().map(of_diagnostic).collect();
    if let Some(error) = &report.error {
        let place = Place { file: report.file.clone(), line: 0 };
        alerts.push(Alert::new("not-checked", Level::Error, &report.file, error.clone(), place));
    }
    let Some(check) = &report.check else { return alerts };
    for result in &check.property_results {
        match result.property {
            Property::Boundedness => of_buffers(&mut alerts, check, result),
            Property::Livelock => of_livelock(&mut alerts, check, result),
        }
    }
    alerts.extend(check.findings.iter().map(|finding| {
        let file = if finding.file.is_empty() { &check.file } else { &finding.file };
        let place = Place { file: file.clone(), line: finding.line.unwrap_or_default() };
        let rule = rule_of(finding.kind);
        let level = if finding.kind.is_vacuity() { Level::Note } else { Level::Warning };
        let mut alert = Alert::new(rule, level, &finding.name, finding.text.clone(), place);
        alert.run = stops(&finding.run, "");
        alert
    }));
    alerts
}

const fn rule_of(kind: FindingKind) -> &'static str {
    match kind {
        FindingKind::Deadlock => "deadlock",
        FindingKind::InvalidEndState => "invalid-end-state",
        FindingKind::Assertion => "assertion",
        FindingKind::OneEndedChannel => "one-ended-channel",
        FindingKind::NeverStarted => "never-started",
        // Kinds that do not exist yet are remarks, too.
        _ => "never-executed",
    }
}

fn of_diagnostic(row: &DiagnosticRow) -> Alert {
    let level = match row.severity {
        DiagnosticSeverity::Error => Level::Error,
        DiagnosticSeverity::Warning => Level::Warning,
    };
    let hint = row.hint.as_ref().map(|hint| format!(" ({hint})")).unwrap_or_default();
    let place = Place { file: row.file.clone(), line: row.line };
    Alert::new(&row.code, level, &row.code, format!("{}{hint}", row.message), place)
}

fn of_buffers(alerts: &mut Vec<Alert>, check: &Check, result: &PropertyResult) {
    for buffer in &result.buffers {
        match buffer.verdict {
            BufferVerdict::Bounded => {}
            BufferVerdict::Unbounded => alerts.push(unbounded(check, result, buffer)),
            BufferVerdict::Unknown => alerts.push(undecided(check, result, buffer)),
        }
        let waiting = buffer.as_declared.as_ref().filter(|found| found.blocks == Some(true));
        if let Some((found, send)) = waiting.and_then(|found| Some((found, found.send.as_ref()?))) {
            let fate = if found.loses { "a message can be lost" } else { "a send can block" };
            let text = format!("`{}`: with the declared capacities {fate}: `{}`", buffer.name, send.text);
            let place = Place { file: send.file.clone(), line: send.line };
            let mut alert = Alert::new("blocking-send", Level::Note, &buffer.name, text, place);
            alert.run = stops(&send.run, "");
            alerts.push(alert);
        }
    }
    if result.verdict == Verdict::Unknown
        && result.buffers.iter().all(|b| b.verdict == BufferVerdict::Bounded)
    {
        alerts.push(open(check, result, "boundedness"));
    }
}

fn unbounded(check: &Check, result: &PropertyResult, buffer: &Buffer) -> Alert {
    let witness = buffer.witness.and_then(|position| result.witnesses.get(position));
    let sends = |step: &&WitnessStep| step.buffers.iter().any(|changed| changed.name == buffer.name);
    let steps = witness.into_iter().flat_map(|witness| &witness.pump).flat_map(WitnessStep::statements);
    let send = steps.into_iter().filter(|step| step.sent.is_some()).find(sends);
    let place = send.map_or_else(|| whole(check), |step| place(&step.file, step.line));
    let run = witness.map(|witness| format!(": {}", text::in_short(witness))).unwrap_or_default();
    let text = format!("`{}` grows without bound{run}", buffer.name);
    let mut alert = Alert::new("unbounded-buffer", Level::Error, &buffer.name, text, place);
    alert.run = witness.map(lasso).unwrap_or_default();
    alert
}

fn undecided(check: &Check, result: &PropertyResult, buffer: &Buffer) -> Alert {
    let example = buffer.counterexample.and_then(|position| result.counterexamples.get(position));
    let adds = |step: &&Step| {
        let of_buffer = |change: &String| {
            let name =
                change.trim_start_matches('+').trim_start_matches(|c: char| c.is_ascii_digit() || c == ' ');
            change.starts_with('+')
                && name.strip_prefix(&buffer.name).is_some_and(|rest| rest.starts_with('('))
        };
        step.line > 0 && step.effect.iter().any(of_buffer)
    };
    let send = example.and_then(|example| example.cycles.iter().flat_map(|cycle| &cycle.steps).find(adds));
    let place = send.map_or_else(|| whole(check), |step| place(&step.file, step.line));
    let text = format!("`{}`: no bound is proved, and no run makes it grow{}", buffer.name, because(result));
    Alert::new("undecided-buffer", Level::Warning, &buffer.name, text, place)
}

fn of_livelock(alerts: &mut Vec<Alert>, check: &Check, result: &PropertyResult) {
    match (result.verdict, &result.witness) {
        (Verdict::Proved, _) => {}
        (Verdict::Refuted, Some(witness)) => {
            let first = witness.pump.first().or(witness.prefix.last());
            let place = first.map_or_else(|| whole(check), |step| place(&step.file, step.line));
            let text = format!("a run without progress: {}", text::in_short(witness));
            let mut alert = Alert::new("livelock", Level::Error, "livelock", text, place);
            alert.run = lasso(witness);
            alerts.push(alert);
        }
        (Verdict::Refuted, None) => {
            let text = "there is a run without progress".to_owned();
            alerts.push(Alert::new("livelock", Level::Error, "livelock", text, whole(check)));
        }
        (Verdict::Unknown, _) => alerts.push(open(check, result, "livelock freedom")),
    }
}

fn open(check: &Check, result: &PropertyResult, property: &str) -> Alert {
    let text = format!("{property} is neither proved nor refuted{}", because(result));
    Alert::new("undecided", Level::Warning, property, text, whole(check))
}

/// `: REASON`, if a reason is known.
pub(crate) fn because(result: &PropertyResult) -> String {
    result.reason.as_ref().map(|reason| format!(": {reason}")).unwrap_or_default()
}

impl Alert {
    fn new(rule: &str, level: Level, name: &str, text: String, place: Place) -> Self {
        Self { rule: rule.into(), level, name: name.into(), text, place, run: Vec::new() }
    }
}

fn whole(check: &Check) -> Place {
    Place { file: check.file.clone(), line: 0 }
}

fn place(file: &str, line: u32) -> Place {
    Place { file: file.into(), line }
}

/// The prefix and the loop of a witness, statement by statement.
fn lasso(witness: &Witness) -> Vec<Stop> {
    let again = if witness.supply.is_some() { "as often as there is enough to take: " } else { "for ever: " };
    let mut run = stops(&witness.prefix, "");
    run.extend(stops(&witness.pump, again));
    run
}

fn stops(steps: &[WitnessStep], before: &str) -> Vec<Stop> {
    let statements = steps.iter().flat_map(WitnessStep::statements);
    let stop = |step: &WitnessStep| {
        let lengths = step.buffers.iter().map(|buffer| format!("{} {}", buffer.name, buffer.length));
        let lengths = lengths.collect::<Vec<_>>().join(", ");
        let holds = if lengths.is_empty() { lengths } else { format!(" (then {lengths})") };
        Stop {
            place: place(&step.file, step.line),
            text: format!("{before}{}[{}] {}{holds}", step.process, step.pid, step.text),
        }
    };
    statements.map(stop).collect()
}
