//! Parses expressions: precedence climbing with a loop for each chain of operators, so that a long
//! chain costs no recursion.

use cfsm_core::program::Binary;
use cfsm_core::source::Span;

use super::{Failed, Parsed, Parser};
use crate::ast::{Expression, ExpressionKind, TemporalBinary, Variable};
use crate::lexer::Raw;
use crate::token::Kind;

/// Number of operands beyond which a chain of an associative operator is balanced.
pub(crate) const LONG_CHAIN: usize = 32;

/// A binary operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operator {
    /// An operator of expressions.
    Value(Binary),
    /// A temporal operator of formulas.
    Temporal(TemporalBinary),
}

impl Parser<'_> {
    /// Parses an expression.
    pub(super) fn expression(&mut self) -> Parsed<Expression> {
        self.nested(|parser| {
            let first = parser.operand()?;
            parser.operators(first, 0)
        })
    }

    /// Parses the rest of an expression that begins with a variable.
    pub(super) fn condition_behind(&mut self, first: Variable) -> Parsed<Expression> {
        self.nested(|parser| {
            let first = parser.variable_or_poll(first)?;
            parser.operators(first, 0)
        })
    }

    /// Parses operands joined by operators of precedence at least `least`; the first operand was
    /// read.
    fn operators(&mut self, mut left: Expression, least: u8) -> Parsed<Expression> {
        while let Some(operator) = self.operator() {
            let binding = precedence(operator);
            if binding < least {
                break;
            }
            let right = self.right_side(operator)?;
            if !is_associative(operator) || self.operator() != Some(operator) {
                left = self.binary(operator, left, right)?;
                continue;
            }
            let mut chain = vec![left, right];
            while self.operator() == Some(operator) {
                chain.push(self.right_side(operator)?);
            }
            left = self.join(operator, chain)?;
        }
        Ok(left)
    }

    /// Parses the next operator and its right operand.
    fn right_side(&mut self, operator: Operator) -> Parsed<Expression> {
        self.eat_operator(operator);
        let first = self.operand()?;
        self.operators(first, precedence(operator) + 1)
    }

    fn operator(&self) -> Option<Operator> {
        if self.in_formula
            && let Some(operator) = self.temporal_operator()
        {
            return Some(Operator::Temporal(operator));
        }
        binary_operator(self.kind()).map(Operator::Value)
    }

    fn eat_operator(&mut self, operator: Operator) {
        // The operator `<->` begins with a `<` token.
        if operator == Operator::Temporal(TemporalBinary::Equivalent) && self.at(Raw::Less) {
            self.bump();
        }
        self.bump();
    }

    /// Combines a chain of operands: from the left, or balanced if the chain is long.
    fn join(&mut self, operator: Operator, mut chain: Vec<Expression>) -> Parsed<Expression> {
        if chain.len() <= LONG_CHAIN {
            let mut operands = chain.into_iter();
            let first = operands.next().ok_or(Failed)?;
            return operands.try_fold(first, |left, right| self.binary(operator, left, right));
        }
        while chain.len() > 1 {
            let mut operands = chain.into_iter();
            let mut next = Vec::with_capacity(operands.len().div_ceil(2));
            while let Some(left) = operands.next() {
                next.push(match operands.next() {
                    Some(right) => self.binary(operator, left, right)?,
                    None => left,
                });
            }
            chain = next;
        }
        chain.pop().ok_or(Failed)
    }

    fn binary(&mut self, operator: Operator, left: Expression, right: Expression) -> Parsed<Expression> {
        let (span, height) = (left.span.to(right.span), left.height.max(right.height));
        let kind = match operator {
            Operator::Value(operator) => ExpressionKind::Binary(operator, left, right),
            Operator::Temporal(operator) => ExpressionKind::TemporalBinary(operator, left, right),
        };
        self.node(kind, span, height)
    }

    /// Creates a node above subtrees of at most this height.
    pub(super) fn node(&mut self, kind: ExpressionKind, span: Span, height: u32) -> Parsed<Expression> {
        if height as usize >= self.max_depth {
            return self.too_deep(span);
        }
        Ok(Expression { kind: Box::new(kind), span, height: height + 1 })
    }

    /// Parses one or more expressions separated by commas.
    pub(super) fn expressions(&mut self) -> Parsed<Vec<Expression>> {
        let mut list = vec![self.expression()?];
        while self.eat(Raw::Comma) {
            list.push(self.expression()?);
        }
        Ok(list)
    }
}

const fn binary_operator(kind: Kind) -> Option<Binary> {
    let Kind::Raw(raw) = kind else { return None };
    Some(match raw {
        Raw::OrOr => Binary::Or,
        Raw::AndAnd => Binary::And,
        Raw::Or => Binary::BitOr,
        Raw::Caret => Binary::BitXor,
        Raw::And => Binary::BitAnd,
        Raw::Equal => Binary::Equal,
        Raw::NotEqual => Binary::NotEqual,
        Raw::Less => Binary::Less,
        Raw::LessEqual => Binary::LessEqual,
        Raw::Greater => Binary::Greater,
        Raw::GreaterEqual => Binary::GreaterEqual,
        Raw::ShiftLeft => Binary::ShiftLeft,
        Raw::ShiftRight => Binary::ShiftRight,
        Raw::Plus => Binary::Add,
        Raw::Minus => Binary::Subtract,
        Raw::Star => Binary::Multiply,
        Raw::Slash => Binary::Divide,
        Raw::Percent => Binary::Remainder,
        _ => return None,
    })
}

/// Precedence of an operator; greater binds more tightly. All operators are left-associative.
pub(crate) const fn precedence(operator: Operator) -> u8 {
    match operator {
        Operator::Temporal(TemporalBinary::Implies | TemporalBinary::Equivalent) => 0,
        Operator::Value(Binary::Or) => 1,
        Operator::Value(Binary::And) => 2,
        Operator::Temporal(_) => 3,
        Operator::Value(Binary::BitOr) => 4,
        Operator::Value(Binary::BitXor) => 5,
        Operator::Value(Binary::BitAnd) => 6,
        Operator::Value(Binary::Equal | Binary::NotEqual) => 7,
        Operator::Value(Binary::Less | Binary::LessEqual | Binary::Greater | Binary::GreaterEqual) => 8,
        Operator::Value(Binary::ShiftLeft | Binary::ShiftRight) => 9,
        Operator::Value(Binary::Add | Binary::Subtract) => 10,
        Operator::Value(Binary::Multiply | Binary::Divide | Binary::Remainder) => 11,
    }
}

/// Returns `true` if an operator is associative, including sums with overflow and short-circuit
/// evaluation.
pub(crate) const fn is_associative(operator: Operator) -> bool {
    matches!(
        operator,
        Operator::Value(
            Binary::Or | Binary::And | Binary::BitOr | Binary::BitXor | Binary::BitAnd | Binary::Add
        )
    )
}
