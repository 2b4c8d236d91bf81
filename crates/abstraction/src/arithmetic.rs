//! Operators over sets of integers.
//!
//! Promela computes in C's `int`. Where C leaves the result open, or where it would have to be cut
//! to 32 bits, the result here is any value; so nothing is assumed about overflow.

use cfsm_core::program::{Binary, Unary};

use crate::few::List;
use crate::numbers::ValueSet;
use crate::range::Range;

/// The result of applying an operator to two integers.
enum Outcome {
    /// A known value.
    Value(i64),
    /// No value: the operation is an error that ends the run.
    NoValue,
    /// Any value: it depends on the machine, or overflows.
    Unknown,
}

const fn fits(value: i64) -> bool {
    i32::MIN as i64 <= value && value <= i32::MAX as i64
}

/// All integers that C's `int` holds.
const INT: Range = Range { low: i32::MIN as i64, high: i32::MAX as i64, step: 1 };

/// Largest number of pairs of values to which an operator is applied one by one; larger sets are
/// treated as ranges.
const PAIRS: usize = 1 << 12;

/// The values of a unary operator. Time linear in the set.
pub(crate) fn unary(operator: Unary, operand: &ValueSet, limit: usize) -> ValueSet {
    let Some(range) = operand.hull() else { return ValueSet::empty() };
    if operator == Unary::Not {
        let zero = operand.has_nonzero().then_some(0);
        return ValueSet::collect(zero.into_iter().chain(operand.contains(0).then_some(1)), 2);
    }
    let apply = |value: i64| match operator {
        Unary::Negate => value.saturating_neg(),
        Unary::Complement | Unary::Not => !value,
    };
    if !INT.includes(&range) || !fits(apply(range.low)) || !fits(apply(range.high)) {
        return ValueSet::ANY;
    }
    match operand.values() {
        Some(values) => ValueSet::collect(values.iter().map(|&value| apply(value)), limit),
        None => ValueSet::listed(Range::new(apply(range.high), apply(range.low), range.step), limit),
    }
}

/// The values of a binary operator with strict operands (not of `&&` and `||`, for which see
/// [`connective`]). Time: the product of the sizes of the sets, or constant for ranges.
pub(crate) fn binary(operator: Binary, left: &ValueSet, right: &ValueSet, limit: usize) -> ValueSet {
    let (Some(left_bounds), Some(right_bounds)) = (left.bounds(), right.bounds()) else {
        return ValueSet::empty();
    };
    let unknown = if is_comparison(operator) { ValueSet::truth() } else { ValueSet::ANY };
    if [left_bounds, right_bounds].iter().any(|&(low, high)| !fits(low) || !fits(high)) {
        return unknown;
    }
    if is_comparison(operator) {
        return compare(operator, left, right);
    }
    match (left.values(), right.values()) {
        (Some(lefts), Some(rights)) if lefts.len() * rights.len() <= PAIRS => {
            pairwise(operator, lefts, rights, limit).unwrap_or(unknown)
        }
        _ => left
            .hull()
            .zip(right.hull())
            .and_then(|(left, right)| ranges::binary(operator, left, right))
            .map_or(unknown, |range| ValueSet::listed(range, limit)),
    }
}

/// Applies the operator to all pairs; `None` if the result of one pair is unknown.
fn pairwise(operator: Binary, lefts: &[i64], rights: &[i64], limit: usize) -> Option<ValueSet> {
    let mut results = List::new();
    for &l in lefts {
        for &r in rights {
            match apply(operator, l, r) {
                Outcome::Value(value) => results.push(value),
                Outcome::NoValue => {}
                Outcome::Unknown => return None,
            }
        }
    }
    Some(ValueSet::gathered(results, limit))
}

/// The result of a comparison, decided by the bounds of both sets and by their intersection.
fn compare(operator: Binary, left: &ValueSet, right: &ValueSet) -> ValueSet {
    let (Some((l, h)), Some((low, high))) = (left.bounds(), right.bounds()) else {
        return ValueSet::empty();
    };
    let same = left.single().is_some() && left.single() == right.single();
    let (always, never) = match operator {
        Binary::Equal => (same, !left.meets(right)),
        Binary::NotEqual => (!left.meets(right), same),
        Binary::Less => (h < low, l >= high),
        Binary::LessEqual => (h <= low, l > high),
        Binary::Greater => (l > high, h <= low),
        Binary::GreaterEqual => (l >= high, h < low),
        _ => (false, false),
    };
    match (always, never) {
        (true, _) => ValueSet::of(1),
        (_, true) => ValueSet::of(0),
        _ => ValueSet::truth(),
    }
}

