//! The flow form: longest paths in the control-flow graphs for given row weights.
//!
//! With weights w on message types, u on data places and η on entries, a transition t weighs
//! `w·eff(t) + u·d(t) + Σ η(Q)` over the classes Q it creates. Potentials h ≥ 0 of the control
//! states with `weight(t) + h(target) ≤ h(source)` exist iff no cycle has positive weight; the
//! least ones are `h(s)` = the greatest weight of a path from s, and the entry of a class satisfies
//! its column iff `h(initial) ≤ η`. So one pass either finds violated columns (positive cycles, or
//! the longest path from an initial state that weighs more than its entry) or yields the control
//! part of a certificate. No columns are enumerated; all arithmetic is exact.
//!
//! Strongly connected components are processed in reverse topological order; inside one, relaxation
//! runs in alternating directions, `O(V·E)` in the worst case and a few rounds in practice.

mod longest;

use std::sync::OnceLock;

use cfsm_core::ids::{Id, IdMap};
use cfsm_core::system::{ClassId, StateId, System, Transition, TransitionId};
use num_bigint::BigInt;
use num_traits::{ToPrimitive, Zero};
use petgraph::graph::DiGraph;

use crate::Property;
use crate::cone::{Behaviour, Column, RowId, data_row, entry_row, gain_row};
use crate::csr::Csr;
use crate::threads;
use longest::{Amount, LongestPaths};

/// The result of checking row weights.
#[derive(Debug)]
pub(crate) enum Separation {
    /// No column is violated; the least state weights for these row weights, without zeros,
    /// ascending.
    Holds(Vec<(StateId, BigInt)>),
    /// Columns with positive weight, at least one.
    Violated(Vec<Column>),
}

/// A transition that the property does not exclude, as an edge of its source.
#[derive(Clone, Copy, Debug)]
struct Step {
    transition: TransitionId,
    /// Index of its target among the states of the class.
    target: u32,
    /// `true` if the transition lies on a cycle.
    inner: bool,
}

/// The control-flow graph of a class; its states are in reverse topological order of their
/// components.
#[derive(Clone, Copy)]
struct ClassGraph<'a> {
    /// Maps each state to its component.
    component: &'a [u32],
    /// Maps each state to the start of its steps, counted from the first entry; one more entry at
    /// the end.
    starts: &'a [u32],
    steps: &'a [Step],
}

/// The control-flow graphs of a system, ordered for longest-path computations.
#[derive(Debug)]
pub(crate) struct FlowGraph<'a> {
    system: &'a System,
    /// Maps each transition to its changes of the rows.
    changes: Csr<TransitionId, (RowId, i64)>,
    /// Maps each class to its states, each component before those that lead to it.
    states: Csr<ClassId, StateId>,
    /// Maps each state in this order to its component.
    component: Vec<u32>,
    /// Maps each state in this order to the start of its steps; one more entry at the end.
    starts: Vec<u32>,
    steps: Vec<Step>,
    /// Maps each state to its component.
    component_of: IdMap<StateId, u32>,
    /// Maps each class to the index of its initial state.
    initial: IdMap<ClassId, u32>,
    /// Maps each row to the classes with a transition that changes it.
    touching: OnceLock<Csr<RowId, ClassId>>,
}

/// Number of steps from which classes are processed in parallel.
const MANY_STEPS: usize = 20_000;

