//! Refines a state by the assumption that an expression is true, or false.
//!
//! Each rule only removes values with which the expression would have the other truth value, in C's
//! arithmetic without overflow; where that is not certain, no value is removed.

use std::rc::Rc;

use cfsm_core::program::{Binary, Expression, Place, Type, Unary};

use crate::evaluate::{View, binary, evaluate, is_wildcard};
use crate::layout::Cells;
use crate::numbers::ValueSet;
use crate::range::Range;
use crate::values::Value;

/// Maximal depth of nested connectives that are analysed; the time doubles with each level at which
/// `&&` and `||` alternate.
const DEPTH: usize = 8;

/// The part of the state of `view` in which `expression` is other than 0 (or 0, if not `truth`);
/// `None` if there is none. Time linear in the frame and in the expression, except for deeply
/// nested connectives.
pub(crate) fn assume(expression: &Expression, truth: bool, view: &View<'_>) -> Option<Cells> {
    let mut state = State { view: *view, cells: view.cells.to_vec() };
    state.assume(expression, truth, DEPTH).then_some(state.cells)
}

/// A constraint on one operand of a comparison.
#[derive(Clone, Debug)]
enum Wanted {
    /// The value lies within the range.
    Within(Range),
    /// The value is one of these.
    OneOf(Value),
    /// The value is not this number.
    Not(i64),
}

impl Wanted {
    /// Returns `true` if the value may satisfy the constraint.
    fn allows(&self, value: &Value) -> bool {
        match self {
            Self::Within(range) => {
                !value.channels.is_empty() || value.numbers.meets(&ValueSet::Range(*range))
            }
            Self::OneOf(allowed) => value.may_equal(allowed),
            Self::Not(number) => !value.channels.is_empty() || value.numbers.single() != Some(*number),
        }
    }
}

struct State<'a> {
    view: View<'a>,
    cells: Cells,
}

