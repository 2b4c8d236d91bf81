//! Facts that a proof lists: classes that are created once, relations of places, and message types
//! that are silent. Accepted ones, and each condition broken by as little as possible.

use std::collections::BTreeMap;

use certify::{
    AllBoundedClaim, Apart, Certificate, Claim, Cut, Fairness, JointRow, JointStates, Limit,
    LivelockFreeClaim, MOST_JOINT_STATES, Proof, Ranking, SingleClass, check,
};
use cfsm_core::system::{BufferKind, ClassId, System, SystemBuilder};
use num_bigint::BigInt;

fn ranking(messages: &[(&str, i64)], states: &[(&str, i64)]) -> Ranking {
    let weights = |all: &[(&str, i64)]| -> BTreeMap<String, BigInt> {
        all.iter().map(|&(name, weight)| (name.to_owned(), weight.into())).collect()
    };
    Ranking {
        silent: Vec::new(),
        falls_at_cut: None,
        messages: weights(messages),
        data: weights(&[]),
        states: weights(states),
        falls_in_part: None,
    }
}

/// What the checker says to a claim, after a way through a file.
fn says(system: &System, claim: Claim) -> String {
    let certificate = Certificate::new(system, [claim]);
    let read = Certificate::from_json(&certificate.to_json()).expect("it has just been written");
    assert_eq!(read, certificate);
    let said = check(system, certificate).map_or_else(|why| why.to_string(), |_| "accepted".into());
    said.trim_start_matches("claim 1, on livelocks: ").trim_start_matches("claim 1, on all buffers: ").into()
}

fn names(all: &[&str]) -> Vec<String> {
    all.iter().map(|name| (*name).to_owned()).collect()
}

/// A claim on a system without messages, in which nothing creates for ever, that follows a class:
/// with these reasons why that has one instance.
fn follows(system: &System, class: &str, single: Vec<SingleClass>) -> String {
    let weights = ["Parent@1", "Other@1", "Grandparent@1"].map(|state| (state, 1));
    let is_state = |name: &str| system.states.ids().any(|id| system.state_name(id) == name);
    let known: Vec<(&str, i64)> = weights.into_iter().filter(|(name, _)| is_state(name)).collect();
    says(system, Claim::AllBounded(AllBoundedClaim { single, ..AllBoundedClaim::new(cut(class, &known)) }))
}

/// A cut that says nothing, with the same weights of states in each case.
fn cut(class: &str, weights: &[(&str, i64)]) -> Proof {
    let leaf = || Box::new(Proof::Ranking(ranking(&[], weights)));
    Proof::Cut(Cut {
        silent: Vec::new(),
        class: class.into(),
        states: Vec::new(),
        stays: leaf(),
        avoids: leaf(),
        crosses: leaf(),
    })
}

fn created(class: &str, after: &[&str]) -> SingleClass {
    SingleClass { class: class.into(), after: names(after) }
}

fn family(build: impl FnOnce(&mut SystemBuilder, ClassId)) -> System {
    let mut b = SystemBuilder::new("family");
    let child = b.class("Child", 0).id();
    b.class_again(child).state("1");
    build(&mut b, child);
    b.build().expect("names are given once")
}

/// A parent that creates a child and then does something else.
fn parent(instances: u32) -> System {
    family(|b, child| {
        b.class("Parent", instances).create("1", child, "2").step("2", &[], "3");
    })
}

const SEVERAL: &str = "the class `Child` may have several instances, and only one can be followed";

#[test]
fn a_class_that_is_created_once() {
    let reason = || vec![created("Child", &["Parent@2", "Parent@3"])];
    assert_eq!(follows(&parent(1), "Child", reason()), "accepted");
    assert_eq!(follows(&parent(1), "Child", Vec::new()), SEVERAL);
    assert_eq!(
        follows(&parent(2), "Child", reason()),
        "`Child` is created by `Parent`, which may have several instances"
    );
    // Who is not created needs no reason, and there is none twice.
    assert_eq!(follows(&parent(1), "Parent", Vec::new()), "accepted");
    let twice = [reason(), reason()].concat();
    let said = follows(&parent(1), "Child", twice);
    assert_eq!(said, "`Child` is listed, but has one instance at most without that");
    let said = follows(&parent(1), "Parent", vec![created("Parent", &[])]);
    assert_eq!(said, "`Parent` is listed, but has one instance at most without that");
    let said = follows(&parent(1), "Child", vec![created("Kid", &[])]);
    assert_eq!(said, "the system has no class `Kid`");
}