impl<'a> FlowGraph<'a> {
    /// Builds the graphs without the transitions that the property excludes. Time linear in the
    /// system.
    pub fn new(system: &'a System, property: &dyn Property) -> Self {
        let takes_part: IdMap<TransitionId, bool> =
            system.transitions.ids().map(|id| !property.excludes(system, id)).collect();
        let (order, component_of) = components(system, &takes_part);
        let by_class: Vec<_> = order.into_iter().map(|state| (system.states[state].class, state)).collect();
        let states = Csr::sorted(system.classes.len(), &by_class);
        let mut place = IdMap::filled(0u32, system.states.len());
        for class in system.classes.ids() {
            (0..).zip(states.of(class)).for_each(|(at, &state)| place[state] = at);
        }
        let leaving = system.transitions.iter().filter(|(id, _)| takes_part[*id]);
        let leaving: Vec<_> = leaving.map(|(id, transition)| (transition.source, id)).collect();
        let leaving = Csr::sorted(system.states.len(), &leaving);
        let mut steps = Vec::with_capacity(leaving.items().len());
        let mut starts = vec![0];
        for &state in states.items() {
            steps.extend(leaving.of(state).iter().map(|&transition| {
                let target = system.transitions[transition].target;
                let inner = component_of[state] == component_of[target];
                Step { transition, target: place[target], inner }
            }));
            starts.push(u32::try_from(steps.len()).expect("fewer than 2^32 transitions"));
        }
        let component = states.items().iter().map(|&state| component_of[state]).collect();
        let initial = system.classes.values().map(|class| place[class.initial]).collect();
        let changes = changes(system, property);
        Self {
            system,
            changes,
            states,
            component,
            starts,
            steps,
            component_of,
            initial,
            touching: OnceLock::new(),
        }
    }

