//! Activation: what can never happen is left out (thesis 10.2, step 3; theory 5).
//!
//! A transition can fire only if its source can be reached and somebody can send what it receives. Starting from the
//! initial states, the closure of this finds every place that can ever hold a token; the rest of the system is dead.
//! Messages, here, never run out: the closure says nothing about how often.

use cfsm_core::ids::{Id, IdMap};
use cfsm_core::system::{Direction, MessageId, StateId, System, Transition, TransitionId};

use crate::Abstraction;

/// What can ever hold a token, as far as is known.
struct Closure<'a> {
    system: &'a System,
    reached: IdMap<StateId, bool>,
    /// Message types that some transition, whose source is reached, sends; and receives, by rendezvous.
    sent: IdMap<MessageId, bool>,
    received: IdMap<MessageId, bool>,
}

impl<'a> Closure<'a> {
    /// The closure from the initial states. Time linear in the system, for each round in which something new is
    /// reached.
    fn of(system: &'a System) -> Self {
        let mut closure = Self {
            system,
            reached: IdMap::filled(false, system.states.len()),
            sent: IdMap::filled(false, system.messages.len()),
            received: IdMap::filled(false, system.messages.len()),
        };
        for class in system.classes.values().filter(|class| class.instances > 0) {
            closure.reached[class.initial] = true;
        }
        while closure.round() {}
        closure
    }

    /// Fires all transitions that can fire; whether that is news.
    fn round(&mut self) -> bool {
        let mut news = false;
        for step in self.system.transitions.values() {
            news |= self.fire(step);
        }
        news
    }

    /// Fires a transition, if it can; whether that is news.
    fn fire(&mut self, step: &Transition) -> bool {
        if !self.reached[step.source] {
            return false;
        }
        // Who waits in a rendezvous offers its side before the other one is there.
        let mut news = false;
        for event in step.events.iter().filter(|event| self.system.is_rendezvous(event.message)) {
            let offered = match event.direction {
                Direction::Send => &mut self.sent,
                Direction::Receive => &mut self.received,
            };
            news |= !std::mem::replace(&mut offered[event.message], true);
        }
        if !self.can_fire(step) {
            return news;
        }
        for event in step.events.iter().filter(|event| event.direction == Direction::Send) {
            news |= !std::mem::replace(&mut self.sent[event.message], true);
        }
        let created = step.creates.iter().map(|class| self.system.classes[*class].initial);
        for state in created.chain([step.target]) {
            news |= !std::mem::replace(&mut self.reached[state], true);
        }
        news
    }

    /// Whether a transition can fire, as far as is known. What it sends itself before it receives counts.
    fn can_fire(&self, step: &Transition) -> bool {
        self.reached[step.source]
            && step.events.iter().enumerate().all(|(position, event)| match event.direction {
                Direction::Receive => {
                    let own = &step.events[..position];
                    let sends = |own: &cfsm_core::system::Event| {
                        own.direction == Direction::Send && own.message == event.message
                    };
                    self.sent[event.message] || own.iter().any(sends)
                }
                Direction::Send => !self.system.is_rendezvous(event.message) || self.received[event.message],
            })
    }
}

impl Abstraction {
    /// The system without transitions that can never fire, and how many those were. States that are never reached
    /// go too, but for those in which a class begins; message types and buffers stay.
    ///
    /// Every run of the system is a run of the result. Time linear in the system, for each round of the closure.
    #[must_use]
    pub fn activated(mut self) -> (Self, usize) {
        let closure = Closure::of(&self.system);
        let fires: IdMap<TransitionId, bool> =
            self.system.transitions.values().map(|step| closure.can_fire(step)).collect();
        let dead = fires.iter().filter(|(_, fires)| !**fires).count();
        if dead == 0 {
            return (self, 0);
        }
        let reached = closure.reached;
        let mut kept = reached.clone();
        self.system.classes.values().for_each(|class| kept[class.initial] = true);
        // What leaves a place where nobody ever is goes, so nobody is said to be ready there.
        for (id, state) in self.system.states.iter_mut() {
            state.always_ready &= reached[id];
        }
        (self.restricted(&kept, &fires), dead)
    }

    /// The part of the system with these states and transitions; the transitions must lie among the states.
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

/// What is said of those that are kept. Of the last ones, nothing may be.
fn only<I: Id, T: Clone>(all: &IdMap<I, T>, kept: &IdMap<I, bool>) -> IdMap<I, T> {
    all.iter().filter(|(id, _)| kept[*id]).map(|(_, item)| item.clone()).collect()
}

#[cfg(test)]
mod tests {
    use cfsm_core::system::SystemBuilder;

    use super::*;

    fn live(system: &System) -> Vec<bool> {
        let closure = Closure::of(system);
        system.transitions.values().map(|step| closure.can_fire(step)).collect()
    }

    #[test]
    fn what_waits_for_what_nobody_sends_is_dead() {
        let mut b = SystemBuilder::new("dead");
        let a = b.message("A", "a");
        let x = b.message("X", "x");
        b.class("one", 1).send("s", a, "t").receive("t", x, "u").send("u", a, "s");
        b.class("two", 1).receive("s", a, "s");
        assert_eq!(live(&b.build().expect("valid")), [true, false, false, true]);
    }

    #[test]
    fn a_class_of_which_nobody_makes_an_instance_is_dead() {
        let mut b = SystemBuilder::new("nobody");
        let a = b.message("A", "a");
        b.class("one", 0).send("s", a, "s");
        b.class("two", 1).receive("s", a, "t");
        assert_eq!(live(&b.build().expect("valid")), [false, false]);
    }
}
