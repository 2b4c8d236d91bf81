//! Small random systems, and all that they can do.

use std::collections::{BTreeSet, VecDeque};

use cfsm_core::ids::Id;
use cfsm_core::system::{MessageId, System, SystemBuilder};
use proptest::collection::vec;
use proptest::prelude::*;

/// Configurations that are looked at.
const CONFIGURATIONS: usize = 3_000;

/// A step: of which process, from where to where, by how much it changes two message types and two
/// data places, and which process it creates, if there is one of that number.
type Step = (usize, usize, usize, [i32; 2], [i64; 2], usize);

fn system(instances: &[u32], initial: [u64; 2], steps: &[Step]) -> System {
    let mut b = SystemBuilder::new("small");
    let messages = ["q", "r"].map(|buffer| b.message(buffer, "m"));
    let places = [b.data("x", initial[0]), b.data("y", initial[1])];
    let class = |number: usize| format!("P{number}");
    let ids = instances.iter().enumerate().map(|(at, &count)| {
        let mut class = b.class(&class(at), count);
        class.state("0");
        class.id()
    });
    let ids: Vec<_> = ids.collect();
    for &(process, source, target, sent, changed, created) in steps {
        let class = ids[process % ids.len()];
        let effect: Vec<(MessageId, i32)> =
            messages.into_iter().zip(sent).filter(|(_, change)| *change != 0).collect();
        b.class_again(class).step(&source.to_string(), &effect, &target.to_string());
        for (place, change) in places.into_iter().zip(changed).filter(|(_, change)| *change != 0) {
            b.changes(place, change);
        }
        if let Some(&created) = ids.get(created) {
            b.class_again(class).create(&target.to_string(), created, &source.to_string());
        }
    }
    b.build().expect("names are numbered")
}

/// Random systems with two message types and two data places.
pub fn systems() -> impl Strategy<Value = System> {
    let step =
        (0_usize..3, 0_usize..3, 0_usize..3, [-1_i32..3, -1_i32..2], [-2_i64..3, -1_i64..2], 0_usize..9);
    let parts = (vec(0_u32..3, 1..4), [0_u64..4, 0_u64..3], vec(step, 1..7));
    parts.prop_map(|(instances, initial, steps)| system(&instances, initial, &steps))
}

/// Numbers of what there is: of processes by state, of messages by type, of data by place.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Configuration {
    pub states: Vec<u32>,
    pub messages: Vec<i64>,
    pub data: Vec<i64>,
}

fn successors(system: &System, configuration: &Configuration) -> Vec<Configuration> {
    let mut all = Vec::new();
    for transition in system.transitions.values() {
        let Configuration { mut states, mut messages, mut data } = configuration.clone();
        let Some(left) = states[transition.source.index()].checked_sub(1) else { continue };
        states[transition.source.index()] = left;
        states[transition.target.index()] += 1;
        for class in &transition.creates {
            states[system.classes[*class].initial.index()] += 1;
        }
        for (message, change) in transition.effect().entries() {
            messages[message.index()] += change;
        }
        for change in &transition.data {
            data[change.place.index()] += change.change;
        }
        if messages.iter().chain(&data).all(|&count| count >= 0) {
            all.push(Configuration { states, messages, data });
        }
    }
    all
}

/// The configurations that are found first.
pub fn configurations(system: &System) -> BTreeSet<Configuration> {
    let mut states = vec![0; system.states.len()];
    for class in system.classes.values() {
        states[class.initial.index()] += class.instances;
    }
    let data: Vec<i64> =
        system.data.values().map(|place| i64::try_from(place.initial).expect("a small number")).collect();
    let first = Configuration { states, messages: vec![0; system.messages.len()], data };
    let mut seen = BTreeSet::from([first.clone()]);
    let mut open = VecDeque::from([first]);
    while let Some(configuration) = open.pop_front() {
        for next in successors(system, &configuration) {
            if seen.len() < CONFIGURATIONS && seen.insert(next.clone()) {
                open.push_back(next);
            }
        }
    }
    seen
}
