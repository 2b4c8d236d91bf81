//! Activation: the places of a system that can ever hold a token (thesis 10.2, step 3; theory 5).
//!
//! A transition can fire only if its source is reachable and some transition sends the messages
//! that it receives. Starting from the initial states, the closure of this finds every place that
//! can ever hold a token; the rest of the system is dead. Messages are never exhausted in this
//! approximation: the closure says nothing about multiplicities.

use super::{Direction, Event, MessageId, StateId, System, Transition};
use crate::ids::IdMap;

/// The places of a system that can ever hold a token: an over-approximation, in which messages are
/// never exhausted.
#[derive(Clone, Debug)]
pub struct Activation<'a> {
    system: &'a System,
    reached: IdMap<StateId, bool>,
    /// Message types that some transition with reachable source sends; and receives, by rendezvous.
    sent: IdMap<MessageId, bool>,
    received: IdMap<MessageId, bool>,
}

impl<'a> Activation<'a> {
    /// Computes the closure from the initial states. Time linear in the system, for each round in
    /// which something new is reached.
    #[must_use]
    pub fn new(system: &'a System) -> Self {
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

    /// Fires all transitions that can fire; returns `true` if something new is reached.
    fn round(&mut self) -> bool {
        let mut news = false;
        for step in self.system.transitions.values() {
            news |= self.fire(step);
        }
        news
    }

    /// Fires a transition, if it can fire; returns `true` if something new is reached.
    fn fire(&mut self, step: &Transition) -> bool {
        if !self.reached[step.source] {
            return false;
        }
        // A rendezvous is offered before its partner is there.
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

    /// For each state, `true` if an instance may be at it.
    #[must_use]
    pub const fn reached(&self) -> &IdMap<StateId, bool> {
        &self.reached
    }

    /// Returns `true` if a transition of the system may fire. Messages that it sends itself before
    /// it receives them count.
    #[must_use]
    pub fn can_fire(&self, step: &Transition) -> bool {
        self.reached[step.source]
            && step.events.iter().enumerate().all(|(position, event)| match event.direction {
                Direction::Receive => {
                    let own = &step.events[..position];
                    let sends =
                        |own: &Event| own.direction == Direction::Send && own.message == event.message;
                    self.sent[event.message] || own.iter().any(sends)
                }
                Direction::Send => !self.system.is_rendezvous(event.message) || self.received[event.message],
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::system::SystemBuilder;

    fn live(system: &System) -> Vec<bool> {
        let closure = Activation::new(system);
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
