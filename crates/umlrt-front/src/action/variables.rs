//! The variables that are followed: those all of whose changes are understood.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use cfsm_core::ids::IdMap;
use cfsm_core::source::Span;

use super::token::{Kind, tokens};
use crate::model::{Attribute, AttributeId, ValueType};

/// The name of a variable that is the same in each reading of a class.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Key {
    Attribute(String),
    /// A local variable, by the place of its declaration.
    Local(Span),
}

/// The variables of a class in one reading of its code. What turns out not to be understood is
/// lost; the class is read again without it.
#[derive(Default)]
pub(crate) struct Variables {
    all: RefCell<IdMap<AttributeId, Attribute>>,
    keys: RefCell<BTreeMap<Key, AttributeId>>,
    /// The keys of variables that earlier readings have lost.
    dropped: BTreeSet<Key>,
    lost: RefCell<BTreeSet<Key>>,
}

impl Variables {
    pub(crate) fn new(attributes: Vec<Attribute>, dropped: BTreeSet<Key>) -> Self {
        let variables = Self { dropped, ..Self::default() };
        for attribute in attributes {
            variables.declare(Key::Attribute(attribute.name.clone()), attribute);
        }
        variables
    }

    /// The number of a variable; nothing if it is not followed.
    pub(crate) fn declare(&self, key: Key, attribute: Attribute) -> Option<AttributeId> {
        if self.dropped.contains(&key) {
            return None;
        }
        if let Some(&known) = self.keys.borrow().get(&key) {
            return Some(known);
        }
        let id = self.all.borrow_mut().push(attribute);
        self.keys.borrow_mut().insert(key, id);
        Some(id)
    }

    pub(crate) fn attribute(&self, name: &str) -> Option<AttributeId> {
        self.keys.borrow().get(&Key::Attribute(name.to_owned())).copied()
    }

    pub(crate) fn ty(&self, id: AttributeId) -> ValueType {
        self.all.borrow()[id].ty
    }

    /// A variable is changed in a way that is not understood.
    pub(crate) fn lose(&self, id: AttributeId) {
        self.lose_if(|_, other| other == id);
    }

    /// Any attribute may be changed.
    pub(crate) fn lose_attributes(&self) {
        self.lose_if(|key, _| matches!(key, Key::Attribute(_)));
    }

    pub(crate) fn lose_if(&self, is: impl Fn(&Key, AttributeId) -> bool) {
        let keys = self.keys.borrow();
        let found = keys.iter().filter(|(key, id)| is(key, **id)).map(|(key, _)| key.clone());
        self.lost.borrow_mut().extend(found);
    }

    /// A word in a fragment at some place may change the variables that it names.
    pub(crate) fn lose_by_name(&self, word: &str, place: Option<Span>) {
        let all = self.all.borrow();
        let is_here = |local: &Span| {
            place.is_none_or(|place| {
                local.file == place.file && (place.start..=place.end).contains(&local.start)
            })
        };
        self.lose_if(|key, id| {
            let reached = match key {
                Key::Attribute(_) => true,
                Key::Local(span) => is_here(span),
            };
            reached && all[id].name == word
        });
    }

    /// Text that is not understood may change all that it names.
    pub(crate) fn lose_named(&self, code: &str, reaches_all: impl Fn(&str) -> bool) {
        let names: BTreeSet<&str> =
            tokens(code).iter().filter(|token| token.kind == Kind::Word).map(|token| token.text).collect();
        if names.iter().any(|name| reaches_all(name)) {
            self.lose_attributes();
        }
        let all = self.all.borrow();
        self.lose_if(|_, id| names.contains(all[id].name.as_str()));
    }

    pub(crate) fn lost(&self) -> BTreeSet<Key> {
        self.lost.borrow().clone()
    }

    /// The keys of the variables that are not among these.
    pub(crate) fn others(&self, wanted: &BTreeSet<AttributeId>) -> BTreeSet<Key> {
        let keys = self.keys.borrow();
        keys.iter().filter(|(_, id)| !wanted.contains(id)).map(|(key, _)| key.clone()).collect()
    }

    pub(crate) fn all(&self) -> IdMap<AttributeId, Attribute> {
        self.all.borrow().clone()
    }
}
