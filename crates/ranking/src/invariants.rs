//! Invariants: bounds on variables, and on sums and differences of two of them, at each cut point.
//!
//! A fixpoint over the blocks: the greatest value of each template behind a block is the optimum of
//! a linear programme. Bounds that keep growing jump to thresholds, and are tightened again
//! afterwards. The bounds at the end hold at the start and are kept by every block.

use std::collections::BTreeSet;

use cfsm_core::deadline::Deadline;
use cfsm_core::ids::{Id, IdMap};
use num_traits::ToPrimitive;

use crate::affine::{Affine, Symbol};
use crate::blocks::{Block, BlockId, Blocks, PointId};
use crate::limits::{PAIRS, TIGHTENINGS, VISITS};
use crate::polyhedron::{Polyhedron, Region};

/// The greatest value of each template; `None` where control never is.
pub(crate) type Bounds = Option<Vec<i128>>;

/// Bounds on templates at each cut point.
#[derive(Clone, Debug)]
pub(crate) struct Invariants {
    /// The templates: expressions over the variables.
    pub(crate) templates: Vec<Affine>,
    /// The greatest value of each template by the types of variables.
    trivial: Vec<i128>,
    /// The bounds at each cut point.
    at: IdMap<PointId, Bounds>,
}

impl Invariants {
    /// The strongest bounds that the fixpoint finds; `None` if the deadline comes first.
    pub(crate) fn of(blocks: &Blocks, deadline: Deadline) -> Option<Self> {
        let templates = templates(blocks);
        let range = |symbol: Symbol| blocks.variables[symbol.index()].range;
        let trivial = templates.iter().map(|template| template.interval(&range).high).collect();
        let mut invariants = Self { templates, trivial, at: IdMap::filled(None, blocks.points.len()) };
        let initial = |symbol: Symbol| blocks.variables[symbol.index()].initial;
        let start: Vec<i128> =
            invariants.templates.iter().map(|template| template.interval(&initial).high).collect();
        let starts: BTreeSet<PointId> = blocks
            .starts
            .iter()
            .copied()
            .filter(|point| invariants.may_start(blocks, &start, *point))
            .collect();
        starts.iter().for_each(|point| invariants.at[*point] = Some(start.clone()));
        invariants.grow(blocks, &starts, deadline)?;
        invariants.tighten(blocks, &starts, &start, deadline)?;
        Some(invariants)
    }

    /// Returns `true` if control may be at a cut point.
    pub(crate) fn reaches(&self, point: PointId) -> bool {
        self.at[point].is_some()
    }

    /// The conditions that hold at a cut point: expressions over the variables that are not
    /// negative. Those that the types imply are left out.
    pub(crate) fn rows(&self, point: PointId) -> Vec<Affine> {
        self.at[point].as_ref().map_or_else(Vec::new, |bounds| self.as_rows(bounds))
    }

    fn as_rows(&self, bounds: &[i128]) -> Vec<Affine> {
        let all = self.templates.iter().zip(bounds).zip(&self.trivial);
        let rows = all.filter(|((_, bound), trivial)| bound < trivial);
        rows.filter_map(|((template, bound), _)| Affine::constant(*bound).plus(template, -1)).collect()
    }

    /// Returns `true` if the conditions at a point may hold where the process starts.
    fn may_start(&self, blocks: &Blocks, start: &[i128], point: PointId) -> bool {
        let region = self.region_of(blocks, start, point);
        region.and_then(|region| Polyhedron::new(&region)).is_some()
    }

    /// The values within bounds that satisfy the conditions at a point.
    fn region_of(&self, blocks: &Blocks, bounds: &[i128], point: PointId) -> Option<Region> {
        let symbols = blocks.variables.iter().map(|variable| variable.range).collect();
        Region::new(&symbols, self.as_rows(bounds).into_iter().chain(blocks.points[point].conditions.clone()))
    }

    /// The conditions under which a loop is entered at a point: the join over the given blocks, and
    /// over the start of the process if it starts there. `None` if that is impossible.
    pub(crate) fn behind(&self, blocks: &Blocks, point: PointId, entering: &[BlockId]) -> Option<Region> {
        let at_start = blocks.starts.contains(&point);
        let mut joined: Bounds = None;
        if at_start {
            let initial = |symbol: Symbol| blocks.variables[symbol.index()].initial;
            joined = Some(self.templates.iter().map(|template| template.interval(&initial).high).collect());
        }
        for block in entering {
            if let Some(bounds) = self.post(&blocks.blocks[*block]) {
                join(&mut joined, &bounds);
            }
        }
        let region = self.region_of(blocks, &joined?, point)?;
        Polyhedron::new(&region).map(|_| region)
    }

    /// The bounds behind a block; `None` if it is never executed.
    fn post(&self, block: &Block) -> Bounds {
        let mut polyhedron = self.polyhedron(block)?;
        let bound = |(template, trivial): (&Affine, &i128)| {
            let behind = template.substitute(&|symbol| block.update[symbol.index()].clone());
            let greatest = behind.and_then(|behind| match behind.value() {
                Some(value) => Some(value),
                None => polyhedron.greatest(&behind)?.to_i128(),
            });
            greatest.map_or(*trivial, |greatest| greatest.min(*trivial))
        };
        Some(self.templates.iter().zip(&self.trivial).map(bound).collect())
    }

