//! Lexicographic ranking functions: a sequence of functions, each of which some blocks lower and no
//! block that is left raises, until no cycle of blocks is left.
//!
//! Each level is a linear programme over the blocks of a strongly connected part (Podelski and
//! Rybalchenko 2004, with a function per cut point as in Alias et al. 2010): lower as many blocks
//! as possible. All variables are machine integers, so that every function is bounded below. A
//! second programme finds, for these blocks, a function that is small where the loop is entered and
//! that other blocks raise by little: it decides how tight the number of rounds is, nothing else.
//! The effect of each block on the functions found is then computed once more, exactly.

use std::collections::{BTreeMap, BTreeSet};

use cfsm_core::ids::Id;
use cfsm_core::program::EdgeId;
use ilp_encode::linear::Domain;
use num_bigint::BigInt;
use num_integer::Integer;
use num_rational::BigRational;
use num_traits::{One, ToPrimitive};
use petgraph::algo::kosaraju_scc;
use petgraph::graphmap::DiGraphMap;

use crate::affine::{Affine, Symbol};
use crate::blocks::{BlockId, Blocks, PointId};
use crate::farkas::{Form, Search, Unknown};
use crate::invariants::Invariants;
use crate::limits::EXACT_BLOCKS;
use crate::polyhedron::{Polyhedron, Region};

/// A quantity that is never negative: at its cut points it is its function, or 0 where that is
/// negative, and 0 at all others.
#[derive(Clone, Debug)]
pub(crate) struct Quantity {
    /// The function at each of its cut points.
    pub(crate) functions: BTreeMap<PointId, Affine>,
    /// By how much each block changes the quantity at most, if that is not 0.
    pub(crate) changes: BTreeMap<BlockId, i128>,
}

/// A level of a lexicographic ranking function.
#[derive(Clone, Debug)]
pub(crate) struct Level {
    /// The blocks that it lowers.
    pub(crate) lowered: BTreeSet<BlockId>,
    /// Quantities that these blocks lower.
    pub(crate) quantities: Vec<Quantity>,
}

/// The blocks of a loop that are executed in some run, and where they are entered.
#[derive(Clone, Debug)]
pub(crate) struct LoopBlocks<'a> {
    /// All blocks of the process.
    pub(crate) all: &'a Blocks,
    /// Bounds at cut points.
    pub(crate) invariants: &'a Invariants,
    /// The blocks of the loop.
    pub(crate) inside: Vec<BlockId>,
    /// The points at which it is entered.
    pub(crate) entries: BTreeMap<PointId, Entry>,
    /// The statements in it that lead to its head.
    pub(crate) to_head: BTreeSet<EdgeId>,
}

/// A way into a loop, up to its first cut point there.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    /// The conditions that hold at the cut point then.
    pub(crate) region: Region,
    /// `true` if there may be statements of the loop before the cut point.
    pub(crate) amid: bool,
}

/// The variables at the source of a block.
pub(crate) fn variables(blocks: &Blocks) -> Vec<Affine> {
    (0..blocks.variables.len()).map(|at| Affine::symbol(Symbol::new(at))).collect()
}

/// Requirements on functions beside the blocks that they lower.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Aim {
    /// They are small where the loop is entered, and other blocks raise them by little.
    Small,
    /// Nothing.
    Any,
}

/// Finds a point of a linear programme.
type Solver = fn(&Search, &[(usize, i128)]) -> Option<Vec<BigRational>>;

/// The weight of what other blocks raise, beside what the function is at the entry.
const RESET_WEIGHT: i128 = 4;

