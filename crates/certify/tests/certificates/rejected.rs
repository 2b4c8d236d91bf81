//! One test per line that a certificate can break, each by as little as possible.

use certify::{BoundedClaim, Certificate, Claim, Rejection, check};
use cfsm_core::ids::Id;
use cfsm_core::system::{System, SystemBuilder, TransitionId};
use num_bigint::BigInt;

use crate::machines::*;

/// What [`check`] says to a single claim.
fn rejection_of(system: &System, claim: BoundedClaim) -> String {
    match check(system, Certificate::new(system, [Claim::Bounded(claim)])) {
        Ok(_) => "accepted".into(),
        Err(rejection) => rejection.to_string(),
    }
}

/// What it says to the claim about AB after a change.
fn rejected(change: impl FnOnce(&mut BoundedClaim)) -> String {
    let mut claim = two_processes_claim("AB", 13, 1);
    change(&mut claim);
    rejection_of(&two_processes(), claim)
}

/// Changes the weight of a state by its name.
fn state(name: &str, weight: i64) -> impl FnOnce(&mut BoundedClaim) {
    move |claim| {
        claim.states.insert(name.into(), weight.into());
    }
}

/// Changes the weight of a message type by its name.
fn message(name: &str, weight: i64) -> impl FnOnce(&mut BoundedClaim) {
    move |claim| {
        claim.messages.insert(name.into(), weight.into());
    }
}

#[test]
fn an_unknown_schema() {
    let mut certificate = two_processes_certificate();
    certificate.schema = "freeboard.certificate/1".into();
    assert_eq!(
        check(&two_processes(), certificate).unwrap_err().to_string(),
        "the certificate has the format `freeboard.certificate/1`, and this version checks \
         `freeboard.certificate/2`: make it again with `freeboard check --certificate`"
    );
}

#[test]
fn another_system() {
    let rejection = check(&rendezvous(), two_processes_certificate()).unwrap_err();
    assert_eq!(
        rejection.to_string(),
        "the certificate is for the system `two-processes`, not for `rendezvous`"
    );
}

/// What a claim says is proved for the system that is there. Where somebody's file of it stands
/// proves nothing.
#[test]
fn the_directory_of_the_system_is_no_condition() {
    let renamed = System { name: "./two-processes".into(), ..two_processes() };
    assert!(check(&renamed, two_processes_certificate()).is_ok());
    let mut other = two_processes();
    other.classes[Id::new(0)].instances += 1;
    let rejection = check(&other, two_processes_certificate()).unwrap_err().to_string();
    assert!(rejection.starts_with("claim 1, on AB: the initial potential is"), "{rejection}");
}

#[test]
fn an_invalid_system() {
    let mut system = two_processes();
    system.transitions[TransitionId::new(0)].target = Id::new(99);
    let rejection = check(&system, two_processes_certificate()).unwrap_err();
    assert_eq!(
        rejection.to_string(),
        "the system is not valid: transition0 refers to state99, which does not exist"
    );
}

#[test]
fn the_claim_is_named_by_its_number() {
    let mut certificate = two_processes_certificate();
    let Claim::Bounded(second) = &mut certificate.claims[1] else { panic!("a claim on buffers") };
    second.buffers.push("CA".into());
    assert_eq!(
        check(&two_processes(), certificate).unwrap_err().to_string(),
        "claim 2, on BA, CA: the system has no buffer `CA`"
    );
}

#[test]
fn no_buffer() {
    assert_eq!(
        rejected(|claim| claim.buffers.clear()),
        "claim 1, on no buffer: no buffer is claimed to be bounded"
    );
}

#[test]
fn unknown_names() {
    assert_eq!(
        rejected(|claim| claim.buffers = vec!["ab".into()]),
        "claim 1, on ab: the system has no buffer `ab`"
    );
    assert_eq!(rejected(message("AB(z)", 0)), "claim 1, on AB: the system has no message type `AB(z)`");
    assert_eq!(rejected(state("Left@s9", 0)), "claim 1, on AB: the system has no state `Left@s9`");
    // A state is not a message type.
    assert_eq!(rejected(message("Left@s0", 1)), "claim 1, on AB: the system has no message type `Left@s0`");
}

#[test]
fn a_buffer_twice() {
    assert_eq!(
        rejected(|claim| claim.buffers.push("AB".into())),
        "claim 1, on AB, AB: the buffer `AB` is named twice"
    );
}

#[test]
fn a_rendezvous_buffer() {
    let mut claim = rendezvous_claim();
    claim.buffers.push("door".into());
    assert_eq!(
        rejection_of(&rendezvous(), claim),
        "claim 1, on jobs, door: the buffer `door` is a rendezvous and holds no messages"
    );
}

#[test]
fn denominators_that_are_not_positive() {
    assert_eq!(
        rejected(|claim| claim.denominator = 0.into()),
        "claim 1, on AB: the denominator is 0, less than 1"
    );
    // With a negative one, every message type would be heavy enough.
    assert_eq!(
        rejected(|claim| claim.denominator = (-1).into()),
        "claim 1, on AB: the denominator is -1, less than 1"
    );
}

#[test]
fn a_negative_bound() {
    assert_eq!(rejected(|claim| claim.bound = (-1).into()), "claim 1, on AB: the bound is -1, less than 0");
}