#[test]
fn the_states_behind_a_creation_are_closed() {
    let with = |after: &[&str]| follows(&parent(1), "Child", vec![created("Child", after)]);
    assert_eq!(with(&["Parent@3"]), "transition0 leads to `Parent@2`, which `after` of `Child` lacks");
    assert_eq!(with(&["Parent@2"]), "transition1 leads to `Parent@3`, which `after` of `Child` lacks");
    assert_eq!(
        with(&["Parent@1", "Parent@2", "Parent@3"]),
        "`Child` may be created again: `Parent@1` comes after that"
    );
    assert_eq!(with(&["Parent@2", "Parent@3", "Child@1"]), "the state `Child@1` is not one of `Parent`");
    assert_eq!(with(&["Parent@4"]), "the system has no state `Parent@4`");
    // There and back again.
    let again = family(|b, child| {
        b.class("Parent", 1).create("1", child, "2").step("2", &[], "1");
    });
    let said = follows(&again, "Child", vec![created("Child", &["Parent@2"])]);
    assert_eq!(said, "transition1 leads to `Parent@1`, which `after` of `Child` lacks");
    let in_place = family(|b, child| {
        b.class("Parent", 1).create("1", child, "1");
    });
    let said = follows(&in_place, "Child", vec![created("Child", &["Parent@1"])]);
    assert_eq!(said, "`Child` may be created again: `Parent@1` comes after that");
}

#[test]
fn others_that_create() {
    let reason = || vec![created("Child", &["Parent@2"])];
    let two = family(|b, child| {
        b.class("Parent", 1).create("1", child, "2");
        b.class("Other", 1).create("1", child, "2");
    });
    assert_eq!(follows(&two, "Child", reason()), "`Child` is created by both `Parent` and `Other`");
    let mut twins = family(|b, child| {
        b.class("Parent", 1).create("1", child, "2");
    });
    let child = twins.classes.ids().next().expect("there are two");
    twins.transitions.iter_mut().for_each(|(_, transition)| transition.creates.push(child));
    assert_eq!(follows(&twins, "Child", reason()), "transition0 creates several instances of `Child`");
    let mut there = parent(1);
    there.classes[child].instances = 1;
    assert_eq!(follows(&there, "Child", reason()), "`Child` is listed, but there at the start");
}

/// Who creates itself, or creates who creates it, has no creator that is known before.
#[test]
fn nobody_is_his_own_reason() {
    let itself = family(|b, child| {
        b.class_again(child).create("1", child, "2");
    });
    assert_eq!(
        follows(&itself, "Child", vec![created("Child", &["Child@2"])]),
        "`Child` is created by `Child`, which may have several instances"
    );
    let each_other = family(|b, child| {
        let parent = b.class("Parent", 0).create("1", child, "2").id();
        b.class_again(child).create("1", parent, "2");
    });
    let reasons = vec![created("Child", &["Parent@2"]), created("Parent", &["Child@2"])];
    let said = follows(&each_other, "Child", reasons);
    assert_eq!(said, "`Child` is created by `Parent`, which may have several instances");
}

#[test]
fn reasons_stand_in_order() {
    let grandparent = family(|b, child| {
        let parent = b.class("Parent", 0).create("1", child, "2").id();
        b.class("Grandparent", 1).create("1", parent, "2");
    });
    let reasons = || vec![created("Parent", &["Grandparent@2"]), created("Child", &["Parent@2"])];
    // What is created may create: it weighs less than who creates it.
    let lower = |single| {
        let proof = cut("Child", &[("Grandparent@1", 2), ("Parent@1", 1)]);
        let claim = AllBoundedClaim { single, ..AllBoundedClaim::new(proof) };
        says(&grandparent, Claim::AllBounded(claim))
    };
    assert_eq!(lower(reasons()), "accepted");
    let mut reversed = reasons();
    reversed.reverse();
    assert_eq!(lower(reversed), "`Child` is created by `Parent`, which may have several instances");
}

/// A relay: what P sends comes back by way of Q, unless nobody begins.
fn relay(begun: bool) -> System {
    let mut b = SystemBuilder::new("relay");
    let (x, y) = (b.message("x", "m"), b.message("y", "m"));
    b.class("P", 1).step("0", &[(x, -1), (y, 1)], "0");
    b.class("Q", 1).step("0", &[(y, -1), (x, 1)], "0");
    if begun {
        b.class("R", 1).send("0", x, "0");
    }
    b.build().expect("names are given once")
}

