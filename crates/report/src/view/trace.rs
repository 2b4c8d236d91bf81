//! View of a run as a sequence of states.

use cfsm_core::program::Program;
use explore::{Semantics, State, Step};

use super::{Standing, names, standing, steps};

/// The states of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trace {
    /// The file, as the user named it.
    pub file: String,
    /// One line about the run.
    pub description: String,
    /// The states, the initial one first.
    pub states: Vec<TraceState>,
    /// The position of the state that follows the last one, if the run comes to the same state
    /// again.
    pub loop_start: Option<usize>,
}

/// A state of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceState {
    /// The statement that led to it; empty for the initial state.
    pub step: String,
    /// The positions of the processes.
    pub processes: Vec<Standing>,
    /// The contents of the buffers.
    pub buffers: Vec<BufferContents>,
}

/// The contents of a buffer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BufferContents {
    /// Its name.
    pub name: String,
    /// The fields of each message, the oldest message first.
    pub messages: Vec<Vec<String>>,
}

/// The states of recorded steps, of which those from `loop_start` on are the first round of a loop.
/// Time linear in the states.
#[must_use]
pub fn trace_states(
    program: &Program,
    semantics: &Semantics,
    start: &State,
    recorded: &[Step],
    loop_start: Option<usize>,
) -> Trace {
    let told = steps(program, semantics, start, recorded);
    let mut states = vec![state(program, semantics, start, String::new())];
    let mut last = start;
    for (step, told) in recorded.iter().zip(&told) {
        let Some(after) = &step.after else { break };
        let text = format!("{}[{}] line {}: {}", told.process, told.pid, told.line, told.text);
        states.push(state(program, semantics, after, text));
        last = after;
    }
    let first = |position: usize| match position.checked_sub(1) {
        None => Some(start),
        Some(before) => recorded.get(before)?.after.as_ref(),
    };
    let loop_start =
        loop_start.filter(|position| *position < recorded.len() && first(*position) == Some(last));
    if loop_start.is_some() {
        // The last state is that at the start of the loop.
        states.pop();
    }
    Trace { file: String::new(), description: String::new(), states, loop_start }
}

fn state(program: &Program, semantics: &Semantics, state: &State, step: String) -> TraceState {
    let buffers = semantics.queues(state).filter(|queue| !queue.rendezvous).map(|queue| {
        let shape = names::shape(program, &queue.origin);
        let types = shape.map(|shape| shape.fields.as_slice()).unwrap_or_default();
        let fields = |message: &Vec<i64>| {
            let value = |(at, value): (usize, &i64)| {
                names::value(program, semantics, &[state], types.get(at).copied(), *value)
            };
            message.iter().enumerate().map(value).collect()
        };
        BufferContents {
            name: names::queue(program, &queue.origin),
            messages: queue.messages.iter().map(fields).collect(),
        }
    });
    TraceState { step, processes: standing(program, state), buffers: buffers.collect() }
}
