//! The analysis of all loops of a program, and what is tried for each.

use std::collections::{BTreeMap, BTreeSet};

use cfsm_core::program::{
    Action, ChannelDeclaration, EdgeId, Expression, LocationId, Place, ProcessType, ProcessTypeId, Program,
    VariableRef,
};
use petgraph::algo::kosaraju_scc;
use petgraph::graphmap::DiGraphMap;

use crate::blocks::{Block, BlockId, Blocks, PointId};
use crate::execute::Executor;
use crate::invariants::Invariants;
use crate::nesting::{self, Loop};
use crate::polyhedron::Region;
use crate::rank::LoopBlocks;
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
        let mut around: Option<Outermost> = None;
        for shape in &all {
            if shape.parent.is_none() {
                let variables = ownership.tracked(process_type, &shape.locations);
                let executor =
                    Executor { ownership: &ownership, process_type, process, variables: &variables };
                let blocks = Blocks::new(&executor, &all, shape);
                let invariants = Invariants::of(&blocks);
                around = Some(Outermost { blocks, invariants });
            }
            let Some(outermost) = &around else { continue };
            results.push(LoopResult {
                process_type,
                shape: shape.clone(),
                depth: depth(&all, shape),
                variables: outermost.blocks.variables.iter().map(|variable| variable.reference).collect(),
                outcome: outermost.outcome(program, process, shape),
            });
        }
    }
    results
}

/// The number of loops around a loop.
fn depth(all: &[Loop], shape: &Loop) -> usize {
    std::iter::successors(shape.parent, |parent| all[*parent].parent).count()
}

/// The blocks of an outermost loop, for all loops inside.
struct Outermost {
    blocks: Blocks,
    invariants: Invariants,
}

/// The result of one attempt to rank a loop.
enum Attempt {
    Ends(Rounds),
    Stuck(Vec<BlockId>),
}

impl Outermost {
    fn outcome(&self, program: &Program, process: &ProcessType, shape: &Loop) -> Outcome {
        let mut blocks = self.blocks.clone();
        let inside = blocks.blocks_in(shape);
        for &block in &inside {
            let block = &mut blocks.blocks[block];
            block.arrivals = u32::from(blocks.points[block.target].location == shape.head);
        }
        let stuck = match attempt(&blocks, &self.invariants, shape, 0) {
            Attempt::Ends(rounds) => return Outcome::Ends(rounds),
            Attempt::Stuck(stuck) => stuck,
        };
        if let Some(edges) = free_cycle(program, process, shape) {
            return Outcome::Endless(edges);
        }
        let points = blocks.points_in(shape);
        let ends = |blocks: &Blocks, extra: u32| {
            let invariants = Invariants::of(blocks);
            match attempt(blocks, &invariants, shape, extra) {
                Attempt::Ends(rounds) => Some(rounds),
                Attempt::Stuck(_) => None,
            }
        };
        for kind in [Atoms::Changes, Atoms::Conditions, Atoms::Both] {
            if let Some(split) = blocks.split(&points, &stuck, kind)
                && let Some(rounds) = ends(&split, 0)
            {
                return Outcome::Ends(rounds);
            }
        }
        let twice = blocks.composed(&inside);
        if let Some(twice) = &twice
            && let Some(rounds) = ends(twice, 1)
        {
            return Outcome::Ends(rounds);
        }
        for kind in [Atoms::Changes, Atoms::Conditions] {
            let split = blocks.split(&points, &stuck, kind);
            if let Some(twice) = split.and_then(|split| split.composed(&split.blocks_in(shape)))
                && let Some(rounds) = ends(&twice, 1)
            {
                return Outcome::Ends(rounds);
            }
        }
        let edges: BTreeSet<EdgeId> =
            stuck.iter().flat_map(|block| blocks.blocks[*block].edges.iter().copied()).collect();
        Outcome::Unknown(edges.into_iter().collect())
    }
}

/// Ranks a loop; `extra` arrivals at its head are not counted by its blocks.
fn attempt(blocks: &Blocks, invariants: &Invariants, shape: &Loop, extra: u32) -> Attempt {
    let of_loop: BTreeSet<BlockId> = blocks.blocks_in(shape).into_iter().collect();
    let points = blocks.points_in(shape);
    let live = |block: &&BlockId| invariants.polyhedron(&blocks.blocks[**block]).is_some();
    let inside: Vec<BlockId> = of_loop.iter().filter(live).copied().collect();
    let mut entries: BTreeMap<PointId, Region> = BTreeMap::new();
    for &point in points.iter().filter(|point| invariants.reaches(**point)) {
        let entering = |(id, block): &(BlockId, &Block)| {
            block.target == point && !of_loop.contains(id) && invariants.polyhedron(block).is_some()
        };
        let entering: Vec<BlockId> = blocks.blocks.iter().filter(entering).map(|(id, _)| id).collect();
        entries.extend(invariants.behind(blocks, point, &entering).map(|region| (point, region)));
    }
    let known = LoopBlocks { all: blocks, invariants, inside, entries };
    match known.rank() {
        Err(stuck) => Attempt::Stuck(stuck),
        Ok(mut levels) => {
            levels.extend(known.of_rounds());
            match known.rounds(&levels, extra) {
                Some(rounds) => Attempt::Ends(rounds),
                None => Attempt::Stuck(known.inside),
            }
        }
    }
}

/// A cycle of a loop all of whose statements can always be executed.
fn free_cycle(program: &Program, process: &ProcessType, shape: &Loop) -> Option<Vec<EdgeId>> {
    let mut graph = DiGraphMap::<LocationId, EdgeId>::new();
    for &id in &shape.edges {
        let edge = &process.edges[id];
        if is_free(program, &edge.action) {
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

/// Returns `true` for statements that can always be executed, where channels have no limit.
fn is_free(program: &Program, action: &Action) -> bool {
    match action {
        Action::Condition(condition) => condition.constant().is_some_and(|value| value != 0),
        Action::Send {
            channel: Expression::Read(Place { variable: VariableRef::Global(variable), .. }),
            ..
        } => {
            let shape = program.channel_shape(ChannelDeclaration { owner: None, variable: *variable });
            shape.is_some_and(|shape| shape.capacity > 0)
        }
        Action::Assign { .. } | Action::Assert(_) | Action::Print { .. } | Action::Create { .. } => true,
        _ => false,
    }
}