impl State<'_> {
    fn evaluate(&self, expression: &Expression) -> Value {
        evaluate(expression, &View { cells: &self.cells, ..self.view })
    }

    /// Removes the values that contradict the assumption. Returns `true` if the state is not empty.
    fn assume(&mut self, expression: &Expression, truth: bool, depth: usize) -> bool {
        match expression {
            // The rules for connectives examine each operand on its own.
            Expression::Unary(Unary::Not, operand) => self.assume(operand, !truth, depth),
            Expression::Binary(Binary::And, left, right) if depth > 0 => {
                self.connective(left, right, truth, truth, depth)
            }
            Expression::Binary(Binary::Or, left, right) if depth > 0 => {
                self.connective(left, right, truth, !truth, depth)
            }
            Expression::Binary(operator, left, right) => {
                let (of_left, of_right) = (self.evaluate(left), self.evaluate(right));
                let value = binary(*operator, &of_left, &of_right, self.view.limit).into();
                let asked = asked(*operator, truth);
                may_be(&value, truth)
                    && asked.is_none_or(|asked| self.compare(asked, left, &of_left, right, &of_right))
            }
            _ => may_be(&self.evaluate(expression), truth) && self.assume_part(expression, truth),
        }
    }

    /// The same for an atomic expression whose value may be as assumed.
    fn assume_part(&mut self, expression: &Expression, truth: bool) -> bool {
        match expression {
            Expression::Empty(channel) => self.holds(channel, !truth),
            Expression::Poll { channel, .. } if truth => self.holds(channel, true),
            Expression::Poll { channel, patterns, .. } if patterns.iter().all(is_wildcard) => {
                self.holds(channel, false)
            }
            Expression::Read(_) if truth => self.want(expression, &Wanted::Not(0)),
            Expression::Read(_) => self.want(expression, &Wanted::OneOf(Value::zero())),
            _ => true,
        }
    }

    /// Refines a private queue by the assumption that it is empty or that it is not. Returns `true`
    /// if the state is not empty.
    fn holds(&mut self, channel: &Expression, something: bool) -> bool {
        let queue = self.view.private_queue(channel);
        queue.is_none_or(|queue| queue.assumed(&mut self.cells, !something).is_some())
    }

    /// `&&` and `||`: either both sides have the value asked for, or one of them is enough.
    fn connective(
        &mut self,
        left: &Expression,
        right: &Expression,
        truth: bool,
        both: bool,
        depth: usize,
    ) -> bool {
        if both {
            return self.assume(left, truth, depth - 1) && self.assume(right, truth, depth - 1);
        }
        let mut decided = State { view: self.view, cells: self.cells.clone() };
        let by_left = decided.assume(left, truth, depth - 1);
        let by_right = self.assume(left, !truth, depth - 1) && self.assume(right, truth, depth - 1);
        match (by_left, by_right) {
            (true, true) => self.join(&decided.cells),
            (true, false) => self.cells = decided.cells,
            (false, _) => {}
        }
        by_left || by_right
    }

    fn join(&mut self, cells: &Cells) {
        for (cell, other) in self.cells.iter_mut().zip(cells) {
            if !Rc::ptr_eq(cell, other) && !cell.includes(other) {
                *cell = cell.join(other, self.view.limit).into();
            }
        }
    }

    /// Removes the values of either operand with which the comparison would not hold. Both operands
    /// have already been evaluated.
    fn compare(
        &mut self,
        operator: Binary,
        left: &Expression,
        of_left: &Value,
        right: &Expression,
        of_right: &Value,
    ) -> bool {
        let mirrored = match operator {
            Binary::Less => Binary::Greater,
            Binary::LessEqual => Binary::GreaterEqual,
            Binary::Greater => Binary::Less,
            Binary::GreaterEqual => Binary::LessEqual,
            same => same,
        };
        let on_left = wanted(operator, of_left, of_right).is_none_or(|wanted| self.want(left, &wanted));
        on_left && wanted(mirrored, of_right, of_left).is_none_or(|wanted| self.want(right, &wanted))
    }

    /// Removes the values with which an expression would violate the constraint. Returns `true` if
    /// the state is not empty.
    fn want(&mut self, expression: &Expression, wanted: &Wanted) -> bool {
        match expression {
            Expression::Read(place) => self.within(place) && self.restrict(place, wanted),
            Expression::Binary(Binary::Add, left, right) => {
                let (of_left, of_right) = (self.addend(left), self.addend(right));
                of_right.is_none_or(|(least, most)| self.want_moved(left, wanted, least, most))
                    && of_left.is_none_or(|(least, most)| self.want_moved(right, wanted, least, most))
            }
            Expression::Binary(Binary::Subtract, left, right) => {
                self.addend(right).is_none_or(|(low, high)| self.want_moved(left, wanted, -high, -low))
            }
            Expression::Conditional(condition, then, otherwise) => {
                match [then, otherwise].map(|branch| wanted.allows(&self.evaluate(branch))) {
                    [true, true] => true,
                    [true, false] => self.assume(condition, true, DEPTH) && self.want(then, wanted),
                    [false, true] => self.assume(condition, false, DEPTH) && self.want(otherwise, wanted),
                    [false, false] => false,
                }
            }
            _ => true,
        }
    }

    /// The least and the greatest value of an addend; `None` if it is not known to be a number
    /// within C's `int`.
    fn addend(&self, expression: &Expression) -> Option<(i64, i64)> {
        let value = self.evaluate(expression);
        let (low, high) = value.numbers.bounds().filter(|_| value.is_within_int())?;
        value.channels.is_empty().then_some((low, high))
    }

    /// Applies the constraint to `expression + added`, where the least and the greatest value of
    /// `added` are given.
    fn want_moved(&mut self, expression: &Expression, wanted: &Wanted, least: i64, most: i64) -> bool {
        let int = Type::Int.range();
        let value = self.evaluate(expression).as_numbers();
        let Some((low, high)) = value.bounds() else { return false };
        // The sum may overflow, so nothing is known about it.
        let (Some(lowest), Some(highest)) = (low.checked_add(least), high.checked_add(most)) else {
            return true;
        };
        if low < int.0 || high > int.1 || lowest < int.0 || highest > int.1 {
            return true;
        }
        let back = (least == most).then_some(least.saturating_neg());
        let moved = match wanted {
            Wanted::Within(range) => {
                let (low, high) = (range.low.saturating_sub(most), range.high.saturating_sub(least));
                Range::new(low, high, if back.is_some() { range.step } else { 1 }).map(Wanted::Within)
            }
            Wanted::OneOf(value) if value.channels.is_empty() => match (&value.numbers, back) {
                (ValueSet::Only(values), Some(back)) => {
                    let values = values.iter().map(|value| value.saturating_add(back));
                    Some(Wanted::OneOf(ValueSet::collect(values, usize::MAX).into()))
                }
                (values, _) => {
                    let range = values.hull().map(Wanted::Within);
                    return range.is_none_or(|range| self.want_moved(expression, &range, least, most));
                }
            },
            Wanted::OneOf(_) => None,
            Wanted::Not(value) => back.map(|back| Wanted::Not(value.saturating_add(back))),
        };
        moved.is_none_or(|moved| self.want(expression, &moved))
    }

    /// An index outside of its array ends the run. Hence where an element has been read, the index
    /// lies inside, and its other values are removed.
    fn within(&mut self, place: &Place) -> bool {
        let length = self.view.seen(place.variable).and_then(|seen| seen.block.length);
        let (Some(index), Some(length)) = (&place.index, length) else { return true };
        Range::new(0, i64::from(length) - 1, 1).is_none_or(|range| self.want(index, &Wanted::Within(range)))
    }

    fn restrict(&mut self, place: &Place, wanted: &Wanted) -> bool {
        let view = View { cells: &self.cells, ..self.view };
        let limit = view.limit;
        if view.seen(place.variable).is_none_or(|seen| seen.is_settled()) {
            return true;
        }
        // Refine both the element and the selected element, if there are both: the index may have
        // several values once this state is joined with others.
        let known = view.scalar(place).or_else(|| view.touched(place).one());
        let selected = view.selected(place);
        if known.is_none() && selected.is_none() {
            return true;
        }
        let value = view.read(place);
        let left = match wanted {
            Wanted::OneOf(allowed) => value.meet(allowed, limit),
            Wanted::Not(number) => {
                Value { numbers: value.numbers.without(*number, limit), channels: value.channels.clone() }
            }
            // The number of a channel is unknown.
            Wanted::Within(_) if !value.channels.is_empty() => return true,
            Wanted::Within(range) => value.numbers.meet(&ValueSet::Range(*range), limit).into(),
        };
        if left.is_empty() {
            return false;
        }
        for cell in known.into_iter().chain(selected) {
            if left != *self.cells[cell] {
                self.cells[cell] = left.clone().into();
            }
        }
        true
    }
}

