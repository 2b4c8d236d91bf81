//! The tree of instances.

use std::collections::BTreeMap;

use cfsm_core::diagnostic::Diagnostic;
use cfsm_core::ids::IdMap;

use super::Resolver;
use super::names::ItemId;
use super::shape::{Scoped, Shape, ShapePart};
use crate::art;
use crate::codes;
use crate::model::{CapsuleSystem, ClassId, Instance, InstanceId, Origin};
use crate::tree::Item;
use crate::tree::structure::Multiplicity;

/// A place in the tree: a system, a subsystem, or an instance of an actor class.
pub(crate) struct Place<'t> {
    /// The names of its containers and its own.
    pub(crate) path: String,
    pub(crate) shape: Shape<'t>,
    /// The place that contains it, and the name of the part of that place that it is.
    pub(crate) parent: Option<Parent>,
    /// The places of its parts, by their names.
    pub(crate) parts: BTreeMap<String, Vec<usize>>,
    /// The instance, with the position of the class among those that it may have.
    pub(crate) instance: Option<Slot>,
}

/// The container of a place.
pub(crate) struct Parent {
    pub(crate) place: usize,
    pub(crate) part: String,
    /// True if the part is filled as long as the container is there.
    pub(crate) fixed: bool,
}

/// One of the classes that an instance may have.
#[derive(Clone, Copy)]
pub(crate) struct Slot {
    pub(crate) id: InstanceId,
    pub(crate) class: usize,
}

/// A place that is to be made.
struct Wanted {
    item: ItemId,
    path: String,
    parent: Option<Parent>,
    optional: bool,
    slot: Option<Slot>,
}

/// The tree as far as it has grown.
#[derive(Default)]
pub(crate) struct Tree<'t> {
    pub(crate) places: Vec<Place<'t>>,
    pub(crate) instances: IdMap<InstanceId, Instance>,
    /// The items of the places above the one that is being made.
    above: Vec<ItemId>,
}

impl<'t> Resolver<'t> {
    /// The system below a root.
    pub(crate) fn instances(&mut self, root: ItemId) -> Option<CapsuleSystem> {
        let known = self.names.items[root];
        let is_actor = matches!(known.item, Item::Actor(_));
        let path = if is_actor { known.item.name().text.clone() } else { String::new() };
        let mut tree = Tree::default();
        self.place(&mut tree, Wanted { item: root, path, parent: None, optional: false, slot: None })?;
        self.wire(&mut tree);
        let stays = !self.may_destroy();
        for id in tree.instances.ids() {
            tree.instances[id].stays = stays;
        }
        let overtaking = self.may_overtake();
        let threads = self.threads(&mut tree, root);
        Some(CapsuleSystem {
            name: known.item.name().text.clone(),
            protocols: self.protocols.all.clone(),
            classes: self.classes.clone(),
            instances: tree.instances,
            threads,
            overtaking,
        })
    }

    fn place(&mut self, tree: &mut Tree<'t>, wanted: Wanted) -> Option<usize> {
        let Wanted { item, path, parent, optional, slot } = wanted;
        let name = self.names.items[item].item.name();
        if tree.above.contains(&item) {
            let message = format!("`{}` contains itself", name.text);
            self.report(Diagnostic::error(codes::CONTAINMENT_CYCLE, name.span, message));
            return None;
        }
        if tree.places.len() >= self.options.max_instances {
            let message = format!("there are more than {} instances", self.options.max_instances);
            self.report(Diagnostic::error(codes::BAD_NUMBER, name.span, message));
            return None;
        }
        let shape = self.shape(item)?;
        let mut instance = slot;
        if matches!(self.names.items[item].item, Item::Actor(_)) {
            let class = self.class(item)?;
            let ports = self.classes[class].ports.len();
            instance = Some(add_class(tree, slot, class, ports, || Instance {
                path: path.clone(),
                origin: None,
                classes: Vec::new(),
                optional,
                stays: false,
                thread: None,
                peers: Vec::new(),
            }));
            if let (Some(Slot { id, .. }), Some(parent)) = (instance, &parent) {
                let container = tree.places[parent.place].instance;
                tree.instances[id].origin = container.map(|container| Origin {
                    container: container.id,
                    class: container.class,
                    part: parent.part.clone(),
                    fixed: parent.fixed,
                });
            }
        }
        let index = tree.places.len();
        let parts = shape.parts.clone();
        let prefix = if path.is_empty() { String::new() } else { format!("{path}.") };
        tree.places.push(Place { path, shape, parent, parts: BTreeMap::new(), instance });
        tree.above.push(item);
        let several = parts.len() > 1 || !matches!(self.names.items[item].item, Item::System(_));
        for part in parts {
            // The only subsystem of a system needs no name.
            let path = if several { format!("{prefix}{}", part.name.text) } else { String::new() };
            self.part(tree, index, &part, &path, optional);
        }
        tree.above.pop();
        Some(index)
    }

