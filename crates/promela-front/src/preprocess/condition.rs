//! Evaluates conditions of `#if`: constant expressions of C, in 64-bit arithmetic.

use super::Preprocessor;
use super::constant::{Value, character, number};
use super::item::{Item, Pad, Stamp};
use super::names::Symbol;
use crate::lexer::Raw;

/// A pending operator with its left operand.
#[derive(Clone, Copy, Debug)]
struct Waiting {
    operator: Operator,
    /// The left operand; unused for a prefix operator.
    left: Value,
    /// Number of enclosing operators that make the value irrelevant, as in `0 && here`.
    skipped: usize,
}

/// Pending operators and brackets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operator {
    Parenthesis,
    Prefix(Raw),
    Binary(Raw),
    /// `?` before its `:`; [`Else`](Self::Else) is `? :` with the value of its condition.
    If,
    Else(bool),
}

/// State of the evaluation of an expression.
struct Evaluation {
    waiting: Vec<Waiting>,
    /// The latest value, if an operator should follow.
    value: Option<Value>,
    skipped: usize,
}

type Result<T> = std::result::Result<T, String>;

impl Operator {
    /// Precedence of an operator; greater binds more tightly.
    const fn strength(self) -> u8 {
        match self {
            Self::Parenthesis => 0,
            Self::If | Self::Else(_) => 2,
            Self::Prefix(_) => 20,
            Self::Binary(raw) => match raw {
                Raw::Comma => 1,
                Raw::OrOr => 4,
                Raw::AndAnd => 5,
                Raw::Or => 6,
                Raw::Caret => 7,
                Raw::And => 8,
                Raw::Equal | Raw::NotEqual => 9,
                Raw::Less | Raw::LessEqual | Raw::Greater | Raw::GreaterEqual => 10,
                Raw::ShiftLeft | Raw::ShiftRight => 11,
                Raw::Plus | Raw::Minus => 12,
                _ => 13,
            },
        }
    }
}

const fn is_binary(raw: Raw) -> bool {
    matches!(
        raw,
        Raw::Comma
            | Raw::OrOr
            | Raw::AndAnd
            | Raw::Or
            | Raw::Caret
            | Raw::And
            | Raw::Equal
            | Raw::NotEqual
            | Raw::Less
            | Raw::LessEqual
            | Raw::Greater
            | Raw::GreaterEqual
            | Raw::ShiftLeft
            | Raw::ShiftRight
            | Raw::Plus
            | Raw::Minus
            | Raw::Star
            | Raw::Slash
            | Raw::Percent
    )
}

impl Evaluation {
    /// Processes one token. Constant time, apart from the operators that it completes.
    fn token(&mut self, raw: Option<Raw>, letters: &str) -> Result<()> {
        let Some(raw) = raw else { return Err(format!("`{letters}` cannot stand in a condition")) };
        if self.value.is_none() {
            let value = match raw {
                Raw::Number | Raw::CNumber => number(letters)?,
                Raw::Character => character(letters)?,
                // An identifier that is not a macro is 0.
                Raw::Identifier => Value::signed(0),
                Raw::OpenParen => return self.wait(Operator::Parenthesis, Value::signed(0)),
                Raw::Plus | Raw::Minus | Raw::Bang | Raw::Tilde => {
                    return self.wait(Operator::Prefix(raw), Value::signed(0));
                }
                _ => return Err(format!("a value should stand before `{letters}`")),
            };
            self.value = Some(value);
            return Ok(());
        }
        match raw {
            Raw::CloseParen => {
                self.reduce(1)?;
                match self.waiting.pop() {
                    Some(Waiting { operator: Operator::Parenthesis, .. }) => Ok(()),
                    _ => Err("`)` without `(`".into()),
                }
            }
            Raw::Question => {
                self.reduce(3)?;
                let left = self.take()?;
                self.wait(Operator::If, left)?;
                self.skipped += usize::from(!left.is_true());
                Ok(())
            }
            Raw::Colon => {
                // Between `?` and `:` even a comma is allowed.
                self.reduce(1)?;
                let first = self.take()?;
                match self.waiting.pop() {
                    Some(Waiting { operator: Operator::If, left, skipped }) => {
                        self.skipped = skipped;
                        self.wait(Operator::Else(left.is_true()), first)?;
                        self.skipped += usize::from(left.is_true());
                        Ok(())
                    }
                    _ => Err("`:` without `?`".into()),
                }
            }
            raw if is_binary(raw) => {
                let operator = Operator::Binary(raw);
                self.reduce(operator.strength())?;
                let left = self.take()?;
                self.wait(operator, left)?;
                let decided = (raw == Raw::AndAnd && !left.is_true()) || (raw == Raw::OrOr && left.is_true());
                self.skipped += usize::from(decided);
                Ok(())
            }
            _ => Err(format!("an operator should stand before `{letters}`")),
        }
    }

