//! Search where all relevant vertices fit into a machine word: sets of vertices are bit masks.
//!
//! Johnson's algorithm finds out that a vertex leads nowhere by going there. With bit sets it is
//! cheaper to check first: the vertices from which the root can be reached around the path are
//! found backwards from those that leave their strongly connected component, and the search enters
//! no other. So each choice leads to a cycle, no vertex is blocked and unblocked, and the search
//! never returns to a vertex whose last choice is taken. Mostly no check is needed: vertices that
//! are on no cycle without the root, and those with an edge out of their component (in a complete
//! digraph, all of them), reach the root around any path; and each other vertex has a fixed way to
//! one of these, which is valid as long as the path does not meet it.

use std::ops::ControlFlow;
use std::sync::Arc;

use crate::bitset_graph::Graph;
use crate::classes::Variants;
use crate::component::{Component, Ways};
use crate::mask::Mask;
use crate::memo_dfs;
use crate::path::{Mark, Path};
use crate::search::{Fuel, Status, Visitor};

/// The conditions for handing over to [`memo_dfs::Search`], and for taking over again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Patience {
    /// Hand over after this many steps of a search: a short search has few repetitions.
    pub(crate) steps: u64,
    /// Take over again after this many queries of the other search, if they were not worth while.
    pub(crate) looks: u64,
}

impl Patience {
    /// The default.
    pub(crate) const BEST: Self = Self { steps: 1 << 14, looks: 1 << 9 };
}

/// A vertex with a choice on the path.
#[derive(Clone, Copy, Debug)]
struct Frame<M> {
    /// The next points to visit, some of which may turn out to lead nowhere.
    rest: M,
    /// Points on the path to which one could return, and points from which the root cannot be
    /// reached around it.
    blocked: M,
    /// Points visited since the path came to this vertex, of those to which one could return. From
    /// all of them the root can be reached around the path to here.
    alive: M,
    /// The shadows of the points on the path. From all other points the root can be reached.
    shadow: M,
    /// The end of the path at this vertex.
    mark: Mark,
    /// Index of the first hop from this vertex.
    row: u32,
    /// `true` if no way from this vertex was taken.
    fresh: bool,
}

/// The state of a paused search.
#[derive(Clone, Debug)]
pub(crate) struct Search<M> {
    graph: Arc<Graph<M>>,
    /// The vertices on the path with a remaining choice, up to `top`; entries beyond it are unused.
    frames: Vec<Frame<M>>,
    /// Index of the last vertex with a choice.
    top: usize,
    patience: Patience,
    /// The search that continues in place of this one.
    memo_dfs: Option<Box<memo_dfs::Search<M>>>,
    /// Number of vertices of the component.
    vertices: usize,
}

impl<M: Mask> Search<M> {
    /// The search from the root of a component, if its points fit into the mask.
    pub(crate) fn new(
        component: &Component,
        ways: &Ways,
        variants: &Variants,
        patience: Patience,
    ) -> Option<Self> {
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
        Some(Self {
            graph: Arc::new(graph),
            frames,
            top: 0,
            patience,
            memo_dfs: None,
            vertices: component.len(),
        })
    }

    /// Continues until there are no more cycles, the visitor stops it, or the fuel is used up.
    pub(crate) fn run(
        &mut self,
        path: &mut Path,
        variants: &Variants,
        fuel: &mut Fuel,
        visitor: &mut impl Visitor,
    ) -> Status {
        if self.patience.steps == 0 {
            self.change();
        }
        if let Some(memo_dfs) = &mut self.memo_dfs {
            return memo_dfs.run(path, variants, fuel, visitor);
        }
        let graph = Arc::clone(&self.graph);
        if graph.all_safe() {
            return self.go_on::<true>(&graph, path, variants, fuel, visitor);
        }
        let before = *fuel;
        let status = self.go_on::<false>(&graph, path, variants, fuel, visitor);
        self.patience.steps = self.patience.steps.saturating_sub(fuel.since(before));
        status
    }

