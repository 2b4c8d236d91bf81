//! Checks that reproduce those of Spin beyond the meaning of a text: channels in assigned values,
//! arrays as arguments of inlines, `else` beside message operations.

use std::collections::BTreeSet;
use std::sync::Arc;

use cfsm_core::program::{Binary, Type};
use cfsm_core::source::Span;

use super::Lowering;
use super::record::FieldKind;
use crate::ast::{Block, Expression, ExpressionKind, Name, Probe, Statement, StatementKind, Variable};
use crate::codes;
use crate::resolve::Entity;
use crate::stack::deep;
use cfsm_core::diagnostic::Diagnostic;

/// State of these checks.
#[derive(Debug, Default)]
pub(super) struct Minded {
    /// `true` if an `xr` or `xs` occurred.
    pub exclusive: bool,
    /// The `else` that were reported, so that one in an inline is reported once.
    dubious: BTreeSet<Span>,
    /// The channels in assigned values that were reported.
    channels: BTreeSet<Span>,
    /// The names of arrays in arguments that were reported.
    arrays: BTreeSet<Arc<str>>,
}

/// Use of a channel in a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Use {
    /// It stands alone, or as an index.
    Alone,
    /// It is an operand of arithmetic.
    Number,
    /// It is compared, negated, or chosen.
    Other,
}

