//! Selections: facts about the array element at an index that is itself a variable or an
//! expression.
//!
//! After `state[i] == busy` one element holds `busy`, until a statement writes the array or `i`,
//! although the element is not known. The cells of the array cannot express that, as each of them
//! may be another element. So a process has one additional cell for each pair of an array and an
//! index that its conditions name, both of them its own: the cell holds the value of that element,
//! in addition to the cells of the array. A global array that only this process writes counts as
//! its own, too. The index may be computed, like those of arrays inside records that are elements
//! of arrays: it is unchanged as long as its variables are.

use std::collections::BTreeSet;

use cfsm_core::program::{Action, Expression, Place, ProcessType, Type, VariableId, VariableRef};

/// Largest number of selections of a process type.
const MOST: usize = 16;

/// An array element selected by an index expression over local scalars.
#[derive(Clone, Debug)]
pub(crate) struct Selection {
    /// The array.
    pub(crate) array: VariableRef,
    /// Its index, an expression over local scalars.
    pub(crate) index: Expression,
    /// The variables of the index.
    scalars: Vec<VariableRef>,
    /// Position of its cell in the frame.
    pub(crate) cell: usize,
    /// `true` if the selection exists because the array is lazily tracked; its cell then starts
    /// from the cells of the array. `false` if it exists because a condition names the element.
    pub(crate) carried: bool,
}

impl Selection {
    fn new(array: VariableRef, index: &Expression, cell: usize, carried: bool) -> Self {
        let mut scalars = Vec::new();
        index.any(&mut |part| {
            if let Expression::Read(place) = part {
                scalars.push(place.variable);
            }
            false
        });
        Self { array, index: index.clone(), scalars, cell, carried }
    }

    /// Returns `true` if a place denotes this element.
    pub(crate) fn is(&self, place: &Place) -> bool {
        self.array == place.variable && place.index.as_deref() == Some(&self.index)
    }

    /// Returns `true` if a write of the variable invalidates the selection.
    pub(crate) fn names(&self, variable: VariableRef) -> bool {
        self.array == variable || self.scalars.contains(&variable)
    }
}

/// The selections of a process type: those in its conditions, with cells from `first` on. Global
/// arrays are included if the type owns them: it has a single instance, the only one that ever
/// writes them. Time linear in the type.
///
/// For lazily tracked arrays, the elements that other statements access are included too, at an
/// index by which a condition selects: the other parts of the same slot of a table.
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
                found.push(Selection::new(place.variable, index, cell, false));
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
            found.push(Selection::new(place.variable, index, cell, true));
        }
    }
    found
}

/// The index of an element of an array of numbers that the process owns, if it is computed from
/// local scalars only.
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
