//! Enumeration of the cycles of a machine by walking all its acyclic paths: the reference
//! implementation, and the only one for machines whose targets depend on history.
//!
//! This is the enumeration of the thesis (2008), section 13.2, Listing 13.1, reimplemented without
//! recursion. It walks every acyclic path from the start once, which is needed for questions about
//! the paths themselves, such as the largest gain of a path; but there can be exponentially many
//! paths and few cycles. [`elementary_cycles`](crate::elementary_cycles) has no such case.

use crate::graph::{EdgeId, Multigraph, VertexId};
use crate::limits::Answer;

/// A machine that is walked: a graph, or a machine in which the target of a transition depends on
/// the path.
pub trait Machine {
    /// The number of states; they are numbered from 0.
    fn state_count(&self) -> usize;

    /// The state in which it starts.
    fn start(&self) -> VertexId;

    /// Adds the transitions that can be taken in a state to `out`, in the order in which they are
    /// to be taken.
    fn transitions(&self, state: VertexId, out: &mut Vec<EdgeId>);

    /// The state that a transition leads to after the states of `history`, the last of which is the
    /// present one.
    fn target(&self, transition: EdgeId, history: &[VertexId]) -> VertexId;
}

/// A graph with a start vertex.
#[derive(Clone, Copy, Debug)]
pub struct StartedAt<'a>(pub &'a Multigraph, pub VertexId);

impl Machine for StartedAt<'_> {
    fn state_count(&self) -> usize {
        self.0.vertex_count()
    }

    fn start(&self) -> VertexId {
        self.1
    }

    fn transitions(&self, state: VertexId, out: &mut Vec<EdgeId>) {
        out.extend_from_slice(self.0.out_edges(state));
    }

    fn target(&self, transition: EdgeId, _: &[VertexId]) -> VertexId {
        self.0.target(transition)
    }
}

/// An event of a walk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Walked<'a> {
    /// An acyclic path from the start. Each is reported once; the empty one is the first.
    Path(&'a [EdgeId]),
    /// A cycle, when it is closed: its last transition leads to the source of its first. Each is
    /// reported once, with the acyclic path on which it was found; the cycle without its last
    /// transition is the end of that path.
    Cycle {
        /// The path, without the transition that closes the cycle.
        path: &'a [EdgeId],
        /// The cycle.
        cycle: &'a [EdgeId],
    },
}

/// A state of the path.
struct Frame {
    /// Index of its first transition in `transitions`; its transitions end where those of the next
    /// frame begin.
    first: usize,
    next: usize,
}

/// A walk along all acyclic paths.
struct Walk<'m, M> {
    machine: &'m M,
    frames: Vec<Frame>,
    /// The transitions of each state of the path.
    transitions: Vec<EdgeId>,
    /// The states of the path: one for each frame.
    history: Vec<VertexId>,
    /// The transitions of the path: one less than states.
    path: Vec<EdgeId>,
    /// The position of each state on the path.
    position: Vec<Option<usize>>,
    /// `true` for states that have been left: all cycles through them have been found.
    closed: Vec<bool>,
}

/// Walks all acyclic paths of a machine from its start, depth first, and finds all cycles that can
/// be reached.
///
/// A cycle is reported when it is closed for the first time: when a transition leads back to a
/// state of the path that has never been left. Time: O(T·h) per acyclic path, for T transitions of
/// a state and time h for finding their targets; but the number of paths can be exponential in the
/// machine, with one cycle or none. Memory: linear in the machine.
///
/// ```
/// use cycles::{EdgeId, Multigraph, StartedAt, VertexId, Walked, walk};
///
/// // The most that is ever gained on an acyclic path, when the edges gain 2, 3 and -4.
/// let graph = Multigraph::new(3, [(0, 1), (1, 2), (2, 1)])?;
/// let (gains, mut most, mut cycles) = ([2, 3, -4], 0, 0);
/// walk(&StartedAt(&graph, VertexId::new(0)), |found| match found {
///     Walked::Path(path) => most = most.max(path.iter().map(|edge| gains[edge.index()]).sum::<i64>()),
///     Walked::Cycle { cycle, .. } => cycles += cycle.len(),
/// });
/// assert_eq!((most, cycles), (5, 2));
/// # Ok::<(), cycles::GraphError>(())
/// ```
///
/// # Panics
/// If the machine names a state that is not below its number of states.
pub fn walk<M: Machine, A: Answer>(machine: &M, mut visit: impl FnMut(Walked<'_>) -> A) {
    let count = machine.state_count();
    let mut walk = Walk {
        machine,
        frames: Vec::new(),
        transitions: Vec::new(),
        history: Vec::new(),
        path: Vec::new(),
        position: vec![None; count],
        closed: vec![false; count],
    };
    walk.enter(machine.start());
    if visit(Walked::Path(&[])).flow().is_break() {
        return;
    }
    while let Some(frame) = walk.frames.last_mut() {
        let Some(&transition) = walk.transitions.get(frame.next) else {
            walk.leave();
            continue;
        };
        frame.next += 1;
        if walk.take(transition, &mut visit).flow().is_break() {
            return;
        }
    }
}

impl<M: Machine> Walk<'_, M> {
    fn enter(&mut self, state: VertexId) {
        let first = self.transitions.len();
        self.machine.transitions(state, &mut self.transitions);
        self.frames.push(Frame { first, next: first });
        self.position[state.index()] = Some(self.history.len());
        self.history.push(state);
    }

    fn leave(&mut self) {
        if let Some(frame) = self.frames.pop() {
            self.transitions.truncate(frame.first);
        }
        if let Some(state) = self.history.pop() {
            self.position[state.index()] = None;
            self.closed[state.index()] = true;
        }
        self.path.pop();
    }

    /// Takes a transition of the last state, which closes a cycle or extends the path.
    fn take<A: Answer>(
        &mut self,
        transition: EdgeId,
        visit: &mut impl FnMut(Walked<'_>) -> A,
    ) -> std::ops::ControlFlow<()> {
        let target = self.machine.target(transition, &self.history);
        self.path.push(transition);
        let Some(from) = self.position[target.index()] else {
            self.enter(target);
            return visit(Walked::Path(&self.path)).flow();
        };
        let mut flow = std::ops::ControlFlow::Continue(());
        if !self.closed[target.index()] {
            let path = &self.path[..self.path.len() - 1];
            flow = visit(Walked::Cycle { path, cycle: &self.path[from..] }).flow();
        }
        self.path.pop();
        flow
    }
}
