//! Messages: what follows `!` and `?`.

use super::{Parsed, Parser};
use crate::ast::{Expression, Pattern};
use crate::lexer::Raw;
use crate::token::{Kind, Word};

impl Parser<'_> {
    /// The fields of a send: `a,b`, or `a(b)` for the same.
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

    /// The fields of a receive: `a,b`, or `a(b)`, or `(a,b)` for the same.
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
        let patterns = self.nested(1, Self::patterns)?;
        self.close(Raw::CloseParen, "`,` or `)`")?;
        Ok(patterns)
    }

    fn pattern(&mut self) -> Parsed<Pattern> {
        let start = self.here();
        match self.kind() {
            Kind::Raw(Raw::Number) => Ok(Pattern::Number(self.number(), start)),
            Kind::Raw(Raw::Character) => Ok(Pattern::Number(self.character(), start)),
            Kind::Word(Word::True | Word::Skip) => {
                self.bump();
                Ok(Pattern::Number(1, start))
            }
            Kind::Word(Word::False) => {
                self.bump();
                Ok(Pattern::Number(0, start))
            }
            Kind::Raw(Raw::Minus) => {
                self.bump();
                if !self.at(Raw::Number) {
                    return self.unexpected("a number");
                }
                let value = self.number();
                Ok(Pattern::Number(-value, self.since(start)))
            }
            Kind::Word(Word::Eval) => {
                self.bump();
                self.open(Raw::OpenParen, "`(`")?;
                let value = self.expression()?;
                self.close(Raw::CloseParen, "`)`")?;
                Ok(Pattern::Eval(value, self.since(start)))
            }
            Kind::Name => {
                let opaque = self.model.incomplete;
                let variable = self.variable()?;
                // A field of a typedef makes the model incomplete while it is read.
                if !opaque && self.model.incomplete {
                    return Ok(Pattern::Error(variable.span));
                }
                Ok(Pattern::Variable(variable))
            }
            Kind::Unsupported => {
                self.bump();
                Ok(Pattern::Error(start))
            }
            _ => self.unexpected("a variable, a constant, `eval(...)` or `_`"),
        }
    }
}
