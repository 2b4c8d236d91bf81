//! The automaton of one actor, and the states in which it may be.

use std::collections::BTreeSet;

use cfsm_core::system::{Direction, StateId, System, Transition, TransitionId};
use indexmap::IndexMap;

use crate::system::Wire;

/// A send or a receive, by the names of the model.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Action {
    direction: Direction,
    buffer: String,
    message: String,
}

impl Action {
    pub(super) fn sends(wire: &Wire) -> Self {
        Self::new(Direction::Send, wire)
    }

    pub(super) fn receives(wire: &Wire) -> Self {
        Self::new(Direction::Receive, wire)
    }

    fn new(direction: Direction, wire: &Wire) -> Self {
        Self { direction, buffer: wire.buffer.clone(), message: wire.message.clone() }
    }

    fn of(system: &System, step: &Transition) -> Option<Self> {
        let event = step.events.first()?;
        let message = &system.messages[event.message];
        let buffer = system.buffers[message.buffer].name.clone();
        Some(Self { direction: event.direction, buffer, message: message.name.clone() })
    }

    fn told(&self) -> String {
        match self.direction {
            Direction::Send => format!("send {} into {}", self.message, self.buffer),
            Direction::Receive => format!("receive {}", self.message),
        }
    }
}

/// The machine of an actor, without what its steps do to others.
pub(super) struct Automaton {
    names: IndexMap<StateId, String>,
    /// The steps; without an action if it is a timer that runs off.
    steps: Vec<Edge>,
    now: BTreeSet<StateId>,
}

struct Edge {
    source: StateId,
    action: Option<Action>,
    target: StateId,
}

impl Automaton {
    pub(super) fn new(system: &System, name: &str) -> Self {
        let class = system.classes.iter().find(|(_, class)| class.name == name);
        let (id, class) = class.expect("each actor has a class");
        let own = |transition: &TransitionId| system.class_of(*transition) == id;
        let steps = system.transitions.ids().filter(own).map(|transition| {
            let step = &system.transitions[transition];
            Edge { source: step.source, action: Action::of(system, step), target: step.target }
        });
        let states = system.states.iter().filter(|(_, state)| state.class == id);
        let names = states.map(|(state, item)| (state, item.name.clone())).collect();
        let mut automaton = Self { names, steps: steps.collect(), now: BTreeSet::from([class.initial]) };
        automaton.close();
        automaton
    }

    /// The states in which the actor may be.
    pub(super) fn states(&self) -> Vec<String> {
        self.now.iter().map(|state| self.names[state].clone()).collect()
    }

    /// The steps that it may make in these.
    pub(super) fn allowed(&self) -> Vec<String> {
        let edges = self.steps.iter().filter(|edge| self.now.contains(&edge.source));
        let told: BTreeSet<String> = edges.filter_map(|edge| Some(edge.action.as_ref()?.told())).collect();
        told.into_iter().collect()
    }

    /// Follows an action; stays where it is, and returns `false`, if no state has it.
    pub(super) fn step(&mut self, action: &Action) -> bool {
        let edges = self.steps.iter().filter(|edge| self.now.contains(&edge.source));
        let next = edges.filter(|edge| edge.action.as_ref() == Some(action)).map(|edge| edge.target);
        let next: BTreeSet<StateId> = next.collect();
        if next.is_empty() {
            return false;
        }
        self.now = next;
        self.close();
        true
    }

    /// Follows timers, which may have run off at any time.
    fn close(&mut self) {
        let mut open: Vec<StateId> = self.now.iter().copied().collect();
        while let Some(state) = open.pop() {
            let silent = self.steps.iter().filter(|edge| edge.source == state && edge.action.is_none());
            for target in silent.map(|edge| edge.target) {
                if self.now.insert(target) {
                    open.push(target);
                }
            }
        }
    }
}
