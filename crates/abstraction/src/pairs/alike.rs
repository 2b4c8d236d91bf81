//! States that are alike for a statement: they agree on all that it has to do with.
//!
//! A process has many states at one node, and a statement looks at few of the cells in which they
//! differ. So what it does is found out once for all states that are alike, as a sketch, and drawn
//! for each of them: what the statement has nothing to do with stays as it is.

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

/// Values of the cells that are looked at; `None`: what the fixpoint says.
pub(super) type Values = Rc<[Option<i64>]>;

/// A cell, with its value; `None`: what the fixpoint says.
pub(super) type Told = (usize, Option<i64>);

/// What is known of the statements of a process, whatever of it is looked at.
pub(super) struct Known {
    /// The cells that each of them has to do with, if they are known.
    touched: IdMap<EdgeId, Option<BTreeSet<usize>>>,
    /// What they do in states that are alike.
    pub(super) taken: HashMap<Alike, Rc<Taken>>,
}

impl Known {
    /// Of the statements of a process type, nothing has been found out yet.
    pub(super) fn of(analysis: &Analysis<'_>, process_type: ProcessTypeId) -> Self {
        let edges = analysis.program.types[process_type].edges.ids();
        let touched = edges.map(|edge| touched(analysis, (process_type, edge))).collect();
        Self { touched, taken: HashMap::new() }
    }

    /// Which of the cells that are looked at a statement has to do with.
    pub(super) fn touch(&self, edge: EdgeId, looked: &[Looked]) -> Touch {
        let all = self.touched[edge].as_ref();
        Touch(looked.iter().map(|looked| all.is_none_or(|all| all.contains(&looked.cell))).collect())
    }
}

/// What states at one node have in common that are alike for a statement.
#[derive(PartialEq, Eq, Hash)]
pub(super) struct Alike {
    node: NodeId,
    edge: EdgeId,
    /// Of the cells that are looked at, those that the statement has to do with, and those that
    /// have no one value: these are told apart behind it.
    told: Box<[Told]>,
}

/// The same, to be looked up.
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

/// What a statement may do in states that are alike.
pub(super) struct Taken {
    /// Whether it may receive from the queue that is followed.
    pub(super) waits: bool,
    /// What else it may do.
    pub(super) steps: Result<Vec<Sketch>, Lost>,
}

/// A step from states that are alike.
pub(super) struct Sketch {
    pub(super) share: Share,
    pub(super) to: Rc<[LocalSketch]>,
}

/// A state behind a statement, as far as it is the same for all states before it that are alike.
pub(super) struct LocalSketch {
    pub(super) node: NodeId,
    /// What cells hold there that do not stay as they are.
    told: Vec<Told>,
}

/// Which of the cells that are looked at a statement has to do with.
pub(super) struct Touch(Vec<bool>);

impl Touch {
    /// The cells with which it has nothing to do, and which have one value in a state: they stay as
    /// they are.
    fn stays<'v>(&'v self, before: &'v [Option<i64>]) -> impl Iterator<Item = Option<i64>> + 'v {
        before.iter().zip(&self.0).map(|(value, touched)| value.filter(|_| !touched))
    }

    /// What a state has in common with those that are alike for the statement, added to a list.
    pub(super) fn common(&self, looked: &[Looked], values: &[Option<i64>], told: &mut Vec<Told>) {
        let cells = looked.iter().zip(values).zip(self.stays(values));
        told.extend(
            cells.filter(|(_, stays)| stays.is_none()).map(|((looked, value), _)| (looked.cell, *value)),
        );
    }

    /// What of a state behind the statement is the same for all that are alike with the one before
    /// it.
    pub(super) fn sketch(
        &self,
        looked: &[Looked],
        before: &[Option<i64>],
        (node, behind): (NodeId, &[Option<i64>]),
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

    /// The cells, by number, that have one value in a state, and that the statement leaves as they
    /// are.
    pub(super) fn kept<'v>(&'v self, before: &'v [Option<i64>]) -> impl Iterator<Item = (usize, i64)> + 'v {
        self.stays(before).enumerate().filter_map(|(number, value)| Some((number, value?)))
    }
}

impl LocalSketch {
    /// The values behind a statement that is executed in a state; of what stays as it is, nothing
    /// is known any more where that does not matter.
    pub(super) fn draw<'s>(
        &'s self,
        looked: &'s [Looked],
        before: &'s [Option<i64>],
        matters: impl Fn(&Looked) -> bool + 's,
    ) -> impl Iterator<Item = Option<i64>> + 's {
        let mut told = self.told.iter().peekable();
        looked.iter().zip(before).map(move |(looked, value)| {
            let told = told.next_if(|(cell, _)| *cell == looked.cell);
            told.map_or_else(|| value.filter(|_| matters(looked)), |(_, value)| *value)
        })
    }
}

/// The cells that a statement looks at or writes, or that decide where it leads: behind it, all
/// others are as before. `None` if they may be any.
fn touched(
    analysis: &Analysis<'_>,
    (process_type, edge): (ProcessTypeId, EdgeId),
) -> Option<BTreeSet<usize>> {
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
    // What is selected is looked up again in its array where one of the two is written.
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

/// Notes the variables that an expression names.
fn note(expression: &Expression, variables: &mut BTreeSet<VariableRef>) {
    expression.any(&mut |part| {
        if let Expression::Read(place) = part {
            variables.insert(place.variable);
        }
        false
    });
}

/// Notes the cells of a variable: where it stands in the frame, and what is in the queue that it
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
