//! Enumeration of elementary cycles: cycles per second.

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use cycles::{Multigraph, count};

fn complete(n: usize) -> Multigraph {
    let edges = (0..n).flat_map(|a| (0..n).filter(move |&b| a != b).map(move |b| (a, b)));
    Multigraph::new(n, edges.collect::<Vec<_>>()).expect("edges join vertices")
}

/// A ring whose every edge is doubled: 2^n cycles on one vertex cycle.
fn doubled_ring(n: usize) -> Multigraph {
    let edges = (0..n).flat_map(|a| [(a, (a + 1) % n); 2]);
    Multigraph::new(n, edges.collect::<Vec<_>>()).expect("edges join vertices")
}

fn enumeration(c: &mut Criterion) {
    let mut group = c.benchmark_group("elementary cycles");
    group.sample_size(10);
    for (name, graph) in
        [("K8", complete(8)), ("K9", complete(9)), ("ring of 17, doubled edges", doubled_ring(17))]
    {
        let cycles = count(&graph, usize::MAX).cycles;
        group.throughput(Throughput::Elements(cycles as u64));
        group.bench_function(BenchmarkId::from_parameter(name), |b| {
            b.iter(|| count(black_box(&graph), usize::MAX));
        });
    }
    group.finish();
}

criterion_group!(benches, enumeration);
criterion_main!(benches);
