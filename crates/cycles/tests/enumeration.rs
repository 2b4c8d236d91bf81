//! Tests of the options and results of an enumeration: limits, sums, numbers, threads.
#![allow(clippy::unwrap_used)] // helpers of tests

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use cycles::{
    Count, Cycle, Effects, End, Enumeration, GraphError, Multigraph, Weights, count, elementary_cycles,
};
use proptest::prelude::*;

fn complete(n: usize) -> Multigraph {
    let edges = (0..n).flat_map(|a| (0..n).filter(move |&b| b != a).map(move |b| (a, b)));
    Multigraph::new(n, edges).unwrap()
}

/// A ring whose edges are there so many times each.
fn thick_ring(n: usize, times: usize) -> Multigraph {
    Multigraph::new(n, (0..n * times).map(|edge| (edge / times, (edge / times + 1) % n))).unwrap()
}

fn graphs() -> impl Strategy<Value = Multigraph> {
    (1usize..8)
        .prop_flat_map(|n| (Just(n), prop::collection::vec((0..n, 0..n), 0..22)))
        .prop_map(|(n, edges)| Multigraph::new(n, edges).unwrap())
}

#[test]
fn parallel_edges_are_counted_without_being_walked() {
    assert_eq!(count(&thick_ring(17, 2), u128::MAX), Count { cycles: 1 << 17, complete: true });
    assert_eq!(count(&thick_ring(126, 2), u128::MAX), Count { cycles: 1 << 126, complete: true });
    // One more than fits is more than any limit.
    assert_eq!(count(&thick_ring(128, 2), u128::MAX), Count { cycles: u128::MAX, complete: false });
    let (count, end) = Enumeration::of(&thick_ring(40, 3)).max_cycles(1000).count(u128::MAX);
    assert_eq!((count, end), (Count { cycles: 1000, complete: false }, End::CycleLimit));
}