/// What the checker says where the rest of a proof is nothing.
fn silent(system: &System, all: &[&str]) -> String {
    let proof = Proof::Ranking(ranking(&[], &[])).with_silent(names(all));
    says(system, Claim::LivelockFree(LivelockFreeClaim::new(Fairness::None, proof)))
}

#[test]
fn message_types_that_nobody_sends() {
    let mut b = SystemBuilder::new("chain");
    let [x, y, z] = ["x", "y", "z"].map(|buffer| b.message(buffer, "m"));
    b.class("P", 1).step("0", &[(x, -1), (y, 1)], "0").step("0", &[(y, -1), (z, 1)], "0");
    b.class("Q", 1).receive("0", z, "0");
    let system = b.build().expect("names are given once");
    assert_eq!(silent(&system, &["x(m)", "y(m)", "z(m)"]), "accepted");
    // The order counts.
    assert_eq!(
        silent(&system, &["y(m)", "x(m)", "z(m)"]),
        "`y(m)` is not silent here: transition0 (receives 1 x(m), sends 1 y(m)) may fire"
    );
    // What is left out of the list may go on.
    assert!(silent(&system, &["x(m)", "y(m)"]).contains("transition2 from `Q@0` to `Q@0`"));
    assert!(silent(&system, &[]).contains("transition0 from `P@0` to `P@0`"));
    assert_eq!(silent(&system, &["w(m)"]), "the system has no message type `w(m)`");
    // Nothing changes if it is said twice.
    assert_eq!(silent(&system, &["x(m)", "x(m)", "y(m)", "z(m)"]), "accepted");
}

/// Two that wait for each other are no reason for each other.
#[test]
fn a_circle_is_not_silent() {
    for begun in [false, true] {
        for order in [["x(m)", "y(m)"], ["y(m)", "x(m)"]] {
            let said = silent(&relay(begun), &order);
            assert!(said.starts_with(&format!("`{}` is not silent here", order[0])), "{said}");
        }
    }
}

#[test]
fn a_rendezvous_takes_two() {
    let talk = |sends: bool, receives: bool, kind: BufferKind| {
        let mut b = SystemBuilder::new("talk");
        let x = b.message("x", "m");
        if sends {
            b.class("P", 1).send("0", x, "0");
        }
        if receives {
            b.class("Q", 1).receive("0", x, "0");
        }
        let mut system = b.build().expect("names are given once");
        system.buffers.iter_mut().for_each(|(_, buffer)| buffer.kind = kind);
        silent(&system, &["x(m)"])
    };
    use BufferKind::{Queue, Rendezvous};
    for kind in [Queue, Rendezvous] {
        assert_eq!(talk(false, true, kind), "accepted");
        assert!(talk(true, true, kind).starts_with("`x(m)` is not silent here: transition0"));
    }
    assert_eq!(talk(true, false, Rendezvous), "accepted");
    assert!(talk(true, false, Queue).starts_with("`x(m)` is not silent here: transition0 (sends 1 x(m))"));
}

/// In a case of a cut that has fewer transitions, more is silent; not so around it.
#[test]
fn silence_is_told_where_it_is_so() {
    let mut b = SystemBuilder::new("speaker");
    let x = b.message("x", "m");
    b.class("P", 1).send("0", x, "1").step("1", &[], "1");
    b.class("Q", 1).receive("0", x, "0");
    let system = b.build().expect("names are given once");
    let proof = |at_cut: &[&str], inside: &[&str]| {
        let leaf = |silent: &[&str]| {
            let falls = ranking(&[("x(m)", 1)], &[("P@0", 2)]);
            Box::new(Proof::Ranking(falls).with_silent(names(silent)))
        };
        Proof::Cut(Cut {
            silent: names(at_cut),
            class: "P".into(),
            states: names(&["P@0"]),
            stays: leaf(inside),
            avoids: leaf(&[]),
            crosses: leaf(&[]),
        })
    };
    let said =
        |proof: Proof| says(&system, Claim::LivelockFree(LivelockFreeClaim::new(Fairness::None, proof)));
    // It stays at 0 and does not send: the case is proved, and the next one is not.
    assert!(said(proof(&[], &["x(m)"])).contains("`P@1` to `P@1`"));
    assert!(said(proof(&["x(m)"], &[])).starts_with("`x(m)` is not silent here: transition0"));
}

