//! Parses compound statements: selections, loops, regions, escapes.

use cfsm_core::source::Span;

use super::{Parsed, Parser};
use crate::ast::{Block, Expression, ForRange, Statement, StatementKind};
use crate::lexer::Raw;
use crate::resolve::foreign;
use crate::token::{Kind, Word};

impl Parser<'_> {
    /// `{ ... }`
    pub(super) fn block(&mut self) -> Parsed<Block> {
        let start = self.here();
        self.expect(Raw::OpenBrace, "`{`")?;
        let mut statements = self.sequence();
        while !self.eat(Raw::CloseBrace) {
            let stray = matches!(self.kind(), Kind::Raw(Raw::Option) | Kind::Word(Word::Fi | Word::Od));
            let failed: Parsed<()> = self.unexpected("`}` or a statement");
            if !stray {
                failed?;
            }
            self.bump();
            while self.at_separator() {
                self.bump();
            }
            if !self.at_end_of_sequence() {
                statements.append(&mut self.sequence());
            }
        }
        Ok(Block { statements, span: self.since(start) })
    }

    /// Parses `:: ... :: ...` up to `end`.
    pub(super) fn options(&mut self, end: Word, wanted: &str) -> Parsed<Vec<Block>> {
        self.bump();
        let mut options = Vec::new();
        // The line end after `if` is no separator, but a macro may leave one here.
        while self.at(Raw::Option) {
            let start = self.here();
            self.bump();
            let statements = self.sequence();
            options.push(Block { statements, span: self.since(start) });
        }
        if options.is_empty() {
            let shape = if end == Word::Od { foreign::LOOP } else { foreign::BRANCH };
            return self.unexpected(&format!("`::`: {shape}"));
        }
        if self.eat_word(end) { Ok(options) } else { self.unexpected(wanted) }
    }

    /// `atomic { ... }` or `d_step { ... }`
    pub(super) fn region(&mut self, word: Word) -> Parsed<StatementKind> {
        self.bump();
        let block = self.block()?;
        let atomic = word == Word::Atomic;
        Ok(if atomic { StatementKind::Atomic(block) } else { StatementKind::DStep(block) })
    }

    /// `for (x : a .. b) { ... }`, `for (x in a) { ... }`
    pub(super) fn for_loop(&mut self) -> Parsed<StatementKind> {
        self.bump();
        self.open(Raw::OpenParen, "`(`")?;
        let variable = self.variable()?;
        let range = if self.kind() == Kind::Name && self.text_here() == "in" {
            self.bump();
            ForRange::In { variable, collection: self.variable()? }
        } else if self.at(Raw::Assign) {
            return self.unexpected("`:` or `in`: a loop over numbers is `for (i : 1 .. 3) { ... }`");
        } else {
            let (from, to) = self.range()?;
            ForRange::Values { variable, from, to }
        };
        self.close(Raw::CloseParen, "`)`")?;
        while self.at_separator() {
            self.bump();
        }
        Ok(StatementKind::For(Box::new(range), self.block()?))
    }

    /// `select (x : a .. b)`
    pub(super) fn select(&mut self) -> Parsed<StatementKind> {
        self.bump();
        self.open(Raw::OpenParen, "`(`")?;
        let variable = Box::new(self.variable()?);
        let (from, to) = self.range()?;
        self.close(Raw::CloseParen, "`)`")?;
        Ok(StatementKind::Select { variable, from, to })
    }

    /// `: a .. b`
    fn range(&mut self) -> Parsed<(Expression, Expression)> {
        self.expect(Raw::Colon, "`:` or `in`")?;
        let from = self.expression()?;
        self.expect(Raw::DotDot, "`..`")?;
        let start = self.here();
        let to = self.expression()?;
        // The span includes the parentheses around it, since the header of a loop is shown up to
        // here.
        Ok((from, Expression { span: self.since(start), ..to }))
    }

    /// `unless S` after a statement.
    pub(super) fn unless(&mut self, main: Statement, start: Span) -> Parsed<Statement> {
        self.bump();
        let escape = self.statement()?;
        let kind = StatementKind::Unless(Box::new(main), Box::new(escape));
        Ok(Statement { labels: Vec::new(), kind, span: self.since(start) })
    }
}
