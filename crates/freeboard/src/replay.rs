//! From a recorded run, as a user or `check --witness` wrote it, back to an execution.

use cfsm_core::program::Program;
use explore::{Buffers, Refusal, Run, Semantics, State};
use report::view::{self, Capacity, WitnessFile, WitnessStep};
use thiserror::Error;

use crate::Failure;
use crate::execution::semantics;

/// Ways of executing a record that are followed side by side, where it fits several statements.
const WAYS: usize = 64;

/// Why a record is no run, or no witness.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ReplayFailure {
    /// The program cannot be run.
    #[error(transparent)]
    Program(#[from] Failure),
    /// A step is not possible where it stands.
    #[error("step {step} is not possible: {wanted}. {}", alternatives(possible))]
    Step {
        /// Its number, counted from 1 through prefix and loop.
        step: usize,
        /// What was recorded.
        wanted: String,
        /// What is possible there.
        possible: Vec<String>,
    },
    /// All steps are possible, but the loop cannot be repeated for ever.
    #[error("all steps are possible, but the loop cannot be repeated for ever: {0}")]
    Loop(#[from] Refusal),
}

fn alternatives(possible: &[String]) -> String {
    match possible {
        [] => "No step is possible there".into(),
        possible => format!("Possible are: {}", possible.join("; ")),
    }
}

/// A record that has been executed.
#[derive(Clone, Debug)]
pub enum Replayed {
    /// It has no loop: a run with an end.
    Run(Run),
    /// It goes on for ever: the witness in the user's words, and how many rounds of its loop were executed.
    Lasso(Box<view::Witness>, usize),
}

/// Executes a record, each step checked against those that are possible: process, number, line and text must
/// agree, and whatever else is recorded. Buffers are unbounded, unless the record says otherwise. If there is a loop, it must be repeatable for ever.
///
/// # Errors
/// The first step that is not possible, or why the loop cannot be repeated.
pub fn replay(program: &Program, record: &WitnessFile) -> Result<Replayed, ReplayFailure> {
    let buffers = match record.capacity {
        Capacity::Unbounded => Buffers::Unbounded,
        Capacity::Declared => Buffers::Declared,
    };
    let semantics = semantics(program, buffers)?;
    let start = semantics.initial().map_err(Failure::Start)?;
    let mut ways = vec![Way { state: start, run: Run::default() }];
    for (at, wanted) in record.prefix.iter().chain(&record.pump).enumerate() {
        let next = Way::all(program, &semantics, &ways, wanted);
        if next.is_empty() {
            let possible =
                ways.iter().flat_map(|way| way.possible(program, &semantics)).map(|told| title(&told));
            let possible = possible.collect();
            return Err(ReplayFailure::Step { step: at + 1, wanted: title(wanted), possible });
        }
        ways = next;
    }
    let prefix = record.prefix.len();
    let mut refusal = Refusal::Empty;
    for Way { mut run, .. } in ways {
        if record.pump.is_empty() {
            return Ok(Replayed::Run(run));
        }
        let pump = Run { steps: run.steps.split_off(prefix) };
        match semantics.confirm(&run, &pump) {
            Ok(found) => {
                let told = view::witness(program, &semantics, &found);
                return Ok(Replayed::Lasso(Box::new(told), found.rounds()));
            }
            Err(reason) => refusal = reason,
        }
    }
    Err(refusal.into())
}

/// One way of executing what was read so far.
struct Way {
    state: State,
    run: Run,
}

impl Way {
    /// All ways of executing one more step.
    fn all(program: &Program, semantics: &Semantics, ways: &[Self], wanted: &WitnessStep) -> Vec<Self> {
        let mut next: Vec<Self> = Vec::new();
        for way in ways {
            for step in semantics.successors(&way.state) {
                let told = view::steps(program, semantics, &way.state, std::slice::from_ref(&step));
                let fits = told.first().is_some_and(|told| fits(told, wanted));
                let Some(after) = step.after.filter(|_| fits && next.len() < WAYS) else { continue };
                let mut run = way.run.clone();
                run.steps.push(step.moves);
                next.push(Self { state: after, run });
            }
        }
        next
    }

    fn possible(&self, program: &Program, semantics: &Semantics) -> Vec<WitnessStep> {
        let steps = semantics.successors(&self.state).into_iter();
        steps.flat_map(|step| view::steps(program, semantics, &self.state, &[step])).collect()
    }
}

/// Whether a step is the one that was recorded. What a record leaves out may be anything.
fn fits(told: &WitnessStep, wanted: &WitnessStep) -> bool {
    fn left_out_or_same<T: PartialEq>(wanted: &Option<T>, told: &Option<T>) -> bool {
        wanted.is_none() || wanted == told
    }
    (&told.process, told.pid, told.line, &told.text)
        == (&wanted.process, wanted.pid, wanted.line, &wanted.text)
        && left_out_or_same(&wanted.sent, &told.sent)
        && left_out_or_same(&wanted.received, &told.received)
        && left_out_or_same(&wanted.created, &told.created)
        && (wanted.buffers.is_empty() || wanted.buffers == told.buffers)
        && (wanted.then.is_empty()
            || wanted.then.len() == told.then.len()
                && told.then.iter().zip(&wanted.then).all(|(told, wanted)| fits(told, wanted)))
}

/// `P[0] at line 3: c!1`
fn title(step: &WitnessStep) -> String {
    format!("{}[{}] at line {}: `{}`", step.process, step.pid, step.line, step.text)
}
