//! The two float solvers on programmes of growing size: where one overtakes the other.

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use ilp_encode::float::{Programme, interior_point, simplex};

/// A programme like those of a bounded system: every column takes a few messages and sends fewer.
fn programme(columns: usize, rows: usize) -> Programme {
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let mut next = |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        usize::try_from(state % below as u64).expect("a small number")
    };
    let column = |_| {
        let (takes, sends) = (next(rows), next(rows));
        // All weights equal is a solution: what is sent is not more than what is taken.
        vec![(takes, -f64::from(2 + u8::from(next(2) == 0))), (sends, 2.0)]
    };
    let rows_of = (0..columns).map(column).collect();
    let costs = (0..rows).map(|row| 1.0 + (row * 37 % 101) as f64).collect();
    Programme { costs, floors: vec![Some(1.0); rows], rows: rows_of }
}

fn solvers(c: &mut Criterion) {
    let mut group = c.benchmark_group("float solvers (columns x message types)");
    group.sample_size(10);
    for (columns, rows) in [(100, 30), (1_000, 100), (3_000, 300), (10_000, 1_000)] {
        let programme = programme(columns, rows);
        for (name, solve) in [("minilp", simplex as fn(&Programme) -> _), ("clarabel", interior_point)] {
            let id = BenchmarkId::new(name, format!("{columns}x{rows}"));
            group.bench_function(id, |b| b.iter(|| solve(black_box(&programme))));
        }
    }
    group.finish();
}

criterion_group!(benches, solvers);
criterion_main!(benches);
