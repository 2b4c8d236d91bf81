//! Systems as programs: the runs of the translation are those of the system, and what they show
//! agrees with what is proved.
//!
//! The other side is a breadth-first search over configurations that shares no code with `explore`
//! (`integration_tests::walk`).

use std::collections::BTreeMap;

use boundedness::{BufferVerdict, Outcome, check};
use cfsm_core::ids::Id;
use cfsm_core::system::{BufferId, ClassId, NotRunnable, System, SystemBuilder, Translation};
use cfsm_core::testing::{SystemShape, systems};
use explore::{Buffers, Completion, Exploration, Limits, Reduction, RunError, Semantics};
use integration_tests::cases;
use integration_tests::systems::tamed;
use integration_tests::walk::{self, Order, Seen};
use num_bigint::BigInt;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use refine::{Confirmation, confirm};

/// Configurations that the other side looks at.
const CONFIGURATIONS: usize = 1_000;
/// States of the translation: it tells apart instances that the other side only counts.
const STATES: usize = 20_000;

fn translated(system: &System) -> Translation {
    system.to_program().expect("nothing is in the way")
}

fn explored(program: &cfsm_core::program::Program, buffers: Buffers, states: usize) -> Exploration {
    let options = explore::Options { buffers, ..explore::Options::default() };
    let semantics = Semantics::new(program, &options).expect("a translation can be run");
    let limits = Limits { states: Some(states), violations: 8, ..Limits::default() };
    semantics.explore(&limits).expect("few processes start")
}

/// The maxima by buffer.
fn maxima(found: &Exploration) -> Vec<usize> {
    let by_buffer: BTreeMap<usize, u32> =
        found.maxima.iter().map(|(origin, most)| (origin.variable.index(), *most)).collect();
    by_buffer.into_values().map(|most| most as usize).collect()
}

fn confirmed(system: &System, outcome: &Outcome, states: usize) -> Confirmation {
    let translation = translated(system);
    let options =
        refine::Options { search_states: states, exploration_states: states, ..refine::Options::default() };
    confirm(&translation.program, &translation, outcome, &options)
}

/// Both sides have seen all there is, if they have.
fn both(system: &System) -> Option<(Seen, Exploration)> {
    let seen = walk::explore(system, Order::Fifo, CONFIGURATIONS);
    if !seen.complete {
        return None;
    }
    let found = explored(&translated(system).program, Buffers::Unbounded, STATES);
    (found.completion == Completion::Complete && found.errors == 0).then_some((seen, found))
}

fn any_system() -> impl Strategy<Value = System> {
    let tiny = SystemShape {
        classes: 1..=2,
        instances: 1..=3,
        states: 2..=4,
        transitions: 4..=8,
        buffers: 1..=2,
        ..SystemShape::full()
    };
    let crowded = SystemShape { creates: 0.5, rendezvous: 0.4, ..tiny.clone() };
    prop_oneof![2 => tamed(tiny), 1 => tamed(crowded), 1 => systems(SystemShape::full())]
}

/// What all states show, one by one or in sets, with what is left out for proofs: the maxima, if
/// that is a proof.
fn exhausted(system: &System, in_sets: bool) -> Option<BTreeMap<usize, usize>> {
    let program = translated(system).program;
    let options = explore::Options { buffers: Buffers::Unbounded, ..explore::Options::default() };
    let semantics = Semantics::new(&program, &options).expect("a translation can be run");
    let limits =
        Limits { states: Some(2_000), passed: Some(STATES), bytes: Some(16 << 20), ..Limits::default() };
    let reduction = Reduction::WITHOUT_ASSERTIONS;
    let proof = if in_sets {
        semantics.exhaust_in_sets(&limits, reduction)?.proof
    } else {
        semantics.exhaust(&limits, reduction).expect("few processes start").proof
    };
    let maxima = proof?.maxima().clone();
    Some(maxima.into_iter().map(|(origin, most)| (origin.variable.index(), most as usize)).collect())
}

