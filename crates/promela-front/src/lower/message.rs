//! Sends, receives and creations: where numbers of fields and arguments must agree.

use std::collections::BTreeSet;

use cfsm_core::program::{Action, ChannelShape, Expression, Initializer, Pattern, Place, Type};
use cfsm_core::source::Span;

use super::Lowering;
use crate::ast::{self, Name, Variable};
use crate::codes;
use crate::diagnostic::Diagnostic;
use crate::resolve::Entity;

impl Lowering<'_> {
    /// A variable as a channel.
    pub(super) fn channel_read(&mut self, channel: &Variable) -> Expression {
        match self.entity(&channel.name) {
            Some(Entity::Variable(id)) => {
                if self.type_of(id) != Type::Channel {
                    let message = format!("`{}` is no channel", channel.name.text);
                    let declared = self.variable(id).span;
                    self.diagnostics.push(
                        Diagnostic::error(codes::NOT_A_CHANNEL, channel.span, message)
                            .with_label(declared, "it is declared here"),
                    );
                }
                Expression::Read(self.indexed(id, channel))
            }
            Some(Entity::Constant(..)) => {
                let message = format!("`{}` is no channel", channel.name.text);
                self.error(codes::NOT_A_CHANNEL, channel.span, message);
                Expression::Constant(0)
            }
            Some(Entity::Opaque) | None => Expression::Constant(0),
        }
    }

    /// Capacity and fields of a channel that is made where it is declared, and the place of that.
    fn shape(&self, channel: &Variable) -> Option<(ChannelShape, Span)> {
        let Entity::Variable(id) = self.names.find(&channel.name.text)?.entity else {
            return None;
        };
        let variable = self.variable(id);
        match &variable.init {
            Initializer::NewChannel(shape) => Some((shape.clone(), variable.span)),
            _ => None,
        }
    }

    /// Compares the number of fields in a message with that of its channel. The statement keeps its
    /// number: at the time of the step the variable may refer to another channel.
    fn check_fields(&mut self, channel: &Variable, given: usize, span: Span) {
        let Some((shape, declared)) = self.shape(channel) else {
            return;
        };
        let wanted = shape.fields.len();
        let name = &channel.name.text;
        if given > wanted {
            let message = format!("the message has {given} fields, the channel `{name}` only {wanted}");
            self.diagnostics.push(
                Diagnostic::error(codes::MESSAGE_TOO_LONG, span, message)
                    .with_label(declared, "the channel is declared here"),
            );
        } else if given < wanted {
            let message = format!("{given} of the {wanted} fields of channel `{name}`");
            self.diagnostics.push(
                Diagnostic::warning(codes::MESSAGE_TOO_SHORT, span, message)
                    .with_label(declared, "the channel is declared here")
                    .with_hint("the rest is sent as 0, or received and dropped"),
            );
        }
    }

    pub(super) fn send(
        &mut self,
        channel: &Variable,
        sorted: bool,
        fields: &[ast::Expression],
        span: Span,
    ) -> Action {
        self.check_fields(channel, fields.len(), span);
        let fields = fields.iter().map(|field| self.expression(field)).collect();
        Action::Send { channel: self.channel_read(channel), fields, sorted }
    }

    pub(super) fn receive(
        &mut self,
        channel: &Variable,
        random: bool,
        patterns: &[ast::Pattern],
        span: Span,
    ) -> Action {
        let patterns = self.patterns(channel, patterns, span);
        Action::Receive { channel: self.channel_read(channel), patterns, random, peek: false }
    }

    /// The patterns of a poll, which stores nothing.
    pub(super) fn poll_patterns(&mut self, channel: &Variable, patterns: &[ast::Pattern]) -> Vec<Pattern> {
        let patterns = self.patterns(channel, patterns, channel.span);
        let without_store = |pattern| match pattern {
            Pattern::Store(_) => Pattern::Any,
            pattern => pattern,
        };
        patterns.into_iter().map(without_store).collect()
    }

    fn patterns(&mut self, channel: &Variable, patterns: &[ast::Pattern], span: Span) -> Vec<Pattern> {
        self.check_fields(channel, patterns.len(), span);
        let mut names = BTreeSet::new();
        for pattern in patterns {
            if let ast::Pattern::Variable(Variable { name, index: None, span }) = pattern
                && name.text != "_"
                && matches!(self.names.find(&name.text).map(|found| found.entity), Some(Entity::Variable(_)))
                && !names.insert(name.text.clone())
            {
                let message = format!("`{}` receives two fields of one message", name.text);
                self.error(codes::RECEIVED_TWICE, *span, message);
            }
        }
        patterns.iter().map(|pattern| self.pattern(pattern)).collect()
    }

    fn pattern(&mut self, pattern: &ast::Pattern) -> Pattern {
        match pattern {
            ast::Pattern::Number(value, _) => Pattern::Match(Expression::Constant(*value)),
            ast::Pattern::Eval(value, _) => Pattern::Match(self.expression(value)),
            ast::Pattern::Error(_) => Pattern::Any,
            ast::Pattern::Variable(variable) if variable.name.text == "_" => Pattern::Any,
            ast::Pattern::Variable(variable) => {
                if let Some(Entity::Constant(_, value)) =
                    self.names.find(&variable.name.text).map(|found| found.entity)
                {
                    return Pattern::Match(Expression::Constant(value));
                }
                self.place(variable).map_or(Pattern::Any, Pattern::Store)
            }
        }
    }

    /// `run P(a, b)`, its number stored in `result`.
    pub(super) fn create(
        &mut self,
        process: &Name,
        arguments: &[ast::Expression],
        result: Option<Place>,
        span: Span,
    ) -> Action {
        let lowered = arguments.iter().map(|argument| self.expression(argument)).collect();
        let Some(signature) = self.names.processes.get(&process.text).copied() else {
            if !self.model.incomplete && !self.model.opaque_names.contains(&process.text) {
                let hint = self.names.closest_process(&process.text);
                let hint = hint.map(|name| format!("did you mean `{name}`?"));
                let message = format!("there is no process type `{}`", process.text);
                let diagnostic = Diagnostic::error(codes::UNKNOWN_PROCESS, process.span, message);
                self.diagnostics.push(diagnostic.with_hint_if(hint));
            }
            return Action::Condition(Expression::Constant(1));
        };
        if signature.parameters != arguments.len() {
            let (given, wanted) = (arguments.len(), signature.parameters);
            let message = format!("{given} arguments for {wanted} parameters of `{}`", process.text);
            self.diagnostics.push(
                Diagnostic::error(codes::RUN_ARITY, span, message)
                    .with_label(signature.span, "the process type is declared here"),
            );
        }
        Action::Create { process_type: signature.id, arguments: lowered, result }
    }
}
