//! Parses temporal operators: words and signs with a meaning in formulas only.

use super::{Parsed, Parser};
use crate::ast::{Expression, ExpressionKind, Temporal, TemporalBinary};
use crate::codes;
use crate::lexer::Raw;
use crate::token::{Kind, Token};
use cfsm_core::diagnostic::Diagnostic;

impl Parser<'_> {
    /// The binary temporal operator at the current token, if there is one.
    pub(super) fn temporal_operator(&self) -> Option<TemporalBinary> {
        match self.kind() {
            // The arrow `-->` is not an implication.
            Kind::Raw(Raw::Arrow) if self.is_short_arrow(self.token()) => Some(TemporalBinary::Implies),
            Kind::Raw(Raw::Less) if self.second().is_some_and(|next| self.is_short_arrow(next)) => {
                Some(TemporalBinary::Equivalent)
            }
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

    /// Returns `true` if a token is `->`, and not `-->`, which has the same meaning outside of
    /// formulas.
    fn is_short_arrow(&self, token: Token) -> bool {
        token.kind == Kind::Raw(Raw::Arrow) && self.sources.text(token.text) == "->"
    }

    /// Parses a unary temporal operator with its operand, if one comes next.
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
        if operator == Temporal::Next {
            let message = format!(
                "`{}` is the next operator, which Spin's temporal logic is without",
                self.text_here()
            );
            let hint = "Spin knows it only if it was built with its switch `NXT`: say it without, or leave the \
                        formula out";
            self.diagnostics.push(Diagnostic::error(codes::NEXT_OPERATOR, start, message).with_hint(hint));
        }
        for _ in 0..tokens {
            self.bump();
        }
        let operand = self.nested(Self::operand)?;
        let (span, height) = (start.to(operand.span), operand.height);
        self.node(ExpressionKind::Temporal(operator, operand), span, height).map(Some)
    }
}
