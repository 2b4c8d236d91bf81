//! Validation of systems, which may have been read from arbitrary files.

use std::collections::BTreeSet;
use std::fmt;

use thiserror::Error;

use super::{BufferKind, SCHEMA, System};
use crate::ids::{Id, IdMap};

/// A defect of a system.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Defect {
    /// The format is not supported by this version.
    #[error("schema is `{found}`, expected `{SCHEMA}`")]
    Schema {
        /// The schema in the file.
        found: String,
    },
    /// An id does not exist.
    #[error("{place} refers to {id}, which does not exist")]
    Dangling {
        /// The place of the id.
        place: String,
        /// The id.
        id: String,
    },
    /// Two items have the same name.
    #[error("the name `{name}` is given twice")]
    Twice {
        /// The name.
        name: String,
    },
    /// A transition leads to another class, or a class starts in a state of another one.
    #[error("{place} joins states of different classes")]
    Classes {
        /// The transition or class.
        place: String,
    },
    /// A transition names a data place more than once.
    #[error("{place} names {id} twice")]
    DataTwice {
        /// The transition.
        place: String,
        /// The data place.
        id: String,
    },
    /// A number of a data place is too large.
    #[error("{place}: {number} is beyond 2^52")]
    Huge {
        /// The data place, or the transition.
        place: String,
        /// The number.
        number: i128,
    },
    /// An event on a buffer that the environment uses.
    #[error("{place} has an event on a buffer of the environment, whose messages are not counted")]
    Environment {
        /// The transition.
        place: String,
    },
    /// An event without messages.
    #[error("{place} sends or receives 0 messages")]
    NoMessages {
        /// The transition.
        place: String,
    },
    /// The free room of a buffer is not changed by its messages as it should be.
    #[error(
        "the free room {place} is not that of its buffer: a send takes one, and a receive gives one back"
    )]
    Room {
        /// The data place.
        place: String,
    },
    /// A state is marked as always ready, but has no transition without messages.
    #[error("{place} is said to be always ready, but all transitions that leave it send or receive")]
    NotReady {
        /// The state.
        place: String,
    },
}

/// Greatest absolute value of numbers of data places: such integers are exact as floating-point
/// numbers, too.
const MOST: i128 = 1 << 52;

/// The part of a system that a defect is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Part {
    /// The system itself.
    Whole,
    /// The buffer at this position.
    Buffer(usize),
    /// The message type at this position.
    Message(usize),
    /// The data place at this position.
    Data(usize),
    /// The class at this position.
    Class(usize),
    /// The state at this position.
    State(usize),
    /// The transition at this position.
    Transition(usize),
}

/// All defects. Names are checked only if all ids exist.
pub(super) fn defects(system: &System) -> Vec<(Part, Defect)> {
    if system.schema != SCHEMA {
        return vec![(Part::Whole, Defect::Schema { found: system.schema.clone() })];
    }
    let mut found = Vec::new();
    for (id, message) in system.messages.iter() {
        let part = Part::Message(id.index());
        found.extend(missing(&system.buffers, message.buffer, part, &id));
    }
    for (id, state) in system.states.iter() {
        found.extend(missing(&system.classes, state.class, Part::State(id.index()), &id));
    }
    for (id, class) in system.classes.iter() {
        let part = Part::Class(id.index());
        match system.states.get(class.initial) {
            None => found.extend(missing(&system.states, class.initial, part, &id)),
            Some(initial) if initial.class != id => {
                found.push((part, Defect::Classes { place: format!("{id:?}") }));
            }
            Some(_) => {}
        }
    }
    for (id, place) in system.data.iter() {
        found.extend(huge(place.initial.into(), Part::Data(id.index()), &id));
        if let Some(buffer) = place.room_of {
            found.extend(missing(&system.buffers, buffer, Part::Data(id.index()), &id));
            // The limit is a number of messages.
            if u32::try_from(place.initial).is_err() {
                let place_name = format!("{id:?}");
                found.push((
                    Part::Data(id.index()),
                    Defect::Huge { place: place_name, number: place.initial.into() },
                ));
            }
        }
    }
    system.transitions.ids().for_each(|id| transition(system, id, &mut found));
    if found.is_empty() {
        rooms(system, &mut found);
        readiness(system, &mut found);
        names(system, &mut found);
    }
    found
}

fn transition(system: &System, id: super::TransitionId, found: &mut Vec<(Part, Defect)>) {
    let part = Part::Transition(id.index());
    let transition = &system.transitions[id];
    let ends = [transition.source, transition.target];
    let classes = ends.map(|state| system.states.get(state).map(|state| state.class));
    found.extend(ends.iter().filter_map(|state| missing(&system.states, *state, part, &id)));
    if let [Some(source), Some(target)] = classes
        && source != target
    {
        found.push((part, Defect::Classes { place: format!("{id:?}") }));
    }
    for event in &transition.events {
        found.extend(missing(&system.messages, event.message, part, &id));
        let buffer = system.messages.get(event.message).and_then(|of| system.buffers.get(of.buffer));
        if buffer.is_some_and(|buffer| buffer.kind == BufferKind::Environment) {
            found.push((part, Defect::Environment { place: format!("{id:?}") }));
        }
        if event.count == 0 {
            found.push((part, Defect::NoMessages { place: format!("{id:?}") }));
        }
    }
    let mut named = BTreeSet::new();
    for change in &transition.data {
        found.extend(missing(&system.data, change.place, part, &id));
        found.extend(huge(change.change.into(), part, &id));
        if !named.insert(change.place) {
            let (place, id) = (format!("{id:?}"), format!("{:?}", change.place));
            found.push((part, Defect::DataTwice { place, id }));
        }
    }
    found.extend(transition.creates.iter().filter_map(|class| missing(&system.classes, *class, part, &id)));
}

