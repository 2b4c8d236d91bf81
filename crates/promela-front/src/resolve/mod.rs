//! Name resolution. As in Spin, a name must be declared before its use, and must not be declared
//! where it is visible already; blocks in braces have scopes of their own.

pub(crate) mod foreign;

use std::collections::BTreeMap;
use std::sync::Arc;

use cfsm_core::program::{ProcessTypeId, SymbolSetId, VariableRef};
use cfsm_core::source::Span;

use crate::ast::{Model, Unit};

/// The entity that a name denotes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Entity {
    /// A symbolic constant.
    Constant(SymbolSetId, i64),
    /// A variable.
    Variable(VariableRef),
    /// A variable of a record type, by its index.
    Record(usize),
    /// A declaration with a reported error.
    Opaque,
}

/// An entity with the span of its declaration.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Declared {
    pub entity: Entity,
    pub span: Span,
}

/// A process type as seen from other process types.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Signature {
    pub id: ProcessTypeId,
    pub span: Span,
}

/// The names that are visible at a point of the text.
#[derive(Debug, Default)]
pub(crate) struct Names {
    globals: BTreeMap<Arc<str>, Declared>,
    /// The scopes, innermost last; the first one holds parameters and the variables of the body
    /// itself.
    scopes: Vec<BTreeMap<Arc<str>, Declared>>,
    /// All process types of the text, since `run` may precede them.
    pub processes: BTreeMap<Arc<str>, Signature>,
    /// The first declaration of each global name, including later ones.
    later: BTreeMap<Arc<str>, Span>,
}

impl Names {
    /// Collects the global names of the whole text, for hints.
    pub fn of(model: &Model) -> Self {
        let mut later = BTreeMap::new();
        for unit in &model.units {
            let names: Vec<_> = match unit {
                Unit::Symbols(symbols) => symbols.names.iter().collect(),
                Unit::Declaration(declaration) => {
                    declaration.declarators.iter().map(|declarator| &declarator.name).collect()
                }
                _ => continue,
            };
            for name in names {
                later.entry(Arc::clone(&name.text)).or_insert(name.span);
            }
        }
        Self { later, ..Self::default() }
    }

    pub fn open(&mut self) {
        self.scopes.push(BTreeMap::new());
    }

    pub fn close(&mut self) {
        self.scopes.pop();
    }

    /// The entity that a name denotes at the current point.
    pub fn find(&self, name: &str) -> Option<Declared> {
        let local = self.scopes.iter().rev().find_map(|scope| scope.get(name));
        local.or_else(|| self.globals.get(name)).copied()
    }

    /// Declares a name in the innermost scope; fails with the span of a conflicting declaration.
    pub fn declare(&mut self, name: &Arc<str>, declared: Declared) -> Result<(), Span> {
        if let Some(earlier) = self.find(name) {
            return Err(earlier.span);
        }
        if let Some(process) = self.processes.get(&**name).filter(|process| process.span < declared.span) {
            return Err(process.span);
        }
        self.scopes.last_mut().unwrap_or(&mut self.globals).insert(Arc::clone(name), declared);
        Ok(())
    }

    /// The span of a later global declaration of a name.
    pub fn declared_later(&self, name: &str) -> Option<Span> {
        self.later.get(name).copied()
    }

    /// The visible name closest to an undeclared one.
    pub fn closest(&self, wrong: &str) -> Option<&str> {
        let visible = self.scopes.iter().rev().chain([&self.globals]).flat_map(BTreeMap::keys);
        cfsm_core::suggest::closest(wrong, visible.map(|name| &**name))
    }

    /// The process type with the name closest to an unknown one.
    pub fn closest_process(&self, wrong: &str) -> Option<&str> {
        cfsm_core::suggest::closest(wrong, self.processes.keys().map(|name| &**name))
    }
}
