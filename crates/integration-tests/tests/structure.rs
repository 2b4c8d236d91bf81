//! What is proved by graph structure is not contradicted: by all configurations of random systems,
//! counted.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use boundedness::{Encoding, Options, by_cases, check};
use certify::{AllBoundedClaim, Claim, Proof};
use cfsm_core::ids::{Id, IdMap};
use cfsm_core::system::{DataId, System, SystemBuilder, TransitionId};
use cfsm_core::testing::{SystemShape, systems};
use integration_tests::cases;
use integration_tests::systems::{tamed, with_data};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;

/// Configurations that are looked at.
const CONFIGURATIONS: usize = 1000;

/// Tokens of states, then of message types, then of data places.
type Marking = Vec<i128>;

/// What a search of configurations came to.
#[derive(Debug, PartialEq, Eq)]
enum Found {
    /// All of them.
    All,
    /// One that covers an earlier one of the same run: there is no end of them.
    Endless,
    /// Too many.
    Many,
}

/// The steps of the counting net, with only these data places: changes of markings.
struct Net {
    start: Marking,
    steps: BTreeSet<(Marking, Marking)>,
}

impl Net {
    fn new(system: &System, counted: &IdMap<DataId, bool>) -> Self {
        let (states, messages) = (system.states.len(), system.messages.len());
        let len = states + messages + system.data.len();
        let mut start = vec![0; len];
        for class in system.classes.values() {
            start[class.initial.index()] += i128::from(class.instances);
        }
        for (id, place) in system.data.iter().filter(|(id, _)| counted[*id]) {
            start[states + messages + id.index()] = i128::from(place.initial);
        }
        // What a transition takes from states before it gives anything, and what it changes.
        let parts = |id: TransitionId| {
            let transition = &system.transitions[id];
            let (mut takes, mut changes) = (vec![0; len], vec![0; len]);
            takes[transition.source.index()] += 1;
            changes[transition.source.index()] -= 1;
            changes[transition.target.index()] += 1;
            for class in &transition.creates {
                changes[system.classes[*class].initial.index()] += 1;
            }
            for (message, count) in transition.effect().entries() {
                changes[states + message.index()] += i128::from(*count);
            }
            for data in transition.data.iter().filter(|data| counted[data.place]) {
                changes[states + messages + data.place.index()] += i128::from(data.change);
            }
            (takes, changes)
        };
        let all: Vec<(Marking, Marking)> = system.transitions.ids().map(parts).collect();
        let balanced = |changes: &Marking| {
            let rendezvous = system.messages.ids().filter(|id| system.is_rendezvous(*id));
            rendezvous.into_iter().all(|id| changes[states + id.index()] == 0)
        };
        let sum = |one: &Marking, other: &Marking| one.iter().zip(other).map(|(a, b)| a + b).collect();
        let with = |one: &(Marking, Marking), other: &(Marking, Marking)| {
            (sum(&one.0, &other.0), sum(&one.1, &other.1))
        };
        let several = |id: TransitionId| {
            let events = system.transitions[id].events.iter();
            events.filter(|event| system.is_rendezvous(event.message)).count() > 1
        };
        let mut steps: BTreeSet<(Marking, Marking)> = all.iter().cloned().collect();
        for (number, one) in all.iter().enumerate() {
            let pairs: Vec<(Marking, Marking)> = all.iter().map(|other| with(one, other)).collect();
            if several(TransitionId::new(number)) {
                steps.extend(pairs.iter().flat_map(|pair| all.iter().map(|third| with(pair, third))));
            }
            steps.extend(pairs);
        }
        let steps = steps.into_iter().filter(|(_, changes)| balanced(changes)).collect();
        Self { start, steps }
    }

    fn after(&self, marking: &Marking) -> Vec<Marking> {
        let next =
            self.steps.iter().filter(|(takes, _)| marking.iter().zip(takes).all(|(has, takes)| has >= takes));
        let next =
            next.map(|(_, changes)| marking.iter().zip(changes).map(|(has, change)| has + change).collect());
        next.filter(|next: &Marking| next.iter().all(|tokens| *tokens >= 0)).collect()
    }

    /// Breadth first, each new marking held against all before it in its run.
    fn search(&self) -> Found {
        let mut before: BTreeMap<Marking, Option<Marking>> = BTreeMap::from([(self.start.clone(), None)]);
        let mut open = VecDeque::from([self.start.clone()]);
        while let Some(marking) = open.pop_front() {
            for next in self.after(&marking) {
                if before.contains_key(&next) {
                    continue;
                }
                let mut earlier = Some(&marking);
                while let Some(one) = earlier {
                    if one.iter().zip(&next).all(|(one, next)| one <= next) {
                        return Found::Endless;
                    }
                    earlier = before[one].as_ref();
                }
                before.insert(next.clone(), Some(marking.clone()));
                if before.len() > CONFIGURATIONS {
                    return Found::Many;
                }
                open.push_back(next);
            }
        }
        Found::All
    }
}