proptest! {
    #![proptest_config(cases(200))]

    /// All states are a proof only if there is an end to configurations; then maxima are theirs.
    #[test]
    fn all_states_show_all_that_buffers_hold(system in any_system()) {
        let seen = walk::explore(&system, Order::Fifo, CONFIGURATIONS);
        for in_sets in [false, true] {
            let Some(maxima) = exhausted(&system, in_sets) else { continue };
            for (buffer, most) in seen.most.iter().enumerate() {
                let shown = maxima.get(&buffer).copied().unwrap_or(0);
                prop_assert!(shown == *most || !seen.complete && shown > *most, "{}: {} {}", in_sets, buffer, most);
            }
        }
    }

    /// The maxima are those of the plain search.
    #[test]
    fn maxima_are_those_of_the_plain_search(system in any_system()) {
        prop_assert_eq!(translated(&system).program.validate(), Ok(()));
        if let Some((seen, found)) = both(&system) {
            prop_assert_eq!(maxima(&found), seen.most);
        }
    }

    /// No proved bound is exceeded, and what has a witness can grow in the counting reading.
    #[test]
    fn runs_agree_with_proofs(system in any_system()) {
        let outcome = check(&system, &boundedness::Options::default());
        let confirmation = confirmed(&system, &outcome, 1_000);
        prop_assert!(!confirmation.contradicts(&outcome));
        for buffer in confirmation.unbounded.keys() {
            let can_grow = matches!(outcome.buffers[*buffer], BufferVerdict::CanGrow { .. });
            prop_assert!(can_grow);
        }
        let found = explored(&translated(&system).program, Buffers::Unbounded, 1_000);
        for ((_, verdict), most) in outcome.buffers.iter().zip(maxima(&found)) {
            if let BufferVerdict::Bounded { bound } = verdict {
                prop_assert!(BigInt::from(most) <= *bound);
            }
        }
    }
}

/// The properties above would say little otherwise.
#[test]
fn much_is_compared() {
    let mut runner = TestRunner::deterministic();
    let strategy = any_system();
    let (mut complete, mut filled, mut long, mut witnesses) = (0, 0, 0, 0);
    for _ in 0..200 {
        let system = strategy.new_tree(&mut runner).expect("nothing is thrown away").current();
        if let Some((seen, _)) = both(&system) {
            complete += usize::from(seen.configurations > 3);
            filled += usize::from(seen.most.iter().any(|most| *most > 0));
            long += usize::from(system.transitions.values().any(|transition| transition.events.len() > 1));
        }
        let outcome = check(&system, &boundedness::Options::default());
        witnesses += usize::from(!confirmed(&system, &outcome, 1_000).witnesses.is_empty());
    }
    let counts = [complete, filled, long, witnesses];
    assert!(counts.iter().zip([30, 30, 30, 10]).all(|(count, least)| *count >= least), "{counts:?}");
}

fn built(make: impl FnOnce(&mut SystemBuilder)) -> System {
    let mut builder = SystemBuilder::new("hand-made");
    make(&mut builder);
    builder.build().expect("it is valid")
}

/// A question and an answer in one step each: no step is possible, as neither side can begin.
#[test]
fn a_transition_is_all_or_nothing() {
    let system = built(|b| {
        let (ask, tell) = (b.message("A", "ask"), b.message("B", "tell"));
        b.class("P", 1).step("0", &[(ask, 1), (tell, -1)], "0");
        b.class("Q", 1).step("0", &[(ask, -1), (tell, 1)], "0");
    });
    let found = explored(&translated(&system).program, Buffers::Unbounded, 100);
    assert_eq!((found.states, found.deadlocks, maxima(&found)), (1, 1, vec![0, 0]));
    // That is what the proof says. If sends were done before, and control lost, there would be 1.
    let outcome = check(&system, &boundedness::Options::default());
    let empty = BufferVerdict::Bounded { bound: BigInt::ZERO };
    assert!(outcome.buffers.values().all(|verdict| *verdict == empty), "{:?}", outcome.buffers);
    assert!(!confirmed(&system, &outcome, 100).contradicts(&outcome));
}

/// Buffers are looked at between steps, and events that count more than 1 are as many messages.
#[test]
fn messages_are_counted_between_steps() {
    let system = built(|b| {
        let m = b.message("A", "m");
        b.class("P", 1).step("0", &[(m, 3), (m, -2)], "1").step("1", &[(m, -1)], "2");
    });
    let translation = translated(&system);
    let found = explored(&translation.program, Buffers::Unbounded, 100);
    // The last state, and that in which the process is gone.
    assert_eq!((found.states, found.invalid_ends, maxima(&found)), (4, 0, vec![1]));
    let lengths: Vec<usize> = translation.statements.values().map(Vec::len).collect();
    assert_eq!(lengths, [5, 1]);
}

#[test]
fn order_within_a_buffer_is_kept() {
    let system = built(|b| {
        let (first, second) = (b.message("A", "first"), b.message("A", "second"));
        b.class("P", 1).step("0", &[(first, 1), (second, 1)], "1");
        b.class("Q", 1).receive("0", second, "1");
    });
    let found = explored(&translated(&system).program, Buffers::Unbounded, 100);
    assert_eq!((found.transitions, found.invalid_ends, maxima(&found)), (1, 1, vec![2]));
}

