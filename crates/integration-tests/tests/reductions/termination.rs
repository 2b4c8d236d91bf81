//! Searches for a run without end that leave out what others cannot disturb, held against searches that leave out nothing: the
//! same answer, and where every run ends, the same errors.
//!
//! `FREEBOARD_LONG` compares a thousand random programs of each kind, `PROPTEST_CASES` as many as it says; the first number
//! is `PROPTEST_RNG_SEED`, or 0.

use std::collections::{BTreeSet, HashMap};

use explore::{Buffers, Completion, Limits, Semantics, State, Violation};
use integration_tests::comparison::corpus::own_models;
use integration_tests::generator::{Profile, sample, shrunk};
use integration_tests::{given, short_or_long};

use crate::semantics;

/// How many states a program may have.
const STATES: usize = 5_000;

/// What all states show.
struct All {
    goes_round: bool,
    errors: BTreeSet<String>,
    /// Whether more may lie behind an error.
    open: bool,
    states: usize,
}

/// Goes through all states, depth first; `None` if they are too many, and none of those seen is on a cycle.
fn all(semantics: &Semantics) -> Option<All> {
    let mut all = All { goes_round: false, errors: BTreeSet::new(), open: false, states: 0 };
    let mut on_way: HashMap<State, bool> = HashMap::new();
    let mut way: Vec<(State, Vec<State>)> = Vec::new();
    let mut next = Some(semantics.initial().ok()?);
    loop {
        if let Some(state) = next.take() {
            match on_way.get(&state) {
                Some(again) => all.goes_round |= again,
                None => {
                    let steps = semantics.successors(&state);
                    for error in steps.iter().flat_map(|step| &step.errors) {
                        let violation = Violation::Error(error.clone());
                        all.open |= violation.is_limit() || violation.is_open();
                        all.errors.insert(error.to_string());
                    }
                    on_way.insert(state.clone(), true);
                    way.push((state, steps.into_iter().filter_map(|step| step.after).collect()));
                }
            }
        }
        all.states = on_way.len();
        if all.goes_round {
            return Some(all);
        }
        if all.states > STATES {
            return None;
        }
        let Some((state, left)) = way.last_mut() else { return Some(all) };
        next = left.pop();
        if next.is_none() {
            on_way.insert(state.clone(), false);
            way.pop();
        }
    }
}

/// Whether every run ends, with how many states that was found out in both ways; or what is wrong. `None` if there are too many.
fn compared(semantics: &Semantics) -> Option<Result<(bool, usize, usize), String>> {
    let all = all(semantics)?;
    let limits = Limits { states: Some(4 * STATES), ..Limits::default() };
    let found = semantics.termination(&limits).ok()?;
    if found.completion != Completion::Complete {
        // It may have gone where there is no end of states.
        let wrong = !all.goes_round || found.proof.is_some();
        return wrong.then(|| Err(format!("{:?}, proved: {}", found.completion, found.proof.is_some())));
    }
    if found.goes_round != all.goes_round {
        return Some(Err(format!("goes round: {}, but {}", all.goes_round, found.goes_round)));
    }
    if found.proof.is_some() == (all.goes_round || all.open) {
        return Some(Err(format!("proved: {}", found.proof.is_some())));
    }
    let errors: BTreeSet<String> = found.errors.iter().map(ToString::to_string).collect();
    if !all.goes_round && errors != all.errors {
        return Some(Err(format!("errors {errors:?}, but there are {:?}", all.errors)));
    }
    Some(Ok((!all.goes_round, all.states, found.states)))
}

/// Compares so many random programs.
fn random(profile: &Profile, buffers: Buffers) {
    let long = short_or_long(100, 1_000);
    let count = usize::try_from(given("PROPTEST_CASES").unwrap_or(long)).expect("a number of programs");
    let mut seed = given("PROPTEST_RNG_SEED").unwrap_or(0);
    let (mut done, mut end, mut states, mut reduced) = (0, 0, 0, 0);
    let last = seed + 10 * count as u64 + 100;
    while done < count && seed < last {
        let program = sample(profile, seed);
        match semantics(&program.text, buffers).and_then(|semantics| compared(&semantics)) {
            None => {}
            Some(Ok((ends, all, few))) => {
                done += 1;
                end += usize::from(ends);
                if ends {
                    states += all;
                    reduced += few;
                }
            }
            Some(Err(difference)) => {
                let fails = |text: &str| {
                    let found = semantics(text, buffers).and_then(|semantics| compared(&semantics));
                    found.is_some_and(|found| found.is_err())
                };
                let small = shrunk(profile, seed, |program| fails(&program.text));
                panic!("{seed}: {difference}\nmade small:\n{}", small.text);
            }
        }
        seed += 1;
    }
    println!("{done} programs, {end} of which end, in {states} states, {reduced} stored, up to seed {seed}");
    assert!(done >= count, "{done} programs");
    assert!(10 * end >= done, "{end} of {done} end");
    assert!(reduced < states);
}

#[test]
fn small_programs_with_unbounded_buffers() {
    random(&Profile::small(), Buffers::Unbounded);
}

#[test]
fn small_programs_with_declared_buffers() {
    random(&Profile::small(), Buffers::Declared);
}

#[test]
fn programs_of_the_whole_language_with_unbounded_buffers() {
    random(&Profile::whole(), Buffers::Unbounded);
}

#[test]
fn programs_of_the_whole_language_with_declared_buffers() {
    random(&Profile::whole(), Buffers::Declared);
}

#[test]
fn our_own_models() {
    let mut compared_models = 0;
    for model in own_models() {
        for buffers in [Buffers::Unbounded, Buffers::Declared] {
            let Some(semantics) = semantics(&model.text(), buffers) else { continue };
            if let Some(found) = compared(&semantics) {
                assert!(found.is_ok(), "{}, {buffers:?}: {found:?}", model.name);
                compared_models += 1;
            }
        }
    }
    assert!(compared_models > 60, "{compared_models} models");
}

/// Small programs with a run without end, or an error behind which there may be one, that is missed if some condition of
/// persistent sets is left out: the step of the first process would always come first then.
#[test]
fn each_way_to_disturb_a_process() {
    let mut wrong = Vec::new();
    let models = include_str!("../fixtures/disturbed.txt").split("%\n").filter(|model| !model.is_empty());
    for model in models {
        let (name, text) = model.split_once('\n').expect("a name and a program");
        let mut missed = true;
        for buffers in [Buffers::Unbounded, Buffers::Declared] {
            let semantics = semantics(text, buffers).unwrap_or_else(|| panic!("{name} is a program"));
            let answer = compared(&semantics);
            if !matches!(answer, Some(Ok(_))) {
                wrong.push(format!("{name}, {buffers:?}: {answer:?}"));
            }
            missed &= semantics.termination(&Limits::default()).expect("it starts").proof.is_some();
        }
        if missed {
            wrong.push(format!("{name}: every run ends"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
