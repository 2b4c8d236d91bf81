//! A system as a place/transition net.

use std::collections::{BTreeMap, BTreeSet};

use cfsm_core::ids::IdMap;
use cfsm_core::system::{BufferKind, DataId, Direction, MessageId, StateId, System, Transition};
use thiserror::Error;

/// A place/transition net with weights: the counting interpretation of a system.
///
/// Places are control states, message types and data places. A rendezvous is one transition: a
/// sender and a receiver step together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Net {
    /// The name of the system.
    pub name: String,
    /// The places.
    pub places: Vec<NetPlace>,
    /// The transitions.
    pub transitions: Vec<NetTransition>,
}

/// A place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NetPlace {
    /// An identifier of letters, digits and underscores. Unique in the net.
    pub id: String,
    /// The name in the system.
    pub name: String,
    /// The part of the system that it stands for.
    pub kind: PlaceKind,
    /// Number of tokens at the start.
    pub tokens: u64,
}

/// A part of a system that is a place of its net.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlaceKind {
    /// A control state; tokens are instances.
    State,
    /// A message type of a queue; tokens are messages.
    Message,
    /// A data place; tokens are an upper bound of the quantity.
    Data,
}

/// A transition. Arcs are positions of places with weights, ascending.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NetTransition {
    /// An identifier of letters, digits and underscores. Unique in the net.
    pub id: String,
    /// The statement, with its place in the text.
    pub name: String,
    /// The tokens that it needs and takes.
    pub takes: BTreeMap<usize, u64>,
    /// The tokens that it puts.
    pub puts: BTreeMap<usize, u64>,
}

/// The reason why a system has no net.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum NoNet {
    /// A transition has more than one message of a rendezvous.
    #[error("a transition has several rendezvous, which is no single transition of a net: {0}")]
    SeveralRendezvous(String),
}

/// Positions of the places of a system.
struct Places {
    states: IdMap<StateId, usize>,
    messages: IdMap<MessageId, usize>,
    data: IdMap<DataId, usize>,
}

/// One step of one instance, without its rendezvous.
struct Half {
    name: String,
    takes: BTreeMap<usize, u64>,
    puts: BTreeMap<usize, u64>,
}

impl Net {
    /// The net of a system. Time linear in the system, and in pairs of senders and receivers of
    /// rendezvous.
    ///
    /// # Errors
    /// If a transition has several rendezvous.
    pub fn of(system: &System) -> Result<Self, NoNet> {
        let mut ids = BTreeSet::new();
        let mut all: Vec<NetPlace> = Vec::new();
        let mut add = |kind, word: &str, name: String, tokens| {
            let id = identifier(&mut ids, word, &name);
            all.push(NetPlace { id, name, kind, tokens });
            all.len() - 1
        };
        let mut places = Places { states: IdMap::new(), messages: IdMap::new(), data: IdMap::new() };
        for (id, state) in system.states.iter() {
            let class = &system.classes[state.class];
            let tokens = if class.initial == id { class.instances.into() } else { 0 };
            places.states.push(add(PlaceKind::State, "at", system.state_name(id), tokens));
        }
        for id in system.messages.ids() {
            // Of a rendezvous nothing is stored: its position is never used.
            let stored = !system.is_rendezvous(id);
            let position = stored.then(|| add(PlaceKind::Message, "in", system.message_name(id), 0));
            places.messages.push(position.unwrap_or(usize::MAX));
        }
        for place in system.data.values() {
            places.data.push(add(PlaceKind::Data, "data", place.name.clone(), place.initial));
        }
        let mut net = Self { name: system.name.clone(), places: all, transitions: Vec::new() };
        net.add_transitions(system, &places)?;
        Ok(net)
    }

    fn add_transitions(&mut self, system: &System, places: &Places) -> Result<(), NoNet> {
        let mut ids = BTreeSet::new();
        let (mut senders, mut receivers): (BTreeMap<MessageId, Vec<Half>>, BTreeMap<MessageId, Vec<Half>>) =
            Default::default();
        for transition in system.transitions.values() {
            let half = Half::of(system, places, transition);
            let meets = |event: &&cfsm_core::system::Event| {
                system.buffers[system.messages[event.message].buffer].kind == BufferKind::Rendezvous
            };
            let mut meetings = transition.events.iter().filter(meets);
            match (meetings.next(), meetings.next()) {
                (None, _) => self.add(&mut ids, half),
                (Some(event), None) if event.count == 1 => {
                    let side = match event.direction {
                        Direction::Send => &mut senders,
                        Direction::Receive => &mut receivers,
                    };
                    side.entry(event.message).or_default().push(half);
                }
                _ => return Err(NoNet::SeveralRendezvous(half.name)),
            }
        }
        for (message, senders) in &senders {
            for sender in senders {
                for receiver in receivers.get(message).into_iter().flatten() {
                    self.add(&mut ids, sender.with(receiver));
                }
            }
        }
        Ok(())
    }

