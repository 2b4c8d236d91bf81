//! Graphs whose elementary cycles are known, and graphs that are too much for a careless search.

use cycles::{Count, Multigraph, bounded, count, elementary_cycles};
use petgraph::csr::Csr;
use petgraph::graph::DiGraph;
use petgraph::visit::Reversed;

/// A size at which one stack frame per vertex overflows the stack of a test thread (2 MiB).
const LONG: usize = 100_000;

fn graph(vertex_count: usize, edges: impl IntoIterator<Item = (usize, usize)>) -> Multigraph {
    Multigraph::new(vertex_count, edges).expect("a well-formed graph")
}

/// Every vertex has an edge to every other.
fn complete(n: usize) -> Multigraph {
    graph(n, (0..n).flat_map(|i| (0..n).filter(move |&j| j != i).map(move |j| (i, j))))
}

/// All cycles, as the positions of their edges.
fn all(graph: &Multigraph) -> Vec<Vec<usize>> {
    elementary_cycles(graph).map(|cycle| cycle.edges.iter().map(|edge| edge.index()).collect()).collect()
}

fn exactly(cycles: usize) -> Count {
    Count { cycles: cycles as u128, complete: true }
}

#[test]
fn complete_digraphs() {
    // For each k from 2 to n, n choose k sets of vertices times (k - 1)! orders.
    let known = [(1, 0), (2, 1), (3, 5), (4, 20), (5, 84), (6, 409), (7, 2365), (8, 16064)];
    for (n, cycles) in known {
        assert_eq!(count(&complete(n), u128::MAX), exactly(cycles), "K{n}");
    }
}

#[test]
fn a_ring_with_doubled_edges_has_two_to_the_n_cycles() {
    for n in 1..=12 {
        let ring = graph(n, (0..2 * n).map(|edge| (edge / 2, (edge / 2 + 1) % n)));
        assert_eq!(count(&ring, u128::MAX), exactly(1 << n), "ring of {n}");
    }
}

#[test]
fn parallel_edges_and_self_loops_are_distinct() {
    assert_eq!(all(&graph(1, [(0, 0), (0, 0)])), [[0], [1]]);
    // Two ways there, three back, and a self-loop at each end.
    let two = graph(2, [(0, 1), (1, 0), (0, 1), (0, 0), (1, 0), (1, 1), (1, 0)]);
    let expected: [&[usize]; 8] = [&[3], &[0, 1], &[0, 4], &[0, 6], &[2, 1], &[2, 4], &[2, 6], &[5]];
    assert_eq!(all(&two), expected);
}

#[test]
fn a_vertex_that_only_leads_to_a_cycle_is_on_none() {
    assert_eq!(all(&graph(3, [(1, 2), (2, 1), (0, 2)])), [[0, 1]]);
}

#[test]
fn graphs_without_cycles() {
    assert_eq!(all(&graph(0, [])).len(), 0);
    assert_eq!(all(&graph(5, [])).len(), 0);
    assert_eq!(all(&graph(4, [(0, 1), (0, 1), (1, 2), (0, 2), (3, 2)])).len(), 0);
    assert_eq!(bounded(&graph(0, []), 0).cycles.len(), 0);
}

#[test]
fn two_components_come_by_least_vertex() {
    // 1 -> 3 -> 1 and 0 -> 2 -> 4 -> 0 with a chord, and an edge across.
    let edges = [(1, 3), (3, 1), (0, 2), (2, 4), (4, 0), (2, 0), (0, 1)];
    let expected: [&[usize]; 3] = [&[2, 5], &[2, 3, 4], &[0, 1]];
    assert_eq!(all(&graph(5, edges)), expected);
}

#[test]
fn roots_of_late_components_interleave() {
    // Without 0 the first component falls apart into {1, 4} and {2, 5}, with {3, 6} a component by
    // itself.
    let edges = [(3, 6), (6, 3), (2, 5), (5, 2), (1, 4), (4, 1), (0, 1), (4, 2), (5, 0)];
    let expected: [&[usize]; 4] = [&[6, 4, 7, 2, 8], &[4, 5], &[2, 3], &[0, 1]];
    assert_eq!(all(&graph(7, edges)), expected);
}

