//! What is proved by graph structure is not contradicted: by all configurations of random systems, counted.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use boundedness::{Encoding, Options, by_cases, check};
use certify::Claim;
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
        let pairs = all
            .iter()
            .flat_map(|one| all.iter().map(move |other| (sum(&one.0, &other.0), sum(&one.1, &other.1))));
        let singles = all.iter().cloned();
        let steps = singles.chain(pairs.filter(|(_, changes)| balanced(changes)));
        let steps = steps.filter(|(_, changes)| balanced(changes)).collect();
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

/// A few states with loops that give some messages for others, and ways between them that mostly cost something. Another
/// process has some of all messages to begin with, and may create the first one.
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

fn any_system() -> impl Strategy<Value = System> {
    prop_oneof![
        1 => systems(lonely(0.1)),
        1 => tamed(lonely(0.0)),
        1 => with_data(tamed(lonely(0.1))),
        9 => travellers(),
    ]
}

/// The data places that a proof of all buffers counts, if there is one.
fn proved(system: &System, encoding: Encoding) -> Option<Option<IdMap<DataId, bool>>> {
    let questions = ilp_encode::Options { encoding, ..Default::default() };
    let plain = check(system, &questions.clone().into());
    if plain.verdict.is_proved() {
        return None;
    }
    let Some(outcome) = by_cases(system, &plain, &Options { questions, cases: 60, ..Options::default() })
    else {
        return Some(None);
    };
    let certificate = outcome.verdict.certificate().expect("it is proved");
    let claim = certificate.claims.iter().find(|claim| matches!(claim, Claim::AllBounded(_)));
    let places = claim.expect("that is how").data_places();
    Some(Some(system.data.values().map(|place| places.contains(place.name.as_str())).collect()))
}

/// What is proved has finitely many configurations: none covers an earlier one, which would be the beginning of endlessly
/// many.
#[test]
fn what_is_proved_has_an_end() {
    let mut runner = TestRunner::deterministic();
    let (mut open, mut by_structure, mut counted_data, mut all, mut ends) = (0, 0, 0, 0, 0);
    for _ in 0..cases(8000).cases {
        let mut system = any_system().new_tree(&mut runner).expect("there is one").current();
        // What rests on order is compared with runs that keep it: tests/deliveries.rs.
        system.order = None;
        let Some(proof) = proved(&system, Encoding::Flow) else { continue };
        open += 1;
        let Some(counted) = proof else {
            let everything = IdMap::filled(true, system.data.len());
            ends += u32::from(Net::new(&system, &everything).search() == Found::All);
            continue;
        };
        by_structure += 1;
        counted_data += u32::from(counted.values().any(|counts| *counts));
        let found = Net::new(&system, &counted).search();
        assert_ne!(found, Found::Endless, "{system:#?}");
        all += u32::from(found == Found::All);
    }
    println!(
        "{open} open, {by_structure} by structure ({counted_data} with data), all seen of {all}; {ends} more have an end"
    );
    assert!([by_structure, counted_data, all].iter().all(|count| *count >= 20));
}
