//! Checks that every run of models terminates, and that every infinite run makes progress; prints
//! the number of stored states, and the time.
//!
//! ```sh
//! cargo run --release -p freeboard-explore --example termination -- MOST_STATES MODEL...
//! ```

use std::time::Instant;

use cfsm_core::ids::IdMap;
use explore::{Buffers, Claims, Limits, Options, Semantics, Termination};

fn main() {
    let mut arguments = std::env::args().skip(1);
    let states = arguments.next().and_then(|most| most.parse().ok());
    for file in arguments {
        let text = std::fs::read(&file).unwrap_or_default();
        let text = String::from_utf8_lossy(&text);
        let read = promela_front::parse(&file, &text, &promela_front::Options::default());
        let Some(program) = read.program else {
            println!("{file}: not a program");
            continue;
        };
        for buffers in [Buffers::Unbounded, Buffers::Declared] {
            let options = Options { buffers: buffers.clone(), claims: Claims::Ignored, ..Options::default() };
            let limits = Limits { states, bytes: Some(4 << 30), ..Limits::default() };
            let semantics = match Semantics::new(&program, &options) {
                Ok(semantics) => semantics,
                Err(unsupported) => {
                    println!("{file}: {unsupported}");
                    continue;
                }
            };
            for (what, visible) in [("ends", IdMap::default()), ("makes progress", program.progress())] {
                let begin = Instant::now();
                match semantics.recurrence(&limits, &visible) {
                    Ok(found) => tell(&format!("{file}, {buffers:?}, {what}"), &found, begin),
                    Err(error) => println!("{file}: {error}"),
                }
            }
        }
    }
}

fn tell(what: &str, found: &Termination, begin: Instant) {
    let Termination { completion, lasso, states, transitions, errors, proof, .. } = found;
    let round = lasso.as_ref().map(|lasso| (lasso.prefix.steps.len(), lasso.cycle.steps.len()));
    println!(
        "{what}: {completion:?}, round {round:?}, {states} states, {transitions} transitions, {errors:?}, proved: {}, {:.2} s",
        proof.is_some(),
        begin.elapsed().as_secs_f64()
    );
}