#[test]
fn messages_that_weigh_too_little() {
    assert_eq!(
        rejected(message("AB(a)", 0)),
        "claim 1, on AB: the message type `AB(a)` weighs 0, less than 1"
    );
    assert_eq!(
        rejected(|claim| {
            claim.messages.remove("AB(b)");
        }),
        "claim 1, on AB: the message type `AB(b)` weighs 0, less than 1"
    );
    // Outside of the claimed buffers 0 would do.
    assert_eq!(
        rejected(message("BA(c)", -1)),
        "claim 1, on AB: the message type `BA(c)` weighs -1, less than 0"
    );
    let mut claim = two_processes_claim("BA", 4, 3);
    claim.denominator += 1;
    assert_eq!(
        rejection_of(&two_processes(), claim),
        "claim 1, on BA: the message type `BA(c)` weighs 3, less than 4"
    );
}

#[test]
fn a_negative_state() {
    assert_eq!(rejected(state("Left@s3", -1)), "claim 1, on AB: the state `Left@s3` weighs -1, less than 0");
}

#[test]
fn a_transition_that_raises_the_potential() {
    // Each time by 1, and the four terms one after the other.
    assert_eq!(
        rejected(state("Left@s0", 6)),
        "claim 1, on AB: transition0 from `Left@s0` to `Left@s1` (no event) raises the potential: \
         0 (messages) + 7 (target) - 6 (source) + 0 (created) = 1"
    );
    assert_eq!(
        rejected(state("Left@s3", 1)),
        "claim 1, on AB: transition2 from `Left@s1` to `Left@s3` \
         (fig52.pml:12: BA?c; AB!b; AB!b; AB!b; AB!b; AB!b; receives 1 BA(c), sends 5 AB(b)) \
         raises the potential: 7 (messages) + 1 (target) - 7 (source) + 0 (created) = 1"
    );
    assert_eq!(
        rejected(message("AB(a)", 2)),
        "claim 1, on AB: transition3 from `Left@s2` to `Left@s3` \
         (receives 1 BA(c), sends 2 AB(a), sends 1 AB(b)) raises the potential: \
         3 (messages) + 0 (target) - 1 (source) + 0 (created) = 2"
    );
    assert_eq!(
        rejected(state("Right@s2'", 0)),
        "claim 1, on AB: transition7 from `Right@s2'` to `Right@s1'` \
         (receives 1 AB(b), sends 1 BA(c)) raises the potential: \
         1 (messages) + 0 (target) - 0 (source) + 0 (created) = 1"
    );
}

#[test]
fn a_created_instance_that_raises_the_potential() {
    let mut claim = rendezvous_claim();
    claim.states.insert("Server@wait".into(), 2.into());
    assert_eq!(
        rejection_of(&rendezvous(), claim),
        "claim 1, on jobs: transition1 from `Client@start` to `Client@meet` (creates Server) \
         raises the potential: 0 (messages) + 0 (target) - 1 (source) + 2 (created) = 1"
    );
}

#[test]
fn each_half_of_a_rendezvous_must_not_raise_the_potential() {
    let mut claim = rendezvous_claim();
    claim.messages.insert("door(hello)".into(), (-2).into());
    assert_eq!(
        rejection_of(&rendezvous(), claim),
        "claim 1, on jobs: transition0 from `Server@wait` to `Server@end` (receives 1 door(hello)) \
         raises the potential: 2 (messages) + 0 (target) - 1 (source) + 0 (created) = 1"
    );
    let mut claim = rendezvous_claim();
    claim.messages.remove("door(hello)");
    assert_eq!(
        rejection_of(&rendezvous(), claim),
        "claim 1, on jobs: transition2 from `Client@meet` to `Client@work` (sends 1 door(hello)) \
         raises the potential: 0 (messages) + 1 (target) - 0 (source) + 0 (created) = 1"
    );
}

#[test]
fn a_class_that_creates_itself() {
    let mut b = SystemBuilder::new("fork");
    let m = b.message("q", "m");
    let class = b.class("P", 1).send("0", m, "1").id();
    b.class_again(class).create("0", class, "0");
    let system = b.build().unwrap();
    let claim = BoundedClaim {
        buffers: vec!["q".into()],
        bound: 1.into(),
        denominator: 1.into(),
        messages: weights(&[("q(m)", 1)]),
        data: weights(&[]),
        states: weights(&[("P@0", 1)]),
    };
    assert_eq!(
        rejection_of(&system, claim),
        "claim 1, on q: transition1 from `P@0` to `P@0` (creates P) raises the potential: \
         0 (messages) + 1 (target) - 1 (source) + 1 (created) = 1"
    );
}

#[test]
fn too_much_at_the_start() {
    assert_eq!(
        rejected(|claim| claim.bound -= 1),
        "claim 1, on AB: the initial potential is 13, not less than 13: (bound 12 + 1) * denominator 1"
    );
    assert_eq!(
        rejection_of(&two_processes(), two_processes_claim("BA", 3, 3)),
        "claim 1, on BA: the initial potential is 13, not less than 12: (bound 3 + 1) * denominator 3"
    );
    let mut claim = rendezvous_claim();
    claim.states.insert("Client@start".into(), 2.into());
    assert_eq!(
        rejection_of(&rendezvous(), claim),
        "claim 1, on jobs: the initial potential is 4, not less than 3: (bound 2 + 1) * denominator 1"
    );
}

#[test]
fn the_numbers_are_there_for_programs_too() {
    let mut claim = two_processes_claim("AB", 13, 1);
    state("Left@s0", 6)(&mut claim);
    let system = two_processes();
    let rejection = check(&system, Certificate::new(&system, [Claim::Bounded(claim)])).unwrap_err();
    let Rejection::Claim { number: 1, violation, .. } = rejection else {
        panic!("unexpected: {rejection}");
    };
    let rise = violation.rise.expect("it is a transition that raises the potential");
    assert_eq!(rise.transition, TransitionId::new(0));
    assert_eq!(rise.total, BigInt::from(1));
}
