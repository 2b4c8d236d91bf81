//! Activation: removes the states and transitions that no run of the abstract system can reach
//! (thesis 10.2, step 3; theory 5).

use cfsm_core::ids::{Id, IdMap};
use cfsm_core::system::{Activation, StateId, TransitionId};

use crate::Abstraction;

impl Abstraction {
    /// Removes the transitions that can never fire and returns their number. States that are never
    /// reached go too, except for the initial states of classes; message types and buffers stay.
    ///
    /// Every run of the system is a run of the result. Time linear in the system, for each round of
    /// the closure.
    #[must_use]
    pub fn activated(mut self) -> (Self, usize) {
        let closure = Activation::new(&self.system);
        let fires: IdMap<TransitionId, bool> =
            self.system.transitions.values().map(|step| closure.can_fire(step)).collect();
        let dead = fires.iter().filter(|(_, fires)| !**fires).count();
        if dead == 0 {
            return (self, 0);
        }
        let reached = closure.reached().clone();
        let mut kept = reached.clone();
        self.system.classes.values().for_each(|class| kept[class.initial] = true);
        // No process is ever in an unreached state, so the state must not be marked as always ready
        // once the transitions that leave it are gone.
        for (id, state) in self.system.states.iter_mut() {
            state.always_ready &= reached[id];
        }
        (self.restricted(&kept, &fires), dead)
    }

    /// Restricts the system to the given states and transitions. The ends of every kept transition
    /// must be among the kept states.
    fn restricted(mut self, states: &IdMap<StateId, bool>, transitions: &IdMap<TransitionId, bool>) -> Self {
        let mut position = IdMap::filled(StateId::new(0), states.len());
        for (next, (id, _)) in states.iter().filter(|(_, kept)| **kept).enumerate() {
            position[id] = StateId::new(next);
        }
        self.locations = only(&self.locations, states);
        self.values = only(&self.values, states);
        self.statements = only(&self.statements, transitions);
        self.system.states = only(&self.system.states, states);
        self.system.transitions = only(&self.system.transitions, transitions);
        for (_, step) in self.system.transitions.iter_mut() {
            step.source = position[step.source];
            step.target = position[step.target];
        }
        for (_, class) in self.system.classes.iter_mut() {
            class.initial = position[class.initial];
        }
        for (_, quantity) in self.quantities.iter_mut() {
            let ends = quantity.ends.iter().filter(|(state, _)| states[**state]);
            quantity.ends = ends.map(|(state, end)| (position[*state], *end)).collect();
        }
        self
    }
}

/// Copies the entries of the kept ids. `all` may be shorter than `kept`: entries that are missing
/// at its end are skipped.
fn only<I: Id, T: Clone>(all: &IdMap<I, T>, kept: &IdMap<I, bool>) -> IdMap<I, T> {
    all.iter().filter(|(id, _)| kept[*id]).map(|(_, item)| item.clone()).collect()
}
