//! The transitions that leave a state.

use abstraction::Abstraction;
use cfsm_core::ids::Id;
use cfsm_core::system::TransitionId;

/// The transitions of an abstract system by the state that they leave.
#[derive(Clone, Debug)]
pub struct Leaving<'a> {
    pub(super) abstraction: &'a Abstraction,
    pub(super) by_state: Vec<Vec<TransitionId>>,
}

impl<'a> Leaving<'a> {
    /// Time linear in the system.
    #[must_use]
    pub fn new(abstraction: &'a Abstraction) -> Self {
        let mut by_state = vec![Vec::new(); abstraction.system.states.len()];
        for (id, transition) in abstraction.system.transitions.iter() {
            by_state[transition.source.index()].push(id);
        }
        Self { abstraction, by_state }
    }
}
