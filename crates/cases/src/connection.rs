//! Whether the cycles of a process in a counterexample hang together.
//!
//! A process that exists once and runs two cycles for ever goes from one to the other for ever, so what it does in
//! the long run is strongly connected. Cycles that share a state are; so parts of a counterexample inside one
//! process are strongly connected as soon as they are connected.

use std::collections::BTreeSet;

use cfsm_core::ids::IdMap;
use cfsm_core::system::{ClassId, StateId, System, TransitionId};
use ilp_encode::{Behaviour, Combination};

/// States of a class, apart from which the counterexample has others.
pub(crate) struct Part {
    pub(crate) class: ClassId,
    pub(crate) states: BTreeSet<StateId>,
}

impl Part {
    pub(crate) fn contains(&self, state: StateId) -> bool {
        self.states.contains(&state)
    }
}

/// What is needed to find such parts.
pub(crate) struct Connections<'a> {
    system: &'a System,
    /// Per class, whether it has one instance at most in every run.
    single: IdMap<ClassId, bool>,
}

impl<'a> Connections<'a> {
    pub(crate) fn new(system: &'a System) -> Self {
        Self { system, single: certify::single_classes(system) }
    }

    /// The first class with cycles that do not hang together, and a part of its states with some of them: a strongly
    /// connected component of what may fire, or, if that has them all, the states of some.
    pub(crate) fn broken(
        &self,
        combination: &Combination,
        fires: &IdMap<TransitionId, bool>,
    ) -> Option<Part> {
        self.single.iter().filter(|(_, single)| **single).find_map(|(class, _)| {
            let groups = self.groups(combination, class);
            let [first, _, ..] = groups.as_slice() else { return None };
            let component = self.component(*first.first()?, fires);
            let has_all = groups.iter().all(|group| group.is_subset(&component));
            let states = if has_all { first.clone() } else { component };
            Some(Part { class, states })
        })
    }

    /// The states of the cycles of a class, those of cycles that hang together in one set.
    fn groups(&self, combination: &Combination, class: ClassId) -> Vec<BTreeSet<StateId>> {
        let mut groups: Vec<BTreeSet<StateId>> = Vec::new();
        for (behaviour, _) in &combination.parts {
            let (Behaviour::Cycle(steps) | Behaviour::Path(_, steps)) = behaviour;
            let in_class = steps.first().is_some_and(|&step| self.system.class_of(step) == class);
            if !in_class {
                continue;
            }
            let mut states: BTreeSet<StateId> =
                steps.iter().map(|&step| self.system.transitions[step].source).collect();
            groups.retain(|group| {
                let apart = group.is_disjoint(&states);
                if !apart {
                    states.extend(group);
                }
                apart
            });
            groups.push(states);
        }
        groups
    }

    /// The strongly connected component of a state.
    fn component(&self, state: StateId, fires: &IdMap<TransitionId, bool>) -> BTreeSet<StateId> {
        let edges = self.system.transitions.iter().filter(|(id, _)| fires[*id]);
        let edges: Vec<_> = edges.map(|(_, transition)| (transition.source, transition.target)).collect();
        let forwards = reachable(state, &edges);
        let edges: Vec<_> = edges.into_iter().map(|(source, target)| (target, source)).collect();
        reachable(state, &edges).intersection(&forwards).copied().collect()
    }
}

/// The states that a state leads to, itself included.
fn reachable(state: StateId, edges: &[(StateId, StateId)]) -> BTreeSet<StateId> {
    let mut seen = BTreeSet::from([state]);
    let mut stack = vec![state];
    let mut sorted = edges.to_vec();
    sorted.sort_unstable();
    while let Some(source) = stack.pop() {
        let first = sorted.partition_point(|edge| edge.0 < source);
        for &(_, target) in sorted[first..].iter().take_while(|edge| edge.0 == source) {
            if seen.insert(target) {
                stack.push(target);
            }
        }
    }
    seen
}
