//! Claims of livelock freedom: accepted ones, and each condition broken by as little as possible.

use std::collections::BTreeMap;

use certify::{Certificate, Claim, Cut, Fairness, LivelockFreeClaim, Proof, Ranking, check};
use cfsm_core::system::{System, SystemBuilder};
use num_bigint::BigInt;

/// A client that makes progress by getting its answer, and a server.
fn client_server() -> System {
    let mut b = SystemBuilder::new("client-server");
    let request = b.message("toServer", "request");
    let reply = b.message("toClient", "reply");
    b.class("client", 1).send("idle", request, "waiting").receive("waiting", reply, "idle");
    b.progress();
    b.class("server", 1).receive("ready", request, "busy").send("busy", reply, "ready");
    b.build().expect("names are given once")
}

fn weights(all: &[(&str, i64)]) -> BTreeMap<String, BigInt> {
    all.iter().map(|&(name, weight)| (name.to_owned(), weight.into())).collect()
}

fn ranking(messages: &[(&str, i64)], states: &[(&str, i64)]) -> Proof {
    let (messages, states) = (weights(messages), weights(states));
    Proof::Ranking(Ranking {
        silent: Vec::new(),
        falls_at_cut: None,
        falls_in_part: None,
        messages,
        data: weights(&[]),
        states,
    })
}

/// What the checker says.
fn says(system: &System, proof: Proof) -> String {
    let claim = Claim::LivelockFree(LivelockFreeClaim::new(Fairness::None, proof));
    let certificate = Certificate::new(system, [claim]);
    let read = Certificate::from_json(&certificate.to_json()).expect("it has just been written");
    assert_eq!(read, certificate);
    match check(system, certificate) {
        Ok(checked) => {
            assert!(checked.is_livelock_free() && checked.bounds().next().is_none());
            "accepted".into()
        }
        Err(rejection) => rejection.to_string(),
    }
}

#[test]
fn a_ranking() {
    let messages = [("toServer(request)", 2)];
    let states = [("client@idle", 3), ("server@busy", 1)];
    assert_eq!(says(&client_server(), ranking(&messages, &states)), "accepted");
}

#[test]
fn a_step_that_leaves_the_potential_as_it_is() {
    let messages = [("toServer(request)", 2)];
    let states = [("client@idle", 2), ("server@busy", 1)];
    assert_eq!(
        says(&client_server(), ranking(&messages, &states)),
        "claim 1, on livelocks: transition0 from `client@idle` to `client@waiting` (sends 1 toServer(request)) \
         does not lower the potential: 2 (messages) + 0 (target) - 2 (source) + 0 (created) = 0"
    );
    let rising = ranking(&messages, &[("client@idle", 1), ("server@busy", 1)]);
    assert!(says(&client_server(), rising).contains("raises the potential"));
}

#[test]
fn weights_that_are_negative() {
    let light = ranking(
        &[("toServer(request)", 2), ("toClient(reply)", -1)],
        &[("client@idle", 3), ("server@busy", 1)],
    );
    assert_eq!(
        says(&client_server(), light),
        "claim 1, on livelocks: the message type `toClient(reply)` weighs -1, less than 0"
    );
    let light = ranking(&[("toServer(request)", 1)], &[("client@idle", 3), ("server@ready", -1)]);
    assert_eq!(
        says(&client_server(), light),
        "claim 1, on livelocks: the state `server@ready` weighs -1, less than 0"
    );
}

#[test]
fn without_marks_nothing_is_exempt() {
    let mut system = client_server();
    system.transitions.iter_mut().for_each(|(_, transition)| transition.progress = false);
    let messages = [("toServer(request)", 2)];
    let states = [("client@idle", 3), ("server@busy", 1)];
    assert!(says(&system, ranking(&messages, &states)).contains("`client@waiting` to `client@idle`"));
}

/// A process with two phases, each of which feeds what the other takes, and one that begins with
/// one of each.
fn phases(instances: u32) -> System {
    let mut b = SystemBuilder::new("phases");
    let (x, y) = (b.message("x", "m"), b.message("y", "m"));
    let mut class = b.class("P", instances);
    class.step("1", &[(x, -1), (y, 1)], "1").step("1", &[], "2").step("2", &[(y, -1), (x, 1)], "2");
    b.class("Starter", 1).send("0", x, "1").send("1", y, "2");
    b.build().expect("names are given once")
}

fn crossing(states: &[(&str, i64)], falls_at_cut: Option<usize>) -> Proof {
    let (messages, data, states) = (weights(&[]), weights(&[]), weights(states));
    Proof::Ranking(Ranking { silent: Vec::new(), falls_at_cut, falls_in_part: None, messages, data, states })
}

