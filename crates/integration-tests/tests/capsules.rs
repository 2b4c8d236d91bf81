//! Systems of capsules mean the same to an interpreter of the capsule model and as programs.

use cfsm_core::splitmix::SplitMix;
use freeboard::umlrt_front::{Imports, Options, parse};
use integration_tests::capsules::{Interpreter, Runner, follow, room_text};

/// How many random systems are run, if nothing else is asked for.
const SYSTEMS: u64 = 150;
/// Runs of each, in each direction.
const RUNS: u64 = 2;
/// Runs to completion of each run.
const STEPS: usize = 25;

/// `CAPSULE_SYSTEMS` has the number of systems, 10 000 for a long test.
#[test]
fn runs_of_random_systems_are_runs_of_their_programs_and_the_other_way_round() {
    let asked = std::env::var("CAPSULE_SYSTEMS").ok().and_then(|number| number.parse().ok());
    let options = Options { imports: Imports::Refused, ..Options::default() };
    for seed in 0..asked.unwrap_or(SYSTEMS) {
        let text = room_text(seed);
        let outcome = parse("random.room", &text, &options);
        let lines: Vec<String> =
            outcome.diagnostics.iter().map(|found| found.line(&outcome.sources).to_string()).collect();
        let (Some(system), Some(lowered)) = (&outcome.system, &outcome.lowered) else {
            panic!("seed {seed}: {lines:?}\n{text}");
        };
        let (interpreter, runner) = (Interpreter::new(system), Runner::new(lowered));
        for run in 0..RUNS {
            let mut random = SplitMix::new(seed * RUNS + run);
            if let Err(seen) = follow(&interpreter, &runner, &mut random, STEPS) {
                panic!("seed {seed}: the program cannot follow to {seen:?}\n{text}");
            }
            if let Err(seen) = follow(&runner, &interpreter, &mut random, STEPS) {
                panic!("seed {seed}: the interpreter cannot follow to {seen:?}\n{text}");
            }
        }
    }
}
