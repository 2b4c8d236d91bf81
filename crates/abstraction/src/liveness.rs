//! Liveness of variables: the locations of a process at which the value of a variable may still be
//! read.
//!
//! An unfolded variable distinguishes states only at these locations; elsewhere its values are
//! merged. That keeps unfolded graphs small. Merging is always sound, so this module affects only
//! precision.

use std::collections::BTreeSet;

use cfsm_core::program::{Action, Edge, Expression, LocationId, Pattern, Place, ProcessType, VariableRef};

/// The locations of a process type at which a variable may be read before it is written. Printing
/// and asserting a variable does not count as reading. Time `O(locations * edges)` at worst.
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

/// Returns `true` if an expression names a variable.
pub(crate) fn names(expression: &Expression, variable: VariableRef) -> bool {
    expression.any(&mut |inner| matches!(inner, Expression::Read(place) if place.variable == variable))
}

/// Returns `true` if a statement overwrites the whole variable.
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
