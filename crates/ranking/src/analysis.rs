//! The analysis of all loops of a program, and what is tried for each.

use std::collections::{BTreeMap, BTreeSet};

use cfsm_core::program::{
    Action, Binary, ChannelDeclaration, EdgeId, Expression, LocationId, Place, ProcessType, ProcessTypeId,
    Program, VariableRef,
};
use petgraph::algo::kosaraju_scc;
use petgraph::graphmap::DiGraphMap;

use crate::blocks::{Block, BlockId, Blocks, PointId};
use crate::execute::Executor;
use crate::invariants::Invariants;
use crate::nesting::{self, Loop};
use crate::rank::{Entry, LoopBlocks};
use crate::rounds::Rounds;
use crate::split::Atoms;
use crate::variables::Ownership;

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
    /// Control cannot stay in the loop for ever, unless it receives messages for ever.
    Ends(Rounds),
    /// Control can stay in the loop for ever once it is there: these statements are a cycle, and
    /// all of them can always be executed.
    Endless(Vec<EdgeId>),
    /// No ranking function was found that any of these statements lowers.
    Unknown(Vec<EdgeId>),
}

/// The loops of all process types, in order; an outer loop comes before those inside.
#[must_use]
pub fn loops(program: &Program) -> Vec<LoopResult> {
    let ownership = Ownership::of(program);
    let mut results: Vec<LoopResult> = Vec::new();
    for (process_type, process) in program.types.iter() {
        let all = nesting::loops(process);
        let mut around: Option<Ground> = None;
        for shape in &all {
            if shape.parent.is_none() {
                let variables = ownership.tracked(process_type, &shape.locations);
                let executor =
                    Executor { ownership: &ownership, process_type, process, variables: &variables };
                around = Some(Ground::new(Blocks::new(&executor, &all, shape)));
            }
            let Some(ground) = &around else { continue };
            results.push(LoopResult {
                process_type,
                shape: shape.clone(),
                depth: depth(&all, shape),
                variables: ground.blocks.variables.iter().map(|variable| variable.reference).collect(),
                outcome: ground.outcome(program, process, shape),
            });
        }
    }
    results
}

/// The number of loops around a loop.
fn depth(all: &[Loop], shape: &Loop) -> usize {
    std::iter::successors(shape.parent, |parent| all[*parent].parent).count()
}

/// Blocks, and what holds at their cut points.
struct Ground {
    blocks: Blocks,
    invariants: Invariants,
}

/// The result of one attempt to rank a loop.
enum Attempt {
    Ends(Rounds),
    Stuck(Vec<BlockId>),
}

impl Ground {
    fn new(blocks: Blocks) -> Self {
        let invariants = Invariants::of(&blocks);
        Self { blocks, invariants }
    }

    /// The answer for a loop of which these are the blocks as they are.
    fn outcome(&self, program: &Program, process: &ProcessType, shape: &Loop) -> Outcome {
        let stuck = match self.attempt(process, shape) {
            Attempt::Ends(rounds) => return Outcome::Ends(rounds),
            Attempt::Stuck(stuck) => stuck,
        };
        if let Some(edges) = free_cycle(program, process, shape) {
            return Outcome::Endless(edges);
        }
        let points = self.blocks.points_in(shape);
        let in_pairs = |ground: &Self| {
            let blocks = ground.blocks.composed(&ground.blocks.blocks_in(shape))?;
            Self::new(blocks).rounds(process, shape)
        };
        let kinds = [Atoms::Changes, Atoms::Conditions, Atoms::Both].into_iter();
        let split: Vec<Self> =
            kinds.filter_map(|kind| self.blocks.split(&points, &stuck, kind)).map(Self::new).collect();
        let found = split.iter().find_map(|split| split.rounds(process, shape));
        let found = found.or_else(|| in_pairs(self)).or_else(|| split.iter().find_map(in_pairs));
        if let Some(rounds) = found {
            return Outcome::Ends(rounds);
        }
        let edges: BTreeSet<EdgeId> =
            stuck.iter().flat_map(|block| self.blocks.blocks[*block].edges.iter().copied()).collect();
        Outcome::Unknown(edges.into_iter().collect())
    }

    fn rounds(&self, process: &ProcessType, shape: &Loop) -> Option<Rounds> {
        match self.attempt(process, shape) {
            Attempt::Ends(rounds) => Some(rounds),
            Attempt::Stuck(_) => None,
        }
    }

    /// Ranks a loop.
    fn attempt(&self, process: &ProcessType, shape: &Loop) -> Attempt {
        let Self { blocks, invariants } = self;
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
        let to_head = shape.edges.iter().copied().filter(|edge| process.edges[*edge].target == shape.head);
        let to_head = to_head.collect();
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

/// A cycle of a loop all of whose statements can always be executed.
fn free_cycle(program: &Program, process: &ProcessType, shape: &Loop) -> Option<Vec<EdgeId>> {
    // Others may keep a process with a condition or a priority from stepping.
    if process.provided.is_some() || program.uses_priorities() {
        return None;
    }
    let mut graph = DiGraphMap::<LocationId, EdgeId>::new();
    for &id in &shape.edges {
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
    match action {
        Action::Condition(condition) => condition.constant().is_some_and(|value| value != 0),
        Action::Send { channel: Expression::Read(place), fields, .. } => {
            let Place { variable: VariableRef::Global(variable), index: None } = place else { return false };
            let edges = program.types.values().flat_map(|ty| ty.edges.values());
            let mut written = edges.flat_map(|edge| edge.action.targets()).map(|target| target.variable);
            let shape = program.channel_shape(ChannelDeclaration { owner: None, variable: *variable });
            shape.is_some_and(|shape| shape.capacity > 0)
                && written.all(|other| other != place.variable)
                && !fields.iter().any(|field| field.any(&mut |part| may_be_an_error(part)))
        }
        Action::Assign { target, value } => {
            target.index.is_none() && !value.any(&mut |part| may_be_an_error(part))
        }
        Action::Print { arguments, .. } => {
            !arguments.iter().any(|argument| argument.any(&mut |part| may_be_an_error(part)))
        }
        _ => false,
    }
}

/// Returns `true` for expressions that may end a run with an error.
const fn may_be_an_error(expression: &Expression) -> bool {
    use Binary::{Divide, Remainder, ShiftLeft, ShiftRight};
    !matches!(
        expression,
        Expression::Constant(_)
            | Expression::Read(Place { index: None, .. })
            | Expression::Unary(..)
            | Expression::Conditional(..)
            | Expression::Binary(..)
    ) || matches!(expression, Expression::Binary(Divide | Remainder | ShiftLeft | ShiftRight, ..))
}
