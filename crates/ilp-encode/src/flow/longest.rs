//! Longest paths in the control-flow graph of one class.

use std::ops::{Add, AddAssign};

use cfsm_core::system::TransitionId;
use num_bigint::BigInt;
use num_traits::{Signed, ToPrimitive, Zero};

use super::{ClassGraph, Step};

/// The number type of path lengths.
pub(super) trait Amount:
    Clone + Ord + Zero + Into<BigInt> + for<'a> AddAssign<&'a Self> + Add<Output = Self>
{
    fn exceeds(&self, other: &BigInt) -> bool;
}

impl Amount for i64 {
    fn exceeds(&self, other: &BigInt) -> bool {
        // A value that does not fit is greater or less than every `i64`, by its sign.
        other.to_i64().map_or(other.is_negative(), |other| *self > other)
    }
}

impl Amount for i128 {
    fn exceeds(&self, other: &BigInt) -> bool {
        other.to_i128().map_or(other.is_negative(), |other| *self > other)
    }
}

impl Amount for BigInt {
    fn exceeds(&self, other: &BigInt) -> bool {
        self > other
    }
}

/// Longest paths from the states of a class, by index of the state, for given weights of the steps.
pub(super) struct LongestPaths<'a, T> {
    graph: ClassGraph<'a>,
    /// Maps each step of the class to its weight.
    weights: &'a [T],
    /// Maps each state to the greatest weight of a path from it found so far; at least 0, the
    /// weight of the empty path.
    pub height: Vec<T>,
    /// Maps each state to the index of the first step of that path; `None` for the empty path.
    choice: Vec<Option<u32>>,
    /// Maps each state to `true` if it reaches a positive cycle, so that there is no greatest
    /// weight.
    pub open: Vec<bool>,
    /// Maps each state to the last start state of a cycle search that visited it.
    walker: Vec<u32>,
}

/// No start state.
const NOBODY: u32 = u32::MAX;

impl<'a, T: Amount> LongestPaths<'a, T> {
    /// Computes the longest paths from all states of a class. Also returns positive cycles,
    /// vertex-disjoint and elementary; states that reach such a cycle are `open`.
    pub fn settle(graph: ClassGraph<'a>, weights: &'a [T]) -> (Self, Vec<Vec<TransitionId>>) {
        let states = graph.starts.len() - 1;
        let mut paths = Self {
            graph,
            weights,
            height: vec![T::zero(); states],
            choice: vec![None; states],
            open: vec![false; states],
            walker: vec![NOBODY; states],
        };
        let mut cycles = Vec::new();
        let mut first = 0;
        while first < states {
            let component = paths.graph.component[first];
            let size = paths.graph.component[first..].iter().take_while(|&&other| other == component).count();
            cycles.append(&mut paths.settle_component(first..first + size));
            first += size;
        }
        (paths, cycles)
    }

    /// The indices of the steps that leave a state.
    fn leaving(&self, state: usize) -> std::ops::Range<usize> {
        let origin = self.graph.starts[0];
        (self.graph.starts[state] - origin) as usize..(self.graph.starts[state + 1] - origin) as usize
    }

    /// Computes the states of one component, after all components that it leads to.
    fn settle_component(&mut self, states: std::ops::Range<usize>) -> Vec<Vec<TransitionId>> {
        let mut open = false;
        let mut inner = false;
        for source in states.clone() {
            for at in self.leaving(source) {
                let step = self.graph.steps[at];
                if step.inner {
                    inner = true;
                } else {
                    open |= self.open[step.target as usize];
                    self.relax(source, at, step);
                }
            }
        }
        let mut cycles = Vec::new();
        // If the relaxation does not terminate, the choices form a cycle at some point, and every
        // cycle they form has positive weight (a choice changes only when a height grows). The
        // direction alternates because lengths may add up along either.
        let mut back = false;
        while inner && self.relax_inner(states.clone(), back) {
            back = !back;
            cycles = self.chosen_cycles(states.clone());
            if !cycles.is_empty() {
                break;
            }
        }
        if open || !cycles.is_empty() {
            self.open[states].iter_mut().for_each(|open| *open = true);
        }
        cycles
    }

    fn relax_inner(&mut self, states: std::ops::Range<usize>, back: bool) -> bool {
        let mut changed = false;
        let (first, last) = (states.start, states.end);
        for at in states {
            let source = if back { first + last - 1 - at } else { at };
            for at in self.leaving(source) {
                let step = self.graph.steps[at];
                changed |= step.inner && self.relax(source, at, step);
            }
        }
        changed
    }

    fn relax(&mut self, source: usize, at: usize, step: Step) -> bool {
        let mut height = self.height[step.target as usize].clone();
        height += &self.weights[at];
        let better = height > self.height[source];
        if better {
            self.height[source] = height;
            #[allow(clippy::cast_possible_truncation)] // fewer than 2^32 transitions
            let choice = at as u32;
            self.choice[source] = Some(choice);
        }
        better
    }

    /// The step chosen at a state.
    fn chosen(&self, state: usize) -> Option<Step> {
        self.choice[state].map(|at| self.graph.steps[at as usize])
    }

    /// The cycles in the graph of choices, in which every state has at most one successor. Linear
    /// time.
    fn chosen_cycles(&mut self, states: std::ops::Range<usize>) -> Vec<Vec<TransitionId>> {
        self.walker[states.clone()].fill(NOBODY);
        let mut cycles = Vec::new();
        for start in states {
            #[allow(clippy::cast_possible_truncation)] // fewer than 2^32 states
            let me = start as u32;
            let mut at = start;
            while let Some(step) = self.chosen(at).filter(|step| step.inner) {
                if self.walker[at] != NOBODY {
                    if self.walker[at] == me {
                        cycles.push(self.walk(at, true));
                    }
                    break;
                }
                self.walker[at] = me;
                at = step.target as usize;
            }
        }
        cycles
    }

    /// The chosen steps from a state: up to the end of the path, or once round the cycle.
    pub fn walk(&self, start: usize, round: bool) -> Vec<TransitionId> {
        let mut steps = Vec::new();
        let mut at = start;
        while let Some(step) = self.chosen(at) {
            steps.push(step.transition);
            at = step.target as usize;
            if round && at == start {
                break;
            }
        }
        steps
    }
}
