//! Parses messages: the fields after `!` and `?`.

use super::{Parsed, Parser};
use crate::ast::{Expression, Number, Pattern};
use crate::lexer::Raw;
use crate::token::{Kind, Word};

impl Parser<'_> {
    /// Parses the fields of a send: `a,b`, or equivalently `a(b)`.
    pub(super) fn fields(&mut self) -> Parsed<Vec<Expression>> {
        let first = self.expression()?;
        let mut fields = vec![first];
        if self.at(Raw::OpenParen) {
            self.open(Raw::OpenParen, "`(`")?;
            fields.append(&mut self.expressions()?);
            self.close(Raw::CloseParen, "`,` or `)`")?;
            return Ok(fields);
        }
        while self.eat(Raw::Comma) {
            fields.push(self.expression()?);
        }
        Ok(fields)
    }

    /// Parses the fields of a receive: `a,b`, or equivalently `a(b)` or `(a,b)`.
    pub(super) fn patterns(&mut self) -> Parsed<Vec<Pattern>> {
        let mut patterns = Vec::new();
        loop {
            if self.at(Raw::OpenParen) {
                patterns.append(&mut self.pattern_group()?);
                return Ok(patterns);
            }
            patterns.push(self.pattern()?);
            if self.at(Raw::OpenParen) {
                patterns.append(&mut self.pattern_group()?);
                return Ok(patterns);
            }
            if !self.eat(Raw::Comma) {
                return Ok(patterns);
            }
        }
    }

    fn pattern_group(&mut self) -> Parsed<Vec<Pattern>> {
        self.open(Raw::OpenParen, "`(`")?;
        let patterns = self.nested(Self::patterns)?;
        self.close(Raw::CloseParen, "`,` or `)`")?;
        Ok(patterns)
    }

    fn pattern(&mut self) -> Parsed<Pattern> {
        let start = self.here();
        match self.kind() {
            Kind::Raw(Raw::Number) => Ok(Pattern::Number(Number { value: self.number(), span: start })),
            Kind::Raw(Raw::Character) => Ok(Pattern::Number(Number { value: self.character(), span: start })),
            Kind::Word(Word::True | Word::Skip) => {
                self.bump();
                Ok(Pattern::Number(Number { value: 1, span: start }))
            }
            Kind::Word(Word::False) => {
                self.bump();
                Ok(Pattern::Number(Number { value: 0, span: start }))
            }
            Kind::Raw(Raw::Minus) => {
                self.bump();
                if !self.at(Raw::Number) {
                    return self.unexpected("a number");
                }
                // The least number is its own negation in 32 bits.
                let value = match self.number() {
                    least if least == i64::from(i32::MIN) => least,
                    number => -number,
                };
                Ok(Pattern::Number(Number { value, span: self.since(start) }))
            }
            Kind::Word(Word::Eval) => {
                self.bump();
                self.open(Raw::OpenParen, "`(`")?;
                let value = self.expression()?;
                self.close(Raw::CloseParen, "`)`")?;
                Ok(Pattern::Eval(value, self.since(start)))
            }
            Kind::Name => self.variable().map(Pattern::Variable),
            Kind::Unsupported => {
                self.bump();
                Ok(Pattern::Error(start))
            }
            _ => self.unexpected("a variable, a constant, `eval(...)` or `_`"),
        }
    }
}

/// Greatest height of an expression in a pattern.
pub(super) fn pattern_height(pattern: &Pattern) -> u32 {
    match pattern {
        Pattern::Variable(variable) => super::operand::indices_height(variable),
        Pattern::Eval(value, _) => value.height,
        Pattern::Number(_) | Pattern::Error(_) => 0,
    }
}
