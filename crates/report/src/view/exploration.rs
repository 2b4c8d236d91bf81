//! What `freeboard explore` has to say.

use std::mem::{Discriminant, discriminant};

use cfsm_core::program::Program;
use explore::{Completion, Lasso, Progress, Run, RunError, Semantics, Violation};
use serde::{Deserialize, Serialize};

use super::{DEADLOCK, INVALID_END, Standing, WitnessStep, names, standing, steps};

/// What a cycle without progress is.
const NO_PROGRESS: &str = "no process is at a progress label on it";

/// The value of [`Exploration::schema`].
pub const EXPLORE_SCHEMA: &str = "freeboard.explore/1";

/// All states of a program, or as many as were looked at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Exploration {
    /// Version of the format: [`EXPLORE_SCHEMA`].
    pub schema: String,
    /// The file, as the user named it.
    pub file: String,
    /// States, those inside `atomic` left out: as Spin counts them without reductions.
    pub states: usize,
    /// How many states inside `atomic`, where one process moves next, were passed between these:
    /// each counts once for each of these behind which it comes.
    pub atomic_states: usize,
    /// Steps from all of these, those inside `atomic` as often as the states there.
    pub transitions: usize,
    /// Whether these are all. If not, there may be more of everything.
    pub complete: bool,
    /// What stopped the search, if it is not complete.
    pub limit: Option<String>,
    /// The most messages that each buffer ever holds.
    pub buffers: Vec<BufferMaximum>,
    /// States in which no process can step and all that have not come to their end wait where they
    /// may not rest.
    pub deadlocks: usize,
    /// Other states in which no process can step and some waits where it may not rest: others of
    /// them rest at an `end` label.
    pub invalid_end_states: usize,
    /// Steps in which an assertion fails, those inside `atomic` as often as the states there.
    pub assertion_failures: usize,
    /// Steps with another run-time error, counted in the same way.
    pub run_time_errors: usize,
    /// Whether there is an infinite run without progress; false if nobody looked.
    pub non_progress_cycles: bool,
    /// Whether somebody looked.
    pub non_progress_checked: bool,
    /// The first violation of each kind, with a run to it.
    pub findings: Vec<Finding>,
}

impl Exploration {
    /// Whether anything is wrong with the program, as far as it was looked at.
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
    /// The most messages that it ever holds.
    pub max: u32,
}

/// Something wrong, and a run to it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Finding {
    /// What kind.
    pub kind: FindingKind,
    /// What exactly.
    pub text: String,
    /// A run to it. None comes through fewer of the states that [`Exploration::states`] counts, and
    /// it is as short as possible between each two of them: a shortest one, if nothing is inside
    /// `atomic`.
    pub run: Vec<WitnessStep>,
    /// What is repeated behind that, of a cycle.
    #[serde(rename = "loop", default, skip_serializing_if = "Vec::is_empty")]
    pub cycle: Vec<WitnessStep>,
    /// Where the processes are then; empty if an error ends the run.
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

/// What the view of an exploration is made from.
#[derive(Clone, Copy, Debug)]
pub struct ExplorationSubject<'a> {
    /// The file, as the user named it.
    pub file: &'a str,
    /// The program.
    pub program: &'a Program,
    /// Its semantics.
    pub semantics: &'a Semantics,
    /// What was found. Must be about this program.
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

/// The first violation of each kind; the search has them in the order of their distance.
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
        // It was found on the way there: a run that cannot be repeated would be a bug of the
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

/// The kind of a violation, and what it is.
fn classify(violation: &Violation) -> (FindingKind, String) {
    match violation {
        Violation::Deadlock => (FindingKind::Deadlock, DEADLOCK.into()),
        Violation::InvalidEnd => (FindingKind::InvalidEndState, INVALID_END.into()),
        Violation::Error(error @ RunError::Assertion) => (FindingKind::AssertionFailure, error.to_string()),
        Violation::Error(error) => (FindingKind::RunTimeError, error.to_string()),
    }
}
