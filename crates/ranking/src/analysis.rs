//! The analysis of all loops of a program, and what is tried for each.

use std::collections::{BTreeMap, BTreeSet};

use cfsm_core::deadline::Deadline;
use cfsm_core::program::{
    Action, ChannelDeclaration, EdgeId, Expression, LocationId, Place, ProcessType, ProcessTypeId, Program,
    VariableRef,
};
use petgraph::algo::kosaraju_scc;
use petgraph::graphmap::DiGraphMap;

use crate::blocks::{Block, BlockId, Blocks, PointId};
use crate::execute::Executor;
use crate::invariants::Invariants;
use crate::nesting::{self, Loop, never_waits};
use crate::rank::{Entry, LoopBlocks};
use crate::rounds::Rounds;
use crate::split::Atoms;
use crate::variables::{Ownership, Statement};

/// A loop and what is known about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoopResult {
    /// The process type.
    pub process_type: ProcessTypeId,
    /// The loop.
    pub shape: Loop,
    /// Number of loops around it.
    pub depth: usize,
    /// The variables that symbols in the outcome stand for.
    pub variables: Vec<VariableRef>,
    /// The answer.
    pub outcome: Outcome,
}

/// The answer to whether a loop ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Control cannot stay in the loop for ever, unless it executes counted statements for ever.
    Ends(Rounds),
    /// Control can stay in the loop for ever once it is there: these statements are a cycle, and
    /// all of them can always be executed.
    Endless(Vec<EdgeId>),
    /// No ranking function was found that any of these statements lowers.
    Unknown(Vec<EdgeId>),
}

/// The loops of all process types, in order; an outer loop comes before those inside. Receives are
/// counted: a loop ends if it does so unless it receives messages for ever.
#[must_use]
pub fn loops(program: &Program) -> Vec<LoopResult> {
    let of_type = |(process_type, process): (ProcessTypeId, &ProcessType)| {
        let counted = process.edges.iter().filter(|(_, edge)| is_receive(&edge.action));
        let counted = counted.map(|(id, _)| id).collect();
        let (others, deadline) = (BTreeSet::new(), Deadline::default());
        Question { program, process_type, counted, others, deadline }.loops(|_| true)
    };
    program.types.iter().flat_map(of_type).collect()
}

const fn is_receive(action: &Action) -> bool {
    matches!(action, Action::Receive { peek: false, .. })
}

/// The question how often loops of a process type turn.
#[derive(Clone, Debug)]
pub struct Question<'a> {
    /// The program.
    pub program: &'a Program,
    /// The process type.
    pub process_type: ProcessTypeId,
    /// Statements that are counted: a loop may turn more often each time that one is executed.
    pub counted: BTreeSet<EdgeId>,
    /// Statements of other types that are counted, too: they may write what conditions ask for.
    pub others: BTreeSet<Statement>,
    /// The deadline after which loops are unknown.
    pub deadline: Deadline,
}

