//! What is known of an element whose index is not.
//!
//! Behind `state[i] == busy` one element holds `busy`, whichever it is, until something writes the
//! array or `i`. The cells of the array cannot say so, as each of them may be another one. So a
//! process has one cell more for each pair of an array and an index that its conditions name, both
//! of them its own: what it holds is known of that element, besides what the array says. A global
//! array that it alone writes is its own, too. An index may be computed, as those of arrays inside
//! records are that are elements of arrays: it is the same as long as its variables are.

use std::collections::BTreeSet;

use cfsm_core::program::{Action, Expression, Place, ProcessType, Type, VariableId, VariableRef};

/// Pairs of a type that have cells, at most.
const MOST: usize = 16;

/// An element of an array of a process that local scalars select.
#[derive(Clone, Debug)]
pub(crate) struct Selection {
    /// The array.
    pub(crate) array: VariableRef,
    /// Its index, an expression over local scalars.
    pub(crate) index: Expression,
    /// These.
    scalars: Vec<VariableRef>,
    /// Where it stands in the frame.
    pub(crate) cell: usize,
    /// Whether it is there because the array is carried, and says what the array does; else it is
    /// there because a condition names it.
    pub(crate) carried: bool,
}

impl Selection {
    fn new((array, index): (VariableRef, &Expression), cell: usize, carried: bool) -> Self {
        let mut scalars = Vec::new();
        index.any(&mut |part| {
            if let Expression::Read(place) = part {
                scalars.push(place.variable);
            }
            false
        });
        Self { array, index: index.clone(), scalars, cell, carried }
    }

    /// Whether a place is this element.
    pub(crate) fn is(&self, place: &Place) -> bool {
        self.array == place.variable && place.index.as_deref() == Some(&self.index)
    }

    /// Whether what is known of it is lost where a variable is written.
    pub(crate) fn names(&self, variable: VariableRef) -> bool {
        self.array == variable || self.scalars.contains(&variable)
    }
}

/// The selections of a process type: those in its conditions, with cells from `first` on. Of
/// globals, those arrays count that it owns: one instance of this type is the only one that ever
/// writes them. Time linear in the type.
///
/// Of arrays that are carried, those elements count too that other statements read or write, at an
/// index that a condition selects by: the rest of the same slot of a table.
pub(crate) fn selections(
    process: &ProcessType,
    owns: &dyn Fn(VariableId) -> Option<Type>,
    carried: Option<&BTreeSet<VariableRef>>,
    first: usize,
) -> Vec<Selection> {
    let conditions = process.edges.values().filter_map(|edge| match &edge.action {
        Action::Condition(condition) => Some(condition),
        _ => None,
    });
    let mut found: Vec<Selection> = Vec::new();
    for condition in conditions {
        condition.any(&mut |inner| {
            if let Expression::Read(place) = inner
                && let Some(index) = selects(process, owns, place)
                && found.len() < MOST
                && !found.iter().any(|known| known.is(place))
            {
                let cell = first + found.len();
                found.push(Selection::new((place.variable, index), cell, false));
            }
            false
        });
    }
    let Some(carried) = carried else { return found };
    let slots: Vec<Expression> = found.iter().map(|selection| selection.index.clone()).collect();
    for place in process.edges.values().flat_map(|edge| edge.action.places()) {
        if matches!(place.variable, VariableRef::Local(_))
            && carried.contains(&place.variable)
            && let Some(index) = selects(process, owns, place)
            && slots.contains(index)
            && found.len() < MOST
            && !found.iter().any(|known| known.is(place))
        {
            let cell = first + found.len();
            found.push(Selection::new((place.variable, index), cell, true));
        }
    }
    found
}

/// The index of a place of an array of numbers of its own, if it is computed from local scalars
/// only.
fn selects<'p>(
    process: &ProcessType,
    owns: &dyn Fn(VariableId) -> Option<Type>,
    place: &'p Place,
) -> Option<&'p Expression> {
    let index = place.index.as_deref()?;
    let scalar = |variable: &VariableRef| matches!(variable, VariableRef::Local(id) if process.locals[*id].length.is_none());
    let mut reads = false;
    let other = index.any(&mut |part| match part {
        Expression::Read(Place { variable, index: None }) if scalar(variable) => {
            reads = true;
            false
        }
        Expression::Constant(_)
        | Expression::Unary(..)
        | Expression::Binary(..)
        | Expression::Conditional(..) => false,
        _ => true,
    });
    let ty = match place.variable {
        VariableRef::Local(id) => Some(process.locals[id].ty),
        VariableRef::Global(id) => owns(id),
    };
    (reads && !other && ty.is_some_and(|ty| ty != Type::Channel)).then_some(index)
}
