//! Systems whose nets are networks: bounds from cheapest circulations are the least ones.

use boundedness::{BufferVerdict, Options, check};
use cfsm_core::ids::Id;
use cfsm_core::system::{ClassId, MessageId, System, SystemBuilder, TransitionId};
use ilp_encode::Search;
use num_bigint::BigInt;
use proptest::collection::vec;
use proptest::prelude::*;

/// A process that goes through so many steps, in a circle if it is to, and how many start.
type Line = (usize, bool, u32);

/// A place: its first number says of what kind it is, the others who fills and empties it, and
/// which buffer it belongs to.
type Place = (u8, usize, usize, usize);

/// A system in which each place is filled by one step at most, and emptied by one at most.
fn system(lines: &[Line], places: &[Place], creates: bool) -> System {
    let mut b = SystemBuilder::new("network");
    let in_person = b.buffer("in person");
    b.declare(in_person, 0);
    let mut changes: Vec<Vec<(MessageId, i32)>> =
        vec![Vec::new(); lines.iter().map(|(steps, ..)| *steps).sum()];
    let count = changes.len();
    let mut data = Vec::new();
    for (number, &(kind, fills, empties, buffer)) in places.iter().enumerate() {
        let (fills, empties) = (fills % count, empties % count);
        if fills == empties {
            continue;
        }
        if kind == 0 {
            data.push((b.data(&format!("d{number}"), number as u64 % 3), fills, empties));
            continue;
        }
        let buffer = if kind == 1 { in_person } else { b.buffer(&format!("q{buffer}")) };
        let message = b.message_in(buffer, &format!("m{number}"));
        if kind != 2 {
            changes[fills].push((message, 1));
        }
        if kind != 3 {
            changes[empties].push((message, -1));
        }
    }
    let mut all = changes.into_iter().enumerate();
    for (number, &(steps, is_circle, instances)) in lines.iter().enumerate() {
        let class = b.class(&format!("P{number}"), instances).id();
        for step in 0..steps {
            let (at, of_step) = all.next().expect("one for each step");
            let next = if is_circle { (step + 1) % steps } else { step + 1 };
            b.class_again(class).step(&step.to_string(), &of_step, &next.to_string());
            for &(place, _, _) in data.iter().filter(|(_, fills, _)| *fills == at) {
                b.changes(place, 1);
            }
            for &(place, _, _) in data.iter().filter(|(_, _, empties)| *empties == at) {
                b.changes(place, -1);
            }
        }
    }
    let mut system = b.build().expect("names are numbered");
    // A step that creates is another one that puts a token where a process begins.
    for (class, &(_, is_circle, _)) in lines.iter().enumerate().filter(|_| creates) {
        let by = (class + 1) % lines.len();
        let first: usize = lines[..by].iter().map(|(steps, ..)| *steps).sum();
        if !is_circle && by != class {
            system.transitions[TransitionId::new(first)].creates.push(ClassId::new(class));
        }
    }
    system
}

fn bounds(system: &System, search: Search, as_they_are: bool) -> Vec<Option<BigInt>> {
    let questions = ilp_encode::Options { search, as_they_are, ..Default::default() };
    let outcome = check(system, &Options::from(questions));
    let bound = |verdict: &BufferVerdict| match verdict {
        BufferVerdict::Bounded { bound } => Some(bound.clone()),
        _ => None,
    };
    outcome.buffers.values().map(bound).collect()
}

proptest! {
    #[test]
    fn bounds_are_the_least_ones(
        lines in vec((1usize..5, prop::bool::weighted(0.8), 0u32..3), 1..5),
        places in vec((0u8..10, 0usize..20, 0usize..20, 0usize..3), 0..12),
        creates: bool,
    ) {
        let system = system(&lines, &places, creates);
        prop_assert_eq!(system.validate(), Ok(()));
        let least = bounds(&system, Search::Exact, true);
        prop_assert_eq!(&bounds(&system, Search::Float, true), &least);
        prop_assert_eq!(&bounds(&system, Search::Float, false), &least);
    }
}

/// Three circles that hand on what comes; the sum of what two places hold is less than what each of
/// them may hold.
#[test]
fn places_of_one_buffer_count_together() {
    let lines = [(2, true, 3), (2, true, 2), (2, true, 1)];
    let places = [(4, 0, 2, 0), (4, 3, 1, 0), (4, 1, 4, 1), (4, 5, 0, 1)];
    let system = system(&lines, &places, false);
    let least = bounds(&system, Search::Exact, true);
    assert_eq!(bounds(&system, Search::Float, true), least);
    assert!(least.iter().skip(1).all(Option::is_some), "{least:?}");
}

/// Who puts a message of one type into a buffer takes one of another type out of it: for a walk it
/// never holds both.
#[test]
fn what_is_exchanged_at_once_counts_once() {
    let lines = [(4, true, 1), (1, false, 0), (4, true, 1), (1, false, 0)];
    let places = [(4, 7, 13, 0), (4, 14, 0, 1), (4, 0, 17, 0)];
    let system = system(&lines, &places, true);
    assert_eq!(bounds(&system, Search::Float, true), [None, Some(1.into()), Some(1.into())]);
}
