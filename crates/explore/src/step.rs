//! Steps and moves: the records of which runs consist.

use cfsm_core::program::{EdgeId, ProcessTypeId};

use crate::{RunError, State};

/// One step of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The moves: one statement; two in a rendezvous, the sender first; all statements of a
    /// `d_step`, in order (behind the sender's, if it begins with the receive of a rendezvous). If
    /// there is an error, the last one is the statement in which it occurred; there is none if it
    /// occurred before any statement (in a `provided`).
    pub moves: Vec<Move>,
    /// The errors, in order.
    pub errors: Vec<RunError>,
    /// The state after the step. `None` if an error ends the run here.
    pub after: Option<State>,
}

/// One statement in a step, or the death of a process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Move {
    /// Number of the process, which is its index among the existing processes.
    pub process: usize,
    /// Its type.
    pub process_type: ProcessTypeId,
    /// The edge that it took; `None` if the process has terminated and dies.
    pub edge: Option<EdgeId>,
    /// The message that was put into a queue, or handed over in a rendezvous.
    pub sent: Option<Message>,
    /// The message that was taken out of a queue, or taken over in a rendezvous. `None` for one
    /// that was only inspected.
    pub received: Option<Message>,
    /// Number of the process that was created.
    pub created: Option<usize>,
}

/// A message in a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// Number of the queue, counted from 1: the value of channel variables that refer to it.
    pub queue: usize,
    /// The values of its fields, as the queue stores them.
    pub fields: Vec<i64>,
}
