//! Proofs that say where processes are in the long run, and where others cannot be then: an
//! accepted one, and each condition broken by as little as possible.

use std::collections::BTreeMap;

use certify::{
    AllBoundedClaim, Apart, Certificate, Claim, Fairness, JointRow, JointStates, Limit, LivelockFreeClaim,
    Proof, Ranking, SettledPart, Settling, check,
};
use cfsm_core::system::{BufferKind, System, SystemBuilder};
use num_bigint::BigInt;

fn weights(all: &[(&str, i64)]) -> BTreeMap<String, BigInt> {
    all.iter().map(|&(name, weight)| (name.to_owned(), weight.into())).collect()
}

fn ranking(messages: &[(&str, i64)], states: &[(&str, i64)]) -> Box<Proof> {
    let (messages, states) = (weights(messages), weights(states));
    Box::new(Proof::Ranking(Ranking {
        silent: Vec::new(),
        falls_at_cut: None,
        falls_in_part: None,
        messages,
        data: weights(&[]),
        states,
    }))
}

/// A tenant tells two towns, in this order, who comes and who goes. A town that the tenant has left
/// sends a letter on to the other one.
fn town(told: [&str; 4]) -> System {
    builder(told).build().expect("names are given once")
}

fn builder(told: [&str; 4]) -> SystemBuilder {
    let mut b = SystemBuilder::new("towns");
    for buffer in ["west", "east"] {
        let buffer = b.buffer(buffer);
        b.declare(buffer, 0);
    }
    let mut rendezvous = |name: &str| {
        let (buffer, message) = name.split_once(' ').expect("a town and what it is told");
        b.message(buffer, message)
    };
    let [west_come, west_go, east_come, east_go] =
        ["west come", "west go", "east come", "east go"].map(&mut rendezvous);
    let told = told.map(&mut rendezvous);
    let (west, east) = (b.message("toWest", "letter"), b.message("toEast", "letter"));
    let tenant = b.class("Tenant", 1).id();
    for (at, message) in told.into_iter().enumerate() {
        b.class_again(tenant).send(&at.to_string(), message, &(at + 1).to_string());
    }
    let mut town = b.class("West", 1);
    town.receive("known", west_go, "gone")
        .receive("known", west_come, "known")
        .receive("gone", west_come, "known");
    town.step("gone", &[(west, -1), (east, 1)], "gone");
    let mut town = b.class("East", 1);
    town.receive("gone", east_come, "known").receive("known", east_go, "gone");
    town.step("gone", &[(east, -1), (west, 1)], "gone");
    b.class("Sender", 1).send("0", west, "1");
    b
}

const IN_ORDER: [&str; 4] = ["east come", "west go", "west come", "east go"];