    /// The transitions that the property does not exclude.
    pub fn transitions(&self) -> impl Iterator<Item = TransitionId> + '_ {
        self.steps.iter().map(|step| step.transition)
    }

    /// The changes of the rows by a transition, without zeros.
    pub fn changes(&self, transition: TransitionId) -> &[(RowId, i64)] {
        self.changes.of(transition)
    }

    /// Returns `true` if a transition lies on a cycle of its control-flow graph.
    pub fn on_cycle(&self, transition: TransitionId) -> bool {
        let Transition { source, target, .. } = &self.system.transitions[transition];
        self.component_of[*source] == self.component_of[*target]
    }

    /// The column of a behaviour of this system.
    pub fn column(&self, behaviour: Behaviour) -> Column {
        let (entry, steps) = match &behaviour {
            Behaviour::Cycle(steps) => (None, steps),
            Behaviour::Path(class, steps) => (Some((entry_row(self.system, *class), -1)), steps),
        };
        let changes = steps.iter().flat_map(|&step| self.changes.of(step));
        let changes = changes.map(|&(row, change)| (row, i128::from(change))).chain(entry).collect();
        Column::new(changes, behaviour)
    }

    fn class(&self, class: ClassId) -> ClassGraph<'_> {
        let states = self.states.range(class);
        let starts = &self.starts[states.start..=states.end];
        let steps = &self.steps[starts[0] as usize..starts[starts.len() - 1] as usize];
        ClassGraph { component: &self.component[states], starts, steps }
    }

    /// Maps each row to the classes with a transition that changes it, ascending.
    pub fn touching(&self) -> &Csr<RowId, ClassId> {
        self.touching.get_or_init(|| {
            let mut pairs: Vec<(RowId, ClassId)> = Vec::new();
            for class in self.system.classes.ids() {
                let steps = self.class(class).steps.iter();
                let before = pairs.len();
                let rows = steps.flat_map(|step| self.changes.of(step.transition));
                pairs.extend(rows.map(|&(row, _)| (row, class)));
                pairs[before..].sort_unstable();
            }
            pairs.dedup();
            Csr::sorted(gain_row(self.system).index() + 1, &pairs)
        })
    }

    /// The classes in which some weight is not 0, ascending; in all others no path has positive
    /// weight.
    fn concerned(&self, weights: &[BigInt]) -> Vec<ClassId> {
        let mut concerned = IdMap::filled(false, self.system.classes.len());
        for at in (0..weights.len()).filter(|&at| !weights[at].is_zero()) {
            self.touching().of(RowId::new(at)).iter().for_each(|&class| concerned[class] = true);
        }
        concerned.iter().filter(|(_, concerned)| **concerned).map(|(class, _)| class).collect()
    }

    /// See [`crate::cone::Cone`]. Time linear in the rows and in the classes in which some weight
    /// is not 0, apart from relaxation within strongly connected components.
    pub fn separate(&self, weights: &[BigInt], free: &IdMap<ClassId, bool>) -> Separation {
        let tiny: Option<Vec<i64>> = weights.iter().map(ToPrimitive::to_i64).collect();
        let small: Option<Vec<i128>> = weights.iter().map(ToPrimitive::to_i128).collect();
        let in_class = |class: &ClassId| {
            if let Some(steps) = tiny.as_ref().and_then(|weights| self.tiny_steps(*class, weights)) {
                self.settle::<i64>(*class, &steps, weights, free)
            } else if let Some(steps) = small.as_ref().and_then(|weights| self.small_steps(*class, weights)) {
                self.settle::<i128>(*class, &steps, weights, free)
            } else {
                self.settle::<BigInt>(*class, &self.big_steps(*class, weights), weights, free)
            }
        };
        let classes = self.concerned(weights);
        let steps: usize = classes.iter().map(|&class| self.class(class).steps.len()).sum();
        let found: Vec<Separation> = if steps < MANY_STEPS {
            classes.iter().map(in_class).collect()
        } else {
            threads::map(classes.iter().collect(), in_class)
        };
        let (mut heights, mut violated) = (Vec::new(), Vec::new());
        for separation in found {
            match separation {
                Separation::Holds(mut more) => heights.append(&mut more),
                Separation::Violated(mut more) => violated.append(&mut more),
            }
        }
        if !violated.is_empty() {
            return Separation::Violated(violated);
        }
        heights.sort_unstable_by_key(|entry| entry.0);
        Separation::Holds(heights)
    }

    /// The weight of each step of a class, if the sum of their absolute values is less than 2^126:
    /// no path or cycle considered here repeats a transition, so this bounds every sum of weights.
    fn small_steps(&self, class: ClassId, weights: &[i128]) -> Option<Vec<i128>> {
        let mut room: i128 = 1 << 126;
        let mut of_step = |step: &Step| {
            self.changes.of(step.transition).iter().try_fold(0i128, |sum, &(row, change)| {
                let product = weights[row.index()].checked_mul(change.into())?;
                room = room.checked_sub(product.checked_abs()?).filter(|&room| room > 0)?;
                Some(sum + product)
            })
        };
        self.class(class).steps.iter().map(&mut of_step).collect()
    }

    /// The same with 2^62, which mostly suffices. Lengths stay below twice that sum: a round of
    /// relaxation prepends different steps to paths without repetitions, and if a step is repeated
    /// in this way, the round is the last one.
    fn tiny_steps(&self, class: ClassId, weights: &[i64]) -> Option<Vec<i64>> {
        let mut room: u64 = 1 << 62;
        let of_steps = self.class(class).steps;
        let mut steps = Vec::with_capacity(of_steps.len());
        for step in of_steps {
            let mut sum = 0;
            for &(row, change) in self.changes.of(step.transition) {
                let product = weights[row.index()].checked_mul(change)?;
                room = room.checked_sub(product.unsigned_abs())?;
                sum += product;
            }
            steps.push(sum);
        }
        (room > 0).then_some(steps)
    }

    /// The weight of each step of a class.
    fn big_steps(&self, class: ClassId, weights: &[BigInt]) -> Vec<BigInt> {
        let product = |&(row, change): &(RowId, i64)| &weights[row.index()] * change;
        let of_step = |step: &Step| self.changes.of(step.transition).iter().map(product).sum();
        self.class(class).steps.iter().map(of_step).collect()
    }

    /// Columns of a class that the weights violate; `None` if the computation may overflow 128
    /// bits.
    pub fn violated_in(
        &self,
        class: ClassId,
        weights: &[i128],
        free: &IdMap<ClassId, bool>,
    ) -> Option<Vec<Column>> {
        let steps = self.small_steps(class, weights)?;
        let (paths, cycles) = LongestPaths::settle(self.class(class), &steps);
        let paid = weights[entry_row(self.system, class).index()];
        Some(self.columns(class, &paths, cycles, |height| !free[class] && *height > paid))
    }

    /// The rows that transitions of a class change, possibly with repetitions.
    pub fn rows_in(&self, class: ClassId) -> impl Iterator<Item = RowId> + '_ {
        let steps = self.class(class).steps.iter();
        steps.flat_map(|step| self.changes.of(step.transition)).map(|change| change.0)
    }

    /// The columns of the positive cycles, and of the longest path from the initial state if it is
    /// too long.
    fn columns<T: Amount>(
        &self,
        class: ClassId,
        paths: &LongestPaths<'_, T>,
        cycles: Vec<Vec<TransitionId>>,
        is_too_long: impl Fn(&T) -> bool,
    ) -> Vec<Column> {
        let mut columns: Vec<Column> =
            cycles.into_iter().map(|steps| self.column(Behaviour::Cycle(steps))).collect();
        let initial = self.initial[class] as usize;
        if !paths.open[initial] && is_too_long(&paths.height[initial]) {
            columns.push(self.column(Behaviour::Path(class, paths.walk(initial, false))));
        }
        columns
    }

    fn settle<T: Amount>(
        &self,
        class: ClassId,
        steps: &[T],
        weights: &[BigInt],
        free: &IdMap<ClassId, bool>,
    ) -> Separation {
        let (paths, cycles) = LongestPaths::settle(self.class(class), steps);
        let paid = &weights[entry_row(self.system, class).index()];
        let violated = self.columns(class, &paths, cycles, |height| !free[class] && height.exceeds(paid));
        if !violated.is_empty() {
            return Separation::Violated(violated);
        }
        let heights = self.states.of(class).iter().zip(paths.height);
        Separation::Holds(
            heights
                .filter(|(_, height)| !height.is_zero())
                .map(|(&state, height)| (state, height.into()))
                .collect(),
        )
    }
}

