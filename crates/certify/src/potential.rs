//! Potentials: weights of all places, and what a transition does to them. Shared by all kinds of
//! claims.

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

/// Where the weights of a claim are, ascending.
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

    /// The weights of a claim.
    pub fn of(
        system: &System,
        names: &Names,
        messages: &BTreeMap<String, BigInt>,
        data: &BTreeMap<String, BigInt>,
        states: &BTreeMap<String, BigInt>,
    ) -> Result<Self, Broken> {
        let mut potential = Self::zero(system);
        potential.set(names, messages, data, states)?;
        Ok(potential)
    }

    /// Puts the weights of a claim in place, and says where they are.
    pub fn set(
        &mut self,
        names: &Names,
        messages: &BTreeMap<String, BigInt>,
        data: &BTreeMap<String, BigInt>,
        states: &BTreeMap<String, BigInt>,
    ) -> Result<Weighed, Broken> {
        Ok(Weighed {
            messages: set(&mut self.messages, messages, &names.messages).map_err(Broken::UnknownMessage)?,
            data: set(&mut self.data, data, &names.data).map_err(Broken::UnknownData)?,
            states: set(&mut self.states, states, &names.states).map_err(Broken::UnknownState)?,
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
    ) -> Result<(), Broken> {
        for id in messages {
            // Of a rendezvous there is never more than no message, so the weight does not count.
            let kind = system.buffers[system.messages[id].buffer].kind;
            if kind == BufferKind::Queue && self.messages[id] < *least(id) {
                return Err(Broken::LightMessage {
                    message: system.message_name(id),
                    weight: self.messages[id].clone(),
                    least: least(id).clone(),
                });
            }
        }
        Ok(())
    }

    /// Condition 1 for these data places.
    pub fn data_are_not_negative(
        &self,
        system: &System,
        mut data: impl Iterator<Item = DataId>,
    ) -> Result<(), Broken> {
        data.find(|&id| self.data[id].is_negative()).map_or(Ok(()), |id| {
            Err(Broken::LightData { place: system.data[id].name.clone(), weight: self.data[id].clone() })
        })
    }

    /// Condition 1 for these states.
    pub fn states_are_not_negative(
        &self,
        system: &System,
        mut states: impl Iterator<Item = StateId>,
    ) -> Result<(), Broken> {
        states.find(|&id| self.states[id].is_negative()).map_or(Ok(()), |id| {
            Err(Broken::LightState { state: system.state_name(id), weight: self.states[id].clone() })
        })
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

/// Puts weights of places of one kind in place; where they are, ascending, or the first name that
/// is not one of theirs.
fn set<I: Id>(
    dense: &mut IdMap<I, BigInt>,
    weights: &BTreeMap<String, BigInt>,
    names: &BTreeMap<String, I>,
) -> Result<Vec<I>, String> {
    let mut places = Vec::with_capacity(weights.len());
    for (name, weight) in weights {
        let place = *names.get(name).ok_or_else(|| name.clone())?;
        dense[place] = weight.clone();
        places.push(place);
    }
    places.sort_unstable();
    Ok(places)
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
