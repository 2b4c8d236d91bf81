//! Compares numbers of reachable states, and verdicts, with Spin's. Without arguments the models
//! are those of this repository and of the collection beside it, and a page of the documentation
//! comes out:
//!
//! ```sh
//! cargo run --release -p integration-tests --example states > docs/generated/states.md
//! cargo run --release -p integration-tests --example states -- FILE.pml
//! ```
#![allow(missing_docs)] // an example has no interface

use std::path::PathBuf;

use cfsm_core::program::Program;
use integration_tests::comparison::corpus::{Model, models, own_models, place, repository};
use integration_tests::comparison::exploration::{Extent, Outcome, compare, difference, two_at_a_time};
use integration_tests::comparison::features::features;
use integration_tests::comparison::state_page::{Row, page};
use integration_tests::comparison::states::Size;

/// For the page. Single files may have more states.
const EXTENT: Extent = Extent { states: 100_000, size: Size::Large, cycles: true };

fn main() {
    let files: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    for file in &files {
        print_one(&Model::alone(file));
    }
    if !files.is_empty() {
        return;
    }
    let mut fixtures: Vec<PathBuf> =
        std::fs::read_dir(repository().join("crates/integration-tests/fixtures"))
            .expect("the fixtures")
            .map(|entry| entry.expect("an entry").path())
            .collect();
    fixtures.sort();
    let fixtures: Vec<Model> = fixtures.iter().map(|file| Model::alone(file)).collect();
    let collection = place(None).map(|place| models(&place)).unwrap_or_default();
    let accepted: Vec<Model> = collection.into_iter().filter(|model| model.listed == Some(true)).collect();
    let sections = [
        ("One construct each", rows(&fixtures)),
        ("Models of this repository", rows(&own_models())),
        ("Models of other people", rows(&accepted)),
    ];
    print!("{}", page(&sections, EXTENT));
}

fn program(model: &Model) -> Option<Program> {
    let options =
        promela_front::Options { defines: model.defines.clone(), ..promela_front::Options::default() };
    promela_front::parse(&model.file.to_string_lossy(), &model.text(), &options).program
}

fn rows(models: &[Model]) -> Vec<Row> {
    two_at_a_time(models, |model| {
        let program = program(model);
        let features = program.as_ref().map(|program| features(program, &model.text())).unwrap_or_default();
        let outcome = compare(model, program.as_ref(), EXTENT);
        Row { name: model.name.clone(), outcome, features }
    })
}

fn print_one(model: &Model) {
    let extent = Extent { states: 3_000_000, ..EXTENT };
    let outcome = compare(model, program(model).as_ref(), extent);
    let Outcome::Both(ours, spin, cycles) = &outcome else {
        println!("{}: not compared: {outcome:?}", model.name);
        return;
    };
    println!("{}: {}", model.name, difference(ours, spin, cycles).unwrap_or_else(|| "equal".into()));
    println!(
        "  {} states, {} passed inside atomic, {} steps, {} errors, {} invalid ends",
        ours.states, ours.passed, ours.transitions, ours.errors, ours.invalid_ends
    );
    println!("  Spin: {spin:?}; cycles without progress: {cycles:?}");
}
