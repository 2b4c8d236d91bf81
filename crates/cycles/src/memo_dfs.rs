//! Search for many cycles from one root with memoised path suffixes (*tails*).
//!
//! Consider a vertex with a choice at which a path ends, and a set of points, none of which is on
//! the path, that includes all points of all ways from there to the root around the path. The ways
//! on are the ways in this set that visit no vertex twice: each way on is one, and each of these
//! avoids the path. So paths that end at the same vertex and leave the same set have the same ways
//! on, in the same order. One such set is that of the *useful* points: those that can be reached
//! from there, and from which the root can be reached, around the path. Another is the set that was
//! useful at the last choice of the path, without the points visited since: every way on from here
//! was a way on from there. The first set is computed from the second, and equal second sets give
//! equal first sets.
//!
//! Many paths leave the same few points at the same vertex. So where few points are useful, the
//! ways on, *tails*, are found once and memoised, and copied when the same points are useful there
//! again. The useful points are memoised, too, by the set from which they were computed.
//!
//! This search takes over from the other one with bit sets after that has taken many steps, and
//! hands back if few tails were copied. Both have the same remaining choices in the same order, so
//! that either can continue the other. Tails are searched for where they are to be visited; if
//! there are too many to store, they are walked a second time, which at most doubles the time. Each
//! level of a reachability query counts as a step.

use std::ops::ControlFlow;
use std::sync::Arc;

use crate::bitset_graph::Graph;
use crate::classes::Variants;
use crate::mask::Mask;
use crate::path::{Mark, Path};
use crate::reach_masks::ReachMasks;
use crate::search::{Fuel, Status, Visitor};
#[cfg(any(test, feature = "rayon"))]
use crate::small::parted;
use crate::suffix_memo::{Found, Place, SuffixMemo};

/// Largest number of useful points at a place with memoised tails.
const MOST_POINTS: u32 = 10;
/// Number of places with too many tails after which that limit is lowered.
const FAILURES: u32 = 8;
/// The search is worth while if it copies at least one tail, beyond those found for it, per this
/// many queries.
const WORTH: i64 = 4;

/// A vertex with a choice on the path.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frame<M> {
    /// The next points to visit.
    pub(crate) rest: M,
    /// The useful points at this vertex.
    pub(crate) useful: M,
    /// The shadows of the points on the path, for the other search.
    pub(crate) shadow: M,
    /// The end of the path at this vertex.
    pub(crate) mark: Mark,
    /// Index of the first hop from this vertex.
    pub(crate) row: u32,
}

/// The stack of remaining choices.
#[derive(Clone, Debug)]
struct Walk<M> {
    /// The vertices on the path with a remaining choice, up to `top`; entries beyond it are unused.
    frames: Vec<Frame<M>>,
    /// Index of the last vertex with a choice.
    top: usize,
}

/// The state of a paused search.
#[derive(Clone, Debug)]
pub(crate) struct Search<M> {
    graph: Arc<Graph<M>>,
    masks: ReachMasks<M>,
    walk: Walk<M>,
    memo: MemoFiller<M>,
}

/// The graph with its reachability tables.
#[derive(Clone, Copy)]
struct Map<'a, M> {
    graph: &'a Graph<M>,
    masks: &'a ReachMasks<M>,
}

/// The memo table, with the search that fills it.
#[derive(Clone, Debug)]
struct MemoFiller<M> {
    tails: SuffixMemo<M>,
    /// The search for tails.
    walk: Walk<M>,
    path: Path,
    found: Found,
    /// Largest number of useful points at a place with memoised tails.
    most_points: u32,
    /// Number of places with too many tails since `most_points` was set.
    failures: u32,
    looks: u64,
    /// Number of tails that were copied, minus the number that were searched for.
    gain: i64,
}

impl<M: Mask> Search<M> {
    /// Continues another search. Its frames' `rest` may include points that lead nowhere, and
    /// `useful` includes all useful points.
    pub(crate) fn new(graph: &Arc<Graph<M>>, mut frames: Vec<Frame<M>>, vertices: usize) -> Self {
        let masks = ReachMasks::new(graph);
        for frame in &mut frames {
            frame.useful = masks.useful(frame.rest, frame.useful, &mut Fuel::new(0));
            frame.rest = frame.rest & frame.useful;
        }
        let top = frames.len() - 1;
        frames.resize(graph.points.len() + 1, frames[0]);
        let walk = Walk { frames, top };
        Self { graph: Arc::clone(graph), masks, memo: MemoFiller::new(&walk, vertices), walk }
    }

