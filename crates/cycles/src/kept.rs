//! The search for many cycles from one root, where ways on are kept, as they come again.
//!
//! Take a vertex with a choice at which a path ends, and a set of points, none of which is on the
//! path, with all points of all ways from there to the root around the path. The ways on are the
//! ways in this set that come to no vertex twice: each way on is one, and each of these meets
//! nothing of the path. So paths that end at the same vertex and leave the same set have the same
//! ways on, in the same order. Such a set is that of the points *of use*: those that can be reached
//! from there, and from which the root can be reached, around the path. Another is what was of use
//! where the path had its last choice, without the points that it came by: who goes on from here
//! went on from there. From it the first is found, the same one for the same other.
//!
//! Many paths leave the same few points at the same vertex. So where few are of use, the ways on,
//! *tails*, are found once and kept, and copied when the same points are of use there again. What
//! is of use is kept, too, by the set from which it was found.
//!
//! This search begins where the other one for sets as words has taken many steps, and it ends where
//! few tails were copied. Both have the same choices left in the same order, so that one can go on
//! where the other is. Tails are found where they are to be visited; those that are too many to
//! keep are walked a second time, which at most doubles the time. Each level of a look is a step.

use std::ops::ControlFlow;
use std::sync::Arc;

use crate::classes::Variants;
use crate::mask::Mask;
use crate::path::{Mark, Path};
use crate::points::Graph;
use crate::search::{Fuel, Status, Visitor};
use crate::sight::Sight;
#[cfg(any(test, feature = "rayon"))]
use crate::small::parted;
use crate::tails::{Found, Place, Tails};

/// Tails are kept where so many points are of use at most.
const MOST_POINTS: u32 = 10;
/// After so many times that there were too many tails, they are kept where fewer points are of use.
const FAILURES: u32 = 8;
/// It pays off if for so many looks there is a tail at least that was copied and not found for
/// that.
const WORTH: i64 = 4;

/// A vertex with a choice on the path.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frame<M> {
    /// Points to go to.
    pub(crate) rest: M,
    /// The points that are of use from here.
    pub(crate) useful: M,
    /// The shadows of the points on the path, for the other search.
    pub(crate) shadow: M,
    /// Where the path ends at this vertex.
    pub(crate) mark: Mark,
    /// Where the hops from this vertex begin.
    pub(crate) row: u32,
}

/// The choices that are left.
#[derive(Clone, Debug)]
struct Walk<M> {
    /// The vertices on the path at which a choice is left, as far as `top`; what is behind it is
    /// left over.
    frames: Vec<Frame<M>>,
    /// The last at which there was a choice.
    top: usize,
}

/// The search, stopped somewhere.
#[derive(Clone, Debug)]
pub(crate) struct Search<M> {
    graph: Arc<Graph<M>>,
    sight: Sight<M>,
    walk: Walk<M>,
    kept: Kept<M>,
}

/// Where is walked.
type Map<'a, M> = (&'a Graph<M>, &'a Sight<M>);

/// What is kept, and what it takes to find it.
#[derive(Clone, Debug)]
struct Kept<M> {
    tails: Tails<M>,
    /// The search for tails.
    walk: Walk<M>,
    path: Path,
    found: Found,
    /// Tails are kept where so many points are of use at most.
    most_points: u32,
    /// How often there were too many, since that was set.
    failures: u32,
    looks: u64,
    /// The tails that were copied, without those that were found for that.
    gain: i64,
}

impl<M: Mask> Search<M> {
    /// Goes on where another search is. Of the points to go to some may lead nowhere, and among
    /// `useful` are all that can be of use.
    pub(crate) fn new(graph: &Arc<Graph<M>>, mut frames: Vec<Frame<M>>, vertices: usize) -> Self {
        let sight = Sight::of(graph);
        for frame in &mut frames {
            frame.useful = sight.useful(frame.rest, frame.useful, &mut Fuel::new(0));
            frame.rest = frame.rest & frame.useful;
        }
        let top = frames.len() - 1;
        frames.resize(graph.points.len() + 1, frames[0]);
        let walk = Walk { frames, top };
        Self { graph: Arc::clone(graph), sight, kept: Kept::new(&walk, vertices), walk }
    }

    /// Goes on until there are no more cycles, the visitor says stop, or the fuel is used up.
    #[inline(never)]
    pub(crate) fn run(
        &mut self,
        path: &mut Path,
        variants: &Variants,
        fuel: &mut Fuel,
        visitor: &mut impl Visitor,
    ) -> Status {
        if self.kept.tails.visit(path, fuel, visitor).is_break() {
            return Status::Stopped;
        }
        let map = (&*self.graph, &self.sight);
        self.walk.go_on(map, &mut self.kept, path, (variants, fuel, visitor))
    }

    /// What is left, if after so many looks this is not worth it.
    pub(crate) fn give_up(&self, looks: u64) -> Option<&[Frame<M>]> {
        let kept = &self.kept;
        let is_worth = kept.looks < looks || kept.gain.saturating_mul(WORTH) >= kept.looks.cast_signed();
        (!is_worth && kept.tails.opened() == 0).then(|| &self.walk.frames[..=self.walk.top])
    }

