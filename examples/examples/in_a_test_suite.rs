//! How a test suite uses assertions and random systems.
//!
//! `cargo run --example in_a_test_suite` does what `cargo test` would do.

use freeboard::certify;
use freeboard::cfsm_core::system::SystemBuilder;
use freeboard::cfsm_core::testing::{SystemShape, systems};
use freeboard::{Options, RunLimits, assert_bounded, assert_livelock_free, check_system};
use proptest::test_runner::{TestCaseError, TestRunner};

fn main() {
    the_protocol_is_bounded();
    the_switch_never_hangs();
    every_proof_can_be_checked_again();
    println!("3 tests passed");
}

/// The description of a protocol lies beside the code; a change that makes a queue grow breaks the
/// build.
pub fn the_protocol_is_bounded() {
    assert_bounded!(path concat!(env!("CARGO_MANIFEST_DIR"), "/machines/lights.kmc"), at most 1);
    assert_bounded!(path concat!(env!("CARGO_MANIFEST_DIR"), "/machines/odd_or_even.fsa"));
}

/// A system is built where the code that it describes is; transitions that the user sees are
/// progress.
pub fn the_switch_never_hangs() {
    let mut b = SystemBuilder::new("switch");
    let (on, done) = (b.message("commands", "on"), b.message("answers", "done"));
    b.class("switch", 1).send("idle", on, "waits").receive("waits", done, "idle");
    b.progress();
    b.class("lamp", 1).receive("ready", on, "busy").send("busy", done, "ready");
    assert_livelock_free!(b.build().expect("names are unique"));
}

/// A property of all systems: here that what is proved can be checked by somebody else. What fails
/// is shrunk to few machines with few transitions.
pub fn every_proof_can_be_checked_again() {
    let options = Options { runs: RunLimits::NONE, ..Options::default() };
    let holds = TestRunner::deterministic().run(&systems(SystemShape::plain()), |system| {
        let analysis =
            check_system(system, &options).map_err(|failure| TestCaseError::fail(failure.to_string()))?;
        let Some(found) = analysis.outcome.verdict.certificate() else { return Ok(()) };
        let again = certify::check(&analysis.system, found.get().clone());
        again.map(drop).map_err(|rejection| TestCaseError::fail(rejection.to_string()))
    });
    if let Err(failure) = holds {
        panic!("{failure}");
    }
}
