//! The flow form: for given weights on the rows, longest paths in the control-flow graphs.
//!
//! With weights w on message types, u on data places and η on entries, a transition t weighs
//! `w·eff(t) + u·d(t) + Σ η(Q)` over the classes Q it creates. Potentials h ≥ 0 of the control states with
//! `weight(t) + h(target) ≤ h(source)` exist iff no cycle has positive weight; the least ones are
//! `h(s)` = the greatest weight of a path from s, and a class's entry is paid for iff
//! `h(initial) ≤ η`. So one pass either finds violated columns (positive cycles, or the longest path
//! from an initial state that is worth more than its entry) or yields the control part of a
//! certificate. Nothing is enumerated; all arithmetic is exact.
//!
//! Strongly connected components are settled in reverse topological order; inside one, rounds of
//! relaxation, `O(V·E)` at worst and a few rounds in practice.

use std::ops::{Add, AddAssign};

use cfsm_core::ids::{Id, IdMap};
use cfsm_core::system::{ClassId, StateId, System, Transition, TransitionId};
use num_bigint::BigInt;
use num_traits::{Signed, ToPrimitive, Zero};
use petgraph::graph::DiGraph;

use crate::Property;
use crate::cone::{Behaviour, Column, RowId, data_row, entry_row, gain_row};

/// What weights turned out to be.
#[derive(Debug)]
pub(crate) enum Separation {
    /// No column is violated; the least state weights that go with the row weights.
    Holds(IdMap<StateId, BigInt>),
    /// Columns with positive weight, at least one.
    Violated(Vec<Column>),
}

/// The control-flow graphs of a system, ordered for longest-path computations.
#[derive(Debug)]
pub(crate) struct FlowGraph<'a> {
    system: &'a System,
    /// Per transition, its entries in the rows.
    changes: IdMap<TransitionId, Vec<(RowId, i64)>>,
    /// Per state, the transitions that leave it.
    leaving: IdMap<StateId, Vec<TransitionId>>,
    /// Strongly connected components, each before those that lead to it.
    components: Vec<Vec<StateId>>,
    /// Per state, its component.
    component: IdMap<StateId, usize>,
}

impl<'a> FlowGraph<'a> {
    /// The graphs without the transitions that the property excludes. Time linear in the system.
    pub fn new(system: &'a System, property: &dyn Property) -> Self {
        let changes_of = |(id, transition): (TransitionId, &Transition)| {
            let messages = transition.effect();
            let messages = messages.entries().iter().map(|&(m, change)| (RowId::new(m.index()), change));
            let data = transition.data.iter().map(|data| (data_row(system, data.place), data.change));
            let entries = transition.creates.iter().map(|&class| (entry_row(system, class), 1));
            let gain = i64::from(property.gain(system, id));
            let gain = (gain != 0).then(|| (gain_row(system), gain));
            messages.chain(data).chain(entries).chain(gain).collect()
        };
        let mut leaving = IdMap::filled(Vec::new(), system.states.len());
        let mut graph =
            DiGraph::<(), (), usize>::with_capacity(system.states.len(), system.transitions.len());
        for _ in system.states.ids() {
            graph.add_node(());
        }
        let taking_part = system.transitions.iter().filter(|(id, _)| !property.excludes(system, *id));
        for (id, transition) in taking_part {
            leaving[transition.source].push(id);
            graph.add_edge(transition.source.index().into(), transition.target.index().into(), ());
        }
        // Kosaraju's algorithm is the one that petgraph runs without recursion; its components come in
        // reverse topological order.
        let components: Vec<Vec<StateId>> = petgraph::algo::kosaraju_scc(&graph)
            .into_iter()
            .map(|states| states.into_iter().map(|state| StateId::new(state.index())).collect())
            .collect();
        let mut component = IdMap::filled(0, system.states.len());
        for (number, states) in components.iter().enumerate() {
            states.iter().for_each(|&state| component[state] = number);
        }
        let changes = system.transitions.iter().map(changes_of).collect();
        Self { system, changes, leaving, components, component }
    }

