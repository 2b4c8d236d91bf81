//! One actor as a machine.

use crate::role::Address;

/// One actor as a machine.
pub(crate) struct Machine {
    /// The names of its local states, each once.
    pub(crate) locals: Vec<String>,
    /// Its steps; the first one is the start.
    pub(crate) steps: Vec<Step>,
}

/// The cause of a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Trigger {
    Start,
    Message { from: Address, label: String },
    Timer(String),
}

/// A message that a step sends.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Sent {
    pub(crate) to: Address,
    pub(crate) label: String,
}

/// A step of an actor.
#[derive(Clone, Debug)]
pub(crate) struct Step {
    pub(crate) source: usize,
    pub(crate) trigger: Trigger,
    pub(crate) sends: Vec<Sent>,
    pub(crate) target: usize,
}
