//! One system of a family: what verdict and bounds take. `scale FAMILY TRANSITIONS [verdict|fast]`.
#![allow(missing_docs)] // an example has no interface

use std::process::ExitCode;
use std::time::Instant;

use boundedness::{BoundSearch, BufferVerdict, check};
use cfsm_core::families::large::Family;

fn main() -> ExitCode {
    let given: Vec<String> = std::env::args().skip(1).collect();
    let family = given.first().and_then(|name| Family::ALL.into_iter().find(|family| family.name() == name));
    let size = given.get(1).and_then(|size| size.parse().ok());
    let (Some(family), Some(size)) = (family, size) else {
        let names = Family::ALL.map(Family::name).join(", ");
        eprintln!("give a family ({names}) and about how many transitions");
        return ExitCode::FAILURE;
    };
    let system = family.system(size);
    let before = peak();
    let start = Instant::now();
    let bounds = match given.get(2).map(String::as_str) {
        Some("verdict") => BoundSearch::None,
        Some("fast") => BoundSearch::Fast,
        _ => BoundSearch::Least,
    };
    let outcome = check(&system, &ilp_encode::Options { bounds, ..Default::default() }.into());
    let seconds = start.elapsed().as_secs_f64();
    let mut sum = num(0);
    let mut grow = 0;
    for verdict in outcome.buffers.values() {
        match verdict {
            BufferVerdict::Bounded { bound } => sum += bound,
            _ => grow += 1,
        }
    }
    println!(
        "{} transitions={} states={} types={} buffers={} proved={} grow={grow} sum={sum} seconds={seconds:.3} mb={:.0} before_mb={:.0}",
        family.name(),
        system.transitions.len(),
        system.states.len(),
        system.messages.len(),
        system.buffers.len(),
        outcome.verdict.is_proved(),
        peak(),
        before,
    );
    ExitCode::SUCCESS
}

fn num(value: u32) -> num_bigint::BigInt {
    value.into()
}

/// The peak of this process's memory in megabytes.
fn peak() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kb = line.and_then(|line| line.split_whitespace().next()?.parse::<f64>().ok());
    kb.unwrap_or_default() / 1000.0
}
