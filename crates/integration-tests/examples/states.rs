//! Compares the number of reachable states with Spin's, on given files:
//!
//! ```sh
//! cargo run --release -p integration-tests --example states -- [FILE ...]
//! ```
#![allow(missing_docs)] // an example has no interface

use std::path::PathBuf;

use integration_tests::comparison::corpus::Model;
use integration_tests::comparison::exploration::{Extent, Outcome, compare, difference};
use integration_tests::comparison::states::Size;

fn main() {
    let files: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    for file in &files {
        let model = Model::alone(file);
        let options = promela_front::Options::default();
        let program = promela_front::parse(&file.to_string_lossy(), &model.text(), &options).program;
        let extent = Extent { states: 3_000_000, size: Size::Large, cycles: true };
        let outcome = compare(&model, program.as_ref(), extent);
        let verdict = match &outcome {
            Outcome::Both(ours, spin, cycles) => difference(ours, spin, cycles).unwrap_or("same".into()),
            _ => "not compared".into(),
        };
        println!("{}: {verdict}", model.name);
        if let Outcome::Both(ours, spin, cycles) = outcome {
            println!(
                "   {} states {} held {} transitions {} errors {} ends;  {spin:?} {cycles:?}",
                ours.states, ours.held, ours.transitions, ours.errors, ours.invalid_ends
            );
        } else {
            println!("   {outcome:?}");
        }
    }
}