/// Checks that the free room of a buffer is changed by its messages and by nothing else. All ids
/// must exist.
fn rooms(system: &System, found: &mut Vec<(Part, Defect)>) {
    for (id, place) in system.data.iter() {
        let Some(buffer) = place.room_of else { continue };
        let is_kept = |transition: &super::Transition| {
            let said: i64 =
                transition.data.iter().filter(|change| change.place == id).map(|change| change.change).sum();
            said == system.change_of_room(transition, buffer)
        };
        if !system.transitions.values().all(is_kept) {
            found.push((Part::Data(id.index()), Defect::Room { place: place.name.clone() }));
        }
    }
}

/// Checks that a state that is always ready has a transition without messages. All ids must exist.
fn readiness(system: &System, found: &mut Vec<(Part, Defect)>) {
    let mut ready: IdMap<super::StateId, bool> =
        system.states.values().map(|state| !state.always_ready).collect();
    let plain = system.transitions.values().filter(|transition| transition.events.is_empty());
    plain.for_each(|transition| ready[transition.source] = true);
    for (state, _) in ready.iter().filter(|(_, ready)| !**ready) {
        found.push((Part::State(state.index()), Defect::NotReady { place: format!("{state:?}") }));
    }
}

/// The defect of a number that is too large, if it is.
fn huge(number: i128, part: Part, place: &impl fmt::Debug) -> Option<(Part, Defect)> {
    let fits = (-MOST..=MOST).contains(&number);
    (!fits).then(|| (part, Defect::Huge { place: format!("{place:?}"), number }))
}

/// The defect of an id that does not exist, if it does not.
fn missing<I: Id, T>(
    map: &IdMap<I, T>,
    id: I,
    part: Part,
    place: &impl fmt::Debug,
) -> Option<(Part, Defect)> {
    let dangling = || Defect::Dangling { place: format!("{place:?}"), id: format!("{id:?}") };
    map.get(id).is_none().then(|| (part, dangling()))
}

/// Checks that names are unique.
fn names(system: &System, found: &mut Vec<(Part, Defect)>) {
    unique(system.buffers.values().map(|buffer| buffer.name.clone()), Part::Buffer, found);
    unique(system.data.values().map(|data| data.name.clone()), Part::Data, found);
    unique(system.classes.values().map(|class| class.name.clone()), Part::Class, found);
    unique(system.messages.ids().map(|message| system.message_name(message)), Part::Message, found);
    unique(system.states.ids().map(|state| system.state_name(state)), Part::State, found);
}

fn unique(
    names: impl Iterator<Item = String>,
    part: impl Fn(usize) -> Part,
    found: &mut Vec<(Part, Defect)>,
) {
    let mut seen = BTreeSet::new();
    for (position, name) in names.enumerate() {
        if let Some(name) = seen.replace(name) {
            found.push((part(position), Defect::Twice { name }));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{DataChange, DataPlace, StateId, SystemBuilder};
    use super::*;

    fn pair() -> System {
        let mut b = SystemBuilder::new("pair");
        let m = b.message("q", "m");
        b.class("P", 1).send("0", m, "1");
        b.class("Q", 1).receive("0", m, "1");
        b.build().unwrap()
    }

    #[test]
    fn defects_are_found() {
        let mut dangling = pair();
        dangling.transitions[Id::new(0)].target = StateId::new(9);
        let message = dangling.validate().unwrap_err().to_string();
        assert_eq!(message, "transition0 refers to state9, which does not exist");

        let mut crossing = pair();
        crossing.transitions[Id::new(0)].target = StateId::new(2);
        assert!(matches!(crossing.validate(), Err(Defect::Classes { .. })));

        let mut empty = pair();
        empty.transitions[Id::new(0)].events[0].count = 0;
        assert!(matches!(empty.validate(), Err(Defect::NoMessages { .. })));

        let mut open = pair();
        open.buffers[Id::new(0)].kind = BufferKind::Environment;
        assert!(matches!(open.validate(), Err(Defect::Environment { .. })));

        let mut twice = pair();
        let place = twice.data.push(DataPlace::new("x", 0));
        let change = DataChange { place, change: 1 };
        twice.transitions[Id::new(0)].data = vec![change, change];
        assert_eq!(twice.validate().unwrap_err().to_string(), "transition0 names data0 twice");
        twice.transitions[Id::new(0)].data = vec![DataChange { place: Id::new(1), change: 1 }];
        assert!(matches!(twice.validate(), Err(Defect::Dangling { .. })));

        twice.transitions[Id::new(0)].data = vec![DataChange { place, change: i64::MIN }];
        assert!(matches!(twice.validate(), Err(Defect::Huge { .. })));
        let mut several = pair();
        several.transitions[Id::new(0)].target = StateId::new(9);
        several.transitions[Id::new(1)].events[0].count = 0;
        let parts: Vec<Part> = several.defects().into_iter().map(|(part, _)| part).collect();
        assert_eq!(parts, [Part::Transition(0), Part::Transition(1)]);

        let mut schema = pair();
        schema.schema = "freeboard.system/0".into();
        assert!(matches!(schema.validate(), Err(Defect::Schema { .. })));
    }

    #[test]
    fn a_system_survives_its_json() {
        let mut system = pair();
        let text = serde_json::to_string(&system).unwrap();
        assert!(!text.contains("data"), "what there is none of is not written");
        assert_eq!(serde_json::from_str::<System>(&text).unwrap(), system);

        let place = system.data.push(DataPlace::new("3 - P.x", 3));
        system.transitions[Id::new(0)].data.push(DataChange { place, change: -1 });
        let text = serde_json::to_string(&system).unwrap();
        assert_eq!(serde_json::from_str::<System>(&text).unwrap(), system);
    }
}
