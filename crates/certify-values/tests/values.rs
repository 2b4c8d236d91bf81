//! Tests of the check of data places: each condition broken by as little as possible, and random
//! changes against all values.

use std::collections::BTreeMap;

use certificate::{
    Amount, Changed, Invariant, Multiple, Quantity, Range, Reason, Step, Sum, Values, Variable, Way,
};
use certify_values::check;
use cfsm_core::ids::Id;
use cfsm_core::system::{ClassId, System, SystemBuilder, TransitionId};
use num_bigint::BigInt;
use proptest::prelude::*;
use serde_json::Value;

/// A process with a jug of which it takes sips, and that somebody fills with at most 5; another
/// class brings processes with a jug of 3.
fn system() -> System {
    let mut b = SystemBuilder::new("jugs");
    let left = b.data("P.jug", 3);
    let mut process = b.class("P", 1);
    process.step("head", &[], "full").step("full", &[], "head");
    b.changes(left, -1);
    let class = ClassId::new(0);
    b.class_again(class).step("head", &[], "head");
    b.changes(left, 5);
    b.class("Q", 1).create("start", class, "end");
    b.changes(left, 3);
    b.build().expect("a valid system")
}

fn sum(terms: &[(&str, i32)], constant: i32) -> Sum {
    let terms = terms.iter().map(|(name, factor)| ((*name).to_owned(), (*factor).into()));
    Sum { terms: terms.collect(), constant: constant.into() }
}

fn because(of: &[usize]) -> Reason {
    let part = |of: &usize| Multiple { of: *of, times: 1.into() };
    Reason { factor: 1.into(), parts: of.iter().map(part).collect() }
}

fn range(least: i32, greatest: i32) -> Range {
    Range { least: least.into(), greatest: greatest.into() }
}

/// The jug is not below 0 at the head, and not empty before a sip.
fn values() -> Values {
    let jug = || sum(&[("jug", 1)], 0);
    let amount = |state: &str, reason| Amount { state: Some(state.into()), sum: jug(), reason };
    let way = |conditions: Vec<Sum>, behind: Option<Sum>, reasons: Vec<Reason>| Way {
        unknown: Vec::new(),
        conditions,
        changed: behind.into_iter().map(|behind| Changed { variable: "jug".into(), behind }).collect(),
        reasons,
    };
    let ask = way(vec![sum(&[("jug", 1)], -1)], None, vec![because(&[2]), because(&[])]);
    let sip = way(Vec::new(), Some(sum(&[("jug", 1)], -1)), vec![because(&[2]), because(&[])]);
    let filled = Variable { name: "?1".into(), range: range(0, 5), at_start: None };
    let fill = Way {
        unknown: vec![filled],
        ..way(Vec::new(), Some(sum(&[("?1", 1)], 0)), vec![because(&[2]), because(&[3, 4])])
    };
    let steps = [ask, sip, fill].into_iter().enumerate();
    Values {
        class: Some("P".into()),
        exclusive: Vec::new(),
        variables: vec![Variable { name: "jug".into(), range: range(-9, 9), at_start: Some(range(2, 3)) }],
        invariants: vec![
            Invariant { state: Some("P@head".into()), sums: vec![jug()] },
            Invariant { state: Some("P@full".into()), sums: vec![sum(&[("jug", 1)], -1)] },
        ],
        steps: steps.map(|(transition, way)| Step { transition, ways: vec![way] }).collect(),
        places: vec![Quantity {
            place: "P.jug".into(),
            denominator: 1.into(),
            amounts: vec![amount("P@head", because(&[2])), amount("P@full", because(&[2]))],
        }],
    }
}

fn rejection(change: impl FnOnce(&mut System, &mut Values)) -> String {
    let (mut system, mut values) = (system(), values());
    change(&mut system, &mut values);
    check(&system, &values).expect_err("it is changed").sentence
}

#[test]
fn a_jug_is_accepted() {
    assert_eq!(check(&system(), &values()), Ok(()));
}

#[test]
fn names_have_to_be_those_of_the_system() {
    assert_eq!(rejection(|_, values| values.class = Some("R".into())), "the system has no class `R`");
    assert_eq!(
        rejection(|_, values| values.invariants[0].state = Some("Q@start".into())),
        "`Q@start` is no state of the class, or no exclusive one"
    );
    assert_eq!(
        rejection(|_, values| values.places[0].place = "jug".into()),
        "the system has no data place `jug`"
    );
    assert_eq!(
        rejection(|_, values| values.steps[1].ways[0].changed[0].variable = "?1".into()),
        "there is no variable `?1`"
    );
    assert_eq!(
        rejection(|_, values| values.steps[2].ways[0].changed[0].variable = "?1".into()),
        "`?1` is changed, which is no variable"
    );
    assert_eq!(
        rejection(|_, values| values.steps[2].ways[0].unknown[0].name = "jug".into()),
        "two values are called `jug`"
    );
}

