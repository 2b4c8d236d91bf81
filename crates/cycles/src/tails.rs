//! Ways on to the root that are kept, by where they begin and what they may go through.

use std::ops::ControlFlow;

use crate::graph::{EdgeId, narrow};
use crate::mask::Mask;
use crate::path::{BLOCK, Mark, Path};
use crate::search::{Fuel, Visitor};

/// The number of slots is two to this power. Tests have few, so that places are in each other's
/// way.
const SLOT_BITS: u32 = if cfg!(test) { 4 } else { 12 };
/// Tails of a place, at most.
const MOST_TAILS: usize = 32;
/// Edges of a tail, at most: a set of them fits into a word.
const LONGEST_TAIL: usize = 64;
/// Edges of all tails, at most. In tests so few that all is forgotten again and again.
const MOST_EDGES: usize = if cfg!(test) { 1 << 9 } else { 1 << 15 };

/// A vertex with a choice at which a path ends, and points on which it has not been, with all
/// points among them that a way from there to the root can go through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place<M> {
    pub(crate) points: M,
    /// Never 0: at the root no way goes on.
    pub(crate) end: u8,
}

impl<M: Mask> Place<M> {
    /// Where what is known of it would be.
    #[inline(always)]
    pub(crate) fn slot(self) -> usize {
        let mixed = self.points.folded() ^ (u64::from(self.end) << 56);
        (mixed.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - SLOT_BITS)) as usize
    }
}

/// What is known of a place.
#[derive(Clone, Copy, Debug)]
struct Known<M> {
    /// The points of the place.
    points: M,
    /// The points that are of use.
    useful: M,
    /// The first of its tails.
    first: u32,
    /// How many tails there are; 0 if they are not kept.
    count: u8,
    /// The end of the place; 0 if nothing is known.
    end: u8,
}

impl<M: Mask> Known<M> {
    const NOTHING: Self = Self { points: M::EMPTY, useful: M::EMPTY, first: 0, count: 0, end: 0 };
}

/// A way on to the root.
#[derive(Clone, Copy, Debug)]
struct Tail {
    /// Which of its edges have parallel edges.
    choices: u64,
    start: u32,
    length: u32,
}

/// Places, and tails of some. What is known of a place is forgotten when another needs the slot,
/// and all is forgotten when there are too many tails, so the memory is bounded by a constant.
#[derive(Clone, Debug)]
pub(crate) struct Tails<M> {
    slots: Vec<Known<M>>,
    tails: Vec<Tail>,
    /// The edges of tails, one after the other, and then a block of any edges.
    edges: Vec<EdgeId>,
    /// Tails that are left to visit: the next, and behind the last.
    open: (u32, u32),
    /// Where the path ends before them.
    mark: Mark,
}

impl<M: Mask> Tails<M> {
    /// None so far.
    pub(crate) fn new() -> Self {
        Self {
            slots: vec![Known::NOTHING; 1 << SLOT_BITS],
            tails: Vec::new(),
            edges: vec![EdgeId::new(0); BLOCK],
            open: (0, 0),
            mark: Mark::default(),
        }
    }

    /// Whether something is known of a place.
    #[inline(always)]
    pub(crate) fn knows(&self, slot: usize, place: Place<M>) -> bool {
        let known = &self.slots[slot];
        known.points == place.points && known.end == place.end
    }

    /// Opens the tails of the place at a slot, if there are any; what is of use, and whether they
    /// are open.
    #[inline(always)]
    pub(crate) fn open(&mut self, slot: usize) -> (M, bool) {
        let known = &self.slots[slot];
        self.open = (known.first, known.first + u32::from(known.count));
        (known.useful, known.count > 0)
    }

    /// How many are open.
    #[inline(always)]
    pub(crate) fn opened(&self) -> u32 {
        self.open.1 - self.open.0
    }

    /// The tails that are open are to be visited behind a path.
    #[inline(always)]
    pub(crate) fn begin(&mut self, mark: Mark) {
        self.mark = mark;
    }

    /// Visits the tails that are open.
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

    /// Keeps what is of use from a place, and its tails, if they were found.
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

    /// Keeps for a place what is known of another one, from which the same is of use.
    pub(crate) fn keep_same(&mut self, slot: usize, place: Place<M>, other: usize) {
        self.slots[slot] = Known { points: place.points, end: place.end, ..self.slots[other] };
    }

    fn forget(&mut self) {
        self.slots.fill(Known::NOTHING);
        self.tails.clear();
        self.edges.truncate(BLOCK);
    }
}

/// Tails of a place, as they are found.
#[derive(Clone, Debug, Default)]
pub(crate) struct Found {
    tails: Vec<Tail>,
    edges: Vec<EdgeId>,
}

impl Found {
    /// How many there are.
    pub(crate) fn count(&self) -> i64 {
        self.tails.len() as i64
    }

    /// Nothing found so far.
    pub(crate) fn clear(&mut self) {
        self.tails.clear();
        self.edges.clear();
    }
}

impl Visitor for Found {
    /// Breaks if there are too many, or one is too long.
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
