//! Searches, random runs and replays.
#![allow(clippy::unwrap_used)] // helpers of tests

use std::collections::HashSet;
use std::num::NonZeroU32;
use std::time::{Duration, Instant};

use cfsm_core::ids::Id;
use explore::{
    Buffers, Completion, Exploration, Limits, Options, Progress, ReplayError, Run, RunError, Semantics,
    Violation,
};

fn semantics(text: &str, buffers: Buffers) -> Semantics {
    let outcome = promela_front::parse("model.pml", text, &promela_front::Options::default());
    let program = outcome.program.unwrap_or_else(|| panic!("{:#?}", outcome.diagnostics));
    Semantics::new(&program, &Options { buffers, ..Options::default() }).unwrap()
}

fn limits() -> Limits {
    Limits { states: Some(100_000), violations: 10, ..Limits::default() }
}

/// The greatest lengths of all queues, in the order of their origins.
fn maxima(found: &Exploration) -> Vec<u32> {
    found.maxima.values().copied().collect()
}

const PINGS: &str = "chan c = [2] of { byte }; chan r = [0] of { byte };
active proctype P() { c!1; c!2; c!3; r!4 }
active proctype Q() { byte x; do :: c?x :: r?x -> break od }";

#[test]
fn a_search_knows_the_greatest_length_of_each_queue() {
    let most = |buffers| maxima(&semantics(PINGS, buffers).explore(&limits()).unwrap());
    assert_eq!(most(Buffers::Declared), [2, 0]);
    assert_eq!(most(Buffers::Unbounded), [3, 0]);
    assert_eq!(most(Buffers::Size(NonZeroU32::MIN)), [1, 0]);
}

#[test]
fn what_is_sent_and_received_inside_of_a_step_counts() {
    let text = "chan c = [5] of { byte };
active proctype P() { byte x; do :: d_step { c!1; c!2; c!3; c?x; c?x; c?x } :: atomic { c!1; c!2; c?x; c?x } od }";
    assert_eq!(maxima(&semantics(text, Buffers::Declared).explore(&limits()).unwrap()), [3]);
}

#[test]
fn queues_of_instances_are_kept_apart() {
    let text = "proctype W(byte n) { chan mine[2] = [4] of { byte }; do :: n > 0 -> mine[1]!n; n-- :: else -> break od }
init { run W(3); run W(1) }";
    let found = semantics(text, Buffers::Declared).explore(&limits()).unwrap();
    let named: Vec<_> =
        found.maxima.iter().map(|(at, most)| (at.process.unwrap().0, at.element, *most)).collect();
    assert_eq!(named, [(1, 0, 0), (1, 1, 3), (2, 0, 0), (2, 1, 1)]);
}

#[test]
fn a_shortest_run_leads_to_each_violation_and_is_replayed() {
    let text = "byte x; byte a[2]; chan c = [0] of { byte };
active proctype P() { do :: x < 5 -> x++ :: x == 3 -> assert(false); c!7 :: x > 3 -> a[x] = 1 od }
active proctype Q() { byte v; c?v; x = v / (v - 7) }";
    let semantics = semantics(text, Buffers::Declared);
    let found = semantics.explore(&limits()).unwrap();
    let length = |wanted: &Violation| {
        let (_, run) = found.violations.iter().find(|(kind, _)| kind == wanted).unwrap();
        let (_, steps) = semantics.replay(run).unwrap();
        let last = steps.last().unwrap();
        match wanted {
            Violation::Error(error) => assert_eq!(last.errors.first(), Some(error)),
            Violation::InvalidEnd | Violation::Deadlock => {
                assert!(semantics.successors(last.after.as_ref().unwrap()).is_empty())
            }
        }
        steps.len()
    };
    // Each round of the loop is two steps, the guard and what it guards.
    assert_eq!(length(&Violation::Error(RunError::Assertion)), 8);
    assert_eq!(length(&Violation::Error(RunError::DivisionByZero)), 10);
    assert_eq!(length(&Violation::Error(RunError::IndexOutOfBounds { index: 4, length: 2 })), 10);
}

#[test]
fn a_deadlock_is_found_and_an_end_label_is_none() {
    let ends = |processes: &str| {
        let text = format!("chan c = [0] of {{ byte }}; {processes}");
        let found = semantics(&text, Buffers::Declared).explore(&limits()).unwrap();
        let violations: Vec<Violation> =
            found.violations.into_iter().map(|(violation, _)| violation).collect();
        (found.ends, found.invalid_ends, found.deadlocks, violations)
    };
    let waits = "active proctype P() { c?_ }";
    let rests = "active proctype Q() { end: c?_ }";
    assert_eq!(ends(waits), (1, 1, 1, vec![Violation::Deadlock]));
    assert_eq!(ends(rests), (1, 0, 0, vec![]));
    assert_eq!(ends(&format!("{waits} {rests}")), (1, 1, 0, vec![Violation::InvalidEnd]));
    // A process at its end, dead or not, does not count as one at a valid end state.
    assert_eq!(
        ends(&format!("active proctype E() {{ skip }} {waits}")),
        (1, 1, 1, vec![Violation::Deadlock])
    );
    assert_eq!(
        ends(&format!("{waits} active proctype E() {{ skip }}")),
        (1, 1, 1, vec![Violation::Deadlock])
    );
}

