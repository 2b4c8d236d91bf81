//! Transfer functions of statements on difference-bound matrices.
//!
//! Only comparisons that hold and assignments of a variable plus a constant constrain differences.
//! A variable that is written in any other way is unconstrained; its bounds then come from its
//! value set.

use cfsm_core::program::{Action, Binary, Expression, Place, Unary, VariableRef};

use super::choice::Column;
use super::matrix::{Matrix, ZERO};
use crate::assume::asked;
use crate::counters::Sum;
use crate::evaluate::{View, evaluate};

/// Maximal depth of connectives and sums that are analysed.
const DEPTH: usize = 8;

/// The state in which a statement is executed.
#[derive(Clone, Copy)]
pub(super) struct Here<'a> {
    /// The variables of the matrix.
    pub(super) columns: &'a [Column],
    /// The value sets.
    pub(super) view: View<'a>,
}

/// A column plus a constant, computed without overflow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Term {
    column: usize,
    constant: i64,
}

impl Here<'_> {
    /// Updates a closed matrix by a statement; `others` are the conditions to which an `else` is
    /// the alternative. The result is not closed.
    pub(super) fn execute(&self, matrix: &mut Matrix, action: &Action, others: &[&Expression]) {
        match action {
            Action::Condition(condition) => self.assume(matrix, condition, true, DEPTH),
            Action::Else => others.iter().for_each(|other| self.assume(matrix, other, false, DEPTH)),
            Action::Assign { target, value } => self.assign(matrix, target, value),
            // Embedded code in another language may write every variable.
            Action::Opaque { .. } => *matrix = Matrix::any(self.columns.len()),
            Action::Send { .. }
            | Action::Receive { .. }
            | Action::Create { .. }
            | Action::Assert(_)
            | Action::Print { .. }
            | Action::SetPriority { .. } => {
                for place in action.targets() {
                    if let Some(column) = self.column(place.variable) {
                        matrix.forget(column);
                    }
                }
            }
        }
    }

    /// The column of a variable.
    fn column(&self, variable: VariableRef) -> Option<usize> {
        self.columns.iter().position(|column| column.variable == variable).map(|at| at + 1)
    }

    /// An expression as a column plus a constant, if it has that form and no subexpression leaves
    /// C's `int`.
    fn term(&self, value: &Expression, depth: usize) -> Option<Term> {
        let held = evaluate(value, &self.view);
        if !held.channels.is_empty() || !held.is_within_int() {
            return None;
        }
        if let Some(constant) = held.numbers.single() {
            return Some(Term { column: ZERO, constant });
        }
        match value {
            Expression::Read(Place { variable, index: None }) => {
                Some(Term { column: self.column(*variable)?, constant: 0 })
            }
            Expression::Binary(Binary::Add, left, right) if depth > 0 => {
                let (left, right) = (self.term(left, depth - 1)?, self.term(right, depth - 1)?);
                let column = match (left.column, right.column) {
                    (column, ZERO) | (ZERO, column) => column,
                    _ => return None,
                };
                Some(Term { column, constant: left.constant.checked_add(right.constant)? })
            }
            Expression::Binary(Binary::Subtract, left, right) if depth > 0 => {
                let (left, right) = (self.term(left, depth - 1)?, self.term(right, depth - 1)?);
                let constant = left.constant.checked_sub(right.constant)?;
                (right.column == ZERO).then_some(Term { column: left.column, constant })
            }
            _ => None,
        }
    }

    fn assume(&self, matrix: &mut Matrix, condition: &Expression, truth: bool, depth: usize) {
        match condition {
            Expression::Unary(Unary::Not, operand) if depth > 0 => {
                self.assume(matrix, operand, !truth, depth - 1);
            }
            // Both operands are evaluated, and have the assumed truth value.
            Expression::Binary(Binary::And, left, right) if truth && depth > 0 => {
                self.assume(matrix, left, truth, depth - 1);
                self.assume(matrix, right, truth, depth - 1);
            }
            Expression::Binary(Binary::Or, left, right) if !truth && depth > 0 => {
                self.assume(matrix, left, truth, depth - 1);
                self.assume(matrix, right, truth, depth - 1);
            }
            Expression::Binary(operator, left, right) => {
                let terms = self.term(left, DEPTH).zip(self.term(right, DEPTH));
                if let Some((operator, (left, right))) = asked(*operator, truth).zip(terms)
                    && left.column != right.column
                {
                    compare(matrix, operator, left, right);
                }
            }
            _ => {}
        }
    }

    fn assign(&self, matrix: &mut Matrix, target: &Place, value: &Expression) {
        let Some(column) = self.column(target.variable) else { return };
        // Only a sum that is counted is stored exactly; any other value stored in a counter is cut
        // to its type.
        let Column { range, ends, .. } = self.columns[column - 1];
        let (least, most) = if Sum::of(value, target, &self.view).is_some() { ends } else { range };
        let stored = || {
            let ends = evaluate(value, &self.view).numbers.bounds();
            ends.is_some_and(|(low, high)| least <= low && high <= most)
        };
        match self.term(value, DEPTH).filter(|_| stored()) {
            Some(term) if term.column == column => matrix.shift(column, term.constant),
            Some(term) => {
                matrix.forget(column);
                matrix.tighten(column, term.column, term.constant);
                matrix.tighten(term.column, column, term.constant.saturating_neg());
            }
            None => matrix.forget(column),
        }
    }
}

/// Adds the constraints of a comparison of two different columns, each plus a constant.
fn compare(matrix: &mut Matrix, operator: Binary, left: Term, right: Term) {
    let (x, y) = (left.column, right.column);
    // The comparison is equivalent to one of x - y with this constant. Constants lie within C's
    // `int`.
    let by = right.constant.saturating_sub(left.constant);
    let back = by.saturating_neg();
    match operator {
        Binary::Less => matrix.tighten(x, y, by.saturating_sub(1)),
        Binary::LessEqual => matrix.tighten(x, y, by),
        Binary::Greater => matrix.tighten(y, x, back.saturating_sub(1)),
        Binary::GreaterEqual => matrix.tighten(y, x, back),
        Binary::Equal => {
            matrix.tighten(x, y, by);
            matrix.tighten(y, x, back);
        }
        Binary::NotEqual => {
            if matrix.bound(x, y) == Some(by) {
                matrix.tighten(x, y, by.saturating_sub(1));
            }
            if matrix.bound(y, x) == Some(back) {
                matrix.tighten(y, x, back.saturating_sub(1));
            }
        }
        _ => {}
    }
}
