//! Operators over sets of integers.
//!
//! Promela computes in C's `int`. Where C leaves the result open, or where it would have to be cut to 32
//! bits, the result here is any value; so nothing is assumed about overflow.

use cfsm_core::program::{Binary, Unary};

use crate::values::ValueSet;

/// What one application of an operator to two integers gives.
enum Outcome {
    /// This value.
    Value(i64),
    /// None: an error that ends the run.
    NoValue,
    /// Something that is not worth knowing, or depends on the machine.
    Unknown,
}

const fn fits(value: i64) -> bool {
    i32::MIN as i64 <= value && value <= i32::MAX as i64
}

/// The values of a unary operator. Time linear in the set.
pub(crate) fn unary(operator: Unary, operand: &ValueSet, limit: usize) -> ValueSet {
    let values = match (operator, operand) {
        (_, ValueSet::Only(values)) => values,
        (Unary::Not, ValueSet::Any) => return ValueSet::truth(),
        (Unary::Negate | Unary::Complement, ValueSet::Any) => return ValueSet::Any,
    };
    let results: Vec<i64> = values
        .iter()
        .map(|&value| match operator {
            Unary::Negate => value.saturating_neg(),
            Unary::Not => i64::from(value == 0),
            Unary::Complement => !value,
        })
        .collect();
    // `!x` is 0 or 1 for every x; the others are known within C's `int` only.
    let known = |set: &[i64]| set.iter().all(|&value| fits(value));
    if operator == Unary::Not || (known(values) && known(&results)) {
        ValueSet::collect(results, limit)
    } else {
        ValueSet::Any
    }
}

/// The values of a binary operator both of whose operands are evaluated (so not of `&&` and `||`, which
/// see [`connective`]). Time: the product of the sizes.
pub(crate) fn binary(operator: Binary, left: &ValueSet, right: &ValueSet, limit: usize) -> ValueSet {
    if left.is_empty() || right.is_empty() {
        return ValueSet::empty();
    }
    let unknown = if is_comparison(operator) { ValueSet::truth() } else { ValueSet::Any };
    let (ValueSet::Only(lefts), ValueSet::Only(rights)) = (left, right) else {
        return unknown;
    };
    let mut results = Vec::new();
    for &l in lefts {
        for &r in rights {
            match apply(operator, l, r) {
                Outcome::Value(value) => results.push(value),
                Outcome::NoValue => {}
                Outcome::Unknown => return unknown,
            }
        }
    }
    ValueSet::collect(results, limit)
}

/// The values of `&&` and `||`. The right side counts only where the left one does not decide; each side
/// is given as (may be 0, may be another value).
pub(crate) fn connective(operator: Binary, left: (bool, bool), right: (bool, bool)) -> ValueSet {
    let (decided, goes_on) = match operator {
        Binary::And => (left.0.then_some(0), left.1),
        _ => (left.1.then_some(1), left.0),
    };
    let zero = (goes_on && right.0).then_some(0);
    let one = (goes_on && right.1).then_some(1);
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

#[cfg(test)]
mod tests {
    use super::*;

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

    #[test]
    fn unary_operators_agree_with_the_machine() {
        for value in SAMPLES {
            let set = ValueSet::of(value.into());
            assert!(unary(Unary::Negate, &set, 4).contains(value.wrapping_neg().into()));
            assert!(unary(Unary::Complement, &set, 4).contains((!value).into()));
            assert!(unary(Unary::Not, &set, 4).contains((value == 0).into()));
        }
        assert_eq!(unary(Unary::Not, &ValueSet::Any, 4), ValueSet::truth());
    }

    #[test]
    fn connectives_stop_where_the_left_side_decides() {
        let (no, yes, both, never) = ((true, false), (false, true), (true, true), (false, false));
        assert_eq!(connective(Binary::And, no, never), ValueSet::of(0));
        assert_eq!(connective(Binary::Or, yes, never), ValueSet::of(1));
        assert_eq!(connective(Binary::And, yes, both), ValueSet::truth());
        assert_eq!(connective(Binary::Or, no, no), ValueSet::of(0));
        assert_eq!(connective(Binary::And, yes, never), ValueSet::empty());
    }

    #[test]
    fn unknown_operands_leave_comparisons_two_values() {
        let one = ValueSet::of(1);
        assert_eq!(binary(Binary::Less, &ValueSet::Any, &one, 4), ValueSet::truth());
        assert_eq!(binary(Binary::Add, &ValueSet::Any, &one, 4), ValueSet::Any);
        assert_eq!(binary(Binary::Divide, &one, &ValueSet::of(0), 4), ValueSet::empty());
    }
}
