//! Which variables never leave a range, against runs: nothing that is said of a counter is wrong in
//! any state.

use std::hash::{BuildHasher as _, RandomState};

use abstraction::{Abstraction, Options, Precision, abstract_program};
use cfsm_core::deadline::Deadline;
use cfsm_core::program::Program;
use explore::{Buffers, Claims, Semantics};
use integration_tests::counter_programs::counter_program;
use integration_tests::simulation::{Tally, check_all_runs, check_random_run};
use integration_tests::{given, say, short_or_long};
use promela_front::parse;
use refine::with_counters;

/// Runs of a program with each way of taking its buffers.
const RUNS: u64 = 6;
/// Steps of a run, at most: a byte has wrapped by then.
const STEPS: usize = 1_200;
/// States of a program that are looked at besides.
const STATES: usize = 300;

/// As with proptest's own: given, or a new one each time.
fn first_seed() -> u64 {
    let random = RandomState::new().hash_one(0) >> 24;
    given("PROPTEST_RNG_SEED").unwrap_or(random)
}

fn program(text: &str) -> Program {
    let outcome = parse("model.pml", text, &promela_front::Options::default());
    outcome.program.unwrap_or_else(|| panic!("{:?} in\n{text}", outcome.diagnostics))
}

/// The abstraction with counters, if there are any.
fn counted(program: &Program) -> Option<Abstraction> {
    let precision = Precision { data_places: true, ..Precision::default() };
    let mut options = Options { precision, ..Options::default() };
    let known = abstract_program(program, &options).expect("it is small");
    with_counters(program, &known, &mut options, Deadline::default())
}

/// Runs programs, and looks for an image of each step, and at every quantity in each state. One in
/// so many has counters.
fn hold_in_every_run(generate: fn(u64) -> String, count: u64, one_in: u64) {
    let (first, count) = (first_seed(), given("PROPTEST_CASES").unwrap_or(count));
    let mut tally = Tally::default();
    let mut with_some = 0;
    for seed in first..first + count {
        let text = generate(seed);
        let program = program(&text);
        let Some(abstraction) = counted(&program) else { continue };
        with_some += 1;
        let counters = &abstraction.precision.counters;
        for buffers in [Buffers::Unbounded, Buffers::Declared] {
            let options =
                explore::Options { buffers, claims: Claims::Ignored, ..explore::Options::default() };
            let Ok(semantics) = Semantics::new(&program, &options) else { continue };
            let fails = |failure| panic!("seed {seed}: {failure}\nwith {counters:?} in\n{text}");
            for run in 0..RUNS {
                let seed = seed.wrapping_mul(0x1_0001).wrapping_add(run);
                check_random_run(&program, &abstraction, &semantics, seed, STEPS, &mut tally)
                    .map_or_else(|failure| fails(*failure), drop);
            }
            check_all_runs(&program, &abstraction, &semantics, STATES, &mut tally)
                .map_or_else(|failure| fails(*failure), drop);
        }
    }
    say(&format!("{with_some} of {count} programs have counters: {tally:?}"));
    assert!(with_some * one_in > count, "{with_some} of {count}");
}

#[test]
fn what_is_known_of_counters_holds_in_every_run() {
    hold_in_every_run(counter_program, short_or_long(150, 30_000), 5);
}
