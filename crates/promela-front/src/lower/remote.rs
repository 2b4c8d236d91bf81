//! Lowers remote references: `P[e]@label`, `P[e]:x`.
//!
//! They are resolved when the graphs of all processes are built. Until then a reference to a label
//! carries its index in the list of references, in place of the location.

use cfsm_core::ids::Id;
use cfsm_core::program::{Action, Expression, LocationId, ProcessTypeId, Program, VariableId};
use cfsm_core::source::Span;

use super::{Lowering, Part};
use crate::ast::{self, Name, Remote, RemotePart};
use crate::codes;
use crate::stack::deep;
use cfsm_core::diagnostic::{Diagnostic, Label};
use cfsm_core::suggest::closest;

/// An unresolved remote reference.
#[derive(Debug)]
pub(super) struct Question {
    process: ProcessTypeId,
    process_name: String,
    what: What,
    span: Span,
    /// The calls of inlines in which it occurs.
    calls: Vec<Label>,
}

#[derive(Debug)]
enum What {
    Label(Name),
    Variable { name: Name, indexed: bool },
}

/// A resolved remote reference.
pub(super) enum Answer {
    Location(Option<LocationId>),
    Variable(VariableId),
}

impl Lowering<'_> {
    pub(super) fn remote(&mut self, remote: &Remote, span: Span) -> Expression {
        let process = remote.number.as_ref().map(|number| Box::new(self.expression(number)));
        let index = match &remote.part {
            RemotePart::Variable(variable) => self.remote_index(variable),
            RemotePart::Label(_) => None,
        };
        // The parser knows process types too, and has reported an unknown one.
        let known = self.names.processes.contains_key(&remote.process.text);
        let signature = (known || self.clean).then(|| self.process_type(&remote.process)).flatten();
        let Some(signature) = signature else {
            return Expression::Constant(0);
        };
        let what = match &remote.part {
            RemotePart::Label(label) => What::Label(label.clone()),
            RemotePart::Variable(variable) => {
                What::Variable { name: variable.name.clone(), indexed: variable.index.is_some() }
            }
        };
        let number = self.questions.len();
        let process_type = signature.id;
        let process_name = remote.process.text.to_string();
        let is_label = matches!(what, What::Label(_));
        self.questions.push(Question { process: process_type, process_name, what, span, calls: Vec::new() });
        if is_label {
            Expression::AtLocation { process_type, process, location: LocationId::new(number) }
        } else {
            Expression::RemoteRead { process_type, process, variable: VariableId::new(number), index }
        }
    }

    fn remote_index(&mut self, variable: &ast::Variable) -> Option<Box<Expression>> {
        if let Some(field) = variable.fields.first() {
            let message = "a field of a record cannot be asked for from outside";
            self.error(codes::UNEXPECTED, field.name.span, message);
        }
        variable.index.as_ref().map(|index| Box::new(self.expression(index)))
    }

    /// Adds the call of an inline to the references in it.
    pub(super) fn explain_questions(&mut self, from: usize, label: &Label) {
        for question in &mut self.questions[from..] {
            question.calls.push(label.clone());
        }
    }

    /// Checks all references, and makes locations of the labels that they use.
    pub(super) fn check_questions(&mut self, parts: &mut [Part]) {
        for question in &self.questions {
            let part = &mut parts[question.process.index()];
            let problem = match &question.what {
                What::Label(label) => {
                    part.graph.keep_label(&label.text);
                    let known = part.graph.labels.outside_label(&label.text).is_some() || part.damaged;
                    (!known).then(|| {
                        let hint = part.graph.labels.like(&label.text).map(str::to_owned);
                        let message =
                            format!("there is no label `{}` in `{}`", label.text, question.process_name);
                        (Diagnostic::error(codes::UNKNOWN_LABEL, label.span, message), hint)
                    })
                }
                What::Variable { name, indexed } => unknown_variable(part, name, *indexed, question),
            };
            if let Some((mut diagnostic, hint)) = problem {
                diagnostic.labels.extend(question.calls.iter().cloned());
                let hint = hint.map(|name| format!("did you mean `{name}`?"));
                self.diagnostics.push(diagnostic.with_hint_if(hint));
            }
        }
    }
}

fn unknown_variable(
    part: &Part,
    name: &Name,
    indexed: bool,
    question: &Question,
) -> Option<(Diagnostic, Option<String>)> {
    let Some(local) = part.process.locals.values().find(|local| *local.name == *name.text) else {
        let message = format!("there is no variable `{}` in `{}`", name.text, question.process_name);
        let hint = closest(&name.text, part.process.locals.values().map(|local| &*local.name));
        let hint = hint.map(str::to_owned);
        return Some((Diagnostic::error(codes::UNKNOWN_NAME, name.span, message), hint));
    };
    if local.length.is_some() == indexed {
        return None;
    }
    let what = if indexed { "is no array" } else { "needs an index" };
    let message = format!("`{}` {what}", name.text);
    let diagnostic = Diagnostic::error(codes::INDEX_MISMATCH, question.span, message);
    Some((diagnostic.with_label(local.span, "it is declared here"), None))
}

/// Resolves all references, when the graphs are built; `location` maps a label of a process type to
/// its location.
pub(super) fn answers(
    questions: &[Question],
    mut location: impl FnMut(ProcessTypeId, &str) -> Option<LocationId>,
    program: &Program,
) -> Vec<Answer> {
    let answer = |question: &Question| match &question.what {
        What::Label(label) => Answer::Location(location(question.process, &label.text)),
        What::Variable { name, .. } => {
            let locals = &program.types[question.process].locals;
            let found = locals.iter().find(|(_, local)| *local.name == *name.text);
            Answer::Variable(found.map_or_else(|| VariableId::new(0), |(id, _)| id))
        }
    };
    questions.iter().map(answer).collect()
}

/// Substitutes the resolved references in the program.
pub(super) fn fill(program: &mut Program, answers: &[Answer]) {
    if answers.is_empty() {
        return;
    }
    let ids: Vec<ProcessTypeId> = program.types.ids().collect();
    for id in ids {
        let process = &mut program.types[id];
        if let Some(provided) = &mut process.provided {
            fill_expression(provided, answers);
        }
        for (_, local) in process.locals.iter_mut() {
            local.init.expressions_mut().iter_mut().for_each(|value| fill_expression(value, answers));
        }
        for (_, edge) in process.edges.iter_mut() {
            fill_action(&mut edge.action, answers);
        }
    }
}

fn fill_action(action: &mut Action, answers: &[Answer]) {
    action.expressions_mut().into_iter().for_each(|expression| fill_expression(expression, answers));
}

fn fill_expression(expression: &mut Expression, answers: &[Answer]) {
    deep(|| {
        match expression {
            Expression::AtLocation { location, .. } => match answers.get(location.index()) {
                Some(Answer::Location(Some(found))) => *location = *found,
                // The location is unreachable.
                _ => *expression = Expression::Constant(0),
            },
            Expression::RemoteRead { variable, .. } => {
                if let Some(Answer::Variable(found)) = answers.get(variable.index()) {
                    *variable = *found;
                }
            }
            _ => {}
        }
        for child in expression.children_mut() {
            fill_expression(child, answers);
        }
    });
}
