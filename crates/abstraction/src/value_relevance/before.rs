//! Transfer function of value relevance: the cells that are relevant before a step, given those
//! that are relevant after it.

use std::collections::BTreeSet;

use cfsm_core::program::{Action, Binary, Expression, Pattern, Place, ProcessTypeId, Unary, VariableRef};

use super::Search;
use super::held::{Held, What};
use crate::contexts::{ContextId, Move, NodeId};
use crate::layout::Frame;
use crate::private_queue::PrivateQueue;
use crate::step::{Effect, matches};

/// A step of a node, for which the relevant cells are computed.
pub(super) struct Before<'b, 's, 'a> {
    pub(super) search: &'b Search<'s, 'a>,
    pub(super) context: ContextId,
    pub(super) node: NodeId,
    pub(super) step: &'s Move,
}

impl<'s> Before<'_, 's, '_> {
    pub(super) fn process_type(&self) -> ProcessTypeId {
        self.search.analysis.contexts[self.context].process_type
    }

    pub(super) fn frame(&self) -> &'s Frame {
        &self.search.analysis.layout.frames[self.process_type()]
    }

    fn action(&self) -> &'s Action {
        &self.search.analysis.program.types[self.process_type()].edges[self.step.edge].action
    }

    pub(super) fn held(&self) -> &[Held] {
        &self.search.held[self.process_type()]
    }

    /// Returns `true` if a cell is relevant after the step.
    fn is_relevant_after(&self, cell: usize) -> bool {
        self.step.targets.iter().any(|target| self.search.found[self.context][*target].contains(&cell))
    }

    /// Adds the cells that are relevant before the step.
    pub(super) fn note(&self, cells: &mut BTreeSet<usize>) {
        let action = self.action();
        let kept =
            self.held().iter().filter(|held| self.is_relevant_after(held.cell) && !self.is_lost(held.what));
        cells.extend(kept.map(|held| held.cell));
        for place in action.targets() {
            place
                .index
                .iter()
                .filter(|_| self.is_wanted(place))
                .for_each(|index| self.note_read(index, cells));
        }
        match action {
            Action::Condition(condition) => self.note_condition(condition, cells),
            Action::Assign { target, value } => {
                if self.is_wanted(target) || self.is_counted_behind(target) {
                    self.note_read(value, cells);
                }
                cells.extend(self.of_slot(target, value));
            }
            Action::Send { channel, fields, .. } => {
                self.note_read(channel, cells);
                for (position, field) in fields.iter().enumerate() {
                    if self.is_wanted_of_message(channel, position) {
                        self.note_read(field, cells);
                    }
                }
            }
            Action::Receive { channel, patterns, .. } => {
                self.note_read(channel, cells);
                patterns
                    .iter()
                    .filter_map(Pattern::expression)
                    .for_each(|value| self.note_read(value, cells));
                self.note_fronts(channel, patterns, cells);
            }
            Action::Create { arguments, .. } => {
                arguments.iter().for_each(|value| self.note_read(value, cells))
            }
            Action::SetPriority { process, priority } => {
                self.note_read(process, cells);
                self.note_read(priority, cells);
            }
            Action::Opaque { .. } => cells.extend(self.held().iter().map(|held| held.cell)),
            Action::Else => self.note_alternatives(cells),
            Action::Assert(_) | Action::Print { .. } => {}
        }
    }

    /// Adds the cells that a condition reads. An operand that is compared with an unknown value is
    /// not relevant.
    fn note_condition(&self, condition: &Expression, cells: &mut BTreeSet<usize>) {
        match condition {
            Expression::Binary(Binary::And | Binary::Or, one, other) => {
                [one, other].into_iter().for_each(|part| self.note_condition(part, cells));
            }
            Expression::Unary(Unary::Not, part) => self.note_condition(part, cells),
            Expression::Binary(_, one, other) => {
                for (part, other) in [(one, other), (other, one)] {
                    if self.is_known(other) {
                        self.note_read(part, cells);
                    }
                }
            }
            _ => self.note_read(condition, cells),
        }
    }

    /// Returns `true` if the value of an expression is known once all lazily tracked variables are.
    fn is_known(&self, expression: &Expression) -> bool {
        !expression.any(&mut |part| match part {
            Expression::Read(place) => !self.is_known_at(place),
            _ => false,
        })
    }

    fn is_known_at(&self, place: &Place) -> bool {
        let here = &self.search.analysis.contexts[self.context].nodes[self.node].cells;
        let is_one = |cell: usize| here[cell].numbers.values().is_some_and(|values| values.len() < 2);
        let frame = self.frame();
        let start = match place.variable {
            VariableRef::Local(id) => Some(frame.locals[id].start),
            VariableRef::Global(id) => frame.globals.get(&id).copied(),
        };
        match (&place.index, start) {
            // A global that is never written.
            (_, None) => true,
            (None, Some(cell)) => {
                is_one(cell)
                    || self.held().iter().any(|held| held.cell == cell)
                    || self.is_followed(place.variable)
            }
            (Some(_), Some(_)) => {
                let selected = frame.selection(place).map(|selection| selection.cell);
                let held = self.held().iter().find(|held| Some(held.cell) == selected);
                self.is_followed(place.variable)
                    || held.is_some_and(|held| here[held.cell].numbers.values().is_some())
            }
        }
    }

    /// Adds the cells that an expression reads.
    fn note_read(&self, expression: &Expression, cells: &mut BTreeSet<usize>) {
        match expression {
            Expression::Read(place) => {
                cells.extend(self.read(place));
                // The index is irrelevant if the elements are not distinguished.
                let index = place.index.iter().filter(|_| self.tells_elements_apart(place.variable));
                index.for_each(|index| self.note_read(index, cells));
                return;
            }
            Expression::Poll { channel, patterns, .. } => self.note_fronts(channel, patterns, cells),
            _ => {}
        }
        expression.children().into_iter().for_each(|part| self.note_read(part, cells));
    }

    /// Returns `true` if the elements of an array are distinguished: they are tracked, or the array
    /// is never written.
    fn tells_elements_apart(&self, array: VariableRef) -> bool {
        let is_settled = match array {
            VariableRef::Global(id) => !self.frame().globals.contains_key(&id),
            VariableRef::Local(_) => false,
        };
        is_settled || self.is_followed(array)
    }

    /// The lazily tracked cells that are read with a place.
    fn read(&self, place: &Place) -> impl Iterator<Item = usize> {
        let frame = self.frame();
        let selection = frame.selection(place).map(|selection| selection.cell);
        let is_read = move |held: &&Held| match held.what {
            What::Variable(variable) => variable == place.variable,
            What::Selected(_) => selection == Some(held.cell),
            What::Front(..) => false,
        };
        self.held().iter().filter(is_read).map(|held| held.cell)
    }

    /// Returns `true` if the step overwrites or discards the held value.
    fn is_lost(&self, what: What) -> bool {
        let frame = self.frame();
        self.action().targets().iter().any(|place| match what {
            What::Variable(variable) => place.variable == variable && place.index.is_none(),
            What::Selected(position) => {
                let selection = &frame.selections[position];
                selection.is(place) || (selection.names(place.variable) && selection.array != place.variable)
            }
            What::Front(..) => false,
        }) || self.changes_front(what)
    }

    /// Returns `true` if the step removes the first message of the private queue.
    fn changes_front(&self, what: What) -> bool {
        let What::Front(queue, _) = what else { return false };
        match self.action() {
            Action::Receive { channel, peek: false, .. } => {
                self.frame().private_queue(channel).is_some_and(|of| of.variable == queue)
            }
            _ => false,
        }
    }

    /// Returns `true` if a value stored in a place is relevant after the step.
    fn is_wanted(&self, place: &Place) -> bool {
        let frame = self.frame();
        self.held().iter().any(|held| {
            let is_stored = match held.what {
                What::Variable(variable) => variable == place.variable,
                What::Selected(position) => frame.selections[position].array == place.variable,
                What::Front(..) => false,
            };
            is_stored && self.is_relevant_after(held.cell)
        }) || (place.index.is_some() && self.is_followed(place.variable))
            || self.has_register(place.variable)
    }

    /// Returns `true` if a variable is always tracked; an array with its elements.
    fn is_followed(&self, variable: VariableRef) -> bool {
        let tracked = &self.search.analysis.options.precision.tracked;
        tracked.get(&self.process_type()).is_some_and(|tracked| tracked.contains(&variable))
            || self.has_register(variable)
    }

    fn has_register(&self, variable: VariableRef) -> bool {
        let declared = match variable {
            VariableRef::Global(id) => (None, id),
            VariableRef::Local(id) => (Some(self.process_type()), id),
        };
        self.search.analysis.options.precision.registers.contains(&declared)
    }

    /// Adds the fields of a private queue's first message that the patterns examine, or store in a
    /// place where the value is relevant.
    fn note_fronts(&self, channel: &Expression, patterns: &[Pattern], cells: &mut BTreeSet<usize>) {
        let Some(queue) = self.frame().private_queue(channel) else { return };
        for held in self.held() {
            let What::Front(of, field) = held.what else { continue };
            let pattern = patterns.get(field as usize).filter(|_| of == queue.variable);
            let is_wanted = match pattern {
                Some(Pattern::Store(place)) => self.is_wanted(place),
                Some(Pattern::Match(_)) => true,
                Some(Pattern::Any) | None => false,
            };
            if is_wanted {
                cells.insert(held.cell);
            }
        }
    }

    /// Adds the cells read by the conditions to which `else` is the alternative.
    fn note_alternatives(&self, cells: &mut BTreeSet<usize>) {
        let others = self.search.analysis.alternatives(self.process_type(), self.step.edge);
        others.into_iter().for_each(|condition| self.note_condition(condition, cells));
    }

    /// Returns `true` if a field of a message that the step sends is relevant to a statement that
    /// may receive it.
    fn is_wanted_of_message(&self, channel: &Expression, position: usize) -> bool {
        if let Some(queue) = self.frame().private_queue(channel) {
            return self.is_wanted_in_front(queue, position);
        }
        let Effect::Send(messages) = &self.step.effect else { return false };
        messages.iter().any(|(object, message)| {
            let receipts = self.search.receipts.get(object).into_iter().flatten();
            receipts.filter(|receipt| matches(message, receipt.patterns)).any(|receipt| {
                Before {
                    search: self.search,
                    context: receipt.context,
                    node: receipt.node,
                    step: receipt.step,
                }
                .wants(position)
            })
        })
    }

    fn is_wanted_in_front(&self, queue: &PrivateQueue, position: usize) -> bool {
        let is = |held: &&Held| {
            held.what == u32::try_from(position).map_or(held.what, |field| What::Front(queue.variable, field))
        };
        self.held().iter().find(is).is_some_and(|held| self.is_relevant_after(held.cell))
    }

    /// Returns `true` if a receive examines a field of its message, or stores it in a place where
    /// the value is relevant.
    fn wants(&self, position: usize) -> bool {
        let Action::Receive { patterns, .. } = self.action() else { return false };
        match patterns.get(position) {
            Some(Pattern::Store(place)) => self.is_wanted(place),
            Some(Pattern::Match(_)) => true,
            Some(Pattern::Any) | None => false,
        }
    }
}
