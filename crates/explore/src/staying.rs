//! Runs that stay in a part of a process for ever.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::ops::{Range, RangeInclusive};

use cfsm_core::program::{EdgeId, LocationId, ProcessTypeId};
use cfsm_core::splitmix::SplitMix;
use hashbrown::{DefaultHashBuilder, HashMap, HashSet};
use indexmap::IndexSet;
use petgraph::algo::kosaraju_scc;
use petgraph::graph::{DiGraph, NodeIndex};

use crate::run::below;
use crate::{Move, Process, Run, RunError, Semantics, State, Step};

/// A step of a [`StepGraph`].
#[derive(Clone, Debug)]
struct Arc {
    target: usize,
    moves: Vec<Move>,
    /// From the least number of a process that moves to the greatest one; all numbers if a process
    /// dies.
    processes: RangeInclusive<usize>,
}

impl Arc {
    fn new(target: usize, moves: Vec<Move>) -> Self {
        let numbers = || moves.iter().map(|step| step.process);
        let first = numbers().min().unwrap_or(0);
        let last = numbers().max().unwrap_or(0);
        let dies = moves.iter().any(|step| step.edge.is_none());
        let processes = if dies { 0..=usize::MAX } else { first..=last };
        Self { target, moves, processes }
    }
}

/// The states near the start and the steps between them.
#[derive(Clone, Debug)]
pub struct StepGraph {
    /// The steps of each state; none of those that have not been expanded.
    steps: Vec<Vec<Arc>>,
    /// The state and the position of the step by which each state was reached first.
    before: Vec<Option<[usize; 2]>>,
    /// The states from which processes of a type take steps that begin with a statement, in order.
    takers: HashMap<(ProcessTypeId, EdgeId), Vec<Taker>>,
    /// `true` if all states have been expanded.
    is_complete: bool,
}

/// A process that takes a step from a state.
#[derive(Clone, Copy, Debug)]
struct Taker {
    process: usize,
    state: usize,
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

impl Staying {
    /// Returns `true` if the semantics has this run, and the cycle comes back to its first state.
    fn is_run(&self, semantics: &Semantics) -> bool {
        let whole = Run { steps: [&self.prefix.steps[..], &self.cycle.steps].concat() };
        let [before, after] = [&self.prefix, &whole].map(|run| semantics.replay(run).ok());
        matches!((before, after), (Some((before, _)), Some((after, _))) if before == after)
    }
}

impl StepGraph {
    /// Expands states, breadth first, until these states and the steps between them have more than
    /// `cells` cells in all: a cell is the value of a variable or of a field of a message; a step
    /// counts as a quarter of a state.
    ///
    /// # Errors
    /// The error of the initial state, if it has one.
    pub fn new(semantics: &Semantics, cells: usize) -> Result<Self, RunError> {
        let mut states: IndexSet<State, DefaultHashBuilder> = [semantics.initial()?].into_iter().collect();
        let mut graph =
            Self { steps: Vec::new(), before: vec![None], takers: HashMap::new(), is_complete: false };
        let mut used = 0;
        while used <= cells
            && let Some(state) = states.get_index(graph.steps.len())
        {
            let size = state.cells.len();
            used += size + state.messages.len();
            let source = graph.steps.len();
            let mut steps = Vec::new();
            for step in semantics.successors(state) {
                let Some(after) = step.after.filter(|_| step.errors.is_empty()) else { continue };
                let (target, is_new) = states.insert_full(after);
                if is_new {
                    graph.before.push(Some([source, steps.len()]));
                }
                used += 1 + size / 4;
                for (at, &Move { process, process_type, edge, .. }) in step.moves.iter().enumerate() {
                    let has_moved = step.moves[..at].iter().any(|before| before.process == process);
                    let Some(edge) = edge.filter(|_| !has_moved) else { continue };
                    let takers = graph.takers.entry((process_type, edge)).or_default();
                    takers.push(Taker { process, state: source });
                }
                steps.push(Arc::new(target, step.moves));
            }
            graph.steps.push(steps);
        }
        graph.is_complete = graph.steps.len() == states.len() && !semantics.leaves_out_steps();
        Ok(graph)
    }

    /// Number of states, if all have been expanded.
    #[must_use]
    pub fn states(&self) -> Option<usize> {
        self.is_complete.then_some(self.steps.len())
    }

    /// The greatest number of times that a process of a type takes a step of the second kind while
    /// all its steps are of the first kind; `None` if there is no greatest, or not all states have
    /// been expanded. Time linear in the states in which a process can take such steps, and those
    /// to which others lead from there, for each process.
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
        let mut parts = self.parts(process_type, edges);
        parts.try_fold(0, |most, part| Some(most.max(part.most(counted)?)))
    }

