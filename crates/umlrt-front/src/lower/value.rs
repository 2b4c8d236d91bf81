//! Variables and values of action code.

use std::collections::BTreeSet;

use cfsm_core::program::{Action, Expression, Initializer, LocationId, Place, Type, Variable, VariableRef};
use cfsm_core::source::Span;

use super::process::Process;
use crate::model::{AttributeId, Block, Step, Value, ValueType};

impl Process<'_> {
    /// Declares the variables of the class at hand.
    pub(crate) fn declare_variables(&mut self) {
        self.variables.clear();
        for (id, attribute) in self.class().variables.iter() {
            let ty = match attribute.ty {
                ValueType::Boolean => Type::Bit,
                ValueType::Byte => Type::Byte,
                ValueType::Short => Type::Short,
                ValueType::Word => Type::Unsigned(16),
                ValueType::Int | ValueType::Unsigned => Type::Int,
            };
            let init = Initializer::Value(Expression::Constant(attribute.initial));
            let variable = Variable::scalar(attribute.name.clone(), ty, init, attribute.span);
            let variable = self.graph.local(variable);
            self.variables.insert(id, variable);
        }
    }

    /// Gives the variables of an instance that may be created again their initial values, those of
    /// its timers and histories among them.
    pub(crate) fn reset(&mut self, from: LocationId) -> LocationId {
        let span = self.class().span;
        let unset: Vec<VariableRef> = self.running.values().chain(self.histories.values()).copied().collect();
        let from = unset
            .into_iter()
            .fold(from, |at, variable| self.graph.then(at, super::graph::assign(variable, 0), span));
        let attributes = self.class().variables.iter();
        let initial: Vec<Assignment> = attributes
            .map(|(variable, attribute)| Assignment {
                variable,
                value: Value::Constant(attribute.initial),
                span: attribute.span,
            })
            .collect();
        initial.iter().fold(from, |at, assignment| self.assign(assignment, at))
    }

    /// Forgets the local variables of code that has ended.
    pub(crate) fn forget(&mut self, code: &Block, from: LocationId) -> LocationId {
        let mut written = BTreeSet::new();
        for step in code {
            step.any(&mut |step| {
                if let Step::Assign { variable, .. } = step {
                    written.insert(*variable);
                }
                false
            });
        }
        written.retain(|&variable| self.class().variables[variable].local);
        written.into_iter().fold(from, |at, variable| {
            let span = self.class().variables[variable].span;
            self.assign(&Assignment { variable, value: Value::Constant(0), span }, at)
        })
    }

    pub(crate) fn assign(&mut self, assignment: &Assignment, at: LocationId) -> LocationId {
        let Some(&variable) = self.variables.get(&assignment.variable) else { return at };
        let value = self.expression(&assignment.value);
        let action = Action::Assign { target: Place::scalar(variable), value };
        self.graph.then(at, action, assignment.span)
    }

    /// A step that is possible if a condition holds.
    pub(crate) fn when(&self, condition: &Value) -> Action {
        Action::Condition(self.expression(condition))
    }

    fn expression(&self, value: &Value) -> Expression {
        let inner = |value: &Value| Box::new(self.expression(value));
        match value {
            Value::Constant(number) => Expression::Constant(*number),
            Value::Read(variable) => match self.variables.get(variable) {
                Some(&variable) => Expression::variable(variable),
                None => Expression::Constant(self.class().variables[*variable].initial),
            },
            Value::Unary(operator, one) => Expression::Unary(*operator, inner(one)),
            Value::Binary(operator, one, other) => Expression::Binary(*operator, inner(one), inner(other)),
            Value::Conditional(condition, then, otherwise) => {
                Expression::Conditional(inner(condition), inner(then), inner(otherwise))
            }
        }
    }
}

/// A variable that gets a value.
pub(crate) struct Assignment {
    pub(crate) variable: AttributeId,
    pub(crate) value: Value,
    pub(crate) span: Span,
}

/// The variables of the class at hand.
pub(crate) type Variables = std::collections::BTreeMap<AttributeId, VariableRef>;
