//! Slots that are written in several steps: between these, the slot does not count.
//!
//! A slot that is taken into use is marked, and then it is noted what goes with it. In between it
//! holds the mark beside what went with an earlier use, which is of no interest to anybody, and
//! would have to be told apart to count it. `docs/soundness/abstraction.md` has the argument (*Open
//! slots*).

use std::collections::BTreeMap;

use cfsm_core::program::{Action, Edge, Expression, LocationId, Place, ProcessType, VariableId, VariableRef};

use crate::layout::Frame;

/// The locations of a process type at which a slot of a table of two arrays is *open*, with its
/// index: nothing comes in between two writes of it there.
pub(crate) type Open = BTreeMap<LocationId, Expression>;

/// Where slots of a table are open. Time quadratic in the process type, times how many locations in
/// a row are found not to be between two writes after all.
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

/// What statements of a process type do with a table.
struct Writer<'a> {
    process: &'a ProcessType,
    frame: &'a Frame,
    table: [VariableId; 2],
}

impl<'a> Writer<'a> {
    /// The index of the slot that is written next, whatever happens: in a row of assignments to
    /// something else than the variables of this index.
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

    /// The index of the slot that a statement assigns to, if it is one by which both arrays are
    /// known.
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
