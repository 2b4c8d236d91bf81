//! Memo table of path suffixes (*tails*), by their start and the points that they may use.

use std::ops::ControlFlow;

use crate::graph::{EdgeId, narrow};
use crate::mask::Mask;
use crate::path::{BLOCK, Mark, Path};
use crate::search::{Fuel, Visitor};

/// The table has two to this power slots. Tests have few, so that places collide.
const SLOT_BITS: u32 = if cfg!(test) { 4 } else { 12 };
/// Largest number of tails of a place.
const MOST_TAILS: usize = 32;
/// Largest number of edges of a tail: a set of them fits into a word.
const LONGEST_TAIL: usize = 64;
/// Largest number of edges of all tails. In tests so few that the table is cleared again and again.
const MOST_EDGES: usize = if cfg!(test) { 1 << 9 } else { 1 << 15 };

/// The key of the table: a vertex with a choice at which a path ends, and unvisited points that
/// include all those that a way from there to the root can use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place<M> {
    pub(crate) points: M,
    /// Never 0: no way continues from the root.
    pub(crate) end: u8,
}

impl<M: Mask> Place<M> {
    /// The slot of the place in the table.
    #[inline(always)]
    pub(crate) fn slot(self) -> usize {
        let mixed = self.points.folded() ^ (u64::from(self.end) << 56);
        (mixed.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - SLOT_BITS)) as usize
    }
}

/// An entry of the table.
#[derive(Clone, Copy, Debug)]
struct Known<M> {
    /// The points of the place.
    points: M,
    /// The useful points.
    useful: M,
    /// The first of its tails.
    first: u32,
    /// Number of tails; 0 if they are not stored.
    count: u8,
    /// The end of the place; 0 in an empty entry.
    end: u8,
}

impl<M: Mask> Known<M> {
    const NOTHING: Self = Self { points: M::EMPTY, useful: M::EMPTY, first: 0, count: 0, end: 0 };
}

/// A path suffix: a way on to the root.
#[derive(Clone, Copy, Debug)]
struct Tail {
    /// Set of the positions of edges with parallel edges.
    choices: u64,
    start: u32,
    length: u32,
}

/// A table of places, with the tails of some. An entry is overwritten when another place needs its
/// slot, and the table is cleared when there are too many tails, so the memory is bounded by a
/// constant.
#[derive(Clone, Debug)]
pub(crate) struct SuffixMemo<M> {
    slots: Vec<Known<M>>,
    tails: Vec<Tail>,
    /// The edges of all tails, one after the other, followed by a block of arbitrary edges.
    edges: Vec<EdgeId>,
    /// The range of tails that remain to be visited.
    open: (u32, u32),
    /// The end of the path before them.
    mark: Mark,
}

impl<M: Mask> SuffixMemo<M> {
    /// The empty table.
    pub(crate) fn new() -> Self {
        Self {
            slots: vec![Known::NOTHING; 1 << SLOT_BITS],
            tails: Vec::new(),
            edges: vec![EdgeId::new(0); BLOCK],
            open: (0, 0),
            mark: Mark::default(),
        }
    }

    /// Returns `true` if the slot has an entry for the place.
    #[inline(always)]
    pub(crate) fn knows(&self, slot: usize, place: Place<M>) -> bool {
        let known = &self.slots[slot];
        known.points == place.points && known.end == place.end
    }

    /// Opens the tails of the place at a slot, if there are any. Returns the useful points, and
    /// whether tails were opened.
    #[inline(always)]
    pub(crate) fn open(&mut self, slot: usize) -> (M, bool) {
        let known = &self.slots[slot];
        self.open = (known.first, known.first + u32::from(known.count));
        (known.useful, known.count > 0)
    }

    /// Number of open tails.
    #[inline(always)]
    pub(crate) fn opened(&self) -> u32 {
        self.open.1 - self.open.0
    }

    /// Sets the end of the path after which the open tails are to be visited.
    #[inline(always)]
    pub(crate) fn begin(&mut self, mark: Mark) {
        self.mark = mark;
    }

    /// Visits the open tails.
    #[inline(always)]
    pub(crate) fn visit(
        &mut self,
        path: &mut Path,
        fuel: &mut Fuel,
        visitor: &mut impl Visitor,
    ) -> ControlFlow<()> {
        while self.open.0 < self.open.1 {
            let tail = self.tails[self.open.0 as usize];
            self.open.0 += 1;
            fuel.spend();
            let mut mark = self.mark;
            path.push_blocks_at(&mut mark, &self.edges, tail.start as usize, tail.length);
            if tail.choices != 0 {
                path.choose_at(&mut mark, self.mark, tail.choices);
            }
            path.back_to(mark);
            visitor.visit(path)?;
        }
        ControlFlow::Continue(())
    }

    /// Stores the useful points of a place, and its tails, if they were found.
    pub(crate) fn keep(&mut self, slot: usize, place: Place<M>, useful: M, found: Option<&Found>) {
        let (mut first, mut count) = (0, 0);
        if let Some(found) = found {
            if self.edges.len() + found.edges.len() > MOST_EDGES {
                self.forget();
            }
            self.edges.truncate(self.edges.len() - BLOCK);
            let start = narrow(self.edges.len());
            (first, count) = (narrow(self.tails.len()), u8::try_from(found.tails.len()).unwrap_or(0));
            self.tails.extend(found.tails.iter().map(|tail| Tail { start: start + tail.start, ..*tail }));
            self.edges.extend_from_slice(&found.edges);
            self.edges.extend([EdgeId::new(0); BLOCK]);
        }
        self.slots[slot] = Known { points: place.points, useful, first, count, end: place.end };
    }

    /// Stores for a place the entry of another one with the same useful points.
    pub(crate) fn keep_same(&mut self, slot: usize, place: Place<M>, other: usize) {
        self.slots[slot] = Known { points: place.points, end: place.end, ..self.slots[other] };
    }

    fn forget(&mut self) {
        self.slots.fill(Known::NOTHING);
        self.tails.clear();
        self.edges.truncate(BLOCK);
    }
}

/// The tails of a place, during the search for them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Found {
    tails: Vec<Tail>,
    edges: Vec<EdgeId>,
}

impl Found {
    /// Number of tails.
    pub(crate) fn count(&self) -> i64 {
        self.tails.len() as i64
    }

    /// Removes all tails.
    pub(crate) fn clear(&mut self) {
        self.tails.clear();
        self.edges.clear();
    }
}

impl Visitor for Found {
    /// Stops if there are too many tails, or one is too long.
    fn visit(&mut self, path: &mut Path) -> ControlFlow<()> {
        let length = path.edges().len();
        if self.tails.len() == MOST_TAILS || length > LONGEST_TAIL {
            return ControlFlow::Break(());
        }
        let start = narrow(self.edges.len());
        self.tails.push(Tail { choices: path.chosen(), start, length: narrow(length) });
        self.edges.extend_from_slice(path.edges());
        ControlFlow::Continue(())
    }
}
