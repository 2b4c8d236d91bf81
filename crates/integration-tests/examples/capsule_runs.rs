//! Runs random systems of capsules in both ways, from one seed to another.

use cfsm_core::splitmix::SplitMix;
use integration_tests::capsules::{Interpreter, Runner, follow, room_text};
use umlrt_front::{Options, parse};

fn main() {
    let bounds: Vec<u64> = std::env::args().skip(1).filter_map(|bound| bound.parse().ok()).collect();
    let [from, to] = bounds[..] else { return };
    let (mut locations, mut warnings) = (0, 0);
    for seed in from..to {
        let text = room_text(seed);
        let outcome = parse("random.room", &text, &Options::default());
        let (Some(system), Some(lowered)) = (&outcome.system, &outcome.lowered) else {
            for found in &outcome.diagnostics {
                println!("{}", found.line(&outcome.sources));
            }
            panic!("seed {seed}:\n{text}");
        };
        locations += lowered.stable.values().map(std::collections::BTreeMap::len).sum::<usize>();
        warnings += outcome.diagnostics.len();
        let (interpreter, runner) = (Interpreter::new(system), Runner::new(lowered));
        for run in 0..2 {
            let mut random = SplitMix::new(seed * 2 + run);
            if let Err(seen) = follow(&interpreter, &runner, &mut random, 25) {
                println!("{text}");
                panic!("seed {seed}: the program cannot follow to {seen:?}");
            }
            if let Err(seen) = follow(&runner, &interpreter, &mut random, 25) {
                println!("{text}");
                panic!("seed {seed}: the interpreter cannot follow to {seen:?}");
            }
        }
    }
    println!("{locations} stable locations, {warnings} warnings");
}
