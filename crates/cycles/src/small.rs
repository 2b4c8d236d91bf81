//! The search where all vertices of interest fit into a machine word: sets of vertices are numbers.
//!
//! Johnson's search finds out that a vertex leads nowhere by going there. With sets as words it is cheaper to look
//! first: the vertices from which the root can be reached around the path are found backwards from those that leave
//! their strongly connected component, and the search goes to no other. So each choice leads to a cycle, nothing has
//! to be blocked and unblocked, and a vertex whose last choice is taken is never come back to. Mostly there is nothing
//! to look for: vertices that are on no cycle without the root, and those with an edge out of their component (in a
//! complete digraph, all of them), reach the root whatever the path is; and each other vertex has a way to one of these
//! that was found once and for all, and holds as long as the path does not meet it.

use std::sync::Arc;

use crate::classes::Variants;
use crate::component::{Component, Ways};
use crate::mask::Mask;
use crate::path::{Mark, Path};
use crate::points::{Graph, Hop};
use crate::search::{Fuel, Status, Visitor};

/// A vertex with a choice on the path.
#[derive(Clone, Copy, Debug)]
struct Frame<M> {
    /// Points to go to, of which some may turn out to lead nowhere.
    rest: M,
    /// Points on the path that could be come back to, and points from which the root cannot be reached around it.
    blocked: M,
    /// Points that the path was led to since it came here, of those that could be come back to. From all of them the
    /// root can be reached around the path to here.
    alive: M,
    /// The shadows of the points on the path. From all others the root can be reached.
    shadow: M,
    /// Where the path ends at this vertex.
    mark: Mark,
    /// Where the hops from this vertex begin.
    row: u32,
    /// Whether no way from here was taken.
    fresh: bool,
}

/// The search, stopped somewhere.
#[derive(Clone, Debug)]
pub(crate) struct Search<M> {
    graph: Arc<Graph<M>>,
    /// The vertices on the path at which a choice is left, as far as `top`; what is behind it is left over.
    frames: Vec<Frame<M>>,
    /// The last at which there was a choice.
    top: usize,
}

impl<M: Mask> Search<M> {
    /// The search from the root of a component, if its points fit into the mask.
    pub(crate) fn new(component: &Component, ways: &Ways, variants: &Variants) -> Option<Self> {
        let graph = Graph::<M>::new(component, ways, variants)?;
        let first = Frame {
            rest: graph.points[0].next,
            blocked: M::EMPTY,
            alive: M::EMPTY,
            shadow: M::EMPTY,
            mark: Mark::default(),
            row: 0,
            fresh: true,
        };
        let frames = vec![first; graph.points.len()];
        Some(Self { graph: Arc::new(graph), frames, top: 0 })
    }

    /// Goes on until there are no more cycles, the visitor says stop, or the fuel is used up.
    pub(crate) fn run(
        &mut self,
        path: &mut Path,
        variants: &Variants,
        fuel: &mut Fuel,
        visitor: &mut impl Visitor,
    ) -> Status {
        let graph = Arc::clone(&self.graph);
        let graph = &*graph;
        loop {
            let top = &mut self.frames[self.top];
            if top.rest.is_empty() {
                if self.top == 0 {
                    return Status::Done;
                }
                let alive = top.alive;
                self.top -= 1;
                self.frames[self.top].alive |= alive;
                continue;
            }
            if !fuel.burn() {
                return Status::Paused;
            }
            let point = top.rest.least();
            top.rest = top.rest.without_least();
            let hop = graph.hops[(top.row + point) as usize];
            if !hop.safe && !top.is_alive(graph, point, fuel) {
                continue;
            }
            path.back_to(top.mark);
            if self.descend(graph, path, hop, point, variants) && visitor.visit(path).is_break() {
                return Status::Stopped;
            }
        }
    }