    /// Continues until there are no more cycles, the visitor stops it, or the fuel is used up.
    #[inline(never)]
    pub(crate) fn run(
        &mut self,
        path: &mut Path,
        variants: &Variants,
        fuel: &mut Fuel,
        visitor: &mut impl Visitor,
    ) -> Status {
        if self.memo.tails.visit(path, fuel, visitor).is_break() {
            return Status::Stopped;
        }
        let map = Map { graph: &self.graph, masks: &self.masks };
        self.walk.go_on(map, &mut self.memo, path, variants, fuel, visitor)
    }

    /// The remaining work, if the search has not been worth while after the given number of
    /// queries.
    pub(crate) fn give_up(&self, looks: u64) -> Option<&[Frame<M>]> {
        let memo = &self.memo;
        let is_worth = memo.looks < looks || memo.gain.saturating_mul(WORTH) >= memo.looks.cast_signed();
        (!is_worth && memo.tails.opened() == 0).then(|| &self.walk.frames[..=self.walk.top])
    }

    /// Splits off part of the remaining work, to be continued by the other search with bit sets.
    #[cfg(any(test, feature = "rayon"))]
    pub(crate) fn split(&mut self) -> Option<Frame<M>> {
        let Walk { frames, top, .. } = &mut self.walk;
        let place = frames[..=*top].iter().position(|frame| !frame.rest.is_empty())?;
        let frame = &mut frames[place];
        let count = frame.rest.numbers().count();
        // At least one choice must stay if there is no other.
        let (stay, take) = parted(frame.rest, if place < *top { count / 2 } else { count.div_ceil(2) });
        if take.is_empty() {
            return None;
        }
        frame.rest = stay;
        Some(Frame { rest: take, ..*frame })
    }
}

/// A memo table of useful points and tails.
trait Memo<M> {
    /// Returns the useful points at a place, whose next points are `next`, and `true` if its tails
    /// have been opened.
    fn look(
        &mut self,
        place: Place<M>,
        next: M,
        map: Map<'_, M>,
        variants: &Variants,
        fuel: &mut Fuel,
    ) -> (M, bool);

    /// The table of tails.
    fn tails(&mut self) -> &mut SuffixMemo<M>;
}

/// While tails are searched for, memoised ones are used but none are added.
impl<M: Mask> Memo<M> for SuffixMemo<M> {
    #[inline(always)]
    fn look(
        &mut self,
        place: Place<M>,
        next: M,
        map: Map<'_, M>,
        _: &Variants,
        fuel: &mut Fuel,
    ) -> (M, bool) {
        let slot = place.slot();
        if self.knows(slot, place) {
            return self.open(slot);
        }
        let useful = map.masks.useful(next, place.points, fuel);
        let least = Place { points: useful, ..place };
        let slot = least.slot();
        if self.knows(slot, least) { self.open(slot) } else { (useful, false) }
    }

    #[inline(always)]
    fn tails(&mut self) -> &mut SuffixMemo<M> {
        self
    }
}

impl<M: Mask> Memo<M> for MemoFiller<M> {
    #[inline(always)]
    fn look(
        &mut self,
        place: Place<M>,
        next: M,
        map: Map<'_, M>,
        variants: &Variants,
        fuel: &mut Fuel,
    ) -> (M, bool) {
        let slot = place.slot();
        self.looks += 1;
        if !self.tails.knows(slot, place) {
            self.fill(slot, place, next, map, variants, fuel);
        }
        let known = self.tails.open(slot);
        self.gain += i64::from(self.tails.opened());
        known
    }

    #[inline(always)]
    fn tails(&mut self) -> &mut SuffixMemo<M> {
        &mut self.tails
    }
}

impl<M: Mask> MemoFiller<M> {
    /// An empty table. `walk` may be any walk in the same graph.
    fn new(walk: &Walk<M>, vertices: usize) -> Self {
        let mut walk = walk.clone();
        walk.frames.truncate(MOST_POINTS as usize + 2);
        Self {
            tails: SuffixMemo::new(),
            walk,
            path: Path::new(vertices),
            found: Found::default(),
            most_points: MOST_POINTS,
            failures: 0,
            looks: 0,
            gain: 0,
        }
    }