/// Maps each transition to its changes of the rows.
fn changes(system: &System, property: &dyn Property) -> Csr<TransitionId, (RowId, i64)> {
    let of = |(id, transition): (TransitionId, &Transition)| {
        let mut changes: Vec<(RowId, i64)> = Vec::new();
        let effect = transition.effect();
        changes.extend(effect.entries().iter().map(|&(m, change)| (RowId::new(m.index()), change)));
        changes.extend(transition.data.iter().map(|data| (data_row(system, data.place), data.change)));
        changes.extend(transition.creates.iter().map(|&class| (entry_row(system, class), 1)));
        let gain = i64::from(property.gain(system, id));
        changes.extend((gain != 0).then(|| (gain_row(system), gain)));
        changes
    };
    Csr::in_order(system.transitions.iter().map(of))
}

/// The states, each strongly connected component before those that lead to it, and the map from
/// states to components.
fn components(
    system: &System,
    takes_part: &IdMap<TransitionId, bool>,
) -> (Vec<StateId>, IdMap<StateId, u32>) {
    let mut graph = DiGraph::<(), (), u32>::with_capacity(system.states.len(), system.transitions.len());
    for _ in system.states.ids() {
        graph.add_node(());
    }
    let node = |state: StateId| petgraph::graph::NodeIndex::<u32>::new(state.index());
    for (id, transition) in system.transitions.iter() {
        if takes_part[id] {
            graph.add_edge(node(transition.source), node(transition.target), ());
        }
    }
    let mut order = Vec::with_capacity(system.states.len());
    let mut component = IdMap::filled(0, system.states.len());
    // Kosaraju's algorithm is the one that petgraph implements without recursion; its components
    // are in reverse topological order.
    for (number, states) in (0..).zip(petgraph::algo::kosaraju_scc(&graph)) {
        for state in states {
            let state = StateId::new(state.index());
            component[state] = number;
            order.push(state);
        }
    }
    (order, component)
}

#[cfg(test)]
mod tests;