#[test]
fn nothing_is_listed_twice_and_nothing_left_out() {
    assert_eq!(
        rejection(|_, values| {
            let again = values.invariants[0].clone();
            values.invariants.push(again);
        }),
        "the invariants at `P@head` are listed twice"
    );
    assert_eq!(
        rejection(|_, values| {
            let amounts = &mut values.places[0].amounts;
            amounts.push(amounts[0].clone());
        }),
        "`P.jug` has two amounts at `P@head`"
    );
    assert_eq!(
        rejection(|_, values| {
            let changed = &mut values.steps[1].ways[0].changed;
            changed.push(changed[0].clone());
        }),
        "`jug` is changed twice by one way of transition 1"
    );
    assert_eq!(rejection(|_, values| values.steps.truncate(2)), "transition 2 is not listed");
    assert_eq!(
        rejection(|_, values| {
            let again = values.steps[0].clone();
            values.steps.push(again);
        }),
        "transition 0 is listed twice"
    );
    assert_eq!(
        rejection(|_, values| values.steps.push(Step { transition: 4, ways: Vec::new() })),
        "there is no transition 4"
    );
    assert_eq!(
        rejection(|_, values| drop(values.steps[1].ways[0].reasons.pop())),
        "transition 1 has 1 reasons, not 2"
    );
}

#[test]
fn invariants_hold_at_the_start_and_are_kept() {
    assert_eq!(
        rejection(|_, values| values.variables[0].at_start = Some(range(-1, 3))),
        "an invariant of the start does not hold for all first values"
    );
    assert_eq!(
        rejection(|_, values| values.variables[0].at_start = Some(range(2, 10))),
        "the variable `jug` begins outside of its range"
    );
    assert_eq!(
        rejection(|_, values| values.steps[0].ways[0].conditions[0].constant = 0.into()),
        "transition 0: no reason why invariant 0 of the target holds"
    );
    assert_eq!(
        rejection(|_, values| values.steps[1].ways[0].changed[0].behind.constant = (-2).into()),
        "transition 1: no reason why invariant 0 of the target holds"
    );
}

#[test]
fn amounts_are_not_negative_and_change_as_the_system_says() {
    let at_head = "`P.jug` at `P@head`: no reason why the amount is not negative";
    assert_eq!(rejection(|_, values| values.places[0].amounts[0].sum.constant = (-1).into()), at_head);
    assert_eq!(
        rejection(|_, values| values.places[0].denominator = 0.into()),
        "the denominator of `P.jug` is 0, less than 1"
    );
    let data = |system: &mut System, at: usize, by: i64| {
        system.transitions[TransitionId::new(at)].data[0].change += by;
    };
    let too_much =
        |at| format!("transition {at}: no reason why `P.jug` changes by no more than the system has it");
    assert_eq!(rejection(|system, _| data(system, 1, -1)), too_much(1));
    assert_eq!(rejection(|system, _| data(system, 2, -1)), too_much(2));
    assert_eq!(rejection(|system, _| data(system, 3, -1)), "transition 3 changes `P.jug` by too little");
    assert_eq!(
        rejection(|system, _| system.data.iter_mut().for_each(|(_, place)| place.initial = 2)),
        "`P.jug` has 2 at the start, less than the instances bring"
    );
}

#[test]
fn reasons_have_factors_that_are_not_negative() {
    let reason = |values: &mut Values, change: &dyn Fn(&mut Reason)| {
        change(&mut values.places[0].amounts[0].reason);
    };
    let at_head = "`P.jug` at `P@head`: no reason why the amount is not negative";
    for change in [
        &(|reason: &mut Reason| reason.factor = (-1).into()) as &dyn Fn(&mut Reason),
        &|reason| reason.factor = 0.into(),
        &|reason| reason.factor = 2.into(),
        &|reason| reason.parts[0].times = (-1).into(),
        &|reason| reason.parts[0].of = 3,
        &|reason| reason.parts.clear(),
    ] {
        assert_eq!(rejection(|_, values| reason(values, change)), at_head);
    }
}

/// Two processes that count a global up to 3, each inside of something atomic; and one that reads
/// it, and meets another one.
fn sharing() -> System {
    let mut b = SystemBuilder::new("sharing");
    let left = b.data("3 - n", 3);
    let buffer = b.buffer("meeting");
    b.declare(buffer, 0);
    let meeting = b.message_in(buffer, "");
    b.class("P", 2).step("head", &[], "inside").step("inside", &[], "head");
    b.changes(left, -1);
    b.class("R", 1).step("here", &[(meeting, 1)], "there").step("there", &[], "here");
    b.class("S", 1).receive("s", meeting, "s");
    b.build().expect("a valid system")
}