    /// A run in which a process of a type takes steps for ever, all of them along the given edges;
    /// `None` if there is none among the states that were expanded. Time as for
    /// [`most`](Self::most).
    #[must_use]
    pub fn staying(&self, process_type: ProcessTypeId, edges: &BTreeSet<EdgeId>) -> Option<Staying> {
        self.parts(process_type, edges).find_map(|part| self.staying_in(&part))
    }

    /// The part of the graph for each process that can take steps along these edges.
    fn parts<'a>(&'a self, ty: ProcessTypeId, edges: &'a BTreeSet<EdgeId>) -> impl Iterator<Item = Part<'a>> {
        let mut starts: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for taker in edges.iter().filter_map(|edge| self.takers.get(&(ty, *edge))).flatten() {
            starts.entry(taker.process).or_default().push(taker.state);
        }
        starts.into_iter().map(move |(process, mut starts)| {
            starts.sort_unstable();
            starts.dedup();
            let part =
                Part { graph: self, process, ty, edges, starts, component: HashMap::new(), components: 0 };
            part.with_components()
        })
    }

    fn staying_in(&self, part: &Part<'_>) -> Option<Staying> {
        let (source, arc) = part.own_and_back()?;
        let inside = |arc: &Arc| part.may(arc) && part.component[&arc.target] == part.component[&source];
        let rest = self.way(arc.target, source, &inside)?;
        let cycle = Run { steps: std::iter::once(arc.moves.clone()).chain(rest).collect() };
        Some(Staying { process: part.process, prefix: self.prefix(source), cycle })
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

/// The steps of a graph in which one process takes some of its statements only, from the states in
/// which it can take one, and those to which such steps lead.
struct Part<'a> {
    graph: &'a StepGraph,
    process: usize,
    ty: ProcessTypeId,
    edges: &'a BTreeSet<EdgeId>,
    /// The states in which the process can take a step that begins with one of its statements.
    starts: Vec<usize>,
    /// The strongly connected component of each state. Steps lead to smaller ones, or stay.
    component: HashMap<usize, usize>,
    components: usize,
}

impl Part<'_> {
    /// Finds the states from its starts on, and their strongly connected components.
    fn with_components(mut self) -> Self {
        let mut graph = DiGraph::<usize, ()>::new();
        let mut nodes: HashMap<usize, NodeIndex> = HashMap::new();
        let mut node = |graph: &mut DiGraph<usize, ()>, state: usize| {
            *nodes.entry(state).or_insert_with(|| graph.add_node(state))
        };
        self.starts.iter().for_each(|state| _ = node(&mut graph, *state));
        let mut next = 0;
        while next < graph.node_count() {
            let source = NodeIndex::new(next);
            next += 1;
            for arc in self.graph.steps[graph[source]].iter().filter(|arc| self.may(arc)) {
                let target = node(&mut graph, arc.target);
                graph.add_edge(source, target, ());
            }
        }
        let components = kosaraju_scc(&graph);
        self.components = components.len();
        for (number, members) in components.into_iter().enumerate() {
            self.component.extend(members.into_iter().map(|member| (graph[member], number)));
        }
        self
    }

    fn may(&self, arc: &Arc) -> bool {
        let stays =
            || arc.moves.iter().filter(|step| step.process == self.process).all(|step| self.is_inside(step));
        // A process that ends may give its number to another one.
        let remains = || arc.moves.iter().all(|step| step.edge.is_some() || step.process > self.process);
        arc.target < self.graph.steps.len()
            && (!arc.processes.contains(&self.process) || stays() && remains())
    }

    fn is_inside(&self, step: &Move) -> bool {
        step.process_type == self.ty && step.edge.is_some_and(|edge| self.edges.contains(&edge))
    }

    fn is_own(&self, arc: &Arc) -> bool {
        arc.processes.contains(&self.process) && arc.moves.iter().any(|step| step.process == self.process)
    }

    /// A step of the process from which other steps lead back.
    fn own_and_back(&self) -> Option<(usize, &Arc)> {
        self.starts.iter().find_map(|source| {
            let component = self.component.get(source);
            let back = |arc: &&Arc| {
                self.is_own(arc) && self.component.get(&arc.target) == component && self.may(arc)
            };
            self.graph.steps[*source].iter().find(back).map(|arc| (*source, arc))
        })
    }

