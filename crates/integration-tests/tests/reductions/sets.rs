//! Searches in sets of states, held against searches that look at states one by one: the same
//! maxima and errors, and, where nothing is left out, the same number of states.
//!
//! `FREEBOARD_LONG` compares more random programs, `PROPTEST_CASES` as many as it says; the first
//! number is `PROPTEST_RNG_SEED`, or 0.

use std::collections::BTreeSet;

use cfsm_core::program::{Action, Program};
use explore::{Buffers, Completion, Limits, Reduction, RunError, Semantics};
use integration_tests::comparison::corpus::own_models;
use integration_tests::generator::{Profile, sample, shrunk};
use integration_tests::idle_programs::idle_program;
use integration_tests::{given, say, short_or_long};

use super::semantics;

/// How many states a program may have.
const STATES: usize = 5_000;
const DEAD: Reduction = Reduction { dead_variables: true, ..Reduction::NONE };
const LOCAL: Reduction = Reduction { local_steps: true, ..Reduction::NONE };

/// Errors, as a set; with assertions that fail, or without.
fn named(errors: &[RunError], assertions: bool) -> BTreeSet<String> {
    let looked_for = errors.iter().filter(|error| assertions || **error != RunError::Assertion);
    looked_for.map(RunError::to_string).collect()
}

/// What was compared: whether there are sets, and how many states they have.
#[derive(Default)]
struct Compared {
    programs: usize,
    in_sets: usize,
    states: u128,
    /// Programs whose states were counted in both ways.
    counted: usize,
}

/// What differs; `None` if there are too many states.
fn compared(program: &Program, semantics: &Semantics, sum: &mut Compared) -> Option<Result<(), String>> {
    let limits = Limits {
        states: Some(STATES),
        passed: Some(10 * STATES),
        bytes: Some(64 << 20),
        ..Limits::default()
    };
    let all = semantics.exhaust(&limits, Reduction::NONE).ok()?;
    if all.completion != Completion::Complete {
        return None;
    }
    sum.programs += 1;
    for reduction in [Reduction::NONE, DEAD, LOCAL, Reduction::ALL, Reduction::WITHOUT_ASSERTIONS] {
        let Some(found) = semantics.exhaust_in_sets(&Limits::default(), reduction) else { continue };
        sum.in_sets += usize::from(reduction == Reduction::NONE);
        sum.states += found.states;
        let errors = (named(&all.errors, !reduction.assertions), named(&found.errors, true));
        if found.completion != Completion::Complete || errors.0 != errors.1 {
            return Some(Err(format!("{reduction:?}: {:?}, errors {errors:?}", found.completion)));
        }
        if all.proof.as_ref().map(explore::Exhausted::maxima)
            != found.proof.as_ref().map(explore::Exhausted::maxima)
        {
            return Some(Err(format!("{reduction:?}: {:?}, not {:?}", found.proof, all.proof)));
        }
        let count = all.states as u128;
        let creates = program
            .types
            .values()
            .any(|ty| ty.edges.values().any(|edge| matches!(edge.action, Action::Create { .. })));
        let more = found.states > count && !reduction.idle_data;
        if more || reduction == Reduction::NONE && !creates && found.states != count {
            return Some(Err(format!("{reduction:?}: {} states, not {count}", found.states)));
        }
        sum.counted += usize::from(reduction == Reduction::NONE && !creates);
    }
    Some(Ok(()))
}

/// Compares so many random programs.
fn random(profile: &Profile, count: usize) -> Compared {
    let mut seed = given("PROPTEST_RNG_SEED").unwrap_or(0);
    let mut sum = Compared::default();
    // More than a tenth has few enough states.
    let end = seed + 10 * count as u64 + 100;
    while sum.programs < count && seed < end {
        let text = sample(profile, seed).text;
        let found = |text: &str, sum: &mut Compared| {
            semantics(text, Buffers::Unbounded)
                .and_then(|(program, semantics)| compared(&program, &semantics, sum))
        };
        if let Some(Err(difference)) = found(&text, &mut sum) {
            let fails =
                |text: &str| found(text, &mut Compared::default()).is_some_and(|found| found.is_err());
            let small = shrunk(profile, seed, |program| fails(&program.text));
            panic!("{seed}: {difference}\nmade small:\n{}", small.text);
        }
        seed += 1;
    }
    assert!(sum.programs >= count, "{} programs", sum.programs);
    let Compared { programs, in_sets, states, counted } = sum;
    say(&format!(
        "{programs} programs, {in_sets} in sets with {states} states, {counted} counted, up to {seed}"
    ));
    sum
}

fn count() -> usize {
    let long = short_or_long(200, 5_000);
    usize::try_from(given("PROPTEST_CASES").unwrap_or(long)).expect("a number of programs")
}

#[test]
fn small_programs() {
    let sum = random(&Profile::small(), count());
    assert!(2 * sum.in_sets > sum.programs, "{} of {}", sum.in_sets, sum.programs);
}

#[test]
fn programs_of_the_whole_language() {
    let sum = random(&Profile::whole(), count());
    assert!(3 * sum.in_sets > sum.programs, "{} of {}", sum.in_sets, sum.programs);
}

#[test]
fn programs_in_which_data_go_many_ways() {
    let first = given("PROPTEST_RNG_SEED").unwrap_or(0);
    let mut sum = Compared::default();
    for seed in first..first + short_or_long(100, 5_000) {
        let text = idle_program(seed);
        let (program, semantics) = semantics(&text, Buffers::Unbounded).unwrap_or_else(|| panic!("{text}"));
        if let Some(Err(difference)) = compared(&program, &semantics, &mut sum) {
            panic!("{seed}: {difference}\n{text}");
        }
    }
    assert!(sum.in_sets > 20, "{} of {}", sum.in_sets, sum.programs);
}

#[test]
fn our_own_models() {
    let mut sum = Compared::default();
    for model in own_models() {
        let Some((program, semantics)) = semantics(&model.text(), Buffers::Unbounded) else { continue };
        let found = compared(&program, &semantics, &mut sum);
        assert!(!matches!(found, Some(Err(_))), "{}: {found:?}", model.name);
    }
    assert!(sum.in_sets > 10, "{} of {}", sum.in_sets, sum.programs);
}
