//! Searches with reductions, held against the search without any: the same maxima, the same
//! contents of queues, the same ends and errors.
//!
//! `FREEBOARD_LONG` compares two thousand random programs, `PROPTEST_CASES` as many as it says; the
//! first number is `PROPTEST_RNG_SEED`, or 0.

use std::collections::{BTreeSet, HashSet};

use cfsm_core::program::{Limit, Reading};
use explore::{Buffers, Completion, Exhaustion, Limits, Reduction, RunError, Semantics};
use integration_tests::comparison::corpus::own_models;
use integration_tests::generator::{Profile, sample, shrunk};
use integration_tests::idle_programs::idle_program;
use integration_tests::{given, say, short_or_long};

use super::semantics;

/// How many states a program may have without reductions.
fn states() -> usize {
    short_or_long(5_000, 20_000)
}

const LOCAL: Reduction = Reduction { local_steps: true, ..Reduction::NONE };
const DEAD: Reduction = Reduction { dead_variables: true, ..Reduction::NONE };
const IDLE: Reduction = Reduction { idle_data: true, ..DEAD };
const BOTH: Reduction = Reduction { early_sends: false, idle_data: false, ..Reduction::ALL };
const EARLY: Reduction = Reduction { dead_variables: false, idle_data: false, ..Reduction::ALL };

/// The messages of all queues.
type Contents = HashSet<Vec<Vec<Vec<i64>>>>;

/// What a search found, and all that queues hold together at any time.
struct Seen {
    found: Exhaustion,
    contents: Contents,
}

/// How many messages there are, whatever they say.
fn lengths(contents: &Contents) -> HashSet<Vec<usize>> {
    contents.iter().map(|queues| queues.iter().map(Vec::len).collect()).collect()
}

fn seen(semantics: &Semantics, reduction: Reduction, states: usize) -> Option<Seen> {
    let limits = Limits {
        states: Some(states),
        passed: Some(10 * states),
        bytes: Some(64 << 20),
        ..Limits::default()
    };
    let mut contents = HashSet::new();
    let mut watch = |state: &explore::State| {
        contents.insert(semantics.queues(state).map(|queue| queue.messages).collect());
    };
    let found = semantics.exhaust_watched(&limits, reduction, &mut watch).ok()?;
    Some(Seen { found, contents })
}

/// The errors, as a set; with assertions that fail, or without.
fn errors(found: &Exhaustion, assertions: bool) -> BTreeSet<String> {
    let looked_for = found.errors.iter().filter(|error| assertions || **error != RunError::Assertion);
    looked_for.map(RunError::to_string).collect()
}

/// What a reduction changes that it should not. `None` if all is well.
fn difference(all: &Seen, reduced: &Seen, reduction: Reduction) -> Option<String> {
    let (a, b) = (&all.found, &reduced.found);
    if a.completion != b.completion {
        return Some(format!("{:?}, {:?} with reductions", a.completion, b.completion));
    }
    if a.seen != b.seen {
        return Some(format!("maxima {:?}, {:?} with reductions", a.seen, b.seen));
    }
    if (a.invalid_end, a.deadlock) != (b.invalid_end, b.deadlock) {
        return Some(format!("ends {:?}, {:?}", (a.invalid_end, a.deadlock), (b.invalid_end, b.deadlock)));
    }
    if errors(a, !reduction.assertions) != errors(b, true) {
        return Some(format!("errors {:?}, {:?} with reductions", a.errors, b.errors));
    }
    let more = || Some("contents that there are not".to_owned());
    if reduction.idle_data {
        let (all, reduced) = (lengths(&all.contents), lengths(&reduced.contents));
        return if reduction.early_sends && !reduced.is_subset(&all)
            || !reduction.early_sends && reduced != all
        {
            more()
        } else {
            None
        };
    }
    if !reduction.early_sends && all.contents != reduced.contents {
        return Some(format!("{} contents, {}", all.contents.len(), reduced.contents.len()));
    }
    if reduced.contents.is_subset(&all.contents) { None } else { more() }
}

