//! Widening: what makes chains of growing sets come to an end.
//!
//! A set of listed integers grows at most as often as it has elements, then it is a range. The bounds of
//! a range that grows are moved out to the next *threshold*, and its spacing only ever becomes a divisor
//! of what it was. There are finitely many thresholds, so every chain is finite: at most the limit on
//! listed elements, plus two times the number of thresholds, plus 63 divisors.

use std::collections::BTreeSet;

use cfsm_core::program::{Expression, Program, Type};

use crate::numbers::ValueSet;
use crate::range::Range;
use crate::values::Value;

/// Thresholds taken from the program; of more, some are left out.
const THRESHOLDS: usize = 200;

/// Where bounds may come to rest.
#[derive(Clone, Debug)]
pub(crate) struct Widening {
    thresholds: Vec<i64>,
    /// Integers in a set before it becomes a range.
    pub(crate) limit: usize,
}

impl Widening {
    /// The thresholds of a program: around the constants of its expressions (where guards are likely to
    /// hold a counter), and the bounds of its types.
    pub(crate) fn of(program: &Program, limit: usize) -> Self {
        let mut constants = BTreeSet::new();
        let mut note = |expression: &Expression| {
            if let Expression::Constant(value) = expression {
                constants.extend([value.saturating_sub(1), *value, value.saturating_add(1)]);
            }
            false
        };
        for edge in program.types.values().flat_map(|process| process.edges.values()) {
            for expression in edge.action.expressions() {
                expression.any(&mut note);
            }
        }
        let some = constants.len().div_ceil(THRESHOLDS).max(1);
        let mut thresholds: BTreeSet<i64> = constants.into_iter().step_by(some).collect();
        for ty in [Type::Bit, Type::Byte, Type::Short, Type::Int] {
            let (least, greatest) = ty.range();
            thresholds.extend([least, greatest]);
        }
        thresholds.extend((1..=32).map(|bits| Type::Unsigned(bits).range().1));
        thresholds.extend([i64::MIN, -1, i64::MAX]);
        Self { thresholds: thresholds.into_iter().collect(), limit }
    }

    /// The same with another limit on listed integers.
    pub(crate) fn with_limit(&self, limit: usize) -> Self {
        Self { thresholds: self.thresholds.clone(), limit }
    }

    /// The least threshold, or threshold with the sign changed, that is not below a bound.
    pub(crate) fn above(&self, bound: i64) -> i64 {
        let next = self.thresholds.partition_point(|&threshold| threshold < bound);
        let next = self.thresholds.get(next).copied().unwrap_or(i64::MAX);
        let last = self.thresholds.partition_point(|&threshold| threshold <= bound.saturating_neg());
        let last = last.checked_sub(1).and_then(|at| self.thresholds[at].checked_neg());
        last.map_or(next, |last| next.min(last))
    }

    /// Joins `new` into `known`; whether that has grown.
    pub(crate) fn grow(&self, known: &mut Value, new: &Value) -> bool {
        if known.includes(new) {
            return false;
        }
        let mut joined = known.join(new, self.limit);
        if let ValueSet::Range(range) = joined.numbers
            && !known.numbers.includes(&new.numbers)
        {
            joined.numbers = ValueSet::Range(self.widened(range));
        }
        *known = joined;
        true
    }

    fn widened(&self, range: Range) -> Range {
        let above = self.thresholds.partition_point(|&threshold| threshold <= range.low);
        let low = above.checked_sub(1).map_or(i64::MIN, |at| self.thresholds[at]);
        let below = self.thresholds.partition_point(|&threshold| threshold < range.high);
        let high = self.thresholds.get(below).copied().unwrap_or(i64::MAX);
        // The least member not below the threshold, so that the spacing stays.
        let step = i128::from(range.step);
        let room = (i128::from(range.low) - i128::from(low)) / step * step;
        let low = i64::try_from(i128::from(range.low) - room).unwrap_or(range.low);
        Range::new(low, high, range.step).unwrap_or(range)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn widening(limit: usize) -> Widening {
        Widening { thresholds: vec![i64::MIN, 0, 10, 255, i64::MAX], limit }
    }

    #[test]
    fn a_counter_comes_to_rest_at_a_threshold() {
        let widening = widening(2);
        let mut known = Value::zero();
        let mut steps = 0;
        loop {
            let more = next(&known);
            if !widening.grow(&mut known, &more) {
                break;
            }
            steps += 1;
        }
        assert_eq!(known.numbers, ValueSet::Range(Range { low: 0, high: i64::MAX, step: 1 }));
        assert_eq!(steps, 4);
    }

    /// What a loop adds to a counter.
    fn next(value: &Value) -> Value {
        let (low, high) = value.numbers.bounds().unwrap();
        ValueSet::between(low.saturating_add(1), high.saturating_add(1), 1).into()
    }

    #[test]
    fn the_spacing_stays() {
        let widening = widening(1);
        let mut known: Value = ValueSet::of(3).into();
        assert!(widening.grow(&mut known, &ValueSet::of(7).into()));
        assert_eq!(known.numbers, ValueSet::Range(Range { low: 3, high: 7, step: 4 }));
        assert!(widening.grow(&mut known, &ValueSet::of(11).into()));
        assert_eq!(known.numbers, ValueSet::Range(Range { low: 3, high: 255, step: 4 }));
        assert!(!widening.grow(&mut known, &ValueSet::of(251).into()));
    }
}
