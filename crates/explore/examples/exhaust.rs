//! Explores models with unbounded buffers exhaustively; prints the number of stored states, the
//! maxima of queues, and the time.
//!
//! ```sh
//! cargo run --release -p freeboard-explore --example exhaust -- none|local|dead|both|all|sets MOST_STATES MODEL...
//! ```

use std::time::Instant;

use explore::{Buffers, Claims, Limits, Options, Reduction, Semantics};

fn main() {
    let mut arguments = std::env::args().skip(1);
    let how = arguments.next();
    let in_sets = how.as_deref() == Some("sets");
    let reduction = match how.as_deref() {
        Some("none") => Reduction::NONE,
        Some("local") => Reduction { local_steps: true, ..Reduction::NONE },
        Some("dead") => Reduction { dead_variables: true, ..Reduction::NONE },
        Some("both") => Reduction { early_sends: false, ..Reduction::ALL },
        Some("idle") => Reduction { idle_data: true, dead_variables: true, ..Reduction::NONE },
        _ => Reduction::ALL,
    };
    let states = arguments.next().and_then(|most| most.parse().ok());
    for file in arguments {
        let text = std::fs::read(&file).unwrap_or_default();
        let text = String::from_utf8_lossy(&text);
        let read = promela_front::parse(&file, &text, &promela_front::Options::default());
        let Some(program) = read.program else {
            println!("{file}: not a program");
            continue;
        };
        let options = Options { buffers: Buffers::Unbounded, claims: Claims::Ignored, ..Options::default() };
        let semantics = match Semantics::new(&program, &options) {
            Ok(semantics) => semantics,
            Err(unsupported) => {
                println!("{file}: {unsupported}");
                continue;
            }
        };
        let limits = Limits { states, bytes: Some(4 << 30), ..Limits::default() };
        let begin = Instant::now();
        if in_sets {
            let found = semantics.exhaust_in_sets(&limits, Reduction::WITHOUT_ASSERTIONS);
            println!("{file}: {:.2} s, {found:?}", begin.elapsed().as_secs_f64());
            continue;
        }
        match semantics.exhaust(&limits, reduction) {
            Ok(found) => {
                let maxima: Vec<u32> = found.seen.values().copied().collect();
                println!(
                    "{file}: {:?}, proved {}, {} states, {} passed, {} steps, {} MB, {:.2} s, errors {:?}, most {maxima:?}",
                    found.completion,
                    found.proof.is_some(),
                    found.states,
                    found.passed,
                    found.transitions,
                    found.bytes >> 20,
                    begin.elapsed().as_secs_f64(),
                    found.errors,
                );
            }
            Err(error) => println!("{file}: {error}"),
        }
    }
}
