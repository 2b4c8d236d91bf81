//! From a recorded run, as a user or `check --witness` wrote it, back to an execution.

use std::collections::BTreeSet;

use cfsm_core::program::{EdgeId, ProcessTypeId, Program, Reading};
use explore::{Buffers, Refusal, Run, Semantics, State, Supply, Witness};
use report::view::{self, BufferGrowth, Capacity, LimitedChannel, Property, Trace, WitnessFile, WitnessStep};
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
    /// A channel that should be limited is not there, or not with that capacity.
    #[error("the run needs the channel `{name}` limited to {capacity}, but the model declares {}", declares(*declared))]
    Channel {
        /// Its name.
        name: String,
        /// Its capacity in the record.
        capacity: u32,
        /// The capacity in the model, if there is such a channel.
        declared: Option<u32>,
    },
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
    /// The loop can be repeated for ever, but does not show what it is said to.
    #[error("the loop can be repeated for ever, but {0}")]
    Shows(String),
}

fn declares(declared: Option<u32>) -> String {
    declared.map_or_else(|| "no such channel".into(), |capacity| format!("capacity {capacity}"))
}

/// How many messages channels hold in a record.
fn reading(program: &Program, record: &WitnessFile) -> Result<Buffers, ReplayFailure> {
    if record.witness.limited.is_empty() {
        return Ok(match record.witness.capacity {
            Capacity::Unbounded => Buffers::Unbounded,
            Capacity::Declared => Buffers::Declared,
        });
    }
    let known = view::declared_channels(program);
    let mut limited = BTreeSet::new();
    for LimitedChannel { name, capacity } in &record.witness.limited {
        let channel = known.get(name).copied();
        let declared = channel.and_then(|channel| program.declared_capacity(channel));
        match channel.filter(|_| declared == Some(*capacity)) {
            Some(channel) => _ = limited.insert(channel),
            None => {
                let (name, capacity) = (name.clone(), *capacity);
                return Err(ReplayFailure::Channel { name, capacity, declared });
            }
        }
    }
    Ok(Buffers::Reading(Reading::limited(&limited)))
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
    /// It goes on for ever: the witness in the user's words, and how many rounds of its loop were
    /// executed.
    Lasso(Box<view::Witness>, usize),
}

/// Executes a record, each step checked against those that are possible: process, number, line and
/// text must agree, and whatever else is recorded. Buffers are unbounded, unless the record says
/// otherwise. If there is a loop, it must be repeatable for ever, or any number of times if it has
/// a [supply](view::Witness::supply); and it must refute the property that the record names, and
/// make the buffers grow that it names.
///
/// # Errors
/// The first step that is not possible, why the loop cannot be repeated, or what it does not show.
pub fn replay(program: &Program, record: &WitnessFile) -> Result<Replayed, ReplayFailure> {
    let semantics = semantics(program, reading(program, record)?)?;
    let ways = ways(program, &semantics, record)?;
    let prefix = record.witness.prefix.len();
    let mut refusal = Refusal::Empty;
    for Way { mut run, .. } in ways {
        if record.witness.pump.is_empty() {
            return Ok(Replayed::Run(run));
        }
        let pump = Run { steps: run.steps.split_off(prefix) };
        let found = match record.witness.supply {
            None => semantics.confirm(&run, &pump),
            Some(view::Supply { first, steps, times }) => {
                semantics.confirm_supplied(&run, &Supply { first, steps, times }, &pump)
            }
        };
        match found {
            Ok(found) => {
                let told = view::witness(program, &semantics, &found);
                shows(program, record, &found, &told).map_err(ReplayFailure::Shows)?;
                return Ok(Replayed::Lasso(Box::new(told), found.rounds()));
            }
            Err(reason) => refusal = reason,
        }
    }
    Err(refusal.into())
}

