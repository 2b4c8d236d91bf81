//! Prints expressions with as few parentheses as the same tree needs.

use cfsm_core::program::{Binary, Unary};

use super::{Printer, RED_ZONE, STACK_PIECE};
use crate::ast::{
    Expression, ExpressionKind, Pattern, Probe, Query, Remote, RemotePart, Temporal, TemporalBinary, Text,
    Variable,
};
use crate::parser::{LONG_CHAIN, Operator, is_associative, precedence};

impl Printer {
    pub(super) fn expression(&mut self, expression: &Expression) {
        stacker::maybe_grow(RED_ZONE, STACK_PIECE, || self.kind(&expression.kind));
    }

    fn kind(&mut self, kind: &ExpressionKind) {
        match kind {
            ExpressionKind::Number(value) => self.constant(*value),
            ExpressionKind::Variable(variable) => self.variable(variable),
            ExpressionKind::Unary(operator, operand) => {
                self.push(match operator {
                    Unary::Negate => "-",
                    Unary::Not => "!",
                    Unary::Complement => "~",
                });
                self.operand(operand);
            }
            ExpressionKind::Temporal(operator, operand) => {
                self.push(match operator {
                    Temporal::Always => "[] ",
                    Temporal::Eventually => "<> ",
                    Temporal::Next => "X ",
                });
                self.operand(operand);
            }
            ExpressionKind::Binary(operator, left, right) => {
                self.binary(Operator::Value(*operator), left, right);
            }
            ExpressionKind::TemporalBinary(operator, left, right) => {
                self.binary(Operator::Temporal(*operator), left, right);
            }
            ExpressionKind::Conditional(condition, then, otherwise) => {
                self.push("(");
                self.expression(condition);
                self.push(" -> ");
                self.expression(then);
                self.push(" : ");
                self.expression(otherwise);
                self.push(")");
            }
            kind => self.leaf(kind),
        }
    }

    fn leaf(&mut self, kind: &ExpressionKind) {
        match kind {
            ExpressionKind::Run { process, arguments, priority } => {
                self.push("run ");
                self.push(&process.text);
                self.push("(");
                self.list(arguments, ", ", Self::expression);
                self.push(")");
                self.priority(*priority);
            }
            ExpressionKind::Probe(probe, channel) => {
                self.push(match probe {
                    Probe::Length => "len(",
                    Probe::Empty => "empty(",
                    Probe::NotEmpty => "nempty(",
                    Probe::Full => "full(",
                    Probe::NotFull => "nfull(",
                });
                self.variable(channel);
                self.push(")");
            }
            ExpressionKind::Poll { channel, random, patterns } => {
                self.variable(channel);
                self.push(if *random { "??[" } else { "?[" });
                self.list(patterns, ", ", Self::pattern);
                self.push("]");
            }
            ExpressionKind::Timeout => self.push("timeout"),
            ExpressionKind::NonProgress => self.push("np_"),
            ExpressionKind::Query(query, process) => {
                self.push(match query {
                    Query::Enabled => "enabled(",
                    Query::ProgramCounter => "pc_value(",
                    Query::Priority => "get_priority(",
                });
                self.expression(process);
                self.push(")");
            }
            ExpressionKind::Remote(remote) => self.remote(remote),
            ExpressionKind::Code { guard, text } => self.code("c_expr", guard.as_ref(), text),
            // In a tree without errors, all other kinds were handled before.
            _ => self.push("/* unreadable */"),
        }
    }

    /// A number in the place of an expression: 32 bits of it, without a sign.
    pub(super) fn constant(&mut self, value: i64) {
        let shown = if value < 0 { value & 0xffff_ffff } else { value };
        self.number(shown);
    }

    /// Puts an expression in parentheses unless it is an operand by itself; two consecutive signs
    /// could form another token.
    fn operand(&mut self, operand: &Expression) {
        let signed = matches!(&*operand.kind, ExpressionKind::Unary(..) | ExpressionKind::Temporal(..));
        self.push(if signed { " " } else { "" });
        self.enclosed(operand, operator_of(operand).is_some());
    }

    fn enclosed(&mut self, expression: &Expression, parentheses: bool) {
        self.push(if parentheses { "(" } else { "" });
        self.expression(expression);
        self.push(if parentheses { ")" } else { "" });
    }

