//! Parses operands of expressions.

use cfsm_core::program::Unary;
use cfsm_core::source::Span;

use super::{Parsed, Parser};
use crate::ast::{Expression, ExpressionKind, Field, Probe, Query, Remote, RemotePart, Variable};
use crate::codes;
use crate::lexer::Raw;
use crate::token::{Kind, Word};
use cfsm_core::diagnostic::Diagnostic;

impl Parser<'_> {
    /// Parses an operand with its prefix operators.
    pub(super) fn operand(&mut self) -> Parsed<Expression> {
        let start = self.here();
        let operator = match self.kind() {
            Kind::Raw(Raw::Bang) => Unary::Not,
            Kind::Raw(Raw::Minus) => Unary::Negate,
            Kind::Raw(Raw::Tilde) => Unary::Complement,
            _ => return self.primary(),
        };
        self.bump();
        let operand = self.nested(Self::operand)?;
        let (span, height) = (start.to(operand.span), operand.height);
        self.node(ExpressionKind::Unary(operator, operand), span, height)
    }

    fn leaf(kind: ExpressionKind, span: Span) -> Expression {
        Expression { kind: Box::new(kind), span, height: 1 }
    }

    fn primary(&mut self) -> Parsed<Expression> {
        let start = self.here();
        if self.in_formula
            && let Some(operand) = self.temporal_operand()?
        {
            return Ok(operand);
        }
        match self.kind() {
            Kind::Raw(Raw::OpenParen) => self.parenthesised(),
            Kind::Raw(Raw::Number) => Ok(Self::leaf(ExpressionKind::Number(self.number()), start)),
            Kind::Raw(Raw::Character) => Ok(Self::leaf(ExpressionKind::Number(self.character()), start)),
            Kind::Name if self.at_remote() => self.remote(start),
            Kind::Name => {
                let variable = self.variable()?;
                self.variable_or_poll(variable)
            }
            Kind::Unsupported => {
                self.bump();
                if self.at(Raw::OpenParen) {
                    self.skip_group();
                }
                Ok(Self::leaf(ExpressionKind::Error, start))
            }
            Kind::Word(word) => self.word_operand(word, start),
            _ => self.unexpected("an expression"),
        }
    }

    fn word_operand(&mut self, word: Word, start: Span) -> Parsed<Expression> {
        let leaf = match word {
            Word::True | Word::Skip => ExpressionKind::Number(1),
            Word::False => ExpressionKind::Number(0),
            Word::Timeout => ExpressionKind::Timeout,
            Word::NonProgress => ExpressionKind::NonProgress,
            Word::Len => return self.probe(Probe::Length, start),
            Word::Empty => return self.probe(Probe::Empty, start),
            Word::Nempty => return self.probe(Probe::NotEmpty, start),
            Word::Full => return self.probe(Probe::Full, start),
            Word::Nfull => return self.probe(Probe::NotFull, start),
            Word::Enabled => return self.query(Query::Enabled, start),
            Word::PcValue => return self.query(Query::ProgramCounter, start),
            Word::GetPriority => return self.query(Query::Priority, start),
            Word::Run => return self.run(start),
            Word::CExpr => {
                self.bump();
                let (guard, text) = self.code()?;
                return Ok(Self::leaf(ExpressionKind::Code { guard, text }, self.since(start)));
            }
            _ => return self.unexpected("an expression"),
        };
        self.bump();
        Ok(Self::leaf(leaf, start))
    }

    /// `( e )` or `( a -> b : c )`
    fn parenthesised(&mut self) -> Parsed<Expression> {
        let start = self.here();
        self.open(Raw::OpenParen, "`(`")?;
        let condition = self.expression()?;
        if !self.eat(Raw::Arrow) {
            self.close(Raw::CloseParen, "`)` or an operator")?;
            return Ok(condition);
        }
        let then = self.expression()?;
        self.expect(Raw::Colon, "`:` of a conditional expression")?;
        let otherwise = self.expression()?;
        self.close(Raw::CloseParen, "`)`")?;
        let height = condition.height.max(then.height).max(otherwise.height);
        self.node(ExpressionKind::Conditional(condition, then, otherwise), self.since(start), height)
    }

    fn probe(&mut self, probe: Probe, start: Span) -> Parsed<Expression> {
        self.bump();
        self.open(Raw::OpenParen, "`(`")?;
        let channel = self.variable()?;
        self.close(Raw::CloseParen, "`)`")?;
        let height = indices_height(&channel);
        self.node(ExpressionKind::Probe(probe, channel), self.since(start), height)
    }

    fn query(&mut self, query: Query, start: Span) -> Parsed<Expression> {
        self.bump();
        self.open(Raw::OpenParen, "`(`")?;
        let process = self.expression()?;
        self.close(Raw::CloseParen, "`)` or an operator")?;
        let height = process.height;
        self.node(ExpressionKind::Query(query, process), self.since(start), height)
    }

    /// `run P(a, b) priority n`
    fn run(&mut self, start: Span) -> Parsed<Expression> {
        self.bump();
        let process = self.name("the name of a process type")?;
        self.open(Raw::OpenParen, "`(`")?;
        let arguments = if self.at(Raw::CloseParen) { Vec::new() } else { self.expressions()? };
        self.close(Raw::CloseParen, "`,` or `)`")?;
        let priority = self.priority()?;
        let span = self.since(start);
        let height = arguments.iter().map(|argument| argument.height).max().unwrap_or(0);
        self.node(ExpressionKind::Run { process, arguments, priority }, span, height)
    }

    /// Returns `true` if `P@`, `P[` or `P:` with a process type P comes next; `@` has no other use.
    pub(super) fn at_remote(&self) -> bool {
        let Some(Kind::Raw(next)) = self.second().map(|next| next.kind) else { return false };
        match next {
            Raw::At => true,
            Raw::OpenBracket | Raw::Colon => self.is_process(self.text_here()),
            _ => false,
        }
    }

    /// Returns `true` for the name of an earlier process type, or, in a formula, of any.
    fn is_process(&self, name: &str) -> bool {
        self.processes.contains(name) || (self.in_formula && self.all_processes.contains(name))
    }

    /// `P[n]@label`, `P[n]:x`, or without `[n]`.
    fn remote(&mut self, start: Span) -> Parsed<Expression> {
        let process = self.name("a process type")?;
        if !self.is_process(&process.text) && !self.model.opaque_names.contains(&process.text) {
            let message = format!("there is no process type `{}` before this", process.text);
            self.error(codes::UNKNOWN_PROCESS, process.span, message);
        }
        let mut number = None;
        if self.at(Raw::OpenBracket) {
            self.open(Raw::OpenBracket, "`[`")?;
            number = Some(self.expression()?);
            self.close(Raw::CloseBracket, "`]`")?;
        }
        let part = if self.eat(Raw::At) {
            RemotePart::Label(self.name("a label")?)
        } else {
            self.expect(Raw::Colon, "`@` or `:`")?;
            RemotePart::Variable(self.variable()?)
        };
        let inside = if let RemotePart::Variable(variable) = &part { indices_height(variable) } else { 0 };
        let height = number.as_ref().map_or(0, |number| number.height).max(inside);
        let remote = Box::new(Remote { process, number, part });
        self.node(ExpressionKind::Remote(remote), self.since(start), height)
    }

    /// Parses the rest of an operand that begins with a variable: `x`, `c?[a]`, `c??[a]`.
    pub(super) fn variable_or_poll(&mut self, channel: Variable) -> Parsed<Expression> {
        let random = self.at(Raw::RandomReceive);
        if (random || self.at(Raw::Question)) && self.next_is(Raw::OpenBracket) {
            self.bump();
            self.open(Raw::OpenBracket, "`[`")?;
            let patterns = self.patterns()?;
            self.close(Raw::CloseBracket, "`,` or `]`")?;
            let inside = patterns.iter().map(super::message::pattern_height).max().unwrap_or(0);
            let (span, height) = (self.since(channel.span), indices_height(&channel).max(inside));
            let channel = Box::new(channel);
            return self.node(ExpressionKind::Poll { channel, random, patterns }, span, height);
        }
        let (span, height) = (channel.span, indices_height(&channel));
        self.node(ExpressionKind::Variable(channel), span, height)
    }

    /// `x`, `x[e]`, `x[e].f.g[e]`
    pub(super) fn variable(&mut self) -> Parsed<Variable> {
        let name = self.name("a variable")?;
        let index = self.index()?;
        let mut fields = Vec::new();
        while self.eat(Raw::Dot) {
            let name = self.name("the name of a field")?;
            fields.push(Field { name, index: self.index()? });
        }
        let span = self.since(name.span);
        Ok(Variable { name, index, fields, span })
    }

    /// Parses an optional `[e]`.
    fn index(&mut self) -> Parsed<Option<Box<Expression>>> {
        if !self.at(Raw::OpenBracket) || (self.in_formula && self.next_is(Raw::CloseBracket)) {
            return Ok(None);
        }
        self.open(Raw::OpenBracket, "`[`")?;
        let index = self.expression()?;
        self.close(Raw::CloseBracket, "`]`")?;
        Ok(Some(Box::new(index)))
    }

    /// Reads a number, truncated to 32 bits as in Promela.
    pub(super) fn number(&mut self) -> i64 {
        let token = self.token();
        let digits = self.sources.text(token.text);
        let value: i64 = digits.parse().unwrap_or(i64::MAX);
        #[allow(clippy::cast_possible_truncation, reason = "truncation is what is meant")]
        let stored = i64::from(value as i32);
        if stored != value {
            let message = format!("`{digits}` does not fit into 32 bits and is read as {stored}");
            self.diagnostics.push(Diagnostic::warning(codes::BIG_NUMBER, token.span, message));
        }
        self.bump();
        stored
    }

    /// Reads a character constant.
    pub(super) fn character(&mut self) -> i64 {
        let text = self.text_here();
        let mut characters = text.chars().skip(1);
        let first = characters.next().unwrap_or_default();
        let value = match (first, characters.next()) {
            ('\\', Some('n')) => '\n',
            ('\\', Some('r')) => '\r',
            ('\\', Some('t')) => '\t',
            ('\\', Some('f')) => '\x0c',
            ('\\', Some(other)) => other,
            (other, _) => other,
        };
        self.bump();
        i64::from(u32::from(value))
    }
}

/// Greatest height of an index in a variable.
pub(super) fn indices_height(variable: &Variable) -> u32 {
    variable.indices().map(|index| index.height).max().unwrap_or(0)
}
