//! The concrete semantics beside Spin's verifier: as many reachable states, without any reduction.
//!
//! On the models in `fixtures/`, one or more for each construct, on the example models, and on a
//! collection of other people's models if it is there: of those a sample, all of them with the
//! environment variable `FREEBOARD_LONG`.

use std::collections::BTreeMap;
use std::path::Path;

use cfsm_core::program::Program;
use integration_tests::comparison::corpus::{Model, models, own_models, place, repository, sample};
use integration_tests::comparison::exploration::{
    Cycles, Extent, Outcome, compare, difference, two_at_a_time,
};
use integration_tests::comparison::states::Size;
use integration_tests::say;
use integration_tests::spin::is_here;

/// Of the collection, the models that are compared by default.
const SAMPLE: usize = 24;
/// Most states of a model of the sample, and of one with `FREEBOARD_LONG`.
const MOST: (usize, usize) = (100_000, 3_000_000);

fn is_long() -> bool {
    std::env::var_os("FREEBOARD_LONG").is_some()
}

fn program(model: &Model) -> Option<Program> {
    let options =
        promela_front::Options { defines: model.defines.clone(), ..promela_front::Options::default() };
    promela_front::parse(&model.file.to_string_lossy(), &model.text(), &options).program
}

/// All models. Cycles without progress are compared too where there is a label for progress; with
/// `FREEBOARD_LONG`, in all.
fn compare_all(all: &[Model], states: usize, size: Size) -> BTreeMap<String, Outcome> {
    let outcomes = two_at_a_time(all, |model| {
        let cycles = is_long() || model.text().contains("progress");
        compare(model, program(model).as_ref(), Extent { states, size, cycles })
    });
    all.iter().map(|model| model.name.clone()).zip(outcomes).collect()
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
            Outcome::Both(ours, spin, cycles) => {
                difference(ours, spin, cycles).is_some() == text.contains("Differs from Spin")
            }
            Outcome::Uncounted(_) => text.contains("Differs from Spin"),
            Outcome::Refused(_) => text.contains("Refused."),
            Outcome::TooLarge | Outcome::Passed(_) => false,
        };
        if !expected {
            wrong.push(format!("{}: {outcome:?}", model.name));
        }
    }
    assert!(wrong.is_empty(), "not as Spin:\n  {}", wrong.join("\n  "));
}

/// How many models have been compared.
#[derive(Debug, Default)]
struct Compared {
    models: usize,
    /// Those in which both said whether there is a cycle without progress.
    cycles: usize,
}

/// All that differs, and how many models have been compared.
fn differences(outcomes: &BTreeMap<String, Outcome>) -> (Compared, Vec<String>) {
    let mut compared = Compared::default();
    let mut found = Vec::new();
    let mut passed: BTreeMap<&str, usize> = BTreeMap::new();
    for (name, outcome) in outcomes {
        match outcome {
            Outcome::Both(ours, spin, cycles) => {
                compared.models += 1;
                found
                    .extend(difference(ours, spin, cycles).map(|difference| format!("{name}: {difference}")));
                match cycles {
                    Cycles::Both(..) => compared.cycles += 1,
                    Cycles::Unknown(reason) => say(&format!("{name}: cycles: {reason}")),
                    Cycles::NotAsked => {}
                }
            }
            Outcome::Uncounted(reason) => say(&format!("{name}: no counts: {reason}")),
            Outcome::Refused(reason) => say(&format!("{name}: refused: {reason}")),
            Outcome::TooLarge => *passed.entry("too many states").or_default() += 1,
            Outcome::Passed(reason) => *passed.entry(reason).or_default() += 1,
        }
    }
    say(&format!("{compared:?}, others not: {passed:?}"));
    (compared, found)
}

#[test]
fn models_of_this_repository_have_the_states_that_spin_finds() {
    if !is_here("models_of_this_repository_have_the_states_that_spin_finds") {
        return;
    }
    let outcomes = compare_all(&own_models(), 100_000, Size::Small);
    let (compared, found) = differences(&outcomes);
    assert!(compared.models >= 25 && compared.cycles >= 5, "{compared:?}");
    assert!(found.is_empty(), "not as Spin:\n  {}", found.join("\n  "));
}

#[test]
fn models_of_other_people_have_the_states_that_spin_finds() {
    let test = "models_of_other_people_have_the_states_that_spin_finds";
    let Some(place) = place(None).filter(|_| is_here(test)) else {
        return say(&format!("SKIPPED {test}: there is no collection of models"));
    };
    let long = is_long();
    let all: Vec<Model> = models(&place).into_iter().filter(|model| model.listed == Some(true)).collect();
    let outcomes = if long {
        compare_all(&all, MOST.1, Size::Large)
    } else {
        compare_all(&sample(&all, SAMPLE), MOST.0, Size::Small)
    };
    let (compared, found) = differences(&outcomes);
    assert!(compared.models >= if long { 200 } else { 10 }, "{compared:?}");
    assert!(found.is_empty(), "not as Spin:\n  {}", found.join("\n  "));
}