#[test]
fn a_rendezvous_is_a_step_of_two_and_holds_nothing() {
    let system = built(|b| {
        let meet = b.message("R", "meet");
        let buffer = b.buffer("R");
        b.declare(buffer, 0);
        let (done, worker) = (b.message("A", "done"), ClassId::new(2));
        b.class("P", 1);
        b.class("Q", 1).receive("0", meet, "1");
        b.class("Worker", 0).send("0", done, "1");
        let mut p = b.class_again(ClassId::new(0));
        let (from, to) = (p.state("0"), p.state("1"));
        let send = cfsm_core::system::Direction::Send;
        let event = cfsm_core::system::Event { direction: send, message: meet, count: 1 };
        p.transition(from, vec![event], vec![worker, worker], to, None);
    });
    let found = explored(&translated(&system).program, Buffers::Unbounded, 1_000);
    assert_eq!((found.completion, found.invalid_ends, maxima(&found)), (Completion::Complete, 0, vec![0, 2]));
    let seen = walk::explore(&system, Order::Fifo, CONFIGURATIONS);
    assert_eq!(seen.most, maxima(&found));
}

#[test]
fn declared_capacities_are_kept_if_asked_for() {
    let system = built(|b| {
        let (m, n) = (b.message("A", "m"), b.message("B", "n"));
        let buffer = b.buffer("A");
        b.declare(buffer, 2);
        b.class("P", 1).send("0", m, "0");
        b.class("Q", 1).send("0", n, "1").send("1", n, "2").send("2", n, "3");
    });
    let found = explored(&translated(&system).program, Buffers::Declared, 1_000);
    // B has no capacity, so it holds any number.
    assert_eq!((found.completion, maxima(&found)), (Completion::Complete, vec![2, 3]));
}

#[test]
fn what_grows_has_a_witness_and_what_does_not_a_maximum() {
    let system = built(|b| {
        let (m, n) = (b.message("A", "m"), b.message("B", "n"));
        b.class("P", 1).step("0", &[(m, 2)], "1").receive("1", m, "0").step("0", &[(n, 1), (n, -1)], "0");
    });
    let outcome = check(&system, &boundedness::Options::default());
    let found = confirmed(&system, &outcome, 10_000);
    assert_eq!(found.unbounded, BTreeMap::from([(BufferId::new(0), 0)]));
    assert_eq!(found.witnesses.len(), 1);

    // Only the order of messages keeps it from growing: no proof, but a maximum.
    let system = built(|b| {
        let (x, y) = (b.message("A", "x"), b.message("A", "y"));
        b.class("P", 1).step("0", &[(x, 1), (y, 1)], "1").step("1", &[(y, -1), (y, 2)], "1");
    });
    let outcome = check(&system, &boundedness::Options::default());
    assert!(matches!(outcome.buffers[BufferId::new(0)], BufferVerdict::CanGrow { .. }));
    let found = confirmed(&system, &outcome, 10_000);
    assert_eq!((found.witnesses.len(), found.exact), (0, BTreeMap::from([(BufferId::new(0), 2)])));
}

/// Each created instance sends once and is gone: a witness needs it to be gone.
#[test]
fn instances_that_come_to_their_end_make_room() {
    let system = built(|b| {
        let m = b.message("A", "m");
        let visitor = {
            let mut class = b.class("Visitor", 0);
            class.send("0", m, "1");
            class.id()
        };
        b.class("Museum", 1).create("0", visitor, "0");
    });
    let outcome = check(&system, &boundedness::Options::default());
    let found = confirmed(&system, &outcome, 10_000);
    assert_eq!(found.unbounded.keys().copied().collect::<Vec<_>>(), [BufferId::new(0)]);
}

#[test]
fn what_has_no_runs_is_said() {
    let system = built(|b| {
        let (meet, m) = (b.message("R", "meet"), b.message("A", "m"));
        let buffer = b.buffer("R");
        b.declare(buffer, 0);
        b.class("P", 1).step("here", &[(meet, 1), (m, 1)], "there");
    });
    let refused = NotRunnable::Company { transition: "P@here -> there".into() };
    assert_eq!(system.to_program(), Err(refused));

    let system = built(|b| {
        let m = b.message("A", "m");
        b.class("P", 1).step("0", &[(m, i32::MAX)], "0");
    });
    assert!(matches!(system.to_program(), Err(NotRunnable::LongStep { .. })));

    let crowd = built(|b| {
        b.class("P", 256);
    });
    let semantics = Semantics::new(&translated(&crowd).program, &explore::Options::default());
    let found = semantics.expect("it can be run").explore(&Limits::default());
    assert_eq!(found, Err(RunError::TooManyProcesses(255)));
}

#[test]
fn a_buffer_with_more_message_types_than_a_byte_tells_apart_loses_none() {
    let system = built(|b| {
        let many: Vec<_> = (0..300).map(|number| b.message("A", &format!("m{number}"))).collect();
        b.class("P", 1).send("0", many[299], "1");
        // 300 is 44 in a byte.
        b.class("Q", 1).receive("0", many[43], "1");
    });
    let found = explored(&translated(&system).program, Buffers::Unbounded, 100);
    assert_eq!((found.invalid_ends, maxima(&found)), (1, vec![1]));
}
