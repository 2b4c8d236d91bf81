//! The lazily tracked cells of a process type.

use std::collections::BTreeSet;

use cfsm_core::program::{ProcessType, Type, VariableId, VariableRef};

use crate::Tracked;
use crate::layout::Frame;
use crate::private_queue::filling;

/// A lazily tracked cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Held {
    /// Its cell in the frame.
    pub(crate) cell: usize,
    pub(super) what: What,
}

/// The contents of a lazily tracked cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum What {
    /// A scalar.
    Variable(VariableRef),
    /// A field of the first message of a private queue.
    Front(VariableId, u32),
    /// The element of an array that a selection of the frame represents: the position of the
    /// selection in the frame.
    Selected(usize),
}

impl Held {
    /// The tracked variable or element to report for the cell.
    pub(crate) fn tracked(self, frame: &Frame) -> Tracked {
        match self.what {
            What::Variable(variable) => Tracked { variable, element: None, selected: None },
            What::Front(queue, field) => {
                Tracked { variable: VariableRef::Local(queue), element: Some(field), selected: None }
            }
            What::Selected(position) => {
                let (variable, number) = (frame.selections[position].array, u32::try_from(position + 1).ok());
                Tracked { variable, element: None, selected: number }
            }
        }
    }
}

/// The lazily tracked cells of a process type: scalars of its own, elements that its conditions
/// select, and the fields of messages in private queues that are later stored in such scalars.
pub(crate) fn held(
    process: &ProcessType,
    frame: &Frame,
    carried: Option<&BTreeSet<VariableRef>>,
) -> Vec<Held> {
    let Some(carried) = carried else { return Vec::new() };
    let is_number = |ty: Type| ty != Type::Channel;
    let scalars = carried.iter().filter_map(|variable| match variable {
        VariableRef::Local(id) if frame.locals[*id].length.is_none() && is_number(frame.locals[*id].ty) => {
            Some(Held { cell: frame.locals[*id].start, what: What::Variable(*variable) })
        }
        _ => None,
    });
    let selections = frame.selections.iter().enumerate();
    let selected = selections
        .filter(|(_, selection)| carried.contains(&selection.array))
        .map(|(position, selection)| Held { cell: selection.cell, what: What::Selected(position) });
    let fronts = frame.private.iter().flat_map(|queue| {
        let fields: BTreeSet<usize> =
            carried.iter().flat_map(|variable| filling(process, queue.variable, *variable)).collect();
        let fields = fields.into_iter().filter(|field| *field < queue.front.len());
        fields.filter_map(|field| {
            let number = u32::try_from(field).ok()?;
            Some(Held { cell: queue.front.start + field, what: What::Front(queue.variable, number) })
        })
    });
    scalars.chain(selected).chain(fronts).collect()
}
