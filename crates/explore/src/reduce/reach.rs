//! Flow analysis of accesses to shared data: what a process may still read, write and use from each
//! of its locations on.

use std::collections::BTreeSet;

use cfsm_core::ids::Id;
use cfsm_core::program::{Hold, LocationId, ProcessTypeId};
use petgraph::algo::tarjan_scc;
use petgraph::graph::DiGraph;

use super::cells::{Cells, Globals, each_read};
use crate::code::{Code, EdgeCode, Statement, TypeCode};
use crate::{Semantics, State};

/// Greatest number of locations of a type that are analysed one by one. In larger types, each
/// location gets the accesses of the whole type.
const MOST: usize = 2048;

/// The queues that a channel expression may refer to.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Queues {
    /// All queues.
    Any,
    /// Those in a range of cells of globals that no statement writes: first cell and number of
    /// cells.
    Global(u32, u32),
    /// Those in a range of cells of the process that it does not write: first cell and number of
    /// cells.
    Own(u32, u32),
}

/// Accesses that a process, and those that it creates, may perform from a location on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Reach {
    /// The globals that it reads.
    pub reads: Globals,
    /// The globals that it writes.
    pub writes: Globals,
    /// The queues that it sends to, or of which it observes more than the first message: a further
    /// message in them may change its behaviour.
    pub queues: BTreeSet<Queues>,
    /// The queues that it offers messages to at places where the presence of a receiver matters
    /// (`else`, escapes, or control inside `atomic`), if they are rendezvous.
    pub offers: BTreeSet<Queues>,
}

impl Reach {
    fn add(&mut self, other: &Self) {
        self.reads.add(&other.reads);
        self.writes.add(&other.writes);
        self.queues.extend(other.queues.iter().cloned());
        self.offers.extend(other.offers.iter().cloned());
    }

    /// The same accesses for a process whose variables are unknown.
    fn of_newborn(&self) -> Self {
        let any = |queues: &Queues| match queues {
            Queues::Own(..) => Queues::Any,
            other => other.clone(),
        };
        let (queues, offers) = (self.queues.iter().map(any).collect(), self.offers.iter().map(any).collect());
        Self { queues, offers, ..self.clone() }
    }
}

impl Queues {
    /// Returns `true` if the queue with this number may be among them.
    pub fn may_be(&self, state: &State, process: usize, number: i32) -> bool {
        self.numbers(state, process).is_none_or(|numbers| numbers.contains(&number))
    }

    /// The numbers of these queues; `None` if they are unknown.
    pub fn numbers<'s>(&self, state: &'s State, process: usize) -> Option<&'s [i32]> {
        let (first, length) = match self {
            Self::Any => return None,
            Self::Global(first, length) => (*first as usize, *length),
            Self::Own(first, length) => (state.local(process, *first), *length),
        };
        Some(&state.cells[first..first + length as usize])
    }
}

/// Accesses by process type and location.
#[derive(Debug, Default)]
pub(super) struct Reaches {
    different: Vec<Reach>,
    /// For each type and location, the index in `different`.
    at: Vec<Vec<usize>>,
}

impl Reaches {
    /// Analyses a program. `written` marks the globals that some statement writes.
    pub fn new(semantics: &Semantics, written: &[bool]) -> Self {
        let own: Vec<Vec<Reach>> = semantics.types.iter().map(|ty| each_location(ty, written)).collect();
        let whole = types(semantics, &own);
        let mut reaches = Self::default();
        for (ty, own) in semantics.types.iter().zip(&own) {
            let here = |at: usize| {
                let mut reach = own[at].clone();
                created(ty, at).for_each(|created| reach.add(&whole[created.index()]));
                reach
            };
            let count = ty.ranges.len();
            let at = if count > MOST {
                let mut all = Reach::default();
                (0..count).for_each(|at| all.add(&here(at)));
                vec![reaches.number(all); count]
            } else {
                let reach = from_locations(ty, here);
                reach.into_iter().map(|reach| reaches.number(reach)).collect()
            };
            reaches.at.push(at);
        }
        reaches
    }

    /// The accesses of a process of a type from a location on.
    pub fn at(&self, ty: ProcessTypeId, location: LocationId) -> &Reach {
        &self.different[self.at[ty.index()][location.index()]]
    }

    fn number(&mut self, reach: Reach) -> usize {
        // Equal ones of the same type are neighbours, so the search goes backwards.
        let found = self.different.iter().rposition(|other| *other == reach);
        found.unwrap_or_else(|| {
            self.different.push(reach);
            self.different.len() - 1
        })
    }
}