fn shared() -> Values {
    let left = |constant| sum(&[("n", -1)], constant);
    let way = |conditions: Vec<Sum>, behind: Option<Sum>, reasons: Vec<Reason>| Way {
        unknown: Vec::new(),
        conditions,
        changed: behind.into_iter().map(|behind| Changed { variable: "n".into(), behind }).collect(),
        reasons,
    };
    let ask = way(vec![left(2)], None, vec![because(&[2]), because(&[])]);
    let count = way(Vec::new(), Some(sum(&[("n", 1)], 1)), vec![because(&[2]), because(&[])]);
    let amount =
        |state: Option<&str>| Amount { state: state.map(str::to_owned), sum: left(3), reason: because(&[2]) };
    Values {
        class: None,
        exclusive: vec!["P@inside".into()],
        variables: vec![Variable { name: "n".into(), range: range(0, 9), at_start: Some(range(0, 0)) }],
        invariants: vec![
            Invariant { state: None, sums: vec![left(3)] },
            Invariant { state: Some("P@inside".into()), sums: vec![left(2)] },
        ],
        steps: vec![Step { transition: 0, ways: vec![ask] }, Step { transition: 1, ways: vec![count] }],
        places: vec![Quantity {
            place: "3 - n".into(),
            denominator: 1.into(),
            amounts: vec![amount(None), amount(Some("P@inside"))],
        }],
    }
}

#[test]
fn shared_variables_are_accepted_and_each_condition_is_checked() {
    let rejection = |change: &dyn Fn(&mut System, &mut Values)| {
        let (mut system, mut values) = (sharing(), shared());
        change(&mut system, &mut values);
        check(&system, &values).expect_err("it is changed").to_string()
    };
    assert_eq!(check(&sharing(), &shared()), Ok(()));
    let of = |sentence: &str| format!("values of shared variables: {sentence}");
    // Others may step in between: what has been asked need not be so any more.
    assert_eq!(
        rejection(&|_, values| values.exclusive.clear()),
        of("`P@inside` is no state of the class, or no exclusive one")
    );
    assert_eq!(
        rejection(&|_, values| {
            values.exclusive.clear();
            values.invariants.pop();
            values.places[0].amounts.pop();
            values.steps[0].ways[0].reasons.remove(0);
        }),
        of("transition 0 has 1 reasons, not 2")
    );
    assert_eq!(
        rejection(&|_, values| values.exclusive.push("S@s".into())),
        of("`S` begins at an exclusive state, while others may step")
    );
    assert_eq!(
        rejection(&|_, values| values.exclusive.push("R@there".into())),
        of("transition 2 of a rendezvous has an exclusive end")
    );
    assert_eq!(
        rejection(&|_, values| values.exclusive[0] = "Q@in".into()),
        of("the system has no state `Q@in`")
    );
    assert_eq!(rejection(&|_, values| drop(values.steps.pop())), of("transition 1 is not listed"));
    assert_eq!(rejection(&|_, values| drop(values.steps.remove(0))), of("transition 0 is not listed"));
    assert_eq!(
        rejection(&|system, _| {
            let change = system.transitions[TransitionId::new(1)].data[0];
            let other = cfsm_core::system::DataChange { change: -1, ..change };
            system.transitions[TransitionId::new(3)].data.push(other);
        }),
        of("transition 3 changes `3 - n` by too little")
    );
    assert_eq!(
        rejection(&|system, _| system.data.iter_mut().for_each(|(_, place)| place.initial = 2)),
        of("`3 - n` has 2 at the start, less than the instances bring")
    );
    assert_eq!(
        rejection(&|_, values| values.steps[0].ways[0].conditions[0].constant = 3.into()),
        of("transition 0: no reason why invariant 0 of the target holds")
    );
    assert_eq!(
        rejection(&|_, values| values.variables[0].at_start = Some(range(0, 4))),
        of("an invariant of the start does not hold for all first values")
    );
}

/// All values of names in their ranges.
fn all<'v>(variables: impl IntoIterator<Item = &'v Variable>) -> Vec<BTreeMap<&'v str, BigInt>> {
    let mut found = vec![BTreeMap::new()];
    for Variable { name, range, .. } in variables {
        let [least, greatest] =
            [&range.least, &range.greatest].map(|end| i64::try_from(end).expect("it is small"));
        let with = |values: &BTreeMap<&'v str, BigInt>, value: i64| {
            let mut values = values.clone();
            values.insert(name.as_str(), value.into());
            values
        };
        found = found
            .iter()
            .flat_map(|values| (least..=greatest).map(move |value| with(values, value)))
            .collect();
    }
    found
}

