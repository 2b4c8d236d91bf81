//! Hierarchical state machines with history.

use std::error::Error;
use std::fmt;

use crate::graph::{EdgeId, GraphError, Multigraph, VertexId};
use crate::paths::Machine;

/// A state machine whose states may hold machines of their own (thesis 2008, sections 8.2 and
/// 13.2.1; the walk is that of Listings 13.2 and 13.3).
///
/// A state with states inside it is *composite*; the machine is always in a state that is not. A
/// transition that leaves a composite state can be taken in all states inside. One that enters a
/// composite state leads to the last state inside in which the machine was, or to the initial state
/// of the composite one if it was in none.
///
/// This is the papers' reference and must not feed a verdict: the walk misses cycles. It resolves
/// history along the current acyclic path only, whereas the true history may come from a cycle that
/// is not on the path. With `X -h-> T{I initial, t}`, `I -a-> t`, `t -b-> Y` and `Y -c-> X` it
/// finds `h a b c`, and never `h b c`, which can go on for ever. What decides verdicts unfolds
/// histories (`docs/soundness/umlrt.md`).
///
/// [`walk`](crate::walk) finds its cycles. The target of a transition depends on the path, so there
/// is no graph whose elementary cycles they are.
///
/// ```
/// use cycles::{Hierarchy, Walked, walk};
///
/// // Off (0) and on (1), which is low (2) at first and can be high (3). Power switches, level goes up and down.
/// let parents = [None, None, Some(1), Some(1)];
/// let transitions = [(0, 1), (1, 0), (2, 3), (3, 2)];
/// let lamp = Hierarchy::new(&parents, &[(1, 2)], transitions, 0)?;
///
/// let mut cycles = Vec::new();
/// walk(&lamp, |found| {
///     if let Walked::Cycle { cycle, .. } = found {
///         cycles.push(cycle.iter().map(|transition| transition.index()).collect::<Vec<_>>());
///     }
/// });
/// assert_eq!(cycles, [vec![0, 1], vec![0, 2, 1], vec![2, 3]]);
/// # Ok::<(), cycles::HierarchyError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hierarchy {
    transitions: Multigraph,
    /// The composite state that contains each state.
    parent: Vec<Option<VertexId>>,
    /// The initial state of each composite state.
    initial: Vec<Option<VertexId>>,
    start: VertexId,
}

/// The reasons why a [`Hierarchy`] cannot be built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HierarchyError {
    /// An invalid transition, or too many states.
    Graph(GraphError),
    /// A state that does not exist.
    NoSuchState(usize),
    /// A state that is inside itself.
    InsideItself(usize),
    /// A composite state without an initial state inside it that is not composite.
    NoInitialState(usize),
    /// The machine starts in a composite state.
    CompositeStart(usize),
}

impl fmt::Display for HierarchyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Graph(error) => error.fmt(f),
            Self::NoSuchState(state) => write!(f, "there is no state {state}"),
            Self::InsideItself(state) => write!(f, "state {state} is inside itself"),
            Self::NoInitialState(state) => {
                write!(f, "composite state {state} needs an initial state inside it that is not composite")
            }
            Self::CompositeStart(state) => write!(f, "the machine cannot start in composite state {state}"),
        }
    }
}

impl Error for HierarchyError {}

impl From<GraphError> for HierarchyError {
    fn from(error: GraphError) -> Self {
        Self::Graph(error)
    }
}

impl Hierarchy {
    /// Builds a machine with a state for each entry of `parents`, which is the composite state that
    /// directly contains it; the initial states of all composite ones, as pairs; transitions
    /// between any states; and the start state.
    ///
    /// Time: O(d·S + T) for S states at depth up to d and T transitions.
    ///
    /// # Errors
    /// If there is no such machine: see [`HierarchyError`].
    pub fn new(
        parents: &[Option<usize>],
        initial: &[(usize, usize)],
        transitions: impl IntoIterator<Item = (usize, usize)>,
        start: usize,
    ) -> Result<Self, HierarchyError> {
        let count = parents.len();
        let transitions = Multigraph::new(count, transitions)?;
        let state = |state: usize| {
            let known = u32::try_from(state).ok().filter(|_| state < count);
            known.map(VertexId::new).ok_or(HierarchyError::NoSuchState(state))
        };
        let parent =
            parents.iter().map(|parent| parent.map(state).transpose()).collect::<Result<Vec<_>, _>>()?;
        let mut machine = Self { transitions, parent, initial: vec![None; count], start: state(start)? };
        machine.check_nesting()?;
        let mut composite = vec![false; count];
        machine.parent.iter().flatten().for_each(|parent| composite[parent.index()] = true);
        for &(around, inside) in initial {
            let (around, inside) = (state(around)?, state(inside)?);
            if composite[inside.index()] || !machine.is_inside(inside, around) {
                return Err(HierarchyError::NoInitialState(around.index()));
            }
            machine.initial[around.index()] = Some(inside);
        }
        if let Some(lacking) = (0..count).find(|&state| composite[state] && machine.initial[state].is_none())
        {
            return Err(HierarchyError::NoInitialState(lacking));
        }
        if composite[start] {
            return Err(HierarchyError::CompositeStart(start));
        }
        Ok(machine)
    }

    fn check_nesting(&self) -> Result<(), HierarchyError> {
        for state in 0..self.parent.len() {
            let mut around = self.parent[state];
            let mut depth = 0;
            while let Some(at) = around {
                depth += 1;
                if depth > self.parent.len() {
                    return Err(HierarchyError::InsideItself(state));
                }
                around = self.parent[at.index()];
            }
        }
        Ok(())
    }

    /// Returns `true` if a state is inside a composite one, at any depth.
    #[must_use]
    pub fn is_inside(&self, state: VertexId, composite: VertexId) -> bool {
        let mut around = self.parent[state.index()];
        while let Some(at) = around {
            if at == composite {
                return true;
            }
            around = self.parent[at.index()];
        }
        false
    }
}

impl Machine for Hierarchy {
    fn state_count(&self) -> usize {
        self.parent.len()
    }

    fn start(&self) -> VertexId {
        self.start
    }

    /// The transitions of the state and of all composite ones around it, by ascending id.
    fn transitions(&self, state: VertexId, out: &mut Vec<EdgeId>) {
        let first = out.len();
        let mut at = Some(state);
        while let Some(state) = at {
            out.extend_from_slice(self.transitions.out_edges(state));
            at = self.parent[state.index()];
        }
        out[first..].sort_unstable();
    }

    fn target(&self, transition: EdgeId, history: &[VertexId]) -> VertexId {
        let target = self.transitions.target(transition);
        let Some(initial) = self.initial[target.index()] else { return target };
        let last = history.iter().rev().find(|&&state| self.is_inside(state, target));
        last.copied().unwrap_or(initial)
    }
}
