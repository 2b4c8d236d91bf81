//! Open slots: a slot that is written in several steps is not counted between these steps.
//!
//! When a slot is taken into use, it is marked first, and then the value that belongs to it is
//! stored. In between it holds the mark beside the value of an earlier use. That value is
//! irrelevant, and counting it would need more precision. `docs/soundness/abstraction.md` has the
//! argument (*Open slots*).

use std::collections::BTreeMap;

use cfsm_core::program::{Action, Edge, Expression, LocationId, Place, ProcessType, VariableId, VariableRef};

use crate::layout::Frame;

/// The locations of a process type at which a slot of a table of two arrays is *open*, with the
/// index of that slot: every path through the location goes from one write of the slot to another.
pub(crate) type Open = BTreeMap<LocationId, Expression>;

/// Computes where slots of a table are open. Time quadratic in the process type, times the length
/// of the longest sequence of candidate locations that are refuted one after the other.
pub(crate) fn open(process: &ProcessType, frame: &Frame, table: [VariableId; 2]) -> Open {
    let writer = Writer { process, frame, table };
    let mut open: Open = process
        .locations
        .ids()
        .filter_map(|location| Some((location, writer.next(location)?.clone())))
        .collect();
    open.remove(&process.entry);
    loop {
        let is_between = |(location, index): (&LocationId, &Expression)| {
            let mut arriving = process.edges.values().filter(|edge| edge.target == *location);
            let leaves = writer.only_edge(*location);
            arriving.all(|edge| writer.written(edge) == Some(index) || open.get(&edge.source) == Some(index))
                && leaves
                    .is_some_and(|edge| writer.written(edge).is_some() || open.contains_key(&edge.target))
        };
        let kept: Open = open
            .iter()
            .filter(|one| is_between(*one))
            .map(|(location, index)| (*location, index.clone()))
            .collect();
        if kept.len() == open.len() {
            return kept;
        }
        open = kept;
    }
}

/// The statements of a process type, with respect to one table.
struct Writer<'a> {
    process: &'a ProcessType,
    frame: &'a Frame,
    table: [VariableId; 2],
}

impl<'a> Writer<'a> {
    /// The index of the slot that is written next on the only path from a location: a sequence of
    /// assignments that do not write variables of this index.
    fn next(&self, location: LocationId) -> Option<&'a Expression> {
        let mut passed = Vec::new();
        let mut here = location;
        while passed.len() <= self.process.locations.len() {
            let edge = self.only_edge(here)?;
            let Action::Assign { target, .. } = &edge.action else { return None };
            if let Some(index) = self.written(edge) {
                let is_changed = |variable: &VariableRef| index.any(&mut |part| reads(part, *variable));
                return (!passed.iter().any(is_changed)).then_some(index);
            }
            if self.is_of_table(target) {
                return None;
            }
            passed.push(target.variable);
            here = edge.target;
        }
        None
    }

    /// The only edge that leaves a location.
    fn only_edge(&self, location: LocationId) -> Option<&'a Edge> {
        let mut leaving = self.process.edges.values().filter(|edge| edge.source == location);
        leaving.next().filter(|_| leaving.next().is_none())
    }

    /// The index of the slot that a statement assigns to, if both arrays have a cell for the
    /// selected element at that index.
    fn written(&self, edge: &'a Edge) -> Option<&'a Expression> {
        let Action::Assign { target, .. } = &edge.action else { return None };
        let index = target.index.as_deref().filter(|_| self.is_of_table(target))?;
        let has_cell = |array: &VariableId| {
            let element = Place { variable: VariableRef::Local(*array), index: target.index.clone() };
            self.frame.selection(&element).is_some()
        };
        self.table.iter().all(has_cell).then_some(index)
    }

    fn is_of_table(&self, place: &Place) -> bool {
        self.table.iter().any(|array| place.variable == VariableRef::Local(*array))
    }
}

fn reads(part: &Expression, variable: VariableRef) -> bool {
    matches!(part, Expression::Read(place) if place.variable == variable)
}