    /// Hands over to the other search, or takes over from it for good.
    #[inline(never)]
    fn change(&mut self) {
        let Some(memo_dfs) = &self.memo_dfs else {
            let frames = self.frames[..=self.top].iter().map(Frame::memoised).collect();
            self.memo_dfs = Some(Box::new(memo_dfs::Search::new(&self.graph, frames, self.vertices)));
            return;
        };
        if let Some(frames) = memo_dfs.give_up(self.patience.looks) {
            self.top = frames.len() - 1;
            self.frames = frames.iter().map(Frame::from_memo).collect();
            self.frames.resize(self.graph.points.len().max(frames.len()), self.frames[0]);
            self.patience.steps = u64::MAX;
            self.memo_dfs = None;
        }
    }

    /// The loop of the search, specialised at compile time for graphs in which all points are safe:
    /// then only the points on the path have to be known.
    #[inline(always)]
    fn go_on<const SAFE: bool>(
        &mut self,
        graph: &Graph<M>,
        path: &mut Path,
        variants: &Variants,
        fuel: &mut Fuel,
        visitor: &mut impl Visitor,
    ) -> Status {
        loop {
            let top = &mut self.frames[self.top];
            if top.rest.is_empty() {
                if self.top == 0 {
                    return Status::Done;
                }
                let alive = top.alive;
                self.top -= 1;
                if !SAFE {
                    self.frames[self.top].alive |= alive;
                }
                continue;
            }
            if !fuel.burn() {
                return Status::Paused;
            }
            let point = top.rest.least();
            top.rest = top.rest.without_least();
            if !SAFE && !graph.safe.meets(M::of(point)) && !top.is_alive(graph, point, fuel) {
                continue;
            }
            if self.descend::<SAFE, _>(graph, path, point, variants, fuel, visitor).is_break() {
                return Status::Stopped;
            }
        }
    }

    /// Goes from the top to a point and on, as long as it is known which way leads to the root: to
    /// the root, or to a vertex whose next point must be checked first, which becomes the top.
    /// Where a vertex leads to the root and to other points, the cycle through it is visited on the
    /// way. Returns whether to continue; if not, the path is that of the cycle.
    #[inline(always)]
    fn descend<const SAFE: bool, V: Visitor>(
        &mut self,
        graph: &Graph<M>,
        path: &mut Path,
        mut point: u32,
        variants: &Variants,
        fuel: &mut Fuel,
        visitor: &mut V,
    ) -> ControlFlow<()> {
        let mut top = &mut self.frames[self.top];
        top.fresh = false;
        let Frame { mut blocked, mut shadow, mut mark, mut row, .. } = *top;
        loop {
            graph.step(path, &mut mark, graph.hops[(row + point) as usize], point, variants);
            let at = &graph.points[point as usize];
            let (mut rest, mut end) = (M::EMPTY, mark);
            if at.end != 0 {
                row = at.row;
                blocked |= at.group;
                if !SAFE {
                    shadow |= at.shadow;
                }
                rest = at.next & !blocked;
                point = rest.least();
                rest = rest.without_least();
            } else {
                point = 0;
            }
            let (mut flow, mut fresh) = (ControlFlow::Continue(()), true);
            if point == 0 {
                if at.end != 0 {
                    graph.step(path, &mut end, graph.hops[row as usize], 0, variants);
                }
                path.back_to(end);
                flow = visitor.visit(path);
                if rest.is_empty() {
                    top.leads_through::<SAFE>(blocked);
                    return flow;
                }
                fresh = false;
                point = rest.least();
                rest = rest.without_least();
            }
            let is_known = SAFE || graph.safe.meets(M::of(point)) || fresh && rest.is_empty();
            if flow.is_break() || !is_known {
                top.leads_through::<SAFE>(blocked);
                let rest = rest | M::of(point);
                self.put::<SAFE>(Frame { rest, blocked, alive: M::EMPTY, shadow, mark, row, fresh });
                return flow;
            }
            if !rest.is_empty() {
                top.leads_through::<SAFE>(blocked);
                self.put::<SAFE>(Frame { rest, blocked, alive: M::EMPTY, shadow, mark, row, fresh: false });
                top = &mut self.frames[self.top];
            }
            fuel.spend();
        }
    }