    /// The most counted steps of the process on a way; `None` if it can come back to a step.
    fn most(&self, counted: &BTreeSet<EdgeId>) -> Option<usize> {
        if self.own_and_back().is_some() {
            return None;
        }
        let mut members: Vec<Vec<usize>> = vec![Vec::new(); self.components];
        self.component.iter().for_each(|(state, component)| members[*component].push(*state));
        let mut most = vec![0; self.components];
        for component in 0..self.components {
            let arcs = members[component].iter().flat_map(|state| &self.graph.steps[*state]);
            for arc in arcs.filter(|arc| self.may(arc)) {
                let own = arc.moves.iter().filter(|step| step.process == self.process);
                let here = own.filter(|step| step.edge.is_some_and(|edge| counted.contains(&edge))).count();
                most[component] = most[component].max(most[self.component[&arc.target]] + here);
            }
        }
        most.into_iter().max()
    }
}

/// Random runs of a program: some come back to a state, and from states of theirs a process may go
/// on alone.
#[derive(Clone, Debug)]
pub struct RandomRuns<'a> {
    semantics: &'a Semantics,
    runs: Vec<RandomRun>,
}

/// A random run.
#[derive(Clone, Debug)]
struct RandomRun {
    steps: Vec<Step>,
    /// The steps between two visits of a state, for each return to one.
    returns: Vec<Range<usize>>,
}

/// The statements of a part of a process type, and the locations that they connect.
#[derive(Clone, Copy, Debug)]
pub struct Region<'a> {
    /// The process type.
    pub process_type: ProcessTypeId,
    /// The statements.
    pub edges: &'a BTreeSet<EdgeId>,
    /// The locations.
    pub locations: &'a BTreeSet<LocationId>,
}

impl Region<'_> {
    fn is_inside(&self, step: &Move) -> bool {
        step.process_type == self.process_type && step.edge.is_some_and(|edge| self.edges.contains(&edge))
    }
}

impl<'a> RandomRuns<'a> {
    /// So many runs, the same each time; for each, steps are looked at until the states behind them
    /// have more than so many cells in all. In every other one, processes are held back at random
    /// for a while, so that the others come to where these are in between.
    #[must_use]
    pub fn new(semantics: &'a Semantics, count: usize, cells: usize) -> Self {
        let seeds = 0..u64::try_from(count).unwrap_or(u64::MAX);
        let steps = seeds.filter_map(|seed| random_run(semantics, seed, cells).ok());
        Self { semantics, runs: steps.map(RandomRun::new).collect() }
    }

    /// A run in which a process takes steps for ever, all of them in the region: it begins as one
    /// of these runs does, and repeats steps of it, or steps of the process alone, for which states
    /// with no more than so many cells in all are looked at.
    #[must_use]
    pub fn staying(&self, region: Region<'_>, cells: usize) -> Option<Staying> {
        self.runs.iter().find_map(|run| run.staying(region)).or_else(|| self.alone(region, cells))
    }

    /// A run to a state from which a process goes on for ever alone.
    fn alone(&self, region: Region<'_>, mut cells: usize) -> Option<Staying> {
        let mut seen: HashMap<usize, HashSet<State>> = HashMap::new();
        for run in &self.runs {
            for (at, step) in run.steps.iter().enumerate() {
                let Some(state) = &step.after else { continue };
                let there = |process: &Process| {
                    process.process_type == region.process_type
                        && region.locations.contains(&process.location)
                };
                for Process { number: process, .. } in state.processes().filter(there) {
                    if cells == 0 {
                        return None;
                    }
                    let seen = seen.entry(process).or_default();
                    let found = self.alone_from(state, process, region, seen, &mut cells);
                    if let Some(mut found) = found {
                        let before = run.steps[..=at].iter().map(|step| step.moves.clone());
                        found.prefix.steps.splice(0..0, before);
                        return Some(found).filter(|found| found.is_run(self.semantics));
                    }
                }
            }
        }
        None
    }

