//! Tests that all forms of the search give the same cycles, and of the number of steps they take.

use std::ops::ControlFlow;

use proptest::prelude::*;

use crate::enumerate::ElementaryCycles;
use crate::graph::{EdgeId, Multigraph};
use crate::path::Path;
use crate::roots::Roots;
use crate::search::{Choice, Fuel, Search, Status, Visitor};
use crate::small::Patience;

/// Memoised tails from the beginning, never given up.
const KEPT: Choice = patient(true, u64::MAX);

const FORMS: [Choice; 8] = [
    Choice::Best,
    Choice::Narrowest,
    Choice::Medium,
    KEPT,
    patient(false, u64::MAX),
    // Given up after a few queries, as tails exist from three points on.
    patient(true, 2),
    Choice::Large,
    Choice::Short(usize::MAX),
];

/// The forms whose number of steps is bounded by the cycles.
const LINEAR: [Choice; 5] = [Choice::Best, Choice::Narrowest, Choice::Medium, KEPT, Choice::Large];

const fn patient(is_narrow: bool, looks: u64) -> Choice {
    Choice::Patient { is_narrow, patience: Patience { steps: 0, looks } }
}

fn graphs(vertices: usize, edges: usize) -> impl Strategy<Value = Multigraph> {
    (1..=vertices)
        .prop_flat_map(move |n| (Just(n), prop::collection::vec((0..n, 0..n), 0..=edges)))
        .prop_map(|(n, edges)| Multigraph::new(n, edges).unwrap())
}

/// Edges that go forward, and one from the last vertex back to the first: acyclic without the root,
/// with many cycles, so that tails are used. Parallel edges are rare, as tails with such edges are
/// not stored.
fn forward() -> impl Strategy<Value = Multigraph> {
    let edges = |n: usize| prop::collection::btree_set((0..n - 1, 1..n), n..=5 * n);
    let parallel = prop::collection::vec(any::<prop::sample::Index>(), 0..2);
    (6..=20usize).prop_flat_map(edges).prop_flat_map(move |edges| (Just(edges), parallel.clone())).prop_map(
        |(edges, parallel)| {
            let last = edges.iter().map(|edge| edge.1).max().unwrap_or(1);
            let mut all: Vec<_> = edges.into_iter().filter(|(from, to)| from < to).collect();
            // Every vertex is on a way from the first to the last.
            all.extend((0..last).map(|at| (at, at + 1)));
            all.extend(parallel.iter().map(|edge| *edge.get(&all)).collect::<Vec<_>>());
            all.push((last, 0));
            Multigraph::new(last + 1, all).unwrap()
        },
    )
}

/// Checks that all forms give the same cycles, including those with a limited length.
fn agree(graph: &Multigraph) -> Result<(), TestCaseError> {
    let all = |choice| ElementaryCycles::new(graph, choice).take(2_000).collect::<Vec<_>>();
    let expected = all(Choice::Large);
    for form in FORMS {
        prop_assert_eq!(&all(form), &expected, "{:?}", form);
    }
    for longest in 0..4 {
        let short: Vec<_> = expected.iter().filter(|cycle| cycle.length() <= longest).cloned().collect();
        prop_assert!(all(Choice::Short(longest)).starts_with(&short), "at most {} edges", longest);
    }
    Ok(())
}

/// A graph with edges that look random, the same each time.
fn scattered(vertices: u64, edges: usize, mut seed: u64) -> Multigraph {
    let mut next = || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from((seed >> 33) % vertices).unwrap()
    };
    let edges: Vec<_> = (0..edges).map(|_| (next(), next())).collect();
    Multigraph::new(usize::try_from(vertices).unwrap(), edges).unwrap()
}

/// Keeps the first way of each path.
struct Keep(Vec<Vec<EdgeId>>);

impl Visitor for Keep {
    fn visit(&mut self, path: &mut Path) -> ControlFlow<()> {
        self.0.push(path.edges().to_vec());
        ControlFlow::Continue(())
    }
}

/// The paths of all searches, each of which splits off half after the given number of steps; never,
/// if `None`.
fn paths(graph: &Multigraph, choice: Choice, steps: Option<u32>) -> Vec<Vec<EdgeId>> {
    let mut roots = Roots::new(graph, choice);
    let mut found = Keep(Vec::new());
    let mut open: Vec<Search> = Vec::new();
    while let Some(mut search) = open.pop().or_else(|| roots.next_search()) {
        let variants = &roots.classes().variants;
        while search.run(variants, &mut Fuel::new(steps.unwrap_or(1000)), &mut found) == Status::Paused {
            if steps.is_some()
                && let Some(gift) = search.split()
            {
                open.push(gift);
            }
        }
    }
    found.0
}

