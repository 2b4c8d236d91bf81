//! Memory of a search. This is the only test of its process, as the peak is that of the whole
//! process.
#![allow(clippy::unwrap_used)] // helpers of tests

use std::io::Write as _;

use explore::{Completion, Limits, Options, Semantics};

/// The peak of this process's memory in bytes, where Linux says it.
fn peak() -> Option<usize> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(1024 * line.split_whitespace().next()?.parse::<usize>().ok()?)
}

#[test]
fn a_hundred_thousand_small_states_take_less_than_20_megabytes() {
    const MOST: usize = 20_000_000;
    let text = "chan c[4] = [2] of { byte, bit }; byte x[4];
active [4] proctype P() { byte y; do :: c[_pid]!x[_pid],1; x[_pid] = (x[_pid] + 1) % 5
:: c[(_pid + 1) % 4]?y,_ od }";
    let outcome = promela_front::parse("model.pml", text, &promela_front::Options::default());
    let semantics = Semantics::new(&outcome.program.unwrap(), &Options::default()).unwrap();
    let limits = Limits { states: Some(100_000), bytes: Some(MOST), ..Limits::default() };
    let found = semantics.explore(&limits).unwrap();
    // There are more states: that limit was hit, not the one on bytes.
    assert_eq!((found.completion, found.states), (Completion::States, 100_000));
    // Each state is a dozen bytes; what is around it should not be several times as much.
    assert!(found.bytes < MOST / 3, "{} bytes", found.bytes);
    match peak() {
        Some(peak) => assert!(peak < MOST, "{peak} bytes, program and tests included"),
        None => writeln!(std::io::stderr(), "SKIPPED: the system does not say the peak").unwrap(),
    }
}
