//! Evaluates constant expressions: sizes, widths, capacities, numbers of processes.

use std::ops::RangeInclusive;

use cfsm_core::program::{Initializer, Unary};

use super::Lowering;
use crate::ast::{Expression, ExpressionKind};
use crate::check::constant::arithmetic;
use crate::codes;
use crate::resolve::Entity;
use crate::stack::deep;

impl Lowering<'_> {
    /// The value of a constant expression in a range; otherwise an error is reported. A variable
    /// with a constant initialiser counts as constant, as in Spin.
    pub(super) fn constant(
        &mut self,
        expression: &Expression,
        range: RangeInclusive<i64>,
        what: &str,
    ) -> Option<i64> {
        let Some(value) = self.fold(expression) else {
            let reported = match &*expression.kind {
                ExpressionKind::Variable(variable) => self.entity(&variable.name).is_none(),
                kind => matches!(kind, ExpressionKind::Error),
            };
            if !reported {
                self.error(codes::NOT_CONSTANT, expression.span, format!("{what} must be constant"));
            }
            return None;
        };
        if !range.contains(&value) {
            let message = format!("{what} is {value}, which is not in {}..{}", range.start(), range.end());
            self.error(codes::BAD_SIZE, expression.span, message);
            return None;
        }
        Some(value)
    }

    /// The value of an expression, if it is constant.
    fn fold(&self, expression: &Expression) -> Option<i64> {
        deep(|| self.folded(expression))
    }

    fn folded(&self, expression: &Expression) -> Option<i64> {
        match &*expression.kind {
            ExpressionKind::Number(value) => Some(*value),
            ExpressionKind::Variable(variable) if variable.is_name() => {
                match self.names.find(&variable.name.text)?.entity {
                    Entity::Constant(_, value) => Some(value),
                    Entity::Variable(id) => match &self.variable(id).init {
                        Initializer::Value(value) => value.constant(),
                        _ => None,
                    },
                    Entity::Record(_) | Entity::Opaque => None,
                }
            }
            ExpressionKind::Unary(Unary::Negate, operand) => self.fold(operand)?.checked_neg(),
            ExpressionKind::Binary(operator, left, right) => {
                arithmetic(*operator, self.fold(left)?, self.fold(right)?)
            }
            _ => None,
        }
    }

    /// The number of processes after `active`.
    pub(super) fn count(&mut self, expression: &Expression) -> u32 {
        let count = self.constant(expression, 0..=255, "the number of processes").unwrap_or(0);
        u32::try_from(count).unwrap_or(0)
    }
}
