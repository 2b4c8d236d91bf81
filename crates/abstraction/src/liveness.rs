//! Where the value of a variable still matters to its process.
//!
//! A variable that is unfolded is told apart only there; elsewhere its values lie together. That
//! keeps unfolded graphs small. To lie together is always sound, so nothing rests on this module
//! but precision.

use std::collections::BTreeSet;

use cfsm_core::program::{Action, Edge, Expression, LocationId, Pattern, Place, ProcessType, VariableRef};

/// The locations of a process type at which a variable may be read before it is written. What is
/// only printed or asserted is not read. Time `O(locations * edges)` at worst.
pub(crate) fn live(process: &ProcessType, variable: VariableRef) -> BTreeSet<LocationId> {
    let mut live = BTreeSet::new();
    loop {
        let before = live.len();
        for edge in process.edges.values() {
            if reads(edge, variable) || (live.contains(&edge.target) && !overwrites(edge, variable)) {
                live.insert(edge.source);
            }
        }
        if live.len() == before {
            return live;
        }
    }
}

fn reads(edge: &Edge, variable: VariableRef) -> bool {
    let is_read = |expression: &&Expression| names(expression, variable);
    match &edge.action {
        Action::Print { .. } | Action::Assert(_) => false,
        Action::Opaque { .. } => true,
        action => action.expressions().iter().any(is_read),
    }
}

/// Whether an expression names a variable.
pub(crate) fn names(expression: &Expression, variable: VariableRef) -> bool {
    expression.any(&mut |inner| matches!(inner, Expression::Read(place) if place.variable == variable))
}

/// Whether a statement replaces the value of a variable, all of it.
fn overwrites(edge: &Edge, variable: VariableRef) -> bool {
    let whole = |place: &Place| place.variable == variable && place.index.is_none();
    match &edge.action {
        Action::Assign { target, .. } => whole(target),
        Action::Create { result, .. } => result.as_ref().is_some_and(whole),
        Action::Receive { patterns, peek: _, .. } => {
            patterns.iter().any(|pattern| matches!(pattern, Pattern::Store(place) if whole(place)))
        }
        _ => false,
    }
}
