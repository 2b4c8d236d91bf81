//! Splitting and composing: other blocks with the same runs, of which functions can be found that
//! the blocks as they are do not have.
//!
//! *Splitting* tells apart at each cut point of a loop whether conditions hold (control-flow
//! refinement). *Composing* replaces the blocks of a loop by all sequences of two of them: a loop
//! goes on for ever with pairs of blocks if it does with single ones.

use std::collections::{BTreeMap, BTreeSet};

use cfsm_core::ids::{Id, IdMap};

use crate::affine::{Affine, Symbol};
use crate::blocks::{Block, BlockId, Blocks, Point, PointId};
use crate::limits::{ATOMS, BLOCKS};
use crate::polyhedron::{Polyhedron, Region};

/// The expressions by whose sign cut points may be split.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Atoms {
    /// The conditions of the blocks.
    Conditions,
    /// By how much the blocks change what their conditions are about.
    Changes,
    /// Both.
    Both,
}

/// The negation of the condition that an expression is not negative.
fn negated(atom: &Affine) -> Option<Affine> {
    atom.times(-1)?.plus(&Affine::constant(1), -1)
}

impl Block {
    /// Returns `true` if its conditions can hold at the same time.
    fn is_possible(&self) -> bool {
        let region = Region::new(&self.symbols, self.rows.iter().cloned());
        region.and_then(|region| Polyhedron::new(&region)).is_some()
    }
}

impl Blocks {
    /// The expressions over variables by whose sign points may be split, without trivial ones.
    fn atoms(&self, stuck: &[BlockId], kind: Atoms) -> Vec<Affine> {
        let count = self.variables.len();
        let of_variables = |expression: &Affine| expression.terms.keys().all(|symbol| symbol.index() < count);
        let range = |symbol: Symbol| self.variables[symbol.index()].range;
        let mut found: Vec<Affine> = Vec::new();
        let mut add = |atom: Option<Affine>| {
            let Some(atom) = atom.map(Affine::tightened) else { return };
            let interval = atom.interval(&range);
            let is_new = !found.contains(&atom) && negated(&atom).is_none_or(|other| !found.contains(&other));
            if interval.low < 0 && interval.high >= 0 && is_new {
                found.push(atom);
            }
        };
        let conditions = stuck.iter().flat_map(|block| {
            let block = &self.blocks[*block];
            block.rows.iter().filter(|row| of_variables(row)).map(move |row| (block, row))
        });
        let conditions: Vec<(&Block, &Affine)> = conditions.collect();
        if kind != Atoms::Conditions {
            for (block, row) in &conditions {
                let behind = row.substitute(&|symbol| block.update[symbol.index()].clone());
                let change = behind.and_then(|behind| behind.plus(row, -1)).filter(of_variables);
                if let Some(change) = change {
                    add(change.plus(&Affine::constant(1), -1));
                    add(Some(change));
                }
            }
        }
        if kind != Atoms::Changes {
            conditions.iter().for_each(|(_, row)| add(Some((*row).clone())));
        }
        found.truncate(ATOMS);
        found
    }

    /// Splits the points of a loop by atoms of the given blocks; `None` if there are none, or too
    /// many blocks then.
    pub(crate) fn split(&self, inside: &BTreeSet<PointId>, stuck: &[BlockId], kind: Atoms) -> Option<Self> {
        let atoms = self.atoms(stuck, kind);
        if atoms.is_empty() {
            return None;
        }
        let mut split = self.clone();
        let mut inside = inside.clone();
        for atom in &atoms {
            split.split_by(&mut inside, atom)?;
            if split.blocks.len() > BLOCKS {
                return None;
            }
        }
        Some(split)
    }

    fn split_by(&mut self, inside: &mut BTreeSet<PointId>, atom: &Affine) -> Option<()> {
        let other = negated(atom)?;
        let mut copies: IdMap<PointId, Vec<PointId>> = self.points.ids().map(|point| vec![point]).collect();
        for point in inside.clone() {
            let Point { location, conditions } = self.points[point].clone();
            let with = |condition: &Affine| {
                let conditions = conditions.iter().chain([condition]).cloned().collect();
                Point { location, conditions }
            };
            let copy = self.points.push(with(&other));
            self.points[point] = with(atom);
            inside.insert(copy);
            copies[point].push(copy);
            if self.starts.contains(&point) {
                self.starts.insert(copy);
            }
        }
        let mut blocks = IdMap::new();
        for block in self.blocks.values() {
            for &source in &copies[block.source] {
                for &target in &copies[block.target] {
                    let mut copy = Block { source, target, ..block.clone() };
                    if copies[block.source].len() > 1 {
                        copy.rows.push(if source == block.source { atom.clone() } else { other.clone() });
                    }
                    if copies[block.target].len() > 1 {
                        let condition = if target == block.target { atom } else { &other };
                        let update = &block.update;
                        // A condition with numbers that are too large is left out.
                        copy.rows.extend(condition.substitute(&|symbol| update[symbol.index()].clone()));
                    }
                    if copy.is_possible() {
                        blocks.push(copy);
                    }
                }
            }
        }
        self.blocks = blocks;
        Some(())
    }

    /// Replaces the blocks of a loop by all sequences of two; `None` if these are too many. One
    /// block may come behind them: it leads to a copy of its target that is left by other blocks
    /// only.
    pub(crate) fn composed(&self, inside: &[BlockId]) -> Option<Self> {
        let inner: BTreeSet<BlockId> = inside.iter().copied().collect();
        let mut composed = Self { blocks: IdMap::new(), ..self.clone() };
        let mut last: BTreeMap<PointId, PointId> = BTreeMap::new();
        for block in inside.iter().map(|id| &self.blocks[*id]) {
            let copy = || composed.points.push(self.points[block.target].clone());
            let target = *last.entry(block.target).or_insert_with(copy);
            composed.blocks.push(Block { target, ..block.clone() });
        }
        for (_, block) in self.blocks.iter().filter(|(id, _)| !inner.contains(id)) {
            let behind = last.get(&block.source).map(|source| Block { source: *source, ..block.clone() });
            behind.into_iter().chain([block.clone()]).for_each(|block| _ = composed.blocks.push(block));
        }
        let most = composed.blocks.len() + BLOCKS;
        for first in inside.iter().map(|id| &self.blocks[*id]) {
            let next = inside.iter().map(|id| &self.blocks[*id]).filter(|next| next.source == first.target);
            for second in next {
                let block = self.sequence(first, second)?;
                if block.is_possible() {
                    composed.blocks.push(block);
                }
                if composed.blocks.len() > most {
                    return None;
                }
            }
        }
        Some(composed)
    }

    fn sequence(&self, first: &Block, second: &Block) -> Option<Block> {
        let mut symbols = first.symbols.clone();
        let count = self.variables.len();
        let mut of_second: Vec<Affine> = first.update.clone();
        for (symbol, interval) in second.symbols.iter() {
            if symbol.index() >= count {
                of_second.push(Affine::symbol(symbols.push(*interval)));
            }
        }
        let renamed =
            |expression: &Affine| expression.substitute(&|symbol| of_second[symbol.index()].clone());
        let mut rows = first.rows.clone();
        for row in &second.rows {
            rows.push(renamed(row)?);
        }
        let update = second.update.iter().map(renamed).collect::<Option<Vec<_>>>()?;
        Some(Block {
            source: first.source,
            target: second.target,
            edges: first.edges.iter().chain(&second.edges).copied().collect(),
            symbols,
            rows,
            update,
            counted: first.counted + second.counted,
        })
    }
}