#[test]
fn failed_assertions_are_counted_among_the_errors() {
    let text = "byte x; active proctype P() { do :: x < 3 -> x++ :: assert(x == 0) :: x == 2 -> x = 1 / (x - 2) od }";
    let found = semantics(text, Buffers::Declared).explore(&limits()).unwrap();
    // At the beginning of the loop x is 0 to 3.
    assert_eq!((found.errors, found.assertions), (4, 3));
}

#[test]
fn a_limit_is_said() {
    let text = "chan c = [1] of { int }; active proctype P() { int n; do :: c!n; n++ od }";
    let semantics = semantics(text, Buffers::Unbounded);
    let completion = |limits: &Limits| semantics.explore(limits).unwrap().completion;
    assert_eq!(completion(&Limits { states: Some(50), ..Limits::default() }), Completion::States);
    assert_eq!(completion(&Limits { bytes: Some(20_000), ..Limits::default() }), Completion::Bytes);
    assert_eq!(
        completion(&Limits { deadline: Some(Instant::now()).into(), ..Limits::default() }),
        Completion::Time
    );
}

/// Reference result of a search of all states, computed from [`Semantics::successors`] alone: free
/// states, states inside `atomic` once for each free state behind which they come, and the steps of
/// all these.
fn by_hand(semantics: &Semantics) -> (usize, usize, usize) {
    let start = semantics.initial().unwrap();
    let (mut free, mut open) = (HashSet::from([start.clone()]), vec![start]);
    let (mut passed, mut steps) = (0, 0);
    while let Some(origin) = open.pop() {
        let (mut inside, mut here) = (HashSet::new(), vec![origin]);
        while let Some(state) = here.pop() {
            for after in semantics.successors(&state).into_iter().filter_map(|step| step.after) {
                steps += 1;
                if after.held().is_some() {
                    if inside.insert(after.clone()) {
                        here.push(after);
                    }
                } else if free.insert(after.clone()) {
                    open.push(after);
                }
            }
        }
        passed += inside.len();
    }
    (free.len(), passed, steps)
}

#[test]
fn states_inside_atomic_count_once_for_each_state_behind_which_they_come() {
    let sizes = |text: &str| {
        let semantics = semantics(text, Buffers::Declared);
        let found = semantics.explore(&limits()).unwrap();
        let sizes = (found.states, found.passed, found.transitions);
        assert_eq!(found.completion, Completion::Complete);
        assert_eq!(sizes, by_hand(&semantics), "{text}");
        sizes
    };
    // Two ways into the same inside, and two ways through it, with the step behind `fi`.
    let shared = "byte x; active proctype P() { if :: x = 1 :: x = 2 fi; atomic { x = 0; if :: x = 3 :: x = 4 fi; x = 0 } }";
    assert_eq!(sizes(shared), (4 + 1, 2 * 5, 2 + 2 * 7 + 1));
    let handed = "chan c = [0] of { byte }; chan d = [2] of { byte }; byte n;
active proctype P() { do :: n < 4 -> atomic { n++; c!n; d!n } :: else -> break od }
active [2] proctype Q() { byte x; end: do :: atomic { c?x -> if :: d?x :: d!x; x = 0 :: skip fi; x = 0 } :: d?x od }";
    let (states, passed, _) = sizes(handed);
    assert!(states > 50 && passed > states / 10, "{states}, {passed}");
    let round = "byte x; active [2] proctype P() { atomic { do :: x = 2; x = 1 :: break od }; x = 3 }";
    sizes(round);
}

#[test]
fn a_run_to_a_violation_comes_through_few_free_states() {
    let text = "byte x; active proctype P() { if :: x = 1; x = 4 :: atomic { x = 1; x = 2; x = 3; x = 4 } fi; assert(x != 4) }";
    let semantics = semantics(text, Buffers::Declared);
    let found = semantics.explore(&limits()).unwrap();
    let run = &found.violations[0].1;
    let (_, steps) = semantics.replay(run).unwrap();
    assert_eq!(steps.last().unwrap().errors, [RunError::Assertion]);
    // The other way has three steps, and a free state more.
    assert_eq!(steps.len(), 5);
}

