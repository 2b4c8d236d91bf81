//! Boundedness checks in full: cone, growth question, all bounds, certificate, checker.

use std::hint::black_box;

use boundedness::{Encoding, Options, check};
use cfsm_core::families::{Ratio, chain, line_of_servers, near_parallel, ring};
use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};

/// Lines of servers, flow form: the number of elementary cycles is astronomical, the time is not.
fn lines(c: &mut Criterion) {
    let mut group = c.benchmark_group("flow form, line of servers (processes x states)");
    group.sample_size(10);
    for (processes, states) in [(10, 50), (30, 50), (100, 50), (300, 50)] {
        let system = line_of_servers(processes, states, 3);
        let outcome = check(&system, &Options::default());
        assert!(outcome.verdict.is_proved());
        let name = format!("{processes}x{states}, {} transitions", system.transitions.len());
        group.bench_function(BenchmarkId::from_parameter(name), |b| {
            b.iter(|| check(black_box(&system), &Options::default()));
        });
    }
    group.finish();
}

/// Systems on which floats go wrong, so that the exact simplex decides.
fn exactness(c: &mut Criterion) {
    let systems = [
        ring(84, Ratio::DOUBLE, 53, Ratio::THIRD),
        ring(84, Ratio::HALF, 53, Ratio::TRIPLE),
        chain(25, 3, false),
        chain(25, 3, true),
        near_parallel(1_000_000_000),
    ];
    let mut group = c.benchmark_group("where floats fail");
    group.sample_size(10);
    for (system, what) in systems.iter().zip(["gain 0.998", "gain 1.002", "", "", ""]) {
        for encoding in [Encoding::Flow, Encoding::Cycles] {
            let options = Options::from(ilp_encode::Options { encoding, ..Default::default() });
            let name = format!("{} {what} {encoding:?}", system.name);
            group.bench_function(BenchmarkId::from_parameter(name), |b| {
                b.iter(|| check(black_box(system), &options));
            });
        }
    }
    group.finish();
}

/// The paper's model from text to checked certificate.
fn from_text(c: &mut Criterion) {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/models/two_processes.pml");
    let text = std::fs::read_to_string(path).expect("the example model is part of the project");
    c.bench_function("two_processes.pml, text to certificate", |b| {
        b.iter(|| {
            let options = freeboard::Options::default();
            freeboard::check_promela("two_processes.pml", black_box(&text), &options).expect("a valid model")
        });
    });
}

criterion_group!(benches, from_text, lines, exactness);
criterion_main!(benches);