impl Question<'_> {
    /// The wanted loops of the process type, outer ones before those inside.
    #[must_use]
    pub fn loops(&self, wanted: impl Fn(&Loop) -> bool) -> Vec<LoopResult> {
        let Self { program, process_type, .. } = *self;
        let process = &program.types[process_type];
        let all = nesting::loops(process);
        let ownership = Ownership::of(program);
        let mut results: Vec<LoopResult> = Vec::new();
        let mut around: Option<(usize, Ground<'_>)> = None;
        for (at, shape) in all.iter().enumerate().filter(|(_, shape)| wanted(shape)) {
            let outermost = std::iter::successors(Some(at), |at| all[*at].parent).last().unwrap_or(at);
            if around.as_ref().is_none_or(|(known, _)| *known != outermost) {
                let variables = ownership.tracked(process_type, &self.others, &all[outermost].locations);
                let executor = Executor {
                    ownership: &ownership,
                    process_type,
                    process,
                    variables: &variables,
                    counted: &self.counted,
                    may_be_held_up: self.may_be_held_up(),
                    others: &self.others,
                    deadline: self.deadline,
                };
                let blocks = Blocks::new(&executor, &all, &all[outermost]);
                let ground = blocks.and_then(|blocks| self.ground(blocks));
                around = ground.map(|ground| (outermost, ground));
            }
            // Behind the deadline nothing is known.
            let Some((_, ground)) = &around else { continue };
            results.push(LoopResult {
                process_type,
                shape: shape.clone(),
                depth: depth(&all, shape),
                variables: ground.blocks.variables.iter().map(|variable| variable.reference).collect(),
                outcome: ground.outcome(shape),
            });
        }
        results
    }

    /// The blocks with invariants at their cut points; `None` behind the deadline.
    fn ground(&self, blocks: Blocks) -> Option<Ground<'_>> {
        let invariants = Invariants::of(&blocks, self.deadline)?;
        Some(Ground { question: self, blocks, invariants })
    }

    fn process(&self) -> &ProcessType {
        &self.program.types[self.process_type]
    }

    /// Returns `true` if others may keep the process from stepping: by its condition, or by
    /// priorities.
    pub(crate) fn may_be_held_up(&self) -> bool {
        self.process().provided.is_some() || self.program.uses_priorities()
    }
}

/// The number of loops around a loop.
fn depth(all: &[Loop], shape: &Loop) -> usize {
    std::iter::successors(shape.parent, |parent| all[*parent].parent).count()
}

/// Blocks, and what holds at their cut points.
struct Ground<'a> {
    question: &'a Question<'a>,
    blocks: Blocks,
    invariants: Invariants,
}

/// The result of one attempt to rank a loop.
enum Attempt {
    Ends(Rounds),
    Stuck(Vec<BlockId>),
}

impl Ground<'_> {
    /// The answer for a loop of which these are the blocks as they are.
    fn outcome(&self, shape: &Loop) -> Outcome {
        let question = self.question;
        let stuck = match self.attempt(shape) {
            Attempt::Ends(rounds) => return Outcome::Ends(rounds),
            Attempt::Stuck(stuck) => stuck,
        };
        if let Some(edges) = free_cycle(question, shape) {
            return Outcome::Endless(edges);
        }
        // No function falls where nothing changes, whatever the points are split by.
        let stands_still = |block: &BlockId| self.blocks.blocks[*block].stands_still();
        if stuck.iter().any(stands_still) {
            return Outcome::Unknown(self.edges(&stuck));
        }
        let points = self.blocks.points_in(shape);
        let in_pairs = |ground: &Self| {
            let blocks = ground.blocks.composed(&ground.blocks.blocks_in(shape))?;
            question.ground(blocks)?.rounds(shape)
        };
        let kinds = [Atoms::Changes, Atoms::Conditions, Atoms::Both].into_iter();
        let split = kinds.filter_map(|kind| self.blocks.split(&points, &stuck, kind));
        let split: Vec<Self> = split.filter_map(|blocks| question.ground(blocks)).collect();
        let found = split.iter().find_map(|split| split.rounds(shape));
        let found = found.or_else(|| in_pairs(self)).or_else(|| split.iter().find_map(in_pairs));
        if let Some(rounds) = found {
            return Outcome::Ends(rounds);
        }
        Outcome::Unknown(self.edges(&stuck))
    }

    /// The statements of some blocks.
    fn edges(&self, blocks: &[BlockId]) -> Vec<EdgeId> {
        let edges = blocks.iter().flat_map(|block| self.blocks.blocks[*block].edges.iter().copied());
        edges.collect::<BTreeSet<EdgeId>>().into_iter().collect()
    }

    fn rounds(&self, shape: &Loop) -> Option<Rounds> {
        match self.attempt(shape) {
            Attempt::Ends(rounds) => Some(rounds),
            Attempt::Stuck(_) => None,
        }
    }

    /// Ranks a loop.
    fn attempt(&self, shape: &Loop) -> Attempt {
        let Self { question, blocks, invariants } = self;
        let of_loop: BTreeSet<BlockId> = blocks.blocks_in(shape).into_iter().collect();
        let points = blocks.points_in(shape);
        let live = |block: &&BlockId| invariants.polyhedron(&blocks.blocks[**block]).is_some();
        let inside: Vec<BlockId> = of_loop.iter().filter(live).copied().collect();
        let mut entries: BTreeMap<PointId, Entry> = BTreeMap::new();
        for &point in points.iter().filter(|point| invariants.reaches(**point)) {
            let entering = |(id, block): &(BlockId, &Block)| {
                block.target == point && !of_loop.contains(id) && invariants.polyhedron(block).is_some()
            };
            let entering: Vec<BlockId> = blocks.blocks.iter().filter(entering).map(|(id, _)| id).collect();
            let amid = |block: &BlockId| {
                blocks.blocks[*block].edges.last().is_some_and(|edge| shape.edges.contains(edge))
            };
            let amid = entering.iter().any(amid);
            let region = invariants.behind(blocks, point, &entering);
            entries.extend(region.map(|region| (point, Entry { region, amid })));
        }
        let to_head = shape.to_head(question.process()).collect();
        let known = LoopBlocks { all: blocks, invariants, inside, entries, to_head };
        match known.rank() {
            Err(stuck) => Attempt::Stuck(stuck),
            Ok(mut levels) => {
                levels.extend(known.of_rounds());
                match known.rounds(&levels) {
                    Some(rounds) => Attempt::Ends(rounds),
                    None => Attempt::Stuck(known.inside),
                }
            }
        }
    }
}

