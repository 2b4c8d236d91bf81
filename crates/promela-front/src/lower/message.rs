//! Lowers sends, receives and creations, and checks the numbers of fields and arguments.

use std::collections::BTreeSet;

use cfsm_core::ids::Id;
use cfsm_core::program::{Action, ChannelShape, Expression, Initializer, Pattern, Place, Type};
use cfsm_core::source::Span;

use super::lengths::Access;
use super::path::Reached;
use super::{Lowering, Part, Run};
use crate::ast::{self, ExpressionKind, Name, Number, ObserverKind, Variable};
use crate::codes;
use crate::resolve::{Entity, Signature};
use cfsm_core::diagnostic::Diagnostic;

impl Lowering<'_> {
    /// Lowers a variable that is used as a channel.
    pub(super) fn channel_read(&mut self, channel: &Variable) -> Expression {
        let place = match self.reach(channel) {
            Some(Reached::Place(place)) if self.type_of(place.variable) == Type::Channel => place,
            Some(reached) => {
                let message = format!("`{}` is no channel", channel.path());
                let mut diagnostic = Diagnostic::error(codes::NOT_A_CHANNEL, channel.span, message);
                if let Reached::Place(Place { variable, .. }) = reached {
                    diagnostic = diagnostic.with_label(self.variable(variable).span, "it is declared here");
                }
                self.diagnostics.push(diagnostic);
                return Expression::Constant(0);
            }
            None => return Expression::Constant(0),
        };
        Expression::Read(place)
    }

    /// The shape of a channel that is created at its declaration, and the span of that.
    pub(super) fn shape(&self, channel: &Variable) -> Option<(ChannelShape, Span)> {
        let variable = self.variable(self.scalar_of(channel)?);
        match &variable.init {
            Initializer::NewChannel(shape) => Some((shape.clone(), variable.span)),
            _ => None,
        }
    }

    /// Returns `true` inside a `trace` or `notrace`.
    const fn watches(&self) -> bool {
        matches!(self.body.observer, Some(ObserverKind::Trace | ObserverKind::NoTrace))
    }

    pub(super) fn send(
        &mut self,
        channel: &Variable,
        sorted: bool,
        fields: &[ast::Expression],
        span: Span,
    ) -> Action {
        let (fields, access): (Vec<Expression>, Access) = if self.watches() {
            (fields.iter().map(|field| self.watched(field)).collect(), Access::Watch)
        } else {
            (self.values(fields), Access::Send)
        };
        self.check_fields(channel, fields.len(), span, access);
        Action::Send { channel: self.channel_read(channel), fields, sorted }
    }

    pub(super) fn receive(
        &mut self,
        channel: &Variable,
        random: bool,
        peek: bool,
        patterns: &[ast::Pattern],
        span: Span,
    ) -> Action {
        let access = match peek {
            _ if self.watches() => Access::Watch,
            true => Access::Look,
            false => Access::Receive,
        };
        let patterns = self.patterns(channel, patterns, span, access);
        Action::Receive { channel: self.channel_read(channel), patterns, random, peek }
    }

    /// Lowers a field of a message event of an observer: `_` is any value.
    fn watched(&mut self, field: &ast::Expression) -> Expression {
        match &*field.kind {
            ExpressionKind::Variable(variable) if *variable.name.text == *"_" => {
                Expression::Opaque(String::from("_"))
            }
            _ => self.expression(field),
        }
    }

    /// Lowers the values of a message or of arguments: a record yields one for each of its scalars.
    pub(super) fn values(&mut self, values: &[ast::Expression]) -> Vec<Expression> {
        let mut lowered = Vec::with_capacity(values.len());
        for value in values {
            if let ExpressionKind::Variable(variable) = &*value.kind
                && self.is_record(variable)
            {
                if let Some(Reached::Record(at)) = self.reach(variable) {
                    lowered.extend(self.expand(&at, variable.span).into_iter().map(Expression::Read));
                }
            } else {
                lowered.push(self.expression(value));
            }
        }
        lowered
    }

    /// Lowers the patterns of a poll, which stores nothing.
    pub(super) fn poll_patterns(&mut self, channel: &Variable, patterns: &[ast::Pattern]) -> Vec<Pattern> {
        let polling = std::mem::replace(&mut self.polling, true);
        let patterns = self.patterns(channel, patterns, channel.span, Access::Look);
        self.polling = polling;
        let without_store = |pattern| match pattern {
            Pattern::Store(_) => Pattern::Any,
            pattern => pattern,
        };
        patterns.into_iter().map(without_store).collect()
    }

    fn patterns(
        &mut self,
        channel: &Variable,
        patterns: &[ast::Pattern],
        span: Span,
        access: Access,
    ) -> Vec<Pattern> {
        let mut names = BTreeSet::new();
        for pattern in patterns {
            if let ast::Pattern::Variable(variable @ Variable { name, span, .. }) = pattern
                && variable.is_name()
                && *name.text != *"_"
                && matches!(self.names.find(&name.text).map(|found| found.entity), Some(Entity::Variable(_)))
                && !names.insert(name.text.clone())
            {
                let message = format!("`{}` receives two fields of one message", name.text);
                self.error(codes::RECEIVED_TWICE, *span, message);
            }
        }
        let mut lowered = Vec::with_capacity(patterns.len());
        for pattern in patterns {
            self.pattern(pattern, &mut lowered);
        }
        self.check_fields(channel, lowered.len(), span, access);
        lowered
    }

    fn pattern(&mut self, pattern: &ast::Pattern, lowered: &mut Vec<Pattern>) {
        lowered.push(match pattern {
            ast::Pattern::Number(number) => Pattern::Match(Expression::Constant(number.value)),
            ast::Pattern::Eval(value, _) => Pattern::Match(self.expression(value)),
            ast::Pattern::Error(_) => Pattern::Any,
            ast::Pattern::Variable(variable) if *variable.name.text == *"_" => Pattern::Any,
            ast::Pattern::Variable(variable) => {
                if let Some(pattern) = self.predefined_target(variable) {
                    lowered.push(pattern);
                    return;
                }
                if let Some(Entity::Constant(_, value)) =
                    self.names.find(&variable.name.text).map(|found| found.entity)
                {
                    lowered.push(Pattern::Match(Expression::Constant(value)));
                    return;
                }
                if self.is_record(variable) {
                    if let Some(Reached::Record(at)) = self.reach(variable) {
                        lowered.extend(self.expand(&at, variable.span).into_iter().map(Pattern::Store));
                    }
                    return;
                }
                self.place(variable).map_or(Pattern::Any, Pattern::Store)
            }
        });
    }

    /// Lowers `run P(a, b)`, with the number of the process stored in `result`.
    pub(super) fn create(
        &mut self,
        process: &Name,
        arguments: &[ast::Expression],
        priority: Option<Number>,
        result: Option<Place>,
        span: Span,
    ) -> Action {
        if self.body.graph.context.d_step.is_some() {
            let message = "`run` cannot stand inside `d_step`";
            self.diagnostics.push(
                Diagnostic::error(codes::MISPLACED_STATEMENT, span, message)
                    .with_hint("make it an `atomic`, or create the process before or behind it"),
            );
        }
        let lowered = self.values(arguments);
        let Some(signature) = self.process_type(process) else {
            return Action::Condition(Expression::Constant(1));
        };
        let symbols = arguments.iter().map(|argument| self.symbol_of(argument)).collect();
        self.runs.push(Run {
            callee: process.text.to_string(),
            id: signature.id,
            declared: signature.span,
            given: lowered.len(),
            // A record among the arguments shifts the others.
            symbols: if lowered.len() == arguments.len() { symbols } else { Vec::new() },
            span,
        });
        let priority =
            priority.and_then(|priority| self.priority(priority, 0)).filter(|priority| *priority > 0);
        Action::Create { process_type: signature.id, arguments: lowered, priority, result }
    }

    /// A process type by its name.
    pub(super) fn process_type(&mut self, process: &Name) -> Option<Signature> {
        if let Some(signature) = self.names.processes.get(&process.text) {
            return Some(*signature);
        }
        if !self.model.incomplete && !self.model.opaque_names.contains(&process.text) {
            let hint = self.names.closest_process(&process.text);
            let hint = hint.map(|name| format!("did you mean `{name}`?"));
            let message = format!("there is no process type `{}`", process.text);
            let diagnostic = Diagnostic::error(codes::UNKNOWN_PROCESS, process.span, message);
            self.diagnostics.push(diagnostic.with_hint_if(hint));
        }
        None
    }

    /// Checks a stated priority, which must lie in `least` to 255.
    pub(super) fn priority(&mut self, priority: Number, least: i64) -> Option<u8> {
        if priority.value < least || priority.value > 255 {
            let message = format!("a priority of {} is not in {least}..255", priority.value);
            self.error(codes::BAD_SIZE, priority.span, message);
            return None;
        }
        u8::try_from(priority.value).ok()
    }

    /// Checks the arguments of all `run`s, when all process types are known.
    pub(super) fn check_runs(&mut self, parts: &[Part]) {
        for run in std::mem::take(&mut self.runs) {
            let part = &parts[run.id.index()];
            let wanted = part.process.parameters;
            if run.given != wanted {
                let message = format!("{} arguments for {wanted} parameters of `{}`", run.given, run.callee);
                self.diagnostics.push(
                    Diagnostic::error(codes::RUN_ARITY, run.span, message)
                        .with_label(run.declared, "the process type is declared here"),
                );
            }
            for (symbol, parameter) in run.symbols.iter().zip(part.process.locals.values()) {
                if let Some((set, span)) = symbol
                    && let Type::Symbol(wanted) = parameter.ty
                    && wanted != *set
                {
                    self.symbol_mismatch(wanted, *set, *span, true);
                }
            }
        }
    }
}