/// The truth values that an operand may have.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Truth {
    /// `true` if it may be 0.
    pub(crate) may_be_false: bool,
    /// `true` if it may be other than 0.
    pub(crate) may_be_true: bool,
}

/// The values of `&&` and `||`. The right side counts only where the left one does not decide; each
/// side is given as (may be 0, may be another value).
pub(crate) fn connective(operator: Binary, left: Truth, right: Truth) -> ValueSet {
    let (decided, goes_on) = match operator {
        Binary::And => (left.may_be_false.then_some(0), left.may_be_true),
        _ => (left.may_be_true.then_some(1), left.may_be_false),
    };
    let zero = (goes_on && right.may_be_false).then_some(0);
    let one = (goes_on && right.may_be_true).then_some(1);
    ValueSet::collect([decided, zero, one].into_iter().flatten(), 2)
}

const fn is_comparison(operator: Binary) -> bool {
    use Binary::{And, Equal, Greater, GreaterEqual, Less, LessEqual, NotEqual, Or};
    matches!(operator, Equal | NotEqual | Less | LessEqual | Greater | GreaterEqual | And | Or)
}

fn apply(operator: Binary, left: i64, right: i64) -> Outcome {
    if !fits(left) || !fits(right) {
        return Outcome::Unknown;
    }
    let value = match operator {
        Binary::Add => left + right,
        Binary::Subtract => left - right,
        Binary::Multiply => left * right,
        Binary::Divide | Binary::Remainder if right == 0 => return Outcome::NoValue,
        Binary::Divide => left / right,
        Binary::Remainder => left % right,
        Binary::BitAnd => left & right,
        Binary::BitOr => left | right,
        Binary::BitXor => left ^ right,
        // C leaves shifts of negative numbers and by more than the width to the machine.
        Binary::ShiftLeft | Binary::ShiftRight if left < 0 || !(0..=31).contains(&right) => {
            return Outcome::Unknown;
        }
        Binary::ShiftLeft => left << right,
        Binary::ShiftRight => left >> right,
        Binary::Equal => i64::from(left == right),
        Binary::NotEqual => i64::from(left != right),
        Binary::Less => i64::from(left < right),
        Binary::LessEqual => i64::from(left <= right),
        Binary::Greater => i64::from(left > right),
        Binary::GreaterEqual => i64::from(left >= right),
        Binary::And => i64::from(left != 0 && right != 0),
        Binary::Or => i64::from(left != 0 || right != 0),
    };
    if fits(value) { Outcome::Value(value) } else { Outcome::Unknown }
}

