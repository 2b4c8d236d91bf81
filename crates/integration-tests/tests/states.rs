//! The concrete semantics beside Spin's verifier: as many reachable states, without any reduction.
//!
//! On the models in `fixtures/`, one or more for each construct, on the example models, and on a collection
//! of other people's models if it is there: of those a sample, all of them with the environment variable
//! `FREEBOARD_LONG`.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use cfsm_core::program::{Claim, Observer, Program};
use explore::{Claims, Completion, Exploration, Limits, Options, Semantics, Violation};
use integration_tests::comparison::corpus::{Model, models, own_models, place, repository, sample};
use integration_tests::comparison::states::{Counts, Size, spin_states};
use integration_tests::spin::is_here;

/// Of the collection, the models that are compared by default.
const SAMPLE: usize = 24;
/// Most states of a model of the sample, and of one with `FREEBOARD_LONG`.
const MOST: (usize, usize) = (100_000, 3_000_000);

/// What came of a model.
#[derive(Debug)]
enum Outcome {
    /// Both have looked at all states.
    Both(Box<Exploration>, Counts),
    /// The semantics does not take it, for this reason.
    Refused(String),
    /// Spin's verifier has no counts, for this reason.
    Uncounted(String),
    /// It is no model for this test, or too large.
    Passed(&'static str),
}

fn say(line: &str) {
    // Not with a macro: what those print is not shown of tests that pass.
    writeln!(std::io::stderr(), "{line}").expect("a terminal");
}

fn program(model: &Model) -> Option<Program> {
    let options =
        promela_front::Options { defines: model.defines.clone(), ..promela_front::Options::default() };
    promela_front::parse(&model.file.to_string_lossy(), &model.text(), &options).program
}

/// Whether Spin's verifier puts something into its states that is no part of the processes: where an observer
/// of messages is, and `_last` if a claim asks for it.
fn observed(program: &Program, text: &str) -> bool {
    let claims = || program.claims.iter();
    let of_messages =
        |claim: &Claim| matches!(claim, Claim::Observer { kind: Observer::Trace | Observer::NoTrace, .. });
    claims().any(of_messages) || (claims().next().is_some() && text.contains("_last"))
}

fn compare(model: &Model, most: usize, size: Size) -> Outcome {
    if model.fragment {
        return Outcome::Passed("a fragment");
    }
    let Some(program) = program(model) else { return Outcome::Passed("rejected") };
    if observed(&program, &model.text()) {
        return Outcome::Passed("an observer is part of Spin's states");
    }
    let options = Options { claims: Claims::Ignored, ..Options::default() };
    let semantics = match Semantics::new(&program, &options) {
        Ok(semantics) => semantics,
        Err(reason) => return Outcome::Refused(reason.to_string()),
    };
    let found = match semantics.explore(&Limits { states: Some(most), violations: 100, ..Limits::default() })
    {
        Ok(found) => found,
        Err(error) => return Outcome::Refused(format!("the start fails: {error}")),
    };
    for (violation, run) in &found.violations {
        let replayed = semantics.replay(run);
        assert!(replayed.is_ok(), "{}: {violation:?}: {replayed:?}", model.name);
    }
    if found.completion != Completion::Complete {
        return Outcome::Passed("too many states");
    }
    let fatal = |kind: &Violation| matches!(kind, Violation::Error(error) if !error.can_go_on());
    if found.violations.iter().any(|(violation, _)| fatal(violation)) {
        return Outcome::Passed("an error behind which Spin goes on in its own way");
    }
    match spin_states(model, size).expect("spin and gcc start") {
        Ok(counts) => Outcome::Both(Box::new(found), counts),
        Err(reason) => Outcome::Uncounted(reason),
    }
}

/// All models, two at a time: most of the time goes into other programs.
fn compare_all(all: &[Model], most: usize, size: Size) -> BTreeMap<String, Outcome> {
    let next = AtomicUsize::new(0);
    let found = Mutex::new(BTreeMap::new());
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some(model) = all.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let outcome = compare(model, most, size);
                    found.lock().expect("nobody panics with it").insert(model.name.clone(), outcome);
                }
            });
        }
    });
    found.into_inner().expect("nobody panics with it")
}

