//! Times of whole checks as ratios, beside those of a stored run:
//!
//! ```sh
//! cargo run --release -p boundedness --example ratios             # compares
//! cargo run --release -p boundedness --example ratios -- --store  # stores
//! ```
//!
//! Each time is divided by that of a fixed piece of work in the same run, done just before and
//! after, so that a slow machine makes no difference. It informs and never fails: what else the
//! machine does moves ratios too.
#![allow(missing_docs)] // an example has no interface

use std::collections::BTreeMap;
use std::fmt::Write;
use std::hint::black_box;
use std::process::ExitCode;
use std::time::Instant;

use boundedness::{BoundSearch, Options, check};
use cfsm_core::families::large::Family;
use cfsm_core::families::{Ratio, chain, ring};
use cfsm_core::system::System;

/// Where the ratios of the stored run are.
const STORED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../benches/baseline.tsv");
/// How often each check is run; the fastest one counts, which other work disturbs least.
const RUNS: usize = 5;
/// A ratio that has grown by this factor is pointed out.
const NOTABLE: f64 = 1.5;

fn main() -> ExitCode {
    let found = measured();
    if std::env::args().nth(1).as_deref() == Some("--store") {
        let lines = found.iter().fold(String::new(), |mut text, (name, ratio)| {
            let _ = writeln!(text, "{name}\t{ratio:.4}");
            text
        });
        if let Err(error) = std::fs::write(STORED, lines) {
            eprintln!("{STORED}: {error}");
            return ExitCode::FAILURE;
        }
        return ExitCode::SUCCESS;
    }
    let stored = std::fs::read_to_string(STORED).unwrap_or_default();
    let stored: BTreeMap<&str, f64> = stored
        .lines()
        .filter_map(|line| line.split_once('\t').and_then(|(name, ratio)| Some((name, ratio.parse().ok()?))))
        .collect();
    println!("{:<28} {:>9} {:>9} {:>9}", "check", "stored", "now", "now/stored");
    for (name, now) in &found {
        match stored.get(name.as_str()) {
            None => println!("{name:<28} {:>9} {now:>9.3} {:>9}", "-", "new"),
            Some(before) => {
                let change = now / before;
                let note = if change > NOTABLE {
                    "  SLOWER"
                } else if change * NOTABLE < 1.0 {
                    "  faster"
                } else {
                    ""
                };
                println!("{name:<28} {before:>9.3} {now:>9.3} {change:>9.2}{note}");
            }
        }
    }
    ExitCode::SUCCESS
}

/// The ratio of each check, in a stable order.
fn measured() -> Vec<(String, f64)> {
    let all = Options::default();
    let questions = ilp_encode::Options { bounds: BoundSearch::None, ..Default::default() };
    let verdict = Options::from(questions);
    let mut cases: Vec<(String, System, &Options)> = Vec::new();
    for family in Family::ALL {
        cases.push((format!("verdict {} 10000", family.name()), family.system(10_000), &verdict));
    }
    for (family, size) in
        [(Family::Line, 10_000), (Family::Clients, 2_000), (Family::Multiparty, 500), (Family::Random, 300)]
    {
        cases.push((format!("bounds {} {size}", family.name()), family.system(size), &all));
    }
    cases.push(("bounds ring 84+53".into(), ring(84, Ratio::DOUBLE, 53, Ratio::THIRD), &all));
    cases.push(("bounds chain 25".into(), chain(25, 3, false), &all));
    let ratio = |(name, system, options): &(String, System, &Options)| {
        let once = || {
            let before = calibration();
            let start = Instant::now();
            black_box(check(black_box(system), options));
            let seconds = start.elapsed().as_secs_f64();
            seconds / (before + calibration()) * 2.0
        };
        // What takes long is run once.
        let first = once();
        let more = if first > 20.0 { 0 } else { RUNS - 1 };
        (name.clone(), (0..more).map(|_| once()).fold(first, f64::min))
    };
    cases.iter().map(ratio).collect()
}

/// Seconds that a fixed piece of work takes: numbers are sorted, looked up and multiplied, as
/// checks do.
fn calibration() -> f64 {
    let start = Instant::now();
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let mut numbers: Vec<(u64, u128)> = Vec::with_capacity(200_000);
    for _ in 0..200_000 {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        numbers.push((state >> 44, u128::from(state)));
    }
    numbers.sort_unstable();
    let map: BTreeMap<u64, u128> = numbers.iter().copied().collect();
    let sum = numbers.iter().fold(0u128, |sum, (key, value)| {
        sum.wrapping_add(map.get(key).map_or(1, |other| other.wrapping_mul(*value)))
    });
    black_box(sum);
    start.elapsed().as_secs_f64()
}
