//! Compares the number of reachable states with Spin's, on models of other people or on given files:
//!
//! ```sh
//! cargo run --release -p integration-tests --example states -- [FILE ...]
//! ```
#![allow(missing_docs)] // an example has no interface

use std::path::PathBuf;

use explore::{Claims, Limits, Options, Semantics};
use integration_tests::comparison::corpus::{Model, models, own_models, place};
use integration_tests::comparison::states::{Size, spin_states};

fn main() {
    let files: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    let all: Vec<Model> = if files.is_empty() {
        own_models().into_iter().chain(place(None).map(|place| models(&place)).unwrap_or_default()).collect()
    } else {
        files.iter().map(|file| Model::alone(file)).collect()
    };
    for model in &all {
        println!("{}\t{}", model.name, line(model));
    }
}

fn line(model: &Model) -> String {
    if model.fragment {
        return "-\tfragment".into();
    }
    let options =
        promela_front::Options { defines: model.defines.clone(), ..promela_front::Options::default() };
    let outcome = promela_front::parse(&model.file.to_string_lossy(), &model.text(), &options);
    let Some(program) = outcome.program else { return "-\trejected".into() };
    let options = Options { claims: Claims::Ignored, ..Options::default() };
    let semantics = match Semantics::new(&program, &options) {
        Ok(semantics) => semantics,
        Err(error) => return format!("-\tunsupported: {error}"),
    };
    let limits = Limits { states: Some(3_000_000), violations: 5, ..Limits::default() };
    let start = std::time::Instant::now();
    let found = match semantics.explore(&limits) {
        Ok(found) => found,
        Err(error) => return format!("-\tthe start fails: {error}"),
    };
    let kinds: Vec<String> = found.violations.iter().map(|(kind, _)| format!("{kind:?}")).collect();
    let ours = format!(
        "{:?} {} states {} held {} transitions {} errors {} invalid {:.2?} {} bytes {}",
        found.completion,
        found.states,
        found.held,
        found.transitions,
        found.errors,
        found.invalid_ends,
        start.elapsed(),
        found.bytes,
        kinds.join(" ")
    );
    if found.completion != explore::Completion::Complete {
        return format!("-\ttoo large\t{ours}");
    }
    match spin_states(model, Size::Large).expect("spin and gcc start") {
        Err(reason) => format!("-\t{reason}\t{ours}"),
        Ok(counts) => {
            let same = counts.states == found.states as u64;
            format!("{}\t{counts:?}\t{ours}", if same { "SAME" } else { "DIFFERENT" })
        }
    }
}
