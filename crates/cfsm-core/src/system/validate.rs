//! Validation of systems: a system read from a file may be anything.

use std::collections::BTreeSet;

use thiserror::Error;

use super::{SCHEMA, System};
use crate::ids::{Id, IdMap};

/// What is wrong with a system.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Defect {
    /// Not a format that this version reads.
    #[error("schema is `{found}`, expected `{SCHEMA}`")]
    Schema {
        /// What the file says.
        found: String,
    },
    /// An id points at nothing.
    #[error("{place} refers to {id}, which does not exist")]
    Dangling {
        /// Where the id stands.
        place: String,
        /// The id.
        id: String,
    },
    /// Two things have the same name.
    #[error("the name `{name}` is given twice")]
    Twice {
        /// The name.
        name: String,
    },
    /// A transition leaves its class, or a class starts in a state of another.
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
    /// A number that stands for data is too large.
    #[error("{place}: {number} is beyond 2^52")]
    Huge {
        /// The data place, or the transition.
        place: String,
        /// The number.
        number: i128,
    },
    /// An event of no messages.
    #[error("{place} sends or receives 0 messages")]
    NoMessages {
        /// The transition.
        place: String,
    },
    /// A state cannot be left without messages, but is said to be always ready.
    #[error("{place} is said to be always ready, but all transitions that leave it send or receive")]
    NotReady {
        /// The state.
        place: String,
    },
}

/// The greatest number that stands for data: whoever reads one, as a float too, reads the same.
const MOST: i128 = 1 << 52;

pub(super) fn validate(system: &System) -> Result<(), Defect> {
    if system.schema != SCHEMA {
        return Err(Defect::Schema { found: system.schema.clone() });
    }
    for (id, message) in system.messages.iter() {
        exists(&system.buffers, message.buffer, || format!("{id:?}"))?;
    }
    for (id, state) in system.states.iter() {
        exists(&system.classes, state.class, || format!("{id:?}"))?;
    }
    for (id, class) in system.classes.iter() {
        exists(&system.states, class.initial, || format!("{id:?}"))?;
        if system.states[class.initial].class != id {
            return Err(Defect::Classes { place: format!("{id:?}") });
        }
    }
    for (id, place) in system.data.iter() {
        fits(place.initial.into(), || format!("{id:?}"))?;
    }
    system.transitions.ids().try_for_each(|id| transition(system, id))?;
    readiness(system)?;
    unique(system.buffers.values().map(|buffer| buffer.name.clone()))?;
    unique(system.data.values().map(|data| data.name.clone()))?;
    unique(system.classes.values().map(|class| class.name.clone()))?;
    unique(system.messages.ids().map(|message| system.message_name(message)))?;
    unique(system.states.ids().map(|state| system.state_name(state)))
}

fn transition(system: &System, id: super::TransitionId) -> Result<(), Defect> {
    let place = || format!("{id:?}");
    let transition = &system.transitions[id];
    exists(&system.states, transition.source, place)?;
    exists(&system.states, transition.target, place)?;
    if system.states[transition.source].class != system.states[transition.target].class {
        return Err(Defect::Classes { place: place() });
    }
    for event in &transition.events {
        exists(&system.messages, event.message, place)?;
        if event.count == 0 {
            return Err(Defect::NoMessages { place: place() });
        }
    }
    let mut named = BTreeSet::new();
    for change in &transition.data {
        exists(&system.data, change.place, place)?;
        fits(change.change.into(), place)?;
        if !named.insert(change.place) {
            return Err(Defect::DataTwice { place: place(), id: format!("{:?}", change.place) });
        }
    }
    transition.creates.iter().try_for_each(|class| exists(&system.classes, *class, place))
}

fn readiness(system: &System) -> Result<(), Defect> {
    let mut ready: IdMap<super::StateId, bool> =
        system.states.values().map(|state| !state.always_ready).collect();
    let plain = system.transitions.values().filter(|transition| transition.events.is_empty());
    plain.for_each(|transition| ready[transition.source] = true);
    match ready.iter().find(|(_, ready)| !**ready) {
        Some((state, _)) => Err(Defect::NotReady { place: format!("{state:?}") }),
        None => Ok(()),
    }
}

fn fits(number: i128, place: impl Fn() -> String) -> Result<(), Defect> {
    if (-MOST..=MOST).contains(&number) { Ok(()) } else { Err(Defect::Huge { place: place(), number }) }
}

fn exists<I: Id, T>(map: &IdMap<I, T>, id: I, place: impl Fn() -> String) -> Result<(), Defect> {
    if map.get(id).is_some() {
        return Ok(());
    }
    Err(Defect::Dangling { place: place(), id: format!("{id:?}") })
}

fn unique(names: impl Iterator<Item = String>) -> Result<(), Defect> {
    let mut seen = BTreeSet::new();
    for name in names {
        if let Some(name) = seen.replace(name) {
            return Err(Defect::Twice { name });
        }
    }
    Ok(())
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

        let mut twice = pair();
        let place = twice.data.push(DataPlace { name: "x".into(), initial: 0 });
        let change = DataChange { place, change: 1 };
        twice.transitions[Id::new(0)].data = vec![change, change];
        assert_eq!(twice.validate().unwrap_err().to_string(), "transition0 names data0 twice");
        twice.transitions[Id::new(0)].data = vec![DataChange { place: Id::new(1), change: 1 }];
        assert!(matches!(twice.validate(), Err(Defect::Dangling { .. })));

        twice.transitions[Id::new(0)].data = vec![DataChange { place, change: i64::MIN }];
        assert!(matches!(twice.validate(), Err(Defect::Huge { .. })));

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

        let place = system.data.push(DataPlace { name: "3 - P.x".into(), initial: 3 });
        system.transitions[Id::new(0)].data.push(DataChange { place, change: -1 });
        let text = serde_json::to_string(&system).unwrap();
        assert_eq!(serde_json::from_str::<System>(&text).unwrap(), system);
    }
}
