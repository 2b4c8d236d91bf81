//! Claims about fair runs: accepted ones, and each condition of a departure broken by as little as
//! possible.

use std::collections::BTreeMap;

use certify::{Certificate, Claim, Cut, Departure, Fairness, LivelockFreeClaim, Proof, Ranking, check};
use cfsm_core::system::{System, SystemBuilder};
use num_bigint::BigInt;

fn weights(all: &[(&str, i64)]) -> BTreeMap<String, BigInt> {
    all.iter().map(|&(name, weight)| (name.to_owned(), weight.into())).collect()
}

fn ranking(states: &[(&str, i64)]) -> Proof {
    Proof::Ranking(Ranking {
        silent: Vec::new(),
        falls_at_cut: None,
        falls_in_part: None,
        messages: weights(&[]),
        data: weights(&[]),
        states: weights(states),
    })
}

fn departure(left: &[&str], states: &[(&str, i64)], rest: Option<Proof>) -> Proof {
    Proof::Departure(Departure {
        silent: Vec::new(),
        left: left.iter().map(|&name| name.into()).collect(),
        messages: weights(&[]),
        data: weights(&[]),
        states: weights(states),
        rest: rest.map(Box::new),
    })
}

fn claimed(system: &System, fairness: Fairness, proof: Proof) -> String {
    let claim = Claim::LivelockFree(LivelockFreeClaim::new(fairness, proof));
    let certificate = Certificate::new(system, [claim]);
    let read = Certificate::from_json(&certificate.to_json()).expect("it has just been written");
    assert_eq!(read, certificate);
    match check(system, certificate) {
        Ok(checked) => {
            // A proof about fair runs says nothing about the others.
            assert_eq!(checked.is_livelock_free(), fairness == Fairness::None);
            assert!(checked.is_livelock_free_under(Fairness::Weak));
            "accepted".into()
        }
        Err(rejection) => rejection.to_string().replace("claim 1, on livelocks: ", ""),
    }
}

fn says(system: &System, proof: Proof) -> String {
    claimed(system, Fairness::Weak, proof)
}

/// One process goes round without progress; another one has a step to do before each step that
/// makes progress.
fn pair(ready: &[&str]) -> System {
    let mut b = SystemBuilder::new("pair");
    b.class("Idle", 1).step("0", &[], "0");
    b.class("Worker", 1).step("0", &[], "1").step("1", &[], "0");
    b.progress();
    let worker = cfsm_core::ids::Id::new(1);
    ready.iter().for_each(|state| {
        b.class_again(worker).always_ready(state);
    });
    b.build().expect("names are given once")
}

const BOTH: [&str; 2] = ["Worker@0", "Worker@1"];
const FALLS: [(&str, i64); 1] = [("Worker@0", 1)];

#[test]
fn who_can_always_step_does() {
    assert_eq!(says(&pair(&["0", "1"]), departure(&BOTH, &FALLS, None)), "accepted");
}

#[test]
fn a_claim_about_all_runs_has_no_departures() {
    assert_eq!(
        claimed(&pair(&["0", "1"]), Fairness::None, departure(&BOTH, &FALLS, None)),
        "a departure is a proof for fair runs, and the claim is about all runs"
    );
}

#[test]
fn states_must_be_ready() {
    assert_eq!(
        says(&pair(&["0"]), departure(&BOTH, &FALLS, None)),
        "the state `Worker@1` is not always ready, so an instance may stay there for ever in a fair run"
    );
    assert!(says(&pair(&["0"]), departure(&["Worker@2"], &FALLS, None)).contains("no state `Worker@2`"));
}

#[test]
fn the_potential_must_fall() {
    let system = pair(&["0", "1"]);
    assert!(says(&system, departure(&BOTH, &[], None)).contains("does not lower the potential"));
    let rises = departure(&BOTH, &[("Worker@1", 1)], None);
    assert!(says(&system, rises).contains("raises the potential"));
    let light = departure(&BOTH, &[("Worker@0", 1), ("Idle@0", -1)], None);
    assert!(says(&system, light).contains("weighs -1, less than 0"));
}