    /// Pushes a vertex onto the stack of remaining choices.
    #[inline(always)]
    fn put<const SAFE: bool>(&mut self, frame: Frame<M>) {
        let top = &self.frames[self.top];
        if !top.rest.is_empty() {
            self.top += 1;
        } else if self.top > 0 && !SAFE {
            let alive = top.alive;
            self.frames[self.top - 1].alive |= alive;
        }
        self.frames[self.top] = frame;
    }

    /// Splits off part of the remaining work: the second half of the remaining choices at the first
    /// vertex of the path that has any. That part comes after all that stays. `None` if no choice
    /// remains.
    #[cfg(any(test, feature = "rayon"))]
    pub(crate) fn split(&mut self, path: &Path) -> Option<(Self, Path)> {
        if let Some(memo_dfs) = &mut self.memo_dfs {
            // Copying the memo table is not worth while for a part that may be small.
            let first = Frame::from_memo(&memo_dfs.split()?);
            let frames = vec![first; self.graph.points.len()];
            let patience = Patience { steps: Patience::BEST.steps, ..self.patience };
            let graph = Arc::clone(&self.graph);
            let gift = Self { graph, frames, top: 0, patience, memo_dfs: None, vertices: self.vertices };
            return Some((gift, path.clone()));
        }
        let place = self.frames[..=self.top].iter().position(|frame| !frame.rest.is_empty())?;
        let frame = &mut self.frames[place];
        let count = frame.rest.numbers().count();
        // At least one choice must stay if there is no other.
        let (stay, take) = parted(frame.rest, if place < self.top { count / 2 } else { count.div_ceil(2) });
        if take.is_empty() {
            return None;
        }
        // The part that is split off may be the one that leads to the root.
        frame.fresh = false;
        frame.rest = stay;
        let first = Frame { rest: take, alive: M::EMPTY, ..*frame };
        let mut frames = self.frames.clone();
        frames[0] = first;
        let gift = Self { graph: Arc::clone(&self.graph), frames, top: 0, memo_dfs: None, ..*self };
        Some((gift, path.clone()))
    }
}

impl<M: Mask> Frame<M> {
    /// Converts a frame for the other search.
    fn memoised(&self) -> memo_dfs::Frame<M> {
        let &Self { rest, blocked, shadow, mark, row, .. } = self;
        memo_dfs::Frame { rest, useful: !blocked, shadow, mark, row }
    }

    /// Converts a frame of the other search.
    fn from_memo(frame: &memo_dfs::Frame<M>) -> Self {
        let &memo_dfs::Frame { rest, useful, shadow, mark, row } = frame;
        // All points in `rest` lead to the root.
        Self { rest, blocked: !useful, alive: rest, shadow, mark, row, fresh: false }
    }

    /// Records that the path visited points that are blocked now and were not when it left this
    /// vertex.
    #[inline(always)]
    fn leads_through<const SAFE: bool>(&mut self, blocked: M) {
        if !SAFE {
            self.alive |= blocked & !self.blocked;
        }
    }

    /// Returns `true` if the root can be reached from a point to which this vertex leads. If not,
    /// that is remembered as long as the path only grows.
    #[inline(always)]
    fn is_alive(&mut self, graph: &Graph<M>, point: u32, fuel: &mut Fuel) -> bool {
        let this = M::of(point);
        let alive = self.alive | !self.shadow;
        if alive.meets(this) {
            return true;
        }
        if self.blocked.meets(this) {
            return false;
        }
        // This vertex leads to the root. If none of the earlier points did and there are no later
        // ones, then this point does.
        if self.fresh && (self.rest & !self.blocked).is_empty() {
            return true;
        }
        let goal = (graph.safe | alive) & !self.blocked;
        graph.reaches(point, goal, &mut self.blocked, fuel)
    }
}

/// The first `count` numbers of a set, and the others.
#[cfg(any(test, feature = "rayon"))]
pub(crate) fn parted<M: Mask>(set: M, count: usize) -> (M, M) {
    let mut first = M::EMPTY;
    set.numbers().take(count).for_each(|number| first |= M::of(number));
    (first, set & !first)
}
