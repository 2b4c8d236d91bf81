//! Lowers `never`, `trace`, `notrace` and `ltl`.

use cfsm_core::program::{Claim, Observer as Kind, Unary};
use cfsm_core::source::Span;

use super::Lowering;
use crate::ast::{Expression, ExpressionKind, Ltl, Observer, ObserverKind, StatementKind, Unit};
use crate::codes;
use crate::print::print_expression;
use crate::stack::deep;
use cfsm_core::diagnostic::Diagnostic;

impl Lowering<'_> {
    /// Checks that there is at most one `trace` or `notrace`, as in Spin, and that claims have
    /// distinct names.
    pub(super) fn check_claims(&mut self) {
        let mut trace: Option<Span> = None;
        let mut names: std::collections::BTreeMap<&str, Span> = std::collections::BTreeMap::new();
        for unit in &self.model.units {
            let name = match unit {
                Unit::Observer(Observer { kind: ObserverKind::Never, name, .. })
                | Unit::Ltl(Ltl { name, .. }) => name.as_ref(),
                Unit::Observer(observer) => {
                    if let Some(earlier) = trace.replace(observer.span) {
                        let message = "a second `trace` or `notrace`";
                        self.diagnostics.push(
                            Diagnostic::error(codes::REDECLARED, observer.span, message)
                                .with_label(earlier, "the first one is here"),
                        );
                    }
                    continue;
                }
                _ => continue,
            };
            if let Some(name) = name
                && let Some(earlier) = names.insert(&name.text, name.span)
            {
                let message = format!("the claim `{}` exists already", name.text);
                self.diagnostics.push(
                    Diagnostic::error(codes::REDECLARED, name.span, message)
                        .with_label(earlier, "it is here"),
                );
            }
        }
    }

    /// Reports a statement that is not allowed in an observer.
    pub(super) fn check_event(&mut self, kind: &StatementKind, span: Span) {
        let message = match (self.body.observer, kind) {
            (None, _) | (_, StatementKind::Error | StatementKind::Nothing) => return,
            (Some(ObserverKind::Never), StatementKind::Send { .. } | StatementKind::Receive { .. }) => {
                "a `never` claim can neither send nor receive"
            }
            (Some(ObserverKind::Never), _) => return,
            (
                Some(ObserverKind::Trace | ObserverKind::NoTrace),
                StatementKind::Send { sorted: false, .. }
                | StatementKind::Receive { random: false, peek: false, .. },
            ) => return,
            (Some(ObserverKind::Trace | ObserverKind::NoTrace), _) => {
                "a `trace` or `notrace` has sends and receives only, `!` and `?`"
            }
        };
        self.error(codes::MISPLACED_STATEMENT, span, message);
    }

    /// Checks the names of a formula, and stores it as text.
    pub(super) fn ltl(&mut self, ltl: &Ltl, number: usize) {
        self.in_formula = true;
        self.formula(&ltl.formula);
        self.in_formula = false;
        let name = ltl.name.as_ref().map_or_else(|| format!("ltl_{number}"), |name| name.text.to_string());
        let formula = print_expression(&ltl.formula);
        self.program.claims.push(Claim::Ltl { name: Some(name), formula, span: ltl.span });
    }

    fn formula(&mut self, formula: &Expression) {
        deep(|| match &*formula.kind {
            ExpressionKind::Temporal(_, inner) | ExpressionKind::Unary(Unary::Not, inner) => {
                self.formula(inner)
            }
            ExpressionKind::TemporalBinary(_, left, right) | ExpressionKind::Binary(_, left, right) => {
                self.formula(left);
                self.formula(right);
            }
            _ => {
                self.full_expression(formula);
            }
        });
    }
}

/// The kind of an observer in the program.
pub(super) const fn kind(part: ObserverKind) -> Kind {
    match part {
        ObserverKind::Never => Kind::Never,
        ObserverKind::Trace => Kind::Trace,
        ObserverKind::NoTrace => Kind::NoTrace,
    }
}

/// The name that Spin gives to an observer.
pub(super) fn name(observer: &Observer, number: usize) -> String {
    match (&observer.name, observer.kind) {
        (Some(name), _) => name.text.to_string(),
        (None, ObserverKind::Never) => format!("never_{number}"),
        (None, ObserverKind::Trace) => String::from("trace"),
        (None, ObserverKind::NoTrace) => String::from("notrace"),
    }
}
