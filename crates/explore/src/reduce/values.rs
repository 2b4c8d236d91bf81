//! Constant propagation in the control-flow graph of a process.
//!
//! Where paths join with different values, or a value comes from elsewhere, the value is unknown.

use cfsm_core::ids::Id;
use cfsm_core::program::{Binary, Hold, LocationId};

use super::cells;
use super::uses::QueueSet;
use crate::code::{Code, EdgeCode, Statement, Target, TypeCode};
use crate::evaluate::{binary, unary};
use crate::{Semantics, State};

/// The known values of the cells of a process; `None` if unknown.
pub(super) type Values = Vec<Option<i32>>;

/// Constants of a program, independent of the state.
#[derive(Debug, Default)]
pub(super) struct Constants {
    /// For each cell of the globals that no statement writes, its value.
    settled: Vec<Option<i32>>,
    /// For each type, `true` for locations that a process may enter while it holds control (inside
    /// `atomic`).
    kept: Vec<Vec<bool>>,
}

impl Constants {
    /// The constants of a program, given its initial state.
    pub fn new(semantics: &Semantics, start: &State) -> Self {
        let written = cells::written(semantics);
        let settled = (0..written.len()).map(|cell| (!written[cell]).then(|| start.cells[cell])).collect();
        Self { settled, kept: semantics.types.iter().map(kept).collect() }
    }

    /// Propagates values from a location to a fixed point. `call` gets each edge that may be taken
    /// with the values before it and a flag that is set if the executability of other edges matters
    /// there; it returns `true` to continue behind the edge.
    pub fn walk(
        &self,
        code: &TypeCode,
        ty: usize,
        location: usize,
        values: Values,
        call: &mut impl FnMut(&EdgeCode, &Values, bool) -> bool,
    ) {
        let mut known: Vec<Option<Values>> = vec![None; code.ranges.len()];
        known[location] = Some(values);
        let mut open = vec![location];
        while let Some(at) = open.pop() {
            let Some(values) = known[at].clone() else { continue };
            let edges = code.edges_at(LocationId::new(at));
            let delicate = self.kept[ty][at] || edges.iter().any(is_delicate);
            for edge in edges.iter().filter(|edge| self.may_be(edge, &values)) {
                if !call(edge, &values, delicate) {
                    continue;
                }
                let after = self.after(edge, &values);
                if join(&mut known[edge.target.index()], after) {
                    open.push(edge.target.index());
                }
            }
        }
    }

    /// Returns `true` if the known values do not disable an edge.
    pub fn may_be(&self, edge: &EdgeCode, values: &Values) -> bool {
        match &edge.statement {
            Statement::Condition(condition) => self.fold(condition, values) != Some(0),
            _ => true,
        }
    }

    /// The values after an edge.
    pub fn after(&self, edge: &EdgeCode, values: &Values) -> Values {
        let mut after = values.clone();
        match &edge.statement {
            Statement::Assign(target, value) => {
                let value = self.fold(value, values).map(|value| target.width.keep(value));
                self.set(target, value, &mut after);
            }
            statement => {
                statement.targets().into_iter().for_each(|target| self.set(target, None, &mut after))
            }
        }
        after
    }

    /// Sets a variable of the process to a value, or to unknown.
    fn set(&self, target: &Target, value: Option<i32>, values: &mut Values) {
        if target.global {
            return;
        }
        let (first, length, index) = match target.element.as_deref() {
            None => (target.first as usize, 1, Some(0)),
            Some((length, index)) => (target.first as usize, *length as usize, self.fold(index, values)),
        };
        match index.and_then(|index| usize::try_from(index).ok()).filter(|index| *index < length) {
            Some(index) => values[first + index] = value,
            None => values[first..first + length].fill(None),
        }
    }

    /// Returns `true` if the value of an index is known and in bounds.
    pub fn is_inside(&self, index: &Code, length: u32, values: &Values) -> bool {
        let index = self.fold(index, values).and_then(|index| u32::try_from(index).ok());
        index.is_some_and(|index| index < length)
    }

    /// The index of the queue that a channel refers to, if it is known.
    pub fn position(&self, channel: &Code, values: &Values) -> Option<usize> {
        let before = self.fold(channel, values)?.checked_sub(1)?;
        usize::try_from(before).ok()
    }

    /// The queues that a channel may refer to.
    pub fn queues(&self, channel: &Code, values: &Values) -> QueueSet {
        if let Some(number) = self.fold(channel, values) {
            return QueueSet::of(number);
        }
        let Code::Element(element) = channel else { return QueueSet::ANY };
        let all = if element.global { &self.settled } else { values };
        let (first, length) = (element.first as usize, element.length as usize);
        let mut set = QueueSet::default();
        for number in all.get(first..first + length).unwrap_or(&[None]) {
            set.add(number.map_or(QueueSet::ANY, QueueSet::of));
        }
        set
    }

    /// The value of an expression if it is known; `None` also if its evaluation is an error.
    fn fold(&self, code: &Code, values: &[Option<i32>]) -> Option<i32> {
        match code {
            Code::Constant(value) => Some(*value),
            Code::Global(cell) => self.settled.get(*cell as usize).copied().flatten(),
            Code::Local(cell) => values.get(*cell as usize).copied().flatten(),
            Code::Element(element) => {
                let index = u32::try_from(self.fold(&element.index, values)?).ok()?;
                let cell = (index < element.length).then(|| (element.first + index) as usize)?;
                let all = if element.global { &self.settled } else { values };
                all.get(cell).copied().flatten()
            }
            Code::Unary(operator, operand) => Some(unary(*operator, self.fold(operand, values)?)),
            Code::Binary(operator, operands) => {
                let left = self.fold(&operands.0, values);
                match (operator, left) {
                    (Binary::And, Some(0)) => Some(0),
                    (Binary::Or, Some(left)) if left != 0 => Some(1),
                    _ => binary(*operator, left?, self.fold(&operands.1, values)?).ok(),
                }
            }
            Code::Conditional(parts) => {
                let chosen = if self.fold(&parts.0, values)? != 0 { &parts.1 } else { &parts.2 };
                self.fold(chosen, values)
            }
            _ => None,
        }
    }
}

/// Joins the values of two paths; returns `true` if some value has become unknown.
fn join(known: &mut Option<Values>, other: Values) -> bool {
    let Some(known) = known else {
        *known = Some(other);
        return true;
    };
    let mut changed = false;
    for (cell, other) in known.iter_mut().zip(other) {
        if cell.is_some() && *cell != other {
            *cell = None;
            changed = true;
        }
    }
    changed
}

/// For each location of a type, `true` if a process may enter it while it holds control (inside
/// `atomic`).
fn kept(ty: &TypeCode) -> Vec<bool> {
    let mut kept = vec![false; ty.ranges.len()];
    for edge in ty.edges.iter().filter(|edge| edge.hold == Hold::Atomic) {
        kept[edge.target.index()] = true;
    }
    kept
}

/// Returns `true` if an edge depends on the executability of the other edges of its location.
fn is_delicate(edge: &EdgeCode) -> bool {
    edge.rank > 0 || edge.d_step.is_some() || matches!(edge.statement, Statement::Else)
}
