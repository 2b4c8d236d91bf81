//! Equivalence of states for a statement: two states are alike if they agree on all cells that the
//! statement accesses.
//!
//! A process has many states at one node, and a statement accesses few of the cells in which they
//! differ. So its effect is computed once for all equivalent states, as a sketch, and applied to
//! each of them: the cells that the statement does not access keep their values.

use std::collections::BTreeSet;
use std::rc::Rc;

use cfsm_core::ids::IdMap;
use cfsm_core::program::{Action, EdgeId, Expression, Place, ProcessTypeId, VariableRef};
use hashbrown::{Equivalent, HashMap};

use super::process::{Looked, Lost, Share};
use crate::analysis::Analysis;
use crate::contexts::NodeId;
use crate::layout::Frame;
use crate::unfolding::Unfolded;

/// Values of the observed cells; `None` means the value set of the fixpoint.
pub(super) type Values = Rc<[Option<i64>]>;

/// A cell with its value; `None` means the value set of the fixpoint.
pub(super) type Told = (usize, Option<i64>);

/// Results about the statements of a process, independent of the set of observed cells.
pub(super) struct Known {
    /// The cells that each statement accesses, if known.
    touched: IdMap<EdgeId, Option<BTreeSet<usize>>>,
    /// Memoised effects of statements in equivalent states.
    pub(super) taken: HashMap<Alike, Rc<Taken>>,
}

impl Known {
    /// Computes the accessed cells of each statement of a process type; no effects are memoised
    /// yet.
    pub(super) fn of(analysis: &Analysis<'_>, process_type: ProcessTypeId) -> Self {
        let edges = analysis.program.types[process_type].edges.ids();
        let touched = edges.map(|edge| touched(analysis, process_type, edge)).collect();
        Self { touched, taken: HashMap::new() }
    }

    /// Flags for the observed cells that a statement accesses.
    pub(super) fn touch(&self, edge: EdgeId, looked: &[Looked]) -> Touch {
        let all = self.touched[edge].as_ref();
        Touch(looked.iter().map(|looked| all.is_none_or(|all| all.contains(&looked.cell))).collect())
    }
}

/// The part that equivalent states at one node have in common; the key of the memo table.
#[derive(PartialEq, Eq, Hash)]
pub(super) struct Alike {
    node: NodeId,
    edge: EdgeId,
    /// The values of the observed cells that the statement accesses, and of those without a single
    /// value, which the states after the statement may distinguish.
    told: Box<[Told]>,
}

/// A borrowed form of the key, for look-ups.
#[derive(Clone, Copy, Hash)]
pub(super) struct AlikeTo<'t> {
    pub(super) node: NodeId,
    pub(super) edge: EdgeId,
    pub(super) told: &'t [Told],
}

impl Equivalent<Alike> for AlikeTo<'_> {
    fn equivalent(&self, known: &Alike) -> bool {
        let Alike { node, edge, told } = known;
        (self.node, self.edge, self.told) == (*node, *edge, told)
    }
}

impl From<AlikeTo<'_>> for Alike {
    fn from(AlikeTo { node, edge, told }: AlikeTo<'_>) -> Self {
        Self { node, edge, told: told.into() }
    }
}

/// The effects of a statement in equivalent states.
pub(super) struct Taken {
    /// `true` if it may receive from the shared queue.
    pub(super) waits: bool,
    /// Its other steps.
    pub(super) steps: Result<Vec<Sketch>, Lost>,
}

/// A step from equivalent states.
pub(super) struct Sketch {
    pub(super) share: Share,
    pub(super) to: Rc<[LocalSketch]>,
}

/// A state after a statement, as far as it is the same for all equivalent states before it.
pub(super) struct LocalSketch {
    pub(super) node: NodeId,
    /// The values of the cells that the statement may change.
    told: Vec<Told>,
}

/// Flags for the observed cells: `true` if a statement accesses the cell.
pub(super) struct Touch(Vec<bool>);

impl Touch {
    /// The values of the cells that the statement does not access, and that have a single value in
    /// the state: they are unchanged. `None` for all other cells.
    fn stays<'v>(&'v self, before: &'v [Option<i64>]) -> impl Iterator<Item = Option<i64>> + 'v {
        before.iter().zip(&self.0).map(|(value, touched)| value.filter(|_| !touched))
    }