#[test]
fn a_long_ring_has_one_cycle() {
    let ring = graph(LONG, (0..LONG).map(|i| (i, (i + 1) % LONG)));
    let found = bounded(&ring, 2);
    assert!(found.complete);
    assert_eq!(found.cycles.len(), 1);
    assert_eq!(found.cycles[0].length(), LONG);
    // Against the order of the vertices: the search and petgraph's passes meet them the other way
    // round.
    let ring = graph(LONG, (0..LONG).map(|i| ((i + 1) % LONG, i)));
    assert_eq!(count(&ring, u128::MAX), exactly(1));
}

#[test]
fn a_long_chain_has_none() {
    assert_eq!(count(&graph(LONG, (1..LONG).map(|i| (i - 1, i))), 1), exactly(0));
    assert_eq!(count(&graph(LONG, (1..LONG).map(|i| (i, i - 1))), 1), exactly(0));
}

#[test]
fn a_long_chain_of_waiting_vertices_is_unblocked() {
    // From 0 by way of 1 to the end of a long chain, which leads back to 1 only; the edge 1 -> 0
    // comes last, so that the whole chain waits for 1 when 1 is unblocked.
    let n = LONG;
    let chain = (1..n - 1).map(|i| (i, i + 1));
    let edges = [(0, 1)].into_iter().chain(chain).chain([(n - 1, 1), (1, 0)]);
    assert_eq!(count(&graph(n, edges), u128::MAX), exactly(2));
}

#[test]
fn many_small_components_cost_no_pass_over_the_graph_each() {
    let pairs = (0..LONG).map(|i| (i, i ^ 1));
    assert_eq!(count(&graph(LONG, pairs), u128::MAX), exactly(LONG / 2));
    assert_eq!(count(&graph(LONG, (0..LONG).map(|i| (i, i))), u128::MAX), exactly(LONG));
}

#[test]
fn the_first_cycles_of_a_large_complete_graph_come_at_once() {
    // K30 has more than 10^30 cycles.
    let graph = complete(30);
    assert_eq!(elementary_cycles(&graph).take(10).count(), 10);
    assert_eq!(count(&graph, 1000), Count { cycles: 1000, complete: false });
}

#[test]
fn exponentially_many_dead_ends_are_not_walked() {
    // A ladder of diamonds: from corner i over one of two sides to corner i + 1, and straight back.
    // There are 2^60 paths from corner 0 to the last, all within one component, but only two cycles
    // per diamond.
    let diamonds = 60;
    let edges = (0..diamonds).flat_map(|i| {
        let (near, left, right, far) = (3 * i, 3 * i + 1, 3 * i + 2, 3 * i + 3);
        [(near, left), (near, right), (left, far), (right, far), (far, near)]
    });
    let ladder = graph(3 * diamonds + 1, edges);
    assert_eq!(count(&ladder, u128::MAX), exactly(2 * diamonds));

    // The same with parallel edges for the sides.
    let edges = (0..diamonds).flat_map(|i| [(i, i + 1), (i, i + 1), (i + 1, i)]);
    assert_eq!(count(&graph(diamonds + 1, edges), u128::MAX), exactly(2 * diamonds));
}

#[test]
fn graphs_of_petgraph_lead_back_to_its_edges() {
    let mut parallel = DiGraph::<(), &str>::new();
    let (a, b) = (parallel.add_node(()), parallel.add_node(()));
    parallel.extend_with_edges([(b, a, "back"), (a, b, "over"), (a, b, "under")]);
    let imported = Multigraph::from_petgraph(&parallel).unwrap();
    let names = |cycle| imported.originals(&cycle).map(|edge| parallel[edge]).collect::<Vec<_>>();
    let found: Vec<_> = elementary_cycles(&imported.graph).map(names).collect();
    assert_eq!(found, [["over", "back"], ["under", "back"]]);

    let reversed = Multigraph::from_petgraph(Reversed(&parallel)).unwrap();
    assert_eq!(count(&reversed.graph, u128::MAX), exactly(2));

    let compact = Csr::<(), ()>::from_sorted_edges(&[(0, 1), (1, 2), (2, 0), (2, 1)]).unwrap();
    let imported = Multigraph::from_petgraph(&compact).unwrap();
    let found: Vec<_> = elementary_cycles(&imported.graph).map(|cycle| cycle.length()).collect();
    assert_eq!(found, [3, 2]);
}
