//! What a step is made of.

use cfsm_core::program::{EdgeId, ProcessTypeId};

use crate::{RunError, State};

/// One step of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// What moved: one statement; two in a rendezvous, the sender first; all statements of a
    /// `d_step`, in order (behind the sender's, if it begins with the receive of a rendezvous).
    /// Where there is an error, the last one is the statement in which it occurred; there is none
    /// if it occurred before any statement (in a `provided`).
    pub moves: Vec<Move>,
    /// What went wrong, in order.
    pub errors: Vec<RunError>,
    /// The state behind it. `None` if an error ends the run here.
    pub after: Option<State>,
}

/// One statement in a step, or the end of a process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Move {
    /// Number of the process, which is its position among those that exist.
    pub process: usize,
    /// Its type.
    pub process_type: ProcessTypeId,
    /// The edge it took; `None` if the process has come to its end and dies.
    pub edge: Option<EdgeId>,
    /// What was put into a queue, or handed over in a rendezvous.
    pub sent: Option<Message>,
    /// What was taken out of a queue, or taken over in a rendezvous. Not what was only looked at.
    pub received: Option<Message>,
    /// Number of the process that was created.
    pub created: Option<usize>,
}

/// A message on its way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// Number of the queue, counted from 1: the value of channel variables that refer to it.
    pub queue: usize,
    /// The values of its fields, as the queue keeps them.
    pub fields: Vec<i64>,
}
