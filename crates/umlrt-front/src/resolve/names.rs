//! Names of classes, over all models that were read.

use std::collections::BTreeMap;

use cfsm_core::diagnostic::Diagnostic;

use crate::codes;
use crate::files::Files;
use crate::tree::{Item, Name, Room};
use cfsm_core::suggest::closest;

/// A declared item with the model that it stands in.
#[derive(Clone, Copy)]
pub(crate) struct Declared<'t> {
    pub(crate) item: &'t Item,
    pub(crate) room: &'t Room,
}

/// The number of an item.
pub(crate) type ItemId = usize;

/// All items of all models by name.
pub(crate) struct Names<'t> {
    pub(crate) items: Vec<Declared<'t>>,
    pub(crate) rooms: Vec<&'t Room>,
    /// Items by the name of their model and their own.
    full: BTreeMap<String, ItemId>,
    /// Items by their own name.
    plain: BTreeMap<&'t str, Vec<ItemId>>,
}

impl<'t> Names<'t> {
    /// Collects all items; reports those that are declared twice.
    pub(crate) fn new(files: &'t Files, diagnostics: &mut Vec<Diagnostic>) -> Self {
        let mut names = Self {
            items: Vec::new(),
            rooms: files.rooms().collect(),
            full: BTreeMap::new(),
            plain: BTreeMap::new(),
        };
        for room in files.rooms() {
            for item in &room.items {
                let name = item.name();
                let id = names.items.len();
                names.items.push(Declared { item, room });
                names.plain.entry(&name.text).or_default().push(id);
                let full = format!("{}.{}", room.name.text, name.text);
                if let Some(&first) = names.full.get(&full) {
                    let message = format!("`{}` is declared twice", name.text);
                    let first = names.items[first].item.name().span;
                    diagnostics.push(
                        Diagnostic::error(codes::REDECLARED, name.span, message)
                            .with_label(first, "the first declaration"),
                    );
                } else {
                    names.full.insert(full, id);
                }
            }
        }
        names
    }

    /// True if some port is told when its wires come and go.
    pub(crate) fn has_notified(&self) -> bool {
        let notifies =
            |item: &&Item| matches!(item, Item::Actor(actor) if !actor.structure.notified.is_empty());
        self.items.iter().any(|known| notifies(&known.item))
    }

    /// The item that a name denotes in a model: one of its own, an imported one, or one with a full
    /// name.
    pub(crate) fn find(&self, room: &Room, name: &str) -> Option<ItemId> {
        if let Some(&id) = self.full.get(&format!("{}.{name}", room.name.text)) {
            return Some(id);
        }
        let imports = room.imports.iter().filter_map(|import| import.names.as_ref());
        for import in imports {
            let found = match import.text.strip_suffix(".*") {
                Some(model) => self.full.get(&format!("{model}.{name}")),
                None if import.text.rsplit('.').next() == Some(name) => self.full.get(&import.text),
                None => None,
            };
            if let Some(&id) = found {
                return Some(id);
            }
        }
        // A full name, or a name of a model that is imported as a whole file.
        self.full.get(name).copied().or_else(|| match self.plain.get(name).map(Vec::as_slice) {
            Some([only]) => Some(*only),
            _ => None,
        })
    }

    /// The names of all items that are as asked, for hints.
    fn all(&self, fits: fn(&Item) -> bool) -> impl Iterator<Item = &str> {
        self.items.iter().filter(move |known| fits(known.item)).map(|known| known.item.name().text.as_str())
    }

    /// The diagnostic about a name that denotes nothing of the kind.
    pub(crate) fn unknown(&self, name: &Name, kind: &str, fits: fn(&Item) -> bool) -> Diagnostic {
        let message = format!("there is no {kind} `{}`", name.text);
        let near = closest(&name.text, self.all(fits)).map(|near| format!("did you mean `{near}`?"));
        Diagnostic::error(codes::UNKNOWN_CLASS, name.span, message).with_hint_if(near)
    }
}
