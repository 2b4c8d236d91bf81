//! Enumeration of elementary cycles: cycles per second, when a callback sees the edges of each.
//!
//! Beside other programs: `benches/peers/cycles/run.py`.

use std::fs;
use std::hint::black_box;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use benches::graphs::{self, Graph};
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use cycles::{Enumeration, Multigraph, Weights, count};
use ilp_encode::control_flow_graphs;

fn build(graph: &Graph) -> Multigraph {
    Multigraph::new(graph.vertices, graph.edges.iter().copied()).expect("edges join vertices")
}

/// Edges of all cycles, so that none can be left out.
fn lengths(graph: &Multigraph) -> usize {
    let mut sum = 0;
    Enumeration::of(graph).for_each(|edges| sum += edges.len());
    sum
}

fn callback(c: &mut Criterion) {
    let mut group = c.benchmark_group("callback");
    group.sample_size(10);
    let larger = [graphs::control_flow(300, 22), graphs::ring_with_chords(2000, 50, 5)];
    for graph in graphs::compared().iter().chain(&larger) {
        let multigraph = build(graph);
        let cycles = count(&multigraph, u128::MAX).cycles;
        group.throughput(Throughput::Elements(u64::try_from(cycles).unwrap_or(u64::MAX)));
        group.bench_function(BenchmarkId::from_parameter(&graph.name), |b| {
            b.iter(|| lengths(black_box(&multigraph)));
        });
    }
    group.finish();
}

/// The same graph, looked at in other ways.
fn ways_to_look(c: &mut Criterion) {
    let graph = build(&graphs::complete(9));
    let ring = build(&graphs::doubled_ring(17));
    let weights: Vec<i64> = (0..graph.edge_count() as i64).map(|edge| edge % 5 - 2).collect();
    let mut group = c.benchmark_group("ways to look");
    group.sample_size(10);
    group.throughput(Throughput::Elements(125_664));
    group.bench_function("K9, callback", |b| b.iter(|| lengths(black_box(&graph))));
    group.bench_function("K9, lent by the iterator", |b| {
        b.iter(|| {
            let mut cycles = cycles::elementary_cycles(black_box(&graph));
            let mut sum = 0;
            while let Some(edges) = cycles.next_edges() {
                sum += edges.len();
            }
            sum
        });
    });
    group.bench_function("K9, counted", |b| b.iter(|| count(black_box(&graph), u128::MAX)));
    group.bench_function("K9, sums", |b| {
        b.iter(|| {
            let mut most = i64::MIN;
            Enumeration::of(&graph).for_each_sum(&Weights(&weights), |_, &sum| most = most.max(sum));
            most
        });
    });
    group.bench_function("K9, different sums", |b| {
        b.iter(|| Enumeration::of(&graph).distinct(&Weights(&weights)).values.len());
    });
    group.bench_function("K9, two threads", |b| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().expect("two threads");
        let sum = || Enumeration::of(&graph).par_fold(|| 0, |sum, edges| *sum += edges.len(), |a, b| a + b);
        b.iter(|| pool.install(sum));
    });
    group.throughput(Throughput::Elements(1 << 17));
    group.bench_function("ring of 17, doubled edges, counted", |b| {
        b.iter(|| count(black_box(&ring), u128::MAX));
    });
    group.finish();
}

/// The models of a directory, and of those below it.
fn models(directory: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            models(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "pml" || extension == "pr") {
            found.push(path);
        }
    }
    found.sort();
}

/// The processes of other people's models: all their cycles, up to 10^5 per process.
fn corpus(c: &mut Criterion) {
    let root = std::env::var_os("FREEBOARD_CORPUS").map_or_else(|| PathBuf::from("corpus"), PathBuf::from);
    let mut files = Vec::new();
    models(&root, &mut files);
    let mut found: Vec<Multigraph> = Vec::new();
    for file in &files {
        let Ok(text) = fs::read_to_string(file) else { continue };
        let read = freeboard::read_promela(&file.to_string_lossy(), &text, &freeboard::Options::default());
        if let Ok(model) = read {
            let graphs = control_flow_graphs(&model.abstraction.system);
            found.extend(graphs.values().map(|graph| graph.multigraph.clone()));
        }
    }
    if found.is_empty() {
        let skipped = format!("SKIPPED: no models below {} (FREEBOARD_CORPUS says where)", root.display());
        let _ = writeln!(std::io::stderr(), "{skipped}");
        return;
    }
    let all = |graph: &Multigraph| {
        let mut sum = 0;
        let summary = Enumeration::of(graph).max_cycles(100_000).for_each(|edges| sum += edges.len());
        black_box(sum);
        summary.cycles
    };
    let cycles: u64 = found.iter().map(all).sum();
    let mut group = c.benchmark_group("corpus");
    group.sample_size(10);
    group.throughput(Throughput::Elements(cycles));
    group.bench_function(format!("{} processes, {cycles} cycles", found.len()), |b| {
        b.iter(|| found.iter().map(all).sum::<u64>());
    });
    group.finish();
}

criterion_group!(benches, callback, ways_to_look, corpus);
criterion_main!(benches);
