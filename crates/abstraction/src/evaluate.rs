//! Abstract evaluation: the values that an expression may have at a location, and the cells that a
//! place may denote.

use std::rc::Rc;

use cfsm_core::program::{Binary, Expression, Pattern, Place, Unary, VariableRef};

use crate::arithmetic;
use crate::layout::{Block, Frame, Layout, PROCESSES};
use crate::numbers::ValueSet;
use crate::private_queue::PrivateQueue;
use crate::traffic::Patterns;
use crate::values::Value;

/// The values that a process may read at a location.
#[derive(Clone, Copy, Debug)]
pub(crate) struct View<'a> {
    /// The layout of globals.
    pub(crate) layout: &'a Layout,
    /// The initial values of globals; globals that are never written are read here.
    pub(crate) start: &'a [Rc<Value>],
    /// The layout of the process's cells; `None` while globals are initialised.
    pub(crate) frame: Option<&'a Frame>,
    /// The state: the cells of the frame.
    pub(crate) cells: &'a [Rc<Value>],
    /// The process's number.
    pub(crate) pid: &'a Value,
    /// The number that may have to be added to the number of processes, because Spin counts a claim
    /// too.
    pub(crate) observers: i64,
    /// Largest number of integers in a set; larger sets become ranges.
    pub(crate) limit: usize,
}

/// The cells that a place may denote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Touched {
    /// Their positions, ascending; empty if the index lies outside the array, which ends the run.
    pub(crate) cells: Vec<usize>,
    /// `true` if there is one cell, for one element only, so that a write replaces its value
    /// (strong update).
    pub(crate) certain: bool,
}

impl Touched {
    /// The cell, if it is a single one that stands for a single element.
    pub(crate) fn one(&self) -> Option<usize> {
        self.cells.first().copied().filter(|_| self.certain)
    }
}

/// A variable as a process sees it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Seen<'a> {
    /// Its block.
    pub(crate) block: &'a Block,
    /// Position of its first cell: in the state, or in the table of initial values of globals.
    first: usize,
    /// `true` if the cells are in the table of initial values.
    settled: bool,
}

impl Seen<'_> {
    /// Returns `true` if no process writes the variable.
    pub(crate) const fn is_settled(&self) -> bool {
        self.settled
    }
}

impl<'a> View<'a> {
    /// A variable; `None` for a local where there is no process.
    pub(crate) fn seen(&self, variable: VariableRef) -> Option<Seen<'a>> {
        match variable {
            VariableRef::Global(id) => {
                let block = self.layout.globals.get(id)?;
                let first = self.frame.and_then(|frame| frame.globals.get(&id));
                let settled = first.is_none();
                Some(Seen { block, first: first.copied().unwrap_or(block.start), settled })
            }
            VariableRef::Local(id) => {
                let block = self.frame?.locals.get(id)?;
                Some(Seen { block, first: block.start, settled: false })
            }
        }
    }

    /// The cell of a scalar. Must not be called for a global that is never written.
    pub(crate) fn scalar(&self, place: &Place) -> Option<usize> {
        let seen = self.seen(place.variable)?;
        seen.block.length.is_none().then_some(seen.first)
    }

    /// The cells that `place` may denote. Must not be called for a global that is never written,
    /// unless it is read.
    pub(crate) fn touched(&self, place: &Place) -> Touched {
        let Some(Seen { block, first, .. }) = self.seen(place.variable) else {
            let (cells, certain) = (Vec::new(), false);
            return Touched { cells, certain };
        };
        let Some(length) = block.length else {
            let (cells, certain) = (vec![first], true);
            return Touched { cells, certain };
        };
        let last = i64::from(length) - 1;
        let index = match &place.index {
            Some(index) => evaluate(index, self).as_numbers(),
            None => ValueSet::ANY,
        };
        let inside = index.meet(&ValueSet::between(0, last, 0), usize::MAX);
        let elements = inside.values().into_iter().flatten().filter_map(|&value| usize::try_from(value).ok());
        if block.is_exact() {
            let cells: Vec<usize> = elements.map(|element| first + element).collect();
            let certain = cells.len() == 1;
            Touched { cells, certain }
        } else {
            let (cells, certain) = (elements.take(1).map(|_| first).collect(), false);
            Touched { cells, certain }
        }
    }

    /// The values that may be read from `place`.
    pub(crate) fn read(&self, place: &Place) -> Value {
        let Some(seen) = self.seen(place.variable) else {
            return Value::any();
        };
        let from = if seen.settled { self.start } else { self.cells };
        if seen.block.length.is_none() {
            return (*from[seen.first]).clone();
        }
        let touched = self.touched(place);
        let mut cells = touched.cells.iter().map(|&cell| &from[cell]);
        let Some(first) = cells.next() else {
            return Value::empty();
        };
        let read = cells.fold((**first).clone(), |read, cell| {
            if read.includes(cell) { read } else { read.join(cell, self.limit) }
        });
        match self.selected(place) {
            Some(cell) => read.meet(&self.cells[cell], self.limit),
            None => read,
        }
    }

    /// The cell of the selected element, which is more precise than the cells of the whole array as
    /// long as the index keeps its value.
    pub(crate) fn selected(&self, place: &Place) -> Option<usize> {
        let frame = self.frame.filter(|_| place.index.is_some())?;
        frame.selection(place).map(|selection| selection.cell)
    }

    /// The queue that a channel expression denotes, if it is private to the process.
    pub(crate) fn private_queue(&self, channel: &Expression) -> Option<&'a PrivateQueue> {
        self.frame?.private_queue(channel)
    }

    /// The values that the patterns require of the message fields; `None` where a pattern matches
    /// any value.
    pub(crate) fn wanted(&self, patterns: &[Pattern]) -> Patterns {
        let wanted = |pattern: &Pattern| match pattern {
            Pattern::Store(_) | Pattern::Any => None,
            Pattern::Match(value) => Some(evaluate(value, self)),
        };
        patterns.iter().map(wanted).collect()
    }

    /// The number of processes.
    fn processes(&self) -> Value {
        let known = self.cells.get(PROCESSES).map_or_else(Value::any, |cell| (**cell).clone());
        match self.observers {
            0 => known,
            _ => {
                let more = ValueSet::of(self.observers);
                let counted = arithmetic::binary(Binary::Add, &known.numbers, &more, self.limit);
                known.join(&counted.into(), self.limit)
            }
        }
    }
}