/// Two that meet twice, first at `a` and then at `b`.
fn meeting() -> System {
    let mut b = SystemBuilder::new("meeting");
    let [first, second] = ["a", "b"].map(|buffer| {
        let buffer = b.buffer(buffer);
        b.declare(buffer, 0);
        b.message_in(buffer, "m")
    });
    b.class("P", 1).send("0", first, "1").step("1", &[], "2").send("2", second, "3");
    b.class("Q", 1).receive("0", first, "1").receive("1", second, "2");
    b.class("R", 0).state("0");
    b.build().expect("names are given once")
}

fn relation(classes: &[&str], rows: &[(&[usize], &[usize])]) -> JointStates {
    let row = |(others, last): &(&[usize], &[usize])| JointRow::new(others.to_vec(), last.iter().copied());
    JointStates { classes: names(classes), rows: rows.iter().map(row).collect() }
}

/// All that the two come to: P moves on its own in between.
fn met() -> JointStates {
    relation(&["P", "Q"], &[(&[1], &[1]), (&[2], &[2]), (&[3], &[2]), (&[4], &[3])])
}

/// What the checker says to a relation on the meeting.
fn joint(relation: JointStates) -> String {
    let states = [("P@0", 3), ("P@1", 2), ("P@2", 1), ("Q@0", 2), ("Q@1", 1)];
    let proof = Proof::Ranking(ranking(&[], &states));
    let claim = LivelockFreeClaim::new(Fairness::None, proof);
    says(&meeting(), Claim::LivelockFree(LivelockFreeClaim { joint: vec![relation], ..claim }))
}

#[test]
fn a_relation_is_closed() {
    assert_eq!(joint(met()), "accepted");
    // Any superset that is closed will do, also with the same row twice.
    let all: Vec<usize> = (1..=3).collect();
    let all_rows: Vec<(&[usize], &[usize])> =
        [&[1], &[2], &[3], &[4], &[1]].map(|row: &[usize; 1]| (&row[..], &all[..])).to_vec();
    assert_eq!(joint(relation(&["P", "Q"], &all_rows)), "accepted");
    let without = |row: usize| {
        let mut less = met();
        less.rows.remove(row);
        joint(less)
    };
    assert_eq!(without(0), "relation 1: the start is not in it: P@0, Q@0");
    assert_eq!(without(1), "relation 1: a step leads from P@0 out of it: to P@1, Q@1");
    assert_eq!(without(2), "relation 1: a step leads from P@1 out of it: to P@2, Q@1");
    assert_eq!(without(3), "relation 1: a step leads from P@2 out of it: to P@3, Q@2");
}

#[test]
fn a_relation_is_about_two_or_three_classes_and_their_places() {
    let said = |relation| joint(relation).trim_start_matches("relation 1: ").to_owned();
    let fits = "it is not about two or three different classes";
    assert_eq!(said(relation(&["P"], &[])), fits);
    assert_eq!(said(relation(&[], &[])), fits);
    assert_eq!(said(relation(&["P", "P"], &[(&[1], &[1])])), fits);
    assert_eq!(said(relation(&["P", "Q", "R", "P"], &[(&[1, 1, 0], &[1])])), fits);
    assert_eq!(said(relation(&["P", "S"], &[])), "the system has no class `S`");
    let row = |others: &[usize], last: &[usize]| {
        let mut more = met();
        more.rows.push(JointRow::new(others.to_vec(), last.iter().copied()));
        said(more)
    };
    // P has 4 states, Q has 3.
    assert_eq!(row(&[5], &[1]), "the row `5: 1` does not fit the places of the classes");
    assert_eq!(row(&[1], &[4]), "the row `1: 4` does not fit the places of the classes");
    assert_eq!(row(&[1, 1], &[1]), "the row `1 1: 1` does not fit the places of the classes");
    let mut reversed = met();
    reversed.rows[0].last = std::iter::once(std::ops::RangeInclusive::new(2, 1)).collect();
    assert_eq!(said(reversed), "the row `1: 2-1` does not fit the places of the classes");
}