/// A cycle of a loop all of whose statements can always be executed, and are not counted.
fn free_cycle(question: &Question<'_>, shape: &Loop) -> Option<Vec<EdgeId>> {
    let Question { program, counted, .. } = question;
    let process = question.process();
    if question.may_be_held_up() {
        return None;
    }
    let mut graph = DiGraphMap::<LocationId, EdgeId>::new();
    for &id in shape.edges.difference(counted) {
        let edge = &process.edges[id];
        let escapes =
            process.edges.values().any(|other| other.source == edge.source && other.rank > edge.rank);
        if !escapes && is_free(program, &edge.action) {
            graph.add_edge(edge.source, edge.target, id);
        }
    }
    let components = kosaraju_scc(&graph);
    let cyclic =
        |members: &&Vec<LocationId>| members.len() > 1 || graph.contains_edge(members[0], members[0]);
    let members = components.iter().find(cyclic)?;
    // From any location some step leads on inside, until a location comes again.
    let mut way: Vec<(LocationId, EdgeId)> = Vec::new();
    let mut at = members[0];
    loop {
        let (_, next, edge) = graph.edges(at).find(|(_, next, _)| members.contains(next))?;
        way.push((at, *edge));
        at = next;
        if let Some(first) = way.iter().position(|(location, _)| *location == at) {
            return Some(way[first..].iter().map(|(_, edge)| *edge).collect());
        }
    }
}

/// Returns `true` for statements that can always be executed, where channels have no limit, and are
/// no errors.
fn is_free(program: &Program, action: &Action) -> bool {
    if let Action::Send { channel, .. } = action {
        let Expression::Read(Place { variable: VariableRef::Global(variable), index: None }) = channel else {
            return false;
        };
        let edges = program.types.values().flat_map(|ty| ty.edges.values());
        let mut written = edges.flat_map(|edge| edge.action.targets()).map(|target| target.variable);
        let shape = program.channel_shape(ChannelDeclaration { owner: None, variable: *variable });
        if shape.is_none_or(|shape| shape.capacity == 0)
            || written.any(|other| other == VariableRef::Global(*variable))
        {
            return false;
        }
    }
    never_waits(action)
}
