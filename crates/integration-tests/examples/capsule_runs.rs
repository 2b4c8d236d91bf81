//! Runs random systems of capsules in both ways, from one seed to another.

use cfsm_core::splitmix::SplitMix;
use integration_tests::capsules::{Interpreter, Runner, follow, room_text};
use umlrt_front::{Options, parse};

fn main() {
    let bounds: Vec<u64> = std::env::args().skip(1).filter_map(|bound| bound.parse().ok()).collect();
    let [from, to] = bounds[..] else { return };
    let mut locations = 0;
    for seed in from..to {
        let text = room_text(seed);
        // Histories are unfolded, or, where they are too many, variables.
        for max_configurations in [1000, 0] {
            let outcome = parse("random.room", &text, &Options { max_configurations, ..Options::default() });
            let lowered = outcome.lowered.unwrap_or_else(|| panic!("seed {seed}"));
            let system = outcome.system.expect("no error");
            locations += lowered.stable.values().map(std::collections::BTreeMap::len).sum::<usize>();
            let (interpreter, runner) = (Interpreter::new(&system), Runner::new(&lowered));
            for run in 0..2 {
                let mut random = SplitMix::new(seed * 2 + run);
                follow(&interpreter, &runner, &mut random, 25)
                    .unwrap_or_else(|seen| panic!("seed {seed}: the program cannot follow to {seen:?}"));
                follow(&runner, &interpreter, &mut random, 25)
                    .unwrap_or_else(|seen| panic!("seed {seed}: the interpreter cannot follow to {seen:?}"));
            }
        }
    }
    println!("{locations} stable locations");
}
