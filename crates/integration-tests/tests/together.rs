//! Where two processes are at the same time, in all configurations of random systems, is where `certify` says that they may be.

use std::collections::{BTreeSet, VecDeque};

use certify::{Together, single_classes};
use cfsm_core::ids::Id;
use cfsm_core::system::{ClassId, Direction, StateId, System, SystemBuilder, TransitionId};
use integration_tests::cases;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;

/// Configurations that are looked at.
const CONFIGURATIONS: usize = 300;
/// Transitions in a step, at most.
const AT_ONCE: usize = 4;

/// From where to where, and what is said and heard: which of the messages, and how often.
type Deed = (usize, usize, Vec<(usize, i32)>);

fn deed() -> impl Strategy<Value = Deed> {
    let count = prop_oneof![8 => Just(1), 8 => Just(-1), 1 => Just(2), 1 => Just(-2)];
    let events = prop_oneof![
        2 => vec((0..4_usize, count.clone()), 0..1),
        6 => vec((0..4_usize, count.clone()), 1..2),
        2 => vec((0..4_usize, count), 2..3),
    ];
    (0..3_usize, 0..3_usize, events)
}

/// A few processes that talk by rendezvous and nothing else. Some are created by the first one.
fn talkers() -> impl Strategy<Value = System> {
    let class = (prop_oneof![6 => Just(1_u32), 1 => Just(0), 1 => Just(2)], vec(deed(), 1..5));
    (vec(class, 2..5), prop::option::weighted(0.5, (0..3_usize, 1..4_usize))).prop_map(
        |(classes, creates)| {
            let mut b = SystemBuilder::new("talkers");
            let messages = ["a", "b", "c", "d"].map(|name| {
                let buffer = b.buffer(name);
                b.declare(buffer, 0);
                b.message_in(buffer, "m")
            });
            let declared = classes.iter().enumerate();
            let ids: Vec<ClassId> =
                declared.map(|(number, (count, _))| b.class(&format!("P{number}"), *count).id()).collect();
            for (id, (_, deeds)) in ids.iter().zip(&classes) {
                b.class_again(*id).state("0");
                for (from, to, events) in deeds {
                    let events: Vec<_> = events.iter().map(|(at, count)| (messages[*at], *count)).collect();
                    b.class_again(*id).step(&from.to_string(), &events, &to.to_string());
                }
            }
            if let Some((from, number)) = creates
                && let Some(created) = ids.get(number)
            {
                b.class_again(ids[0]).create(&from.to_string(), *created, "made");
            }
            b.build().expect("names are given once")
        },
    )
}

/// How many instances are at each state.
type Marking = Vec<usize>;

fn start(system: &System) -> Marking {
    let mut marking = vec![0; system.states.len()];
    for class in system.classes.values() {
        marking[class.initial.index()] += class.instances as usize;
    }
    marking
}

/// What steps lead to, of so many transitions at most: each by an instance of its own, with as much sent as received.
fn after(system: &System, marking: &Marking) -> BTreeSet<Marking> {
    let mut reached = BTreeSet::new();
    let mut open: Vec<(Vec<TransitionId>, Marking)> = vec![(Vec::new(), marking.clone())];
    while let Some((chosen, left)) = open.pop() {
        if !chosen.is_empty() && is_balanced(system, &chosen) {
            let mut next = left.clone();
            for transition in chosen.iter().map(|id| &system.transitions[*id]) {
                next[transition.target.index()] += 1;
                for class in &transition.creates {
                    next[system.classes[*class].initial.index()] += 1;
                }
            }
            reached.insert(next);
        }
        if chosen.len() < AT_ONCE {
            let later = |id: &TransitionId| chosen.last().is_none_or(|last| last <= id);
            for id in system.transitions.ids().filter(later) {
                let source = system.transitions[id].source.index();
                if left[source] > 0 {
                    let mut less = left.clone();
                    less[source] -= 1;
                    open.push(([&chosen[..], &[id]].concat(), less));
                }
            }
        }
    }
    reached
}

fn is_balanced(system: &System, chosen: &[TransitionId]) -> bool {
    let mut balance = vec![0_i64; system.messages.len()];
    for event in chosen.iter().flat_map(|id| &system.transitions[*id].events) {
        let count = i64::from(event.count);
        balance[event.message.index()] += if event.direction == Direction::Send { count } else { -count };
    }
    balance.iter().all(|count| *count == 0)
}

/// Where the one instance of a class is.
fn place(system: &System, marking: &Marking, class: ClassId) -> Option<StateId> {
    let mut own = system.states.iter().filter(|(_, state)| state.class == class).map(|(id, _)| id);
    own.find(|id| marking[id.index()] > 0)
}

#[test]
fn who_is_seen_together_may_be() {
    let mut runner = TestRunner::deterministic();
    let (mut seen, mut never) = (0, 0);
    for _ in 0..cases(4000).cases {
        let system = talkers().new_tree(&mut runner).expect("there is one").current();
        let single = single_classes(&system);
        let lonely: Vec<ClassId> = single.iter().filter(|(_, single)| **single).map(|(id, _)| id).collect();
        let couples = lonely.iter().flat_map(|one| lonely.iter().map(move |other| [*one, *other]));
        let couples = couples.filter(|[one, other]| one != other);
        let known: Vec<([ClassId; 2], Together)> =
            couples.filter_map(|couple| Some((couple, Together::of(&system, couple)?))).collect();
        let mut reached = BTreeSet::from([start(&system)]);
        let mut open = VecDeque::from([start(&system)]);
        while let Some(marking) = open.pop_front() {
            for ([one, other], together) in &known {
                let [one, other] = [*one, *other].map(|class| place(&system, &marking, class));
                let Some(other) = other else { continue };
                assert!(together.beside(&|state| state == other).contains(&one), "{marking:?} {system:#?}");
                assert!(together.met(&BTreeSet::from([one])).contains(&other), "{marking:?} {system:#?}");
                seen += 1;
            }
            for next in after(&system, &marking) {
                if reached.len() < CONFIGURATIONS && reached.insert(next.clone()) {
                    open.push_back(next);
                }
            }
        }
        // Else it would say nothing that they may be anywhere.
        for ([one, other], together) in &known {
            let of = |class: ClassId| system.states.values().filter(|state| state.class == class).count();
            let all = of(*one) * of(*other);
            let beside = system.states.ids().map(|id| together.beside(&|state| state == id).len());
            never += u32::from(beside.sum::<usize>() < all);
        }
    }
    println!("{seen} pairs seen; of {never} couples it is known that they are not everywhere");
    assert!(seen >= 5_000 && never >= 500);
}