fn cut() -> Cut {
    Cut {
        silent: Vec::new(),
        class: "P".into(),
        states: vec!["P@1".into()],
        stays: Box::new(ranking(&[("x(m)", 1)], &[("Starter@0", 3), ("Starter@1", 1)])),
        avoids: Box::new(ranking(&[("y(m)", 1)], &[("Starter@0", 3), ("Starter@1", 2)])),
        crosses: Box::new(crossing(&[("P@1", 1)], Some(1))),
    }
}

/// What the checker says to the cut after a change.
fn changed(change: impl FnOnce(&mut Cut)) -> String {
    let mut cut = cut();
    change(&mut cut);
    says(&phases(1), Proof::Cut(cut))
}

#[test]
fn a_cut() {
    assert_eq!(says(&phases(1), Proof::Cut(cut())), "accepted");
}

#[test]
fn each_case_of_a_cut_needs_its_own_proof() {
    assert!(changed(|cut| cut.stays = cut.avoids.clone()).contains("`P@1` to `P@1`"));
    assert!(changed(|cut| cut.avoids = cut.stays.clone()).contains("`P@2` to `P@2`"));
    assert!(changed(|cut| *cut.crosses = crossing(&[], Some(1))).contains("does not lower"));
    // It must not rise elsewhere.
    let rises = Box::new(Proof::Ranking(Ranking {
        silent: Vec::new(),
        falls_at_cut: Some(1),
        falls_in_part: None,
        messages: weights(&[("y(m)", 1)]),
        data: weights(&[]),
        states: weights(&[("P@1", 1)]),
    }));
    assert!(changed(|cut| cut.crosses = rises).contains("raises"));
}

#[test]
fn only_a_border_that_is_crossed_will_do() {
    for (number, place) in [(0, "crosses"), (2, "crosses"), (1, "stays"), (1, "avoids")] {
        let said = changed(|cut| {
            let proof = Box::new(crossing(&[("P@1", 1)], Some(number)));
            match place {
                "crosses" => cut.crosses = proof,
                "stays" => cut.stays = proof,
                _ => cut.avoids = proof,
            }
        });
        let expected = format!(
            "claim 1, on livelocks: the potential is to fall at cut {number}, \
             which is not known to be crossed again and again here"
        );
        assert_eq!(said, expected);
    }
}

#[test]
fn a_cut_is_about_one_process() {
    let several =
        "claim 1, on livelocks: the class `P` may have several instances, and only one can be followed";
    assert_eq!(says(&phases(2), Proof::Cut(cut())), several);
    let mut system = phases(1);
    let class = system.classes.ids().next().unwrap();
    let first = system.transitions.ids().next().unwrap();
    system.transitions[first].creates.push(class);
    assert_eq!(says(&system, Proof::Cut(cut())), several);
}

#[test]
fn names_of_a_cut() {
    assert!(changed(|cut| cut.class = "Q".into()).ends_with("the system has no class `Q`"));
    assert!(changed(|cut| cut.states = vec!["P@3".into()]).ends_with("the system has no state `P@3`"));
    let mut b = SystemBuilder::new("two");
    b.class("P", 1).step("1", &[], "2");
    b.class("Q", 1).step("1", &[], "2");
    let system = b.build().expect("names are given once");
    let leaf = || Box::new(ranking(&[], &[("P@1", 1), ("Q@1", 1)]));
    let of = |state: &str| {
        let (stays, avoids, crosses) = (leaf(), leaf(), leaf());
        Proof::Cut(Cut {
            silent: Vec::new(),
            class: "P".into(),
            states: vec![state.into()],
            stays,
            avoids,
            crosses,
        })
    };
    assert_eq!(says(&system, of("P@1")), "accepted");
    assert!(says(&system, of("Q@1")).ends_with("the state `Q@1` is not one of `P`"));
}

#[test]
fn a_tree_has_an_end() {
    let mut proof = ranking(&[], &[]);
    let mut b = SystemBuilder::new("idle");
    b.class("P", 1).state("1");
    let system = b.build().expect("names are given once");
    for depth in 1..=40 {
        let leaf = || Box::new(ranking(&[], &[]));
        let (class, states) = ("P".into(), Vec::new());
        proof = Proof::Cut(Cut {
            silent: Vec::new(),
            class,
            states,
            stays: Box::new(proof),
            avoids: leaf(),
            crosses: leaf(),
        });
        let expected = if depth <= 32 {
            "accepted"
        } else {
            "claim 1, on livelocks: there are more than 32 proofs inside each other"
        };
        assert_eq!(says(&system, proof.clone()), expected, "{depth}");
    }
}
