//! Tests only: differential, papers, layering, documentation.
//!
//! The tests are in `tests/`; here is what they share: second implementations, as plain as they can
//! be written down, of what the product does cleverly. They share no code with it but the types in
//! which systems, certificates and counterexamples are given.
//!
//! - [`walk`]: runs of a system, step by step, with or without message order;
//! - [`reference`](mod@reference): what the state equation says, by a textbook simplex over all
//!   transitions;
//! - [`naive`]: the conditions of a certificate's theorem;
//! - [`combination`]: what makes a combination of cycles a counterexample;
//! - [`models`] and [`programs`]: Promela models with known verdicts, and random ones;
//! - [`generator`]: random small programs of the whole language;
//! - [`capacity_programs`]: random programs in which it matters how much room queues have;
//! - [`spill_programs`]: random programs in which a queue grows only where another one is limited;
//! - [`round_programs`], [`agreement_programs`], [`office_programs`], [`desk_programs`],
//!   [`window_programs`], [`gate_programs`]: random programs with unequal capacities in which
//!   pairs, the order of messages, registers, slots, counters and activation decide;
//! - [`service_programs`]: random services with channels that others use;
//! - [`data_programs`]: random programs whose verdicts rest on data;
//! - [`fragments`]: random action code, run by a C compiler beside what is read of it;
//! - [`house`](mod@house): figures of the source code;
//! - [`idle_programs`]: random programs in which data go many ways and few decide anything;
//! - [`difference_programs`]: random programs in which it matters how two variables differ;
//! - [`room`]: models with other capacities than they declare;
//! - [`readings`]: models in which some channels are limited as declared, and others are not;
//! - [`lengths`]: the most messages of each queue that Spin sees;
//! - [`simulation`]: whether every step of a run has its image in an abstract system;
//! - [`systems`]: random systems in which buffers fill and do not grow;
//! - [`taint`]: random runs of open programs, whose values say where they come from;
//! - [`spin`]: the model checker Spin as an oracle;
//! - [`comparison`]: what Spin makes of many models beside what the front end makes of them;
//! - [`measurement`]: what the abstraction makes of many models, each in a process of its own.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

pub mod agreement_programs;
pub mod api;
pub mod aside_programs;
pub mod capacity_programs;
pub mod capsules;
pub mod combination;
pub mod comparison;
mod compiler;
pub mod constructs;
pub mod counter_programs;
pub mod data_programs;
pub mod desk_programs;
pub mod difference_programs;
pub mod fragments;
pub mod gate_programs;
pub mod generator;
pub mod house;
pub mod idle_programs;
pub mod lengths;
pub mod machines;
pub mod measurement;
pub mod models;
pub mod naive;
mod offers;
pub mod office_programs;
pub mod pair_programs;
mod program;
pub mod programs;
pub mod readings;
pub mod record_programs;
pub mod reference;
pub mod reply_programs;
pub mod room;
pub mod round_programs;
pub mod service_programs;
pub mod simulation;
pub mod slot_programs;
pub mod spill_programs;
pub mod spin;
pub mod systems;
pub mod table_programs;
pub mod taint;
pub mod walk;
pub mod window_programs;
pub mod wrapping_programs;

use std::io::Write as _;
use std::str::FromStr;

use proptest::test_runner::Config;

/// So many cases, unless the environment variable `PROPTEST_CASES` says otherwise. Failures are
/// printed and not written to files.
#[must_use]
pub fn cases(default: u32) -> Config {
    Config {
        cases: given("PROPTEST_CASES").unwrap_or(default),
        failure_persistence: None,
        ..Config::default()
    }
}

/// The number that an environment variable gives, if it is there and gives one.
#[must_use]
pub fn given<T: FromStr>(name: &str) -> Option<T> {
    std::env::var(name).ok()?.parse().ok()
}

/// The second, if the environment variable `FREEBOARD_LONG` is there; the first otherwise.
#[must_use]
pub fn short_or_long<T>(short: T, long: T) -> T {
    if std::env::var_os("FREEBOARD_LONG").is_some() { long } else { short }
}

/// Tells whoever waits for the tests. Not with a macro: what those print is not shown of tests that
/// pass.
///
/// # Panics
/// If there is nobody to tell.
pub fn say(line: &str) {
    writeln!(std::io::stderr(), "{line}").expect("a terminal");
}
