//! Values of constant expressions.

use cfsm_core::program::{Binary, Unary};

use crate::ast::{Expression, ExpressionKind};

/// Height beyond which expressions are not folded: constant ones are short.
const MAX_HEIGHT: u32 = 16;

/// The value of an expression of literals only, if it is defined and fits into 32 bits.
pub(super) fn fold(expression: &Expression) -> Option<i64> {
    if expression.height > MAX_HEIGHT {
        return None;
    }
    let value = match &*expression.kind {
        ExpressionKind::Number(value) => Some(*value),
        ExpressionKind::Unary(Unary::Negate, operand) => fold(operand)?.checked_neg(),
        ExpressionKind::Binary(operator, left, right) => arithmetic(*operator, fold(left)?, fold(right)?),
        _ => None,
    };
    value.filter(|value| i32::try_from(*value).is_ok())
}

/// The result of an arithmetic operator, if it is defined and fits into 64 bits.
pub(crate) const fn arithmetic(operator: Binary, left: i64, right: i64) -> Option<i64> {
    match operator {
        Binary::Add => left.checked_add(right),
        Binary::Subtract => left.checked_sub(right),
        Binary::Multiply => left.checked_mul(right),
        Binary::Divide => left.checked_div(right),
        Binary::Remainder => left.checked_rem(right),
        _ => None,
    }
}
