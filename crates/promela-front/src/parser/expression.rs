//! Expressions: precedence climbing with a loop per chain of operators, so that a long chain costs no
//! recursion.

use cfsm_core::program::{Binary, Unary};
use cfsm_core::source::Span;

use super::{Failed, Parsed, Parser};
use crate::ast::{Expression, ExpressionKind, Probe, Variable};
use crate::codes;
use crate::diagnostic::Diagnostic;
use crate::lexer::Raw;
use crate::token::{Kind, Word};

/// Chains of one associative operator with more operands than this hang balanced.
const LONG_CHAIN: usize = 32;

impl Parser<'_> {
    /// An expression.
    pub(super) fn expression(&mut self) -> Parsed<Expression> {
        self.nested(1, |parser| parser.operators(0))
    }

    /// Operands joined by operators that bind at least as tightly as `least`.
    fn operators(&mut self, least: u8) -> Parsed<Expression> {
        let mut left = self.operand()?;
        while let Some(operator) = binary_operator(self.kind()) {
            let binding = precedence(operator);
            if binding < least {
                break;
            }
            let mut chain = vec![left];
            while binary_operator(self.kind()) == Some(operator) {
                self.bump();
                chain.push(self.operators(binding + 1)?);
                if !is_associative(operator) {
                    break;
                }
            }
            left = self.join(operator, chain)?;
        }
        Ok(left)
    }

    /// One expression out of a chain of operands: from the left, or balanced if the chain is long.
    fn join(&mut self, operator: Binary, mut chain: Vec<Expression>) -> Parsed<Expression> {
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

    fn binary(&mut self, operator: Binary, left: Expression, right: Expression) -> Parsed<Expression> {
        let (span, height) = (left.span.to(right.span), left.height.max(right.height));
        self.node(ExpressionKind::Binary(operator, left, right), span, height)
    }

    /// A node above others, the highest of which has this height.
    fn node(&mut self, kind: ExpressionKind, span: Span, height: u32) -> Parsed<Expression> {
        if height as usize >= self.max_depth {
            return self.too_deep(span);
        }
        Ok(Expression { kind: Box::new(kind), span, height: height + 1 })
    }

    fn leaf(kind: ExpressionKind, span: Span) -> Expression {
        Expression { kind: Box::new(kind), span, height: 1 }
    }

    fn operand(&mut self) -> Parsed<Expression> {
        let start = self.here();
        let operator = match self.kind() {
            Kind::Raw(Raw::Bang) => Unary::Not,
            Kind::Raw(Raw::Minus) => Unary::Negate,
            Kind::Raw(Raw::Tilde) => Unary::Complement,
            _ => return self.primary(),
        };
        self.bump();
        let operand = self.nested(1, Self::operand)?;
        let (span, height) = (start.to(operand.span), operand.height);
        self.node(ExpressionKind::Unary(operator, operand), span, height)
    }

    fn primary(&mut self) -> Parsed<Expression> {
        let start = self.here();
        match self.kind() {
            Kind::Raw(Raw::OpenParen) => self.parenthesised(),
            Kind::Raw(Raw::Number) => Ok(Self::leaf(ExpressionKind::Number(self.number()), start)),
            Kind::Raw(Raw::Character) => Ok(Self::leaf(ExpressionKind::Number(self.character()), start)),
            Kind::Name => self.variable_or_poll(),
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
            Word::Len => return self.probe(Probe::Length, start),
            Word::Empty => return self.probe(Probe::Empty, start),
            Word::Nempty => return self.probe(Probe::NotEmpty, start),
            Word::Full => return self.probe(Probe::Full, start),
            Word::Nfull => return self.probe(Probe::NotFull, start),
            Word::Run => return self.run(start),
            Word::NonProgress => {
                self.error(codes::NOT_HANDLED, start, "not handled yet: `np_`");
                ExpressionKind::Error
            }
            Word::Enabled | Word::PcValue | Word::GetPriority | Word::CExpr => {
                let text = self.sources.text(self.token().text);
                self.error(codes::NOT_HANDLED, start, format!("not handled yet: `{text}`"));
                self.bump();
                if self.at(Raw::OpenBracket) {
                    self.skip_group();
                }
                self.skip_group();
                return Ok(Self::leaf(ExpressionKind::Error, self.since(start)));
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
        let height = index_height(&channel);
        self.node(ExpressionKind::Probe(probe, channel), self.since(start), height)
    }

    /// `run P(a, b)`
    fn run(&mut self, start: Span) -> Parsed<Expression> {
        self.bump();
        let process = self.name("the name of a process type")?;
        self.open(Raw::OpenParen, "`(`")?;
        let arguments = if self.at(Raw::CloseParen) { Vec::new() } else { self.expressions()? };
        self.close(Raw::CloseParen, "`,` or `)`")?;
        let span = self.since(start);
        if self.at_word(Word::Priority) {
            self.error(codes::NOT_HANDLED, self.here(), "not handled yet: `priority`");
            self.bump();
            if matches!(self.kind(), Kind::Raw(Raw::Number)) {
                self.bump();
            }
        }
        let height = arguments.iter().map(|argument| argument.height).max().unwrap_or(0);
        self.node(ExpressionKind::Run(process, arguments), span, height)
    }

    /// One or more expressions with commas between them.
    pub(super) fn expressions(&mut self) -> Parsed<Vec<Expression>> {
        let mut list = vec![self.expression()?];
        while self.eat(Raw::Comma) {
            list.push(self.expression()?);
        }
        Ok(list)
    }

    fn variable_or_poll(&mut self) -> Parsed<Expression> {
        let channel = self.variable()?;
        let random = self.at(Raw::RandomReceive);
        let next = self.tokens.get(self.position + 1).map(|token| token.kind);
        if (random || self.at(Raw::Question)) && next == Some(Kind::Raw(Raw::OpenBracket)) {
            self.bump();
            self.open(Raw::OpenBracket, "`[`")?;
            let patterns = self.patterns()?;
            self.close(Raw::CloseBracket, "`,` or `]`")?;
            let (span, height) = (self.since(channel.span), index_height(&channel));
            return self.node(ExpressionKind::Poll { channel, random, patterns }, span, height);
        }
        let (span, height) = (channel.span, index_height(&channel));
        self.node(ExpressionKind::Variable(channel), span, height)
    }

    /// `x` or `x[e]`
    pub(super) fn variable(&mut self) -> Parsed<Variable> {
        let name = self.name("a variable")?;
        let start = name.span;
        let mut index = None;
        if self.at(Raw::OpenBracket) {
            self.open(Raw::OpenBracket, "`[`")?;
            index = Some(Box::new(self.expression()?));
            self.close(Raw::CloseBracket, "`]`")?;
        }
        let span = self.since(start);
        if self.at(Raw::Dot) {
            self.field_access(span)?;
        }
        if self.at(Raw::At) || (self.at(Raw::Colon) && self.processes.contains(&name.text)) {
            self.bump();
            self.bump();
            return self.not_handled(self.since(start), "a remote reference");
        }
        Ok(Variable { name, index, span })
    }

    /// `.field`, any number of them: silent where a typedef was reported.
    fn field_access(&mut self, start: Span) -> Parsed<()> {
        while self.eat(Raw::Dot) {
            self.name("the name of a field")?;
            if self.at(Raw::OpenBracket) {
                self.open(Raw::OpenBracket, "`[`")?;
                self.expression()?;
                self.close(Raw::CloseBracket, "`]`")?;
            }
        }
        if self.model.opaque_names.is_empty() && !self.model.incomplete {
            self.error(codes::NOT_HANDLED, self.since(start), "not handled yet: fields of a typedef");
        }
        self.model.incomplete = true;
        Ok(())
    }

    /// The number here, as Promela reads it: 32 bits of it.
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

    /// The value of the character constant here.
    pub(super) fn character(&mut self) -> i64 {
        let text = self.sources.text(self.token().text);
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

fn index_height(variable: &Variable) -> u32 {
    variable.index.as_ref().map_or(0, |index| index.height)
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

/// How tightly an operator binds; all are left-associative.
const fn precedence(operator: Binary) -> u8 {
    match operator {
        Binary::Or => 0,
        Binary::And => 1,
        Binary::BitOr => 2,
        Binary::BitXor => 3,
        Binary::BitAnd => 4,
        Binary::Equal | Binary::NotEqual => 5,
        Binary::Less | Binary::LessEqual | Binary::Greater | Binary::GreaterEqual => 6,
        Binary::ShiftLeft | Binary::ShiftRight => 7,
        Binary::Add | Binary::Subtract => 8,
        Binary::Multiply | Binary::Divide | Binary::Remainder => 9,
    }
}

/// Whether operands may be grouped at will, their order kept: also where sums wrap, and where a
/// connective leaves out its right side.
const fn is_associative(operator: Binary) -> bool {
    matches!(
        operator,
        Binary::Or | Binary::And | Binary::BitOr | Binary::BitXor | Binary::BitAnd | Binary::Add
    )
}
