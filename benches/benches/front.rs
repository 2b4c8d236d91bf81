//! The front end: bytes of Promela per second, preprocessed only, as a tree (lexing and parsing),
//! and as a program (with names, types and graphs).

use std::fmt::Write;
use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use promela_front::{Options, parse, preprocessed, tree};

/// About a megabyte of processes with the words that people write, comments and indentation.
fn plain() -> String {
    let mut text =
        String::from("mtype = { request, grant, release };\nchan link = [4] of { mtype, byte };\n");
    for number in 0..2_200 {
        let _ = write!(
            text,
            "
/* Process {number} waits for its turn, and then takes it. */
active proctype worker_{number}() {{
    byte turn = 0, count_{number};
    do
    :: link ! request, turn ->
        if
        :: link ? grant, turn -> count_{number} = (count_{number} + turn) % 16
        :: else -> skip    // try again
        fi;
        turn++
    :: count_{number} > 12 && turn != {number} % 7 -> link ! release, 0; break
    od
}}
"
        );
    }
    text
}

/// The same with macros for constants and for statements.
fn with_macros() -> String {
    let mut text = String::from(
        "#define LIMIT 12\n#define MODULUS (LIMIT + 4)\n#define send(what, with) link ! what, with\n\
         #define advance(x, by) x = (x + by) % MODULUS\n",
    );
    let body = plain();
    let body = body.replace("> 12", "> LIMIT").replace("link ! request, turn", "send(request, turn)");
    text += &body.replace("link ! release, 0", "send(release, 0); advance(turn, LIMIT)");
    text
}

fn front(c: &mut Criterion) {
    for (name, text) in [("plain", plain()), ("with macros", with_macros())] {
        let options = Options::default();
        let mut group = c.benchmark_group("front");
        group.sample_size(20);
        group.throughput(Throughput::Bytes(text.len() as u64));
        group.bench_function(BenchmarkId::new("preprocessed", name), |b| {
            b.iter_with_large_drop(|| preprocessed("model.pml", black_box(&text), &options));
        });
        group.bench_function(BenchmarkId::new("tree", name), |b| {
            b.iter_with_large_drop(|| tree("model.pml", black_box(&text), &options));
        });
        group.bench_function(BenchmarkId::new("parse", name), |b| {
            b.iter_with_large_drop(|| parse("model.pml", black_box(&text), &options));
        });
        group.finish();
    }
}

criterion_group!(benches, front);
criterion_main!(benches);
