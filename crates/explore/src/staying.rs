//! Runs that stay in a part of a process for ever.

use std::collections::{BTreeSet, HashMap, HashSet, VecDeque};

use cfsm_core::program::{EdgeId, ProcessTypeId};
use petgraph::algo::kosaraju_scc;
use petgraph::graph::{DiGraph, NodeIndex};

use crate::{Move, Run, RunError, Semantics, State, Step};

/// A step of a [`StepGraph`].
#[derive(Clone, Debug)]
struct Arc {
    target: usize,
    moves: Vec<Move>,
}

/// The states near the start and the steps between them.
#[derive(Clone, Debug)]
pub struct StepGraph {
    /// The steps of each state; none of those that have not been expanded.
    steps: Vec<Vec<Arc>>,
    /// The state and the position of the step by which each state was reached first.
    before: Vec<Option<[usize; 2]>>,
    /// The greatest number of processes in a state.
    processes: usize,
    /// `true` if all states have been expanded.
    is_complete: bool,
}

/// A run in which a process stays in a part of its statements for ever.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Staying {
    /// Number of the process.
    pub process: usize,
    /// A run to the first state of the cycle.
    pub prefix: Run,
    /// Steps from that state back to it, some of which are steps of the process.
    pub cycle: Run,
}

impl StepGraph {
    /// Expands states, breadth first, until these states and the steps between them have more than
    /// `cells` cells in all: a cell is the value of a variable or of a field of a message; a step
    /// counts as a quarter of a state.
    ///
    /// # Errors
    /// The error of the initial state, if it has one.
    pub fn new(semantics: &Semantics, cells: usize) -> Result<Self, RunError> {
        let mut known: HashMap<State, usize> = HashMap::new();
        let start = semantics.initial()?;
        let mut open = VecDeque::from([start.clone()]);
        known.insert(start, 0);
        let mut graph = Self { steps: Vec::new(), before: vec![None], processes: 0, is_complete: false };
        let mut used = 0;
        while let Some(state) = open.pop_front().filter(|_| used <= cells) {
            used += state.cells.len() + state.messages.len();
            let source = graph.steps.len();
            graph.processes = graph.processes.max(state.processes().count());
            let mut steps = Vec::new();
            for step in semantics.successors(&state) {
                let Some(after) = step.after.filter(|_| step.errors.is_empty()) else { continue };
                let next = known.len();
                let target = *known.entry(after.clone()).or_insert(next);
                if target == next {
                    graph.before.push(Some([source, steps.len()]));
                    open.push_back(after);
                }
                used += 1 + state.cells.len() / 4;
                steps.push(Arc { target, moves: step.moves });
            }
            graph.steps.push(steps);
        }
        graph.is_complete = graph.steps.len() == known.len() && !semantics.leaves_out_steps();
        Ok(graph)
    }

    /// Number of states, if all have been expanded.
    #[must_use]
    pub fn states(&self) -> Option<usize> {
        self.is_complete.then_some(self.steps.len())
    }

    /// The greatest number of times that a process of a type takes a step of the second kind while
    /// all its steps are of the first kind; `None` if there is no greatest, or not all states have
    /// been expanded. Time linear in these, for each process.
    #[must_use]
    pub fn most(
        &self,
        process_type: ProcessTypeId,
        edges: &BTreeSet<EdgeId>,
        counted: &BTreeSet<EdgeId>,
    ) -> Option<usize> {
        if !self.is_complete {
            return None;
        }
        let of_process = |process| self.part(process, process_type, edges).most(counted);
        (0..self.processes).map(of_process).try_fold(0, |most, found| Some(most.max(found?)))
    }

    /// A run in which a process of a type takes steps for ever, all of them along the given edges;
    /// `None` if there is none among the states that were expanded. Time linear in these, for each
    /// process.
    #[must_use]
    pub fn staying(&self, process_type: ProcessTypeId, edges: &BTreeSet<EdgeId>) -> Option<Staying> {
        (0..self.processes).find_map(|process| self.staying_of(process, process_type, edges))
    }

    fn part<'a>(&'a self, process: usize, ty: ProcessTypeId, edges: &'a BTreeSet<EdgeId>) -> Part<'a> {
        let mut part =
            Part { graph: self, process, ty, edges, component: vec![0; self.steps.len()], components: 0 };
        let mut graph = DiGraph::<(), ()>::with_capacity(self.steps.len(), 0);
        self.steps.iter().for_each(|_| _ = graph.add_node(()));
        for (source, arcs) in self.steps.iter().enumerate() {
            for arc in arcs.iter().filter(|arc| part.may(arc)) {
                graph.add_edge(NodeIndex::new(source), NodeIndex::new(arc.target), ());
            }
        }
        let components = kosaraju_scc(&graph);
        part.components = components.len();
        for (number, members) in components.into_iter().enumerate() {
            members.into_iter().for_each(|member| part.component[member.index()] = number);
        }
        part
    }

