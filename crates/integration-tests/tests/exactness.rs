//! Families on which floating point alone gives wrong verdicts, through the whole of the decision:
//! verdicts, bounds, certificates and counterexamples.

use boundedness::{BufferVerdict, Encoding, Outcome, Search, check};
use certify::Certificate;
use cfsm_core::families::{Ratio, chain, near_parallel, ring};
use cfsm_core::ids::Id;
use cfsm_core::system::{BufferId, ClassId, System};
use integration_tests::{combination, naive};
use num_bigint::BigInt;

/// Checks in both forms, searching in floats and without; certificates and counterexamples are
/// verified.
fn check_all_ways(system: &System) -> Vec<Outcome> {
    let mut outcomes = Vec::new();
    for encoding in [Encoding::Flow, Encoding::Cycles] {
        for search in [Search::Float, Search::Exact] {
            let outcome =
                check(system, &ilp_encode::Options { encoding, search, ..Default::default() }.into());
            let certificate = outcome.verdict.certificate().expect("there are no limits");
            assert!(naive::holds(system, certificate), "{} {encoding:?} {search:?}", system.name);
            let read = Certificate::from_json(&certificate.to_json()).expect("it is a certificate");
            assert!(certify::check(system, read).is_ok());
            assert_eq!(outcome.coarse_bounds, None);
            for (buffer, verdict) in outcome.buffers.iter() {
                if let BufferVerdict::CanGrow { combination } = verdict {
                    let verified = combination::verify(system, &outcome.combinations[*combination], buffer);
                    assert_eq!(verified, Ok(()), "{} {encoding:?} {search:?}", system.name);
                }
            }
            outcomes.push(outcome);
        }
    }
    outcomes
}

/// Everything is bounded, by 0: nothing is there to begin with.
fn assert_empty(system: &System) {
    for outcome in check_all_ways(system) {
        assert!(outcome.verdict.is_proved(), "{}", system.name);
        let empty = |verdict: &BufferVerdict| *verdict == BufferVerdict::Bounded { bound: BigInt::ZERO };
        assert!(outcome.buffers.values().all(empty), "{}: {:?}", system.name, outcome.buffers);
    }
}

fn assert_all_grow(system: &System) {
    for outcome in check_all_ways(system) {
        let grows = |verdict: &BufferVerdict| matches!(verdict, BufferVerdict::CanGrow { .. });
        assert!(outcome.buffers.values().all(grows), "{}: {:?}", system.name, outcome.buffers);
    }
}

/// The same system with a class that puts `seed` messages into its first buffer, once.
fn seeded(mut system: System, seed: u32) -> System {
    use cfsm_core::system::{Class, Direction, Event, State, Transition};
    let class = ClassId::new(system.classes.len());
    let [before, after] = ["before", "after"]
        .map(|name| system.states.push(State { class, name: name.into(), always_ready: false }));
    system.classes.push(Class { name: "Seed".into(), instances: 1, initial: before });
    let (message, _) = system.messages.iter().next().expect("there are messages");
    let events = vec![Event { direction: Direction::Send, message, count: seed }];
    system.transitions.push(Transition {
        source: before,
        target: after,
        events,
        creates: Vec::new(),
        data: Vec::new(),
        progress: false,
        origin: None,
    });
    assert_eq!(system.validate(), Ok(()));
    system
}

#[test]
fn rings_that_lose_a_little_are_bounded() {
    assert_empty(&ring(84, Ratio::DOUBLE, 53, Ratio::THIRD));
    assert_empty(&ring(65, Ratio::HALF, 41, Ratio::TRIPLE));
}

#[test]
fn rings_that_gain_a_little_grow() {
    assert_all_grow(&ring(84, Ratio::HALF, 53, Ratio::TRIPLE));
    assert_all_grow(&ring(65, Ratio::DOUBLE, 41, Ratio::THIRD));
}

#[test]
fn chains_are_bounded_without_a_leak_and_grow_there_with_one() {
    assert_empty(&chain(25, 3, false));
    let system = chain(25, 3, true);
    for outcome in check_all_ways(&system) {
        let growing =
            outcome.buffers.iter().filter(|(_, verdict)| matches!(verdict, BufferVerdict::CanGrow { .. }));
        let growing: Vec<&str> = growing.map(|(id, _)| system.buffers[id].name.as_str()).collect();
        assert_eq!(growing, ["z"]);
    }
}

#[test]
fn nearly_parallel_effects_grow() {
    for m in [1_000, 10_000_000, 1_000_000_000] {
        assert_all_grow(&near_parallel(m));
    }
}

/// With one message to begin with, each turn over makes 65536 out of one, then one out of 65537:
/// bounds beyond what a float, or a machine integer, holds exactly.
#[test]
fn bounds_are_exact_beyond_all_machine_numbers() {
    let system = seeded(ring(8, Ratio { takes: 1, sends: 65_536 }, 8, Ratio { takes: 65_537, sends: 1 }), 1);
    let mut expected: Vec<BigInt> = (0..=8_u32).map(|k| BigInt::from(65_536).pow(k)).collect();
    for k in 1..8_u32 {
        // On the way down there are fractions, which the floor cuts off.
        expected.push(BigInt::from(65_536).pow(8) / BigInt::from(65_537).pow(k));
    }
    for outcome in check_all_ways(&system) {
        for (k, bound) in expected.iter().enumerate() {
            let expected = BufferVerdict::Bounded { bound: bound.clone() };
            assert_eq!(outcome.buffers[BufferId::new(k)], expected, "q{k}");
        }
    }
}

/// A chain with something in it: three to the power of how far it has come.
#[test]
fn a_seeded_chain_has_powers_of_three_for_bounds() {
    let system = seeded(chain(25, 3, false), 1);
    for outcome in check_all_ways(&system) {
        let bound = |name: &str| {
            let (id, _) = system.buffers.iter().find(|(_, buffer)| buffer.name == name).unwrap();
            outcome.buffers[id].clone()
        };
        for i in 0..=25_u32 {
            let expected = BufferVerdict::Bounded { bound: BigInt::from(3).pow(i) };
            assert_eq!(bound(&format!("a{i}")), expected);
            assert_eq!(bound(&format!("b{i}")), expected);
        }
    }
}
