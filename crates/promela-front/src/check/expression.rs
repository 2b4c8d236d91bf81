//! Type check of expressions: the abstract values that they evaluate to. Recursion is as deep as
//! the expression.

use cfsm_core::program::{Binary, Unary};
use cfsm_core::source::Span;

use super::constant::fold;
use super::fit::{Misfit, Value};
use super::message::{Direction, Part};
use super::network::{Step, Way};
use super::scope::Entity;
use super::types::{Kind, Ty};
use super::{Checker, Place};
use crate::ast::{Expression, ExpressionKind, Name, Pattern, Remote, RemotePart, Variable};
use crate::codes;
use cfsm_core::diagnostic::Label;

/// An operand of a binary operator: its abstract value and its place in the text.
#[derive(Clone, Copy)]
struct Operand<'m> {
    value: Value<'m>,
    span: Span,
}

impl<'m> Checker<'m> {
    /// The abstract value of an expression.
    pub(super) fn expression(&mut self, expression: &'m Expression) -> Value<'m> {
        stacker::maybe_grow(64 << 10, 1 << 20, || self.value(expression))
    }

    fn value(&mut self, expression: &'m Expression) -> Value<'m> {
        match &*expression.kind {
            ExpressionKind::Number(value) => Value::Constant(*value),
            ExpressionKind::Variable(variable) => self.read(variable),
            ExpressionKind::Unary(operator, operand) => {
                let value = self.expression(operand);
                if *operator != Unary::Not {
                    self.operand(value, operand.span);
                }
                fold(expression).map_or(Value::Computed, Value::Constant)
            }
            ExpressionKind::Binary(operator, left, right) => {
                let left = Operand { value: self.expression(left), span: left.span };
                let right = Operand { value: self.expression(right), span: right.span };
                self.binary(*operator, left, right);
                fold(expression).map_or(Value::Computed, Value::Constant)
            }
            ExpressionKind::Conditional(condition, then, otherwise) => {
                self.expression(condition);
                let then = self.expression(then);
                let otherwise = self.expression(otherwise);
                self.either(then, otherwise, expression.span)
            }
            ExpressionKind::Run { process, arguments, .. } => {
                self.run(process, arguments);
                Value::Computed
            }
            ExpressionKind::Probe(_, channel) => {
                self.place(channel);
                Value::Computed
            }
            ExpressionKind::Poll { channel, patterns, .. } => {
                let parts = self.patterns(patterns);
                self.message(channel, parts, Direction::Poll, expression.span);
                Value::Computed
            }
            ExpressionKind::Query(_, process) => {
                self.expression(process);
                Value::Computed
            }
            ExpressionKind::Remote(remote) => {
                self.remote(remote);
                Value::Unknown
            }
            ExpressionKind::Code { guard, text } => {
                self.has_code = true;
                guard.iter().chain([text]).for_each(|text| self.mention_words(&text.text));
                Value::Unknown
            }
            ExpressionKind::Temporal(_, operand) => {
                self.expression(operand);
                Value::Computed
            }
            ExpressionKind::TemporalBinary(_, left, right) => {
                self.expression(left);
                self.expression(right);
                Value::Computed
            }
            ExpressionKind::Timeout | ExpressionKind::NonProgress => Value::Computed,
            ExpressionKind::Error => Value::Unknown,
        }
    }

    /// The abstract value of a name.
    fn read(&mut self, variable: &'m Variable) -> Value<'m> {
        match &*variable.name.text {
            "_pid" => return Value::Variable(Kind::Pid, "_pid"),
            "_nr_pr" | "_last" | "_priority" => return Value::Computed,
            _ => {}
        }
        if let Some(Entity::Symbol(set)) = self.scopes.find(&variable.name.text) {
            return Value::Symbol(set, Some(&variable.name.text));
        }
        self.place(variable).map_or(Value::Unknown, Self::content)
    }

    /// The abstract value of the content of a place.
    pub(super) fn content(place: Place<'m>) -> Value<'m> {
        match place.ty {
            Ty::Number(kind) => Value::Variable(kind, place.name),
            Ty::Symbols(set) => Value::Symbol(set, None),
            Ty::Channel => Value::Channel(place.node),
            Ty::Record(record) => Value::Record(record, place.node),
            Ty::Unknown => Value::Unknown,
        }
    }

    /// The place that a variable denotes, if it is known. Marks the variable, and those in its
    /// indices, as used.
    pub(super) fn place(&mut self, variable: &'m Variable) -> Option<Place<'m>> {
        for index in variable.indices() {
            self.expression(index);
        }
        let Some(Entity::Variable(id)) = self.scopes.find(&variable.name.text) else { return None };
        self.scopes.mention(id);
        let mut place = self.place_of(id);
        for field in &variable.fields {
            let Ty::Record(record) = place.ty else { return None };
            let (position, _) = self.types.field(record, &field.name.text)?;
            place = Place { name: &field.name.text, ..self.part(place, position)? };
        }
        Some(place)
    }

    /// Checks the operands of a binary operator.
    fn binary(&mut self, operator: Binary, left: Operand<'m>, right: Operand<'m>) {
        match operator {
            Binary::And | Binary::Or => {}
            _ if operator.is_arithmetic() => {
                self.operand(left.value, left.span);
                self.operand(right.value, right.span);
            }
            _ => self.compared(left, right),
        }
    }

    /// Checks an operand of arithmetic.
    fn operand(&mut self, value: Value<'m>, span: Span) {
        if let Value::Symbol(..) = value {
            let message = format!("arithmetic with {}", self.types.describe(value));
            let misfit = Misfit::new(codes::SYMBOL_AS_NUMBER, message);
            self.report(span, misfit, Vec::new(), self.calls.first().copied());
        }
    }

    /// Checks the two sides of a comparison.
    fn compared(&mut self, left: Operand<'m>, right: Operand<'m>) {
        let (symbol, other, place, symbol_place) = match (left.value, right.value) {
            (Value::Symbol(set, _), other) => (set, other, right.span, left.span),
            (other, Value::Symbol(set, _)) => (set, other, left.span, right.span),
            _ => return,
        };
        if !matches!(other, Value::Symbol(..) | Value::Constant(_)) {
            return;
        }
        if let Some(misfit) = self.types.misfit(other, Ty::Symbols(symbol)) {
            let text = String::from("it is compared with this");
            let label = Label { span: symbol_place, text };
            self.report(place, misfit, vec![label], self.calls.first().copied());
        }
    }

    /// The abstract value of a conditional expression: one of two values.
    fn either(&mut self, one: Value<'m>, other: Value<'m>, span: Span) -> Value<'m> {
        match (one, other) {
            (Value::Channel(one), Value::Channel(other)) => {
                let node = self.network.node(None);
                for from in [one, other] {
                    self.network.step(Step { from, to: node, way: Way::Direct, span });
                }
                Value::Channel(node)
            }
            (Value::Channel(node), Value::Constant(0)) | (Value::Constant(0), Value::Channel(node)) => {
                Value::Channel(node)
            }
            (Value::Symbol(one, _), Value::Symbol(other, _)) if one == other => Value::Symbol(one, None),
            (one, other) if one == other => one,
            (
                Value::Constant(_) | Value::Variable(..) | Value::Computed,
                Value::Constant(_) | Value::Variable(..) | Value::Computed,
            ) => Value::Computed,
            _ => Value::Unknown,
        }
    }

    fn run(&mut self, process: &'m Name, arguments: &'m [Expression]) {
        self.mentioned.insert(&process.text);
        let parameters = self.processes.get(&*process.text).cloned().unwrap_or_default();
        for (position, argument) in arguments.iter().enumerate() {
            let value = self.expression(argument);
            if let Some(parameter) = parameters.get(position) {
                let target = self.place_of(*parameter);
                self.store(value, target, argument.span);
            }
        }
    }

    /// Marks the variables and labels of a remote reference as used.
    fn remote(&mut self, remote: &'m Remote) {
        self.mentioned.insert(&remote.process.text);
        if let Some(number) = &remote.number {
            self.expression(number);
        }
        if let RemotePart::Variable(variable) = &remote.part {
            self.mentioned.insert(&variable.name.text);
            for index in variable.indices() {
                self.expression(index);
            }
        }
    }

    /// The abstract fields of a receive or a poll.
    pub(super) fn patterns(&mut self, patterns: &'m [Pattern]) -> Vec<(Part<'m>, Span)> {
        patterns.iter().map(|pattern| (self.pattern(pattern), pattern.span())).collect()
    }

    fn pattern(&mut self, pattern: &'m Pattern) -> Part<'m> {
        match pattern {
            Pattern::Number(number) => Part::Value(Value::Constant(number.value)),
            Pattern::Eval(value, _) => Part::Value(self.expression(value)),
            Pattern::Error(_) => Part::Any,
            Pattern::Variable(variable) if *variable.name.text == *"_" => Part::Any,
            Pattern::Variable(variable) => match self.scopes.find(&variable.name.text) {
                Some(Entity::Symbol(set)) => Part::Value(Value::Symbol(set, Some(&variable.name.text))),
                _ => self.place(variable).map_or(Part::Any, Part::Store),
            },
        }
    }
}
