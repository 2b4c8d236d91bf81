//! Claims that all buffers are bounded: accepted ones, and each condition broken by as little as
//! possible.

use std::collections::BTreeMap;

use certify::{AllBoundedClaim, Certificate, Claim, Cut, Departure, Proof, Ranking, check};
use cfsm_core::system::{System, SystemBuilder};
use num_bigint::BigInt;

fn weights(all: &[(&str, i64)]) -> BTreeMap<String, BigInt> {
    all.iter().map(|&(name, weight)| (name.to_owned(), weight.into())).collect()
}

fn ranking(messages: &[(&str, i64)], states: &[(&str, i64)]) -> Ranking {
    let (messages, states) = (weights(messages), weights(states));
    Ranking {
        silent: Vec::new(),
        falls_at_cut: None,
        falls_in_part: None,
        messages,
        data: weights(&[]),
        states,
    }
}

/// What the checker says.
fn says(system: &System, proof: Proof) -> String {
    let certificate = Certificate::new(system, [Claim::AllBounded(AllBoundedClaim::new(proof))]);
    let read = Certificate::from_json(&certificate.to_json()).expect("it has just been written");
    assert_eq!(read, certificate);
    match check(system, certificate) {
        Ok(checked) => {
            assert!(checked.is_all_bounded() && checked.bounds().next().is_none());
            assert!(!checked.is_livelock_free());
            "accepted".into()
        }
        Err(rejection) => rejection.to_string(),
    }
}

/// A process that makes two `x` of a `y` at one state and one `y` of an `x` at the other, and needs
/// a ticket for the way on and the way back; and one that begins with one of each.
fn bridge(instances: u32) -> System {
    let mut b = SystemBuilder::new("bridge");
    let (x, y) = (b.message("x", "m"), b.message("y", "m"));
    let ticket = b.message("tickets", "m");
    let mut class = b.class("P", instances);
    class
        .step("1", &[(x, -1), (y, 1)], "1")
        .step("1", &[(ticket, -1)], "2")
        .step("2", &[(y, -1), (x, 2)], "2")
        .step("2", &[(ticket, -1)], "1");
    b.class("Starter", 1).send("0", x, "1").send("1", y, "2").send("2", ticket, "3");
    b.build().expect("names are given once")
}

