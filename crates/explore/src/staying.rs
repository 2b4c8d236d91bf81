//! Runs that stay in a part of a process for ever.

use std::collections::{BTreeSet, HashMap, VecDeque};

use cfsm_core::program::{EdgeId, ProcessTypeId};
use petgraph::algo::kosaraju_scc;
use petgraph::graph::{DiGraph, NodeIndex};

use crate::{Move, Run, RunError, Semantics, State};

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
        let mut graph = Self { steps: Vec::new(), before: vec![None], processes: 0 };
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
        Ok(graph)
    }

    /// A run in which a process of a type takes steps for ever, all of them along the given edges;
    /// `None` if there is none among the states that were expanded. Time linear in these, for each
    /// process.
    #[must_use]
    pub fn staying(&self, process_type: ProcessTypeId, edges: &BTreeSet<EdgeId>) -> Option<Staying> {
        (0..self.processes).find_map(|process| self.staying_of(process, process_type, edges))
    }

    fn staying_of(&self, process: usize, ty: ProcessTypeId, edges: &BTreeSet<EdgeId>) -> Option<Staying> {
        let is_inside =
            |step: &Move| step.process_type == ty && step.edge.is_some_and(|edge| edges.contains(&edge));
        let may = |arc: &&Arc| {
            let stays = arc.moves.iter().filter(|step| step.process == process).all(is_inside);
            // A process that ends may give its number to another one.
            stays
                && arc.target < self.steps.len()
                && arc.moves.iter().all(|step| step.edge.is_some() || step.process > process)
        };
        let own = |arc: &Arc| arc.moves.iter().any(|step| step.process == process);
        if !self.steps.iter().flatten().any(|arc| may(&arc) && own(arc)) {
            return None;
        }
        let mut graph = DiGraph::<(), ()>::with_capacity(self.steps.len(), 0);
        self.steps.iter().for_each(|_| _ = graph.add_node(()));
        for (source, arcs) in self.steps.iter().enumerate() {
            for arc in arcs.iter().filter(may) {
                graph.add_edge(NodeIndex::new(source), NodeIndex::new(arc.target), ());
            }
        }
        let mut component = vec![0; self.steps.len()];
        for (number, members) in kosaraju_scc(&graph).into_iter().enumerate() {
            members.into_iter().for_each(|member| component[member.index()] = number);
        }
        let first = self.steps.iter().enumerate().find_map(|(source, arcs)| {
            let back = |arc: &&Arc| may(arc) && own(arc) && component[arc.target] == component[source];
            arcs.iter().find(back).map(|arc| (source, arc))
        });
        let (source, arc) = first?;
        let rest =
            self.way(arc.target, source, &|arc| may(&arc) && component[arc.target] == component[source])?;
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
    }
}