/// For each type, the accesses of a new process and of those that it creates.
fn types(semantics: &Semantics, own: &[Vec<Reach>]) -> Vec<Reach> {
    let alone = semantics.types.iter().zip(own).map(|(ty, own)| {
        let mut reach = Reach::default();
        own.iter().for_each(|own| reach.add(&own.of_newborn()));
        for code in ty.initial_values() {
            each_read(code, &mut |cells| reads(&cells, &mut reach));
            if code.any(&mut |part| channel_asked(part).is_some()) {
                reach.queues.insert(Queues::Any);
            }
        }
        reach
    });
    let mut whole: Vec<Reach> = alone.collect();
    loop {
        let before = whole.clone();
        for (at, ty) in semantics.types.iter().enumerate() {
            for created in (0..ty.ranges.len()).flat_map(|location| created(ty, location)) {
                whole[at].add(&before[created.index()]);
            }
        }
        if whole == before {
            return whole;
        }
    }
}

/// The types of the processes that edges of a location create.
fn created(ty: &TypeCode, location: usize) -> impl Iterator<Item = ProcessTypeId> {
    ty.edges_at(LocationId::new(location)).iter().filter_map(|edge| match &edge.statement {
        Statement::Create(create) => Some(create.process_type),
        _ => None,
    })
}

/// For each location of a type, the accesses from there on, given those of the edges that leave
/// each location. Linear in the number of edges, times the size of the accesses.
fn from_locations(ty: &TypeCode, here: impl Fn(usize) -> Reach) -> Vec<Reach> {
    let mut all = vec![Reach::default(); ty.ranges.len()];
    for component in components(ty) {
        let mut reach = Reach::default();
        for &at in &component {
            reach.add(&here(at));
            let targets: BTreeSet<usize> =
                ty.edges_at(LocationId::new(at)).iter().map(|edge| edge.target.index()).collect();
            targets.into_iter().for_each(|target| reach.add(&all[target]));
        }
        component.into_iter().for_each(|at| all[at].clone_from(&reach));
    }
    all
}

/// Strongly connected components of the locations of a type: each behind those that it leads to.
pub(crate) fn components(ty: &TypeCode) -> Vec<Vec<usize>> {
    let mut graph = DiGraph::<(), (), usize>::default();
    for _ in 0..ty.ranges.len() {
        graph.add_node(());
    }
    for source in 0..ty.ranges.len() {
        for edge in ty.edges_at(LocationId::new(source)) {
            graph.update_edge(source.into(), edge.target.index().into(), ());
        }
    }
    // Tarjan's algorithm emits components in reverse topological order.
    let components = tarjan_scc(&graph).into_iter();
    components.map(|members| members.into_iter().map(|member| member.index()).collect()).collect()
}

/// For each location of a type, the accesses of the edges that leave it.
fn each_location(ty: &TypeCode, written: &[bool]) -> Vec<Reach> {
    let mut kept = vec![false; ty.ranges.len()];
    for edge in ty.edges.iter().filter(|edge| edge.hold == Hold::Atomic) {
        kept[edge.target.index()] = true;
    }
    let at = |location: usize| {
        let edges = ty.edges_at(LocationId::new(location));
        let delicate = kept[location] || edges.iter().any(is_delicate);
        let mut reach = Reach::default();
        edges.iter().for_each(|edge| of_edge(ty, edge, delicate, written, &mut reach));
        reach
    };
    (0..ty.ranges.len()).map(at).collect()
}

/// Returns `true` if an edge depends on the executability of the other edges of its location.
fn is_delicate(edge: &EdgeCode) -> bool {
    edge.rank > 0 || edge.d_step.is_some() || matches!(edge.statement, Statement::Else)
}

fn of_edge(ty: &TypeCode, edge: &EdgeCode, delicate: bool, written: &[bool], reach: &mut Reach) {
    for code in edge.statement.codes() {
        each_read(code, &mut |cells| reads(&cells, reach));
        let _ = code.any(&mut |part| {
            reach.queues.extend(channel_asked(part).map(|channel| queues(ty, channel, written)));
            false
        });
    }
    for cells in edge.statement.targets().into_iter().map(Cells::written).filter(|cells| cells.global) {
        reach.writes.insert(cells.range);
    }
    match &edge.statement {
        Statement::Send { channel, .. } => {
            let queues = queues(ty, channel, written);
            if delicate {
                reach.offers.insert(queues.clone());
            }
            reach.queues.insert(queues);
        }
        Statement::Receive(receive) if delicate => {
            reach.queues.insert(queues(ty, &receive.channel, written));
        }
        _ => {}
    }
}