/// Few instances, so that classes can be cut, and ways between states enough.
fn lonely(creates: f64) -> SystemShape {
    SystemShape {
        classes: 1..=3,
        instances: 0..=1,
        states: 1..=4,
        transitions: 3..=8,
        buffers: 1..=3,
        message_types: 1..=2,
        creates,
        ..SystemShape::full()
    }
}

/// What a transition of a traveller does: from where (so many loops stay there), and what it adds.
type Leg = (usize, usize, [i32; 3], i64);

/// A few states with loops that give some messages for others, and ways between them that mostly
/// cost something. Another process has some of all messages to begin with, and may create the first
/// one.
fn travellers() -> impl Strategy<Value = System> {
    let gain = || prop_oneof![3 => Just(0), 3 => Just(-1), 2 => Just(1), 1 => Just(2), 1 => Just(-2)];
    let effect = move || (gain(), gain()).prop_map(|(x, y)| [x, y, 0]);
    let toll = prop_oneof![1 => Just(0), 4 => Just(-1), 1 => Just(1)];
    let data = || prop_oneof![3 => Just(0_i64), 1 => Just(1), 2 => Just(-1)];
    let loops = vec((0..3_usize, effect(), data()), 2..6).prop_map(|loops| {
        loops.into_iter().map(|(at, effect, data)| (at, at, effect, data)).collect::<Vec<Leg>>()
    });
    let ways = vec((0..3_usize, 0..3_usize, (gain(), toll).prop_map(|(y, toll)| [0, y, toll]), data()), 1..5);
    let ways = ways.prop_map(|ways| ways.into_iter().collect::<Vec<Leg>>());
    let instances = prop_oneof![1 => Just(0_u32), 6 => Just(1), 1 => Just(2)];
    let rest = (instances, [0..3_i32, 0..3_i32, 0..3_i32], prop::bool::ANY, prop::option::of(0..3_u64));
    (loops, ways, rest).prop_map(|(loops, ways, (instances, start, creates, credit))| {
        let mut b = SystemBuilder::new("travellers");
        let messages = ["x", "y", "ticket"].map(|name| b.message(name, "m"));
        let credit = credit.map(|initial| b.data("credit", initial));
        let class = b.class("Traveller", if creates { 0 } else { instances }).id();
        for (from, to, effect, data) in loops.into_iter().chain(ways) {
            let changes: Vec<_> = messages.into_iter().zip(effect).collect();
            b.class_again(class).step(&from.to_string(), &changes, &to.to_string());
            if let Some(credit) = credit.filter(|_| data != 0) {
                b.changes(credit, data);
            }
        }
        let changes: Vec<_> = messages.into_iter().zip(start).collect();
        b.class("Office", 1).step("0", &changes, "1");
        if creates {
            let office = b.class("Agency", 1).create("0", class, "1").id();
            if instances == 2 {
                b.class_again(office).create("1", class, "2");
            }
        }
        b.build().expect("names are given once")
    })
}

/// What a hub does in a step: from where, to where, what it tells whom (or nothing, or two at
/// once), and whether that costs a ticket.
type Move = (usize, usize, Vec<usize>, bool);

