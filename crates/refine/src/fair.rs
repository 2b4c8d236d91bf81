//! Fair cycles of states.
//!
//! What a run goes through again and again lies in one strongly connected component. If a process
//! can step in each of its states in which control is free, and steps in none of its steps, no
//! cycle in the component is fair, nor in any part of it that has such a state. Otherwise one that
//! comes through all of it is. What is left are cycles without a free state.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use explore::{Move, Run, Semantics, State, Step};
use petgraph::algo::kosaraju_scc;
use petgraph::graph::DiGraph;

/// Where allowed steps lead, per state; and the states.
pub(crate) struct Steps<'a> {
    pub semantics: &'a Semantics,
    pub states: &'a [State],
    pub allowed: &'a [Vec<usize>],
}

/// A cycle of allowed steps: the state where it begins, and what moves.
pub(crate) type Cycle = (usize, Run);

/// A cycle that is weakly fair, if there is one: in the component that comes first in the order of
/// its nearest state.
pub(crate) fn cycle(steps: &Steps<'_>, allows: &impl Fn(&[Move]) -> bool) -> Option<Cycle> {
    let held = |at: usize| steps.states[at].held().is_some();
    let whole = components(steps, |_| true);
    let inside = components(steps, held);
    whole.into_iter().chain(inside).find_map(|members| {
        let component = Component::new(steps, members, allows);
        component.round()
    })
}

/// Strongly connected components of the states that are asked for, each in order, those with nearer
/// states first.
fn components(steps: &Steps<'_>, of: impl Fn(usize) -> bool) -> Vec<Vec<usize>> {
    let mut graph: DiGraph<(), (), usize> = DiGraph::default();
    let nodes: Vec<_> = steps.states.iter().map(|_| graph.add_node(())).collect();
    for (source, targets) in steps.allowed.iter().enumerate().filter(|(source, _)| of(*source)) {
        for &target in targets.iter().filter(|target| of(**target)) {
            graph.add_edge(nodes[source], nodes[target], ());
        }
    }
    let mut components: Vec<Vec<usize>> = kosaraju_scc(&graph)
        .into_iter()
        .map(|nodes| nodes.into_iter().map(petgraph::graph::NodeIndex::index).collect::<Vec<_>>())
        .filter(|members| members.len() > 1 || members.iter().any(|at| steps.allowed[*at].contains(at)))
        .collect();
    components.iter_mut().for_each(|members| members.sort_unstable());
    components.sort_unstable();
    components
}

/// A step inside a component.
struct Edge {
    source: usize,
    target: usize,
    moves: Vec<Move>,
}

struct Component<'a> {
    steps: &'a Steps<'a>,
    members: Vec<usize>,
    edges: Vec<Edge>,
    /// Per state, where its steps are in `edges`.
    leaving: BTreeMap<usize, Vec<usize>>,
}

impl<'a> Component<'a> {
    fn new(steps: &'a Steps<'a>, members: Vec<usize>, allows: &impl Fn(&[Move]) -> bool) -> Self {
        let mut edges: Vec<Edge> = Vec::new();
        let mut leaving: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for &source in &members {
            for Step { moves, errors, after } in steps.semantics.successors(&steps.states[source]) {
                let Some(after) = after.filter(|_| errors.is_empty() && allows(&moves)) else { continue };
                let targets = steps.allowed[source].iter();
                let target = targets.copied().find(|target| steps.states[*target] == after);
                if let Some(target) = target.filter(|target| members.binary_search(target).is_ok()) {
                    leaving.entry(source).or_default().push(edges.len());
                    edges.push(Edge { source, target, moves });
                }
            }
        }
        Self { steps, members, edges, leaving }
    }

    /// A cycle that treats all processes fairly, if there is one.
    fn round(&self) -> Option<Cycle> {
        let states = || self.members.iter().map(|&at| (at, &self.steps.states[at]));
        let ready: Vec<(usize, Option<BTreeSet<usize>>)> =
            states().map(|(at, state)| (at, self.steps.semantics.executable_processes(state))).collect();
        let is_free = ready.iter().any(|(_, ready)| ready.is_some());
        let most = states().map(|(_, state)| state.process_count()).max().unwrap_or_default();
        // Where to come through, and which step to take there.
        let mut stops: BTreeSet<(usize, Option<usize>)> = BTreeSet::new();
        for process in (0..most).filter(|_| is_free) {
            let steps = |edge: &Edge| edge.moves.iter().any(|moved| moved.process == process);
            let moves = self.edges.iter().position(steps).map(|edge| (self.edges[edge].source, Some(edge)));
            let waits = |(at, ready): &(usize, Option<BTreeSet<usize>>)| {
                let waits = ready.as_ref().is_some_and(|ready| !ready.contains(&process));
                waits.then_some((*at, None))
            };
            stops.insert(moves.or_else(|| ready.iter().find_map(waits))?);
        }
        let start = *self.members.first()?;
        let mut run = Run { steps: Vec::new() };
        let mut at = start;
        for (stop, edge) in stops {
            self.go(&mut at, stop, &mut run)?;
            if let Some(edge) = edge {
                self.take(&mut at, edge, &mut run);
            }
        }
        if run.steps.is_empty() {
            self.take(&mut at, *self.leaving.get(&start)?.first()?, &mut run);
        }
        self.go(&mut at, start, &mut run)?;
        Some((start, run))
    }

    fn take(&self, at: &mut usize, edge: usize, run: &mut Run) {
        *at = self.edges[edge].target;
        run.steps.push(self.edges[edge].moves.clone());
    }

    /// Goes on by a shortest way; nowhere, if it is there already.
    fn go(&self, at: &mut usize, to: usize, run: &mut Run) -> Option<()> {
        let mut from: BTreeMap<usize, usize> = BTreeMap::new();
        let mut queue = VecDeque::from([*at]);
        while let Some(node) = queue.pop_front().filter(|node| *node != to) {
            for &edge in self.leaving.get(&node).into_iter().flatten() {
                let target = self.edges[edge].target;
                if target != *at && !from.contains_key(&target) {
                    from.insert(target, edge);
                    queue.push_back(target);
                }
            }
        }
        let mut way = Vec::new();
        let mut node = to;
        while node != *at {
            let edge = *from.get(&node)?;
            way.push(edge);
            node = self.edges[edge].source;
        }
        way.into_iter().rev().for_each(|edge| self.take(at, edge, run));
        Some(())
    }
}
