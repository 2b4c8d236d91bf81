//! View of an exploration: the JSON of `freeboard explore`.

use std::mem::{Discriminant, discriminant};

use cfsm_core::program::Program;
use explore::{Completion, Lasso, Progress, Run, RunError, Semantics, Violation};
use serde::{Deserialize, Serialize};

use super::{DEADLOCK, INVALID_END, Standing, WitnessStep, names, standing, steps};

/// Description of a cycle without progress.
const NO_PROGRESS: &str = "no process is at a progress label on it";

/// The value of [`Exploration::schema`].
pub const EXPLORE_SCHEMA: &str = "freeboard.explore/1";

/// The states of a program, or as many as were visited.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Exploration {
    /// Version of the format: [`EXPLORE_SCHEMA`].
    pub schema: String,
    /// The file, as the user named it.
    pub file: String,
    /// Number of states, without those inside `atomic`: the number that Spin counts without
    /// reductions.
    pub states: usize,
    /// Number of states inside `atomic`, where one process moves next, that were passed between
    /// these: each counts once for each state after which it is passed.
    pub atomic_states: usize,
    /// Number of steps from all of these; those inside `atomic` count as often as their states.
    pub transitions: usize,
    /// `true` if all states were visited. If not, all numbers are lower bounds.
    pub complete: bool,
    /// The limit that stopped the search, if it is not complete.
    pub limit: Option<String>,
    /// The largest number of messages that each buffer ever holds.
    pub buffers: Vec<BufferMaximum>,
    /// Number of states in which no process can step and all processes that have not terminated
    /// wait in locations that are no valid ends.
    pub deadlocks: usize,
    /// Number of other states in which no process can step and some process waits in a location
    /// that is no valid end, while others rest at an `end` label.
    pub invalid_end_states: usize,
    /// Number of steps in which an assertion fails; those inside `atomic` count as often as their
    /// states.
    pub assertion_failures: usize,
    /// Number of steps with another run-time error, counted in the same way.
    pub run_time_errors: usize,
    /// `true` if an infinite run without progress was found.
    pub non_progress_cycles: bool,
    /// `true` if infinite runs without progress were searched for.
    pub non_progress_checked: bool,
    /// The first violation of each kind, with a run to it.
    pub findings: Vec<Finding>,
}

impl Exploration {
    /// Returns `true` if the search found an error in the program.
    #[must_use]
    pub const fn found(&self) -> bool {
        self.deadlocks + self.invalid_end_states + self.assertion_failures + self.run_time_errors > 0
            || self.non_progress_cycles
    }
}

/// A buffer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct BufferMaximum {
    /// Its name.
    pub name: String,
    /// The capacity that the model declares, in messages.
    pub declared: Option<u32>,
    /// The largest number of messages that it ever holds.
    pub max: u32,
}

/// A violation, and a run to it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Finding {
    /// The kind of the violation.
    pub kind: FindingKind,
    /// A description of the violation.
    pub text: String,
    /// A run to it. No other run passes through fewer of the states that [`Exploration::states`]
    /// counts, and between each two of them it is as short as possible: a shortest run, if nothing
    /// is inside `atomic`.
    pub run: Vec<WitnessStep>,
    /// The steps that are repeated after the run, if the finding is a cycle.
    #[serde(rename = "loop", default, skip_serializing_if = "Vec::is_empty")]
    pub cycle: Vec<WitnessStep>,
    /// The positions of the processes then; empty if an error ends the run.
    pub processes: Vec<Standing>,
}

/// Kinds of findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FindingKind {
    /// See [`Exploration::deadlocks`].
    Deadlock,
    /// See [`Exploration::invalid_end_states`].
    InvalidEndState,
    /// A failed assertion.
    AssertionFailure,
    /// Another run-time error.
    RunTimeError,
    /// An infinite run without progress.
    NonProgressCycle,
}

/// The input of the view of an exploration.
#[derive(Clone, Copy, Debug)]
pub struct ExplorationSubject<'a> {
    /// The file, as the user named it.
    pub file: &'a str,
    /// The program.
    pub program: &'a Program,
    /// Its semantics.
    pub semantics: &'a Semantics,
    /// The result of the exploration. Must be about this program.
    pub found: &'a explore::Exploration,
}