    /// The instances of one part.
    fn part(&mut self, tree: &mut Tree<'t>, place: usize, part: &ShapePart<'t>, path: &str, within: bool) {
        let number = match part.multiplicity {
            Multiplicity::Number(number) => number,
            Multiplicity::Any => {
                let message = format!("any number of instances of `{}`", part.name.text);
                let found = Diagnostic::error(codes::BAD_NUMBER, part.name.span, message);
                self.report(found.with_hint("give the number of instances that there are at most"));
                return;
            }
        };
        let optional = part.optional || within;
        let items = if part.optional { self.concrete(part.item) } else { vec![part.item] };
        if items.is_empty() || (!part.optional && self.is_abstract(part.item)) {
            let message = format!("`{}` is abstract and has no instances", part.class.text);
            return self.report(Diagnostic::error(codes::ABSTRACT_INSTANCE, part.class.span, message));
        }
        for index in 0..number {
            let path = if number == 1 { path.to_owned() } else { format!("{path}[{index}]") };
            let mut slot = None;
            for &item in &items {
                let parent = Some(Parent { place, part: part.name.text.clone(), fixed: !part.optional });
                let wanted = Wanted { item, path: path.clone(), parent, optional, slot };
                let Some(made) = self.place(tree, wanted) else { return };
                slot = tree.places[made].instance.map(|made| Slot { class: made.class + 1, ..made });
                tree.places[place].parts.entry(part.name.text.clone()).or_default().push(made);
            }
        }
    }

    fn is_abstract(&self, item: ItemId) -> bool {
        matches!(self.names.items[item].item, Item::Actor(actor) if actor.is_abstract)
    }

    /// True if some code may destroy instances.
    fn may_destroy(&self) -> bool {
        let actors = self.names.items.iter().filter_map(|known| match known.item {
            Item::Actor(actor) if actor.is_flat => Some(actor),
            _ => None,
        });
        let mut actors = actors.peekable();
        actors.peek().is_none() || actors.any(|actor| actor.destroys) || self.shared_code().any(art::destroys)
    }

    /// True if some code may have messages overtake each other.
    fn may_overtake(&self) -> bool {
        let flat = self.names.items.iter().filter_map(|known| match known.item {
            Item::Actor(actor) if actor.is_flat => Some(actor),
            _ => None,
        });
        let mut flat = flat.peekable();
        flat.peek().is_some()
            && (flat.any(|actor| actor.reorders)
                || self.shared_code().any(|code| art::reordering(code).is_some()))
    }

    /// The classes that an optional part may have: the one that it names and those that inherit
    /// from it, without the abstract ones.
    fn concrete(&mut self, base: ItemId) -> Vec<ItemId> {
        let Item::Actor(wanted) = self.names.items[base].item else { return vec![base] };
        let mut all = Vec::new();
        for item in 0..self.names.items.len() {
            let Item::Actor(actor) = self.names.items[item].item else { continue };
            let inherits = |chain: &[Scoped<'t>]| chain.iter().any(|class| std::ptr::eq(class.actor, wanted));
            if !actor.is_abstract && self.chain(item).is_some_and(|chain| inherits(&chain)) {
                all.push(item);
            }
        }
        all
    }
}

/// Adds a class to an instance, which may be a new one.
fn add_class(
    tree: &mut Tree<'_>,
    slot: Option<Slot>,
    class: ClassId,
    ports: usize,
    new: impl FnOnce() -> Instance,
) -> Slot {
    let slot = slot.unwrap_or_else(|| Slot { id: tree.instances.push(new()), class: 0 });
    let instance = &mut tree.instances[slot.id];
    instance.classes.push(class);
    instance.peers.push(IdMap::filled(Vec::new(), ports));
    slot
}
