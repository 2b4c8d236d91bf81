//! Potentials: weights of all places, and what a transition does to them. Shared by all kinds of claims.

use std::collections::BTreeMap;

use cfsm_core::ids::{Id, IdMap};
use cfsm_core::system::{
    BufferKind, DataId, Direction, MessageId, StateId, System, Transition, TransitionId,
};
use num_bigint::BigInt;
use num_traits::{Signed, Zero};

use crate::check::Names;
use crate::rejection::{Broken, Rise};

/// Weights of all places, those that the claim leaves out included.
pub struct Potential {
    pub messages: IdMap<MessageId, BigInt>,
    pub data: IdMap<DataId, BigInt>,
    pub states: IdMap<StateId, BigInt>,
}

impl Potential {
    /// The weights of a claim.
    pub fn of(
        system: &System,
        names: &Names,
        messages: &BTreeMap<String, BigInt>,
        data: &BTreeMap<String, BigInt>,
        states: &BTreeMap<String, BigInt>,
    ) -> Result<Self, Broken> {
        Ok(Self {
            messages: dense(messages, &names.messages, system.messages.len())
                .map_err(Broken::UnknownMessage)?,
            data: dense(data, &names.data, system.data.len()).map_err(Broken::UnknownData)?,
            states: dense(states, &names.states, system.states.len()).map_err(Broken::UnknownState)?,
        })
    }

    /// Condition 1, and 2 for message types: each message of a queue weighs at least so much.
    pub fn messages_are_heavy_enough<'a>(
        &self,
        system: &System,
        least: impl Fn(MessageId) -> &'a BigInt,
    ) -> Result<(), Broken> {
        for (id, message) in system.messages.iter() {
            // Of a rendezvous there is never more than no message, so the weight does not count.
            if system.buffers[message.buffer].kind == BufferKind::Queue && self.messages[id] < *least(id) {
                return Err(Broken::LightMessage {
                    message: system.message_name(id),
                    weight: self.messages[id].clone(),
                    least: least(id).clone(),
                });
            }
        }
        Ok(())
    }

    /// Condition 1 for data places.
    pub fn data_are_not_negative(&self, system: &System) -> Result<(), Broken> {
        let negative = self.data.iter().find(|(_, weight)| weight.is_negative());
        negative.map_or(Ok(()), |(place, weight)| {
            Err(Broken::LightData { place: system.data[place].name.clone(), weight: weight.clone() })
        })
    }

    /// Condition 1 for states.
    pub fn states_are_not_negative(&self, system: &System) -> Result<(), Broken> {
        let negative = self.states.iter().find(|(_, weight)| weight.is_negative());
        negative.map_or(Ok(()), |(state, weight)| {
            Err(Broken::LightState { state: system.state_name(state), weight: weight.clone() })
        })
    }

    /// What a transition does to the potential: 0 or less is a fall. Time linear in its events and created
    /// classes.
    pub fn change(&self, system: &System, transition: &Transition) -> BigInt {
        self.of_events(transition)
            + self.of_data(transition)
            + &self.states[transition.target]
            + self.of_created(system, transition)
            - &self.states[transition.source]
    }

    /// The change of a transition term by term.
    pub fn rise(&self, system: &System, id: TransitionId) -> Box<Rise> {
        let transition = &system.transitions[id];
        Box::new(Rise {
            transition: id,
            source: system.state_name(transition.source),
            target: system.state_name(transition.target),
            action: action(system, transition),
            origin: transition.origin.clone(),
            messages: self.of_events(transition),
            data: self.of_data(transition),
            target_weight: self.states[transition.target].clone(),
            source_weight: self.states[transition.source].clone(),
            created: self.of_created(system, transition),
        })
    }

    /// w·eff.
    fn of_events(&self, transition: &Transition) -> BigInt {
        let mut messages = BigInt::ZERO;
        for event in &transition.events {
            let weight = &self.messages[event.message];
            // Most weights are 0.
            if weight.is_zero() {
                continue;
            }
            match event.direction {
                Direction::Send => messages += weight * event.count,
                Direction::Receive => messages -= weight * event.count,
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

/// The weights of all `len` places of one kind, or the first name that is not one of theirs.
fn dense<I: Id>(
    weights: &BTreeMap<String, BigInt>,
    names: &BTreeMap<String, I>,
    len: usize,
) -> Result<IdMap<I, BigInt>, String> {
    let mut dense = IdMap::filled(BigInt::ZERO, len);
    for (name, weight) in weights {
        let place = *names.get(name).ok_or_else(|| name.clone())?;
        dense[place] = weight.clone();
    }
    Ok(dense)
}

/// What a transition does, in words.
fn action(system: &System, transition: &Transition) -> String {
    let events = transition.events.iter().map(|event| {
        let verb = match event.direction {
            Direction::Send => "sends",
            Direction::Receive => "receives",
        };
        format!("{verb} {} {}", event.count, system.message_name(event.message))
    });
    let creates = transition.creates.iter();
    let creates = creates.map(|class| format!("creates {}", system.classes[*class].name));
    let data = transition.data.iter();
    let data =
        data.map(|data| format!("changes `{}` by {} at most", system.data[data.place].name, data.change));
    let all: Vec<String> = events.chain(creates).chain(data).collect();
    if all.is_empty() { "no event".into() } else { all.join(", ") }
}
