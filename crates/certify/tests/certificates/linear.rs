//! Claims about linear forms: each condition is checked.

use certify::{Certificate, Claim, LinearClaim, LinearForm, check};
use cfsm_core::system::{System, SystemBuilder};
use num_bigint::BigInt;

/// A client that asks twice and then takes two answers, with a data place that a step uses up.
fn system() -> System {
    let mut b = SystemBuilder::new("asking");
    let ask = b.message("to", "ask");
    let answer = b.message("from", "answer");
    let left = b.data("left", 3);
    let mut client = b.class("C", 1);
    client.step("idle", &[(ask, 2)], "asked");
    client.step("asked", &[(answer, -2)], "idle");
    b.changes(left, -1);
    b.class("S", 1).receive("ready", ask, "busy").send("busy", answer, "ready");
    b.build().expect("a valid system")
}

fn weights<const N: usize>(weights: [(&str, i32); N]) -> std::collections::BTreeMap<String, BigInt> {
    weights.into_iter().map(|(name, weight)| (name.to_owned(), weight.into())).collect()
}

/// Questions and answers under way, and a busy server, are two for a client that has asked.
fn claim() -> LinearClaim {
    LinearClaim {
        form: LinearForm {
            messages: weights([("to(ask)", 1), ("from(answer)", 1)]),
            states: weights([("S@busy", 1), ("C@asked", -2)]),
        },
        bound: 0.into(),
        denominator: 2.into(),
        messages: weights([("to(ask)", 2), ("from(answer)", 2)]),
        data: weights([]),
        states: weights([("S@busy", 2), ("C@asked", -4)]),
    }
}

fn rejection(change: impl FnOnce(&mut LinearClaim)) -> String {
    let (system, mut claim) = (system(), claim());
    change(&mut claim);
    let rejected =
        check(&system, Certificate::new(&system, [Claim::Linear(claim)])).expect_err("it is changed");
    rejected.to_string()
}

#[test]
fn a_form_with_negative_coefficients_is_accepted() {
    let system = system();
    let checked = check(&system, Certificate::new(&system, [Claim::Linear(claim())])).unwrap();
    let subject = "from(answer) + to(ask) - 2 C@asked + S@busy";
    assert_eq!(checked.claims[0].subject(), subject);
    assert_eq!(checked.bounds().count(), 0, "it says nothing about a buffer");
}

#[test]
fn each_condition_is_checked() {
    let told = |part: &str, rejection: String| assert!(rejection.contains(part), "{rejection}");
    told("the denominator is 0", rejection(|claim| claim.denominator = 0.into()));
    told("not less than 0", rejection(|claim| claim.bound -= 1));
    let light = |weight: i32| rejection(|claim| *claim.messages.get_mut("to(ask)").unwrap() = weight.into());
    told("the message type `to(ask)` weighs 1, less than 2", light(1));
    told("raises the potential", light(3));
    let of_state = |name: &str, weight: i32| {
        rejection(|claim| *claim.states.entry(name.to_owned()).or_default() = weight.into())
    };
    told("the state `S@busy` weighs 1, less than 2", of_state("S@busy", 1));
    told("the state `C@asked` weighs -5, less than -4", of_state("C@asked", -5));
    told("the state `C@idle` weighs -1, less than 0", of_state("C@idle", -1));
    // What has a coefficient and no weight weighs 0.
    let missing = rejection(|claim| drop(claim.messages.remove("from(answer)")));
    told("the message type `from(answer)` weighs 0, less than 2", missing);
    let more = rejection(|claim| claim.form.states.extend(weights([("C@idle", 1)])));
    told("the state `C@idle` weighs 0, less than 2", more);
    let data = |weight: i32| rejection(|claim| claim.data = weights([("left", weight)]));
    told("the data place `left` weighs -1, less than 0", data(-1));
    told("not less than", data(1));
    let unknown = rejection(|claim| claim.form.messages.extend(weights([("to(asc)", 1)])));
    told("to(asc)", unknown);
}