/// While West is left, the tenant is between two messages, and East is not left.
fn settling() -> Settling {
    let tenant = [("Tenant@0", 4), ("Tenant@1", 3), ("Tenant@2", 2), ("Tenant@3", 1)];
    let slower = [("Tenant@0", 8), ("Tenant@1", 6), ("Tenant@2", 4), ("Tenant@3", 2)];
    let with = |more: &[(&'static str, i64)]| [&slower[..], more].concat();
    let rest = ranking(
        &[("toWest(letter)", 2), ("toEast(letter)", 1), ("west(come)", 1)],
        &with(&[("Sender@0", 3), ("East@known", 1)]),
    );
    let limits = vec![limit(1, "Tenant"), limit(2, "East")];
    let elsewhere = ranking(
        &[
            ("toEast(letter)", 2),
            ("toWest(letter)", 1),
            ("east(come)", 1),
            ("east(go)", 1),
            ("west(come)", 1),
        ],
        &with(&[("Sender@0", 2)]),
    );
    Settling {
        silent: Vec::new(),
        class: "West".into(),
        messages: weights(&[("west(come)", 1)]),
        data: weights(&[]),
        states: weights(&tenant),
        parts: vec![SettledPart {
            states: vec!["West@gone".into()],
            stays: Box::new(Proof::Apart(Apart { silent: Vec::new(), limits, rest })),
        }],
        elsewhere,
    }
}

fn limit(relation: usize, class: &str) -> Limit {
    Limit { relation, class: class.into() }
}

/// The places of a town beside each place of the tenant, from its first state on; those of the town
/// are numbered in the order in which they are named there.
fn beside_tenant(town: &str, places: [&[usize]; 5]) -> JointStates {
    let row = |(tenant, town): (usize, &[usize])| JointRow::new(vec![tenant], town.iter().copied());
    let rows = (1..).zip(places).map(row).collect();
    JointStates { classes: vec!["Tenant".into(), town.into()], rows }
}

/// West is known (1) but while the tenant is between the second message and the third one; East is
/// known (2) from the first one on to the fourth.
fn joint() -> Vec<JointStates> {
    vec![
        beside_tenant("West", [&[1], &[1], &[2], &[1], &[1]]),
        beside_tenant("East", [&[1], &[2], &[2], &[2], &[1]]),
    ]
}

fn says(system: &System, settling: Settling) -> String {
    says_of(system, settling, joint())
}

fn says_of(system: &System, settling: Settling, joint: Vec<JointStates>) -> String {
    let proof = Proof::Settling(settling);
    let claim = LivelockFreeClaim { joint, ..LivelockFreeClaim::new(Fairness::None, proof) };
    let claim = Claim::LivelockFree(claim);
    let certificate = Certificate::new(system, [claim]);
    let read = Certificate::from_json(&certificate.to_json()).expect("it has just been written");
    assert_eq!(read, certificate);
    check(system, certificate).map_or_else(|rejection| rejection.to_string(), |_| "accepted".into())
}

fn changed(change: impl FnOnce(&mut Settling)) -> String {
    let mut settling = settling();
    change(&mut settling);
    says(&town(IN_ORDER), settling)
}

fn apart(settling: &mut Settling) -> &mut Apart {
    let Proof::Apart(apart) = &mut *settling.parts[0].stays else { unreachable!("it is one") };
    apart
}

#[test]
fn no_letter_is_sent_on_for_ever() {
    assert_eq!(says(&town(IN_ORDER), settling()), "accepted");
}

#[test]
fn a_part_is_left_finitely_often() {
    let said = changed(|settling| settling.messages = weights(&[]));
    assert!(said.contains("`West@gone` to `West@known`") && said.contains("does not lower"), "{said}");
    let said = changed(|settling| settling.states = weights(&[]));
    assert!(said.contains("`Tenant@2` to `Tenant@3`") && said.contains("raises"), "{said}");
}

#[test]
fn parts_are_apart_and_of_one_process() {
    let said = changed(|settling| settling.parts.push(settling.parts[0].clone()));
    assert!(said.ends_with("the state `West@gone` is in two parts of a settling"), "{said}");
    let said = changed(|settling| settling.class = "East".into());
    assert!(said.ends_with("the state `West@gone` is not one of `East`"), "{said}");
    let mut system = town(IN_ORDER);
    let west = system.classes.iter().find(|(_, class)| class.name == "West").expect("there is one").0;
    system.classes[west].instances = 2;
    assert!(
        says(&system, settling())
            .ends_with("the class `West` may have several instances, and only one can be followed")
    );
}

#[test]
fn who_goes_from_part_to_part_leaves_one() {
    let said = changed(|settling| {
        let stays = settling.elsewhere.clone();
        settling.parts.push(SettledPart { states: vec!["West@known".into()], stays });
    });
    assert!(said.contains("`West@known` to `West@gone`") && said.contains("does not lower"), "{said}");
}

#[test]
fn limits_are_about_one_hub_and_one_process() {
    for class in ["Tenant", "East"] {
        let mut system = town(IN_ORDER);
        let id = system.classes.iter().find(|(_, found)| found.name == class).expect("there is one").0;
        system.classes[id].instances = 2;
        let said = says(&system, settling());
        let why = format!("the class `{class}` may have several instances, and only one can be followed");
        assert!(said.ends_with(&why) && said.contains(": relation "), "{said}");
    }
}

#[test]
fn proofs_inside_each_other_have_an_end() {
    let (mut settlings, mut limits) = (*ranking(&[], &[]), *ranking(&[], &[]));
    let mut b = SystemBuilder::new("idle");
    b.class("P", 1).state("1");
    let system = b.build().expect("names are given once");
    for depth in 1..=40 {
        let (messages, data, states) = (weights(&[]), weights(&[]), weights(&[]));
        let parts = vec![SettledPart { states: vec!["P@1".into()], stays: Box::new(settlings) }];
        let elsewhere = ranking(&[], &[]);
        let settling =
            Settling { silent: Vec::new(), class: "P".into(), messages, data, states, parts, elsewhere };
        limits = Proof::Apart(Apart { silent: Vec::new(), limits: Vec::new(), rest: Box::new(limits) });
        settlings = Proof::Settling(settling.clone());
        let expected = if depth <= 32 {
            "accepted"
        } else {
            "claim 1, on livelocks: there are more than 32 proofs inside each other"
        };
        assert_eq!(says_of(&system, settling, Vec::new()), expected, "{depth}");
        let claim = Claim::LivelockFree(LivelockFreeClaim::new(Fairness::None, limits.clone()));
        let said = check(&system, Certificate::new(&system, [claim]))
            .map_or_else(|said| said.to_string(), |_| "accepted".into());
        assert_eq!(said, expected, "{depth}");
    }
}

#[test]
fn data_that_a_settling_weighs_count_everywhere() {
    let mut b = SystemBuilder::new("fuel");
    let fuel = b.data("fuel", 3);
    b.class("P", 1).step("1", &[], "2");
    b.changes(fuel, -1);
    let (messages, data, states) = (weights(&[]), weights(&[("fuel", 1)]), weights(&[]));
    let parts = vec![SettledPart { states: vec!["P@1".into()], stays: ranking(&[], &[]) }];
    let elsewhere = ranking(&[], &[]);
    let proof = Proof::Settling(Settling {
        silent: Vec::new(),
        class: "P".into(),
        messages,
        data,
        states,
        parts,
        elsewhere,
    });
    let system = b.build().expect("names are given once");
    let certificate = Certificate::new(&system, [Claim::AllBounded(AllBoundedClaim::new(proof))]);
    let said = check(&system, certificate).expect_err("it weighs nothing at the leaves").to_string();
    assert!(said.contains("the data place `fuel` weighs nothing here"), "{said}");
}

#[test]
fn each_case_of_a_settling_needs_its_own_proof() {
    let said = changed(|settling| settling.elsewhere = apart(settling).rest.clone());
    assert!(said.contains("from `East@gone`"), "{said}");
    let said = changed(|settling| apart(settling).rest = settling.elsewhere.clone());
    assert!(said.contains("`West@gone` to `West@gone`"), "{said}");
    // Who is in no part may be anywhere else.
    let said = changed(|settling| settling.parts.clear());
    assert!(said.contains("`West@known` to `West@gone`"), "{said}");
}

#[test]
fn a_hub_says_where_a_process_cannot_be() {
    let said = changed(|settling| *settling.parts[0].stays = (*apart(settling).rest).clone());
    assert!(said.contains("from `East@gone`"), "{said}");
    // Without the first step the hub may be anywhere, and with the second one before it, too.
    let said = changed(|settling| drop(apart(settling).limits.remove(0)));
    assert!(said.contains("from `East@gone`"), "{said}");
    let said = changed(|settling| apart(settling).limits.reverse());
    assert!(said.contains("from `East@gone`"), "{said}");
    // It is about those that stay somewhere in this case.
    let said = changed(|settling| *settling.elsewhere = Proof::Apart(apart(settling).clone()));
    assert!(said.contains("from `East@gone`"), "{said}");
}

/// Where West sends letters on for ever, it takes one each time.
fn falls_in_part(number: Option<usize>, falls_at_cut: Option<usize>) -> Box<Proof> {
    let Proof::Ranking(plain) = *ranking(&[("toWest(letter)", 1)], &[("Sender@0", 1)]) else {
        unreachable!()
    };
    Box::new(Proof::Ranking(Ranking { falls_in_part: number, falls_at_cut, ..plain }))
}

#[test]
fn something_goes_on_in_a_part() {
    let with = |number, at_cut| changed(|settling| apart(settling).rest = falls_in_part(number, at_cut));
    assert_eq!(with(Some(1), None), "accepted");
    assert!(with(None, None).contains("does not lower"));
    for number in [0, 2] {
        let said =
            format!("the potential is to fall in part {number}, in which nothing is known to go on here");
        assert!(with(Some(number), None).ends_with(&said));
    }
    assert!(with(Some(1), Some(1)).contains("fall at cut 1"));
    // Elsewhere nothing is known to go on.
    let said = changed(|settling| settling.elsewhere = falls_in_part(Some(1), None));
    assert!(said.contains("fall in part 1, in which nothing is known"), "{said}");
    // Nor does it say that others do.
    let others = ranking(&[("toEast(letter)", 1)], &[("Sender@0", 1)]);
    let Proof::Ranking(others) = *others else { unreachable!() };
    let others = Box::new(Proof::Ranking(Ranking { falls_in_part: Some(1), ..others }));
    assert!(changed(|settling| apart(settling).rest = others).contains("raises"));
}

#[test]
fn limits_name_relations_and_classes_of_these() {
    for number in [0, 3] {
        let said = changed(|settling| apart(settling).limits[0].relation = number);
        assert!(said.ends_with(&format!("the claim has no relation {number}")), "{said}");
    }
    let said = changed(|settling| apart(settling).limits[0].class = "East".into());
    assert!(said.ends_with("relation 1 is not about the class `East`"), "{said}");
    let said = changed(|settling| apart(settling).limits[0].class = "North".into());
    assert!(said.ends_with("the system has no class `North`"), "{said}");
}

/// With these relations, which are those of the system, and with those of the system in order.
fn says_both(system: &System, joint: Vec<JointStates>) -> [String; 2] {
    [says_of(system, settling(), joint), says(system, settling())]
}

#[test]
fn who_goes_before_he_comes_is_nowhere() {
    let system = town(["west go", "east come", "west come", "east go"]);
    let west = beside_tenant("West", [&[1], &[2], &[2], &[1], &[1]]);
    let east = beside_tenant("East", [&[1], &[1], &[2], &[2], &[1]]);
    let [said, forged] = says_both(&system, vec![west, east]);
    assert!(said.contains("from `East@gone`"), "{said}");
    assert!(forged.ends_with("relation 1: a step leads from Tenant@0 out of it: to Tenant@1, West@gone"));
    let system = town(["east come", "west go", "east go", "west come"]);
    let west = beside_tenant("West", [&[1], &[1], &[2], &[2], &[1]]);
    let east = beside_tenant("East", [&[1], &[2], &[2], &[1], &[1]]);
    let [said, forged] = says_both(&system, vec![west, east]);
    assert!(said.contains("from `East@gone`"), "{said}");
    assert!(forged.contains("relation 1: a step leads from Tenant@2 out of it"), "{forged}");
}

#[test]
fn what_others_can_hear_has_not_been_heard() {
    let mut b = builder(IN_ORDER);
    let come = b.message("east", "come");
    b.class("Spy", 1).receive("0", come, "1");
    let system = b.build().expect("names are given once");
    let east = beside_tenant("East", [&[1], &[1, 2], &[1, 2], &[1, 2], &[1]]);
    let [said, forged] = says_both(&system, vec![joint().remove(0), east]);
    assert!(said.contains("from `East@gone`"), "{said}");
    assert!(forged.ends_with("relation 2: a step leads from Tenant@0 out of it: to Tenant@1, East@gone"));
}

#[test]
fn what_is_on_its_way_has_not_been_heard() {
    let mut system = town(IN_ORDER);
    let east = system.buffers.iter().find(|(_, buffer)| buffer.name == "east").expect("there is one").0;
    system.buffers[east].kind = BufferKind::Queue;
    let said = says(&system, settling());
    assert!(said.contains("relation 2: a step leads from Tenant@0 out of it"), "{said}");
}
