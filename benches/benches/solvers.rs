//! The two float solvers on programmes of growing size: where one overtakes the other.

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use ilp_encode::float::{Candidate, Programme, interior_point, simplex};

/// A programme like those of a bounded system: random columns that take messages of two types and
/// send messages of a third, all of them satisfied by weights that the solver has to find.
fn programme(columns: usize, rows: usize) -> Programme {
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let mut next = |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        usize::try_from(state % below as u64).expect("a small number")
    };
    let hidden: Vec<usize> = (0..rows).map(|_| 1 + next(9)).collect();
    let mut column = || {
        // Three different rows: a solver may refuse one that is named twice.
        let a = next(rows);
        let b = (a + 1 + next(rows / 2 - 1)) % rows;
        let c = (a + rows / 2 + next(rows / 2)) % rows;
        // takes·hidden ≥ sends·hidden, with equality for two columns in three.
        let (takes, sends) = (hidden[c] + next(3) / 2, hidden[a]);
        vec![(a, -(takes as f64)), (b, -((next(4) / 3) as f64)), (c, sends as f64)]
    };
    let rows_of = (0..columns).map(|_| column()).collect();
    let costs = (0..rows).map(|row| 1.0 + (row * 37 % 101) as f64).collect();
    Programme { costs, floors: vec![Some(1.0); rows], rows: rows_of, slack: 0.0 }
}

fn solvers(c: &mut Criterion) {
    let mut group = c.benchmark_group("float solvers (columns x message types)");
    group.sample_size(10);
    for (columns, rows) in [(100, 30), (1_000, 100), (3_000, 300), (10_000, 1_000)] {
        let programme = programme(columns, rows);
        assert!(matches!(simplex(&programme), Candidate::Optimal(_)));
        assert!(matches!(interior_point(&programme), Candidate::Optimal(_)));
        for (name, solve) in [("minilp", simplex as fn(&Programme) -> _), ("clarabel", interior_point)] {
            let id = BenchmarkId::new(name, format!("{columns}x{rows}"));
            group.bench_function(id, |b| b.iter(|| solve(black_box(&programme))));
        }
    }
    group.finish();
}

criterion_group!(benches, solvers);
criterion_main!(benches);