impl Lowering<'_> {
    /// Reports a channel that is part of an assigned value and is neither all of it nor an index.
    /// Fields of records are not checked, as in Spin.
    pub(super) fn check_channels(&mut self, value: &Expression) {
        self.seek_channels(value, Use::Alone);
    }

    fn seek_channels(&mut self, value: &Expression, used: Use) {
        deep(|| match &*value.kind {
            ExpressionKind::Variable(variable) => {
                if used != Use::Alone
                    && variable.fields.is_empty()
                    && self.named_type(value) == Some(Type::Channel)
                {
                    self.channel_in_value(variable, used);
                }
                variable.indices().for_each(|index| self.seek_channels(index, Use::Alone));
            }
            ExpressionKind::Unary(operator, operand) => {
                let number = *operator != cfsm_core::program::Unary::Not;
                self.seek_channels(operand, if number { Use::Number } else { Use::Other });
            }
            ExpressionKind::Binary(operator, left, right) => {
                let used = if operator.is_arithmetic() { Use::Number } else { Use::Other };
                self.seek_channels(left, used);
                self.seek_channels(right, used);
            }
            ExpressionKind::Conditional(condition, then, otherwise) => {
                [condition, then, otherwise]
                    .into_iter()
                    .for_each(|part| self.seek_channels(part, Use::Other));
            }
            ExpressionKind::Query(_, process) => self.seek_channels(process, Use::Number),
            _ => {}
        });
    }

    fn channel_in_value(&mut self, variable: &Variable, used: Use) {
        let message = match used {
            Use::Number => String::from("a channel is used as a number"),
            _ => format!("`{}` is a channel, and only a part of what is assigned", variable.name.text),
        };
        let mut diagnostic = Diagnostic::error(codes::CHANNEL_AS_NUMBER, variable.span, message);
        if used == Use::Other {
            diagnostic = diagnostic.with_hint(
                "channels are compared in conditions only: `if :: c == d -> ... :: else -> ... fi`",
            );
        }
        self.minded.channels.insert(variable.span);
        self.diagnostics.push(diagnostic);
    }

    /// Reports a channel as an operand of arithmetic, unless it was reported in an assigned value.
    pub(super) fn check_number(&mut self, operand: &Expression) {
        if self.named_type(operand) != Some(Type::Channel) {
            return;
        }
        if self.minded.channels.insert(operand.span) {
            let message = "a channel is used as a number";
            self.diagnostics.push(Diagnostic::warning(codes::CHANNEL_AS_NUMBER, operand.span, message));
        }
    }

    /// Reports an argument of an inline that names an array without an index: Spin takes it for an
    /// expression.
    pub(super) fn check_arguments(&mut self, arguments: &[Expression]) {
        for argument in arguments {
            self.seek_arrays(argument);
        }
    }

    fn seek_arrays(&mut self, value: &Expression) {
        deep(|| match &*value.kind {
            ExpressionKind::Variable(variable) | ExpressionKind::Probe(_, variable) => {
                self.check_indices(variable);
            }
            ExpressionKind::Unary(_, operand) | ExpressionKind::Query(_, operand) => {
                self.seek_arrays(operand)
            }
            ExpressionKind::Binary(_, left, right) => {
                self.seek_arrays(left);
                self.seek_arrays(right);
            }
            ExpressionKind::Conditional(condition, then, otherwise) => {
                [condition, then, otherwise].into_iter().for_each(|part| self.seek_arrays(part));
            }
            _ => {}
        });
    }

    fn check_indices(&mut self, variable: &Variable) {
        variable.indices().for_each(|index| self.seek_arrays(index));
        let Some(found) = self.names.find(&variable.name.text) else { return };
        let (is_array, mut record) = match found.entity {
            Entity::Variable(id) => (self.variable(id).length.is_some(), None),
            Entity::Record(id) => (self.records[id].length.is_some(), Some(self.records[id].ty)),
            Entity::Constant(..) | Entity::Opaque => return,
        };
        if is_array && variable.index.is_none() {
            self.array_as_argument(&variable.name);
        }
        for field in &variable.fields {
            let Some(ty) = record else { return };
            let ty = &self.record_types[ty];
            let Some(position) = ty.by_name.get(&field.name.text) else { return };
            let known = &ty.fields[*position];
            record = match known.kind {
                FieldKind::Record(inner) => Some(inner),
                FieldKind::Scalar(..) | FieldKind::Opaque => None,
            };
            if known.length.is_some() && field.index.is_none() {
                self.array_as_argument(&field.name);
            }
        }
    }

    fn array_as_argument(&mut self, name: &Name) {
        let message = format!("`{}` needs an index: an argument of an inline is an expression", name.text);
        // An argument that is passed on was reported at its origin.
        if !self.minded.arrays.insert(Arc::clone(&name.text)) && !self.body.calls.is_empty() {
            return;
        }
        let hint =
            "to name the array itself, use a `#define` with parameters, or name it in the inline's body";
        self.diagnostics.push(Diagnostic::error(codes::INDEX_MISMATCH, name.span, message).with_hint(hint));
    }

    /// Reports a parameter of an inline with the name of an array, since Spin looks it up at the
    /// definition.
    pub(super) fn check_parameters(&mut self, parameters: &[Name]) {
        for parameter in parameters {
            let entity = self.names.find(&parameter.text).map(|found| (found.entity, found.span));
            let (is_array, declared) = match entity {
                Some((Entity::Variable(id), span)) => (self.variable(id).length.is_some(), span),
                Some((Entity::Record(id), span)) => (self.records[id].length.is_some(), span),
                _ => continue,
            };
            if is_array {
                let message = format!("the parameter `{}` has the name of an array", parameter.text);
                self.diagnostics.push(
                    Diagnostic::error(codes::INDEX_MISMATCH, parameter.span, message)
                        .with_label(declared, "the array is declared here")
                        .with_hint("give it another name: Spin takes it for the array without an index"),
                );
            }
        }
    }

    /// Reports an `else` of a selection beside a send, a receive or a channel test: an error if an
    /// `xr` or `xs` occurred before, as in Spin.
    pub(super) fn check_else(&mut self, options: &[Block]) {
        let mut firsts = options.iter().filter_map(first_step);
        let Some(other) = firsts.clone().find(|first| matches!(first.kind, StatementKind::Else)) else {
            return;
        };
        let Some(asked) = firsts.find(|first| asks_channel(&first.kind)) else { return };
        if !self.minded.dubious.insert(other.span) {
            return;
        }
        let diagnostic = if self.minded.exclusive {
            let message =
                "`else` beside a send, a receive or a question about a channel, with `xr` or `xs` before";
            Diagnostic::error(codes::DUBIOUS_ELSE, other.span, message)
        } else {
            let message = "`else` beside a send, a receive or a question about a channel: what others do to \
                           the channel decides";
            Diagnostic::warning(codes::DUBIOUS_ELSE, other.span, message)
        };
        self.diagnostics.push(diagnostic.with_label(asked.span, "here").with_hint(
            "Spin calls this dubious: say when, such as `:: full(c) -> ...` or `:: empty(c) -> ...`",
        ));
    }
}

/// The first statement of an option that is a step.
fn first_step(option: &Block) -> Option<&Statement> {
    option.statements.iter().find(|statement| !matches!(statement.kind, StatementKind::Exclusive { .. }))
}

/// Returns `true` if a statement sends, receives, or tests if a channel is full or empty. Blocks,
/// polls and `len` are not considered, as in Spin.
fn asks_channel(kind: &StatementKind) -> bool {
    match kind {
        StatementKind::Send { .. } | StatementKind::Receive { .. } => true,
        StatementKind::Expression(value)
        | StatementKind::Assign(_, value)
        | StatementKind::Assert(value)
        | StatementKind::Return(value) => probes(value),
        _ => false,
    }
}

/// Returns `true` if an expression contains `full` or the like, where these are allowed.
fn probes(value: &Expression) -> bool {
    match &*value.kind {
        ExpressionKind::Probe(probe, _) => *probe != Probe::Length,
        ExpressionKind::Binary(Binary::And | Binary::Or, left, right) => {
            deep(|| probes(left) || probes(right))
        }
        _ => false,
    }
}