    fn binary(&mut self, operator: Operator, left: &Expression, right: &Expression) {
        let binding = precedence(operator);
        let looser = |operand: &Expression, least: u8| {
            operator_of(operand).is_some_and(|found| precedence(found) < least)
        };
        // A chain that is now long enough to be balanced was not balanced before.
        let chain = is_associative(operator) && operands(left, operator) >= LONG_CHAIN;
        self.enclosed(left, chain || looser(left, binding));
        self.push(spelling(operator));
        self.enclosed(right, looser(right, binding + 1));
    }

    pub(super) fn variable(&mut self, variable: &Variable) {
        self.push(&variable.name.text);
        self.index(variable.index.as_deref());
        for field in &variable.fields {
            self.push(".");
            self.push(&field.name.text);
            self.index(field.index.as_deref());
        }
    }

    fn index(&mut self, index: Option<&Expression>) {
        if let Some(index) = index {
            self.push("[");
            self.expression(index);
            self.push("]");
        }
    }

    fn remote(&mut self, remote: &Remote) {
        self.push(&remote.process.text);
        self.index(remote.number.as_ref());
        match &remote.part {
            RemotePart::Label(label) => {
                self.push("@");
                self.push(&label.text);
            }
            RemotePart::Variable(variable) => {
                self.push(":");
                self.variable(variable);
            }
        }
    }

    pub(super) fn pattern(&mut self, pattern: &Pattern) {
        match pattern {
            Pattern::Variable(variable) => self.variable(variable),
            Pattern::Number(number) if number.value > i64::from(i32::MAX) => {
                // The least integer: its digits after the sign are read as its own negation.
                self.push("-");
                self.number(number.value);
            }
            Pattern::Number(number) if number.value == i64::from(i32::MIN) => self.constant(number.value),
            Pattern::Number(number) => self.number(number.value),
            Pattern::Eval(value, _) => {
                self.push("eval(");
                self.expression(value);
                self.push(")");
            }
            Pattern::Error(_) => self.push("/* unreadable */"),
        }
    }

    pub(super) fn code(&mut self, word: &str, guard: Option<&Text>, text: &Text) {
        self.push(word);
        self.push(" ");
        if let Some(guard) = guard {
            self.push("[");
            self.push(&guard.text);
            self.push("] ");
        }
        self.braced(text);
    }
}

fn operator_of(expression: &Expression) -> Option<Operator> {
    match &*expression.kind {
        ExpressionKind::Binary(operator, ..) => Some(Operator::Value(*operator)),
        ExpressionKind::TemporalBinary(operator, ..) => Some(Operator::Temporal(*operator)),
        _ => None,
    }
}

/// Number of operands in a row at the left of a chain of one operator, up to the limit of short
/// chains.
fn operands(expression: &Expression, operator: Operator) -> usize {
    let (mut count, mut at) = (1, expression);
    while operator_of(at) == Some(operator) && count < LONG_CHAIN {
        let (ExpressionKind::Binary(_, left, _) | ExpressionKind::TemporalBinary(_, left, _)) = &*at.kind
        else {
            break;
        };
        count += 1;
        at = left;
    }
    count
}

const fn spelling(operator: Operator) -> &'static str {
    match operator {
        Operator::Temporal(TemporalBinary::Implies) => " -> ",
        Operator::Temporal(TemporalBinary::Equivalent) => " <-> ",
        Operator::Temporal(TemporalBinary::Until) => " U ",
        Operator::Temporal(TemporalBinary::WeakUntil) => " W ",
        Operator::Temporal(TemporalBinary::Release) => " V ",
        Operator::Value(operator) => match operator {
            Binary::Add => " + ",
            Binary::Subtract => " - ",
            Binary::Multiply => " * ",
            Binary::Divide => " / ",
            Binary::Remainder => " % ",
            Binary::BitAnd => " & ",
            Binary::BitOr => " | ",
            Binary::BitXor => " ^ ",
            Binary::ShiftLeft => " << ",
            Binary::ShiftRight => " >> ",
            Binary::Equal => " == ",
            Binary::NotEqual => " != ",
            Binary::Less => " < ",
            Binary::LessEqual => " <= ",
            Binary::Greater => " > ",
            Binary::GreaterEqual => " >= ",
            Binary::And => " && ",
            Binary::Or => " || ",
        },
    }
}
