//! Scopes of the type check. They are lenient: a text that is checked has no errors, so every name
//! has a declaration, and the innermost one is meant.

use std::collections::HashMap;

use cfsm_core::source::Span;

use super::network::NodeId;
use super::types::{SetId, ShapeId, Ty};
use crate::ast::Name;

/// A variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct VariableId(usize);

/// A declared variable.
#[derive(Clone, Debug)]
pub(super) struct Variable<'m> {
    pub(super) name: &'m Name,
    pub(super) ty: Ty,
    /// The shape of the channel that is created at the declaration, if there is one.
    pub(super) shape: Option<ShapeId>,
    /// The node of the channels that it holds.
    pub(super) node: NodeId,
    pub(super) global: bool,
    pub(super) parameter: bool,
    pub(super) array: bool,
    /// Span of the declaration.
    pub(super) span: Span,
    /// `true` if it is used anywhere.
    pub(super) used: bool,
}

/// The meaning of a name.
#[derive(Clone, Copy, Debug)]
pub(super) enum Entity {
    Symbol(SetId),
    Variable(VariableId),
}

/// The visible names, and all variables.
#[derive(Debug, Default)]
pub(super) struct Scopes<'m> {
    visible: HashMap<&'m str, Vec<Entity>>,
    /// The names that each open scope declares.
    open: Vec<Vec<&'m str>>,
    variables: Vec<Variable<'m>>,
}

impl<'m> Scopes<'m> {
    pub(super) fn open(&mut self) {
        self.open.push(Vec::new());
    }

    pub(super) fn close(&mut self) {
        for name in self.open.pop().unwrap_or_default() {
            if let Some(entities) = self.visible.get_mut(name) {
                entities.pop();
            }
        }
    }

    /// Adds a variable without making its name visible.
    pub(super) fn add(&mut self, variable: Variable<'m>) -> VariableId {
        self.variables.push(variable);
        VariableId(self.variables.len() - 1)
    }

    /// Makes a name visible in the innermost scope.
    pub(super) fn declare(&mut self, name: &'m str, entity: Entity) {
        self.visible.entry(name).or_default().push(entity);
        if let Some(scope) = self.open.last_mut() {
            scope.push(name);
        }
    }

    pub(super) fn find(&self, name: &str) -> Option<Entity> {
        self.visible.get(name)?.last().copied()
    }

    pub(super) fn variable(&self, id: VariableId) -> &Variable<'m> {
        &self.variables[id.0]
    }

    pub(super) fn mention(&mut self, id: VariableId) {
        self.variables[id.0].used = true;
    }

    pub(super) fn variables(&self) -> &[Variable<'m>] {
        &self.variables
    }
}
