//! Lowers assignments and checks their types.

use std::sync::Arc;

use cfsm_core::program::{Action, Binary, Expression, SymbolSetId, Type};
use cfsm_core::source::Span;

use super::Lowering;
use crate::ast::{self, ExpressionKind, TypeName, Variable};
use crate::codes;
use crate::resolve::Entity;
use cfsm_core::diagnostic::Diagnostic;

impl Lowering<'_> {
    pub(super) fn assignment(
        &mut self,
        target: &Variable,
        value: &ast::Expression,
        span: Span,
    ) -> Option<Action> {
        let names = |name: &str| target.is_name() && *target.name.text == *name;
        if let ExpressionKind::Run { process, arguments, priority } = &*value.kind
            && !names("_priority")
        {
            let place = if names("_") { None } else { self.place(target) };
            return Some(self.create(process, arguments, *priority, place, span));
        }
        if names("_") || names("_priority") {
            return Some(self.special_assignment(target, value));
        }
        let place = self.place(target);
        let ty = place.as_ref().map(|place| self.type_of(place.variable));
        if let Some(ty) = ty {
            self.check_symbols(ty, value, target.fields.is_empty());
        }
        if ty == Some(Type::Channel) && matches!(*value.kind, ExpressionKind::Number(_)) {
            let message = format!("a number is assigned to the channel `{}`", target.path());
            let diagnostic = if target.fields.is_empty() {
                Diagnostic::error(codes::NOT_A_CHANNEL, value.span, message)
            } else {
                Diagnostic::warning(codes::NOT_A_CHANNEL, value.span, message)
            };
            self.diagnostics.push(diagnostic);
        }
        let value = self.full_expression(value);
        Some(Action::Assign { target: place?, value })
    }

    /// Lowers `_priority = e`, and `_ = e`, which discards a value.
    fn special_assignment(&mut self, target: &Variable, value: &ast::Expression) -> Action {
        let value = self.full_expression(value);
        if *target.name.text == *"_priority" {
            return Action::SetPriority { process: Expression::Pid, priority: value };
        }
        let message = "what is assigned to `_` is lost";
        self.diagnostics.push(Diagnostic::warning(codes::NOT_ASSIGNABLE, target.span, message));
        // The value is evaluated, which may be a run-time error.
        let either = Expression::Binary(Binary::Or, Box::new(value), Box::new(Expression::Constant(1)));
        Action::Condition(either)
    }

    /// The set of a symbolic constant.
    pub(super) fn symbol_of(&self, value: &ast::Expression) -> Option<(SymbolSetId, Span)> {
        let ExpressionKind::Variable(variable) = &*value.kind else {
            return None;
        };
        match self.names.find(&variable.name.text)?.entity {
            Entity::Constant(set, _) => Some((set, value.span)),
            _ => None,
        }
    }

    /// Reports a symbol of one set that is assigned to a variable of another set: an error if it is
    /// a constant and the set of the variable has a name, where Spin checks it (`plain`).
    pub(super) fn check_symbols(&mut self, wanted: Type, value: &ast::Expression, plain: bool) {
        let (Type::Symbol(wanted), Some(Type::Symbol(given))) = (wanted, self.named_type(value)) else {
            return;
        };
        if wanted != given {
            let constant = self.symbol_of(value).is_some();
            let error = plain && constant && self.program.symbols[wanted].name.is_some();
            self.symbol_mismatch(wanted, given, value.span, error);
        }
    }

    pub(super) fn symbol_mismatch(
        &mut self,
        wanted: SymbolSetId,
        given: SymbolSetId,
        span: Span,
        error: bool,
    ) {
        let name = |set| match &self.program.symbols[set].name {
            Some(name) => format!("mtype:{name}"),
            None => String::from("mtype"),
        };
        let message = format!("`{}` is wanted, this is of `{}`", name(wanted), name(given));
        self.diagnostics.push(if error {
            Diagnostic::error(codes::SYMBOL_MISMATCH, span, message)
        } else {
            Diagnostic::warning(codes::SYMBOL_MISMATCH, span, message)
        });
    }

    /// As [`check_symbols`](Self::check_symbols), for an initialiser, by the name of the declared
    /// type.
    pub(super) fn check_symbols_of(&mut self, ty: &TypeName, value: &ast::Expression) {
        let TypeName::Mtype(set) = ty else { return };
        if let Some(set) = self.sets.get(&set.as_ref().map(|set| Arc::clone(&set.text))) {
            self.check_symbols(Type::Symbol(*set), value, true);
        }
    }
}