    fn take(&mut self) -> Result<Value> {
        self.value.take().ok_or_else(|| "a value is missing".into())
    }

    fn wait(&mut self, operator: Operator, left: Value) -> Result<()> {
        self.waiting.push(Waiting { operator, left, skipped: self.skipped });
        Ok(())
    }

    /// Evaluates the pending operators that bind at least as strongly as the next one.
    fn reduce(&mut self, strength: u8) -> Result<()> {
        while let Some(waiting) = self.waiting.last().copied() {
            // `a ? b : c ? d : e` is right-associative; an `If` ends with its `:` only.
            let right = waiting.operator == Operator::If || waiting.operator == Operator::Parenthesis;
            if right || waiting.operator.strength() < strength {
                return Ok(());
            }
            self.waiting.pop();
            let value = self.take()?;
            self.skipped = waiting.skipped;
            self.value = Some(match waiting.operator {
                Operator::Prefix(raw) => value.prefix(raw),
                Operator::Binary(raw) => waiting.left.binary(raw, value, self.skipped > 0)?,
                Operator::Else(first) => waiting.left.either(value, first),
                Operator::If | Operator::Parenthesis => value,
            });
        }
        Ok(())
    }

    fn end(mut self) -> Result<bool> {
        if self.value.is_none() {
            return Err("a value is missing at the end".into());
        }
        self.reduce(1)?;
        match self.waiting.last().map(|waiting| waiting.operator) {
            None => Ok(self.take()?.is_true()),
            Some(Operator::If) => Err("`?` without `:`".into()),
            Some(_) => Err("`(` without `)`".into()),
        }
    }
}

impl Preprocessor<'_> {
    /// The value of a condition, or an error message. Time linear in its expansion.
    pub(super) fn evaluate(&mut self, items: Vec<Item>) -> Result<bool> {
        if items.is_empty() {
            return Err("the condition is missing".into());
        }
        self.in_condition = true;
        self.bad_defined = false;
        let items = self.expand_list(items);
        self.in_condition = false;
        if std::mem::take(&mut self.bad_defined) {
            return Err("`defined` needs the name of a macro".into());
        }
        let mut evaluation = Evaluation { waiting: Vec::new(), value: None, skipped: 0 };
        for item in items.iter().filter(|item| !item.reported) {
            evaluation.token(item.raw.ok(), self.letters.get(item.text))?;
        }
        evaluation.end()
    }

    /// Evaluates `defined X` or `defined(X)`, of which the word was read.
    pub(super) fn defined(&mut self, word: Item) {
        let mut next = self.next_item();
        let open = next.is_some_and(|item| item.raw == Ok(Raw::OpenParen));
        if open {
            next = self.next_item();
        }
        let Some(name) = next.filter(|item| item.symbol != Symbol::NONE) else {
            self.bad_defined = true;
            return;
        };
        if open && self.next_item().is_none_or(|item| item.raw != Ok(Raw::CloseParen)) {
            self.bad_defined = true;
            return;
        }
        let letters = if self.names.is_macro(name.symbol) { "1" } else { "0" };
        let stamp = Stamp { span: word.span, line: word.line, through: word.through };
        self.pad = Pad::None;
        for item in self.make_up(letters, stamp) {
            self.emit(item);
        }
    }
}
