//! The enumeration of cycles in `benches/peers/cycles/run.py`: writes the graphs, and times itself
//! on them.
//!
//! `cycles write DIRECTORY` writes the graphs of the comparison, one file each.
//! `cycles time [--threads N] SECONDS FILE` enumerates over and over for so many seconds and at
//! least three times, and prints the number of cycles and the least time of one enumeration, in
//! seconds. `cycles threads FILE` enumerates on one thread and on two in turn, for five times a
//! while, and prints for each while the processor time of one thread, of the busier of two and of
//! the other, in milliseconds, where two were faster by the median: how the work is shared,
//! whatever else the machine does.

use std::error::Error;
use std::io::Write as _;
use std::path::Path;
use std::time::Instant;

use benches::graphs;
use cycles::{Enumeration, Multigraph};

fn read(file: &str) -> Result<Multigraph, Box<dyn Error>> {
    let text = std::fs::read_to_string(file)?;
    let numbers = text.split_whitespace().map(str::parse).collect::<Result<Vec<usize>, _>>()?;
    let [vertices, _, ends @ ..] = numbers.as_slice() else { return Err("not a graph".into()) };
    Ok(Multigraph::new(*vertices, ends.chunks_exact(2).map(|ends| (ends[0], ends[1])))?)
}

/// Numbers of cycles and of their edges.
fn enumerate(graph: &Multigraph, threads: Option<&rayon::ThreadPool>) -> (u64, u64) {
    let all = Enumeration::of(graph);
    if let Some(pool) = threads {
        let add = |sum: &mut (u64, u64), edges: &[cycles::EdgeId]| {
            *sum = (sum.0 + 1, sum.1 + edges.len() as u64);
        };
        return pool.install(|| all.par_fold(|| (0, 0), add, |a, b| (a.0 + b.0, a.1 + b.1))).0;
    }
    let mut edges = 0;
    let summary = all.for_each(|cycle| edges += cycle.len() as u64);
    (summary.cycles, edges)
}

fn time(seconds: &str, file: &str, threads: Option<&str>) -> Result<(), Box<dyn Error>> {
    let seconds: f64 = seconds.parse()?;
    let graph = read(file)?;
    let threads = threads.map(str::parse).transpose()?;
    let pool = threads.map(|count| rayon::ThreadPoolBuilder::new().num_threads(count).build()).transpose()?;
    let (mut best, mut spent, mut runs, mut found) = (f64::INFINITY, 0.0, 0, (0, 0));
    while spent < seconds || runs < 3 {
        let start = Instant::now();
        found = enumerate(&graph, pool.as_ref());
        let took = start.elapsed().as_secs_f64();
        best = took.min(best);
        spent += took;
        runs += 1;
    }
    writeln!(std::io::stdout(), "{} {best:.9} {}", found.0, found.1)?;
    Ok(())
}

/// The processor time of this thread so far in milliseconds, where Linux says it.
fn processor() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    Some(text.split(' ').next()?.parse::<f64>().ok()? / 1e6)
}

/// Milliseconds on one thread that are measured together: what takes a few each depends on when the
/// other thread wakes up.
const LEAST: f64 = 200.0;

fn threads(file: &str) -> Result<(), Box<dyn Error>> {
    let graph = read(file)?;
    let one = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
    let two = rayon::ThreadPoolBuilder::new().num_threads(2).build()?;
    let spent = |pool: &rayon::ThreadPool, work: &(dyn Fn() -> (u64, u64) + Sync)| {
        let before = pool.broadcast(|_| processor().unwrap_or(f64::NAN));
        let found = pool.install(work);
        let after = pool.broadcast(|_| processor().unwrap_or(f64::NAN));
        (found, after.iter().zip(before).map(|(after, before)| after - before).collect::<Vec<f64>>())
    };
    for _ in 0..5 {
        let (mut rounds, mut sum) = (Vec::new(), 0.0);
        while sum < LEAST || rounds.is_empty() {
            let (expected, alone) = spent(&one, &|| enumerate(&graph, None));
            let (found, both) = spent(&two, &|| enumerate(&graph, Some(&two)));
            if found != expected {
                return Err(format!("{found:?} with threads, {expected:?} without").into());
            }
            sum += alone[0];
            rounds.push((alone[0], both[0].max(both[1]), both[0].min(both[1])));
        }
        rounds.sort_by(|a, b| (a.0 / a.1).total_cmp(&(b.0 / b.1)));
        let (single, more, less) = rounds[rounds.len() / 2];
        writeln!(std::io::stdout(), "{single:.2} {more:.2} {less:.2}")?;
    }
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments.as_slice() {
        ["write", directory] => {
            for graph in graphs::compared() {
                let name = graph.name.replace(", ", "_").replace(' ', "-");
                std::fs::write(Path::new(directory).join(name + ".graph"), graph.text())?;
            }
            Ok(())
        }
        ["threads", file] => threads(file),
        ["time", seconds, file] => time(seconds, file, None),
        ["time", "--threads", threads, seconds, file] => time(seconds, file, Some(threads)),
        _ => Err("cycles write DIRECTORY | time [--threads N] SECONDS FILE | threads FILE".into()),
    }
}
