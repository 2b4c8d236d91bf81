//! Proved bounds against Spin, which looks at every state.

use std::collections::BTreeMap;

use boundedness::BufferVerdict;
use freeboard::{Options, RunLimits, check_promela};
use integration_tests::given;
use integration_tests::models::{self, MODELS, Model};
use integration_tests::programs::{Program, any_of, programs};
use integration_tests::spin::{Way, attempt, is_here, never_more_than, verify};
use num_traits::ToPrimitive;
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::{Config, TestRunner};

/// Random programs checked by one run of Spin.
const BATCH: usize = 15;

/// The proved bounds of global channels by name.
fn proved(text: &str) -> BTreeMap<String, u32> {
    let runs = RunLimits { search_states: 2_000, exploration_states: 2_000 };
    let analysis = check_promela("model.pml", text, &Options { runs, ..Options::default() });
    let analysis = analysis.unwrap_or_else(|failure| panic!("{failure}:\n{text}"));
    let mut bounds = BTreeMap::new();
    for (id, buffer) in analysis.system().buffers.iter() {
        if let BufferVerdict::Bounded { bound } = &analysis.outcome.buffers[id]
            && !buffer.name.contains('.')
        {
            bounds.insert(buffer.name.clone(), bound.to_u32().expect("small models have small bounds"));
        }
    }
    bounds
}

/// Room for one message more than is proved, so that a wrong bound shows. `q` has what `q[0]` and
/// `q[1]` need.
fn capacities(bounds: &BTreeMap<String, u32>) -> BTreeMap<String, u32> {
    let mut capacities = BTreeMap::new();
    for (channel, bound) in bounds {
        let name = channel.split('[').next().expect("there is a first part");
        let capacity = capacities.entry(name.to_owned()).or_insert(0);
        *capacity = (bound + 1).max(*capacity);
    }
    capacities
}

/// Whether Spin has seen everything, and nothing above the bounds.
fn confirmed(model: &str, bounds: &BTreeMap<String, u32>, name: &str) {
    let confirmed = is_confirmed(model, bounds, name);
    confirmed.unwrap_or_else(|complaint| panic!("{name}: {complaint}\n{model}"));
}

/// Confirms bounds of a model, unless Spin does not take it.
fn is_confirmed(model: &str, bounds: &BTreeMap<String, u32>, name: &str) -> Result<(), String> {
    let answer = attempt(Way::ToFirstError, &(model.to_owned() + &never_more_than(bounds)))?;
    assert_eq!(answer.errors, 0, "{name}: {}\n{model}\n{bounds:?}", answer.output);
    assert!(answer.exhaustive, "{name}: {}", answer.output);
    Ok(())
}

fn models_to_confirm() -> impl Iterator<Item = (&'static Model, BTreeMap<String, u32>)> {
    // More than 255 processes are too many for Spin.
    let finite = MODELS.iter().filter(|model| model.name != models::CREATED_FOR_EVER.name);
    finite.map(|model| (model, proved(&model.with_capacities(&BTreeMap::new()))))
}

#[test]
fn spin_sees_no_channel_exceed_its_bound() {
    if !is_here("spin_sees_no_channel_exceed_its_bound") {
        return;
    }
    let mut count = 0;
    for (model, bounds) in models_to_confirm() {
        confirmed(&model.with_capacities(&capacities(&bounds)), &bounds, model.name);
        count += 1;
    }
    assert!(count >= 20);
}

/// The oracle can say no: where the bound that is claimed is less than what is reached, it finds
/// it.
#[test]
fn spin_sees_a_bound_exceeded_that_is_too_low() {
    if !is_here("spin_sees_a_bound_exceeded_that_is_too_low") {
        return;
    }
    // What Spin reaches, with message order; the proved bounds of the first are 13 and 4.
    for (model, channel, most) in
        [(models::TWO_PROCESSES, "AB", 7), (models::ATOMIC_RELAY, "B", 6), (models::WORKERS, "answer", 3)]
    {
        let proved = proved(&model.with_capacities(&BTreeMap::new()));
        let text = model.with_capacities(&capacities(&proved));
        for (claimed, errors) in [(most, 0), (most - 1, 1)] {
            let claim = never_more_than(&BTreeMap::from([(channel.to_owned(), claimed)]));
            let answer = verify(&(text.clone() + &claim));
            assert_eq!(answer.errors, errors, "{}: {}", model.name, answer.output);
        }
    }
}

fn wanted() -> usize {
    given("FREEBOARD_SPIN_CASES").unwrap_or(2 * BATCH)
}

/// Bounded random programs, each with a bound above 0.
fn random_programs() -> Vec<(Program, BTreeMap<String, u32>)> {
    let mut runner = TestRunner::new(Config { failure_persistence: None, ..Config::default() });
    let strategy = programs();
    let mut found = Vec::new();
    while found.len() < wanted() {
        let program = strategy.new_tree(&mut runner).expect("nothing is filtered").current();
        let number = found.len() % BATCH;
        let text = program.text(number);
        let bounds = proved(&text);
        if bounds.values().any(|bound| (1..=6).contains(bound)) && bounds.values().all(|bound| *bound <= 6) {
            found.push((program, bounds));
        }
    }
    found
}

#[test]
fn spin_sees_no_channel_exceed_its_bound_in_random_programs() {
    if !is_here("spin_sees_no_channel_exceed_its_bound_in_random_programs") {
        return;
    }
    let mut count = 0;
    for batch in random_programs().chunks(BATCH) {
        let mut all = BTreeMap::new();
        let numbered = batch.iter().enumerate().map(|(number, (program, bounds))| {
            all.extend(bounds.clone());
            let without_number = |(name, capacity): (String, u32)| {
                let channel = name.rsplit_once('_').expect("names end in numbers").0;
                (channel.to_owned(), capacity)
            };
            (number, program, capacities(bounds).into_iter().map(without_number).collect())
        });
        let text = any_of(numbered.collect::<Vec<_>>());
        // Spin refuses an `else` at the beginning of an option of another one.
        count += u32::from(is_confirmed(&text, &all, "a batch of random programs").is_ok());
    }
    assert!(count > 0);
}