/// The values that `expression` may have. Time linear in the expression, times the square of the
/// limit on sets.
pub(crate) fn evaluate(expression: &Expression, view: &View<'_>) -> Value {
    match expression {
        Expression::Constant(value) => ValueSet::of(*value).into(),
        Expression::Read(place) => view.read(place),
        Expression::Unary(operator, operand) => unary(*operator, &evaluate(operand, view), view.limit).into(),
        Expression::Binary(operator, left, right) => {
            let (left, right) = (evaluate(left, view), evaluate(right, view));
            binary(*operator, &left, &right, view.limit).into()
        }
        Expression::Conditional(condition, then, otherwise) => {
            let condition = evaluate(condition, view);
            let branch = |taken: bool, branch: &Expression| {
                if taken { evaluate(branch, view) } else { Value::empty() }
            };
            let then = branch(condition.may_be_nonzero(), then);
            then.join(&branch(condition.may_be_zero(), otherwise), view.limit)
        }
        Expression::Empty(channel) => match view.private_queue(channel) {
            Some(queue) => truth(queue.may_hold(view.cells), queue.may_be_empty(view.cells)),
            None => ValueSet::truth().into(),
        },
        Expression::Poll { channel, patterns, .. } => match view.private_queue(channel) {
            Some(queue) => {
                let all = patterns.iter().all(is_wildcard);
                let may_match = queue.may_match(view.cells, &view.wanted(patterns));
                truth(!all || queue.may_be_empty(view.cells), may_match)
            }
            None => ValueSet::truth().into(),
        },
        Expression::Length(channel) => match view.private_queue(channel) {
            Some(queue) => queue.length(view.cells),
            None => Value::any(),
        },
        Expression::Full(_)
        | Expression::Timeout
        | Expression::NonProgress
        | Expression::Enabled(_)
        | Expression::AtLocation { .. } => ValueSet::truth().into(),
        Expression::Pid => view.pid.clone(),
        Expression::ProcessCount => view.processes(),
        Expression::Last
        | Expression::ProgramCounter(_)
        | Expression::Priority(_)
        | Expression::RemoteRead { .. }
        | Expression::Opaque(_) => Value::any(),
    }
}

/// Returns `true` if a pattern matches every value.
pub(crate) const fn is_wildcard(pattern: &Pattern) -> bool {
    matches!(pattern, Pattern::Store(_) | Pattern::Any)
}

/// The truth values that are possible: 0, 1, or both.
fn truth(may_be_false: bool, may_be_true: bool) -> Value {
    let (zero, one) = (may_be_false.then_some(0), may_be_true.then_some(1));
    ValueSet::collect(zero.into_iter().chain(one), 2).into()
}

fn unary(operator: Unary, operand: &Value, limit: usize) -> ValueSet {
    if operator == Unary::Not {
        let zero = operand.may_be_nonzero().then_some(0);
        let one = operand.may_be_zero().then_some(1);
        return ValueSet::collect(zero.into_iter().chain(one), 2);
    }
    arithmetic::unary(operator, &operand.as_numbers(), limit)
}