/// A hub that goes round a few states and tells two towns what they do then, by rendezvous: pass
/// letters to each other, or copies of them, or keep them. Sometimes somebody else listens or
/// talks, or one of them comes late.
fn handovers() -> impl Strategy<Value = System> {
    let told =
        || prop_oneof![1 => vec(0..4_usize, 0..1), 5 => vec(0..4_usize, 1..2), 1 => vec(0..4_usize, 2..3)];
    let round = vec((told(), prop::bool::weighted(0.4)), 2..5);
    let round = round.prop_map(|told| {
        let count = told.len();
        let steps = told.into_iter().enumerate();
        steps.map(|(at, (told, pays))| (at, (at + 1) % count, told, pays)).collect::<Vec<Move>>()
    });
    let detours = vec((0..4_usize, 0..4_usize, told(), prop::bool::weighted(0.7)), 0..2);
    let hearing = vec((0..4_usize, 0..2_usize, 0..2_usize), 2..7);
    let passing = vec((0..2_usize, 0..2_usize, prop_oneof![4 => Just(1), 1 => Just(2), 2 => Just(0)]), 1..4);
    let third = prop::option::weighted(0.2, (0..4_usize, prop::bool::ANY));
    let start = (1..3_i32, 0..2_i32, 1..4_i32, 0..2_usize, 0..2_usize);
    let late = prop::option::weighted(0.3, 0..3_usize);
    (round, detours, hearing, passing, third, start, late).prop_map(
        |(round, detours, hearing, passing, third, (west, east, tickets, west_begins, east_begins), late)| {
            let mut b = SystemBuilder::new("handovers");
            let told = [("west", "0"), ("west", "1"), ("east", "0"), ("east", "1")].map(|(town, name)| {
                let buffer = b.buffer(town);
                b.declare(buffer, 0);
                b.message_in(buffer, name)
            });
            let letters = ["toWest", "toEast"].map(|name| b.message(name, "letter"));
            let ticket = b.message("tickets", "ticket");
            let instances = |class| u32::from(late != Some(class));
            let hub = b.class("Hub", instances(0)).id();
            for (from, to, told_now, pays) in round.into_iter().chain(detours) {
                let told_now = told_now.into_iter().map(|at| (told[at], 1));
                let changes: Vec<_> = told_now.chain(pays.then_some((ticket, -1))).collect();
                b.class_again(hub).step(&from.to_string(), &changes, &to.to_string());
            }
            let towns = [("West", west_begins, 1), ("East", east_begins, 2)].map(|(name, begins, number)| {
                let id = b.class(name, instances(number)).id();
                b.class_again(id).state(&begins.to_string());
                id
            });
            for (heard, from, to) in hearing {
                b.class_again(towns[heard / 2]).receive(&from.to_string(), told[heard], &to.to_string());
            }
            for (town, state, copies) in passing {
                let changes = [(letters[town], -1), (letters[1 - town], copies)];
                b.class_again(towns[town]).step(&state.to_string(), &changes, &state.to_string());
            }
            if let Some((at, listens)) = third {
                b.class("Third", 1).step("0", &[(told[at], if listens { -1 } else { 1 })], "1");
            }
            if let Some(class) = late.map(|number| [hub, towns[0], towns[1]][number]) {
                b.class("Agency", 1).create("0", class, "1");
            }
            let changes = [(letters[0], west), (letters[1], east), (ticket, tickets)];
            b.class("Office", 1).step("0", &changes, "1");
            b.build().expect("names are given once")
        },
    )
}

fn any_system() -> impl Strategy<Value = System> {
    prop_oneof![
        3 => handovers(),
        1 => systems(lonely(0.1)),
        1 => tamed(lonely(0.0)),
        1 => with_data(tamed(lonely(0.1))),
        9 => travellers(),
    ]
}

/// What a proof of all buffers rests on.
struct Grounds {
    /// The data places that it counts.
    counted: IdMap<DataId, bool>,
    /// Whether it says where processes cannot be.
    apart: bool,
}

/// What a proof of all buffers rests on, if there is one.
fn proved(system: &System, encoding: Encoding) -> Option<Option<Grounds>> {
    let questions = ilp_encode::Options { encoding, ..Default::default() };
    let plain = check(system, &questions.clone().into());
    if plain.verdict.is_proved() {
        return None;
    }
    let Some(outcome) = by_cases(system, &plain, &Options { questions, cases: 60, ..Options::default() })
    else {
        return Some(None);
    };
    assert!(outcome.rejected.is_empty(), "{:?} of {system:#?}", outcome.rejected);
    let certificate = outcome.verdict.certificate().expect("it is proved");
    let mut claims = certificate.claims.iter();
    let claim = claims.find(|claim| matches!(claim, Claim::AllBounded(_))).expect("that is how");
    let Claim::AllBounded(AllBoundedClaim { proof, .. }) = claim else {
        unreachable!("it has just been found")
    };
    let places = claim.data_places();
    let counted = system.data.values().map(|place| places.contains(place.name.as_str())).collect();
    let apart = proof.any(&|part| matches!(part, Proof::Apart(_)));
    Some(Some(Grounds { counted, apart }))
}

/// What is proved has finitely many configurations: none covers an earlier one, which would be the
/// beginning of endlessly many.
#[test]
fn what_is_proved_has_an_end() {
    let mut runner = TestRunner::deterministic();
    let (mut open, mut by_structure, mut counted_data, mut apart, mut all, mut ends) = (0, 0, 0, 0, 0, 0);
    for _ in 0..cases(8000).cases {
        let mut system = any_system().new_tree(&mut runner).expect("there is one").current();
        // What rests on order is compared with runs that keep it: tests/deliveries.rs.
        system.order = None;
        let Some(proof) = proved(&system, Encoding::Flow) else { continue };
        open += 1;
        let Some(Grounds { counted, apart: is_apart }) = proof else {
            let everything = IdMap::filled(true, system.data.len());
            ends += u32::from(Net::new(&system, &everything).search() == Found::All);
            continue;
        };
        by_structure += 1;
        counted_data += u32::from(counted.values().any(|counts| *counts));
        apart += u32::from(is_apart);
        let found = Net::new(&system, &counted).search();
        assert_ne!(found, Found::Endless, "{system:#?}");
        all += u32::from(found == Found::All);
    }
    println!(
        "{open} open, {by_structure} by structure ({counted_data} with data, {apart} as processes are apart), all seen of {all}; {ends} more have an end"
    );
    assert!([by_structure, counted_data, apart, all].iter().all(|count| *count >= 20));
}