    /// The transitions that take part.
    pub fn transitions(&self) -> impl Iterator<Item = TransitionId> + '_ {
        self.leaving.values().flatten().copied()
    }

    /// Whether a transition, one that takes part, lies on some cycle.
    pub fn on_cycle(&self, transition: TransitionId) -> bool {
        let transition = &self.system.transitions[transition];
        self.component[transition.source] == self.component[transition.target]
    }

    /// The column of a behaviour of this system.
    pub fn column(&self, behaviour: Behaviour) -> Column {
        let (entry, steps) = match &behaviour {
            Behaviour::Cycle(steps) => (None, steps),
            Behaviour::Path(class, steps) => (Some((entry_row(self.system, *class), -1)), steps),
        };
        let changes = steps.iter().flat_map(|&step| &self.changes[step]);
        let changes = changes.map(|&(row, change)| (row, i128::from(change))).chain(entry).collect();
        Column::new(changes, behaviour)
    }

    /// See [`crate::cone::Cone`]. Arithmetic in 128 bits where it provably fits, else in big integers.
    pub fn separate(&self, weights: &[BigInt], free: &IdMap<ClassId, bool>) -> Separation {
        match self.small_steps(weights) {
            Some(steps) => self.separate_in::<i128>(&steps, weights, free),
            None => {
                let of_step = |changes: &Vec<(RowId, i64)>| {
                    changes
                        .iter()
                        .fold(BigInt::zero(), |sum, &(row, change)| sum + &weights[row.index()] * change)
                };
                self.separate_in::<BigInt>(&self.changes.values().map(of_step).collect(), weights, free)
            }
        }
    }

    /// The weight of each transition, if their absolute values add up to less than 2^126: no path or
    /// cycle considered here repeats a transition, so that bounds every sum of weights.
    fn small_steps(&self, weights: &[BigInt]) -> Option<IdMap<TransitionId, i128>> {
        let weights: Vec<i128> = weights.iter().map(ToPrimitive::to_i128).collect::<Option<_>>()?;
        let mut room: i128 = 1 << 126;
        let mut of_step = |changes: &Vec<(RowId, i64)>| {
            changes.iter().try_fold(0i128, |sum, &(row, change)| {
                let product = weights[row.index()].checked_mul(change.into())?;
                room = room.checked_sub(product.checked_abs()?).filter(|&room| room > 0)?;
                Some(sum + product)
            })
        };
        self.changes.values().map(&mut of_step).collect()
    }

    fn separate_in<T: Amount>(
        &self,
        steps: &IdMap<TransitionId, T>,
        weights: &[BigInt],
        free: &IdMap<ClassId, bool>,
    ) -> Separation {
        let mut paths = LongestPaths {
            height: IdMap::filled(T::zero(), self.system.states.len()),
            choice: IdMap::filled(None, self.system.states.len()),
            open: IdMap::filled(false, self.system.states.len()),
        };
        let mut violated = Vec::new();
        for component in &self.components {
            let cycles = paths.settle(self, component, steps);
            violated.extend(cycles.into_iter().map(|steps| self.column(Behaviour::Cycle(steps))));
        }
        for (class, declared) in self.system.classes.iter() {
            let paid = &weights[entry_row(self.system, class).index()];
            let height = &paths.height[declared.initial];
            if !free[class] && !paths.open[declared.initial] && height.exceeds(paid) {
                let steps = paths.path_from(self.system, declared.initial);
                violated.push(self.column(Behaviour::Path(class, steps)));
            }
        }
        if violated.is_empty() {
            Separation::Holds(paths.height.values().map(|height| height.clone().into()).collect())
        } else {
            Separation::Violated(violated)
        }
    }
}