    fn staying_of(&self, process: usize, ty: ProcessTypeId, edges: &BTreeSet<EdgeId>) -> Option<Staying> {
        let steps = || self.steps.iter().flatten();
        if !steps().any(|arc| arc.moves.iter().any(|step| step.process == process && step.process_type == ty))
        {
            return None;
        }
        let part = self.part(process, ty, edges);
        let (source, arc) = part.own_and_back()?;
        let inside = |arc: &Arc| part.may(arc) && part.component[arc.target] == part.component[source];
        let rest = self.way(arc.target, source, &inside)?;
        let cycle = Run { steps: std::iter::once(arc.moves.clone()).chain(rest).collect() };
        Some(Staying { process, prefix: self.prefix(source), cycle })
    }

    fn prefix(&self, mut state: usize) -> Run {
        let mut steps = Vec::new();
        while let Some([source, step]) = self.before[state] {
            steps.push(self.steps[source][step].moves.clone());
            state = source;
        }
        steps.reverse();
        Run { steps }
    }

    /// A shortest way between two states.
    fn way(&self, from: usize, to: usize, may: &dyn Fn(&Arc) -> bool) -> Option<Vec<Vec<Move>>> {
        let mut before: HashMap<usize, (usize, &Arc)> = HashMap::new();
        let mut open = VecDeque::from([from]);
        while let Some(state) = open.pop_front() {
            if state == to {
                let mut steps = Vec::new();
                let mut at = to;
                while at != from {
                    let (source, arc) = before[&at];
                    steps.push(arc.moves.clone());
                    at = source;
                }
                steps.reverse();
                return Some(steps);
            }
            for arc in self.steps[state].iter().filter(|arc| may(arc)) {
                if arc.target != from && !before.contains_key(&arc.target) {
                    before.insert(arc.target, (state, arc));
                    open.push_back(arc.target);
                }
            }
        }
        None
    }
}

/// The steps of a graph in which one process takes some of its statements only.
struct Part<'a> {
    graph: &'a StepGraph,
    process: usize,
    ty: ProcessTypeId,
    edges: &'a BTreeSet<EdgeId>,
    /// The strongly connected component of each state. Steps lead to smaller ones, or stay.
    component: Vec<usize>,
    components: usize,
}

impl Part<'_> {
    fn may(&self, arc: &Arc) -> bool {
        let stays =
            arc.moves.iter().filter(|step| step.process == self.process).all(|step| self.is_inside(step));
        // A process that ends may give its number to another one.
        stays
            && arc.target < self.graph.steps.len()
            && arc.moves.iter().all(|step| step.edge.is_some() || step.process > self.process)
    }

    fn is_inside(&self, step: &Move) -> bool {
        step.process_type == self.ty && step.edge.is_some_and(|edge| self.edges.contains(&edge))
    }

    fn is_own(&self, arc: &Arc) -> bool {
        arc.moves.iter().any(|step| step.process == self.process)
    }

    /// A step of the process from which other steps lead back.
    fn own_and_back(&self) -> Option<(usize, &Arc)> {
        self.graph.steps.iter().enumerate().find_map(|(source, arcs)| {
            let back = |arc: &&Arc| {
                self.may(arc) && self.is_own(arc) && self.component[arc.target] == self.component[source]
            };
            arcs.iter().find(back).map(|arc| (source, arc))
        })
    }

    /// The most counted steps of the process on a way; `None` if it can come back to a step.
    fn most(&self, counted: &BTreeSet<EdgeId>) -> Option<usize> {
        if self.own_and_back().is_some() {
            return None;
        }
        let mut members: Vec<Vec<usize>> = vec![Vec::new(); self.components];
        self.component.iter().enumerate().for_each(|(state, component)| members[*component].push(state));
        let mut most = vec![0; self.components];
        for component in 0..self.components {
            let arcs = members[component].iter().flat_map(|state| &self.graph.steps[*state]);
            for arc in arcs.filter(|arc| self.may(arc)) {
                let own = arc.moves.iter().filter(|step| step.process == self.process);
                let here = own.filter(|step| step.edge.is_some_and(|edge| counted.contains(&edge))).count();
                most[component] = most[component].max(most[self.component[arc.target]] + here);
            }
        }
        most.into_iter().max()
    }
}

/// Random runs of a program, from whose states a process may go on alone.
#[derive(Clone, Debug)]
pub struct RandomRuns<'a> {
    semantics: &'a Semantics,
    runs: Vec<Vec<Step>>,
}

impl<'a> RandomRuns<'a> {
    /// So many runs of at most so many steps, the same each time.
    #[must_use]
    pub fn new(semantics: &'a Semantics, count: usize, length: usize) -> Self {
        let seeds = 0..u64::try_from(count).unwrap_or(u64::MAX);
        let runs = seeds.filter_map(|seed| semantics.simulate(seed, length).ok()).collect();
        Self { semantics, runs }
    }

