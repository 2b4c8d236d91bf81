//! Parses statements and sequences of them.

use cfsm_core::program::Binary;

use super::{Failed, Parsed, Parser};
use crate::ast::{Name, Statement, StatementKind, Variable};
use crate::codes;
use crate::lexer::Raw;
use crate::resolve::foreign;
use crate::token::{Kind, Word};
use cfsm_core::diagnostic::Diagnostic;

impl Parser<'_> {
    /// Parses statements up to the end of a sequence. Recovers from errors in them.
    pub(super) fn sequence(&mut self) -> Vec<Statement> {
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
            match self.step() {
                Ok(statement) => statements.push(statement),
                Err(Failed) => {
                    self.skip_statement_from(position);
                    let (labels, kind) = (Vec::new(), StatementKind::Error);
                    statements.push(Statement { labels, kind, span: self.since(start) });
                }
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

    pub(super) fn at_end_of_sequence(&self) -> bool {
        matches!(
            self.kind(),
            Kind::Raw(Raw::CloseBrace | Raw::Option)
                | Kind::Word(Word::Fi | Word::Od | Word::Proctype | Word::Active | Word::Init)
                | Kind::End
        )
    }

    /// Parses a statement with its escape, if there is one.
    fn step(&mut self) -> Parsed<Statement> {
        let start = self.here();
        let statement = self.statement()?;
        if !self.at_word(Word::Unless) {
            return Ok(statement);
        }
        if matches!(statement.kind, StatementKind::Declaration(_) | StatementKind::Exclusive { .. }) {
            return self.unexpected("`;` or the end of the sequence");
        }
        self.unless(statement, start)
    }

    pub(super) fn statement(&mut self) -> Parsed<Statement> {
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
        if !labels.is_empty() && (self.at_declaration() || self.at_exclusive()) {
            let message = "a label cannot stand before a declaration";
            self.error(codes::MISPLACED_DECLARATION, start, message);
        }
        let kind = self.nested(Self::statement_kind)?;
        Ok(Statement { labels, kind, span: self.since(start) })
    }

    /// Returns `true` for `P:x` with a process type P, which would be a label otherwise.
    fn is_remote_reference(&self) -> bool {
        self.processes.contains(self.text_here())
    }

    fn at_exclusive(&self) -> bool {
        matches!(self.kind(), Kind::Word(Word::Xr | Word::Xs))
    }

    fn statement_kind(&mut self) -> Parsed<StatementKind> {
        if self.at_declaration() {
            return self.declaration_in_body().map(StatementKind::Declaration);
        }
        let start = self.here();
        match self.kind() {
            Kind::Call => Ok(StatementKind::Call(Box::new(self.call(start, None)?))),
            Kind::Name => self.name_statement(),
            Kind::Raw(Raw::OpenBrace) => self.block().map(StatementKind::Block),
            Kind::Unsupported => {
                self.bump();
                self.skip_statement();
                Ok(StatementKind::Error)
            }
            Kind::Word(word) => self.word_statement(word),
            _ => self.condition(),
        }
    }

    fn word_statement(&mut self, word: Word) -> Parsed<StatementKind> {
        match word {
            Word::If => Ok(StatementKind::If(self.options(Word::Fi, "`fi` or `::`")?)),
            Word::Do => Ok(StatementKind::Do(self.options(Word::Od, "`od` or `::`")?)),
            Word::For => self.for_loop(),
            Word::Select => self.select(),
            Word::Atomic | Word::DStep => self.region(word),
            Word::Printf => self.print(),
            Word::Printm => self.print_symbol(),
            Word::SetPriority => self.set_priority(),
            Word::Xr | Word::Xs => self.exclusive(word == Word::Xs),
            Word::Goto => {
                self.bump();
                self.name("a label").map(StatementKind::Goto)
            }
            Word::Break | Word::Else => {
                self.bump();
                Ok(if word == Word::Break { StatementKind::Break } else { StatementKind::Else })
            }
            Word::Assert => {
                self.bump();
                self.expression().map(StatementKind::Assert)
            }
            Word::CCode => {
                self.bump();
                let (guard, text) = self.code()?;
                Ok(StatementKind::Code { guard, text })
            }
            Word::Return => self.return_value(),
            _ => self.condition(),
        }
    }

    fn condition(&mut self) -> Parsed<StatementKind> {
        self.expression().map(StatementKind::Expression)
    }

    /// `return e`, allowed in an inline only.
    fn return_value(&mut self) -> Parsed<StatementKind> {
        let start = self.here();
        self.bump();
        let value = self.expression()?;
        if self.calls == 0 {
            let message = "`return` outside of an inline";
            self.error(codes::UNEXPECTED, start, message);
        }
        Ok(StatementKind::Return(value))
    }

    /// `xr c, d` or `xs c, d`
    fn exclusive(&mut self, sending: bool) -> Parsed<StatementKind> {
        self.bump();
        let mut channels = vec![self.variable()?];
        while self.eat(Raw::Comma) {
            channels.push(self.variable()?);
        }
        Ok(StatementKind::Exclusive { sending, channels })
    }

    /// `set_priority(process, priority)`
    fn set_priority(&mut self) -> Parsed<StatementKind> {
        self.bump();
        self.open(Raw::OpenParen, "`(`")?;
        let process = self.expression()?;
        self.expect(Raw::Comma, "`,` and a priority")?;
        let priority = self.expression()?;
        self.close(Raw::CloseParen, "`)`")?;
        Ok(StatementKind::SetPriority(process, priority))
    }

    /// `printf("...", e, ...)`
    fn print(&mut self) -> Parsed<StatementKind> {
        self.bump();
        self.open(Raw::OpenParen, "`(`")?;
        if !self.at(Raw::String) {
            return self.unexpected("a string");
        }
        let format = self.string_here();
        self.bump();
        let arguments = if self.eat(Raw::Comma) { self.expressions()? } else { Vec::new() };
        self.close(Raw::CloseParen, "`,` or `)`")?;
        Ok(StatementKind::Print(format, arguments))
    }

    /// `printm(e)`
    fn print_symbol(&mut self) -> Parsed<StatementKind> {
        self.bump();
        self.open(Raw::OpenParen, "`(`")?;
        let value = self.expression()?;
        self.close(Raw::CloseParen, "`)`")?;
        Ok(StatementKind::PrintSymbol(value))
    }

    /// Parses a statement that begins with a name: an assignment, a send, a receive, or a
    /// condition.
    fn name_statement(&mut self) -> Parsed<StatementKind> {
        let name = self.name_here();
        if self.at_unknown_call(&name) {
            return self.unknown_call(&name);
        }
        if self.at_remote() {
            return self.condition();
        }
        let target = self.variable()?;
        match self.kind() {
            Kind::Raw(Raw::Assign) => self.assignment(target),
            Kind::Raw(Raw::Increment) => {
                self.bump();
                Ok(StatementKind::Step(target, Binary::Add))
            }
            Kind::Raw(Raw::Decrement) => {
                self.bump();
                Ok(StatementKind::Step(target, Binary::Subtract))
            }
            Kind::Raw(raw @ (Raw::Bang | Raw::SortedSend)) => {
                self.bump();
                let fields = self.fields()?;
                Ok(StatementKind::Send { channel: target, sorted: raw == Raw::SortedSend, fields })
            }
            Kind::Raw(raw @ (Raw::Question | Raw::RandomReceive)) if !self.next_is(Raw::OpenBracket) => {
                self.bump();
                self.receive(target, raw == Raw::RandomReceive)
            }
            _ => self.condition_behind(target).map(StatementKind::Expression),
        }
    }

    fn assignment(&mut self, target: Variable) -> Parsed<StatementKind> {
        self.bump();
        if self.kind() == Kind::Call {
            let start = target.span;
            return Ok(StatementKind::Call(Box::new(self.call(start, Some(target))?)));
        }
        if self.kind() == Kind::Name {
            let name = self.name_here();
            if self.at_unknown_call(&name) {
                return self.unknown_call(&name);
            }
        }
        Ok(StatementKind::Assign(target, self.expression()?))
    }

    /// Parses `c?a,b` from the question mark on.
    fn receive(&mut self, channel: Variable, random: bool) -> Parsed<StatementKind> {
        let peek = self.eat(Raw::Less);
        let patterns = self.patterns()?;
        if peek {
            self.expect(Raw::Greater, "`,` or `>`")?;
        }
        Ok(StatementKind::Receive { channel, random, peek, patterns })
    }

    /// Returns `true` if the name here is called although it is not an inline; a parenthesis on the
    /// next line begins another statement.
    fn at_unknown_call(&self, name: &Name) -> bool {
        let same_line = self.second().is_some_and(|next| !next.first_on_line);
        self.next_is(Raw::OpenParen) && (same_line || self.model.opaque_names.contains(&name.text))
    }

    fn unknown_call(&mut self, name: &Name) -> Parsed<StatementKind> {
        let known = self.model.opaque_names.contains(&name.text) || self.inlines.contains(&name.text);
        let foreign = foreign::instead_of(&name.text).filter(|_| !known);
        if !known && !self.model.incomplete {
            let message = match foreign {
                Some(_) => format!("Promela has no `{}`", name.text),
                None => format!("`{}` is no inline or macro, and a process type needs `run`", name.text),
            };
            let known = self.inlines.iter().map(|name| &**name);
            let close = cfsm_core::suggest::closest(&name.text, known);
            let hint = foreign.map(str::to_owned).or(close.map(|name| format!("did you mean `{name}`?")));
            let diagnostic = Diagnostic::error(codes::UNKNOWN_NAME, name.span, message);
            self.diagnostics.push(diagnostic.with_hint_if(hint));
        }
        self.bump();
        self.skip_group();
        if foreign.is_some() && !self.at_separator() && !self.at_end_of_sequence() {
            self.nested(Self::statement)?;
        }
        Ok(StatementKind::Error)
    }
}
