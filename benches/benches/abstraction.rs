//! The abstraction on families of generated models, of growing size. The models are read before,
//! and not measured; the test of boundedness is not part of it either.

use std::hint::black_box;
use std::time::{Duration, Instant};

use benches::families::Family;
use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use freeboard::abstraction::{Options, abstract_program};
use promela_front::parse;

/// A family is not made larger once a single call takes longer.
const PATIENCE: Duration = Duration::from_secs(1);

fn families(c: &mut Criterion) {
    for family in Family::ALL {
        let mut group = c.benchmark_group(format!("abstraction of {}", family.name()));
        group.sample_size(10);
        for size in [20, 60, 200, 600, 2000] {
            let text = family.text(size);
            let program = parse(family.name(), &text, &promela_front::Options::default()).program;
            let program = program.expect("a valid model");
            let start = Instant::now();
            let result = abstract_program(&program, &Options::default());
            let took = start.elapsed();
            let end = match result {
                Ok(found) => format!("{} transitions", found.system.transitions.len()),
                Err(error) => error.to_string(),
            };
            group.bench_function(BenchmarkId::from_parameter(format!("{size}, {end}")), |b| {
                b.iter_with_large_drop(|| abstract_program(black_box(&program), &Options::default()));
            });
            if took > PATIENCE {
                eprintln!("{} of {size}: one call took {took:.1?}; larger ones are left out", family.name());
                break;
            }
        }
        group.finish();
    }
}

criterion_group!(benches, families);
criterion_main!(benches);
