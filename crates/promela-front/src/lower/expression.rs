//! Expressions and places.

use cfsm_core::program::{Binary, Expression, Place, Type, Unary, VariableRef};
use cfsm_core::source::Span;

use super::Lowering;
use crate::ast::{self, ExpressionKind, Name, Probe, TypeName};
use crate::codes;
use crate::diagnostic::Diagnostic;
use crate::resolve::Entity;

impl Lowering<'_> {
    /// A condition or an assigned value: where `full` and its kin may stand, under `&&` and `||`.
    pub(super) fn full_expression(&mut self, expression: &ast::Expression) -> Expression {
        self.probes = true;
        let lowered = self.expression(expression);
        self.probes = false;
        lowered
    }

    /// What an expression means. After an error it is some expression: there will be no program.
    /// Recursion is as deep as the expression.
    pub(super) fn expression(&mut self, expression: &ast::Expression) -> Expression {
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
                if is_arithmetic(*operator) {
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
            ExpressionKind::Run(..) => {
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

    /// Says so if a probe stands where Spin does not allow one, such as under a negation.
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

    /// The value of a name.
    fn read(&mut self, variable: &ast::Variable) -> Expression {
        match (variable.name.text.as_str(), &variable.index) {
            ("_pid", None) => return Expression::Pid,
            ("_nr_pr", None) => return Expression::ProcessCount,
            ("_", None) => {
                self.error(codes::NOT_A_VALUE, variable.span, "`_` has no value");
                return Expression::Constant(0);
            }
            (name @ ("_last" | "_priority"), None) => {
                self.error(codes::NOT_HANDLED, variable.span, format!("not handled yet: `{name}`"));
                return Expression::Constant(0);
            }
            _ => {}
        }
        match self.entity(&variable.name) {
            Some(Entity::Constant(_, value)) => {
                if variable.index.is_some() {
                    self.error(codes::INDEX_MISMATCH, variable.span, "a constant is no array");
                }
                Expression::Constant(value)
            }
            Some(Entity::Variable(id)) => Expression::Read(self.indexed(id, variable)),
            Some(Entity::Opaque) | None => Expression::Constant(0),
        }
    }

    /// What a name stands for; `None` if that was reported, here or before.
    pub(super) fn entity(&mut self, name: &Name) -> Option<Entity> {
        if let Some(declared) = self.names.find(&name.text) {
            return Some(declared.entity);
        }
        if self.model.incomplete || self.model.opaque_names.contains(&name.text) {
            return None;
        }
        let message = format!("`{}` is not declared", name.text);
        let diagnostic = Diagnostic::error(codes::UNKNOWN_NAME, name.span, message);
        let diagnostic = if self.names.processes.contains_key(&name.text) {
            diagnostic.with_hint("it is a process type")
        } else if let Some(later) = self.names.declared_later(&name.text) {
            diagnostic.with_label(later, "it is declared here, behind its use")
        } else {
            let hint = self.names.closest(&name.text).map(|name| format!("did you mean `{name}`?"));
            diagnostic.with_hint_if(hint)
        };
        self.diagnostics.push(diagnostic);
        None
    }

    /// A variable with its index, if both fit.
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

    /// Something to be written to.
    pub(super) fn place(&mut self, variable: &ast::Variable) -> Option<Place> {
        let name = variable.name.text.as_str();
        if name == "_priority" {
            self.error(codes::NOT_HANDLED, variable.span, "not handled yet: `_priority`");
            return None;
        }
        if matches!(name, "_pid" | "_nr_pr" | "_last" | "_") {
            let message = format!("`{name}` cannot be assigned to");
            self.error(codes::NOT_ASSIGNABLE, variable.span, message);
            return None;
        }
        match self.entity(&variable.name)? {
            Entity::Variable(id) => Some(self.indexed(id, variable)),
            Entity::Constant(..) => {
                let message = format!("`{name}` is a constant");
                self.error(codes::NOT_ASSIGNABLE, variable.span, message);
                None
            }
            Entity::Opaque => None,
        }
    }

    /// The type of an expression that is a mere name.
    pub(super) fn named_type(&self, expression: &ast::Expression) -> Option<Type> {
        let ExpressionKind::Variable(variable) = &*expression.kind else {
            return None;
        };
        match self.names.find(&variable.name.text)?.entity {
            Entity::Constant(set, _) => Some(Type::Symbol(set)),
            Entity::Variable(id) => Some(self.type_of(id)),
            Entity::Opaque => None,
        }
    }

    /// Says so if an operand of arithmetic is a channel.
    fn check_number(&mut self, operand: &ast::Expression) {
        if self.named_type(operand) != Some(Type::Channel) {
            return;
        }
        let message = "a channel is used as a number";
        self.diagnostics.push(if self.assigning {
            Diagnostic::error(codes::CHANNEL_AS_NUMBER, operand.span, message)
        } else {
            Diagnostic::warning(codes::CHANNEL_AS_NUMBER, operand.span, message)
        });
    }

    /// Says so if a symbol of one set is assigned where another set is declared.
    pub(super) fn check_symbols(&mut self, wanted: Type, value: &ast::Expression) {
        let (Type::Symbol(wanted), Some(Type::Symbol(given))) = (wanted, self.named_type(value)) else {
            return;
        };
        if wanted != given {
            let name = |set| match &self.program.symbols[set].name {
                Some(name) => format!("mtype:{name}"),
                None => String::from("mtype"),
            };
            let message = format!("`{}` is wanted, this is of `{}`", name(wanted), name(given));
            self.error(codes::SYMBOL_MISMATCH, value.span, message);
        }
    }

    /// The same for an initialiser, by the name of the declared type.
    pub(super) fn check_symbols_of(&mut self, ty: &TypeName, value: &ast::Expression) {
        let TypeName::Mtype(set) = ty else { return };
        if let Some(set) = self.sets.get(&set.as_ref().map(|set| set.text.clone())) {
            self.check_symbols(Type::Symbol(*set), value);
        }
    }
}

const fn is_arithmetic(operator: Binary) -> bool {
    matches!(
        operator,
        Binary::Add
            | Binary::Subtract
            | Binary::Multiply
            | Binary::Divide
            | Binary::Remainder
            | Binary::BitAnd
            | Binary::BitOr
            | Binary::BitXor
            | Binary::ShiftLeft
            | Binary::ShiftRight
    )
}