/// Returns `true` if the value may be other than 0 (or 0, if not `truth`).
fn may_be(value: &Value, truth: bool) -> bool {
    if truth { value.may_be_nonzero() } else { value.may_be_zero() }
}

/// The comparison that holds if `operator` is assumed to be true, or false; `None` if the operator
/// is not a comparison.
pub(crate) const fn asked(operator: Binary, truth: bool) -> Option<Binary> {
    use Binary::{Equal, Greater, GreaterEqual, Less, LessEqual, NotEqual};
    Some(match (operator, truth) {
        (Equal, true) | (NotEqual, false) => Equal,
        (NotEqual, true) | (Equal, false) => NotEqual,
        (Less, true) | (GreaterEqual, false) => Less,
        (LessEqual, true) | (Greater, false) => LessEqual,
        (Greater, true) | (LessEqual, false) => Greater,
        (GreaterEqual, true) | (Less, false) => GreaterEqual,
        _ => return None,
    })
}

/// The constraint that a true comparison puts on its left operand; `None` if there is none. Beyond
/// C's `int` the comparison may be one of unsigned numbers.
fn wanted(operator: Binary, left: &Value, right: &Value) -> Option<Wanted> {
    if !left.is_within_int() || !right.is_within_int() {
        return None;
    }
    if operator == Binary::Equal {
        return Some(Wanted::OneOf(right.clone()));
    }
    if !right.channels.is_empty() {
        return None;
    }
    let (low, high) = right.numbers.bounds()?;
    let (least, most) = Type::Int.range();
    let (from, to) = match operator {
        Binary::Less => (least, high - 1),
        Binary::LessEqual => (least, high),
        Binary::Greater => (low + 1, most),
        Binary::GreaterEqual => (low, most),
        _ => return (low == high).then_some(Wanted::Not(low)),
    };
    Range::new(from, to, 1).map(Wanted::Within)
}

#[cfg(test)]
mod tests;
