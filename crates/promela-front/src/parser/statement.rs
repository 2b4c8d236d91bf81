//! Statements and sequences of them.

use cfsm_core::program::Binary;
use cfsm_core::source::Span;

use super::{Failed, Parsed, Parser};
use crate::ast::{Block, Name, Statement, StatementKind, Variable};
use crate::codes;
use crate::lexer::Raw;
use crate::token::{Kind, Word};

/// How much a nested statement counts: it takes about twice the stack of an expression.
const STATEMENT_LEVELS: usize = 2;

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

    /// Statements up to what ends a sequence. Errors in them are dealt with here.
    fn sequence(&mut self) -> Vec<Statement> {
        let mut statements = Vec::new();
        if self.at_end_of_sequence() {
            let span = self.here();
            if !self.gave_up {
                self.error(codes::EMPTY_SEQUENCE, span, "a sequence needs at least one statement");
            }
            return vec![Statement { labels: Vec::new(), kind: StatementKind::Error, span }];
        }
        loop {
            let (start, position) = (self.here(), self.position);
            match self.statement() {
                Ok(statement) => statements.push(statement),
                Err(Failed) => {
                    self.skip_statement_from(position);
                    let (labels, kind) = (Vec::new(), StatementKind::Error);
                    statements.push(Statement { labels, kind, span: self.since(start) });
                }
            }
            if self.at_word(Word::Unless) {
                self.unless();
            }
            if !self.at_separator() && !self.at_end_of_sequence() {
                let _: Parsed<()> = self.unexpected("`;` or the end of the sequence");
                self.skip_statement();
            }
            while self.at_separator() {
                self.bump();
            }
            if self.at_end_of_sequence() {
                return statements;
            }
        }
    }

    fn at_end_of_sequence(&self) -> bool {
        matches!(
            self.kind(),
            Kind::Raw(Raw::CloseBrace | Raw::Option)
                | Kind::Word(Word::Fi | Word::Od | Word::Proctype | Word::Active | Word::Init)
                | Kind::End
        )
    }

    /// `unless S`: the escape is read for its errors only.
    fn unless(&mut self) {
        self.error(codes::NOT_HANDLED, self.here(), "not handled yet: `unless`");
        self.bump();
        if self.statement().is_err() {
            self.skip_statement();
        }
    }

    fn statement(&mut self) -> Parsed<Statement> {
        let mut labels = Vec::new();
        while self.kind() == Kind::Name && self.next_is(Raw::Colon) && !self.is_remote_reference() {
            labels.push(self.name("a label")?);
            self.bump();
        }
        let start = self.here();
        if !labels.is_empty() && (self.at_separator() || self.at_end_of_sequence()) {
            let span = labels.last().map_or(start, |label: &Name| label.span);
            return Ok(Statement { labels, kind: StatementKind::Nothing, span });
        }
        if !labels.is_empty() && self.at_declaration() {
            let message = "a label cannot stand before a declaration";
            self.error(codes::MISPLACED_DECLARATION, start, message);
        }
        let kind = self.nested(STATEMENT_LEVELS, Self::statement_kind)?;
        Ok(Statement { labels, kind, span: self.since(start) })
    }

    pub(super) fn next_is(&self, raw: Raw) -> bool {
        self.tokens.get(self.position + 1).is_some_and(|token| token.kind == Kind::Raw(raw))
    }

    /// `P:x` for a process type P, which would be a label otherwise.
    fn is_remote_reference(&self) -> bool {
        self.processes.contains(self.sources.text(self.token().text))
    }

    fn statement_kind(&mut self) -> Parsed<StatementKind> {
        if self.at_declaration() {
            return self.declaration(true).map(StatementKind::Declaration);
        }
        let start = self.here();
        match self.kind() {
            Kind::Name => self.name_statement(),
            Kind::Raw(Raw::OpenBrace) => self.block().map(StatementKind::Block),
            Kind::Unsupported => {
                self.bump();
                self.skip_statement();
                Ok(StatementKind::Error)
            }
            Kind::Word(word) => self.word_statement(word, start),
            _ => self.condition(),
        }
    }

    fn word_statement(&mut self, word: Word, start: Span) -> Parsed<StatementKind> {
        match word {
            Word::If => Ok(StatementKind::If(self.options(Word::Fi, "`fi` or `::`")?)),
            Word::Do => Ok(StatementKind::Do(self.options(Word::Od, "`od` or `::`")?)),
            Word::Atomic | Word::DStep => {
                self.bump();
                let block = self.block()?;
                let atomic = word == Word::Atomic;
                Ok(if atomic { StatementKind::Atomic(block) } else { StatementKind::DStep(block) })
            }
            Word::Goto => {
                self.bump();
                self.name("a label").map(StatementKind::Goto)
            }
            Word::Break => {
                self.bump();
                Ok(StatementKind::Break)
            }
            Word::Else => {
                self.bump();
                Ok(StatementKind::Else)
            }
            Word::Assert => {
                self.bump();
                self.expression().map(StatementKind::Assert)
            }
            Word::Printf => self.print(),
            Word::Printm => {
                self.bump();
                self.open(Raw::OpenParen, "`(`")?;
                let value = self.expression()?;
                self.close(Raw::CloseParen, "`)`")?;
                Ok(StatementKind::PrintSymbol(value))
            }
            Word::For
            | Word::Select
            | Word::CCode
            | Word::SetPriority
            | Word::Xr
            | Word::Xs
            | Word::Return => self.unsupported_statement(word, start),
            _ => self.condition(),
        }
    }

    fn unsupported_statement(&mut self, word: Word, start: Span) -> Parsed<StatementKind> {
        let text = self.sources.text(self.token().text);
        self.error(codes::NOT_HANDLED, start, format!("not handled yet: `{text}`"));
        self.bump();
        match word {
            Word::For => {
                self.skip_group();
                while self.at_separator() {
                    self.bump();
                }
                // The body is read for its errors.
                return self.block().map(|_| StatementKind::Error);
            }
            Word::CCode => {
                if self.at(Raw::OpenBracket) {
                    self.skip_group();
                }
                self.skip_group();
            }
            Word::Select | Word::SetPriority => self.skip_group(),
            _ => self.skip_statement(),
        }
        Ok(StatementKind::Error)
    }

    fn condition(&mut self) -> Parsed<StatementKind> {
        self.expression().map(StatementKind::Expression)
    }

    /// `:: ... :: ...` up to `end`.
    fn options(&mut self, end: Word, wanted: &str) -> Parsed<Vec<Block>> {
        self.bump();
        let mut options = Vec::new();
        // The line's end behind `if` separates nothing, but a macro may leave a separator here.
        while self.at(Raw::Option) {
            let start = self.here();
            self.bump();
            let statements = self.sequence();
            options.push(Block { statements, span: self.since(start) });
        }
        if options.is_empty() {
            return self.unexpected("`::`");
        }
        if self.eat_word(end) { Ok(options) } else { self.unexpected(wanted) }
    }

    /// `printf("...", e, ...)`
    fn print(&mut self) -> Parsed<StatementKind> {
        self.bump();
        self.open(Raw::OpenParen, "`(`")?;
        if !self.at(Raw::String) {
            return self.unexpected("a string");
        }
        let text = self.sources.text(self.token().text);
        let format = text.trim_start_matches('"');
        let format = format.strip_suffix('"').unwrap_or(format).to_owned();
        self.bump();
        let arguments = if self.eat(Raw::Comma) { self.expressions()? } else { Vec::new() };
        self.close(Raw::CloseParen, "`,` or `)`")?;
        Ok(StatementKind::Print(format, arguments))
    }

    /// What begins with a name: an assignment, a send, a receive, or a condition.
    fn name_statement(&mut self) -> Parsed<StatementKind> {
        let start = self.position;
        let name = self.name_here();
        if self.at_call(&name) {
            return self.call(&name);
        }
        let reported = self.diagnostics.len();
        let target = self.variable()?;
        if let Some(kind) = self.behind_variable(target)? {
            return Ok(kind);
        }
        // A condition that begins with a variable: read it again as a whole.
        self.diagnostics.truncate(reported);
        self.position = start;
        self.separated = self.separator_is_implied();
        self.condition()
    }

    fn behind_variable(&mut self, target: Variable) -> Parsed<Option<StatementKind>> {
        let kind = match self.kind() {
            Kind::Raw(Raw::Assign) => {
                self.bump();
                let name = self.name_here();
                if self.kind() == Kind::Name && self.at_call(&name) {
                    return self.call(&name).map(Some);
                }
                StatementKind::Assign(target, self.expression()?)
            }
            Kind::Raw(Raw::Increment) => {
                self.bump();
                StatementKind::Step(target, Binary::Add)
            }
            Kind::Raw(Raw::Decrement) => {
                self.bump();
                StatementKind::Step(target, Binary::Subtract)
            }
            Kind::Raw(raw @ (Raw::Bang | Raw::SortedSend)) => {
                self.bump();
                let fields = self.fields()?;
                StatementKind::Send { channel: target, sorted: raw == Raw::SortedSend, fields }
            }
            Kind::Raw(raw @ (Raw::Question | Raw::RandomReceive)) if !self.next_is(Raw::OpenBracket) => {
                self.bump();
                if self.at(Raw::Less) {
                    let span = target.span.to(self.here());
                    return self.not_handled(span, "a receive that leaves the message, `?< >`");
                }
                let patterns = self.patterns()?;
                StatementKind::Receive { channel: target, random: raw == Raw::RandomReceive, patterns }
            }
            _ => return Ok(None),
        };
        Ok(Some(kind))
    }

    /// Whether the name here is called: the parenthesis may stand on the next line behind an inline only.
    fn at_call(&self, name: &Name) -> bool {
        let same_line = self.tokens.get(self.position + 1).is_some_and(|next| !next.first_on_line);
        self.next_is(Raw::OpenParen) && (same_line || self.model.opaque_names.contains(&name.text))
    }

    /// `name(...)`: an inline, which is reported where it is defined if it is.
    fn call(&mut self, name: &Name) -> Parsed<StatementKind> {
        if !self.model.opaque_names.contains(&name.text) && !self.model.incomplete {
            let message = format!("`{}` is no inline or macro, and a process type needs `run`", name.text);
            self.error(codes::UNKNOWN_NAME, name.span, message);
        }
        self.bump();
        self.skip_group();
        Ok(StatementKind::Error)
    }
}
