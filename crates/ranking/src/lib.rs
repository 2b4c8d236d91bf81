//! Loops that end, and how often they turn.
//!
//! [`loops`] finds the loops of each process type of a [`Program`] and asks of each whether control
//! can stay in it for ever, and how often it comes back to its head: thesis chapter 9 and sections
//! 8.3 and 12.2. The answer is a proof by lexicographic ranking functions, which linear programmes
//! find and exact arithmetic decides; cut points are split by conditions, and blocks composed,
//! where no function is found at first. `docs/soundness/ranking.md` has the argument.
//!
//! ```
//! use cfsm_core::program::{Binary, Expression, ProgramBuilder, Type};
//! use ranking::{Outcome, loops};
//!
//! let mut b = ProgramBuilder::new("countdown.txt");
//! let mut process = b.process("P", 1);
//! let x = process.local("x", Type::Byte);
//! let (read, one) = (|| Box::new(Expression::variable(x)), Box::new(Expression::Constant(1)));
//! process.wait("head", Expression::Binary(Binary::Greater, read(), Box::new(Expression::Constant(0))), "body", "x > 0");
//! process.assign("body", x, Expression::Binary(Binary::Subtract, read(), one), "head", "x--");
//! let program = b.build()?;
//! let found = loops(&program);
//! assert!(matches!(&found[0].outcome, Outcome::Ends(rounds) if rounds.most() == 0.into()));
//! # Ok::<(), cfsm_core::program::Fault>(())
//! ```
//!
//! # Complexity
//! Linear programmes over the ways through each outermost loop, whose number, and that of the
//! variables, is limited: polynomial in these limits, and linear in the number of loops.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod affine;
mod blocks;
mod execute;
mod farkas;
mod invariants;
mod limits;
mod nesting;
mod polyhedron;
mod rank;
mod rounds;
mod split;
mod variables;

use std::collections::{BTreeMap, BTreeSet};

use cfsm_core::program::{
    Action, ChannelDeclaration, EdgeId, Expression, LocationId, Place, ProcessType, ProcessTypeId, Program,
    VariableRef,
};
use petgraph::algo::kosaraju_scc;
use petgraph::graphmap::DiGraphMap;

pub use affine::{Affine, Symbol};
pub use nesting::Loop;
pub use rounds::{Part, Rounds, Sum};

use blocks::{BlockId, Blocks, PointId};
use execute::Executor;
use invariants::Invariants;
use polyhedron::Region;
use rank::LoopBlocks;
use split::Atoms;
use variables::Ownership;

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
    /// Whether it ends.
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
        let entering = |(id, block): &(BlockId, &blocks::Block)| {
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