    /// Takes part of what is left to do away: see the other search for sets as words, which goes on
    /// with it.
    #[cfg(any(test, feature = "rayon"))]
    pub(crate) fn split(&mut self) -> Option<Frame<M>> {
        let Walk { frames, top, .. } = &mut self.walk;
        let place = frames[..=*top].iter().position(|frame| !frame.rest.is_empty())?;
        let frame = &mut frames[place];
        let count = frame.rest.numbers().count();
        // Something has to stay, if nothing else is under way.
        let (stay, take) = parted(frame.rest, if place < *top { count / 2 } else { count.div_ceil(2) });
        if take.is_empty() {
            return None;
        }
        frame.rest = stay;
        Some(Frame { rest: take, ..*frame })
    }
}

/// Who knows what is of use from a place, and its tails.
trait Keeper<M> {
    /// What is of use from a place, of which `next` are the next points, and whether its tails are
    /// open now.
    fn look(&mut self, place: Place<M>, next: M, map: Map<'_, M>, more: (&Variants, &mut Fuel)) -> (M, bool);

    /// The tails.
    fn tails(&mut self) -> &mut Tails<M>;
}

/// While tails are found those that are kept already are used.
impl<M: Mask> Keeper<M> for Tails<M> {
    #[inline(always)]
    fn look(
        &mut self,
        place: Place<M>,
        next: M,
        (_, sight): Map<'_, M>,
        (_, fuel): (&Variants, &mut Fuel),
    ) -> (M, bool) {
        let slot = place.slot();
        if self.knows(slot, place) {
            return self.open(slot);
        }
        let useful = sight.useful(next, place.points, fuel);
        let least = Place { points: useful, ..place };
        let slot = least.slot();
        if self.knows(slot, least) { self.open(slot) } else { (useful, false) }
    }

    #[inline(always)]
    fn tails(&mut self) -> &mut Tails<M> {
        self
    }
}

impl<M: Mask> Keeper<M> for Kept<M> {
    #[inline(always)]
    fn look(
        &mut self,
        place: Place<M>,
        next: M,
        map: Map<'_, M>,
        (variants, fuel): (&Variants, &mut Fuel),
    ) -> (M, bool) {
        let slot = place.slot();
        self.looks += 1;
        if !self.tails.knows(slot, place) {
            let useful = map.1.useful(next, place.points, fuel);
            self.fill(slot, (place, next & useful, useful), map, (variants, fuel));
        }
        let known = self.tails.open(slot);
        self.gain += i64::from(self.tails.opened());
        known
    }

    #[inline(always)]
    fn tails(&mut self) -> &mut Tails<M> {
        &mut self.tails
    }
}

impl<M: Mask> Kept<M> {
    /// Nothing so far. The walk is any in the same graph.
    fn new(walk: &Walk<M>, vertices: usize) -> Self {
        let mut walk = walk.clone();
        walk.frames.truncate(MOST_POINTS as usize + 2);
        Self {
            tails: Tails::new(),
            walk,
            path: Path::new(vertices),
            found: Found::default(),
            most_points: MOST_POINTS,
            failures: 0,
            looks: 0,
            gain: 0,
        }
    }

    /// Fills the slot of a place, from which some points are of use, and some of these are next.
    #[inline(never)]
    fn fill(
        &mut self,
        slot: usize,
        (place, next, useful): (Place<M>, M, M),
        map: Map<'_, M>,
        (variants, fuel): (&Variants, &mut Fuel),
    ) {
        if useful.count() > self.most_points || next.without_least().is_empty() {
            self.tails.keep(slot, place, useful, None);
            return;
        }
        let least = Place { points: useful, ..place };
        let other = least.slot();
        if !self.tails.knows(other, least) {
            self.find(other, (least, next), map, (variants, fuel));
        }
        self.tails.keep_same(slot, place, other);
    }

    /// Fills the slot of a place from which all its points are of use, and finds its tails.
    fn find(
        &mut self,
        slot: usize,
        (place, next): (Place<M>, M),
        map: Map<'_, M>,
        (variants, fuel): (&Variants, &mut Fuel),
    ) {
        let Place { points: useful, end } = place;
        let row = map.0.points[usize::from(end)].row;
        self.walk.frames[0] = Frame { rest: next, useful, shadow: M::EMPTY, mark: Mark::default(), row };
        self.walk.top = 0;
        self.found.clear();
        let mut steps = Fuel::new(u32::MAX);
        let found = &mut self.found;
        let status = self.walk.go_on(map, &mut self.tails, &mut self.path, (variants, &mut steps, found));
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
        keeper: &mut impl Keeper<M>,
        path: &mut Path,
        (variants, fuel, visitor): (&Variants, &mut Fuel, &mut impl Visitor),
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
            if self.descend(map, keeper, path, (variants, fuel, visitor)).is_break() {
                return Status::Stopped;
            }
        }
    }

    /// Goes from the top to its next point and on, to the root or to where the tails are kept,
    /// which are visited. Whether to go on.
    #[inline(always)]
    fn descend(
        &mut self,
        map: Map<'_, M>,
        keeper: &mut impl Keeper<M>,
        path: &mut Path,
        (variants, fuel, visitor): (&Variants, &mut Fuel, &mut impl Visitor),
    ) -> ControlFlow<()> {
        let graph = map.0;
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
                let (few, is_open) = keeper.look(place, next, map, (variants, fuel));
                if is_open {
                    keeper.tails().begin(mark);
                    return keeper.tails().visit(path, fuel, visitor);
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
