//! Weights of data places: accepted ones, and each condition broken by as little as possible.

use std::collections::BTreeMap;

use certify::{BoundedClaim, Certificate, Claim, Fairness, LivelockFreeClaim, Proof, Ranking, check};
use cfsm_core::system::{System, SystemBuilder};
use num_bigint::BigInt;
use proptest::prelude::*;

fn weights(all: &[(&str, i64)]) -> BTreeMap<String, BigInt> {
    all.iter().map(|&(name, weight)| (name.to_owned(), weight.into())).collect()
}

/// A waiter who has at most three orders open, and closes them; and a guest who creates himself
/// some room.
fn waiter(initial: u64, order: i64, close: i64) -> System {
    let mut b = SystemBuilder::new("waiter");
    let m = b.message("orders", "");
    let open = b.data("3 - open", initial);
    b.class("Waiter", 1).send("idle", m, "idle");
    b.changes(open, order);
    b.class("Kitchen", 1).receive("ready", m, "ready");
    b.changes(open, close);
    b.build().expect("names are given once")
}

fn claim(bound: i64, weight: i64) -> Claim {
    Claim::Bounded(BoundedClaim {
        buffers: vec!["orders".into()],
        bound: bound.into(),
        denominator: 1.into(),
        messages: weights(&[("orders", 1)]),
        data: weights(&[("3 - open", weight)]),
        states: weights(&[]),
    })
}

fn says(system: &System, claim: Claim) -> String {
    let certificate = Certificate::new(system, [claim]);
    let read = Certificate::from_json(&certificate.to_json()).expect("it has just been written");
    assert_eq!(read, certificate);
    check(system, certificate).map_or_else(|rejection| rejection.to_string(), |_| "accepted".into())
}

#[test]
fn what_is_used_up_bounds_a_buffer() {
    assert_eq!(says(&waiter(3, -1, 1), claim(3, 1)), "accepted");
}

#[test]
fn a_transition_that_uses_up_too_little() {
    assert_eq!(
        says(&waiter(3, 0, 1), claim(3, 1)),
        "claim 1, on orders: transition0 from `Waiter@idle` to `Waiter@idle` (sends 1 orders, changes `3 - open` by 0 \
         at most) raises the potential: 1 (messages) + 0 (target) - 0 (source) + 0 (created) = 1"
    );
    assert_eq!(
        says(&waiter(3, -1, 2), claim(3, 1)),
        "claim 1, on orders: transition1 from `Kitchen@ready` to `Kitchen@ready` (receives 1 orders, changes \
         `3 - open` by 2 at most) raises the potential: -1 (messages) + 2 (data) + 0 (target) - 0 (source) + 0 (created) = 1"
    );
}

#[test]
fn more_at_the_start() {
    assert_eq!(
        says(&waiter(4, -1, 1), claim(3, 1)),
        "claim 1, on orders: the initial potential is 4, not less than 4: (bound 3 + 1) * denominator 1"
    );
}

#[test]
fn a_place_that_weighs_less_than_nothing() {
    let expected = "claim 1, on orders: the data place `3 - open` weighs -1, less than 0";
    assert_eq!(says(&waiter(3, -1, 1), claim(3, -1)), expected);
    let ranking = Ranking {
        silent: Vec::new(),
        falls_at_cut: None,
        falls_in_part: None,
        messages: weights(&[]),
        data: weights(&[("3 - open", -1)]),
        states: weights(&[]),
    };
    let claim = Claim::LivelockFree(LivelockFreeClaim::new(Fairness::None, Proof::Ranking(ranking)));
    let expected = "claim 1, on livelocks: the data place `3 - open` weighs -1, less than 0";
    assert_eq!(says(&waiter(3, -1, 1), claim), expected);
}

#[test]
fn a_place_that_the_system_does_not_have() {
    let mut system = waiter(3, -1, 1);
    system.data.iter_mut().for_each(|(_, place)| place.name = "4 - open".into());
    let expected = "claim 1, on orders: the system has no data place `3 - open`";
    assert_eq!(says(&system, claim(3, 1)), expected);
}

#[test]
fn a_ranking_that_only_data_lower() {
    let claim = |data: &[(&str, i64)], states: &[(&str, i64)]| {
        let (messages, data, states) = (weights(&[]), weights(data), weights(states));
        let proof = Proof::Ranking(Ranking {
            silent: Vec::new(),
            falls_at_cut: None,
            falls_in_part: None,
            messages,
            data,
            states,
        });
        Claim::LivelockFree(LivelockFreeClaim::new(Fairness::None, proof))
    };
    let mut b = SystemBuilder::new("slope");
    let height = b.data("height", 0);
    b.class("Walker", 1).step("down", &[], "down");
    b.changes(height, -1).class("Climber", 1).step("up", &[], "up");
    b.changes(height, 5).progress();
    let system = b.build().expect("names are given once");
    assert_eq!(says(&system, claim(&[("height", 1)], &[])), "accepted");
    assert_eq!(
        says(&system, claim(&[], &[])),
        "claim 1, on livelocks: transition0 from `Walker@down` to `Walker@down` (changes `height` by -1 at most) \
         does not lower the potential: 0 (messages) + 0 (target) - 0 (source) + 0 (created) = 0"
    );
}

#[test]
fn a_system_with_data_places_has_no_runs_of_its_own() {
    let refused = waiter(3, -1, 1).to_program().expect_err("what it changes is not known");
    assert_eq!(refused, cfsm_core::system::NotRunnable::Data);
}

proptest! {
    /// With any numbers, what is accepted is what the conditions ask for.
    #[test]
    fn exactly_what_the_conditions_ask_for(
        start in 0_u64..6, order in -3_i64..3, close in -3_i64..4, bound in 0_i64..20, weight in -1_i64..4,
    ) {
        let holds = weight >= 0
            && weight * order <= -1
            && weight * close - 1 <= 0
            && weight * i64::try_from(start).expect("it is small") < bound + 1;
        let said = says(&waiter(start, order, close), claim(bound, weight));
        prop_assert_eq!(said == "accepted", holds, "{}", said);
    }
}
