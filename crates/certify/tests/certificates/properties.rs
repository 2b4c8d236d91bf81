//! Random certificates against the conditions computed the long way round, and against random runs.

use std::collections::BTreeSet;

use certify::{BoundedClaim, Certificate, Claim, check};
use cfsm_core::ids::Id;
use cfsm_core::system::{BufferKind, MessageId, StateId, System, Transition};
use cfsm_core::testing::{SystemShape, systems};
use num_bigint::BigInt;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;

use crate::machines::*;
use crate::walk::{Configuration, retain};

/// Weights by position, as machine integers: what the tests compute with.
#[derive(Clone, Debug)]
struct Potential {
    messages: Vec<i128>,
    states: Vec<i128>,
}

impl Potential {
    fn of(system: &System, claim: &BoundedClaim) -> Self {
        let weight = |weight: Option<&BigInt>| weight.map_or(0, small);
        Self {
            messages: system
                .messages
                .ids()
                .map(|id| weight(claim.messages.get(&system.message_name(id))))
                .collect(),
            states: system.states.ids().map(|id| weight(claim.states.get(&system.state_name(id)))).collect(),
        }
    }

    /// The potential of tokens, counted by place and with sign.
    fn of_tokens(&self, messages: &[i128], states: &[i128]) -> i128 {
        let sum = |weights: &[i128], tokens: &[i128]| -> i128 {
            weights.iter().zip(tokens).map(|(weight, n)| weight * n).sum()
        };
        sum(&self.messages, messages) + sum(&self.states, states)
    }

    /// What a transition adds: the potential of its column of the incidence matrix.
    fn change(&self, system: &System, transition: &Transition) -> i128 {
        let messages: Vec<i128> = system.messages.ids().map(|id| transition.effect().of(id).into()).collect();
        let mut states = vec![0; system.states.len()];
        states[transition.target.index()] += 1;
        states[transition.source.index()] -= 1;
        for class in &transition.creates {
            states[system.classes[*class].initial.index()] += 1;
        }
        self.of_tokens(&messages, &states)
    }

    fn initial(&self, system: &System) -> i128 {
        let mut states = vec![0; system.states.len()];
        for class in system.classes.values() {
            states[class.initial.index()] += i128::from(class.instances);
        }
        self.of_tokens(&[], &states)
    }
}

fn small(number: &BigInt) -> i128 {
    number.try_into().expect("the tests use small numbers")
}

/// The conditions of the theorem, for claims whose names are all right.
fn holds(system: &System, claim: &BoundedClaim) -> bool {
    let potential = Potential::of(system, claim);
    let (bound, denominator) = (small(&claim.bound), small(&claim.denominator));
    let heavy = system.messages.ids().all(|id| {
        let weight = potential.messages[id.index()];
        let buffer = &system.buffers[system.messages[id].buffer];
        let is_claimed = claim.buffers.contains(&buffer.name);
        system.is_rendezvous(id) || weight >= if is_claimed { denominator } else { 0 }
    });
    let mut transitions = system.transitions.values();
    denominator > 0
        && bound >= 0
        && heavy
        && potential.states.iter().all(|&weight| weight >= 0)
        && transitions.all(|transition| potential.change(system, transition) <= 0)
        && potential.initial(system) < (bound + 1) * denominator
}

/// Weights drawn at random.
#[derive(Clone, Debug)]
struct Draw {
    /// Which queues to claim, one bit each.
    claimed: u8,
    denominator: i128,
    potential: Potential,
}

fn draws() -> impl Strategy<Value = Draw> {
    // Within the sizes of `SystemShape::full`: 3 buffers of 2 message types, 3 classes of 4 states.
    let weights = (vec(-4..=4_i128, 6), vec(0..=12_i128, 12));
    (any::<u8>(), 1..=3_i128, weights).prop_map(|(claimed, denominator, (messages, states))| Draw {
        claimed,
        denominator,
        potential: Potential { messages, states },
    })
}

/// Makes a random potential prove something: lifts the weights that are too small, drops the
/// transitions that raise it, and claims the bound that it gives. `None` if there is no queue.
fn certified((mut system, draw): (System, Draw)) -> Option<(System, Certificate)> {
    let Draw { claimed, denominator, mut potential } = draw;
    let queues = || system.buffers.iter().filter(|(_, buffer)| buffer.kind == BufferKind::Queue);
    let mut buffers: BTreeSet<_> =
        queues().map(|(id, _)| id).filter(|id| claimed >> id.index() & 1 == 1).collect();
    if buffers.is_empty() {
        buffers.insert(queues().next()?.0);
    }
    for (id, message) in system.messages.iter() {
        let weight = &mut potential.messages[id.index()];
        match system.buffers[message.buffer].kind {
            BufferKind::Rendezvous => {}
            BufferKind::Queue if buffers.contains(&message.buffer) => *weight = (*weight).max(denominator),
            BufferKind::Queue | BufferKind::Environment => *weight = weight.abs(),
        }
    }
    potential.messages.truncate(system.messages.len());
    potential.states.truncate(system.states.len());
    retain(&mut system, |system, transition| potential.change(system, transition) <= 0);
    let bound = potential.initial(&system) / denominator;
    let messages = potential.messages.iter().enumerate();
    let states = potential.states.iter().enumerate();
    let claim = BoundedClaim::new(
        &system,
        buffers,
        bound.into(),
        denominator.into(),
        messages.map(|(id, &weight)| (MessageId::new(id), weight.into())),
        states.map(|(id, &weight)| (StateId::new(id), weight.into())),
    );
    let certificate = Certificate::new(&system, [Claim::Bounded(claim)]);
    Some((system, certificate))
}