#[test]
fn somebody_must_be_there() {
    // The worker may wait at the other state.
    let system = pair(&["0"]);
    let nobody =
        "there need not be an instance at the states of a departure, and there is no proof for the rest";
    assert_eq!(says(&system, departure(&["Worker@0"], &FALLS, None)), nobody);
    assert_eq!(says(&system, departure(&[], &[], None)), nobody);
    // What is left over has to be proved, and the first process goes round.
    let rest = |states: &[(&str, i64)]| Some(ranking(states));
    assert!(says(&system, departure(&["Worker@0"], &FALLS, rest(&[]))).contains("`Idle@0` to `Idle@0`"));
    // No instance at the start.
    let mut empty = pair(&["0", "1"]);
    empty.classes.iter_mut().for_each(|(_, class)| class.instances = 0);
    assert_eq!(says(&empty, departure(&BOTH, &FALLS, None)), nobody);
}

#[test]
fn who_is_created_is_there() {
    let mut b = SystemBuilder::new("creation");
    let worker = b.class("Worker", 0).id();
    b.class_again(worker).step("0", &[], "0").always_ready("0");
    b.progress();
    b.class("Idle", 1).step("0", &[], "0");
    let mut init = b.class("init", 1);
    init.create("0", worker, "1").always_ready("0");
    let system = b.build().expect("names are given once");
    let falls = [("init@0", 1)];
    assert_eq!(says(&system, departure(&["Worker@0", "init@0"], &falls, None)), "accepted");
    let nobody =
        "there need not be an instance at the states of a departure, and there is no proof for the rest";
    assert_eq!(says(&system, departure(&["Worker@0"], &[], None)), nobody);
    assert_eq!(says(&system, departure(&["init@0"], &falls, None)), nobody);
}

/// What leads to states where nobody is does not fire in the long run.
#[test]
fn nobody_comes_to_what_is_left() {
    let mut b = SystemBuilder::new("detour");
    let mut class = b.class("P", 1);
    class.step("0", &[], "1").always_ready("1").step("1", &[], "0");
    b.progress();
    let system = b.build().expect("names are given once");
    assert_eq!(says(&system, departure(&["P@1"], &[], Some(ranking(&[])))), "accepted");
    // Without the departure, the first step would have to be ranked.
    assert!(says(&system, ranking(&[])).contains("`P@0` to `P@1`"));
    // A step beside it still has to be.
    let mut b = SystemBuilder::new("detour");
    let mut class = b.class("P", 1);
    class.step("0", &[], "1").always_ready("1").step("0", &[], "0").step("1", &[], "0");
    b.progress();
    let system = b.build().expect("names are given once");
    let said = says(&system, departure(&["P@1"], &[], Some(ranking(&[]))));
    assert!(said.contains("`P@0` to `P@0`"), "{said}");
}

/// In the first case of a cut somebody is at its states; in the others that is not known.
#[test]
fn who_stays_in_a_cut_is_there() {
    let mut b = SystemBuilder::new("phases");
    b.class("Idle", 1).step("0", &[], "0");
    b.class("P", 1).step("0", &[], "1").step("1", &[], "1").always_ready("1");
    b.progress();
    let system = b.build().expect("names are given once");
    let proof = |stays: Proof, avoids: Proof| {
        let [stays, avoids, crosses] = [stays, avoids, departure(&["P@1"], &[], None)].map(Box::new);
        Proof::Cut(Cut {
            silent: Vec::new(),
            class: "P".into(),
            states: vec!["P@1".into()],
            stays,
            avoids,
            crosses,
        })
    };
    let there = || departure(&["P@1"], &[], None);
    let said = says(&system, proof(there(), there()));
    assert!(said.contains("there need not be an instance"), "{said}");
    // What is wrong is the second case: the first one is looked at before.
    let said = says(&system, proof(ranking(&[]), there()));
    assert!(said.contains("`Idle@0` to `Idle@0`"), "{said}");
}

#[test]
fn departures_inside_each_other_have_an_end() {
    let mut system = pair(&["0", "1"]);
    system.transitions.iter_mut().for_each(|(_, transition)| transition.progress = true);
    let mut proof = ranking(&[]);
    for depth in 1..=40 {
        proof = departure(&[], &[], Some(proof));
        let expected = "there are more than 32 proofs inside each other";
        assert_eq!(says(&system, proof.clone()), if depth <= 32 { "accepted" } else { expected }, "{depth}");
    }
}

#[test]
fn a_state_that_nothing_leaves_without_messages_is_not_ready() {
    let mut b = SystemBuilder::new("wrong");
    let m = b.message("q", "m");
    b.class("P", 1).receive("0", m, "0").always_ready("0");
    let defect = b.build().unwrap_err().to_string();
    assert_eq!(
        defect,
        "state0 is said to be always ready, but all transitions that leave it send or receive"
    );
}