    /// A run that begins as one of these do, up to a state from which a process of a type takes
    /// steps for ever, alone and along the given edges. States behind steps along some of these,
    /// `to_head`, are tried first, and no more than so many states are looked at.
    #[must_use]
    pub fn staying(
        &self,
        process_type: ProcessTypeId,
        edges: &BTreeSet<EdgeId>,
        to_head: &BTreeSet<EdgeId>,
        mut states: usize,
    ) -> Option<Staying> {
        for first in [true, false] {
            let inside = |step: &&Move| {
                let of_loop = |edge| edges.contains(&edge) && to_head.contains(&edge) == first;
                step.process_type == process_type && step.edge.is_some_and(of_loop)
            };
            for run in &self.runs {
                for (at, step) in run.iter().enumerate() {
                    let Some(Move { process, .. }) = step.moves.iter().find(inside) else { continue };
                    let Some(state) = &step.after else { continue };
                    if states == 0 {
                        return None;
                    }
                    if let Some(mut found) = self.alone(state, *process, edges, &mut states) {
                        let before = run[..=at].iter().map(|step| step.moves.clone());
                        found.prefix.steps.splice(0..0, before);
                        return Some(found);
                    }
                }
            }
        }
        None
    }

    /// Steps of a process alone, from this state to a cycle of such steps.
    fn alone(
        &self,
        state: &State,
        process: usize,
        edges: &BTreeSet<EdgeId>,
        states: &mut usize,
    ) -> Option<Staying> {
        *states = states.saturating_sub(1);
        // There is something left for others.
        let most = states.div_ceil(8);
        let may = |step: &Step| {
            let own =
                |one: &Move| one.process == process && one.edge.is_some_and(|edge| edges.contains(&edge));
            step.errors.is_empty() && !step.moves.is_empty() && step.moves.iter().all(own)
        };
        let expand = |state: &State| -> Vec<Step> {
            self.semantics.successors(state).into_iter().filter(may).collect()
        };
        let mut seen: HashSet<State> = [state.clone()].into();
        let mut path: Vec<(State, Vec<Step>)> = vec![(state.clone(), expand(state))];
        let mut moves: Vec<Vec<Move>> = Vec::new();
        while let Some((_, open)) = path.last_mut() {
            let Some(step) = open.pop() else {
                path.pop();
                moves.pop();
                continue;
            };
            let Some(after) = step.after else { continue };
            if let Some(first) = path.iter().position(|(known, _)| *known == after) {
                moves.push(step.moves);
                let cycle = moves.split_off(first);
                return Some(Staying { process, prefix: Run { steps: moves }, cycle: Run { steps: cycle } });
            }
            if seen.len() < most && *states > 0 && seen.insert(after.clone()) {
                *states -= 1;
                let open = expand(&after);
                path.push((after, open));
                moves.push(step.moves);
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use cfsm_core::program::{Binary, Expression, ProgramBuilder, Type};

    use super::*;
    use crate::Options;

    /// A process that counts to 3 and then waits in a loop, beside one that counts for ever.
    #[test]
    fn a_process_stays_where_it_can() {
        let mut b = ProgramBuilder::new("m.txt");
        let mut process = b.process("P", 1);
        let x = process.local("x", Type::Byte);
        let read = || Box::new(Expression::variable(x));
        let number = |value| Box::new(Expression::Constant(value));
        let below = Expression::Binary(Binary::Less, read(), number(3));
        process.location("count");
        let first = process.step("count", cfsm_core::program::Action::Condition(below), "up", "x < 3");
        process.assign("up", x, Expression::Binary(Binary::Add, read(), number(1)), "count", "x++");
        let equal = Expression::Binary(Binary::Equal, read(), number(3));
        process.wait("count", equal, "rest", "x == 3");
        let rest = process.step(
            "rest",
            cfsm_core::program::Action::Condition(Expression::Constant(1)),
            "rest",
            "true",
        );
        let ty = process.id();
        let program = b.build().unwrap();
        let semantics = Semantics::new(&program, &Options::default()).unwrap();
        let graph = StepGraph::new(&semantics, 1_000).unwrap();
        let counting: BTreeSet<EdgeId> = program.types[ty].edges.ids().filter(|edge| *edge != rest).collect();
        assert_eq!(graph.staying(ty, &counting), None);
        let staying = graph.staying(ty, &[rest].into()).unwrap();
        assert_eq!((staying.prefix.steps.len(), staying.cycle.steps.len()), (7, 1));
        assert!(counting.contains(&first));
        let mut whole = staying.prefix.clone();
        whole.steps.extend(staying.cycle.steps);
        assert!(semantics.replay(&whole).is_ok());

        assert_eq!(graph.most(ty, &counting, &[first].into()), Some(3));
        assert_eq!(graph.most(ty, &[rest].into(), &[rest].into()), None);
        let few = StepGraph::new(&semantics, 4).unwrap();
        assert_eq!((few.states(), few.most(ty, &counting, &[first].into())), (None, None));

        let runs = RandomRuns::new(&semantics, 1, 9);
        assert_eq!(runs.staying(ty, &counting, &counting, 100), None);
        assert_eq!(runs.staying(ty, &[rest].into(), &counting, 0), None);
        let mut staying = runs.staying(ty, &[rest].into(), &counting, 100).unwrap();
        staying.prefix.steps.extend(staying.cycle.steps);
        assert!(semantics.replay(&staying.prefix).is_ok());
    }
}
