//! Random small multigraphs against enumerations that are too simple to be wrong.

use std::collections::BTreeSet;

use cycles::{Multigraph, bounded, count, elementary_cycles};
use proptest::prelude::*;

type Edge = (usize, usize);

/// The number of vertices and the edges of a multigraph.
fn multigraph(vertices: usize, edges: usize) -> impl Strategy<Value = (usize, Vec<Edge>)> {
    (1..=vertices).prop_flat_map(move |n| (Just(n), prop::collection::vec((0..n, 0..n), 0..=edges)))
}

fn all((n, edges): &(usize, Vec<Edge>)) -> Vec<Vec<usize>> {
    let graph = Multigraph::new(*n, edges.iter().copied()).expect("a well-formed graph");
    elementary_cycles(&graph).map(|cycle| cycle.edges.iter().map(|edge| edge.index()).collect()).collect()
}

/// The set of edges `subset` (bit i for edge i) as an elementary cycle from its least vertex on, if
/// it is one: every vertex has at most one edge out, and following them from one vertex goes
/// through all.
fn as_cycle(edges: &[Edge], subset: usize) -> Option<Vec<usize>> {
    let members: Vec<usize> = (0..edges.len()).filter(|edge| subset >> edge & 1 == 1).collect();
    let start = members.iter().map(|&edge| edges[edge].0).min()?;
    let mut cycle = Vec::new();
    let mut at = start;
    loop {
        let mut leaving = members.iter().filter(|&&edge| edges[edge].0 == at);
        let (Some(&edge), None) = (leaving.next(), leaving.next()) else {
            return None;
        };
        if cycle.contains(&edge) {
            return None;
        }
        cycle.push(edge);
        at = edges[edge].1;
        if at == start {
            return (cycle.len() == members.len()).then_some(cycle);
        }
    }
}

/// All cycles by trying all sets of edges.
fn by_subsets(edges: &[Edge]) -> BTreeSet<Vec<usize>> {
    (1..1usize << edges.len()).filter_map(|subset| as_cycle(edges, subset)).collect()
}

/// All cycles with least vertex `path[0]`, by trying all paths.
fn by_paths(edges: &[Edge], path: &mut Vec<usize>, taken: &mut Vec<usize>, found: &mut Vec<Vec<usize>>) {
    for (edge, &(source, target)) in edges.iter().enumerate() {
        if source != path[path.len() - 1] || target < path[0] {
            continue;
        }
        taken.push(edge);
        if target == path[0] {
            found.push(taken.clone());
        } else if !path.contains(&target) {
            path.push(target);
            by_paths(edges, path, taken, found);
            path.pop();
        }
        taken.pop();
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(10_000))]

    #[test]
    fn the_cycles_are_those_of_all_sets_of_edges(graph in multigraph(6, 12)) {
        let found = all(&graph);
        let set: BTreeSet<_> = found.iter().cloned().collect();
        prop_assert_eq!(set.len(), found.len(), "a cycle came twice");
        prop_assert_eq!(set, by_subsets(&graph.1));
    }

    #[test]
    fn each_is_closed_elementary_and_starts_at_its_least_vertex(graph in multigraph(6, 12)) {
        for cycle in all(&graph) {
            let edges: Vec<Edge> = cycle.iter().map(|&edge| graph.1[edge]).collect();
            for (i, edge) in edges.iter().enumerate() {
                prop_assert_eq!(edge.1, edges[(i + 1) % edges.len()].0);
            }
            let vertices: BTreeSet<usize> = edges.iter().map(|edge| edge.0).collect();
            prop_assert_eq!(vertices.len(), edges.len());
            prop_assert_eq!(vertices.first(), Some(&edges[0].0));
        }
    }

    #[test]
    fn the_order_is_the_documented_one(graph in multigraph(9, 24)) {
        let found = all(&graph);
        prop_assert_eq!(&found, &all(&graph));
        let mut expected = Vec::new();
        for root in 0..graph.0 {
            by_paths(&graph.1, &mut vec![root], &mut Vec::new(), &mut expected);
        }
        // By the vertices, and for the same vertices by the edges.
        expected.sort_by_cached_key(|cycle| {
            let vertices: Vec<usize> = cycle.iter().map(|&edge| graph.1[edge].0).collect();
            (vertices, cycle.clone())
        });
        prop_assert_eq!(found, expected);
    }

    #[test]
    fn names_of_vertices_do_not_matter(
        (graph, names) in multigraph(8, 20).prop_flat_map(|graph| {
            let names = Just((0..graph.0).collect::<Vec<_>>()).prop_shuffle();
            (Just(graph), names)
        }),
    ) {
        let renamed = (graph.0, graph.1.iter().map(|&(from, to)| (names[from], names[to])).collect());
        // As sets of edges, since the first edge of a cycle depends on the names.
        let sets = |cycles: Vec<Vec<usize>>| -> BTreeSet<BTreeSet<usize>> {
            cycles.into_iter().map(|cycle| cycle.into_iter().collect()).collect()
        };
        prop_assert_eq!(sets(all(&graph)), sets(all(&renamed)));
    }

    #[test]
    fn a_limit_cuts_the_same_list_short(graph in multigraph(6, 14), limit in 0usize..12) {
        let cycles: Vec<_> = {
            let graph = Multigraph::new(graph.0, graph.1.iter().copied()).unwrap();
            elementary_cycles(&graph).collect()
        };
        let graph = Multigraph::new(graph.0, graph.1).unwrap();
        let some = bounded(&graph, limit);
        prop_assert_eq!(&some.cycles[..], &cycles[..limit.min(cycles.len())]);
        prop_assert_eq!(some.complete, cycles.len() <= limit);
        let counted = count(&graph, limit as u128);
        prop_assert_eq!((counted.cycles, counted.complete), (some.cycles.len() as u128, some.complete));
    }
}