#[test]
fn a_violation_inside_atomic_comes_with_the_way_there() {
    let text = "byte x; byte a[2]; active proctype P() { x = 1; x = 2; atomic { do :: x < 5 -> x++ :: x == 5 -> break od; a[x] = 1 } }
active proctype Q() { atomic { x > 3 -> assert(x != 5) } }";
    let semantics = semantics(text, Buffers::Declared);
    let found = semantics.explore(&limits()).unwrap();
    let error = RunError::IndexOutOfBounds { index: 5, length: 2 };
    let (_, run) =
        found.violations.iter().find(|(kind, _)| *kind == Violation::Error(error.clone())).unwrap();
    let (_, steps) = semantics.replay(run).unwrap();
    assert_eq!(steps.last().unwrap().errors, [error]);
    // To the loop, three rounds of two steps, out of it by guard and `break`, the assignment.
    assert_eq!(steps.len(), 2 + 3 * 2 + 2 + 1);
}

#[test]
fn limits_hold_inside_atomic() {
    let text = "int n; active proctype P() { atomic { do :: n++ od } }";
    let semantics = semantics(text, Buffers::Declared);
    let found = |limits: &Limits| semantics.explore(&Limits { progress: true, ..limits.clone() }).unwrap();
    let soon = Instant::now() + Duration::from_millis(20);
    for (limits, completion) in [
        (Limits { states: Some(50), ..Limits::default() }, Completion::States),
        (Limits { passed: Some(50), ..Limits::default() }, Completion::States),
        (Limits { bytes: Some(200_000), ..Limits::default() }, Completion::Bytes),
        (Limits { deadline: Some(soon).into(), ..Limits::default() }, Completion::Time),
    ] {
        let found = found(&limits);
        assert_eq!((found.completion, found.states), (completion, 1));
        assert_eq!(found.progress, Progress::Unknown);
        assert!(found.bytes < 2 * limits.bytes.unwrap_or(usize::MAX / 2), "{} bytes", found.bytes);
    }
    let passed = |states| found(&Limits { states: Some(states), ..Limits::default() }).passed;
    assert_eq!((passed(50), passed(1000)), (50, 1000));
}

#[test]
fn random_runs_depend_on_the_seed_alone_and_are_replayed() {
    let semantics = semantics(
        "chan c = [3] of { byte }; byte n;
active [2] proctype P() { do :: n < 100 -> atomic { c!n; n++ } :: else -> break od }
active proctype Q() { byte x; do :: c?x -> d_step { x = x + 1; n = (x > 90 -> 0 : n) } od }",
        Buffers::Declared,
    );
    let runs: Vec<_> = (0..20).map(|seed| semantics.simulate(seed, 200).unwrap()).collect();
    assert_eq!(runs[3], semantics.simulate(3, 200).unwrap());
    assert_ne!(runs[3], runs[4]);
    for steps in runs {
        assert_eq!(steps.len(), 200);
        let run = Run { steps: steps.iter().map(|step| step.moves.clone()).collect() };
        assert_eq!(semantics.replay(&run).unwrap().1, steps);
    }
}

#[test]
fn a_run_that_is_none_is_rejected() {
    let semantics = semantics(PINGS, Buffers::Declared);
    let steps = semantics.simulate(1, 6).unwrap();
    let run = Run { steps: steps.iter().map(|step| step.moves.clone()).collect() };
    assert!(semantics.replay(&run).is_ok());
    let mut twice = run.clone();
    twice.steps.insert(1, run.steps[0].clone());
    assert_eq!(semantics.replay(&twice), Err(ReplayError::NoSuchStep(1)));
    let mut other = run;
    other.steps[0][0].sent.as_mut().unwrap().fields[0] += 1;
    assert_eq!(semantics.replay(&other), Err(ReplayError::NoSuchStep(0)));
}

#[test]
fn a_start_that_fails_is_an_error() {
    let text = "byte a[2]; byte i = 5; int x = a[i]; active proctype P() { skip }";
    let found = semantics(text, Buffers::Declared).explore(&limits());
    assert_eq!(found, Err(RunError::IndexOutOfBounds { index: 5, length: 2 }));
}

#[test]
fn states_come_back_from_a_search_as_they_were() {
    let text = "typedef R { short s; bit b }; R r[2]; unsigned u : 20; chan c = [3] of { int, chan };
proctype W(chan q) { chan own = [2] of { byte }; own!9; q!-70000,own; _last == 0 }
active proctype P() { chan v; int x; r[1].s = -5; u = 1000000; run W(c); c?x,v; v!200 }";
    let semantics = semantics(text, Buffers::Declared);
    let found = semantics.explore(&limits()).unwrap();
    assert_eq!(found.completion, Completion::Complete);
    let last = semantics.simulate(2, 100).unwrap().pop().unwrap().after.unwrap();
    assert_eq!(semantics.global(&last, Id::new(0), 1), Some(-5));
    assert_eq!(semantics.global(&last, Id::new(0), 2), None);
}

