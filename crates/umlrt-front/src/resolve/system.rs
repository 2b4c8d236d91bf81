//! The choice of a system, and the look at all classes of a text whether they are used or not.

use cfsm_core::diagnostic::Diagnostic;
use cfsm_core::ids::Id;
use cfsm_core::source::{FileId, Span};

use super::Resolver;
use super::names::{ItemId, Names};
use crate::codes;
use crate::files::Files;
use crate::model::CapsuleSystem;
use crate::options::Options;
use crate::tree::Item;

/// The systems of the first model: its logical systems, or else its subsystem classes, or else
/// those of its actor classes that are not abstract and that nothing in it contains.
pub(crate) fn roots(files: &Files, names: &Names<'_>) -> Vec<ItemId> {
    let Some(room) = files.main() else { return Vec::new() };
    if let Some(mapping) = files.mapping() {
        let mapped = mapping.mappings.iter();
        return mapped.filter_map(|mapping| names.find(room, mapping.logical.last())).collect();
    }
    let own = |fits: fn(&Item) -> bool| -> Vec<ItemId> {
        let mut all = names.items.iter().enumerate();
        let mut found = Vec::new();
        for (id, known) in all.by_ref() {
            if std::ptr::eq(known.room, room) && fits(known.item) {
                found.push(id);
            }
        }
        found
    };
    let systems = own(|item| matches!(item, Item::System(_)));
    if !systems.is_empty() {
        return systems;
    }
    let subsystems = own(|item| matches!(item, Item::SubSystem(_)));
    if !subsystems.is_empty() {
        return subsystems;
    }
    let actors = own(|item| matches!(item, Item::Actor(actor) if !actor.is_abstract));
    let contained: Vec<ItemId> = room
        .items
        .iter()
        .filter_map(|item| if let Item::Actor(actor) = item { Some(actor) } else { None })
        .flat_map(|actor| &actor.structure.parts)
        .filter_map(|part| names.find(room, &part.class.text))
        .collect();
    actors.into_iter().filter(|id| !contained.contains(id)).collect()
}

impl Resolver<'_> {
    /// Looks at every class of the first model, so that all errors in it are found.
    pub(crate) fn check_all(&mut self, files: &Files) {
        let Some(room) = files.main() else { return };
        for id in 0..self.names.items.len() {
            let known = self.names.items[id];
            if !std::ptr::eq(known.room, room) {
                continue;
            }
            match known.item {
                Item::Actor(_) => {
                    self.shape(id);
                    self.class(id);
                }
                Item::SubSystem(_) | Item::System(_) => {
                    self.shape(id);
                }
                Item::Protocol(_) | Item::Compound(_) => {
                    let name = known.item.name();
                    self.protocols.typing(&self.names, known.room, name, &mut self.diagnostics);
                }
                Item::Data(_) | Item::AnnotationType(_) => {}
            }
        }
    }

    /// True for the capsule that an application of Art begins with, unless its build says
    /// otherwise.
    fn is_top(&self, id: ItemId) -> bool {
        matches!(self.names.items[id].item, Item::Actor(actor) if actor.is_flat && actor.name.text == "Top")
    }

    /// The system that is asked for, or the only one. In a broken text it is no error that there is
    /// none.
    pub(crate) fn system(&mut self, files: &Files, options: &Options, broken: bool) -> Option<CapsuleSystem> {
        let roots = roots(files, &self.names);
        let start = Span { file: FileId::new(0), start: 0, end: 0 };
        let place = files.main().map_or(start, |room| room.name.span);
        let listed = |ids: &[ItemId]| -> String {
            let names: Vec<String> =
                ids.iter().map(|&id| format!("`{}`", self.names.items[id].item.name().text)).collect();
            names.join(", ")
        };
        let root = match (&options.system, roots.as_slice()) {
            (Some(name), _) => {
                let room = files.main()?;
                let fits =
                    |item: &Item| matches!(item, Item::System(_) | Item::SubSystem(_) | Item::Actor(_));
                let found = self.names.find(room, name).filter(|&id| fits(self.names.items[id].item));
                let Some(found) = found else {
                    let message = format!("there is no system `{name}`");
                    let hint = format!("there are {}", listed(&roots));
                    let found = Diagnostic::error(codes::NO_SYSTEM, place, message);
                    self.report(if roots.is_empty() { found } else { found.with_hint(hint) });
                    return None;
                };
                found
            }
            (None, [only]) => *only,
            (None, several) if let Some(&top) = several.iter().find(|&&id| self.is_top(id)) => top,
            (None, [] | [_, _, ..]) if broken => return None,
            (None, []) => {
                let message = "there is no system in this model";
                let hint = "a `LogicalSystem`, a `SubSystemClass`, or an `ActorClass` or a `capsule` that none contains";
                self.report(Diagnostic::error(codes::NO_SYSTEM, place, message).with_hint(hint));
                return None;
            }
            (None, several) => {
                let message = format!("there are several systems: {}", listed(several));
                let found = Diagnostic::error(codes::NO_SYSTEM, place, message);
                self.report(found.with_hint("name one of them with --root"));
                return None;
            }
        };
        self.instances(root)
    }
}
