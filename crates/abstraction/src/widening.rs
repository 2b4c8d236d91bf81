//! Widening: makes all chains of growing sets finite.
//!
//! A set of listed integers grows at most as often as it has elements, then it becomes a range. A
//! bound of a range that grows is moved out to the next *threshold*, and its spacing only ever
//! becomes a divisor of the previous one. There are finitely many thresholds, so every chain is
//! finite: its length is at most the limit on listed elements, plus two times the number of
//! thresholds, plus 63 divisors.
//!
//! A list that grows like the values of a counter is extended to the next threshold at once, and
//! stays a list if possible.

use std::collections::BTreeSet;

use cfsm_core::program::{Expression, Initializer, Program, Type, Variable};

use crate::numbers::ValueSet;
use crate::range::Range;
use crate::values::Value;

/// Largest number of thresholds that are taken from the program; of more, some are dropped.
const THRESHOLDS: usize = 200;

/// Number of values of a counter that are listed one by one, before all values up to the next
/// threshold are added at once: mostly, if one iteration adds a value, all further ones do, and
/// each takes visits of all nodes of a loop.
const COUNTED: usize = 8;

/// The thresholds at which growing bounds stop.
#[derive(Clone, Debug)]
pub(crate) struct Widening {
    thresholds: Vec<i64>,
    /// The thresholds for bounds of differences: additionally the largest values of unsigned types.
    /// They are rarely used.
    of_differences: Vec<i64>,
    /// Largest number of integers in a set; larger sets become ranges.
    pub(crate) limit: usize,
}

impl Widening {
    /// The thresholds of a program: its constants and the lengths of its arrays with their
    /// neighbours (where guards are likely to stop a counter), and the bounds of its types.
    pub(crate) fn of(program: &Program, limit: usize) -> Self {
        let constants = constants(program);
        let some = constants.len().div_ceil(THRESHOLDS).max(1);
        let mut thresholds: BTreeSet<i64> = constants.into_iter().step_by(some).collect();
        let plain = [Type::Bit, Type::Byte, Type::Short, Type::Int, Type::Unsigned(32)];
        for ty in variables(program).flat_map(types).chain(plain) {
            let (least, greatest) = ty.range();
            thresholds.extend([least, greatest]);
        }
        thresholds.extend([i64::MIN, -1, i64::MAX]);
        let bits = (1..=32).map(|bits| Type::Unsigned(bits).range().1);
        let of_differences = thresholds.iter().copied().chain(bits).collect::<BTreeSet<_>>();
        let [thresholds, of_differences] = [thresholds, of_differences].map(|all| all.into_iter().collect());
        Self { thresholds, of_differences, limit }
    }

    /// The same thresholds with another limit on listed integers.
    pub(crate) fn with_limit(&self, limit: usize) -> Self {
        Self { limit, ..self.clone() }
    }

    /// The least threshold, or negated threshold, that is not below a bound of a difference.
    pub(crate) fn above(&self, bound: i64) -> i64 {
        let all = &self.of_differences;
        let next = all.partition_point(|&threshold| threshold < bound);
        let next = all.get(next).copied().unwrap_or(i64::MAX);
        let last = all.partition_point(|&threshold| threshold <= bound.saturating_neg());
        let last = last.checked_sub(1).and_then(|at| all[at].checked_neg());
        last.map_or(next, |last| next.min(last))
    }

    /// Joins `new` into `known` with widening. Returns `true` if `known` has grown.
    pub(crate) fn grow(&self, known: &mut Value, new: &Value) -> bool {
        if known.includes(new) {
            return false;
        }
        let mut joined = known.join(new, self.limit);
        if !known.numbers.includes(&new.numbers) {
            joined.numbers = self.ahead(&known.numbers, joined.numbers);
        }
        *known = joined;
        true
    }

    /// Widens `joined`, which has grown out of `known`.
    fn ahead(&self, known: &ValueSet, joined: ValueSet) -> ValueSet {
        match joined {
            ValueSet::Range(range) => ValueSet::Range(self.widened(range, known.bounds())),
            ValueSet::Only(_) => match counting(known, &joined) {
                Some(range) => ValueSet::listed(Some(self.widened(range, known.bounds())), self.limit),
                None => joined,
            },
        }
    }

    /// Moves the bounds of a range that differ from the previous ones out to thresholds.
    fn widened(&self, range: Range, before: Option<(i64, i64)>) -> Range {
        let is_new = |bound: i64, before: Option<i64>| before != Some(bound);
        let (mut low, mut high) = (range.low, range.high);
        if is_new(low, before.map(|(low, _)| low)) {
            let above = self.thresholds.partition_point(|&threshold| threshold <= low);
            low = above.checked_sub(1).map_or(i64::MIN, |at| self.thresholds[at]);
        }
        if is_new(high, before.map(|(_, high)| high)) {
            let below = self.thresholds.partition_point(|&threshold| threshold < high);
            high = self.thresholds.get(below).copied().unwrap_or(i64::MAX);
        }
        // The least member not below the threshold, so that the spacing stays.
        let step = i128::from(range.step);
        let room = (i128::from(range.low) - i128::from(low)) / step * step;
        let low = i64::try_from(i128::from(range.low) - room).unwrap_or(range.low);
        Range::new(low, high, range.step).unwrap_or(range)
    }
}

