//! Lowers receives into `_pid` and the like. Spin forbids assignments to them but not receives: its
//! verifier stores the value, and the process then uses another number as its own.

use cfsm_core::program::{Expression, Initializer, Pattern, Place, Type, Variable, VariableRef};
use cfsm_core::source::Span;

use super::Lowering;
use crate::ast::{self, Block, Statement, StatementKind};
use crate::codes;
use crate::stack::deep;
use cfsm_core::diagnostic::Diagnostic;

impl Lowering<'_> {
    /// Gives the process a variable for its number, if something is received into `_pid`.
    pub(super) fn own_number(&mut self, body: &Block, span: Span) {
        if receives_number(&body.statements) {
            let init = Initializer::Value(Expression::Pid);
            let variable = Variable::scalar("_pid", Type::Pid, init, span);
            self.body.number = Some(VariableRef::Local(self.body.locals.push(variable)));
        }
    }

    /// Lowers `_pid`.
    pub(super) fn number_of_process(&self) -> Expression {
        self.body.number.map_or(Expression::Pid, |number| Expression::Read(Place::scalar(number)))
    }

    /// The pattern of a field that is received into `_pid`, `_last`, `_nr_pr` or `_priority`;
    /// `None` for another variable.
    pub(super) fn predefined_target(&mut self, variable: &ast::Variable) -> Option<Pattern> {
        let name = &*variable.name.text;
        if !variable.is_name() || !matches!(name, "_pid" | "_last" | "_nr_pr" | "_priority") {
            return None;
        }
        if self.polling {
            return Some(Pattern::Any);
        }
        let hint = format!("to take only messages that carry its value, write `eval({name})`");
        let (diagnostic, pattern) = match (name, self.body.number) {
            ("_pid", Some(number)) => {
                let message = "this overwrites `_pid`, which is no longer the number of the process then";
                let diagnostic = Diagnostic::warning(codes::NOT_ASSIGNABLE, variable.span, message);
                (diagnostic, Pattern::Store(Place::scalar(number)))
            }
            // It is set again before it can be read.
            ("_last", _) => {
                let message = "what is received into `_last` is lost";
                (Diagnostic::warning(codes::NOT_ASSIGNABLE, variable.span, message), Pattern::Any)
            }
            _ => {
                let message = format!("`{name}` cannot receive a field");
                (Diagnostic::error(codes::NOT_ASSIGNABLE, variable.span, message), Pattern::Any)
            }
        };
        self.diagnostics.push(diagnostic.with_hint(hint));
        Some(pattern)
    }
}

/// Returns `true` if one of the statements receives something into `_pid`.
fn receives_number(statements: &[Statement]) -> bool {
    statements.iter().any(|statement| deep(|| receives_in(&statement.kind)))
}

fn receives_in(kind: &StatementKind) -> bool {
    match kind {
        StatementKind::Receive { patterns, .. } => patterns.iter().any(|pattern| {
            matches!(pattern, ast::Pattern::Variable(variable)
                if variable.is_name() && *variable.name.text == *"_pid")
        }),
        StatementKind::If(options) | StatementKind::Do(options) => {
            options.iter().any(|option| receives_number(&option.statements))
        }
        StatementKind::For(_, block)
        | StatementKind::Block(block)
        | StatementKind::Atomic(block)
        | StatementKind::DStep(block) => receives_number(&block.statements),
        StatementKind::Call(call) => receives_number(&call.body.statements),
        StatementKind::Unless(main, escape) => {
            [main, escape].into_iter().any(|side| receives_number(std::slice::from_ref(&**side)))
        }
        _ => false,
    }
}
