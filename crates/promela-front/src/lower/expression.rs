//! Lowers expressions and places.

use cfsm_core::program::{Binary, Expression, Place, Type, Unary, VariableRef};
use cfsm_core::source::Span;

use super::Lowering;
use super::path::Reached;
use crate::ast::{self, ExpressionKind, Name, ObserverKind, Probe, Query};
use crate::codes;
use crate::resolve::{Entity, foreign};
use crate::stack::deep;
use cfsm_core::diagnostic::Diagnostic;

impl Lowering<'_> {
    /// Lowers a condition or an assigned value, in which `full` and the like are allowed under `&&`
    /// and `||`.
    pub(super) fn full_expression(&mut self, expression: &ast::Expression) -> Expression {
        self.probes = true;
        let lowered = self.expression(expression);
        self.probes = false;
        lowered
    }

    /// Lowers an expression. After an error the result is arbitrary, since no program is produced.
    pub(super) fn expression(&mut self, expression: &ast::Expression) -> Expression {
        deep(|| self.lowered(expression))
    }

    fn lowered(&mut self, expression: &ast::Expression) -> Expression {
        let probes = std::mem::replace(&mut self.probes, false);
        match &*expression.kind {
            ExpressionKind::Number(value) => Expression::Constant(*value),
            ExpressionKind::Variable(variable) => self.read(variable),
            ExpressionKind::Unary(operator, operand) => {
                if *operator != Unary::Not {
                    self.check_number(operand);
                }
                Expression::Unary(*operator, Box::new(self.expression(operand)))
            }
            ExpressionKind::Binary(operator, left, right) => {
                if operator.is_arithmetic() {
                    self.check_number(left);
                    self.check_number(right);
                }
                let probes = probes && matches!(operator, Binary::And | Binary::Or);
                self.probes = probes;
                let left = Box::new(self.expression(left));
                self.probes = probes;
                Expression::Binary(*operator, left, Box::new(self.expression(right)))
            }
            ExpressionKind::Conditional(condition, then, otherwise) => Expression::Conditional(
                Box::new(self.expression(condition)),
                Box::new(self.expression(then)),
                Box::new(self.expression(otherwise)),
            ),
            ExpressionKind::Run { .. } => {
                let message = "`run` stands alone, or alone at the right side of an assignment";
                self.error(codes::MISPLACED_RUN, expression.span, message);
                Expression::Constant(0)
            }
            ExpressionKind::Probe(probe, channel) => {
                if !probes {
                    self.check_probe(*probe, expression.span);
                }
                self.probe(*probe, channel)
            }
            ExpressionKind::Poll { channel, random, patterns } => {
                let patterns = self.poll_patterns(channel, patterns);
                let channel = Box::new(self.channel_read(channel));
                Expression::Poll { channel, patterns, random: *random }
            }
            ExpressionKind::Timeout => Expression::Timeout,
            ExpressionKind::NonProgress => self.non_progress(expression.span),
            ExpressionKind::Query(query, process) => self.query(*query, process, expression.span),
            ExpressionKind::Remote(remote) => self.remote(remote, expression.span),
            ExpressionKind::Code { guard, text } => {
                let guard = guard.as_ref().map_or_else(String::new, |guard| format!("[{}] ", guard.text));
                Expression::Opaque(format!("{guard}{}", text.text))
            }
            ExpressionKind::Temporal(..) | ExpressionKind::TemporalBinary(..) => {
                self.error(
                    codes::MISPLACED_STATEMENT,
                    expression.span,
                    "a temporal operator outside of `ltl`",
                );
                Expression::Constant(0)
            }
            ExpressionKind::Error => Expression::Constant(0),
        }
    }

    fn probe(&mut self, probe: Probe, channel: &ast::Variable) -> Expression {
        let channel = Box::new(self.channel_read(channel));
        let negated = |expression| Expression::Unary(Unary::Not, Box::new(expression));
        match probe {
            Probe::Length => Expression::Length(channel),
            Probe::Empty => Expression::Empty(channel),
            Probe::NotEmpty => negated(Expression::Empty(channel)),
            Probe::Full => Expression::Full(channel),
            Probe::NotFull => negated(Expression::Full(channel)),
        }
    }

    /// Reports a channel test at a place where Spin does not allow one, such as under a negation.
    fn check_probe(&mut self, probe: Probe, span: Span) {
        let (word, opposite) = match probe {
            Probe::Length => return,
            Probe::Empty => ("empty", "nempty"),
            Probe::NotEmpty => ("nempty", "empty"),
            Probe::Full => ("full", "nfull"),
            Probe::NotFull => ("nfull", "full"),
        };
        let message = format!("`{word}` can stand alone or under `&&` and `||` only");
        let diagnostic = Diagnostic::error(codes::MISPLACED_PROBE, span, message);
        self.diagnostics.push(diagnostic.with_hint(format!("its negation is `{opposite}`")));
    }

    /// Lowers `np_`, which is allowed in claims only.
    fn non_progress(&mut self, span: Span) -> Expression {
        if self.body.observer != Some(ObserverKind::Never) && !self.in_formula {
            self.error(codes::MISPLACED_STATEMENT, span, "`np_` can stand in a `never` claim only");
        }
        Expression::NonProgress
    }

    fn query(&mut self, query: Query, process: &ast::Expression, span: Span) -> Expression {
        let process = Box::new(self.expression(process));
        let word = match query {
            Query::Priority => return Expression::Priority(process),
            Query::Enabled => "enabled",
            Query::ProgramCounter => "pc_value",
        };
        if self.body.observer.is_none() && !self.in_formula {
            let message = format!("`{word}` outside of a `never` claim");
            self.diagnostics.push(Diagnostic::warning(codes::MISPLACED_STATEMENT, span, message));
        }
        match query {
            Query::Enabled => Expression::Enabled(process),
            Query::ProgramCounter | Query::Priority => Expression::ProgramCounter(process),
        }
    }

    /// Lowers a name in an expression.
    fn read(&mut self, variable: &ast::Variable) -> Expression {
        if variable.is_name() {
            match &*variable.name.text {
                "_pid" => return self.number_of_process(),
                "_nr_pr" => return Expression::ProcessCount,
                "_last" => return Expression::Last,
                "_priority" => return Expression::Priority(Box::new(Expression::Pid)),
                "_" => {
                    self.error(codes::NOT_A_VALUE, variable.span, "`_` has no value");
                    return Expression::Constant(0);
                }
                _ => {}
            }
        }
        if let Some(Entity::Constant(_, value)) =
            self.names.find(&variable.name.text).map(|found| found.entity)
        {
            if variable.index.is_some() {
                self.error(codes::INDEX_MISMATCH, variable.span, "a constant is no array");
            }
            return Expression::Constant(value);
        }
        match self.reach(variable) {
            Some(Reached::Place(place)) => Expression::Read(place),
            Some(Reached::Record(_)) => {
                self.record_as_value(variable);
                Expression::Constant(0)
            }
            None => Expression::Constant(0),
        }
    }

    fn record_as_value(&mut self, variable: &ast::Variable) {
        let message = format!("`{}` is a record; only its fields have values", variable.path());
        self.error(codes::NOT_A_VALUE, variable.span, message);
    }

    /// The entity that a name denotes; `None` if it is unknown, which is reported once.
    pub(super) fn entity(&mut self, name: &Name) -> Option<Entity> {
        if let Some(declared) = self.names.find(&name.text) {
            return Some(declared.entity);
        }
        if self.model.incomplete || self.model.opaque_names.contains(&name.text) {
            return None;
        }
        let message = format!("`{}` is not declared", name.text);
        let diagnostic = Diagnostic::error(codes::UNKNOWN_NAME, name.span, message);
        let diagnostic = if self.names.processes.contains_key(&*name.text) {
            diagnostic.with_hint("it is a process type")
        } else if let Some(later) = self.names.declared_later(&name.text) {
            diagnostic.with_label(later, "it is declared here, behind its use")
        } else if let Some(hint) = foreign::instead_of(&name.text) {
            diagnostic.with_hint(hint)
        } else if let Some(close) = self.names.closest(&name.text) {
            diagnostic.with_hint(format!("did you mean `{close}`?"))
        } else {
            diagnostic
                .with_hint("declare it before its use: a variable, a channel, an `mtype` or a `#define`")
        };
        self.diagnostics.push(diagnostic);
        None
    }

    /// The place of a variable with its index; reports a mismatch of the two.
    pub(super) fn indexed(&mut self, id: VariableRef, variable: &ast::Variable) -> Place {
        let is_array = self.variable(id).length.is_some();
        if is_array != variable.index.is_some() {
            let name = &variable.name.text;
            let message =
                if is_array { format!("`{name}` needs an index") } else { format!("`{name}` is no array") };
            self.error(codes::INDEX_MISMATCH, variable.span, message);
        }
        let index = variable.index.as_ref().map(|index| Box::new(self.expression(index)));
        Place { variable: id, index: index.filter(|_| is_array) }
    }

    /// Lowers the target of an assignment or of a receive.
    pub(super) fn place(&mut self, variable: &ast::Variable) -> Option<Place> {
        let name = &*variable.name.text;
        if matches!(name, "_pid" | "_nr_pr" | "_last" | "_" | "_priority") {
            let message = format!("`{name}` cannot be assigned to");
            self.error(codes::NOT_ASSIGNABLE, variable.span, message);
            return None;
        }
        if let Some(Entity::Constant(..)) = self.names.find(name).map(|found| found.entity) {
            let message = format!("`{name}` is a constant");
            self.error(codes::NOT_ASSIGNABLE, variable.span, message);
            return None;
        }
        match self.reach(variable)? {
            Reached::Place(place) => Some(place),
            Reached::Record(_) => {
                self.record_as_value(variable);
                None
            }
        }
    }

    /// The type of an expression that is a variable or a symbolic constant.
    pub(super) fn named_type(&self, expression: &ast::Expression) -> Option<Type> {
        let ExpressionKind::Variable(variable) = &*expression.kind else {
            return None;
        };
        match self.names.find(&variable.name.text)?.entity {
            Entity::Constant(set, _) => Some(Type::Symbol(set)),
            _ => self.scalar_of(variable).map(|id| self.type_of(id)),
        }
    }
}