fn value(sum: &Sum, values: &BTreeMap<&str, BigInt>) -> BigInt {
    sum.terms.iter().map(|(name, factor)| factor * &values[name.as_str()]).sum::<BigInt>() + &sum.constant
}

/// Returns `true` if the conditions of the theorem hold, for values one by one.
fn is_true(system: &System, values: &Values) -> bool {
    let zero = BigInt::from(0);
    let holds = |state: &str, at: &BTreeMap<&str, BigInt>| {
        let own = values.invariants.iter().filter(|invariant| invariant.state.as_deref() == Some(state));
        own.flat_map(|invariant| &invariant.sums).all(|sum| value(sum, at) >= zero)
    };
    let Quantity { denominator, amounts, .. } = &values.places[0];
    let amount = |state: &str, at: &BTreeMap<&str, BigInt>| {
        let found = amounts.iter().find(|amount| amount.state.as_deref() == Some(state));
        found.map_or_else(|| zero.clone(), |amount| value(&amount.sum, at))
    };
    let first = values.variables.iter().map(|variable| Variable {
        range: variable.at_start.clone().unwrap_or_else(|| variable.range.clone()),
        ..variable.clone()
    });
    let first: Vec<Variable> = first.collect();
    let most = all(&first).iter().map(|at| amount("P@head", at)).max().expect("there is one");
    let mut good = all(&first).iter().all(|at| holds("P@head", at));
    let place = &system.data.values().next().expect("there is one");
    good &= denominator * place.initial >= &most * 1;
    for at in all(&values.variables) {
        for state in ["P@head", "P@full"].into_iter().filter(|state| holds(state, &at)) {
            good &= amount(state, &at) >= zero;
        }
    }
    for (id, transition) in system.transitions.iter() {
        let change = denominator * transition.data.first().map_or(0, |change| change.change);
        let allowed = change - &most * transition.creates.len();
        let [source, target] = [transition.source, transition.target].map(|state| system.state_name(state));
        let Some(step) = values.steps.iter().find(|step| step.transition == id.index()) else {
            good &= allowed >= zero;
            continue;
        };
        for way in &step.ways {
            let before = all(values.variables.iter().chain(&way.unknown));
            for at in before.iter().filter(|at| holds(&source, at)) {
                if way.conditions.iter().any(|sum| value(sum, at) < zero) {
                    continue;
                }
                let mut behind = at.clone();
                for Changed { variable, behind: sum } in &way.changed {
                    behind.insert(variable, value(sum, at));
                }
                // Variables hold values of their ranges.
                let fits = |one: &Variable| {
                    let held = &behind[one.name.as_str()];
                    one.range.least <= *held && *held <= one.range.greatest
                };
                if values.variables.iter().all(fits) {
                    good &= holds(&target, &behind);
                    good &= amount(&target, &behind) - amount(&source, at) <= allowed;
                }
            }
        }
    }
    good
}

/// The numbers in a file.
fn numbers<'j>(json: &'j mut Value, found: &mut Vec<&'j mut Value>) {
    match json {
        Value::String(text) if text.parse::<i64>().is_ok() => found.push(json),
        Value::Array(all) => all.iter_mut().for_each(|one| numbers(one, found)),
        Value::Object(all) => all.values_mut().for_each(|one| numbers(one, found)),
        _ => {}
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(5_000))]

    #[test]
    fn what_is_accepted_is_true(
        changes in prop::collection::vec((any::<prop::sample::Index>(), -2..=2_i64), 0..4),
        of_system in prop::collection::vec((0..4_usize, -1..=1_i64), 0..2),
    ) {
        let (mut system, values) = (system(), values());
        for (at, by) in of_system {
            let data = &mut system.transitions[TransitionId::new(at)].data;
            data.iter_mut().for_each(|change| change.change += by);
        }
        let mut json = serde_json::to_value(&values).unwrap();
        let mut places = Vec::new();
        numbers(&mut json, &mut places);
        for (at, by) in changes {
            let place = at.get_mut(&mut places);
            let number: i64 = place.as_str().unwrap().parse().unwrap();
            **place = Value::String((number + by).to_string());
        }
        let values: Values = serde_json::from_value(json).unwrap();
        if check(&system, &values).is_ok() {
            prop_assert!(is_true(&system, &values), "{values:#?}");
        }
    }
}

/// The test above sees what is wrong: the conditions that it looks at can be broken.
#[test]
fn values_one_by_one_can_refute() {
    assert!(is_true(&system(), &values()));
    let (mut system, mut wrong) = (system(), values());
    wrong.steps[0].ways[0].conditions[0].constant = 0.into();
    assert!(!is_true(&system, &wrong));
    system.transitions[TransitionId::new(2)].data[0].change = 4;
    assert!(!is_true(&system, &values()));
}