/// What its states weigh.
fn starter(weights: [i64; 3]) -> [(&'static str, i64); 3] {
    let [first, second, third] = weights;
    [("Starter@0", first), ("Starter@1", second), ("Starter@2", third)]
}

fn cut() -> Cut {
    let crosses = Ranking { falls_at_cut: Some(1), ..ranking(&[("tickets(m)", 1)], &starter([1, 1, 1])) };
    let [x, ticket] = [("x(m)", 1), ("tickets(m)", 1)];
    Cut {
        silent: Vec::new(),
        class: "P".into(),
        states: vec!["P@1".into()],
        stays: Box::new(Proof::Ranking(ranking(&[x, ("y(m)", 1), ticket], &starter([3, 2, 1])))),
        avoids: Box::new(Proof::Ranking(ranking(&[x, ("y(m)", 2), ticket], &starter([4, 3, 1])))),
        crosses: Box::new(Proof::Ranking(crosses)),
    }
}

fn leaf(proof: &mut Proof) -> &mut Ranking {
    let Proof::Ranking(ranking) = proof else { panic!("it is a ranking") };
    ranking
}

/// What the checker says to the cut after a change.
fn changed(change: impl FnOnce(&mut Cut)) -> String {
    let mut cut = cut();
    change(&mut cut);
    says(&bridge(1), Proof::Cut(cut))
}

#[test]
fn a_cut() {
    assert_eq!(says(&bridge(1), Proof::Cut(cut())), "accepted");
    assert_eq!(
        says(&bridge(2), Proof::Cut(cut())),
        "claim 1, on all buffers: the class `P` may have several instances, and only one can be followed"
    );
}

#[test]
fn a_message_that_weighs_nothing_may_grow() {
    let said = changed(|cut| {
        leaf(&mut cut.stays).messages.remove("tickets(m)");
    });
    assert_eq!(said, "claim 1, on all buffers: the message type `tickets(m)` weighs 0, less than 1");
    // Where the process goes to and fro there may be such messages: the run ends for another
    // reason.
    assert_eq!(
        changed(|cut| drop(leaf(&mut cut.crosses).messages.insert("x(m)".into(), 0.into()))),
        "accepted"
    );
}

#[test]
fn each_case_needs_its_own_proof() {
    assert!(changed(|cut| cut.avoids = cut.stays.clone()).contains("`P@2` to `P@2`"));
    assert!(changed(|cut| cut.crosses = cut.stays.clone()).contains("raises"));
    // No case but that of crossing may rest on it.
    let said = changed(|cut| cut.stays = cut.crosses.clone());
    assert!(said.ends_with(
        "the potential is to fall at cut 1, which is not known to be crossed again and again here"
    ));
    let said = changed(|cut| leaf(&mut cut.crosses).messages.clear());
    assert!(said.contains("`P@1` to `P@2`") && said.contains("does not lower"), "{said}");
}

#[test]
fn progress_is_no_exemption() {
    let mut system = bridge(1);
    system.transitions.iter_mut().for_each(|(_, transition)| transition.progress = true);
    assert!(
        says(
            &system,
            Proof::Ranking(ranking(&[("x(m)", 1), ("y(m)", 1), ("tickets(m)", 1)], &starter([3, 2, 1])))
        )
        .contains("raises")
    );
}

#[test]
fn states_do_not_weigh_less_than_nothing() {
    let said = changed(|cut| drop(leaf(&mut cut.stays).states.insert("P@2".into(), (-1).into())));
    assert_eq!(said, "claim 1, on all buffers: the state `P@2` weighs -1, less than 0");
}

/// A process that creates others, each of which makes a `y` of an `x`.
fn parent(instances: u32) -> System {
    let mut b = SystemBuilder::new("parent");
    let (x, y) = (b.message("x", "m"), b.message("y", "m"));
    let child = b.class("Child", 0).step("1", &[(x, -1), (y, 1)], "2").id();
    b.class("Parent", instances).create("1", child, "2");
    b.build().expect("names are given once")
}

#[test]
fn who_creates_lowers_the_potential() {
    let messages = [("x(m)", 1), ("y(m)", 1)];
    assert_eq!(says(&parent(1), Proof::Ranking(ranking(&messages, &[("Parent@1", 1)]))), "accepted");
    let said = says(&parent(1), Proof::Ranking(ranking(&messages, &[])));
    assert!(said.contains("`Parent@1` to `Parent@2` (creates Child) does not lower"), "{said}");
}

/// A process that saves up and spends; `credit` is how much there is.
fn saver() -> System {
    let mut b = SystemBuilder::new("saver");
    let x = b.message("x", "m");
    let credit = b.data("credit", 0);
    let mut class = b.class("P", 1);
    class.step("1", &[], "1");
    class.step("1", &[], "2").step("2", &[(x, 1)], "2");
    let mut system = b.build().expect("names are given once");
    let change = |place, change| cfsm_core::system::DataChange { place, change };
    let ids: Vec<_> = system.transitions.ids().collect();
    system.transitions[ids[0]].data.push(change(credit, 1));
    system.transitions[ids[2]].data.push(change(credit, -1));
    system
}

/// The cut of a saver: what it saves up while it stays, it may spend later.
#[test]
fn what_is_saved_up_counts_everywhere() {
    let spends = Ranking { data: weights(&[("credit", 1)]), ..ranking(&[("x(m)", 1)], &[]) };
    let saves = ranking(&[("x(m)", 1)], &[]);
    let cut = |stays: Ranking| {
        let crosses = Ranking { falls_at_cut: Some(1), ..ranking(&[], &[("P@1", 1)]) };
        Proof::Cut(Cut {
            silent: Vec::new(),
            class: "P".into(),
            states: vec!["P@1".into()],
            stays: Box::new(Proof::Ranking(stays)),
            avoids: Box::new(Proof::Ranking(spends.clone())),
            crosses: Box::new(Proof::Ranking(crosses)),
        })
    };
    assert_eq!(
        says(&saver(), cut(saves.clone())),
        "claim 1, on all buffers: the data place `credit` weighs nothing here, and something in other parts of the proof"
    );
    let weighed = Ranking { data: weights(&[("credit", 1)]), ..saves };
    assert!(says(&saver(), cut(weighed.clone())).contains("`P@1` to `P@1`"));
    let mut thrifty = saver();
    let first = thrifty.transitions.ids().next().expect("there are three");
    thrifty.transitions[first].data.clear();
    assert!(says(&thrifty, cut(weighed.clone())).ends_with("accepted"));
    let light = Ranking { data: weights(&[("credit", -1)]), ..weighed };
    assert!(says(&thrifty, cut(light)).contains("the data place `credit` weighs -1"));
}

#[test]
fn a_departure_is_no_proof() {
    let nothing = Departure {
        silent: Vec::new(),
        left: Vec::new(),
        messages: weights(&[]),
        data: weights(&[]),
        states: weights(&[]),
        rest: None,
    };
    assert_eq!(
        says(&bridge(1), Proof::Departure(nothing)),
        "claim 1, on all buffers: a departure is a proof for fair runs, and the claim is about all runs"
    );
}

#[test]
fn a_proof_that_is_too_deep() {
    let mut proof = Proof::Cut(cut());
    for _ in 0..40 {
        let cut = cut();
        proof = Proof::Cut(Cut { stays: Box::new(proof), ..cut });
    }
    assert!(says(&bridge(1), proof).contains("more than 32 proofs"));
}