    /// Steps of a process alone, from this state to a cycle of such steps. States that have been
    /// seen are not looked at again.
    fn alone_from(
        &self,
        state: &State,
        process: usize,
        region: Region<'_>,
        seen: &mut HashSet<State>,
        cells: &mut usize,
    ) -> Option<Staying> {
        let is_held = state.held().is_some_and(|other| other != process);
        if is_held || seen.contains(state) {
            return None;
        }
        seen.insert(state.clone());
        // There is something left for others.
        let least = *cells - cells.div_ceil(8);
        let may = |step: &Step| {
            let own = |one: &Move| one.process == process && region.is_inside(one);
            step.errors.is_empty() && !step.moves.is_empty() && step.moves.iter().all(own)
        };
        let mut expand = |state: &State| -> Vec<Step> {
            let mut steps = Vec::new();
            if *cells <= least {
                return steps;
            }
            self.semantics.expand_process(state, process, true, &mut steps, &mut Vec::new());
            *cells = cells.saturating_sub(state.size() * (1 + steps.len()));
            steps.retain(may);
            steps
        };
        let mut path: Vec<(State, Vec<Step>)> = vec![(state.clone(), expand(state))];
        let mut moves: Vec<Vec<Move>> = Vec::new();
        while let Some((_, open)) = path.last_mut() {
            let Some(step) = open.pop() else {
                path.pop();
                moves.pop();
                continue;
            };
            let Some(after) = step.after else { continue };
            if !seen.contains(&after) {
                seen.insert(after.clone());
                let open = expand(&after);
                path.push((after, open));
                moves.push(step.moves);
            } else if let Some(first) = path.iter().position(|(known, _)| *known == after) {
                moves.push(step.moves);
                let cycle = moves.split_off(first);
                return Some(Staying { process, prefix: Run { steps: moves }, cycle: Run { steps: cycle } });
            }
        }
        None
    }
}

impl RandomRun {
    fn new(steps: Vec<Step>) -> Self {
        let mut visits: HashMap<&State, usize> = HashMap::new();
        let mut returns = Vec::new();
        for (at, step) in steps.iter().enumerate() {
            let Some(state) = step.after.as_ref().filter(|_| step.errors.is_empty()) else { break };
            if let Some(before) = visits.insert(state, at) {
                returns.push(before + 1..at + 1);
            }
        }
        drop(visits);
        Self { steps, returns }
    }

    /// A part of the run between two visits of a state, in which a process takes steps, all of them
    /// in the region.
    fn staying(&self, region: Region<'_>) -> Option<Staying> {
        let mut last: BTreeMap<usize, Last> = BTreeMap::new();
        // A process that ends may give its number to another one.
        let (mut seen, mut death) = (0, 0);
        self.returns.iter().find_map(|Range { start, end }| {
            for at in seen..*end {
                for step in &self.steps[at].moves {
                    let last = last.entry(step.process).or_default();
                    *(if region.is_inside(step) { &mut last.inside } else { &mut last.outside }) = at + 1;
                    death = if step.edge.is_none() { at + 1 } else { death };
                }
            }
            seen = *end;
            let stays = |last: &Last| last.inside > *start && last.outside <= *start;
            if death > *start || !last.values().any(stays) {
                return None;
            }
            let cycle = &self.steps[*start..*end];
            let process =
                cycle.iter().flat_map(|step| &step.moves).find(|step| stays(&last[&step.process]))?;
            let steps = |steps: &[Step]| Run { steps: steps.iter().map(|step| step.moves.clone()).collect() };
            let prefix = steps(&self.steps[..*start]);
            Some(Staying { process: process.process, prefix, cycle: steps(cycle) })
        })
    }
}

/// Numbers of steps of a run up to the last ones of a process in a region and outside; 0 without
/// any.
#[derive(Clone, Copy, Debug, Default)]
struct Last {
    inside: usize,
    outside: usize,
}

/// A random run; if the seed is odd, processes are held back for a while, unless no other one can
/// step.
fn random_run(semantics: &Semantics, seed: u64, mut cells: usize) -> Result<Vec<Step>, RunError> {
    let mut random = SplitMix::new(seed);
    let mut held = 0;
    semantics.chosen_run(|possible| {
        let states = possible.iter().filter_map(|step| step.after.as_ref());
        cells = cells.checked_sub(states.map(State::size).sum())?;
        if seed.is_multiple_of(2) {
            return Some(below(&mut random, possible.len()));
        }
        // The same ones for 32 steps, on average.
        if below(&mut random, 32) == 0 {
            held = random.draw();
        }
        let is_held =
            |step: &Move| u32::try_from(step.process).is_ok_and(|at| held.rotate_right(at) & 1 == 1);
        let is_free = |at: &usize| !possible[*at].moves.iter().any(is_held);
        let free: Vec<usize> = (0..possible.len()).filter(is_free).collect();
        Some(match free.len() {
            0 => below(&mut random, possible.len()),
            count => free[below(&mut random, count)],
        })
    })
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

        let runs = RandomRuns::new(&semantics, 1, 100);
        let locations: BTreeSet<LocationId> = program.types[ty].locations.ids().collect();
        let region = |edges| Region { process_type: ty, edges, locations: &locations };
        assert_eq!(runs.staying(region(&counting), 100), None);
        let mut staying = runs.staying(region(&[rest].into()), 100).unwrap();
        staying.prefix.steps.extend(staying.cycle.steps);
        assert!(semantics.replay(&staying.prefix).is_ok());
    }
}
