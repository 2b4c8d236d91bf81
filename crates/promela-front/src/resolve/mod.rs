//! Names and what they stand for. As in Spin, a name must be declared before it is used, and must
//! not be declared where it is visible already; blocks in braces have names of their own.

pub(crate) mod foreign;
pub(crate) mod suggest;

use std::collections::BTreeMap;
use std::sync::Arc;

use cfsm_core::program::{ProcessTypeId, SymbolSetId, VariableRef};
use cfsm_core::source::Span;

use crate::ast::{Model, Unit};

/// What a name stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Entity {
    /// A symbolic constant.
    Constant(SymbolSetId, i64),
    /// A variable.
    Variable(VariableRef),
    /// A variable of a record type, by its position among them.
    Record(usize),
    /// Something that was reported.
    Opaque,
}

/// An entity and the place of its declaration.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Declared {
    pub entity: Entity,
    pub span: Span,
}

/// A process type, as others see it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Signature {
    pub id: ProcessTypeId,
    pub span: Span,
}

/// All names that are visible at some point of the text.
#[derive(Debug, Default)]
pub(crate) struct Names {
    globals: BTreeMap<Arc<str>, Declared>,
    /// Innermost last; the first one holds parameters and the variables of the body itself.
    scopes: Vec<BTreeMap<Arc<str>, Declared>>,
    /// All process types of the text: `run` may stand before them.
    pub processes: BTreeMap<Arc<str>, Signature>,
    /// Where each global name is declared first, also if that is further down.
    later: BTreeMap<Arc<str>, Span>,
}

impl Names {
    /// With the names that the whole text declares globally, for hints.
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

    /// What a name stands for here.
    pub fn find(&self, name: &str) -> Option<Declared> {
        let local = self.scopes.iter().rev().find_map(|scope| scope.get(name));
        local.or_else(|| self.globals.get(name)).copied()
    }

    /// Declares a name in the innermost scope; gives the earlier declaration that is in the way.
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

    /// Where a name is declared globally behind its use.
    pub fn declared_later(&self, name: &str) -> Option<Span> {
        self.later.get(name).copied()
    }

    /// The visible name that is most like one that is not declared.
    pub fn closest(&self, wrong: &str) -> Option<&str> {
        let visible = self.scopes.iter().rev().chain([&self.globals]).flat_map(BTreeMap::keys);
        suggest::closest(wrong, visible.map(|name| &**name))
    }

    /// The process type whose name is most like one that does not exist.
    pub fn closest_process(&self, wrong: &str) -> Option<&str> {
        suggest::closest(wrong, self.processes.keys().map(|name| &**name))
    }
}