    fn add(&mut self, ids: &mut BTreeSet<String>, half: Half) {
        let Half { name, takes, puts } = half;
        self.transitions.push(NetTransition { id: identifier(ids, "step", &name), name, takes, puts });
    }
}

impl Half {
    fn of(system: &System, places: &Places, transition: &Transition) -> Self {
        let (mut takes, mut puts) = (BTreeMap::new(), BTreeMap::new());
        *takes.entry(places.states[transition.source]).or_default() += 1;
        *puts.entry(places.states[transition.target]).or_default() += 1;
        for &class in &transition.creates {
            *puts.entry(places.states[system.classes[class].initial]).or_default() += 1;
        }
        let mut missing: BTreeMap<usize, u64> = BTreeMap::new();
        let mut held: BTreeMap<usize, u64> = BTreeMap::new();
        // In order: what was sent may be received again in the same step.
        for event in transition.events.iter().filter(|event| !system.is_rendezvous(event.message)) {
            let (place, count) = (places.messages[event.message], u64::from(event.count));
            let held = held.entry(place).or_default();
            match event.direction {
                Direction::Send => *held += count,
                Direction::Receive => {
                    *missing.entry(place).or_default() += count.saturating_sub(*held);
                    *held = held.saturating_sub(count);
                }
            }
        }
        for change in &transition.data {
            let side = if change.change < 0 { &mut missing } else { &mut held };
            *side.entry(places.data[change.place]).or_default() += change.change.unsigned_abs();
        }
        takes.extend(missing.into_iter().filter(|(_, count)| *count > 0));
        puts.extend(held.into_iter().filter(|(_, count)| *count > 0));
        Self { name: name_of(system, transition), takes, puts }
    }

    /// Both halves of a rendezvous.
    fn with(&self, other: &Self) -> Self {
        let sum = |one: &BTreeMap<usize, u64>, other: &BTreeMap<usize, u64>| {
            let mut sum = one.clone();
            other.iter().for_each(|(place, count)| *sum.entry(*place).or_default() += count);
            sum
        };
        Self {
            name: format!("{} | {}", self.name, other.name),
            takes: sum(&self.takes, &other.takes),
            puts: sum(&self.puts, &other.puts),
        }
    }
}

fn name_of(system: &System, transition: &Transition) -> String {
    let class = &system.classes[system.states[transition.source].class].name;
    match &transition.origin {
        Some(origin) if origin.line > 0 => format!("{class} line {}: {}", origin.line, origin.text),
        _ => {
            let (source, target) = (&system.states[transition.source], &system.states[transition.target]);
            format!("{class}: {} -> {}", source.name, target.name)
        }
    }
}

/// A new identifier that resembles a name.
fn identifier(known: &mut BTreeSet<String>, word: &str, name: &str) -> String {
    let mut id = word.to_owned();
    for part in name.split(|one: char| !one.is_ascii_alphanumeric()).filter(|part| !part.is_empty()) {
        id.push('_');
        id.push_str(part);
    }
    let mut candidate = id.clone();
    let mut number = 2_usize;
    while !known.insert(candidate.clone()) {
        candidate = format!("{id}__{number}");
        number += 1;
    }
    candidate
}

#[cfg(test)]
mod tests {
    use cfsm_core::system::SystemBuilder;

    use super::*;

    #[test]
    fn what_was_sent_in_a_step_may_be_received_in_it() {
        let mut builder = SystemBuilder::new("loop");
        let message = builder.message("q", "m");
        builder.class("P", 1).step("a", &[(message, 2), (message, -3)], "a");
        let net = Net::of(&builder.build().unwrap()).unwrap();
        let step = &net.transitions[0];
        assert_eq!((step.takes.get(&1), step.puts.get(&1)), (Some(&1), None));
    }

    #[test]
    fn identifiers_differ_where_names_look_the_same() {
        let mut known = BTreeSet::new();
        let ids = ["a.b", "a b", "a-b", "é"].map(|name| identifier(&mut known, "at", name));
        assert_eq!(ids, ["at_a_b", "at_a_b__2", "at_a_b__3", "at"]);
    }
}
