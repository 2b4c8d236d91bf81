//! Systems on which floating point gives wrong verdicts: every form and every search must be right.

use cfsm_core::families::{Ratio, chain, near_parallel, ring};
use cfsm_core::system::{MessageId, System};
use ilp_encode::{Cone, Encoding, Growth, Options, Pool, Property, Row, Search, growth};

struct Messages;

impl Property for Messages {
    fn is_target(&self, _: &System, _: MessageId) -> bool {
        true
    }
}

fn grow_all_ways(system: &System) -> Vec<Growth> {
    let mut answers = Vec::new();
    for encoding in [Encoding::Flow, Encoding::Cycles] {
        for search in [Search::Float, Search::Exact] {
            let options = Options { encoding, search, ..Options::default() };
            let cone = Cone::new(system, &Messages, &options).expect("no limit");
            answers.push(growth(&cone, &mut Pool::default(), &options).expect("no limit"));
        }
    }
    answers
}

fn assert_bounded(system: &System) {
    for growth in grow_all_ways(system) {
        assert!(growth.growing.is_empty(), "{}", system.name);
    }
}

/// Asserts that all message types can grow.
fn assert_all_grow(system: &System) {
    for growth in grow_all_ways(system) {
        assert_eq!(growth.growing.len(), system.messages.len(), "{}", system.name);
    }
}

#[test]
fn a_ring_with_gain_just_below_one_is_bounded() {
    assert_bounded(&ring(84, Ratio::DOUBLE, 53, Ratio::THIRD));
    assert_bounded(&ring(65, Ratio::HALF, 41, Ratio::TRIPLE));
}

#[test]
fn a_ring_with_gain_just_above_one_grows() {
    assert_all_grow(&ring(84, Ratio::HALF, 53, Ratio::TRIPLE));
    assert_all_grow(&ring(65, Ratio::DOUBLE, 41, Ratio::THIRD));
}

#[test]
fn chains_that_triple_are_bounded_without_a_leak() {
    assert_bounded(&chain(25, 3, false));
}

#[test]
fn chains_that_triple_grow_at_the_leak_only() {
    let system = chain(25, 3, true);
    for growth in grow_all_ways(&system) {
        let z = system.messages.ids().last().unwrap();
        assert_eq!(system.message_name(z), "z(m)");
        assert_eq!(growth.growing, [Row::Message(z)]);
    }
}

#[test]
fn nearly_parallel_effects_grow() {
    for m in [1_000, 10_000_000, 1_000_000_000] {
        assert_all_grow(&near_parallel(m));
    }
}