/// What longest paths are measured in.
trait Amount: Clone + Ord + Zero + Into<BigInt> + for<'a> AddAssign<&'a Self> + Add<Output = Self> {
    fn exceeds(&self, other: &BigInt) -> bool;
}

impl Amount for i128 {
    fn exceeds(&self, other: &BigInt) -> bool {
        // What does not fit is above or below everything here, by its sign.
        other.to_i128().map_or(other.is_negative(), |other| *self > other)
    }
}

impl Amount for BigInt {
    fn exceeds(&self, other: &BigInt) -> bool {
        self > other
    }
}

struct LongestPaths<T> {
    /// The greatest weight of a path from the state found so far; at least 0, the empty path's.
    height: IdMap<StateId, T>,
    /// The first step of that path; `None` for the empty one.
    choice: IdMap<StateId, Option<TransitionId>>,
    /// Whether a positive cycle can be reached, so that there is no greatest weight.
    open: IdMap<StateId, bool>,
}

impl<T: Amount> LongestPaths<T> {
    /// Computes the states of one component, all those it leads to being computed. Returns positive
    /// cycles, vertex-disjoint and elementary; if there are any the component's states are open.
    fn settle(
        &mut self,
        graph: &FlowGraph<'_>,
        component: &[StateId],
        steps: &IdMap<TransitionId, T>,
    ) -> Vec<Vec<TransitionId>> {
        let mut open = false;
        let mut inner: Vec<(StateId, TransitionId, StateId)> = Vec::new();
        for &source in component {
            for &step in &graph.leaving[source] {
                let target = graph.system.transitions[step].target;
                if graph.on_cycle(step) {
                    inner.push((source, step, target));
                } else {
                    open |= self.open[target];
                    self.relax(source, step, target, &steps[step]);
                }
            }
        }
        let mut cycles = Vec::new();
        // Where relaxation goes on, sooner or later the choices form a cycle, and any cycle they form
        // has positive weight (they change only when a height grows).
        while inner.iter().fold(false, |changed, &(source, step, target)| {
            self.relax(source, step, target, &steps[step]) || changed
        }) {
            cycles = self.chosen_cycles(graph, component);
            if !cycles.is_empty() {
                break;
            }
        }
        if open || !cycles.is_empty() {
            component.iter().for_each(|&state| self.open[state] = true);
        }
        cycles
    }

    fn relax(&mut self, source: StateId, step: TransitionId, target: StateId, weight: &T) -> bool {
        let mut height = self.height[target].clone();
        height += weight;
        let better = height > self.height[source];
        if better {
            self.height[source] = height;
            self.choice[source] = Some(step);
        }
        better
    }

    /// The cycles in the graph of choices, where every state has at most one way to go. Linear time.
    fn chosen_cycles(&self, graph: &FlowGraph<'_>, component: &[StateId]) -> Vec<Vec<TransitionId>> {
        let mut walk: std::collections::BTreeMap<StateId, StateId> = std::collections::BTreeMap::new();
        let mut cycles = Vec::new();
        for &start in component {
            let mut at = start;
            while let Some(step) = self.choice[at].filter(|&step| graph.on_cycle(step)) {
                if let Some(&walker) = walk.get(&at) {
                    if walker == start {
                        cycles.push(self.walk_round(graph.system, at));
                    }
                    break;
                }
                walk.insert(at, start);
                at = graph.system.transitions[step].target;
            }
        }
        cycles
    }

    fn walk_round(&self, system: &System, start: StateId) -> Vec<TransitionId> {
        let mut steps = Vec::new();
        let mut at = start;
        while let Some(step) = self.choice[at] {
            steps.push(step);
            at = system.transitions[step].target;
            if at == start {
                break;
            }
        }
        steps
    }

    fn path_from(&self, system: &System, start: StateId) -> Vec<TransitionId> {
        let mut steps = Vec::new();
        let mut at = start;
        while let Some(step) = self.choice[at] {
            steps.push(step);
            at = system.transitions[step].target;
        }
        steps
    }
}
