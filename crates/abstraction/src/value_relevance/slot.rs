//! Value relevance of slots of tables: an assignment to one part of a slot depends on the other
//! parts, since slots are counted by the values that their parts hold together.

use cfsm_core::program::{Edge, Expression, Place, VariableRef};

use super::before::Before;
use super::held::What;
use crate::data::open;
use crate::evaluate::{View, evaluate};
use crate::selection::Selection;
use crate::values::Value;

impl Before<'_, '_, '_> {
    /// The cells of a slot that are relevant to an assignment to one of its parts: where the slot
    /// is counted, before or after the assignment.
    pub(super) fn of_slot(&self, target: &Place, value: &Expression) -> Vec<usize> {
        let selections = &self.frame().selections;
        let is_told = |beside: &&Selection| {
            let mut marks = self.marks(target);
            beside.carried
                && Some(&beside.index) == target.index.as_deref()
                && marks.any(|mark| self.counts_by(mark, beside, target, value))
        };
        let cells = self.held().iter().filter(|held| match held.what {
            What::Selected(position) => Some(&selections[position]).filter(is_told).is_some(),
            _ => false,
        });
        cells.map(|held| held.cell).collect()
    }

    /// Returns `true` if the slot is counted after an assignment to the part beside a mark.
    pub(super) fn is_counted_behind(&self, target: &Place) -> bool {
        let is_carried = self.frame().selection(target).is_some_and(|beside| beside.carried);
        is_carried
            && self.marks(target).any(|mark| self.closed(mark, target.variable)[1] && self.is_marked(mark))
    }

    /// The marks of the slot that a place is part of.
    fn marks(&self, place: &Place) -> impl Iterator<Item = &Selection> {
        let marks = self.frame().selections.iter().filter(|mark| !mark.carried);
        marks.filter(|mark| Some(&mark.index) == place.index.as_deref())
    }

    /// Returns `true` if an assignment to a mark, or to the part beside it, may change the number
    /// of counted slots in a way that depends on the value of the part beside the mark.
    fn counts_by(&self, mark: &Selection, beside: &Selection, target: &Place, value: &Expression) -> bool {
        let [counted, counts] = self.closed(mark, beside.array);
        let was = counted && self.is_marked(mark);
        if target.variable == mark.array {
            was || (counts && !self.starts_with(mark, &evaluate(value, &self.view())))
        } else {
            target.variable == beside.array && was
        }
    }

    /// Returns `true` if a slot may have a mark before the statement.
    fn is_marked(&self, mark: &Selection) -> bool {
        let held = Place { variable: mark.array, index: Some(Box::new(mark.index.clone())) };
        !self.starts_with(mark, &self.view().read(&held))
    }

    fn view(&self) -> View<'_> {
        let here = &self.search.analysis.contexts[self.context];
        self.search.analysis.view(here, &here.nodes[self.node].cells)
    }

    /// Two flags, for the locations before and after the statement: `true` if no slot of the table
    /// is open there.
    fn closed(&self, mark: &Selection, beside: VariableRef) -> [bool; 2] {
        let (VariableRef::Local(marks), VariableRef::Local(others)) = (mark.array, beside) else {
            return [false; 2];
        };
        let process = &self.search.analysis.program.types[self.process_type()];
        let open = open(process, self.frame(), [marks, others]);
        let Edge { source, target, .. } = &process.edges[self.step.edge];
        [source, target].map(|location| !open.contains_key(location))
    }

    /// Returns `true` if the value of an array element is included in the initial value of some
    /// element.
    fn starts_with(&self, mark: &Selection, value: &Value) -> bool {
        let VariableRef::Local(array) = mark.array else { return false };
        let cells = self.frame().locals[array].all();
        self.search.starts[self.context][cells].iter().any(|cell| cell.includes(value))
    }
}
