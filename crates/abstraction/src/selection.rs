//! What is known of an element whose index is not.
//!
//! Behind `state[i] == busy` one element holds `busy`, whichever it is, until something writes the array or `i`. The cells of the
//! array cannot say so, as each of them may be another one. So a process has one cell more for each pair of an array and an index
//! that its conditions name, both of them its own: what it holds is known of that element, besides what the array says.

use std::collections::BTreeSet;

use cfsm_core::program::{Action, Expression, Place, ProcessType, Type, VariableRef};

/// Pairs of a type that have cells, at most.
const MOST: usize = 16;

/// An element of a local array that a local scalar selects.
#[derive(Clone, Debug)]
pub(crate) struct Selection {
    /// The array.
    pub(crate) array: VariableRef,
    /// The scalar.
    index: VariableRef,
    /// Where it stands in the frame.
    pub(crate) cell: usize,
}

impl Selection {
    /// Whether a place is this element.
    pub(crate) fn is(&self, place: &Place) -> bool {
        selects(place) == Some((self.array, self.index))
    }

    /// Whether what is known of it is lost where a variable is written.
    pub(crate) fn names(&self, variable: VariableRef) -> bool {
        self.array == variable || self.index == variable
    }
}

/// The selections of a process type: those in its conditions, with cells from `first` on. Time linear in the type.
pub(crate) fn selections(process: &ProcessType, first: usize) -> Vec<Selection> {
    let conditions = process.edges.values().filter_map(|edge| match &edge.action {
        Action::Condition(condition) => Some(condition),
        _ => None,
    });
    let mut found = BTreeSet::new();
    for condition in conditions {
        condition.any(&mut |inner| {
            if let Expression::Read(place) = inner {
                found.extend(selects(place).filter(|(array, _)| holds_numbers(process, *array)));
            }
            false
        });
    }
    let pairs = found.into_iter().take(MOST).zip(first..);
    pairs.map(|((array, index), cell)| Selection { array, index, cell }).collect()
}

/// The array and the index of a place, if both are locals and the index is just a variable.
fn selects(place: &Place) -> Option<(VariableRef, VariableRef)> {
    match (place.variable, place.index.as_deref()) {
        (VariableRef::Local(_), Some(Expression::Read(Place { variable, index: None })))
            if matches!(variable, VariableRef::Local(_)) =>
        {
            Some((place.variable, *variable))
        }
        _ => None,
    }
}

fn holds_numbers(process: &ProcessType, array: VariableRef) -> bool {
    match array {
        VariableRef::Local(id) => process.locals[id].ty != Type::Channel,
        VariableRef::Global(_) => false,
    }
}
