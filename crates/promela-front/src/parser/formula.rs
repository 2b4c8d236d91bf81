//! Operators of temporal logic: words and signs with a meaning in formulas only.

use super::{Parsed, Parser};
use crate::ast::{Expression, ExpressionKind, Temporal, TemporalBinary};
use crate::lexer::Raw;
use crate::token::Kind;

impl Parser<'_> {
    /// The temporal operator with two operands that comes next, if one does.
    pub(super) fn temporal_operator(&self) -> Option<TemporalBinary> {
        match self.kind() {
            Kind::Raw(Raw::Arrow) => Some(TemporalBinary::Implies),
            Kind::Raw(Raw::Less) if self.next_is(Raw::Arrow) => Some(TemporalBinary::Equivalent),
            Kind::Name => match self.text_here() {
                "U" | "until" | "stronguntil" => Some(TemporalBinary::Until),
                "W" | "weakuntil" => Some(TemporalBinary::WeakUntil),
                "V" | "release" => Some(TemporalBinary::Release),
                "implies" => Some(TemporalBinary::Implies),
                "equivalent" => Some(TemporalBinary::Equivalent),
                _ => None,
            },
            _ => None,
        }
    }

    /// A temporal operator with its operand, if one comes next.
    pub(super) fn temporal_operand(&mut self) -> Parsed<Option<Expression>> {
        let (operator, tokens) = match self.kind() {
            Kind::Raw(Raw::OpenBracket) if self.next_is(Raw::CloseBracket) => (Temporal::Always, 2),
            Kind::Raw(Raw::Less) if self.next_is(Raw::Greater) => (Temporal::Eventually, 2),
            Kind::Name => match self.text_here() {
                "always" => (Temporal::Always, 1),
                "eventually" => (Temporal::Eventually, 1),
                "X" | "next" => (Temporal::Next, 1),
                _ => return Ok(None),
            },
            _ => return Ok(None),
        };
        let start = self.here();
        for _ in 0..tokens {
            self.bump();
        }
        let operand = self.nested(Self::operand)?;
        let (span, height) = (start.to(operand.span), operand.height);
        self.node(ExpressionKind::Temporal(operator, operand), span, height).map(Some)
    }
}
