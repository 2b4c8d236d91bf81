//! What runs of a program in a reading come to: the one place that knows how the explorer is told
//! of capacities.

use std::collections::BTreeMap;

use cfsm_core::program::Program;
use explore::{
    Buffers, Claims, Completion, Exploration, Limits, Move, QueueOrigin, Run, Semantics, State, Witness,
};
use integration_tests::readings::{Reading, in_reading};

/// Rounds of a pump that are executed beyond those that were replayed.
const MORE_ROUNDS: usize = 3;

/// What has been seen of a program in a reading.
pub struct Seen {
    /// The most messages that each queue held.
    pub maxima: BTreeMap<QueueOrigin, u32>,
    /// All states were looked at, and none of them could go on in a way that is not known here.
    pub is_all: bool,
    /// Some run comes to an error.
    pub goes_wrong: bool,
}

/// The runs of a program in a reading, whose declared capacities are those that it is to have.
fn semantics(program: &Program, reading: &Reading) -> Option<Semantics> {
    let program = in_reading(program, reading)?;
    let options = explore::Options {
        buffers: Buffers::Declared,
        claims: Claims::Ignored,
        ..explore::Options::default()
    };
    Semantics::new(&program, &options).ok()
}

/// As many states of a program in a reading as are allowed.
pub fn explored(program: &Program, reading: &Reading, states: usize) -> Option<Seen> {
    seen(&semantics(program, reading)?, states)
}

/// The same of a program as it stands.
pub fn explored_as_declared(program: &Program, states: usize) -> Option<Seen> {
    let options = explore::Options {
        buffers: Buffers::Declared,
        claims: Claims::Ignored,
        ..explore::Options::default()
    };
    seen(&Semantics::new(program, &options).ok()?, states)
}

fn seen(semantics: &Semantics, states: usize) -> Option<Seen> {
    let limits = Limits { states: Some(states), passed: Some(states), violations: 20, ..Limits::default() };
    let found = semantics.explore(&limits).ok()?;
    let Exploration { completion, ref violations, .. } = found;
    let is_open = violations.iter().any(|(violation, _)| violation.is_limit() || violation.is_open());
    let goes_wrong = found.errors > 0;
    Some(Seen { is_all: completion == Completion::Complete && !is_open, goes_wrong, maxima: found.maxima })
}

/// Executes a witness in the reading that it is a run of, more often than it was replayed.
///
/// # Errors
/// Where a step is not possible, or a round does not add what it should.
pub fn replayed(program: &Program, witness: &Witness) -> Result<(), String> {
    let options = explore::Options {
        buffers: witness.buffers().clone(),
        claims: Claims::Ignored,
        ..explore::Options::default()
    };
    let semantics = &Semantics::new(program, &options).map_err(|error| error.to_string())?;
    let start = semantics.initial().map_err(|error| error.to_string())?;
    let mut state = execute(semantics, start, witness.prefix(), false)?;
    // Rounds that leave processes behind are executed by others each time: of them, the first one
    // stands here, and `pumps.rs` has the others.
    let rounds = if witness.left_behind() > 0 { 1 } else { witness.rounds() + MORE_ROUNDS };
    for round in 0..rounds {
        let before = state.clone();
        state = execute(semantics, state, witness.pump(), witness.is_up_to_idle_data())?;
        for (origin, growth) in witness.growth() {
            let grown = length(semantics, &before, *origin).map(|length| length + *growth as usize);
            if grown.is_none() || length(semantics, &state, *origin) != grown {
                return Err(format!("round {round}: {origin:?} does not grow by {growth}"));
            }
        }
    }
    Ok(())
}

fn execute(
    semantics: &Semantics,
    mut state: State,
    run: &Run,
    up_to_idle_data: bool,
) -> Result<State, String> {
    let edge = |moved: &Move| (moved.process, moved.process_type, moved.edge);
    for (at, moves) in run.steps.iter().enumerate() {
        let is_same = |own: &Vec<Move>| {
            own == moves || up_to_idle_data && own.iter().map(edge).eq(moves.iter().map(edge))
        };
        let step = semantics.successors(&state).into_iter().find(|step| is_same(&step.moves));
        state = step.and_then(|step| step.after).ok_or_else(|| format!("step {at} is not possible"))?;
    }
    Ok(state)
}

fn length(semantics: &Semantics, state: &State, origin: QueueOrigin) -> Option<usize> {
    let mut queues = semantics.queues(state);
    queues.find(|queue| queue.origin == origin).map(|queue| queue.messages.len())
}
