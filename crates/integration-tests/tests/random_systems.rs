//! What must hold of every system, tried on random ones.

use std::collections::BTreeSet;

use boundedness::{Behaviour, BufferVerdict, Encoding, Options, Outcome, Search};
use certify::{BoundedClaim, Certificate, Claim};
use cfsm_core::ids::Id;
use cfsm_core::system::{BufferId, BufferKind, MessageId, System};
use cfsm_core::testing::{SystemShape, systems};
use integration_tests::systems::{tamed, with_data};
use integration_tests::walk::{Configuration, Order, explore};
use integration_tests::{cases, combination, naive, reference};
use num_bigint::BigInt;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;

/// The outcome. The kernel has to accept what is found.
fn check(system: &System, options: &Options) -> Outcome {
    let outcome = boundedness::check(system, options);
    assert!(outcome.rejected.is_empty(), "{:?} of {system:#?}", outcome.rejected);
    outcome
}

/// Configurations that a search looks at.
const CONFIGURATIONS: usize = 1500;

/// Full of creation and rendezvous.
fn crowded() -> SystemShape {
    SystemShape { creates: 0.5, rendezvous: 0.4, instances: 0..=3, ..SystemShape::full() }
}

/// With instances and transitions enough that something happens.
fn busy(shape: SystemShape) -> SystemShape {
    SystemShape { instances: 1..=3, transitions: 3..=8, ..shape }
}

/// Small enough for searches that come to an end, and with transitions enough that something
/// happens.
fn tiny() -> SystemShape {
    SystemShape {
        classes: 1..=2,
        instances: 1..=2,
        states: 2..=4,
        transitions: 3..=6,
        buffers: 1..=2,
        ..SystemShape::full()
    }
}

fn any_system() -> impl Strategy<Value = System> {
    prop_oneof![
        1 => systems(SystemShape::plain()),
        1 => systems(SystemShape::full()),
        1 => systems(crowded()),
        3 => tamed(busy(SystemShape::full())),
        3 => tamed(busy(crowded())),
        3 => tamed(tiny()),
        2 => with_data(tamed(busy(SystemShape::full()))),
        2 => with_data(systems(crowded())),
    ]
}

/// Every way to work, with its name.
fn ways() -> Vec<(String, Options)> {
    let encodings = [Encoding::Flow, Encoding::Cycles].into_iter();
    let ways = encodings.flat_map(|encoding| [Search::Float, Search::Exact].map(|search| (encoding, search)));
    ways.map(|(encoding, search)| {
        (
            format!("{encoding:?} {search:?}"),
            ilp_encode::Options { encoding, search, ..Default::default() }.into(),
        )
    })
    .collect()
}

/// The proved bounds, for what has one.
fn bounds(outcome: &Outcome) -> Vec<(BufferId, BigInt)> {
    let bound = |(id, verdict): (BufferId, &BufferVerdict)| match verdict {
        BufferVerdict::Bounded { bound } => Some((id, bound.clone())),
        _ => None,
    };
    outcome.buffers.iter().filter_map(bound).collect()
}

/// The message types that some counterexample makes grow.
fn growing(outcome: &Outcome) -> BTreeSet<MessageId> {
    let all = (0..outcome.combinations.len()).flat_map(|combination| outcome.gains(combination));
    all.map(|(message, _)| message).collect()
}

/// Whether more messages are in a buffer than proved, and in which.
fn exceeded(load: impl Fn(BufferId) -> usize, bounds: &[(BufferId, BigInt)]) -> Option<BufferId> {
    bounds.iter().find(|(buffer, bound)| BigInt::from(load(*buffer)) > *bound).map(|(buffer, _)| *buffer)
}

