//! Operators over ranges of C's `int`.

use cfsm_core::program::Binary;

use super::fits;
use crate::range::Range;

/// The values of an operator other than a comparison, for operands within C's `int`: `Some(None)`
/// if there is no value, `None` if the values are unknown.
pub(super) fn binary(operator: Binary, left: Range, right: Range) -> Option<Option<Range>> {
    match operator {
        Binary::Add => spaced(left.low + right.low, left.high + right.high, joint_step(left, right)),
        Binary::Subtract => spaced(left.low - right.high, left.high - right.low, joint_step(left, right)),
        Binary::Multiply => multiply(left, right),
        Binary::Divide => divide(left, right),
        Binary::Remainder => remainder(left, right),
        Binary::BitAnd => bit_and(left, right),
        Binary::BitOr | Binary::BitXor if left.low >= 0 && right.low >= 0 => {
            let most = left.high.max(right.high).cast_unsigned();
            let ones = most.checked_add(1)?.next_power_of_two() - 1;
            spaced(0, i64::try_from(ones).ok()?, 1)
        }
        Binary::ShiftLeft | Binary::ShiftRight if left.low >= 0 && right.low >= 0 && right.high <= 31 => {
            match operator {
                Binary::ShiftLeft => spaced(left.low << right.low, left.high << right.high, 1),
                _ => spaced(left.low >> right.high, left.high >> right.low, 1),
            }
        }
        _ => None,
    }
}

/// The range, if C's `int` holds it.
fn spaced(low: i64, high: i64, step: i64) -> Option<Option<Range>> {
    (fits(low) && fits(high)).then(|| Range::new(low, high, step))
}

/// The spacing of sums and differences.
fn joint_step(left: Range, right: Range) -> i64 {
    let step = num_integer::gcd(left.stride(), right.stride());
    i64::try_from(step).map_or(1, |step| step.max(1))
}

fn corners(left: Range, right: Range, apply: impl Fn(i64, i64) -> i64) -> (i64, i64) {
    let all = [left.low, left.high].map(|l| [right.low, right.high].map(|r| apply(l, r)));
    let all = all.as_flattened();
    let least = all.iter().copied().fold(i64::MAX, i64::min);
    (least, all.iter().copied().fold(i64::MIN, i64::max))
}

fn multiply(left: Range, right: Range) -> Option<Option<Range>> {
    let (low, high) = corners(left, right, |l, r| l * r);
    let step = match (left.low == left.high, right.low == right.high) {
        (true, _) => right.step * left.low.abs(),
        (_, true) => left.step * right.low.abs(),
        _ => 1,
    };
    spaced(low, high, step.max(1))
}

fn divide(left: Range, right: Range) -> Option<Option<Range>> {
    if right.low > 0 {
        let (low, high) = corners(left, right, |l, r| l / r);
        return spaced(low, high, 1);
    }
    let most = left.low.abs().max(left.high.abs());
    spaced(-most, most, 1)
}

fn remainder(left: Range, right: Range) -> Option<Option<Range>> {
    if left.low == i64::from(i32::MIN) && right.contains(-1) {
        return None;
    }
    let most = right.low.abs().max(right.high.abs());
    if most == 0 {
        return Some(None);
    }
    // The sign is that of the dividend.
    let low = if left.low < 0 { left.low.max(1 - most) } else { 0 };
    let high = if left.high > 0 { left.high.min(most - 1) } else { 0 };
    spaced(low, high, 1)
}

fn bit_and(left: Range, right: Range) -> Option<Option<Range>> {
    match (left.low >= 0, right.low >= 0) {
        (true, true) => spaced(0, left.high.min(right.high), 1),
        (true, false) => spaced(0, left.high, 1),
        (false, true) => spaced(0, right.high, 1),
        (false, false) => None,
    }
}
