//! The portfolio: which engine runs when, and how far.
//!
//! An [`Engine`] does a bounded amount of work on an [`AnalysisState`]. A [`Schedule`] says in
//! which order the engines have their turns, under which condition, and with which [`Effort`]; the
//! schedules of both properties, with all their numbers, are data in [`schedule`]. [`run`] is the
//! only loop. It is generic over the [`Property`], so boundedness and livelocks take the same way.
//!
//! No clock decides anything but the deadline of the caller. Engines that look at runs of the
//! program may work beside engines that ask about abstractions of it, on another thread; they
//! change different halves of the state, and the first half decides alone whether the second one
//! counts. So the answer is the same on one core and on two.
//!
//! An engine of one's own is one more `impl` of [`Engine`], put into a [`Schedule`] with
//! [`Schedule::with`].

mod engines;
pub mod schedule;
mod state;

use std::panic::resume_unwind;
use std::thread;
use std::time::Duration;

use cfsm_core::clock::Instant;

use cfsm_core::deadline::Stop;

pub use self::engines::{
    CheckEveryRun, ExploreAllStates, ListConfigurations, QuickRefinement, SearchRuns, TrackTags, TrackValues,
};
pub use self::schedule::{Effort, Schedule, Slot, Turn, When};
pub use self::state::{AnalysisState, Conclusion, Limits, Observer};
use crate::Property;

/// A procedure that can decide a property of a program, or bring a decision closer.
pub trait Engine<P: Property>: Send + Sync {
    /// The name, as it stands in results.
    fn name(&self) -> &'static str;

    /// The half of the state that the engine changes.
    fn side(&self) -> Side;

    /// Returns `true` if the engine can do something about this state.
    fn applies(&self, state: &AnalysisState<'_, P>) -> bool;

    /// Works until something is found, `effort` is spent, or the deadline is over.
    fn run(&self, state: &mut AnalysisState<'_, P>, effort: &Effort) -> Step;
}

/// The half of an [`AnalysisState`] that an engine changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Abstractions of the program and the answers about them.
    Abstractions,
    /// Facts that runs of the program have shown.
    Runs,
}

/// The result of one call of an engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// Everything that was asked is proved.
    Proved,
    /// Runs refute everything that is not proved.
    Refuted,
    /// Less is open than before, or more is known.
    Progress,
    /// Nothing was found: why not, as a sentence without a full stop.
    Exhausted(String),
}

/// One call of an engine, for statistics.
#[derive(Clone, Debug)]
pub struct EngineRun {
    /// The name of the engine.
    pub engine: &'static str,
    /// The half of the state that it changed.
    pub side: Side,
    /// States of the program that were looked at, or questions that were asked about abstractions.
    pub work: usize,
    /// What came of it.
    pub step: Step,
    /// Wall-clock time of the call. It decides nothing.
    pub elapsed: Duration,
}

/// Bytes of the stack of another thread: nested expressions are worked on by recursion.
const STACK_BYTES: usize = 8 << 20;

/// Gives the engines of a schedule their turns. Returns at the end of the schedule or when the
/// deadline is over; the state tells what is known then.
pub fn run<P: Property>(state: &mut AnalysisState<'_, P>, schedule: &Schedule<P>) {
    for turn in &schedule.turns {
        match turn {
            Turn::One(slot) => run_slot(state, slot),
            Turn::Concurrent { on_runs, on_abstractions } => {
                run_concurrently(state, on_runs, on_abstractions)
            }
        }
    }
    state.conclude();
}

fn run_slot<P: Property>(state: &mut AnalysisState<'_, P>, slot: &Slot<P>) {
    let is_due = !state.is_over() && state.meets(slot.when) && slot.engine.applies(state);
    if !is_due {
        return;
    }
    let begin = Instant::now();
    let before = state.work();
    state.tell(slot.engine.side());
    let step = slot.engine.run(state, &slot.effort);
    state.hold_against_runs();
    let work = state.work() - before;
    let (engine, side) = (slot.engine.name(), slot.engine.side());
    state.log(EngineRun { engine, side, work, step, elapsed: begin.elapsed() });
}

/// Gives two groups of engines their turns, the second one on another thread if there is a core
/// for it. Both begin with the same state. What the second group has found counts unless the first
/// one settles everything; then it is stopped. Nothing is done if the second one has nothing to do:
/// the first group is there to make use of that time.
fn run_concurrently<'a, P: Property>(
    state: &mut AnalysisState<'a, P>,
    on_runs: &[Slot<P>],
    on_abstractions: &[Slot<P>],
) {
    let is_due = |slot: &Slot<P>| state.meets(slot.when) && slot.engine.applies(state);
    if !on_abstractions.iter().any(is_due) {
        return;
    }
    let stop = Stop::new();
    let mut other = state.branch();
    other.set_deadline(state.deadline().or_stopped(&stop));
    let work = |mut other: AnalysisState<'a, P>| {
        on_abstractions.iter().for_each(|slot| run_slot(&mut other, slot));
        other
    };
    if thread::available_parallelism().map_or(1, usize::from) == 1 {
        on_runs.iter().for_each(|slot| run_slot(state, slot));
        if !state.is_final() {
            state.take_abstractions_of(work(other));
        }
        return;
    }
    thread::scope(|scope| {
        let helper = thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, || work(other));
        on_runs.iter().for_each(|slot| run_slot(state, slot));
        if state.is_final() {
            stop.stop();
            return;
        }
        let found = match helper {
            Ok(helper) => helper.join().unwrap_or_else(|panic| resume_unwind(panic)),
            // There can be no other thread.
            Err(_) => work(state.branch()),
        };
        state.take_abstractions_of(found);
    });
}
