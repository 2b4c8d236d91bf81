//! Potentials: weights of all places, and what a transition does to them. Shared by all kinds of
//! claims.

use std::collections::BTreeMap;

use cfsm_core::ids::{Id, IdMap};
use cfsm_core::system::{
    BufferKind, DataId, Direction, MessageId, StateId, System, Transition, TransitionId,
};
use num_bigint::BigInt;
use num_traits::{Signed, Zero};

use crate::net::Net;
use crate::rejection::{Rise, Violation, ensure, violation};

/// Weights of all places, those that the claim leaves out included.
pub struct Potential {
    pub messages: IdMap<MessageId, BigInt>,
    pub data: IdMap<DataId, BigInt>,
    pub states: IdMap<StateId, BigInt>,
}

/// The places that a claim gives a weight, ascending.
pub struct Weighed {
    pub messages: Vec<MessageId>,
    pub data: Vec<DataId>,
    pub states: Vec<StateId>,
}

impl Potential {
    /// No weights.
    pub fn zero(system: &System) -> Self {
        Self {
            messages: IdMap::filled(BigInt::ZERO, system.messages.len()),
            data: IdMap::filled(BigInt::ZERO, system.data.len()),
            states: IdMap::filled(BigInt::ZERO, system.states.len()),
        }
    }

    /// Puts the weights of a claim in place.
    pub fn set(
        &mut self,
        net: &Net<'_>,
        messages: &BTreeMap<String, BigInt>,
        data: &BTreeMap<String, BigInt>,
        states: &BTreeMap<String, BigInt>,
    ) -> Result<Weighed, Violation> {
        Ok(Weighed {
            messages: set(&mut self.messages, messages, |name| net.message(name))?,
            data: set(&mut self.data, data, |name| net.data(name))?,
            states: set(&mut self.states, states, |name| net.state(name))?,
        })
    }

    /// Takes the weights of a claim away.
    pub fn clear(&mut self, weighed: &Weighed) {
        weighed.messages.iter().for_each(|&id| self.messages[id] = BigInt::ZERO);
        weighed.data.iter().for_each(|&id| self.data[id] = BigInt::ZERO);
        weighed.states.iter().for_each(|&id| self.states[id] = BigInt::ZERO);
    }

    /// Condition 1, and 2 for message types: each of these messages, if it is of a queue, weighs at
    /// least so much.
    pub fn messages_are_heavy_enough<'a>(
        &self,
        system: &System,
        messages: impl Iterator<Item = MessageId>,
        least: impl Fn(MessageId) -> &'a BigInt,
    ) -> Result<(), Violation> {
        for id in messages {
            // Of a rendezvous there is never more than no message, so the weight does not count.
            let kind = system.buffers[system.messages[id].buffer].kind;
            let (weight, least) = (&self.messages[id], least(id));
            let is_heavy = kind == BufferKind::Rendezvous || weight >= least;
            let name = || system.message_name(id);
            ensure!(is_heavy, "the message type `{}` weighs {weight}, less than {least}", name());
        }
        Ok(())
    }

    /// Condition 1 for these data places and states.
    pub fn others_are_not_negative(
        &self,
        system: &System,
        data: impl Iterator<Item = DataId>,
        states: impl Iterator<Item = StateId>,
    ) -> Result<(), Violation> {
        for id in data {
            let (name, weight) = (&system.data[id].name, &self.data[id]);
            ensure!(!weight.is_negative(), "the data place `{name}` weighs {weight}, less than 0");
        }
        for id in states {
            let (name, weight) = (|| system.state_name(id), &self.states[id]);
            ensure!(!weight.is_negative(), "the state `{}` weighs {weight}, less than 0", name());
        }
        Ok(())
    }

    /// What a transition does to the potential: 0 or less is a fall. Time linear in its events and
    /// created classes.
    pub fn change(&self, system: &System, transition: &Transition) -> BigInt {
        self.of_events(transition)
            + self.of_data(transition)
            + &self.states[transition.target]
            + self.of_created(system, transition)
            - &self.states[transition.source]
    }

    /// The violation that a transition does not do what it has to, with its change term by term:
    /// `t from s to s' raises the potential: ...`.
    pub fn violation(&self, system: &System, id: TransitionId, verb: &str) -> Violation {
        let transition = &system.transitions[id];
        let [from, to] = [transition.source, transition.target].map(|state| system.state_name(state));
        let action = action(system, transition);
        let action = match &transition.origin {
            Some(origin) => format!("{}:{}: {}; {action}", origin.file, origin.line, origin.text),
            None => action,
        };
        let data = self.of_data(transition);
        // Most systems have none.
        let data = if data.is_zero() { String::new() } else { format!(" + {data} (data)") };
        let total = self.change(system, transition);
        let violation = violation!(
            "{id:?} from `{from}` to `{to}` ({action}) {verb} the potential: \
             {} (messages){data} + {} (target) - {} (source) + {} (created) = {total}",
            self.of_events(transition),
            self.states[transition.target],
            self.states[transition.source],
            self.of_created(system, transition)
        );
        Violation { rise: Some(Rise { transition: id, total }), ..violation }
    }

    /// w·eff.
    fn of_events(&self, transition: &Transition) -> BigInt {
        let mut messages = BigInt::ZERO;
        // Most weights are 0.
        for event in transition.events.iter().filter(|event| !self.messages[event.message].is_zero()) {
            let weight = &self.messages[event.message] * event.count;
            match event.direction {
                Direction::Send => messages += weight,
                Direction::Receive => messages -= weight,
            }
        }
        messages
    }

    /// u·d.
    fn of_data(&self, transition: &Transition) -> BigInt {
        transition.data.iter().map(|data| &self.data[data.place] * data.change).sum()
    }

    /// The weights of the initial states of what is created.
    fn of_created(&self, system: &System, transition: &Transition) -> BigInt {
        transition.creates.iter().map(|class| &self.states[system.classes[*class].initial]).sum()
    }
}

/// Puts weights of places of one kind in place; returns which, ascending.
fn set<I: Id>(
    dense: &mut IdMap<I, BigInt>,
    weights: &BTreeMap<String, BigInt>,
    find: impl Fn(&str) -> Result<I, Violation>,
) -> Result<Vec<I>, Violation> {
    let mut places = Vec::with_capacity(weights.len());
    for (name, weight) in weights {
        let place = find(name)?;
        dense[place] = weight.clone();
        places.push(place);
    }
    places.sort_unstable();
    Ok(places)
}

/// What a transition does, in words.
pub fn action(system: &System, transition: &Transition) -> String {
    let events = transition.events.iter().map(|event| {
        let verb = if event.direction == Direction::Send { "sends" } else { "receives" };
        format!("{verb} {} {}", event.count, system.message_name(event.message))
    });
    let created = transition.creates.iter().map(|class| format!("creates {}", system.classes[*class].name));
    let data = transition.data.iter();
    let data =
        data.map(|data| format!("changes `{}` by {} at most", system.data[data.place].name, data.change));
    let all: Vec<String> = events.chain(created).chain(data).collect();
    if all.is_empty() { "no event".into() } else { all.join(", ") }
}