    /// Fills the slot of a place, whose next points are `next`, with its useful points and tails.
    #[inline(never)]
    fn fill(
        &mut self,
        slot: usize,
        place: Place<M>,
        next: M,
        map: Map<'_, M>,
        variants: &Variants,
        fuel: &mut Fuel,
    ) {
        let useful = map.masks.useful(next, place.points, fuel);
        let next = next & useful;
        if useful.count() > self.most_points || next.without_least().is_empty() {
            self.tails.keep(slot, place, useful, None);
            return;
        }
        let least = Place { points: useful, ..place };
        let other = least.slot();
        if !self.tails.knows(other, least) {
            self.find(other, least, next, map, variants, fuel);
        }
        self.tails.keep_same(slot, place, other);
    }

    /// Fills the slot of a place all of whose points are useful, and searches for its tails.
    fn find(
        &mut self,
        slot: usize,
        place: Place<M>,
        next: M,
        map: Map<'_, M>,
        variants: &Variants,
        fuel: &mut Fuel,
    ) {
        let Place { points: useful, end } = place;
        let row = map.graph.points[usize::from(end)].row;
        self.walk.frames[0] = Frame { rest: next, useful, shadow: M::EMPTY, mark: Mark::default(), row };
        self.walk.top = 0;
        self.found.clear();
        let mut steps = Fuel::new(u32::MAX);
        let found = &mut self.found;
        let status = self.walk.go_on(map, &mut self.tails, &mut self.path, variants, &mut steps, found);
        fuel.spend_all(steps.burnt(u32::MAX));
        self.gain -= self.found.count();
        let is_all = status == Status::Done;
        self.tails.keep(slot, place, useful, is_all.then_some(&self.found));
        if !is_all {
            self.failures += 1;
            if self.failures == FAILURES {
                self.failures = 0;
                self.most_points = useful.count().min(self.most_points) - 1;
            }
        }
    }
}

impl<M: Mask> Walk<M> {
    #[inline(always)]
    fn go_on(
        &mut self,
        map: Map<'_, M>,
        memo: &mut impl Memo<M>,
        path: &mut Path,
        variants: &Variants,
        fuel: &mut Fuel,
        visitor: &mut impl Visitor,
    ) -> Status {
        loop {
            if self.frames[self.top].rest.is_empty() {
                if self.top == 0 {
                    return Status::Done;
                }
                self.top -= 1;
                continue;
            }
            if !fuel.burn() {
                return Status::Paused;
            }
            if self.descend(map, memo, path, variants, fuel, visitor).is_break() {
                return Status::Stopped;
            }
        }
    }

    /// Goes from the top to its next point and on, to the root or to a place with memoised tails,
    /// which are visited. Returns whether to continue.
    #[inline(always)]
    fn descend(
        &mut self,
        map: Map<'_, M>,
        memo: &mut impl Memo<M>,
        path: &mut Path,
        variants: &Variants,
        fuel: &mut Fuel,
        visitor: &mut impl Visitor,
    ) -> ControlFlow<()> {
        let graph = map.graph;
        let top = &mut self.frames[self.top];
        let Frame { rest, mut useful, mut shadow, mut mark, mut row } = *top;
        let mut point = rest.least();
        top.rest = rest.without_least();
        loop {
            graph.step(path, &mut mark, graph.hops[(row + point) as usize], point, variants);
            let at = &graph.points[point as usize];
            if at.end == 0 {
                path.back_to(mark);
                return visitor.visit(path);
            }
            row = at.row;
            useful = useful & !at.group;
            shadow |= at.shadow;
            let mut next = at.next & useful;
            fuel.spend();
            if !next.without_least().is_empty() {
                let place = Place { points: useful, end: at.end };
                let (few, is_open) = memo.look(place, next, map, variants, fuel);
                if is_open {
                    memo.tails().begin(mark);
                    return memo.tails().visit(path, fuel, visitor);
                }
                useful = few;
                next = next & useful;
                let rest = next.without_least();
                if !rest.is_empty() {
                    if !self.frames[self.top].rest.is_empty() {
                        self.top += 1;
                    }
                    self.frames[self.top] = Frame { rest, useful, shadow, mark, row };
                }
            }
            point = next.least();
        }
    }
}