    /// All conditions on the symbols of a block; `None` if they cannot hold.
    pub(crate) fn region(&self, block: &Block) -> Option<Region> {
        self.at[block.source].as_ref()?;
        Region::new(&block.symbols, block.rows.iter().cloned().chain(self.rows(block.source)))
    }

    /// All values that the symbols of a block may have; `None` if there are none.
    pub(crate) fn polyhedron(&self, block: &Block) -> Option<Polyhedron> {
        Polyhedron::new(&self.region(block)?)
    }

    fn grow(&mut self, blocks: &Blocks, starts: &BTreeSet<PointId>, deadline: Deadline) -> Option<()> {
        let thresholds = thresholds(blocks);
        let mut visits: IdMap<PointId, usize> = IdMap::filled(0, blocks.points.len());
        let mut leaving: IdMap<PointId, Vec<&Block>> = IdMap::filled(Vec::new(), blocks.points.len());
        blocks.blocks.values().for_each(|block| leaving[block.source].push(block));
        let mut open: BTreeSet<PointId> = starts.clone();
        while let Some(point) = open.pop_first() {
            for block in &leaving[point] {
                if deadline.is_over() {
                    return None;
                }
                let Some(bounds) = self.post(block) else { continue };
                let mut joined = self.at[block.target].clone();
                if !join(&mut joined, &bounds) {
                    continue;
                }
                visits[block.target] += 1;
                if visits[block.target] > VISITS
                    && let (Some(joined), Some(before)) = (&mut joined, &self.at[block.target])
                {
                    for (at, bound) in
                        joined.iter_mut().enumerate().filter(|(at, bound)| before[*at] < **bound)
                    {
                        let next = thresholds.range(*bound..).next().copied();
                        *bound = next.map_or(self.trivial[at], |next| next.min(self.trivial[at]));
                    }
                }
                self.at[block.target] = joined;
                open.insert(block.target);
            }
        }
        Some(())
    }

    /// Computes all bounds once more from those that there are. The result is kept by every block
    /// too, as the bounds before were.
    fn tighten(
        &mut self,
        blocks: &Blocks,
        starts: &BTreeSet<PointId>,
        start: &[i128],
        deadline: Deadline,
    ) -> Option<()> {
        for _ in 0..TIGHTENINGS {
            let mut again: IdMap<PointId, Bounds> = IdMap::filled(None, blocks.points.len());
            starts.iter().for_each(|point| again[*point] = Some(start.to_vec()));
            for block in blocks.blocks.values() {
                if deadline.is_over() {
                    return None;
                }
                if let Some(bounds) = self.post(block) {
                    join(&mut again[block.target], &bounds);
                }
            }
            for (point, bounds) in again.iter_mut() {
                if let (Some(bounds), Some(before)) = (bounds, &self.at[point]) {
                    bounds.iter_mut().zip(before).for_each(|(bound, before)| *bound = *before.min(bound));
                }
            }
            if again.values().eq(self.at.values()) {
                break;
            }
            self.at = again;
        }
        Some(())
    }
}

/// Joins bounds; returns `true` if they grow.
fn join(joined: &mut Bounds, bounds: &[i128]) -> bool {
    let Some(held) = joined else {
        *joined = Some(bounds.to_vec());
        return true;
    };
    let mut grown = false;
    for (held, bound) in held.iter_mut().zip(bounds) {
        grown |= *held < *bound;
        *held = *bound.max(held);
    }
    grown
}

/// The variables, and the sums and differences of those that occur in one condition or assignment.
fn templates(blocks: &Blocks) -> Vec<Affine> {
    let count = blocks.variables.len();
    let mut pairs: BTreeSet<(Symbol, Symbol)> = BTreeSet::new();
    for block in blocks.blocks.values() {
        let behind = block.update.iter().enumerate().map(|(at, value)| {
            let own = Affine::symbol(Symbol::new(at));
            value.plus(&own, if value.terms.contains_key(&Symbol::new(at)) { 0 } else { 1 })
        });
        for expression in block.rows.iter().cloned().map(Some).chain(behind).flatten() {
            let symbols = expression.terms.keys().filter(|symbol| symbol.index() < count);
            let symbols: Vec<Symbol> = symbols.copied().collect();
            for (at, one) in symbols.iter().enumerate() {
                pairs.extend(symbols[at + 1..].iter().map(|other| (*one, *other)));
            }
        }
    }
    let mut templates = Vec::new();
    for symbol in (0..count).map(Symbol::new).map(Affine::symbol) {
        templates.extend([symbol.times(1), symbol.times(-1)].into_iter().flatten());
    }
    for (one, other) in pairs.into_iter().take(PAIRS) {
        let (one, other) = (Affine::symbol(one), Affine::symbol(other));
        for (first, second) in [(1, 1), (1, -1), (-1, 1), (-1, -1)] {
            templates.extend(one.times(first).and_then(|one| one.plus(&other, second)));
        }
    }
    templates
}

/// The constants of a process and their neighbours, with either sign.
fn thresholds(blocks: &Blocks) -> BTreeSet<i128> {
    let mut found: BTreeSet<i128> = [0].into();
    for variable in &blocks.variables {
        found.extend([variable.initial.low, variable.initial.high]);
    }
    for block in blocks.blocks.values() {
        found.extend(block.rows.iter().chain(&block.update).map(|expression| expression.constant));
    }
    found.iter().flat_map(|value| [-1, 0, 1].map(|near| [value + near, -value - near])).flatten().collect()
}
