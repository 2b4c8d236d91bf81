//! The walk along all acyclic paths, on graphs and on hierarchical machines.

use std::collections::BTreeSet;

use cycles::{
    Hierarchy, HierarchyError, Machine, Multigraph, StartedAt, VertexId, Walked, elementary_cycles, walk,
};
use proptest::prelude::*;

/// The cycles that a walk finds, each with the path it was found on, closed.
fn found(machine: &impl Machine) -> Vec<(Vec<usize>, Vec<usize>)> {
    let mut cycles = Vec::new();
    walk(machine, |found| {
        if let Walked::Cycle { path, cycle } = found {
            assert!(path.ends_with(&cycle[..cycle.len() - 1]));
            let ids = |edges: &[cycles::EdgeId]| edges.iter().map(|edge| edge.index()).collect::<Vec<_>>();
            cycles.push((ids(&[path, &cycle[cycle.len() - 1..]].concat()), ids(cycle)));
        }
    });
    cycles
}

#[test]
fn the_display_of_a_device_has_six_cycles() {
    // Example 13.1 of the thesis (2008). The states: a start (0), standby (1), and active (2),
    // inside of which there are a start (3), the main menu (4), the phone book (5) and the music
    // player (6). Transition t1 of the thesis is number 0 here, and so on.
    let parents = [None, None, None, Some(2), Some(2), Some(2), Some(2)];
    let transitions = [(0, 1), (1, 2), (2, 1), (3, 4), (4, 5), (5, 4), (4, 6), (6, 4)];
    let device = Hierarchy::new(&parents, &[(2, 3)], transitions, 0).unwrap();
    let expected: [(&[usize], &[usize]); 6] = [
        (&[1, 2, 3], &[2, 3]),
        (&[1, 2, 4, 3], &[2, 4, 3]),
        (&[1, 2, 4, 5, 3], &[2, 4, 5, 3]),
        (&[1, 2, 4, 5, 6], &[5, 6]),
        (&[1, 2, 4, 7, 3], &[2, 4, 7, 3]),
        (&[1, 2, 4, 7, 8], &[7, 8]),
    ];
    let one_more = |ids: &[usize]| ids.iter().map(|id| id + 1).collect::<Vec<_>>();
    let numbered: Vec<_> =
        found(&device).iter().map(|(path, cycle)| (one_more(path), one_more(cycle))).collect();
    let expected: Vec<_> = expected.iter().map(|(path, cycle)| (path.to_vec(), cycle.to_vec())).collect();
    assert_eq!(numbered, expected);
}

#[test]
fn history_leads_back_to_the_last_state_inside() {
    // From outside (0) into a composite state (1) that begins with 2; from 3 inside it out to 4,
    // and in again: to 3.
    let parents = [None, None, Some(1), Some(1), None];
    let transitions = [(0, 1), (2, 3), (3, 4), (4, 1)];
    let machine = Hierarchy::new(&parents, &[(1, 2)], transitions, 0).unwrap();
    assert_eq!(found(&machine), [(vec![0, 1, 2, 3], vec![2, 3])]);
}

#[test]
fn nested_states_have_the_transitions_of_all_around_them() {
    // 0 inside 1 inside 2; both have a way out to 3, which leads to the outer one.
    let parents = [Some(1), Some(2), None, None];
    let machine = Hierarchy::new(&parents, &[(1, 0), (2, 0)], [(1, 3), (2, 3), (3, 2)], 0).unwrap();
    assert_eq!(found(&machine).iter().map(|(_, cycle)| cycle.clone()).collect::<Vec<_>>(), [[0, 2], [1, 2]]);
}

#[test]
fn machines_that_are_none_are_errors() {
    let build = |parents: &[Option<usize>], initial: &[(usize, usize)], start| {
        Hierarchy::new(parents, initial, [], start).unwrap_err()
    };
    assert_eq!(build(&[Some(1), Some(0)], &[], 0), HierarchyError::InsideItself(0));
    assert_eq!(build(&[None, Some(0)], &[], 1), HierarchyError::NoInitialState(0));
    assert_eq!(build(&[None, Some(0)], &[(0, 0)], 1), HierarchyError::NoInitialState(0));
    assert_eq!(build(&[None, Some(0)], &[(0, 1)], 0), HierarchyError::CompositeStart(0));
    assert_eq!(build(&[Some(7)], &[], 0), HierarchyError::NoSuchState(7));
    assert_eq!(build(&[None], &[], 3).to_string(), "there is no state 3");
    let error = Hierarchy::new(&[None], &[], [(0, 9)], 0).unwrap_err();
    assert!(matches!(error, HierarchyError::Graph(_)) && error.to_string().contains("vertex 9"));
}

proptest! {
    #[test]
    fn the_walk_finds_the_cycles_that_can_be_reached(
        (count, edges) in (1usize..6).prop_flat_map(|n| (Just(n), prop::collection::vec((0..n, 0..n), 0..12))),
    ) {
        let graph = Multigraph::new(count, edges.clone()).unwrap();
        let walked: Vec<BTreeSet<usize>> = found(&StartedAt(&graph, VertexId::new(0)))
            .into_iter()
            .map(|(_, cycle)| cycle.into_iter().collect())
            .collect();
        let mut reached = BTreeSet::from([0]);
        for _ in 0..count {
            reached.extend(edges.iter().filter(|edge| reached.contains(&edge.0)).map(|edge| edge.1).collect::<Vec<_>>());
        }
        let expected: BTreeSet<BTreeSet<usize>> = elementary_cycles(&graph)
            .filter(|cycle| cycle.vertices(&graph).all(|vertex| reached.contains(&vertex.index())))
            .map(|cycle| cycle.edges.iter().map(|edge| edge.index()).collect())
            .collect();
        prop_assert_eq!(walked.len(), expected.len(), "a cycle came twice, or not at all");
        prop_assert_eq!(walked.into_iter().collect::<BTreeSet<_>>(), expected);
    }
}
