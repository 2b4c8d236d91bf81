//! Test of the memory of an enumeration. The only test of its process, since the peak is that of
//! the whole process.
#![allow(clippy::unwrap_used)] // helpers of tests

use std::io::Write as _;

use cycles::{Enumeration, Multigraph, elementary_cycles};

/// The peak of this process's memory in bytes, where Linux says it.
fn peak() -> Option<usize> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(1024 * line.split_whitespace().next()?.parse::<usize>().ok()?)
}

/// A ring of `n` squares of all edges between four vertices: so many cycles that no test sees all
/// of them.
fn squares(n: usize) -> Multigraph {
    let edges = (0..n).flat_map(|i| {
        let inside = (0..16).filter(|at| at / 4 != at % 4).map(move |at| (4 * i + at / 4, 4 * i + at % 4));
        inside.chain([(4 * i + 3, 4 * (i + 1) % (4 * n))])
    });
    Multigraph::new(4 * n, edges).unwrap()
}

#[test]
fn millions_of_cycles_take_no_more_memory_than_a_few() {
    // The second is too large for masks, and its cycles are long.
    for n in [12, 1_000] {
        let graph = squares(n);
        let visit = |cycles| Enumeration::of(&graph).max_cycles(cycles).for_each(|_| ()).cycles;
        assert_eq!(visit(1_000), 1_000);
        assert_eq!(elementary_cycles(&graph).take(1_000).count(), 1_000);
        let before = peak();
        assert_eq!(visit(2_000_000), 2_000_000);
        let mut cycles = elementary_cycles(&graph);
        assert!((0..1_000_000).all(|_| cycles.next_edges().is_some()));
        match (before, peak()) {
            (Some(before), Some(after)) => {
                assert!(after - before < 1 << 19, "{} bytes more for millions of cycles", after - before);
            }
            _ => writeln!(std::io::stderr(), "SKIPPED: the system does not say the peak").unwrap(),
        }
    }
}
