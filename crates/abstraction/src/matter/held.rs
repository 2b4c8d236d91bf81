//! What processes hold that is carried.

use std::collections::BTreeSet;

use cfsm_core::program::{ProcessType, Type, VariableId, VariableRef};

use crate::Tracked;
use crate::layout::Frame;
use crate::private_queue::filling;

/// What a process holds that is carried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Held {
    /// Its cell in the frame.
    pub(crate) cell: usize,
    pub(super) what: What,
}

/// What is held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum What {
    /// A scalar.
    Variable(VariableRef),
    /// A field of the message in front of a private queue.
    Front(VariableId, u32),
    /// The element of an array that a selection of the frame stands for: its position there.
    Selected(usize),
}

impl Held {
    /// What is said to be tracked.
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

/// What processes of a type hold that is carried: scalars of their own, elements that their
/// conditions select, and what waits in private queues to be stored in such scalars.
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
