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

/// The variables that are not followed, or not by their values.
#[derive(Clone, Debug, Default)]
pub(crate) struct Unfollowed {
    /// Those that are not followed at all.
    pub(crate) dropped: BTreeSet<Key>,
    /// Those of which the range is followed, if they are not dropped.
    pub(crate) ranged: BTreeSet<Key>,
}

impl Unfollowed {
    /// Adds others; false if all of them were there already.
    pub(crate) fn add(&mut self, others: Self) -> bool {
        let before = self.dropped.len() + self.ranged.len();
        self.dropped.extend(others.dropped);
        self.ranged.extend(others.ranged);
        self.dropped.len() + self.ranged.len() > before
    }
}

/// The variables of a class in one reading of its code. What turns out not to be understood is
/// lost; the class is read again without it.
#[derive(Default)]
pub(crate) struct Variables {
    all: RefCell<IdMap<AttributeId, Attribute>>,
    keys: RefCell<BTreeMap<Key, AttributeId>>,
    /// Of a variable whose range is followed, which stands for the least value, the one for the
    /// greatest.
    greatest: RefCell<BTreeMap<AttributeId, AttributeId>>,
    /// The losses of earlier readings.
    unfollowed: Unfollowed,
    lost: RefCell<Unfollowed>,
    /// The variables with ranges that conditions of loops name.
    in_loops: RefCell<BTreeSet<AttributeId>>,
    /// The variables with ranges that are compared with numbers.
    limited: RefCell<BTreeSet<AttributeId>>,
    /// The optional parts in which capsules are created by code that is understood alone.
    parts: RefCell<BTreeSet<String>>,
}

impl Variables {
    pub(crate) fn new(attributes: Vec<Attribute>, unfollowed: Unfollowed) -> Self {
        let variables = Self { unfollowed, ..Self::default() };
        for attribute in attributes {
            variables.declare(Key::Attribute(attribute.name.clone()), attribute);
        }
        variables
    }

    /// The same, with the optional parts whose capsules are followed.
    pub(crate) fn with_parts(self, parts: BTreeSet<String>) -> Self {
        Self { parts: RefCell::new(parts), ..self }
    }

    /// True for an optional part whose capsules are followed.
    pub(crate) fn is_part(&self, name: &str) -> bool {
        self.parts.borrow().contains(name)
    }

    /// The optional parts whose capsules are followed.
    pub(crate) fn parts(&self) -> BTreeSet<String> {
        self.parts.borrow().clone()
    }

    /// Capsules may come into some parts at any time.
    pub(crate) fn lose_parts(&self, is: impl Fn(&str) -> bool) {
        self.parts.borrow_mut().retain(|name| !is(name));
    }

    /// The number of a variable; nothing if it is not followed.
    pub(crate) fn declare(&self, key: Key, attribute: Attribute) -> Option<AttributeId> {
        if self.unfollowed.dropped.contains(&key) {
            return None;
        }
        if let Some(&known) = self.keys.borrow().get(&key) {
            return Some(known);
        }
        let mut all = self.all.borrow_mut();
        let id = all.push(attribute.clone());
        if self.unfollowed.ranged.contains(&key) {
            let name = format!("{} at most", attribute.name);
            self.greatest.borrow_mut().insert(id, all.push(Attribute { name, ..attribute }));
        }
        self.keys.borrow_mut().insert(key, id);
        Some(id)
    }

    /// The variable for the greatest value of one whose range is followed.
    pub(crate) fn greatest(&self, id: AttributeId) -> Option<AttributeId> {
        self.greatest.borrow().get(&id).copied()
    }

    /// The end of a loop depends on a variable.
    pub(crate) fn note_loop(&self, id: AttributeId) {
        self.in_loops.borrow_mut().insert(id);
    }

    /// A comparison with a number limits a variable.
    pub(crate) fn note_limit(&self, id: AttributeId) {
        self.limited.borrow_mut().insert(id);
    }

    pub(crate) fn attribute(&self, name: &str) -> Option<AttributeId> {
        self.keys.borrow().get(&Key::Attribute(name.to_owned())).copied()
    }

    pub(crate) fn ty(&self, id: AttributeId) -> ValueType {
        self.all.borrow()[id].ty
    }

    /// A variable is changed in a way that is not understood.
    pub(crate) fn lose(&self, id: AttributeId) {
        self.lose_if(|_, other| other == id || self.greatest(other) == Some(id));
    }

    /// A variable gets a value that is not known.
    pub(crate) fn blur(&self, id: AttributeId) {
        if matches!(self.ty(id), ValueType::Boolean | ValueType::Unsigned) {
            return self.lose(id);
        }
        let keys = self.keys.borrow();
        let found = keys.iter().filter(|(_, known)| **known == id).map(|(key, _)| key.clone());
        self.lost.borrow_mut().ranged.extend(found);
    }

    /// Any attribute may be changed.
    pub(crate) fn lose_attributes(&self) {
        self.lose_parts(|_| true);
        self.lose_if(|key, _| matches!(key, Key::Attribute(_)));
    }

    pub(crate) fn lose_if(&self, is: impl Fn(&Key, AttributeId) -> bool) {
        let keys = self.keys.borrow();
        let found = keys.iter().filter(|(key, id)| is(key, **id)).map(|(key, _)| key.clone());
        self.lost.borrow_mut().dropped.extend(found);
    }

    /// A word in a fragment at some place may change the variables that it names.
    pub(crate) fn lose_by_name(&self, word: &str, place: Option<Span>) {
        self.lose_parts(|name| name == word);
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
        self.lose_parts(|name| names.contains(name));
        let all = self.all.borrow();
        self.lose_if(|_, id| names.contains(all[id].name.as_str()));
    }

    /// The losses of this reading. A range that limits no loop is of no use.
    pub(crate) fn lost(&self) -> Unfollowed {
        let (in_loops, limited) = (self.in_loops.borrow(), self.limited.borrow());
        self.lose_if(|_, id| {
            self.greatest(id).is_some() && !(in_loops.contains(&id) && limited.contains(&id))
        });
        self.lost.borrow().clone()
    }

    /// The keys of the variables that are not among these.
    pub(crate) fn others(&self, wanted: &BTreeSet<AttributeId>) -> BTreeSet<Key> {
        let keys = self.keys.borrow();
        let is_wanted = |id: &AttributeId| {
            wanted.contains(id) || self.greatest(*id).is_some_and(|greatest| wanted.contains(&greatest))
        };
        keys.iter().filter(|(_, id)| !is_wanted(id)).map(|(key, _)| key.clone()).collect()
    }

    /// The variables as the capsule model has them.
    pub(crate) fn named(&self) -> IdMap<AttributeId, Attribute> {
        let mut all = self.all();
        for &least in self.greatest.borrow().keys() {
            all[least].name += " at least";
        }
        all
    }

    pub(crate) fn all(&self) -> IdMap<AttributeId, Attribute> {
        self.all.borrow().clone()
    }
}