    /// Goes over a hop to a point, and on to the next choice, which becomes the top, or to the root. Whether it came to
    /// the root, which it also does if that is the first choice.
    #[inline(always)]
    fn descend(
        &mut self,
        graph: &Graph<M>,
        path: &mut Path,
        mut hop: Hop,
        mut point: u32,
        variants: &Variants,
    ) -> bool {
        let top = &mut self.frames[self.top];
        top.fresh = false;
        let mut alive = M::EMPTY;
        let (mut blocked, mut shadow) = (top.blocked, top.shadow);
        loop {
            graph.step(path, hop, point, variants);
            if hop.end == 0 {
                top.alive |= alive;
                return true;
            }
            let at = &graph.points[usize::from(hop.end)];
            blocked |= at.group;
            alive |= at.group;
            shadow |= at.shadow;
            let rest = at.next & !blocked;
            point = rest.least();
            hop = graph.hops[(at.row + point) as usize];
            let left = rest.without_least();
            if left.is_empty() {
                continue;
            }
            top.alive |= alive;
            let closes = point == 0;
            let rest = if closes { left } else { rest };
            self.put(Frame {
                rest,
                blocked,
                alive: M::EMPTY,
                shadow,
                mark: path.mark(),
                row: at.row,
                fresh: !closes,
            });
            if closes {
                graph.step(path, hop, 0, variants);
            }
            return closes;
        }
    }

    /// Puts a vertex on top of those at which a choice is left.
    #[inline(always)]
    fn put(&mut self, frame: Frame<M>) {
        let top = &self.frames[self.top];
        if !top.rest.is_empty() {
            self.top += 1;
        } else if self.top > 0 {
            let alive = top.alive;
            self.frames[self.top - 1].alive |= alive;
        }
        self.frames[self.top] = frame;
    }

    /// Takes part of what is left to do away: the second half of the choices that are left at the first vertex of
    /// the path that has any. What is taken comes after all that stays. Nothing if there is no choice left.
    #[cfg(any(test, feature = "rayon"))]
    pub(crate) fn split(&mut self, path: &Path) -> Option<(Self, Path)> {
        let place = self.frames[..=self.top].iter().position(|frame| !frame.rest.is_empty())?;
        let frame = &mut self.frames[place];
        let count = frame.rest.numbers().count();
        // Something has to stay, if nothing else is under way.
        let (stay, take) = parted(frame.rest, if place < self.top { count / 2 } else { count.div_ceil(2) });
        if take.is_empty() {
            return None;
        }
        // The other part may be the one that leads to the root.
        frame.fresh = false;
        frame.rest = stay;
        let first = Frame { rest: take, alive: M::EMPTY, ..*frame };
        let mut frames = self.frames.clone();
        frames[0] = first;
        Some((Self { graph: Arc::clone(&self.graph), frames, top: 0 }, path.clone()))
    }
}

impl<M: Mask> Frame<M> {
    /// Whether the root can be reached from a point to which this vertex leads. If not, that is kept in mind as long as
    /// the path only grows.
    #[inline(always)]
    fn is_alive(&mut self, graph: &Graph<M>, point: u32, fuel: &mut Fuel) -> bool {
        let this = M::of(point);
        if (self.alive | !self.shadow).meets(this) {
            return true;
        }
        if self.blocked.meets(this) {
            return false;
        }
        // This vertex leads to the root. If nothing before did and nothing comes after, then the point does.
        if self.fresh && (self.rest & !self.blocked).is_empty() {
            return true;
        }
        let goal = (graph.safe | self.alive | !self.shadow) & !self.blocked;
        graph.reaches(point, goal, &mut self.blocked, fuel)
    }
}

/// The first `count` numbers of a set, and the others.
#[cfg(any(test, feature = "rayon"))]
fn parted<M: Mask>(set: M, count: usize) -> (M, M) {
    let mut first = M::EMPTY;
    set.numbers().take(count).for_each(|number| first |= M::of(number));
    (first, set & !first)
}