/// The values of a binary operator, given those of its operands.
pub(crate) fn binary(operator: Binary, left: &Value, right: &Value, limit: usize) -> ValueSet {
    let truth = |value: &Value| arithmetic::Truth {
        may_be_false: value.may_be_zero(),
        may_be_true: value.may_be_nonzero(),
    };
    let apart = || !left.is_empty() && !right.is_empty() && !left.may_equal(right);
    match operator {
        Binary::And | Binary::Or => arithmetic::connective(operator, truth(left), truth(right)),
        // Comparing the channels themselves is more precise than comparing their numbers.
        Binary::Equal if apart() => ValueSet::of(0),
        Binary::NotEqual if apart() => ValueSet::of(1),
        _ if left.channels.is_empty() && right.channels.is_empty() => {
            arithmetic::binary(operator, &left.numbers, &right.numbers, limit)
        }
        _ => arithmetic::binary(operator, &left.as_numbers(), &right.as_numbers(), limit),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::channels::ObjectId;
    use crate::layout::{lay_out, uses};
    use crate::testing::{ProgramBuilder, constant, global};
    use cfsm_core::ids::Id;
    use cfsm_core::program::Type;

    /// A byte `x` in {0, 2}, an array `a` of 3 that holds 10, 20, 30, and a channel `c`.
    fn with_view<R>(check: impl FnOnce(&View<'_>, [VariableRef; 3]) -> R) -> R {
        let mut builder = ProgramBuilder::new();
        let x = builder.global("x", Type::Byte);
        let a = builder.global_array("a", Type::Byte, 3);
        let c = builder.global("c", Type::Channel);
        let program = builder.finish();
        let layout = lay_out(
            &program,
            &uses(&program),
            &cfsm_core::ids::IdMap::new(),
            &crate::Options { array_elements: 8, ..crate::Options::default() },
        );
        let numbers = |values: &[i64]| Rc::new(Value::from(ValueSet::collect(values.iter().copied(), 8)));
        let start = [
            numbers(&[0, 2]),
            numbers(&[10]),
            numbers(&[20]),
            numbers(&[30]),
            Rc::new(Value::channel(ObjectId::new(0))),
        ];
        let (frame, cells, pid, observers) = (None, &[][..], &Value::zero(), 0);
        check(&View { layout: &layout, start: &start, frame, cells, pid, observers, limit: 8 }, [x, a, c])
    }

    fn only(values: &[i64]) -> Value {
        ValueSet::Only(values.iter().copied().collect()).into()
    }

    fn op(operator: Binary, left: Expression, right: Expression) -> Expression {
        Expression::Binary(operator, Box::new(left), Box::new(right))
    }

    fn element(variable: VariableRef, index: Expression) -> Expression {
        Expression::Read(Place { variable, index: Some(Box::new(index)) })
    }

    #[test]
    fn reads_select_elements() {
        with_view(|view, [x, a, _]| {
            assert_eq!(evaluate(&global(x), view), only(&[0, 2]));
            assert_eq!(evaluate(&element(a, global(x)), view), only(&[10, 30]));
            assert_eq!(evaluate(&element(a, Expression::Last), view), only(&[10, 20, 30]));
        });
    }

    #[test]
    fn an_index_outside_gives_no_value_and_a_guard_before_it_decides() {
        with_view(|view, [x, a, _]| {
            let outside = element(a, constant(7));
            assert!(evaluate(&outside, view).is_empty());
            let guarded = op(Binary::And, op(Binary::Greater, global(x), constant(5)), outside);
            assert_eq!(evaluate(&guarded, view), only(&[0]));
        });
    }

    #[test]
    fn a_channel_is_not_its_number() {
        with_view(|view, [_, _, c]| {
            assert_eq!(evaluate(&op(Binary::Equal, global(c), constant(0)), view), only(&[0]));
            assert_eq!(evaluate(&op(Binary::Equal, global(c), constant(1)), view), only(&[0, 1]));
            assert_eq!(evaluate(&op(Binary::Add, global(c), constant(1)), view), Value::any());
            let not = Expression::Unary(Unary::Not, Box::new(global(c)));
            assert_eq!(evaluate(&not, view), only(&[0]));
        });
    }

    #[test]
    fn a_condition_chooses_branches() {
        with_view(|view, [x, ..]| {
            let choose =
                |c| Expression::Conditional(Box::new(c), Box::new(constant(5)), Box::new(constant(6)));
            assert_eq!(evaluate(&choose(global(x)), view), only(&[5, 6]));
            assert_eq!(evaluate(&choose(constant(1)), view), only(&[5]));
        });
    }
}
