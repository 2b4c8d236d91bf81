//! Proofs that say where processes are in the long run, and where others cannot be then: an
//! accepted one, and each condition broken by as little as possible.

use std::collections::BTreeMap;

use certify::{
    AllBoundedClaim, Apart, Atlas, Certificate, Claim, Company, Fairness, Limit, LivelockFreeClaim, Proof,
    Ranking, SettledPart, Settling, Together, Whereabouts, check,
};
use cfsm_core::system::{BufferKind, MessageId, System, SystemBuilder};
use num_bigint::BigInt;

fn weights(all: &[(&str, i64)]) -> BTreeMap<String, BigInt> {
    all.iter().map(|&(name, weight)| (name.to_owned(), weight.into())).collect()
}

fn ranking(messages: &[(&str, i64)], states: &[(&str, i64)]) -> Box<Proof> {
    let (messages, states) = (weights(messages), weights(states));
    Box::new(Proof::Ranking(Ranking {
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
    let limits = vec![Limit { hub: "Tenant".into(), class: "East".into() }];
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
        class: "West".into(),
        messages: weights(&[("west(come)", 1)]),
        data: weights(&[]),
        states: weights(&tenant),
        parts: vec![SettledPart {
            states: vec!["West@gone".into()],
            stays: Box::new(Proof::Apart(Apart { limits, rest })),
        }],
        elsewhere,
    }
}

fn says(system: &System, settling: Settling) -> String {
    let proof = Proof::Settling(settling);
    let claim = Claim::LivelockFree(LivelockFreeClaim { fairness: Fairness::None, proof });
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
    assert!(said.ends_with("the state `West@gone` is not one of the class that is cut"), "{said}");
    let mut system = town(IN_ORDER);
    let west = system.classes.iter().find(|(_, class)| class.name == "West").expect("there is one").0;
    system.classes[west].instances = 2;
    assert!(
        says(&system, settling())
            .ends_with("the class `West` may have several instances, so it cannot be cut")
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
        assert!(
            said.ends_with(&format!("the class `{class}` may have several instances, so it cannot be cut")),
            "{said}"
        );
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
        let settling = Settling { class: "P".into(), messages, data, states, parts, elsewhere };
        limits = Proof::Apart(Apart { limits: Vec::new(), rest: Box::new(limits) });
        settlings = Proof::Settling(settling.clone());
        let expected = if depth <= 32 {
            "accepted"
        } else {
            "claim 1, on livelocks: there are more than 32 proofs inside each other"
        };
        assert_eq!(says(&system, settling), expected, "{depth}");
        let claim =
            Claim::LivelockFree(LivelockFreeClaim { fairness: Fairness::None, proof: limits.clone() });
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
    let proof = Proof::Settling(Settling { class: "P".into(), messages, data, states, parts, elsewhere });
    let system = b.build().expect("names are given once");
    let certificate = Certificate::new(&system, [Claim::AllBounded(AllBoundedClaim { proof })]);
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
    let said = changed(|settling| apart(settling).limits[0].hub = "Sender".into());
    assert!(said.contains("`East` never meets the hub by rendezvous"), "{said}");
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
fn who_goes_before_he_comes_is_nowhere() {
    let said = says(&town(["west go", "east come", "west come", "east go"]), settling());
    assert!(said.contains("from `East@gone`"), "{said}");
    let said = says(&town(["east come", "west go", "east go", "west come"]), settling());
    assert!(said.contains("from `East@gone`"), "{said}");
}

#[test]
fn what_others_can_hear_has_not_been_heard() {
    let mut b = builder(IN_ORDER);
    let come = b.message("east", "come");
    b.class("Spy", 1).receive("0", come, "1");
    let said = says(&b.build().expect("names are given once"), settling());
    assert!(said.contains("from `East@gone`"), "{said}");
}

#[test]
fn what_is_on_its_way_has_not_been_heard() {
    let mut system = town(IN_ORDER);
    let east = system.buffers.iter().find(|(_, buffer)| buffer.name == "east").expect("there is one").0;
    system.buffers[east].kind = BufferKind::Queue;
    let said = says(&system, settling());
    assert!(said.contains("`East` never meets the hub by rendezvous"), "{said}");
}

/// Where the class `Hub` may be while `East` is where it begins.
fn beside_east(build: impl FnOnce(&mut SystemBuilder, [MessageId; 3])) -> Vec<String> {
    let mut b = SystemBuilder::new("hub");
    let messages = ["west", "east", "spy"].map(|buffer| {
        let buffer = b.buffer(buffer);
        b.declare(buffer, 0);
        b.message_in(buffer, "m")
    });
    build(&mut b, messages);
    let system = b.build().expect("names are given once");
    let [hub, east] = ["Hub", "East"]
        .map(|name| system.classes.iter().find(|(_, class)| class.name == name).expect("there is one").0);
    let begins = system.classes[east].initial;
    let atlas = Atlas::of(&system);
    let together = Together::of(&system, &atlas, &[hub, east]).expect("they are few");
    let beside = together.beside(0, &[&atlas.anywhere(hub), &atlas.places(east, [Some(begins)])]);
    let of_hub = system.states.iter().filter(|(_, state)| state.class == hub);
    let all = std::iter::once(None).chain(of_hub.map(|(id, _)| Some(id)));
    let name = |place: Whereabouts| place.map_or_else(|| "nowhere".into(), |state| system.state_name(state));
    all.filter(|place| atlas.has(&beside, *place)).map(name).collect()
}

#[test]
fn who_fires_with_whom() {
    // One half needs the other one.
    let one = beside_east(|b, [_, east, _]| {
        b.class("Hub", 1).send("0", east, "1");
        b.class("East", 1).receive("0", east, "1");
    });
    assert_eq!(one, ["Hub@0"]);
    // Somebody else may have it.
    let third = beside_east(|b, [_, east, _]| {
        b.class("Hub", 1).send("0", east, "1");
        b.class("East", 1).receive("0", east, "1");
        b.class("West", 1).receive("0", east, "1");
    });
    assert_eq!(third, ["Hub@0", "Hub@1"]);
    // Two at once, to others.
    let others = beside_east(|b, [west, east, spy]| {
        b.class("Hub", 1).step("0", &[(west, 1), (spy, 1)], "1").send("1", east, "2");
        b.class("East", 1).receive("0", east, "1");
        b.class("West", 1).receive("0", west, "1");
        b.class("Spy", 1).receive("0", spy, "1");
    });
    assert_eq!(others, ["Hub@0", "Hub@1"]);
    // The same twice, for two.
    let twice = beside_east(|b, [_, east, _]| {
        b.class("Hub", 1).step("0", &[(east, 2)], "1");
        b.class("East", 1).receive("0", east, "1");
        b.class("West", 1).receive("0", east, "1").receive("1", east, "2");
    });
    assert_eq!(twice, ["Hub@0", "Hub@1"]);
    // Who has not been created yet is nowhere.
    let late = beside_east(|b, [_, east, _]| {
        let hub = b.class("Hub", 0).id();
        b.class_again(hub).send("0", east, "1");
        b.class("East", 1).receive("0", east, "1");
        b.class("Agency", 1).create("0", hub, "1");
    });
    assert_eq!(late, ["nowhere", "Hub@0"]);
}

#[test]
fn strangers_are_anywhere() {
    let mut b = SystemBuilder::new("strangers");
    let (one, other) = (b.message("x", "m"), b.message("y", "m"));
    let hub = b.class("Hub", 1).send("0", one, "1").id();
    let east = b.class("East", 1).receive("0", other, "1").id();
    let system = b.build().expect("names are given once");
    let company = Company::new(&system);
    let stays = company.stays(&system, [&vec![system.classes[east].initial]]);
    assert_eq!(company.hub(&system, hub, &stays), None);
    assert_eq!(company.met(&system, (hub, &company.atlas().anywhere(hub)), east, &stays), None);
}
