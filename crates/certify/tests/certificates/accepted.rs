//! What is accepted, and what it then says.

use certify::{BoundedClaim, Certificate, Claim, check};
use cfsm_core::ids::Id;
use cfsm_core::system::{BufferId, MessageId, StateId, SystemBuilder};
use num_bigint::BigInt;

use crate::machines::*;

#[test]
fn the_two_processes_hold_13_and_4() {
    let checked = check(&two_processes(), two_processes_certificate()).unwrap();
    let bounds: Vec<(String, String)> =
        checked.bounds().map(|(buffer, bound)| (buffer.to_owned(), bound.to_string())).collect();
    assert_eq!(bounds, [("AB".into(), "13".into()), ("BA".into(), "4".into())]);
    assert_eq!(&*checked, &two_processes_certificate());
}

#[test]
fn creation_and_rendezvous_are_accounted_for() {
    let checked = check(&rendezvous(), rendezvous_certificate()).unwrap();
    assert_eq!(checked.bound("jobs"), Some(&2.into()));
    assert_eq!(checked.bound("door"), None);
    assert_eq!(checked.into_inner(), rendezvous_certificate());
}

#[test]
fn of_several_bounds_the_least_counts() {
    let mut both = two_processes_claim("AB", 13, 1);
    both.buffers.push("BA".into());
    // Slack is allowed.
    let loose = two_processes_claim("AB", 99, 1);
    for claims in [[both.clone(), loose.clone()], [loose, both]] {
        let certificate = Certificate::new(&two_processes(), claims.map(Claim::Bounded));
        let checked = check(&two_processes(), certificate).unwrap();
        let thirteen = BigInt::from(13);
        assert!(checked.bounds().eq([("AB", &thirteen), ("BA", &thirteen)]));
    }
}

#[test]
fn numbers_have_no_limit() {
    let scale = BigInt::from(10).pow(60) + 7;
    let mut claim = two_processes_claim("AB", 13, 1);
    claim.denominator *= &scale;
    for weight in claim.messages.values_mut().chain(claim.states.values_mut()) {
        *weight *= &scale;
    }
    let certificate = Certificate::new(&two_processes(), [Claim::Bounded(claim.clone())]);
    assert!(check(&two_processes(), certificate).is_ok());

    // The last digit decides: the initial potential must stay below 14 times the denominator.
    let mut with_start = |change: &BigInt| {
        *claim.states.get_mut("Right@s0'").unwrap() += change;
        let certificate = Certificate::new(&two_processes(), [Claim::Bounded(claim.clone())]);
        check(&two_processes(), certificate).is_ok()
    };
    assert!(!with_start(&scale));
    assert!(with_start(&BigInt::from(-1)));
}

#[test]
fn instances_weigh_each() {
    let mut b = SystemBuilder::new("many");
    let m = b.message("q", "");
    b.class("P", 1000).send("0", m, "1");
    let system = b.build().unwrap();
    let claim = |bound: i64| BoundedClaim {
        buffers: vec!["q".into()],
        bound: bound.into(),
        denominator: 1.into(),
        messages: weights(&[("q", 1)]),
        data: weights(&[]),
        states: weights(&[("P@0", 1)]),
    };
    let bounded = |bound| Certificate::new(&system, [Claim::Bounded(claim(bound))]);
    assert!(check(&system, bounded(1000)).is_ok());
    assert!(check(&system, bounded(999)).is_err());
}

#[test]
fn a_certificate_without_claims_claims_nothing() {
    let checked = check(&two_processes(), Certificate::new(&two_processes(), [])).unwrap();
    assert_eq!(checked.bounds().count(), 0);
}

#[test]
fn a_claim_by_ids_is_the_claim_by_names() {
    let numbers = |all: &[i64]| all.iter().copied().map(BigInt::from).collect::<Vec<_>>();
    let messages = numbers(&[1, 2, 3]).into_iter();
    let states = numbers(&[7, 7, 1, 0, 6, 0, 1]).into_iter();
    let claim = BoundedClaim::new(
        &two_processes(),
        [BufferId::new(0)],
        13.into(),
        1.into(),
        messages.enumerate().map(|(id, weight)| (MessageId::new(id), weight)),
        states.enumerate().map(|(id, weight)| (StateId::new(id), weight)),
    );
    assert_eq!(claim, two_processes_claim("AB", 13, 1));
}