impl LoopBlocks<'_> {
    /// The number of times that a block comes to the head of the loop.
    pub(crate) fn arrivals(&self, block: BlockId) -> usize {
        self.all.blocks[block].edges.iter().filter(|edge| self.to_head.contains(edge)).count()
    }

    /// Finds a lexicographic ranking function.
    ///
    /// # Errors
    /// Blocks of which no function could be found that any of them lowers.
    pub(crate) fn rank(&self) -> Result<Vec<Level>, Vec<BlockId>> {
        let is_counted = |block: &BlockId| self.all.blocks[*block].counted > 0;
        let mut left: BTreeSet<BlockId> =
            self.inside.iter().copied().filter(|block| !is_counted(block)).collect();
        let mut levels = Vec::new();
        while let Some(part) = self.cyclic_part(&left) {
            let Some(level) = self.level(&part) else { return Err(part.into_iter().collect()) };
            left.retain(|block| !level.lowered.contains(block));
            levels.push(level);
        }
        Ok(levels)
    }

    /// The blocks of a strongly connected part of those given; `None` if they have no cycle.
    fn cyclic_part(&self, left: &BTreeSet<BlockId>) -> Option<BTreeSet<BlockId>> {
        let mut graph = DiGraphMap::<PointId, ()>::new();
        for block in left {
            let block = &self.all.blocks[*block];
            graph.add_edge(block.source, block.target, ());
        }
        kosaraju_scc(&graph).into_iter().find_map(|points| {
            let inside = |block: &&BlockId| {
                let block = &self.all.blocks[**block];
                points.contains(&block.source) && points.contains(&block.target)
            };
            let part: BTreeSet<BlockId> = left.iter().filter(inside).copied().collect();
            (!part.is_empty()).then_some(part)
        })
    }

    fn level(&self, part: &BTreeSet<BlockId>) -> Option<Level> {
        let exact = if part.len() <= EXACT_BLOCKS { Some(Search::maximise as Solver) } else { None };
        [Some(Search::candidate as Solver), exact].into_iter().flatten().find_map(|solver| {
            let lowered = self.most_lowered(part, solver)?;
            [Aim::Small, Aim::Any].into_iter().find_map(|aim| {
                let functions = self.functions(part, &lowered, aim, solver)?;
                self.measured(part, &functions)
            })
        })
    }

    /// A level that lowers all blocks that come back to the head of the loop, whatever else it does
    /// not lower: it is not needed to show that the loop ends, and often tells better how often it
    /// turns.
    pub(crate) fn of_rounds(&self) -> Option<Level> {
        let part: BTreeSet<BlockId> = self.inside.iter().copied().collect();
        let arrivals = part.iter().copied().filter(|block| self.arrivals(*block) > 0).collect();
        let functions = self.functions(&part, &arrivals, Aim::Small, Search::candidate)?;
        self.measured(&part, &functions)
    }

    /// As many blocks as one function can lower.
    fn most_lowered(&self, part: &BTreeSet<BlockId>, solver: Solver) -> Option<BTreeSet<BlockId>> {
        let mut search = Search::default();
        let functions = self.unknowns(part, &mut search);
        let mut falls = BTreeMap::new();
        for &block in part {
            let fall = search.column(Domain::NonNegative);
            search.at_most(fall, 1);
            falls.insert(block, fall);
            let change = self.change(block, &functions).plus(&Form::column(fall), 1);
            self.require(&mut search, Form::default().plus(&change, -1), block);
        }
        let objective: Vec<(usize, i128)> = falls.values().map(|fall| (*fall, 1)).collect();
        let point = solver(&search, &objective)?;
        // An optimum lowers a block by 1 or not at all.
        let half = BigRational::new(1.into(), 2.into());
        let lowered = falls.into_iter().filter(|(_, fall)| point[*fall] > half);
        let lowered: BTreeSet<BlockId> = lowered.map(|(block, _)| block).collect();
        (!lowered.is_empty()).then_some(lowered)
    }

    /// Functions that lower these blocks by 1 at least, and are not negative where these begin.
    fn functions(
        &self,
        part: &BTreeSet<BlockId>,
        lowered: &BTreeSet<BlockId>,
        aim: Aim,
        solver: Solver,
    ) -> Option<BTreeMap<PointId, Affine>> {
        let mut search = Search::default();
        let functions = self.unknowns(part, &mut search);
        let at_source = variables(self.all);
        let mut costs: Vec<(usize, i128)> = Vec::new();
        for &block in part {
            let fall = Form::number(if lowered.contains(&block) { 1 } else { 0 });
            let change = self.change(block, &functions).plus(&fall, 1);
            self.require(&mut search, Form::default().plus(&change, -1), block);
            if lowered.contains(&block) {
                let source = self.all.blocks[block].source;
                self.require(&mut search, functions[&source].of(&at_source), block);
            }
        }
        if aim == Aim::Small {
            for (point, Entry { region, .. }) in &self.entries {
                let Some(function) = functions.get(point) else { continue };
                // The greatest value, and one in the middle, which tells apart equally great ones.
                let (greatest, middle) =
                    (search.column(Domain::NonNegative), search.column(Domain::NonNegative));
                let below = Form::column(greatest).plus(&function.of(&at_source), -1);
                search.non_negative(below, region);
                let value = function.of(&self.middle(region));
                search.non_negative(Form::column(middle).plus(&value, -1), &Region::default());
                costs.extend([(greatest, -1), (middle, -1)]);
            }
            for &block in self.inside.iter().filter(|block| !part.contains(block)) {
                if !functions.contains_key(&self.all.blocks[block].target) {
                    continue;
                }
                let raised = search.column(Domain::NonNegative);
                let change = self.change(block, &functions);
                self.require(&mut search, Form::column(raised).plus(&change, -1), block);
                costs.push((raised, -RESET_WEIGHT));
            }
        }
        let point = solver(&search, &costs)?;
        integral(&functions, &point)
    }

    /// A point in the middle of what holds where a loop is entered.
    fn middle(&self, region: &Region) -> Vec<Affine> {
        let mut entry = Polyhedron::new(region);
        let mut middle = |variable: Affine| -> Option<Affine> {
            let entry = entry.as_mut()?;
            let sum: BigInt = entry.least(&variable)? + entry.greatest(&variable)?;
            (sum / BigInt::from(2)).to_i128().map(Affine::constant)
        };
        variables(self.all).into_iter().map(|variable| middle(variable).unwrap_or_default()).collect()
    }

    fn unknowns(&self, part: &BTreeSet<BlockId>, search: &mut Search) -> BTreeMap<PointId, Unknown> {
        let ends = part.iter().flat_map(|block| {
            let block = &self.all.blocks[*block];
            [block.source, block.target]
        });
        let points: BTreeSet<PointId> = ends.collect();
        points.into_iter().map(|point| (point, search.function(self.all.variables.len()))).collect()
    }

    /// By how much a block changes the function: what it is at the target, where the block comes
    /// from outside of the part.
    fn change(&self, block: BlockId, functions: &BTreeMap<PointId, Unknown>) -> Form {
        let block = &self.all.blocks[block];
        let behind = functions.get(&block.target).map(|function| function.of(&block.update));
        let before = functions.get(&block.source).map(|function| function.of(&variables(self.all)));
        behind.unwrap_or_default().plus(&before.unwrap_or_default(), -1)
    }

    fn require(&self, search: &mut Search, form: Form, block: BlockId) {
        // What cannot be executed does nothing.
        if let Some(region) = self.invariants.region(&self.all.blocks[block]) {
            search.non_negative(form, &region);
        }
    }

    /// The effect of functions, computed anew; `None` if a block of the part raises them, or none
    /// lowers them.
    fn measured(&self, part: &BTreeSet<BlockId>, functions: &BTreeMap<PointId, Affine>) -> Option<Level> {
        let measures: BTreeMap<BlockId, Measure> = self
            .inside
            .iter()
            .map(|block| Some((*block, self.measure(*block, functions)?)))
            .collect::<Option<_>>()?;
        let inner = || part.iter().map(|block| (*block, measures[block]));
        if inner().any(|(_, measure)| measure.change > 0) {
            return None;
        }
        let lowered: BTreeSet<BlockId> =
            inner().filter(|(_, measure)| measure.change < 0).map(|(block, _)| block).collect();
        let step = lowered.iter().map(|block| -measures[block].change).min()?;
        let bottom = lowered.iter().map(|block| measures[block].before).min()?;
        // Measured from where the last lowering block begins: each of them takes one step at least.
        let change = |block: &BlockId, from_outside: i128| {
            let measure = measures[block];
            if lowered.contains(block) {
                -step
            } else {
                (measure.change + if measure.enters { from_outside } else { 0 }).max(0)
            }
        };
        let by_steps = self.quantity(functions, step - bottom, &|block| change(block, step - bottom))?;
        // Measured from the least value anywhere: each block takes what it takes.
        let ends = measures.values().flat_map(|measure| [measure.before, measure.behind]);
        let floor = ends.min().unwrap_or(0);
        let exact = |block: &BlockId| {
            let measure = measures[block];
            measure.change - if measure.enters { floor } else { 0 }
        };
        let by_values = self.quantity(functions, -floor, &exact)?;
        Some(Level { lowered, quantities: vec![by_steps, by_values] })
    }

    fn quantity(
        &self,
        functions: &BTreeMap<PointId, Affine>,
        up: i128,
        change: &dyn Fn(&BlockId) -> i128,
    ) -> Option<Quantity> {
        let up = Affine::constant(up);
        let raised = functions.iter().map(|(point, function)| Some((*point, function.plus(&up, 1)?)));
        let functions: BTreeMap<PointId, Affine> = raised.collect::<Option<_>>()?;
        let to_points =
            self.inside.iter().filter(|block| functions.contains_key(&self.all.blocks[**block].target));
        let changes = to_points.map(|block| (*block, change(block))).filter(|(_, change)| *change != 0);
        let changes = changes.collect();
        Some(Quantity { functions, changes })
    }

    /// The extremes of functions before and behind a block.
    fn measure(&self, block: BlockId, functions: &BTreeMap<PointId, Affine>) -> Option<Measure> {
        let known = &self.all.blocks[block];
        let (before, behind) = (functions.get(&known.source), functions.get(&known.target));
        let mut polyhedron = self.invariants.polyhedron(known)?;
        let behind = match behind {
            Some(function) => Some(function.substitute(&|symbol| known.update[symbol.index()].clone())?),
            None => None,
        };
        let mut least = |value: &Option<Affine>| match value {
            Some(value) => polyhedron.least(value)?.to_i128(),
            None => Some(i128::MAX),
        };
        let ends = [least(&before.cloned())?, least(&behind)?];
        let change = match (before, &behind) {
            (Some(before), Some(behind)) => polyhedron.greatest(&behind.plus(before, -1)?)?.to_i128()?,
            (None, Some(behind)) => polyhedron.greatest(behind)?.to_i128()?,
            _ => 0,
        };
        Some(Measure { before: ends[0], behind: ends[1], change, enters: before.is_none() })
    }
}

/// The extremes of functions before and behind a block.
#[derive(Clone, Copy, Debug)]
struct Measure {
    /// The least value before; the greatest number if there is no function there.
    before: i128,
    /// The least value behind, likewise.
    behind: i128,
    /// The greatest change; the greatest value behind if there is no function before.
    change: i128,
    /// `true` if there is no function before.
    enters: bool,
}

/// The functions of a solution, all times the same factor, with integer coefficients.
fn integral(
    functions: &BTreeMap<PointId, Unknown>,
    point: &[BigRational],
) -> Option<BTreeMap<PointId, Affine>> {
    let columns = functions.values().flat_map(Unknown::columns);
    let factor = columns.fold(<BigInt as One>::one(), |all, column| all.lcm(point[column].denom()));
    let solved = functions.iter().map(|(at, function)| Some((*at, function.solved(point, &factor)?)));
    solved.collect()
}