fn reads(cells: &Cells, reach: &mut Reach) {
    if cells.global {
        reach.reads.insert(cells.range.clone());
    }
}

/// The channel of which an expression observes more than the first message may tell, if there is
/// one.
fn channel_asked(code: &Code) -> Option<&Code> {
    match code {
        Code::Length(channel) | Code::Empty(channel) | Code::Full(channel) => Some(channel),
        Code::Poll(poll) => Some(&poll.channel),
        _ => None,
    }
}

/// The queues that a channel may refer to when the process executes a statement.
pub(crate) fn queues(ty: &TypeCode, channel: &Code, written: &[bool]) -> Queues {
    let Some(cells) = Cells::read(channel) else { return Queues::Any };
    let length = cells.range.end - cells.range.start;
    if cells.global {
        let settled = cells.range.clone().all(|cell| !written[cell as usize]);
        return if settled { Queues::Global(cells.range.start, length) } else { Queues::Any };
    }
    let writes = |target: &crate::code::Target| {
        let written = Cells::written(target);
        !written.global && written.range.start < cells.range.end && cells.range.start < written.range.end
    };
    let changes = ty.edges.iter().any(|edge| edge.statement.targets().into_iter().any(writes));
    if changes { Queues::Any } else { Queues::Own(cells.range.start, length) }
}

#[cfg(test)]
mod tests {
    use cfsm_core::program::{Expression, ProgramBuilder, Type};
    use proptest::prelude::*;

    use super::*;
    use crate::Options;

    const LOCATIONS: usize = 7;

    /// An edge that writes a variable.
    #[derive(Clone, Debug)]
    struct Write {
        source: usize,
        target: usize,
        variable: usize,
    }

    fn writes() -> impl Strategy<Value = Vec<Write>> {
        let write = (0..LOCATIONS, 0..LOCATIONS, 0..5_usize).prop_map(|(source, target, variable)| Write {
            source,
            target,
            variable,
        });
        prop::collection::vec(write, 0..14)
    }

    fn semantics(writes: &[Write]) -> Semantics {
        let mut builder = ProgramBuilder::new("random");
        let variables: Vec<_> =
            (0..5).map(|number| builder.global(&format!("v{number}"), Type::Int)).collect();
        let mut process = builder.process("P", 1);
        (0..LOCATIONS).for_each(|at| _ = process.location(&format!("at{at}")));
        for Write { source, target, variable } in writes {
            let (source, target) = (format!("at{source}"), format!("at{target}"));
            process.assign(&source, variables[*variable], Expression::Constant(1), &target, "write");
        }
        Semantics::new(&builder.build().unwrap(), &Options::default()).unwrap()
    }

    /// The locations to which edges lead from one, itself among them.
    fn behind(ty: &TypeCode, from: usize) -> BTreeSet<usize> {
        let (mut found, mut open) = (BTreeSet::from([from]), vec![from]);
        while let Some(at) = open.pop() {
            let targets = ty.edges_at(LocationId::new(at)).iter().map(|edge| edge.target.index());
            open.extend(targets.filter(|target| found.insert(*target)));
        }
        found
    }

    proptest! {
        #[test]
        fn accesses_are_those_of_all_locations_behind(writes in writes()) {
            let semantics = semantics(&writes);
            let ty = &semantics.types[0];
            let own = each_location(ty, &[true; 5]);
            let joined = from_locations(ty, |at| own[at].clone());
            for (from, joined) in joined.iter().enumerate() {
                let mut walked = Reach::default();
                behind(ty, from).into_iter().for_each(|at| walked.add(&own[at]));
                prop_assert_eq!(joined, &walked);
            }
        }

        #[test]
        fn components_come_behind_those_that_they_lead_to(writes in writes()) {
            let semantics = semantics(&writes);
            let ty = &semantics.types[0];
            let mut met = BTreeSet::new();
            for component in components(ty) {
                met.extend(component.iter().copied());
                prop_assert!(component.iter().all(|&at| behind(ty, at).is_subset(&met)));
            }
            prop_assert_eq!(met.len(), ty.ranges.len());
        }
    }
}