/// All ways of executing the steps of a record.
fn ways(program: &Program, semantics: &Semantics, record: &WitnessFile) -> Result<Vec<Way>, ReplayFailure> {
    let start = semantics.initial().map_err(Failure::Start)?;
    let mut ways = vec![Way { state: start, run: Run::default() }];
    for (at, wanted) in record.witness.prefix.iter().chain(&record.witness.pump).enumerate() {
        let next = Way::all(program, semantics, &ways, wanted);
        if next.is_empty() {
            let possible =
                ways.iter().flat_map(|way| way.possible(program, semantics)).map(|told| title(&told));
            let possible = possible.collect();
            return Err(ReplayFailure::Step { step: at + 1, wanted: title(wanted), possible });
        }
        ways = next;
    }
    Ok(ways)
}

/// The prefix and the first round of a record as a run, each step checked as in [`replay`]. If
/// several ways of executing it fit, the first one.
///
/// # Errors
/// The first step that is not possible.
#[cfg(all(feature = "promela", feature = "documents"))]
pub(crate) fn run_of(program: &Program, record: &WitnessFile) -> Result<Run, ReplayFailure> {
    let semantics = semantics(program, reading(program, record)?)?;
    Ok(ways(program, &semantics, record)?.into_iter().next().map(|way| way.run).unwrap_or_default())
}

/// The states of the prefix and the first round of a record, each step checked as in [`replay`]. If
/// several ways of executing it fit, the first one.
///
/// # Errors
/// The first step that is not possible.
pub fn trace(program: &Program, record: &WitnessFile) -> Result<Trace, ReplayFailure> {
    let semantics = semantics(program, reading(program, record)?)?;
    let run = ways(program, &semantics, record)?.into_iter().next().map(|way| way.run).unwrap_or_default();
    let loop_start = (!record.witness.pump.is_empty()).then_some(record.witness.prefix.len());
    // Cannot fail: the steps were possible just now.
    let (start, steps) = semantics.replay(&run).map_err(|_| ReplayFailure::Loop(Refusal::Empty))?;
    Ok(view::trace_states(program, &semantics, &start, &steps, loop_start))
}

/// Whether a witness shows what the record says that it does: growth, and of which buffers, or that
/// nothing makes progress.
fn shows(
    program: &Program,
    record: &WitnessFile,
    found: &Witness,
    told: &view::Witness,
) -> Result<(), String> {
    let sorted = |grows: &[BufferGrowth]| {
        let mut all: Vec<_> = grows.iter().map(|growth| (growth.name.clone(), growth.count)).collect();
        all.sort_unstable();
        all
    };
    if !record.witness.grows.is_empty() && sorted(&record.witness.grows) != sorted(&told.grows) {
        let list = |grows| match &sorted(grows)[..] {
            [] => "nothing".to_owned(),
            all => {
                all.iter().map(|(name, count)| format!("{name} by {count}")).collect::<Vec<_>>().join(", ")
            }
        };
        return Err(format!("it makes grow {}, not {}", list(&told.grows), list(&record.witness.grows)));
    }
    match record.property {
        Some(Property::Boundedness) if told.grows.is_empty() => {
            Err("it makes no buffer grow, so it says nothing about boundedness".into())
        }
        Some(Property::Livelock) if found.supply().is_some() => {
            Err("only as often as there is enough to take, so it is no livelock".into())
        }
        Some(Property::Livelock) if !found.avoids(&statements_that_make_progress(program)) => {
            Err("it makes progress, so it is no livelock".into())
        }
        _ => Ok(()),
    }
}

fn statements_that_make_progress(program: &Program) -> BTreeSet<(ProcessTypeId, EdgeId)> {
    let progress = program.progress();
    let all =
        progress.iter().flat_map(|(ty, edges)| edges.iter().map(move |(edge, makes)| (ty, edge, *makes)));
    all.filter(|(_, _, makes)| *makes).map(|(ty, edge, _)| (ty, edge)).collect()
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