/// Searches for a non-progress cycle, and checks that one that is found is a run.
fn progress(text: &str) -> Progress {
    let semantics = semantics(text, Buffers::Declared);
    let found = semantics.explore(&Limits { progress: true, ..limits() }).unwrap().progress;
    if let Progress::Cycle(lasso) = &found {
        assert!(!lasso.cycle.steps.is_empty());
        let once = [&lasso.prefix.steps[..], &lasso.cycle.steps].concat();
        let (start, steps) = semantics.replay(&Run { steps: once }).unwrap();
        let at = |step: usize| step.checked_sub(1).map_or(Some(&start), |step| steps[step].after.as_ref());
        let around = lasso.prefix.steps.len()..=steps.len();
        assert_eq!(at(*around.start()), at(*around.end()));
        assert!(at(*around.start()).is_some());
    }
    found
}

#[test]
fn a_cycle_without_progress_is_found_and_is_a_run() {
    let lasso = |text| match progress(text) {
        Progress::Cycle(lasso) => (lasso.prefix.steps.len(), lasso.cycle.steps.len()),
        other => panic!("{other:?}: {text}"),
    };
    assert_eq!(lasso("byte x; active proctype P() { x = 1; do :: x = 2; x = 3; x = 1 od }"), (1, 3));
    assert_eq!(lasso("byte x; active proctype P() { do :: x = 0 od }"), (0, 1));
    // The label is seen between steps only.
    let inside = "byte x; active proctype P() { do :: atomic { x = 1; progress: x = 2; x = 0 } od }";
    assert_eq!(lasso(inside), (0, 3));
    let within = "byte x; active proctype P() { x = 1; atomic { do :: x = 2; x = 1 od } }";
    assert_eq!(lasso(within), (2, 2));
    // Only the start makes progress, and the cycle lies behind it; one of two ways round makes
    // none.
    let behind = "byte x; active proctype P() { progress: atomic { x = 1; do :: x = 2; x = 1 od } }";
    assert_eq!(lasso(behind), (1, 2));
    let either = "byte x; active proctype P() { x = 1; atomic { do :: x = 1; progress: x = 0 :: x = 2; x = 3; x = 0 od } }";
    assert_eq!(lasso(either), (2, 3));
    let between = "byte x; active proctype P() { do :: atomic { x = 1; if :: x = 2 :: x = 5 -> x = 2 fi; x = 3 }; x = 0 od }";
    assert_eq!(lasso(between), (0, 5));
    let other = "byte x; active proctype P() { progress: x > 0 } active proctype Q() { x = 1; do :: x = 2; x = 1 od }";
    // P has to leave its label first.
    assert_eq!(lasso(other), (2, 2));
}

#[test]
fn where_every_cycle_makes_progress_there_is_none_without() {
    let always = |text| assert_eq!(progress(text), Progress::Always, "{text}");
    always("byte x; active proctype P() { do :: x = 1; progress: x = 0 od }");
    always("byte x; active proctype P() { progress: do :: x = 1; x = 0 od }");
    always("byte x; active proctype P() { x = 1; x == 2 }");
    always("byte x; active proctype P() { atomic { do :: x = 1; progress: x = 0 od } }");
    always("byte x; active proctype P() { progress: do :: atomic { x = 1; x = 0 } od }");
    always(
        "byte x; active proctype P() { atomic { if :: x = 1 :: x = 1 :: x = 2; x = 1 fi; x = 2; x = 3 } }",
    );
    always("byte x; active proctype P() { progress: false } active proctype Q() { do :: x = 1; x = 0 od }");
}

#[test]
fn what_a_limit_hides_is_not_known() {
    let text = "int x; active proctype P() { do :: x < 1000 -> x++ :: else -> x = 0 od }";
    let semantics = semantics(text, Buffers::Declared);
    let within = |states| {
        let limits = Limits { states: Some(states), progress: true, ..Limits::default() };
        semantics.explore(&limits).unwrap().progress
    };
    assert_eq!(within(500), Progress::Unknown);
    assert!(matches!(within(10_000), Progress::Cycle(_)));
    assert_eq!(semantics.explore(&limits()).unwrap().progress, Progress::Unknown);
    let over = Limits { deadline: Some(Instant::now()).into(), progress: true, ..Limits::default() };
    assert_eq!(semantics.explore(&over).unwrap().progress, Progress::Unknown);
}