mod ranges;

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const OPERATORS: [Binary; 18] = [
        Binary::Add,
        Binary::Subtract,
        Binary::Multiply,
        Binary::Divide,
        Binary::Remainder,
        Binary::BitAnd,
        Binary::BitOr,
        Binary::BitXor,
        Binary::ShiftLeft,
        Binary::ShiftRight,
        Binary::Equal,
        Binary::NotEqual,
        Binary::Less,
        Binary::LessEqual,
        Binary::Greater,
        Binary::GreaterEqual,
        Binary::And,
        Binary::Or,
    ];

    /// C's `int` arithmetic as usual machines do it, written down independently of `apply`.
    fn machine(operator: Binary, a: i32, b: i32) -> Option<i32> {
        Some(match operator {
            Binary::Add => a.wrapping_add(b),
            Binary::Subtract => a.wrapping_sub(b),
            Binary::Multiply => a.wrapping_mul(b),
            Binary::Divide => (b != 0).then(|| a.wrapping_div(b))?,
            Binary::Remainder => (b != 0).then(|| a.wrapping_rem(b))?,
            Binary::BitAnd => a & b,
            Binary::BitOr => a | b,
            Binary::BitXor => a ^ b,
            Binary::ShiftLeft => a.wrapping_shl(b.cast_unsigned()),
            Binary::ShiftRight => a.wrapping_shr(b.cast_unsigned()),
            Binary::Equal => (a == b).into(),
            Binary::NotEqual => (a != b).into(),
            Binary::Less => (a < b).into(),
            Binary::LessEqual => (a <= b).into(),
            Binary::Greater => (a > b).into(),
            Binary::GreaterEqual => (a >= b).into(),
            Binary::And => (a != 0 && b != 0).into(),
            Binary::Or => (a != 0 || b != 0).into(),
        })
    }

    const SAMPLES: [i32; 14] =
        [i32::MIN, i32::MIN + 1, -65537, -33, -2, -1, 0, 1, 2, 31, 32, 255, 65536, i32::MAX];

    #[test]
    fn concrete_results_are_in_the_abstract_ones() {
        let windows: Vec<&[i32]> = (1..=3).flat_map(|n| SAMPLES.windows(n)).collect();
        for operator in OPERATORS {
            for left in &windows {
                for right in &windows {
                    let set = |w: &[i32]| ValueSet::collect(w.iter().map(|&v| v.into()), 8);
                    for limit in [1, 8] {
                        let result = binary(operator, &set(left), &set(right), limit);
                        for (a, b) in left.iter().flat_map(|a| right.iter().map(move |b| (*a, *b))) {
                            if let Some(value) = machine(operator, a, b) {
                                assert!(result.contains(value.into()), "{a} {operator:?} {b}: {result:?}");
                            }
                        }
                    }
                }
            }
        }
    }

    fn range() -> impl Strategy<Value = ValueSet> {
        let anywhere = prop_oneof![-40_i64..40, any::<i32>().prop_map(i64::from)];
        (anywhere, 0_i64..60, 1_i64..5).prop_filter_map("within int", |(low, more, step)| {
            Range::new(low, (low + more).min(i32::MAX.into()), step).map(ValueSet::Range)
        })
    }

    proptest! {
        #[test]
        fn results_of_ranges_hold_those_of_their_elements(
            operator in prop::sample::select(&OPERATORS[..]),
            left in range(),
            right in range(),
        ) {
            let result = binary(operator, &left, &right, 1);
            let values = |set: &ValueSet| set.hull().into_iter().flat_map(|range| range.values()).collect::<Vec<_>>();
            for a in values(&left) {
                for b in values(&right) {
                    let (a, b) = (i32::try_from(a).unwrap(), i32::try_from(b).unwrap());
                    if let Some(value) = machine(operator, a, b) {
                        prop_assert!(result.contains(value.into()), "{a} {operator:?} {b}: {result:?}");
                    }
                }
            }
            for (operator, apply) in [(Unary::Negate, i32::wrapping_neg as fn(i32) -> i32), (Unary::Complement, |v| !v)] {
                let result = unary(operator, &left, 1);
                for a in values(&left) {
                    prop_assert!(result.contains(apply(i32::try_from(a).unwrap()).into()));
                }
            }
        }
    }

    #[test]
    fn unary_operators_agree_with_the_machine() {
        for value in SAMPLES {
            let set = ValueSet::of(value.into());
            assert!(unary(Unary::Negate, &set, 4).contains(value.wrapping_neg().into()));
            assert!(unary(Unary::Complement, &set, 4).contains((!value).into()));
            assert!(unary(Unary::Not, &set, 4).contains((value == 0).into()));
        }
        assert_eq!(unary(Unary::Not, &ValueSet::ANY, 4), ValueSet::truth());
    }

    #[test]
    fn connectives_stop_where_the_left_side_decides() {
        let truth = |may_be_false, may_be_true| Truth { may_be_false, may_be_true };
        let (no, yes, both, never) =
            (truth(true, false), truth(false, true), truth(true, true), truth(false, false));
        assert_eq!(connective(Binary::And, no, never), ValueSet::of(0));
        assert_eq!(connective(Binary::Or, yes, never), ValueSet::of(1));
        assert_eq!(connective(Binary::And, yes, both), ValueSet::truth());
        assert_eq!(connective(Binary::Or, no, no), ValueSet::of(0));
        assert_eq!(connective(Binary::And, yes, never), ValueSet::empty());
    }

    #[test]
    fn unknown_operands_leave_comparisons_two_values() {
        let one = ValueSet::of(1);
        assert_eq!(binary(Binary::Less, &ValueSet::ANY, &one, 4), ValueSet::truth());
        assert_eq!(binary(Binary::Add, &ValueSet::ANY, &one, 4), ValueSet::ANY);
        assert_eq!(binary(Binary::Divide, &one, &ValueSet::of(0), 4), ValueSet::empty());
    }
}