/// Systems with certificates that hold: random ones, and those made by hand.
fn valid() -> impl Strategy<Value = (System, Certificate)> {
    let random = (systems(SystemShape::full()), draws()).prop_filter_map("no queue to claim", certified);
    prop_oneof![
        6 => random,
        1 => Just((two_processes(), two_processes_certificate())),
        1 => Just((rendezvous(), rendezvous_certificate())),
    ]
}

/// Changes one number of one claim.
fn forge(system: &System, certificate: &Certificate, which: prop::sample::Index, by: i64) -> Certificate {
    let mut certificate = certificate.clone();
    let claim = which.index(certificate.claims.len());
    let Claim::Bounded(claim) = &mut certificate.claims[claim] else { panic!("a claim on buffers") };
    let messages = system.messages.ids().map(|id| system.message_name(id));
    let states = system.states.ids().map(|id| system.state_name(id));
    for name in messages {
        claim.messages.entry(name).or_default();
    }
    for name in states {
        claim.states.entry(name).or_default();
    }
    let mut numbers: Vec<&mut BigInt> = vec![&mut claim.bound, &mut claim.denominator];
    numbers.extend(claim.messages.values_mut());
    numbers.extend(claim.states.values_mut());
    let number = which.index(numbers.len());
    *numbers[number] += by;
    certificate
}

fn all_hold(system: &System, certificate: &Certificate) -> bool {
    certificate.claims.iter().all(|claim| claim.bounded().is_some_and(|claim| holds(system, claim)))
}

proptest! {
    #[test]
    fn what_holds_is_accepted((system, certificate) in valid()) {
        prop_assert!(all_hold(&system, &certificate));
        prop_assert_eq!(check(&system, certificate).err(), None);
    }

    #[test]
    fn one_changed_number_is_accepted_only_if_all_still_holds(
        (system, certificate) in valid(), which: prop::sample::Index, by in -3..=3_i64,
    ) {
        let forged = forge(&system, &certificate, which, by);
        let holds = all_hold(&system, &forged);
        prop_assert_eq!(check(&system, forged).is_ok(), holds);
    }

    #[test]
    fn no_run_exceeds_a_checked_bound(
        (system, certificate) in valid(), which: prop::sample::Index, by in -3..=3_i64,
        choices in vec(any::<prop::sample::Index>(), 60),
    ) {
        let forged = forge(&system, &certificate, which, by);
        let checked = match check(&system, forged) {
            Ok(checked) => checked,
            Err(_) => check(&system, certificate).expect("valid"),
        };
        let mut at = Configuration::initial(&system);
        for choice in choices {
            for claim in checked.claims.iter().filter_map(Claim::bounded) {
                prop_assert!(BigInt::from(at.load(&system, &claim.buffers)) <= claim.bound);
            }
            let mut successors = at.successors(&system);
            if successors.is_empty() {
                break;
            }
            at = successors.swap_remove(choice.index(successors.len()));
        }
    }
}

/// The properties above would say little if nearly everything were accepted, or nearly nothing.
#[test]
fn forgeries_go_both_ways() {
    let mut runner = TestRunner::deterministic();
    let strategy = (valid(), any::<prop::sample::Index>(), -3..=3_i64);
    let accepted = (0..400)
        .filter(|_| {
            let ((system, certificate), which, by) = strategy.new_tree(&mut runner).unwrap().current();
            check(&system, forge(&system, &certificate, which, by)).is_ok()
        })
        .count();
    assert!((100..300).contains(&accepted), "{accepted} of 400");
}

/// All that the two processes can do without message order: 12 messages in AB and 4 in BA, where 13
/// and 4 are proved.
#[test]
fn the_two_processes_come_close_to_their_bounds() {
    let system = two_processes();
    let start = Configuration::initial(&system);
    let mut seen = BTreeSet::from([start.clone()]);
    let mut open = vec![start];
    while let Some(at) = open.pop() {
        let new = at.successors(&system).into_iter();
        open.extend(new.filter(|next| seen.insert(next.clone())));
    }
    let most = |buffer: &str| seen.iter().map(|at| at.load(&system, &[buffer.into()])).max();
    assert_eq!((most("AB"), most("BA")), (Some(12), Some(4)));
}