/// The view of an exploration.
#[must_use]
pub fn exploration(subject: &ExplorationSubject<'_>) -> Exploration {
    let ExplorationSubject { file, program, found, .. } = *subject;
    let limit = match found.completion {
        Completion::Complete => None,
        Completion::States => Some("the limit on states was reached"),
        Completion::Bytes => Some("the limit on memory was reached"),
        Completion::Time => Some("the time limit was reached"),
        Completion::Environment => Some("the environment may do more than was tried"),
    };
    let buffers = found.maxima.iter().filter_map(|(origin, max)| {
        let shape = names::shape(program, origin)?;
        let row =
            BufferMaximum { name: names::queue(program, origin), declared: shape.declared(), max: *max };
        (shape.capacity > 0).then_some(row)
    });
    Exploration {
        schema: EXPLORE_SCHEMA.into(),
        file: file.into(),
        states: found.states,
        atomic_states: found.passed,
        transitions: found.transitions,
        complete: found.completion == Completion::Complete,
        limit: limit.map(Into::into),
        buffers: buffers.collect(),
        deadlocks: found.deadlocks,
        invalid_end_states: found.invalid_ends - found.deadlocks,
        assertion_failures: found.assertions,
        run_time_errors: found.errors - found.assertions,
        non_progress_cycles: matches!(found.progress, Progress::Cycle(_)),
        non_progress_checked: found.progress != Progress::Unknown,
        findings: findings(subject).into_iter().chain(cycle(subject)).collect(),
    }
}

/// The first violation of each kind; the search returns them in order of distance.
fn findings(subject: &ExplorationSubject<'_>) -> Vec<Finding> {
    let ExplorationSubject { program, semantics, found, .. } = *subject;
    let mut seen: Vec<(FindingKind, Option<Discriminant<RunError>>)> = Vec::new();
    let mut findings = Vec::new();
    for (violation, run) in &found.violations {
        let (kind, text) = classify(violation);
        let error = match violation {
            Violation::Error(error) => Some(discriminant(error)),
            Violation::InvalidEnd | Violation::Deadlock => None,
        };
        if seen.contains(&(kind, error)) {
            continue;
        }
        seen.push((kind, error));
        // The search found this run: if it could not be replayed, that would be a bug of the
        // search.
        let Ok((start, recorded)) = semantics.replay(run) else { continue };
        let last = recorded.last().map_or(Some(&start), |step| step.after.as_ref());
        findings.push(Finding {
            kind,
            text,
            run: steps(program, semantics, &start, &recorded),
            cycle: Vec::new(),
            processes: last.map(|state| standing(program, state)).unwrap_or_default(),
        });
    }
    findings
}

/// A cycle without progress, if there is one.
fn cycle(subject: &ExplorationSubject<'_>) -> Option<Finding> {
    let ExplorationSubject { program, semantics, found, .. } = *subject;
    let Progress::Cycle(Lasso { prefix, cycle }) = &found.progress else { return None };
    let whole = Run { steps: prefix.steps.iter().chain(&cycle.steps).cloned().collect() };
    let (start, recorded) = semantics.replay(&whole).ok()?;
    let mut run = steps(program, semantics, &start, &recorded);
    let cycle = run.split_off(prefix.steps.len().min(run.len()));
    let kind = FindingKind::NonProgressCycle;
    Some(Finding { kind, text: NO_PROGRESS.into(), run, cycle, processes: Vec::new() })
}

/// The kind of a violation, with its description.
fn classify(violation: &Violation) -> (FindingKind, String) {
    match violation {
        Violation::Deadlock => (FindingKind::Deadlock, DEADLOCK.into()),
        Violation::InvalidEnd => (FindingKind::InvalidEndState, INVALID_END.into()),
        Violation::Error(error @ RunError::Assertion) => (FindingKind::AssertionFailure, error.to_string()),
        Violation::Error(error) => (FindingKind::RunTimeError, error.to_string()),
    }
}
