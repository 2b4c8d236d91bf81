//! Where two or three processes are at the same time, in all configurations of random systems, is
//! where the prover says that they may be. The kernel accepts what the prover lists, and rejects it
//! with any combination taken out.

use std::collections::{BTreeSet, VecDeque};

use cases::{CoReachability, JointReach, StateIndex, StateSet, single_classes};
use certify::{
    Certificate, Claim, Fairness, JointRow, JointStates, LivelockFreeClaim, Proof, Ranking, check,
};
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

/// What steps lead to, of so many transitions at most: each by an instance of its own, with as much
/// sent as received.
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

fn couples(classes: &[ClassId]) -> Vec<Vec<ClassId>> {
    let all = classes.iter().flat_map(|one| classes.iter().map(move |other| vec![*one, *other]));
    all.filter(|group| group[0] != group[1]).collect()
}

fn triples(classes: &[ClassId]) -> Vec<Vec<ClassId>> {
    let all = couples(classes).into_iter().flat_map(|couple| {
        classes.iter().map(move |third| couple.iter().copied().chain([*third]).collect::<Vec<_>>())
    });
    all.filter(|group| group[0] < group[1] && group[1] < group[2]).collect()
}

/// If all but one stay where they are, that one is where it is said to be by way of any hub; of how
/// many that is said.
fn who_stays_keeps_others_away(
    system: &System,
    co_reachability: &CoReachability,
    marking: &Marking,
    lonely: &[ClassId],
) -> usize {
    let mut told = 0;
    for &class in lonely {
        let others = lonely.iter().filter(|other| **other != class);
        let staying: Vec<Vec<StateId>> =
            others.filter_map(|other| Some(vec![place(system, marking, *other)?])).collect();
        let confinement = co_reachability.confinement(system, &staying);
        let here = co_reachability.states().set(class, [place(system, marking, class)]);
        for &hub in lonely {
            let Some(places) = co_reachability.hub(system, hub, &confinement) else { continue };
            let Some(met) = co_reachability.beside_hub(system, hub, &places, class, &confinement) else {
                continue;
            };
            assert!(here.is_subset(&met), "{class:?} by {hub:?} at {marking:?} of {system:#?}");
            told += 1;
        }
    }
    told
}

#[test]
fn who_is_seen_together_may_be() {
    let mut runner = TestRunner::deterministic();
    let (mut seen, mut never, mut told) = (0, 0, 0);
    for _ in 0..cases(4000).cases {
        let system = talkers().new_tree(&mut runner).expect("there is one").current();
        let single = single_classes(&system);
        let lonely: Vec<ClassId> = single.iter().filter(|(_, single)| **single).map(|(id, _)| id).collect();
        let states = StateIndex::new(&system);
        let groups = couples(&lonely).into_iter().chain(triples(&lonely));
        let known: Vec<(Vec<ClassId>, JointReach)> = groups
            .filter_map(|group| Some((group.clone(), JointReach::new(&system, &states, &group)?)))
            .collect();
        let co_reachability = CoReachability::new(&system, &single);
        let mut reached = BTreeSet::from([start(&system)]);
        let mut open = VecDeque::from([start(&system)]);
        while let Some(marking) = open.pop_front() {
            for (group, together) in &known {
                let at = group.iter().map(|class| (*class, place(&system, &marking, *class)));
                let at: Vec<StateSet> = at.map(|(class, place)| states.set(class, [place])).collect();
                for member in 0..group.len() {
                    let beside = together.beside(member, &at.iter().collect::<Vec<_>>());
                    assert!(at[member].is_subset(&beside), "{group:?} {marking:?} {system:#?}");
                }
                seen += 1;
            }
            told += who_stays_keeps_others_away(&system, &co_reachability, &marking, &lonely);
            for next in after(&system, &marking) {
                if reached.len() < CONFIGURATIONS && reached.insert(next.clone()) {
                    open.push_back(next);
                }
            }
        }
        // Else it would say nothing that they may be anywhere.
        for (group, together) in &known {
            let anywhere: Vec<StateSet> = group.iter().map(|class| states.all(*class)).collect();
            let is_less = |id: StateId| {
                let mut at = anywhere.clone();
                at[1] = states.set(group[1], [Some(id)]);
                together.beside(0, &at.iter().collect::<Vec<_>>()) != anywhere[0]
            };
            let mut own = system.states.iter().filter(|(_, state)| state.class == group[1]);
            never += u32::from(own.any(|(id, _)| is_less(id)));
        }
    }
    println!(
        "{seen} groups seen, {told} told by way of hubs; of {never} groups it is known that they are not everywhere"
    );
    assert!(seen >= 5_000 && never >= 500 && told >= 1_000);
}

/// Whether the kernel accepts a relation. The claim itself is about nothing: it is broken, but its
/// relations are looked at first.
fn is_closed(system: &System, joint: JointStates) -> bool {
    let proof = Proof::Ranking(Ranking::new(system, [], []));
    let claim = LivelockFreeClaim { joint: vec![joint], ..LivelockFreeClaim::new(Fairness::None, proof) };
    let said = check(system, Certificate::new(system, [Claim::LivelockFree(claim)]));
    said.map_or_else(|rejection| !rejection.to_string().contains(": relation 1: "), |_| true)
}

/// All relations that leave out one combination of another one.
fn without_one(joint: &JointStates) -> Vec<JointStates> {
    let mut less = Vec::new();
    for (at, row) in joint.rows.iter().enumerate() {
        let places: Vec<usize> = row.last.iter().flat_map(Clone::clone).collect();
        for left_out in &places {
            let rest = places.iter().copied().filter(|place| place != left_out);
            let mut other = joint.clone();
            other.rows[at] = JointRow::new(row.others.clone(), rest);
            less.push(other);
        }
    }
    less
}

#[test]
fn the_kernel_accepts_what_is_reached_and_nothing_less() {
    let mut runner = TestRunner::deterministic();
    let (mut accepted, mut rejected) = (0, 0);
    for _ in 0..cases(600).cases {
        let system = talkers().new_tree(&mut runner).expect("there is one").current();
        let single = single_classes(&system);
        // Classes that are created would have to be listed.
        let created: BTreeSet<ClassId> =
            system.transitions.values().flat_map(|transition| transition.creates.clone()).collect();
        let lonely: Vec<ClassId> = single
            .iter()
            .filter(|(class, single)| **single && !created.contains(class))
            .map(|(id, _)| id)
            .collect();
        let states = StateIndex::new(&system);
        for group in couples(&lonely).into_iter().chain(triples(&lonely)) {
            let Some(joint) = JointReach::new(&system, &states, &group) else { continue };
            let listed = joint.listed(&system);
            assert!(is_closed(&system, listed.clone()), "{listed:?} {system:#?}");
            accepted += 1;
            for less in without_one(&listed) {
                assert!(!is_closed(&system, less.clone()), "{less:?} of {listed:?} {system:#?}");
                rejected += 1;
            }
        }
    }
    println!("{accepted} relations accepted, {rejected} with one combination less rejected");
    assert!(accepted >= 500 && rejected >= 2_000);
}