    /// Appends the values that the state has in common with its equivalent states.
    pub(super) fn common(&self, looked: &[Looked], values: &[Option<i64>], told: &mut Vec<Told>) {
        let cells = looked.iter().zip(values).zip(self.stays(values));
        told.extend(
            cells.filter(|(_, stays)| stays.is_none()).map(|((looked, value), _)| (looked.cell, *value)),
        );
    }

    /// The part of a state after the statement that is the same for all states equivalent to the
    /// one before it.
    pub(super) fn sketch(
        &self,
        looked: &[Looked],
        before: &[Option<i64>],
        node: NodeId,
        behind: &[Option<i64>],
    ) -> LocalSketch {
        let mut told = Vec::new();
        for ((looked, value), stays) in looked.iter().zip(behind).zip(self.stays(before)) {
            match stays {
                None => told.push((looked.cell, *value)),
                Some(_) => debug_assert!(value.is_none() || *value == stays),
            }
        }
        LocalSketch { node, told }
    }

    /// The indices and values of the cells that have a single value in a state and are not accessed
    /// by the statement.
    pub(super) fn kept<'v>(&'v self, before: &'v [Option<i64>]) -> impl Iterator<Item = (usize, i64)> + 'v {
        self.stays(before).enumerate().filter_map(|(number, value)| Some((number, value?)))
    }
}

impl LocalSketch {
    /// The values after the statement is executed in a given state. An unchanged cell becomes
    /// unknown where its value is no longer relevant.
    pub(super) fn draw<'s>(
        &'s self,
        looked: &'s [Looked],
        before: &'s [Option<i64>],
        is_relevant: impl Fn(&Looked) -> bool + 's,
    ) -> impl Iterator<Item = Option<i64>> + 's {
        let mut told = self.told.iter().peekable();
        looked.iter().zip(before).map(move |(looked, value)| {
            let told = told.next_if(|(cell, _)| *cell == looked.cell);
            told.map_or_else(|| value.filter(|_| is_relevant(looked)), |(_, value)| *value)
        })
    }
}

/// The cells that a statement reads or writes, or that decide its target node: it leaves all others
/// unchanged. `None` if it may access any cell.
fn touched(analysis: &Analysis<'_>, process_type: ProcessTypeId, edge: EdgeId) -> Option<BTreeSet<usize>> {
    let frame = &analysis.layout.frames[process_type];
    let action = &analysis.program.types[process_type].edges[edge].action;
    if matches!(action, Action::Opaque { .. }) {
        return None;
    }
    let mut variables: BTreeSet<VariableRef> =
        action.places().into_iter().map(|place| place.variable).collect();
    for condition in analysis.alternatives(process_type, edge) {
        note(condition, &mut variables);
    }
    // A selection is looked up again in its array where a variable of the selection is written.
    let is_lost = |place: &&Place| frame.selections.iter().any(|selection| selection.names(place.variable));
    if action.targets().iter().any(is_lost) {
        for selection in &frame.selections {
            variables.insert(selection.array);
            note(&selection.index, &mut variables);
        }
    }
    let mut cells: BTreeSet<usize> =
        analysis.unfolded[process_type].iter().flat_map(Unfolded::looks_at).collect();
    variables.iter().for_each(|variable| note_cells(analysis, frame, *variable, &mut cells));
    Some(cells)
}

/// Collects the variables that an expression names.
fn note(expression: &Expression, variables: &mut BTreeSet<VariableRef>) {
    expression.any(&mut |part| {
        if let Expression::Read(place) = part {
            variables.insert(place.variable);
        }
        false
    });
}

/// Collects the cells of a variable: those in the frame, and those of the private queue that it
/// denotes.
fn note_cells(analysis: &Analysis<'_>, frame: &Frame, variable: VariableRef, cells: &mut BTreeSet<usize>) {
    match variable {
        VariableRef::Global(id) => {
            let first = frame.globals.get(&id);
            cells.extend(
                first.into_iter().flat_map(|first| *first..*first + analysis.layout.globals[id].cells),
            );
        }
        VariableRef::Local(id) => {
            cells.extend(frame.locals[id].all());
            for queue in frame.private.iter().filter(|queue| queue.variable == id) {
                cells.insert(queue.length);
                cells.extend(queue.front.clone());
            }
        }
    }
}