/// The number of cycles of classes, and of steps for them, of all roots.
fn steps(graph: &Multigraph, choice: Choice) -> (u64, u64) {
    let mut roots = Roots::new(graph, choice);
    let (mut steps, mut found) = (0, Keep(Vec::new()));
    while let Some(mut search) = roots.next_search() {
        loop {
            let mut fuel = Fuel::new(1 << 20);
            let status = search.run(&roots.classes().variants, &mut fuel, &mut found);
            steps += fuel.burnt(1 << 20);
            if status == Status::Done {
                break;
            }
        }
    }
    (found.0.len() as u64, steps)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn all_forms_give_the_same(graph in graphs(8, 22)) {
        agree(&graph)?;
    }

    #[test]
    fn all_forms_give_the_same_on_sparse_graphs(graph in graphs(24, 40)) {
        agree(&graph)?;
    }

    #[test]
    fn all_forms_give_the_same_where_all_goes_forward(graph in forward()) {
        agree(&graph)?;
    }

    #[test]
    fn what_is_given_away_comes_in_its_place_where_all_goes_forward(graph in forward(), fuel in 1u32..40) {
        let whole = paths(&graph, Choice::Large, None);
        prop_assume!(whole.len() < 5_000);
        prop_assert_eq!(paths(&graph, Choice::Best, None), &whole[..]);
        prop_assert_eq!(paths(&graph, Choice::Best, Some(fuel)), whole);
    }

    #[test]
    fn what_is_given_away_comes_in_its_place(graph in graphs(9, 24), fuel in 1u32..40) {
        for form in FORMS {
            let whole = paths(&graph, form, None);
            prop_assume!(whole.len() < 5_000);
            prop_assert_eq!(paths(&graph, form, Some(fuel)), whole, "{:?}", form);
        }
    }

    #[test]
    fn time_is_linear_in_the_output(graph in graphs(14, 40)) {
        let size = (graph.vertex_count() + graph.edge_count()) as u64;
        for form in LINEAR {
            let (cycles, steps) = steps(&graph, form);
            // One for the cycle, one for what follows the last; and each root has one.
            let outputs = cycles + graph.vertex_count() as u64;
            prop_assert!(steps <= 3 * size * outputs, "{steps} steps, {cycles} cycles, {form:?}");
        }
    }
}

#[test]
fn kept_tails_are_the_same_where_there_are_many() {
    for (vertices, edges) in [(40, 100), (36, 90), (30, 86), (70, 150), (22, 84)] {
        for seed in 0..4 {
            let graph = scattered(vertices, edges, seed);
            let all = |choice| ElementaryCycles::new(&graph, choice);
            let mut expected = all(Choice::Large);
            let mut others = [all(Choice::Best), all(KEPT), all(patient(false, u64::MAX))];
            for number in 0..60_000 {
                let Some(cycle) = expected.next_edges() else { break };
                for other in &mut others {
                    assert_eq!(other.next_edges(), Some(cycle), "{vertices}, {edges}, {seed}: {number}");
                }
            }
        }
    }
}

#[test]
fn kept_tails_save_steps_where_they_come_again() {
    // A ring of squares of all edges: what is left of the way is the same for all ways to get
    // there.
    let inside = (0..16).filter(|at| at / 4 != at % 4).map(|at| (at / 4, at % 4));
    let edges = (0..4).flat_map(|i| {
        let inside = inside.clone().map(move |(from, to)| (4 * i + from, 4 * i + to));
        inside.chain([(4 * i + 3, 4 * (i + 1) % 16)])
    });
    let graph = Multigraph::new(16, edges).unwrap();
    let ((cycles, before), (same, after)) = (steps(&graph, Choice::Large), steps(&graph, KEPT));
    assert_eq!(cycles, same);
    assert!(2 * after < before, "{after} steps instead of {before} for {cycles} cycles");
}

/// Diamonds in a row, and straight back from each to the one before: 2^n paths down, 2n cycles.
fn diamonds(n: usize, with_back_edges: bool) -> Multigraph {
    let edges = (0..n).flat_map(|i| {
        let (near, far) = (3 * i, 3 * i + 3);
        let sides = [(near, near + 1), (near, near + 2), (near + 1, far), (near + 2, far)];
        sides.into_iter().chain(with_back_edges.then_some((far, near)))
    });
    Multigraph::new(3 * n + 1, edges).unwrap()
}

/// As [`diamonds`], but each corner has a second way back, so that nothing can be foreseen by
/// passing vertices; and a complete graph hangs at the end, with one way back to the corner before
/// it.
fn trap(n: usize, tail: usize) -> Multigraph {
    let ladder = diamonds(n, true);
    let edges: Vec<_> = ladder.ends().map(|(from, to)| (from.index(), to.index())).collect();
    let last = 3 * n;
    let inside = (0..tail).flat_map(|a| (0..tail).filter(move |&b| a != b).map(move |b| (a, b)));
    let inside = inside.map(|(a, b)| (last + a, last + b));
    let skips = (1..n).map(|i| (3 * i + 3, 3 * i - 3));
    Multigraph::new(last + tail, edges.into_iter().chain(inside).chain(skips)).unwrap()
}

#[test]
fn few_cycles_and_many_paths_take_few_steps() {
    for n in [10, 20, 40, 80] {
        let graph = diamonds(n, true);
        let size = (graph.vertex_count() + graph.edge_count()) as u64;
        for form in LINEAR {
            let (cycles, steps) = steps(&graph, form);
            assert_eq!(cycles, 2 * n as u64);
            // Each root sees what is left of the graph: linear in the cycles times the graph, with
            // a small factor.
            assert!(steps <= cycles * size, "{n} diamonds: {steps} steps, {form:?}");
        }
    }
}

#[test]
fn a_part_without_a_way_back_is_walked_once_per_cycle() {
    // K8 at the end has 16 064 cycles of its own and 8! paths, which are of no use from the roots
    // before it.
    for n in [4, 8, 16] {
        let graph = trap(n, 8);
        let size = (graph.vertex_count() + graph.edge_count()) as u64;
        let (all, of_complete) = (paths(&graph, Choice::Narrowest, None).len() as u64, 16_064);
        for form in LINEAR {
            let (cycles, steps) = steps(&graph, form);
            assert_eq!(cycles, all);
            assert!(cycles >= of_complete);
            assert!(
                steps <= 2 * of_complete * 8 + 3 * (cycles - of_complete + 1) * size,
                "{steps}, {form:?}"
            );
        }
    }
}
