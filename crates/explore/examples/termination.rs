//! Whether every run of models ends: how many states are stored for that, and how long it takes.
//!
//! ```sh
//! cargo run --release -p explore --example termination -- MOST_STATES MODEL...
//! ```

use std::time::Instant;

use explore::{Buffers, Claims, Limits, Options, Semantics};

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
            let options = Options { buffers, claims: Claims::Ignored, ..Options::default() };
            let limits = Limits { states, bytes: Some(4 << 30), ..Limits::default() };
            let begin = Instant::now();
            match Semantics::new(&program, &options).map(|semantics| semantics.termination(&limits)) {
                Ok(Ok(found)) => {
                    println!("{file}, {buffers:?}: {found:?}, {:.2} s", begin.elapsed().as_secs_f64());
                }
                Ok(Err(error)) => println!("{file}: {error}"),
                Err(unsupported) => println!("{file}: {unsupported}"),
            }
        }
    }
}