proptest! {
    #![proptest_config(cases(500))]

    /// Both forms and both searches give the verdicts and the bounds that the state equation gives.
    #[test]
    fn all_ways_say_what_the_state_equation_says(system in any_system()) {
        let stored: Vec<MessageId> = system.messages.ids().filter(|id| !system.is_rendezvous(*id)).collect();
        let can_grow: BTreeSet<MessageId> =
            stored.into_iter().filter(|id| reference::can_grow(&system, *id)).collect();
        let queues = system.buffers.iter().filter(|(_, buffer)| buffer.kind == BufferKind::Queue);
        let least: Vec<(BufferId, BigInt)> =
            queues.filter_map(|(id, _)| Some((id, reference::bound(&system, id)?))).collect();
        for (way, options) in ways() {
            let outcome = check(&system, &options);
            prop_assert_eq!(&growing(&outcome), &can_grow, "{}", way);
            prop_assert_eq!(&bounds(&outcome), &least, "{}", way);
        }
    }

    /// Without limits every queue has a bound or a counterexample, and the whole is proved iff all
    /// have bounds.
    #[test]
    fn nothing_is_left_open(system in any_system()) {
        for (way, options) in ways() {
            let outcome = check(&system, &options);
            prop_assert_eq!(outcome.buffers.len(), system.buffers.len());
            for (id, verdict) in outcome.buffers.iter() {
                match (system.buffers[id].kind, verdict) {
                    (BufferKind::Rendezvous, BufferVerdict::Rendezvous) => {}
                    (BufferKind::Queue, BufferVerdict::Bounded { bound }) => prop_assert!(*bound >= BigInt::ZERO),
                    (BufferKind::Queue, BufferVerdict::CanGrow { .. }) => {}
                    (_, other) => prop_assert!(false, "{}: {:?} is {}", way, id, other),
                }
            }
            let grows = outcome.buffers.values().any(|verdict| matches!(verdict, BufferVerdict::CanGrow { .. }));
            prop_assert_eq!(outcome.verdict.is_proved(), !grows);
            prop_assert_eq!(outcome.coarse_bounds, None);
        }
    }

    /// What is claimed is what the certificate claims, and it stands up to a checker of our own
    /// and, after being written and read, to that of the product.
    #[test]
    fn certificates_prove_the_bounds(system in any_system()) {
        for (way, options) in ways() {
            let outcome = check(&system, &options);
            let certificate: &Certificate = outcome.verdict.certificate().expect("there are no limits");
            prop_assert!(naive::holds(&system, certificate), "{}: {:#?}", way, certificate);
            let (text, of) = (certificate.to_json(), certify::write_system(&system));
            let (read, of) = (Certificate::from_json(&text).unwrap(), certify::read_system(&of).unwrap());
            prop_assert_eq!((&read, &of), (certificate, &system));
            let checked = certify::check(&of, read);
            prop_assert!(checked.is_ok(), "{}: {:?}", way, checked);
            let checked = checked.unwrap();
            let claimed: BTreeSet<(String, BigInt)> =
                checked.bounds().map(|(name, bound)| (name.to_owned(), bound.clone())).collect();
            let reported = bounds(&outcome).into_iter().map(|(id, bound)| (system.buffers[id].name.clone(), bound));
            prop_assert_eq!(claimed, reported.collect::<BTreeSet<_>>());
        }
    }

    /// A counterexample is one.
    #[test]
    fn counterexamples_add_up(system in any_system()) {
        for (way, options) in ways() {
            let outcome = check(&system, &options);
            for (buffer, verdict) in outcome.buffers.iter() {
                if let BufferVerdict::CanGrow { combination } = verdict {
                    let verified = combination::verify(&system, &outcome.combinations[*combination], buffer);
                    prop_assert_eq!(verified, Ok(()), "{}: {:#?}", way, &outcome.combinations[*combination]);
                }
            }
        }
    }

    /// No run with message order exceeds a bound, whether it goes anywhere or after full buffers.
    #[test]
    fn no_run_exceeds_a_bound(
        system in any_system(),
        walks in vec(vec((any::<Index>(), any::<bool>()), 40), 4),
    ) {
        let bounds = bounds(&check(&system, &Options::default()));
        for walk in walks {
            let mut at = Configuration::initial(&system);
            for (choice, greedy) in walk {
                let mut successors = at.successors(&system, Order::Fifo);
                if greedy {
                    let most = successors.iter().map(Configuration::total_load).max();
                    successors.retain(|next| Some(next.total_load()) == most);
                }
                if successors.is_empty() {
                    break;
                }
                at = successors.swap_remove(choice.index(successors.len()));
                prop_assert_eq!(exceeded(|buffer| at.load(buffer), &bounds), None, "{:#?}", &at);
            }
        }
    }

    /// Nor does anything that can be reached in few steps, or at all, even without message order.
    #[test]
    fn no_search_exceeds_a_bound(system in prop_oneof![2 => tamed(tiny()), 2 => with_data(systems(tiny())), 1 => any_system()]) {
        let bounds = bounds(&check(&system, &Options::default()));
        for order in [Order::Any, Order::Fifo] {
            let seen = explore(&system, order, CONFIGURATIONS);
            prop_assert_eq!(exceeded(|buffer| seen.most[buffer.index()], &bounds), None, "{:?}", order);
        }
    }
}

/// The properties above would say little of systems in which nothing happens.
#[test]
fn much_happens_in_random_systems() {
    let mut runner = TestRunner::deterministic();
    let strategy = any_system();
    let (mut growing, mut bounded, mut reached, mut complete, mut paths, mut weighty) = (0, 0, 0, 0, 0, 0);
    for _ in 0..400 {
        let system = strategy.new_tree(&mut runner).unwrap().current();
        let outcome = check(&system, &Options::default());
        let seen = explore(&system, Order::Any, CONFIGURATIONS);
        let positive: Vec<_> =
            bounds(&outcome).into_iter().filter(|(_, bound)| *bound > BigInt::ZERO).collect();
        growing += usize::from(!outcome.combinations.is_empty());
        bounded += positive.len();
        let is_reached =
            |(buffer, bound): &&(BufferId, BigInt)| BigInt::from(seen.most[buffer.index()]) == *bound;
        reached += positive.iter().filter(is_reached).count();
        complete += usize::from(seen.complete && seen.configurations > 3);
        let parts = outcome.combinations.iter().flat_map(|combination| &combination.parts);
        paths += parts.filter(|(part, _)| matches!(part, Behaviour::Path(..))).count();
        let claims = &outcome.verdict.certificate().unwrap().claims;
        let weighty_one = |claim: &&BoundedClaim| claim.states.len() > 1 && claim.messages.len() > 1;
        weighty += claims.iter().filter_map(Claim::bounded).filter(weighty_one).count();
    }
    let counts = [growing, bounded, reached, complete, paths, weighty];
    assert!(counts.iter().zip([60, 100, 50, 50, 5, 20]).all(|(count, least)| *count >= least), "{counts:?}");
}