/// Such a list is not even gone through.
#[test]
fn a_relation_has_an_end() {
    let mut long = met();
    long.rows[0].last = std::iter::once(1..=u32::MAX as usize).collect();
    let too_many =
        format!("relation 1: there are more than {MOST_JOINT_STATES} combinations, or too many rows");
    assert_eq!(joint(long), too_many);
    let mut long = met();
    long.rows = vec![JointRow::new(vec![1], [1]); 2 * MOST_JOINT_STATES];
    assert_eq!(joint(long), too_many);
}

/// Who has not been created is nowhere, and may be created at any time.
#[test]
fn somebody_may_be_created_at_any_time() {
    let mut b = SystemBuilder::new("late");
    let x = b.buffer("x");
    b.declare(x, 0);
    let x = b.message_in(x, "m");
    let late = b.class("P", 0).send("0", x, "1").id();
    b.class("Q", 1).receive("0", x, "1");
    b.class("Agency", 1).create("0", late, "1");
    let system = b.build().expect("names are given once");
    let with = |rows: &[(&[usize], &[usize])]| {
        let proof = Proof::Ranking(ranking(&[], &[("P@0", 1), ("Agency@0", 3), ("Q@0", 1)]));
        let claim = LivelockFreeClaim::new(Fairness::None, proof);
        let (single, joint) = (vec![created("P", &["Agency@1"])], vec![relation(&["P", "Q"], rows)]);
        says(&system, Claim::LivelockFree(LivelockFreeClaim { single, joint, ..claim }))
    };
    let all: [(&[usize], &[usize]); 3] = [(&[0], &[1]), (&[1], &[1]), (&[2], &[2])];
    // The rendezvous lowers both, and need not cancel out.
    let said = with(&all);
    assert!(!said.contains("relation"), "{said}");
    assert_eq!(with(&all[1..]), "relation 1: the start is not in it: no P, Q@0");
    assert_eq!(with(&all[..1]), "relation 1: a step leads from no P out of it: to P@0, Q@0");
    assert_eq!(with(&all[..2]), "relation 1: a step leads from P@0 out of it: to P@1, Q@1");
}

/// With three classes, and a transition that talks to both others at once.
#[test]
fn three_move_at_once() {
    let mut b = SystemBuilder::new("three");
    let [first, second] = ["a", "b"].map(|buffer| {
        let buffer = b.buffer(buffer);
        b.declare(buffer, 0);
        b.message_in(buffer, "m")
    });
    b.class("P", 1).receive("0", first, "1");
    b.class("Q", 1).receive("0", second, "1");
    b.class("Hub", 1).step("0", &[(first, 1), (second, 1)], "1");
    let system = b.build().expect("names are given once");
    let with = |left_out: Option<[usize; 3]>| {
        let mut rows = Vec::new();
        for p in 1..=2 {
            for q in 1..=2 {
                let hub = (1..=2).filter(|hub| left_out != Some([p, q, *hub]));
                rows.push(JointRow::new(vec![p, q], hub));
            }
        }
        rows.retain(|row| !row.last.is_empty());
        let joint = vec![JointStates { classes: names(&["P", "Q", "Hub"]), rows }];
        let proof = Proof::Ranking(ranking(&[], &[("P@0", 1), ("Q@0", 1), ("Hub@0", 1)]));
        let claim = LivelockFreeClaim::new(Fairness::None, proof);
        says(&system, Claim::LivelockFree(LivelockFreeClaim { joint, ..claim }))
    };
    assert_eq!(with(None), "accepted");
    let to = "relation 1: a step leads from P@0, Q@0 out of it: to P@1, Q@1, Hub@1";
    assert_eq!(with(Some([2, 2, 2])), to);
}

/// A limit narrows what is known, and a class that is not known to stay anywhere may be anywhere.
#[test]
fn limits_without_anybody_that_stays() {
    let apart = |limits: Vec<Limit>| {
        let rest = Box::new(Proof::Ranking(ranking(&[], &[])));
        let proof = Proof::Apart(Apart { silent: Vec::new(), limits, rest });
        let claim = LivelockFreeClaim::new(Fairness::None, proof);
        says(&meeting(), Claim::LivelockFree(LivelockFreeClaim { joint: vec![met()], ..claim }))
    };
    let limit = |class: &str| Limit { relation: 1, class: class.into() };
    assert!(apart(vec![limit("P"), limit("Q")]).contains("does not lower"));
    assert_eq!(apart(vec![Limit { relation: 0, class: "P".into() }]), "the claim has no relation 0");
    assert_eq!(apart(vec![limit("R")]), "relation 1 is not about the class `R`");
}