/// What differs in a model that both have looked at.
fn difference(ours: &Exploration, spin: &Counts) -> Option<String> {
    let both =
        |what: &str, ours: u64, spin: u64| (ours != spin).then(|| format!("{what}: {ours}, Spin {spin}"));
    let number = |count: usize| u64::try_from(count).unwrap_or(u64::MAX);
    let states = both("states", number(ours.states), spin.states);
    let wrong = number(ours.errors + ours.invalid_ends);
    // Inside `atomic`, Spin's verifier may come the same way more than once.
    let (steps, errors) = if ours.held == 0 {
        let steps = both("steps", number(ours.transitions) + 1, spin.arrivals);
        (steps, both("errors", wrong, spin.errors))
    } else {
        (None, both("whether there are errors", u64::from(wrong > 0), u64::from(spin.errors > 0)))
    };
    states.or(steps).or(errors)
}

fn fixtures() -> Vec<Model> {
    let directory = repository().join("crates/integration-tests/fixtures");
    let entries = std::fs::read_dir(directory).expect("the fixtures");
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.sort();
    paths.iter().map(|path| Model::alone(Path::new(path))).collect()
}

#[test]
fn every_construct_has_the_states_that_spin_finds() {
    if !is_here("every_construct_has_the_states_that_spin_finds") {
        return;
    }
    let fixtures = fixtures();
    assert!(fixtures.len() > 70);
    let outcomes = compare_all(&fixtures, 100_000, Size::Small);
    let mut wrong = Vec::new();
    for model in &fixtures {
        let text = model.text();
        let outcome = &outcomes[&model.name];
        let expected = match outcome {
            // A difference that is Spin's own says so, and must be there.
            Outcome::Both(ours, spin) => {
                difference(ours, spin).is_some() == text.contains("Differs from Spin")
            }
            Outcome::Uncounted(_) => text.contains("Differs from Spin"),
            Outcome::Refused(_) => text.contains("Refused."),
            Outcome::Passed(_) => false,
        };
        if !expected {
            wrong.push(format!("{}: {outcome:?}", model.name));
        }
    }
    assert!(wrong.is_empty(), "not as Spin:\n  {}", wrong.join("\n  "));
}

/// All that differs, and how many models have been compared.
fn differences(outcomes: &BTreeMap<String, Outcome>) -> (usize, Vec<String>) {
    let mut compared = 0;
    let mut found = Vec::new();
    let mut passed: BTreeMap<&str, usize> = BTreeMap::new();
    for (name, outcome) in outcomes {
        match outcome {
            Outcome::Both(ours, spin) => {
                compared += 1;
                found.extend(difference(ours, spin).map(|difference| format!("{name}: {difference}")));
            }
            Outcome::Uncounted(reason) => say(&format!("{name}: no counts: {reason}")),
            Outcome::Refused(reason) => say(&format!("{name}: refused: {reason}")),
            Outcome::Passed(reason) => *passed.entry(reason).or_default() += 1,
        }
    }
    say(&format!("{compared} models compared, others not: {passed:?}"));
    (compared, found)
}

#[test]
fn models_of_this_repository_have_the_states_that_spin_finds() {
    if !is_here("models_of_this_repository_have_the_states_that_spin_finds") {
        return;
    }
    let outcomes = compare_all(&own_models(), 100_000, Size::Small);
    let (compared, found) = differences(&outcomes);
    assert!(compared >= 25, "{compared} models");
    assert!(found.is_empty(), "not as Spin:\n  {}", found.join("\n  "));
}

#[test]
fn models_of_other_people_have_the_states_that_spin_finds() {
    let test = "models_of_other_people_have_the_states_that_spin_finds";
    let Some(place) = place(None).filter(|_| is_here(test)) else {
        return say(&format!("SKIPPED {test}: there is no collection of models"));
    };
    let long = std::env::var_os("FREEBOARD_LONG").is_some();
    let all: Vec<Model> = models(&place).into_iter().filter(|model| model.listed == Some(true)).collect();
    let outcomes = if long {
        compare_all(&all, MOST.1, Size::Large)
    } else {
        compare_all(&sample(&all, SAMPLE), MOST.0, Size::Small)
    };
    let (compared, found) = differences(&outcomes);
    assert!(compared >= if long { 200 } else { 10 }, "{compared} models");
    assert!(found.is_empty(), "not as Spin:\n  {}", found.join("\n  "));
}