#[test]
fn every_limit_ends_an_enumeration_and_says_so() {
    let graph = complete(7);
    let all = Enumeration::of(&graph);
    let of = |enumeration: Enumeration<'_>| {
        let summary = enumeration.for_each(|_| ());
        (summary.cycles, summary.end)
    };
    assert_eq!(of(all), (2365, End::Complete));
    assert_eq!(of(all.max_cycles(2365)), (2365, End::Complete));
    assert_eq!(of(all.max_cycles(2364)), (2364, End::CycleLimit));
    assert_eq!(of(all.max_cycles(0)), (0, End::CycleLimit));
    assert_eq!(of(all.time_limit(Duration::ZERO)), (0, End::TimeLimit));
    assert_eq!(of(all.time_limit(Duration::MAX)), (2365, End::Complete));
    let flag = AtomicBool::new(true);
    assert_eq!(of(all.cancel_on(&flag)), (0, End::Cancelled));
    assert_eq!(of(all.max_length(2)), (21, End::Complete));
    assert_eq!(of(all.max_length(0)), (0, End::Complete));

    let mut left = 5;
    let summary = all.for_each(|_| {
        left -= 1;
        if left == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    assert_eq!((summary.cycles, summary.end), (5, End::Stopped));
}

#[test]
fn a_flag_and_a_clock_are_looked_at_while_parallel_edges_are_walked() {
    // 3^40 cycles, all along the same vertices.
    let graph = thick_ring(40, 3);
    let flag = AtomicBool::new(false);
    let summary = Enumeration::of(&graph).cancel_on(&flag).for_each(|_| flag.store(true, Ordering::Relaxed));
    assert_eq!(summary.end, End::Cancelled);
    let summary = Enumeration::of(&graph).time_limit(Duration::from_millis(1)).for_each(|_| ());
    assert_eq!(summary.end, End::TimeLimit);
}

#[test]
fn short_cycles_do_not_cost_the_long_ones() {
    // K30 has more than 10^30 cycles; those of at most three edges are 435 and 8120.
    let graph = complete(30);
    let lengths: Vec<usize> =
        Enumeration::of(&graph).max_length(3).iter().map(|cycle| cycle.length()).collect();
    assert_eq!(lengths.iter().filter(|&&length| length == 2).count(), 435);
    assert_eq!(lengths.len(), 435 + 8120);
}

#[test]
fn sums_and_vectors_add_up() {
    let graph = Multigraph::new(3, [(0, 1), (1, 2), (2, 0), (0, 1), (2, 2)]).unwrap();
    let mut sums = Vec::new();
    Enumeration::of(&graph).for_each_sum(&Weights(&[1i64, 10, 100, -1, 7]), |_, &sum| sums.push(sum));
    assert_eq!(sums, [111, 109, 7]);

    let entries = [vec![(0, 1)], vec![(1, 2)], vec![(0, -1)], vec![(0, 1)], vec![]];
    let effects = Effects { dimension: 2, entries: &entries };
    let distinct = Enumeration::of(&graph).distinct(&effects);
    let values: Vec<_> =
        distinct.values.iter().map(|(value, cycle)| (value.clone(), cycle.length())).collect();
    assert_eq!(values, [(vec![0, 2], 3), (vec![0, 0], 1)]);
    // The parallel edge has the same effect, and its cycle is not walked.
    assert_eq!((distinct.summary.cycles, distinct.summary.end), (2, End::Complete));
}

#[test]
fn different_sums_of_many_parallel_edges_come_at_once() {
    // 4^60 cycles with one effect, or two where one edge of each four differs.
    let graph = thick_ring(60, 4);
    let distinct = Enumeration::of(&graph).distinct(&Weights(&vec![1u32; 240]));
    assert_eq!((distinct.values.len(), distinct.values[0].0), (1, 60));
}

#[test]
fn compressed_graphs_are_checked() {
    let bad = [(vec![], vec![]), (vec![1, 1], vec![0]), (vec![0, 2], vec![0]), (vec![0, 1, 0, 1], vec![0])];
    for (first, targets) in bad {
        assert_eq!(Multigraph::from_compressed(&first, &targets), Err(GraphError::NotCompressed));
    }
    assert!(matches!(Multigraph::from_compressed(&[0, 1], &[1]), Err(GraphError::NoSuchVertex { .. })));
    assert_eq!(Multigraph::from_compressed(&[0], &[]).unwrap().vertex_count(), 0);
}

proptest! {
    #[test]
    fn callback_sums_and_iterator_agree(graph in graphs(), most in 0u64..40) {
        let listed: Vec<Cycle> = elementary_cycles(&graph).collect();
        let weights: Vec<i64> = (0..graph.edge_count() as i64).map(|edge| edge * edge % 7 - 3).collect();
        let mut called = Vec::new();
        let summary = Enumeration::of(&graph).for_each_sum(&Weights(&weights), |edges, &sum| {
            assert_eq!(sum, edges.iter().map(|edge| weights[edge.index()]).sum::<i64>());
            called.push(Cycle { edges: edges.to_vec() });
        });
        prop_assert_eq!(&called, &listed);
        prop_assert_eq!((summary.cycles, summary.end), (listed.len() as u64, End::Complete));
        prop_assert_eq!(count(&graph, u128::MAX).cycles, listed.len() as u128);

        let mut first = Vec::new();
        Enumeration::of(&graph).max_cycles(most).for_each(|edges| first.push(Cycle { edges: edges.to_vec() }));
        prop_assert_eq!(&first[..], &listed[..listed.len().min(most as usize)]);

        let mut seen = std::collections::BTreeSet::new();
        let sum = |cycle: &Cycle| cycle.edges.iter().map(|edge| weights[edge.index()]).sum::<i64>();
        let expected: Vec<_> =
            listed.iter().filter(|cycle| seen.insert(sum(cycle))).map(|cycle| (sum(cycle), cycle.clone())).collect();
        prop_assert_eq!(Enumeration::of(&graph).distinct(&Weights(&weights)).values, expected);
    }
}

#[cfg(feature = "rayon")]
mod threads {
    use super::*;

    /// A value from which one can tell in which order which cycles were added: a polynomial in
    /// their edges, with the power to shift what comes before it.
    type Trace = (u64, u64);

    fn add(trace: &mut Trace, edges: &[cycles::EdgeId]) {
        for edge in edges {
            *trace = join(*trace, (edge.index() as u64 + 1, 0x9e37_79b9_7f4a_7c15));
        }
    }

    fn join(first: Trace, second: Trace) -> Trace {
        let sum = first.0.wrapping_mul(second.1).wrapping_add(second.0);
        (sum, first.1.wrapping_mul(second.1))
    }

    fn same_on_threads(graph: &Multigraph) {
        let mut expected = (0, 1);
        Enumeration::of(graph).for_each(|edges| add(&mut expected, edges));
        for threads in [1, 2, 5] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let found = pool.install(|| Enumeration::of(graph).par_fold(|| (0, 1), add, join));
            assert_eq!(found, (expected, End::Complete));
        }
    }

    #[test]
    fn large_graphs_have_the_same_cycles_in_the_same_order() {
        same_on_threads(&complete(9));
        same_on_threads(&thick_ring(18, 2));
        let grid = (0..10 * 10).flat_map(|v| {
            let right = (v % 10 < 9).then_some((v, v + 1));
            right.into_iter().chain((v < 90).then_some((v, v + 10)))
        });
        same_on_threads(&Multigraph::new(100, grid.chain([(99, 0)])).unwrap());
        let pairs = (0..2000).map(|v| (v, v ^ 1));
        same_on_threads(&Multigraph::new(2000, pairs).unwrap());
    }

    #[test]
    fn limits_hold() {
        let graph = complete(8);
        let flag = AtomicBool::new(true);
        assert_eq!(Enumeration::of(&graph).cancel_on(&flag).par_collect().1, End::Cancelled);
        let (some, end) = Enumeration::of(&graph).max_cycles(10).par_collect();
        assert_eq!((some.len(), end), (10, End::CycleLimit));
        let endless = thick_ring(128, 2);
        let (_, end) = Enumeration::of(&endless).time_limit(Duration::from_millis(20)).par_fold(
            || 0u64,
            |count, _| *count += 1,
            |first, second| first + second,
        );
        assert_eq!(end, End::TimeLimit);
    }

    proptest! {
        #[test]
        fn small_graphs_have_the_same_cycles_in_the_same_order(graph in graphs()) {
            let (found, end) = Enumeration::of(&graph).par_collect();
            prop_assert_eq!(end, End::Complete);
            prop_assert_eq!(found, elementary_cycles(&graph).collect::<Vec<_>>());
        }
    }
}
