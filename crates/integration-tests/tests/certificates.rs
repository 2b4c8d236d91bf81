//! Certificates with one number changed: accepted if and only if all conditions still hold.

use boundedness::{Options, check};
use certify::{BoundedClaim, Certificate, Claim};
use cfsm_core::system::{System, SystemBuilder};
use cfsm_core::testing::SystemShape;
use integration_tests::systems::tamed;
use integration_tests::{cases, naive};
use num_bigint::BigInt;
use proptest::prelude::*;
use proptest::sample::Index;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;

/// The two processes of thesis Fig. 5.2, one transition per arc.
fn two_processes() -> System {
    let mut b = SystemBuilder::new("two-processes");
    let [jam, bread] = ["jam", "bread"].map(|name| b.message("AB", name));
    let bell = b.message("BA", "bell");
    b.class("Kitchen", 1)
        .step("start", &[], "open")
        .step("open", &[(bell, -1), (bread, 2)], "early")
        .step("open", &[(bell, -1), (bread, 5)], "late")
        .step("early", &[(bell, -1), (jam, 2), (bread, 1)], "late")
        .step("late", &[(bell, -1), (jam, 2)], "early");
    b.class("Table", 1).step("start", &[(bell, 2)], "free").receive("free", jam, "set").step(
        "set",
        &[(bread, -1), (bell, 1)],
        "free",
    );
    b.build().expect("names are given once")
}

fn certificate(system: &System) -> Certificate {
    let outcome = check(system, &Options::default());
    outcome.verdict.certificate().expect("there are no limits").clone().into_inner()
}

/// Systems whose certificates claim something.
fn certified() -> impl Strategy<Value = (System, Certificate)> {
    let shape = SystemShape { instances: 1..=3, transitions: 3..=6, creates: 0.2, ..SystemShape::full() };
    let system = prop_oneof![1 => Just(two_processes()), 3 => tamed(shape)];
    system.prop_filter_map("nothing is bounded", |system| {
        let certificate = certificate(&system);
        (!certificate.claims.is_empty()).then_some((system, certificate))
    })
}

/// Adds to one number of one claim: its bound, its denominator, or the weight of a place, be it 0
/// so far.
fn forged(system: &System, certificate: &Certificate, [claim, number]: [Index; 2], by: i64) -> Certificate {
    let mut certificate = certificate.clone();
    let claim = claim.index(certificate.claims.len());
    let Claim::Bounded(claim) = &mut certificate.claims[claim] else { panic!("a claim on buffers") };
    for message in system.messages.ids() {
        claim.messages.entry(system.message_name(message)).or_default();
    }
    for state in system.states.ids() {
        claim.states.entry(system.state_name(state)).or_default();
    }
    let mut numbers: Vec<&mut BigInt> = vec![&mut claim.bound, &mut claim.denominator];
    numbers.extend(claim.messages.values_mut());
    numbers.extend(claim.states.values_mut());
    let at = number.index(numbers.len());
    *numbers[at] += by;
    certificate
}

proptest! {
    #![proptest_config(cases(2000))]

    #[test]
    fn a_changed_number_is_accepted_iff_all_still_holds(
        (system, certificate) in certified(),
        which in any::<[Index; 2]>(),
        by in prop_oneof![-3..=3_i64, Just(i64::MAX), Just(i64::MIN)],
    ) {
        let forged = forged(&system, &certificate, which, by);
        let accepted = certify::check(&system, forged.clone());
        prop_assert_eq!(accepted.is_ok(), naive::holds(&system, &forged), "{:?} {:#?}", accepted, forged);
        // The same after being written and read.
        let read = Certificate::from_json(&forged.to_json()).unwrap();
        prop_assert_eq!(certify::check(&system, read).is_ok(), accepted.is_ok());
    }
}

/// The least bounds cannot be lowered, whatever the weights are.
#[test]
fn a_bound_less_by_one_is_rejected() {
    let system = two_processes();
    let certificate = certificate(&system);
    assert!(naive::holds(&system, &certificate));
    let bounds = |claim: &BoundedClaim| (claim.buffers.clone(), claim.bound.clone());
    let expected = [("AB", 13), ("BA", 4)].map(|(name, bound)| (vec![name.to_owned()], BigInt::from(bound)));
    assert_eq!(
        certificate.claims.iter().filter_map(Claim::bounded).map(bounds).collect::<Vec<_>>(),
        expected
    );
    for at in 0..certificate.claims.len() {
        let mut less = certificate.clone();
        let Claim::Bounded(claim) = &mut less.claims[at] else { panic!("a claim on buffers") };
        claim.bound -= 1;
        assert!(!naive::holds(&system, &less));
        assert!(certify::check(&system, less).is_err());
    }
}

/// A certificate is about one system, and about buffers that it has.
#[test]
fn a_certificate_of_something_else_is_rejected() {
    let system = two_processes();
    let certificate = certificate(&system);
    let of_another = Certificate { system: "another".into(), ..certificate.clone() };
    let of_another_version = Certificate { schema: "freeboard.certificate/0".into(), ..certificate.clone() };
    let mut of_nothing = certificate.clone();
    let Claim::Bounded(claim) = &mut of_nothing.claims[0] else { panic!("a claim on buffers") };
    claim.buffers = vec!["CD".into()];
    for forged in [of_another, of_another_version, of_nothing] {
        assert!(!naive::holds(&system, &forged));
        assert!(certify::check(&system, forged).is_err());
    }
}

/// A system that does more than the one that a certificate is about: bread for nothing, for ever.
#[test]
fn a_transition_added_makes_it_rejected() {
    let mut system = two_processes();
    let certificate = certificate(&system);
    let mut loops = system.transitions.values().filter(|transition| transition.events.len() == 3);
    let mut more = loops.next().cloned().unwrap();
    more.events.remove(0);
    more.target = more.source;
    system.transitions.push(more);
    assert!(!naive::holds(&system, &certificate));
    assert!(certify::check(&system, certificate).is_err());
}

/// The property would say little if nearly every change were accepted, or nearly none.
#[test]
fn changes_go_both_ways() {
    let mut runner = TestRunner::deterministic();
    let strategy = (certified(), any::<[Index; 2]>(), -3..=3_i64);
    let accepted = (0..300).filter(|_| {
        let ((system, certificate), which, by) = strategy.new_tree(&mut runner).unwrap().current();
        by != 0 && certify::check(&system, forged(&system, &certificate, which, by)).is_ok()
    });
    let accepted = accepted.count();
    assert!((40..240).contains(&accepted), "{accepted} of 300");
}
