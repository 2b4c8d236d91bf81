//! States that are alike for a statement: they agree on all that it has to do with.
//!
//! A process has many states at one node, and a statement looks at few of the cells in which they differ. So what it does is found out once for
//! all states that are alike, as a sketch, and drawn for each of them: what the statement has nothing to do with stays as it is.

use std::collections::BTreeSet;
use std::rc::Rc;

use cfsm_core::program::{Action, EdgeId, Expression, Place, ProcessTypeId, VariableRef};

use super::process::{Looked, Lost, Share};
use crate::analysis::Analysis;
use crate::contexts::NodeId;
use crate::layout::Frame;
use crate::unfolding::Unfolded;

/// Values of the cells that are looked at; `None`: what the fixpoint says.
pub(super) type Values = Rc<[Option<i64>]>;

/// What states at one node have in common that are alike for a statement.
pub(super) type Alike = (NodeId, EdgeId, Values);

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
    /// What each cell holds that is looked at.
    pub(super) values: Vec<Held>,
}

/// What a cell holds behind a statement.
#[derive(Clone, Copy)]
pub(super) enum Held {
    /// What it held before.
    Same,
    /// This.
    This(Option<i64>),
}

/// Which of the cells that are looked at a statement has to do with.
pub(super) struct Touch(Vec<bool>);

impl Touch {
    /// That of a statement of a process type.
    pub(super) fn of(analysis: &Analysis<'_>, at: (ProcessTypeId, EdgeId), looked: &[Looked]) -> Self {
        let touched = touched(analysis, at);
        let is_touched = |looked: &Looked| touched.as_ref().is_none_or(|all| all.contains(&looked.cell));
        Self(looked.iter().map(is_touched).collect())
    }

    /// What a state has in common with those that are alike for the statement. Whether a cell that it has nothing to do with has one value makes a
    /// difference: many are told apart behind it.
    pub(super) fn common(&self, values: &[Option<i64>]) -> Values {
        let common =
            |(value, touched): (&Option<i64>, &bool)| if *touched { *value } else { value.map(|_| 0) };
        values.iter().zip(&self.0).map(common).collect()
    }

    /// What of a state behind the statement is the same for all that are alike with the one before it.
    pub(super) fn sketch(
        &self,
        before: &[Option<i64>],
        (node, behind): (NodeId, &[Option<i64>]),
    ) -> LocalSketch {
        let held = |((before, behind), touched): ((&Option<i64>, &Option<i64>), &bool)| {
            let stays = !touched && before.is_some() && behind.is_some();
            if stays { Held::Same } else { Held::This(*behind) }
        };
        LocalSketch { node, values: before.iter().zip(behind).zip(&self.0).map(held).collect() }
    }

    /// The cells, by number, that have one value in a state, and that the statement leaves as they are.
    pub(super) fn kept(&self, before: &[Option<i64>]) -> impl Iterator<Item = (usize, i64)> {
        let values = before.iter().zip(&self.0).enumerate();
        values.filter_map(|(number, (value, touched))| Some((number, (*value)?)).filter(|_| !touched))
    }
}

/// The cells that a statement looks at or writes, or that decide where it leads: behind it, all others are as before. `None` if they may be any.
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

/// Notes the cells of a variable: where it stands in the frame, and what is in the queue that it denotes.
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