/// All variables of a program.
fn variables(program: &Program) -> impl Iterator<Item = &Variable> {
    program.globals.values().chain(program.types.values().flat_map(|process| process.locals.values()))
}

/// The types of the values stored in a variable, or in queues that it declares.
fn types(variable: &Variable) -> impl Iterator<Item = Type> {
    let fields = match &variable.init {
        Initializer::NewChannel(shape) => &shape.fields[..],
        _ => &[],
    };
    fields.iter().chain([&variable.ty]).copied()
}

/// The constants of a program's expressions and the lengths of its arrays, each with its
/// neighbours.
fn constants(program: &Program) -> BTreeSet<i64> {
    let mut constants = BTreeSet::new();
    let mut around = |value: i64| constants.extend([value.saturating_sub(1), value, value.saturating_add(1)]);
    let mut note = |expression: &Expression| {
        if let Expression::Constant(value) = expression {
            around(*value);
        }
        false
    };
    for edge in program.types.values().flat_map(|process| process.edges.values()) {
        for expression in edge.action.expressions() {
            expression.any(&mut note);
        }
    }
    for variable in variables(program) {
        let values = match &variable.init {
            Initializer::Value(value) => std::slice::from_ref(value),
            Initializer::List(values) => values,
            Initializer::Zero | Initializer::NewChannel(_) | Initializer::Parameter => &[],
        };
        for value in values {
            value.any(&mut note);
        }
    }
    variables(program).filter_map(|variable| variable.length).for_each(|length| around(length.into()));
    constants
}

/// The range of a list that has grown like the values of a counter: it was and is evenly spaced,
/// and one end of it has moved.
fn counting(known: &ValueSet, joined: &ValueSet) -> Option<Range> {
    let (was, is) = (known.values()?, joined.values()?);
    if was.len() < COUNTED || (was.first() == is.first()) == (was.last() == is.last()) {
        return None;
    }
    let range = joined.hull().filter(|range| range.count() == is.len() as u128)?;
    known
        .hull()
        .is_some_and(|before| before.step == range.step && before.count() == was.len() as u128)
        .then_some(range)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn widening(limit: usize) -> Widening {
        let thresholds = vec![i64::MIN, 0, 10, 255, i64::MAX];
        Widening { of_differences: thresholds.clone(), thresholds, limit }
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

    /// The increment of a counter in a loop.
    fn next(value: &Value) -> Value {
        let (low, high) = value.numbers.bounds().unwrap();
        ValueSet::between(low.saturating_add(1), high.saturating_add(1), 1).into()
    }

    #[test]
    fn a_list_that_counts_goes_on_to_the_next_threshold() {
        let widening = widening(64);
        let listed = |values: std::ops::RangeInclusive<i64>| ValueSet::Only(values.collect());
        let grown = |known: ValueSet, more: ValueSet| {
            let mut known = Value::from(known);
            assert!(widening.grow(&mut known, &more.into()));
            known.numbers
        };
        assert_eq!(grown(listed(1..=7), ValueSet::of(8)), listed(1..=8));
        assert_eq!(grown(listed(1..=8), ValueSet::of(9)), listed(1..=10));
        assert_eq!(
            grown(listed(1..=10), ValueSet::of(11)),
            ValueSet::Range(Range { low: 1, high: 255, step: 1 })
        );
        assert_eq!(grown(listed(2..=9), ValueSet::of(1)), listed(0..=9));
        // Not one by one, or at both ends.
        assert_eq!(grown(listed(11..=18), ValueSet::of(20)).bounds(), Some((11, 20)));
        assert_eq!(grown(listed(1..=8), listed(0..=9)), listed(0..=9));
        let even = ValueSet::Only((0..9).map(|half| 2 * half).collect());
        assert_eq!(grown(even, ValueSet::of(18)), ValueSet::Range(Range { low: 0, high: 254, step: 2 }));
    }

    #[test]
    fn a_bound_that_has_not_moved_stays() {
        let mut known: Value = ValueSet::between(3, 12, 1).into();
        assert!(widening(1).grow(&mut known, &ValueSet::of(13).into()));
        assert_eq!(known.numbers, ValueSet::Range(Range { low: 3, high: 255, step: 1 }));
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

    proptest! {
        /// The widened set includes both sets, and the chain is finite.
        #[test]
        fn what_has_grown_holds_both(
            (low, count, step) in (-20_i64..20, 1_i64..20, 1_i64..4),
            more in prop::collection::vec(-300_i64..300, 1..4),
            limit in 1_usize..70,
        ) {
            let widening = widening(limit);
            let before: Value = ValueSet::collect((0..count).map(|at| low + at * step), limit).into();
            let new: Value = ValueSet::collect(more, limit).into();
            let mut known = before.clone();
            let has_grown = widening.grow(&mut known, &new);
            prop_assert_eq!(has_grown, !before.includes(&new));
            prop_assert!(known.includes(&before) && known.includes(&new));
            prop_assert!(!widening.grow(&mut known, &new));
            // The next value of a counter.
            let next: Value = ValueSet::of(low + count * step).into();
            let before = known.clone();
            widening.grow(&mut known, &next);
            prop_assert!(known.includes(&before) && known.includes(&next));
        }
    }
}