/// The states without reductions and with all of them, or what is wrong; `None` if there are too
/// many states.
fn compared(semantics: &Semantics, states: usize) -> Option<Result<(usize, usize), String>> {
    let all = seen(semantics, Reduction::NONE, states)?;
    if all.found.completion != Completion::Complete {
        return None;
    }
    let mut least = all.found.states;
    for reduction in [LOCAL, DEAD, IDLE, BOTH, EARLY, Reduction::ALL, Reduction::WITHOUT_ASSERTIONS] {
        let reduced = seen(semantics, reduction, 2 * states)?;
        if let Some(difference) = difference(&all, &reduced, reduction) {
            return Some(Err(format!("{reduction:?}: {difference}")));
        }
        if reduced.found.states > all.found.states {
            return Some(Err(format!("{reduction:?}: {} states", reduced.found.states)));
        }
        least = reduced.found.states;
    }
    Some(Ok((all.found.states, least)))
}

/// Compares so many random programs; the states without reductions and with them.
fn random(profile: &Profile, buffers: Buffers, count: usize) -> (usize, usize) {
    let mut seed = given("PROPTEST_RNG_SEED").unwrap_or(0);
    let (mut done, mut before, mut reduced) = (0, 0, 0);
    // More than a tenth has few enough states.
    let end = seed + 10 * count as u64 + 100;
    while done < count && seed < end {
        let program = sample(profile, seed);
        match semantics(&program.text, buffers.clone())
            .and_then(|(_, semantics)| compared(&semantics, states()))
        {
            None => {}
            Some(Ok((all, least))) => {
                done += 1;
                before += all;
                reduced += least;
            }
            Some(Err(difference)) => {
                let fails = |text: &str| {
                    let found = semantics(text, buffers.clone())
                        .and_then(|(_, semantics)| compared(&semantics, states()));
                    found.is_some_and(|found| found.is_err())
                };
                let small = shrunk(profile, seed, |program| fails(&program.text));
                panic!("{seed}: {difference}\nmade small:\n{}", small.text);
            }
        }
        seed += 1;
    }
    assert!(done >= count, "{done} programs");
    println!("{done} programs, {before} states, {reduced} with all reductions, up to seed {seed}");
    (before, reduced)
}

fn count() -> usize {
    let long = short_or_long(40, 1_000);
    usize::try_from(given("PROPTEST_CASES").unwrap_or(long)).expect("a number of programs")
}

/// Data that decide something are told from those that do not.
#[test]
fn programs_in_which_data_go_many_ways() {
    let first = given("PROPTEST_RNG_SEED").unwrap_or(0);
    let count = given("PROPTEST_CASES").unwrap_or(short_or_long(150, 20_000));
    let (mut all, mut reduced) = (0, 0);
    for seed in first..first + count {
        let text = idle_program(seed);
        let (_, semantics) = semantics(&text, Buffers::Unbounded).unwrap_or_else(|| panic!("{text}"));
        match compared(&semantics, states()) {
            None => {}
            Some(Ok((before, behind))) => (all, reduced) = (all + before, reduced + behind),
            Some(Err(difference)) => panic!("{seed}: {difference}\n{text}"),
        }
    }
    say(&format!("{count} programs, {all} states, {reduced} with all reductions"));
    assert!(2 * reduced < all);
}

#[test]
fn small_programs_with_unbounded_buffers() {
    let (all, reduced) = random(&Profile::small(), Buffers::Unbounded, count());
    assert!(reduced < all);
}

#[test]
fn programs_of_the_whole_language_with_unbounded_buffers() {
    let (all, reduced) = random(&Profile::whole(), Buffers::Unbounded, count());
    assert!(reduced < all);
}

#[test]
fn small_programs_with_declared_buffers() {
    let (all, reduced) = random(&Profile::small(), Buffers::Declared, count());
    assert!(reduced < all);
}

/// Each send to a full queue may wait, or not.
fn may_wait() -> Buffers {
    Buffers::Reading(Reading::uniform(Limit::Either))
}

#[test]
fn programs_whose_sends_may_wait() {
    for profile in [Profile::small(), Profile::whole()] {
        let (all, reduced) = random(&profile, may_wait(), count());
        assert!(reduced < all);
    }
}

#[test]
fn our_own_models() {
    let mut compared_models = 0;
    for model in own_models() {
        for buffers in [Buffers::Unbounded, Buffers::Declared] {
            let Some((_, semantics)) = semantics(&model.text(), buffers) else { continue };
            if let Some(found) = compared(&semantics, states()) {
                assert!(found.is_ok(), "{}: {found:?}", model.name);
                compared_models += 1;
            }
        }
    }
    assert!(compared_models > 60, "{compared_models} models");
}
