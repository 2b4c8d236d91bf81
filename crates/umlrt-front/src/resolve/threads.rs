//! Threads: those that a mapping assigns instances to. What eTrice's generator does is followed.
//!
//! A mapping says which node a subsystem is on, and which thread of the node each logical thread
//! of the subsystem class is. The class says which logical thread its instances are on: each
//! mapping of an instance counts for all that the instance contains, unless a further one says
//! otherwise. What no mapping names is on the default thread.

use std::collections::BTreeMap;

use cfsm_core::diagnostic::Diagnostic;
use cfsm_core::ids::IdMap;
use cfsm_core::suggest::closest;

use super::Resolver;
use super::instances::Tree;
use super::names::ItemId;
use crate::codes;
use crate::model::{Thread, ThreadId};
use crate::tree::physical::{
    self, Mapping, MappingModel, NodeClass, Physical, PhysicalSystem, Setting, SubSystemMapping,
};
use crate::tree::structure::{InstanceMapping, Segment, SubSystem};
use crate::tree::{Item, Name};

/// The logical thread of instances that nothing assigns to another one.
const DEFAULT: &str = "defaultThread";

/// A physical system with the model that declares it.
#[derive(Clone, Copy)]
struct Board<'t> {
    physical: &'t Physical,
    system: &'t PhysicalSystem,
}

/// A subsystem on its node.
struct Placed<'t> {
    class: &'t SubSystem,
    mapping: &'t SubSystemMapping,
    node: &'t NodeClass,
    /// Other subsystems are on the same node.
    shared_node: bool,
}

/// A mapping of instances below a place: the rest of its path.
struct Below<'t> {
    path: &'t [Segment],
    mapping: &'t InstanceMapping,
}

/// A place that gets its thread.
struct Wanted<'t> {
    place: usize,
    thread: Option<ThreadId>,
    below: Vec<Below<'t>>,
}

/// The threads as far as instances are on them.
#[derive(Default)]
struct Threads {
    all: IdMap<ThreadId, Thread>,
    by_name: BTreeMap<String, ThreadId>,
}

impl<'t> Resolver<'t> {
    /// Assigns the instances of a system to the threads that the mapping names; none if the text is
    /// no mapping.
    pub(crate) fn threads(&mut self, tree: &mut Tree<'t>, root: ItemId) -> IdMap<ThreadId, Thread> {
        let mut threads = Threads::default();
        let files = self.files;
        let name = &self.names.items[root].item.name().text;
        let Some(model) = files.mapping() else { return threads.all };
        let Some(mapping) = model.mappings.iter().find(|mapping| mapping.logical.last() == name) else {
            return threads.all;
        };
        let Some(system) = self.physical_system(model, mapping) else { return threads.all };
        let parts = tree.places[0].shape.parts.clone();
        for subsystem in &mapping.subsystems {
            if !parts.iter().any(|part| part.name.text == subsystem.logical.text) {
                self.unknown(&subsystem.logical, "subsystem", parts.iter().map(|part| part.name));
            }
        }
        for part in &parts {
            let Item::SubSystem(class) = self.names.items[part.item].item else { continue };
            let Some(placed) = self.placed(class, part.name, mapping, system) else { continue };
            let thread = self.default_thread(&placed, &mut threads);
            for &place in tree.places[0].parts.get(&part.name.text).cloned().unwrap_or_default().iter() {
                let below = class.mappings.iter().map(|mapping| Below { path: &mapping.path, mapping });
                let wanted = Wanted { place, thread, below: below.collect() };
                self.assign(tree, wanted, &placed, &mut threads);
            }
        }
        threads.all
    }

    /// The physical system of a mapping.
    fn physical_system(&mut self, model: &'t MappingModel, mapping: &'t Mapping) -> Option<Board<'t>> {
        let wanted = &mapping.physical;
        let boards = self
            .files
            .physical()
            .flat_map(|physical| physical.systems.iter().map(move |system| Board { physical, system }));
        let named = boards.clone().filter(|board| board.system.name.text == wanted.last()).collect();
        match model.denoted(wanted, named, |board| &board.physical.name.text).as_slice() {
            [only] => return Some(*only),
            [] => self.unknown(wanted, "physical system", boards.map(|board| &board.system.name)),
            several => {
                let models: Vec<&str> =
                    several.iter().map(|board| board.physical.name.text.as_str()).collect();
                let message = format!("there are several physical systems `{}`", wanted.text);
                let hint = format!("write its model before it: {}", models.join(", "));
                self.report(Diagnostic::error(codes::UNKNOWN_THREAD, wanted.span, message).with_hint(hint));
            }
        }
        None
    }

    /// The node that a subsystem is on.
    fn placed(
        &mut self,
        class: &'t SubSystem,
        part: &Name,
        all: &'t Mapping,
        Board { physical, system }: Board<'t>,
    ) -> Option<Placed<'t>> {
        let found = all.subsystems.iter().find(|subsystem| subsystem.logical.text == part.text);
        let Some(mapping) = found else {
            let message = format!("the subsystem `{}` is on no node", part.text);
            let hint = format!("map it: `SubSystemMapping {} -> ...`", part.text);
            let found = Diagnostic::error(codes::UNKNOWN_THREAD, all.logical.span, message);
            self.report(found.with_hint(hint));
            return None;
        };
        let Some(node) = system.nodes.iter().find(|node| node.name.text == mapping.node.text) else {
            self.unknown(&mapping.node, "node", system.nodes.iter().map(|node| &node.name));
            return None;
        };
        let others = self.files.physical().filter(|other| !std::ptr::eq(*other, physical));
        let models = std::iter::once(physical).chain(others);
        let is_full = node.class.text.contains('.');
        let fits = |model: &Physical, class: &NodeClass| {
            class.name.text == node.class.last()
                && (!is_full || node.class.text == format!("{}.{}", model.name.text, class.name.text))
        };
        let classes = models.flat_map(|model| model.nodes.iter().map(move |class| (model, class)));
        let Some((_, node)) = classes.clone().find(|(model, class)| fits(model, class)) else {
            self.unknown(&node.class, "node class", classes.map(|(_, class)| &class.name));
            return None;
        };
        let logical = |name: &str| name == DEFAULT || class.threads.iter().any(|own| own.text == name);
        for thread in &mapping.threads {
            if !logical(&thread.logical.text) {
                self.unknown(&thread.logical, "logical thread", &class.threads);
            }
            if !node.threads.iter().any(|own| own.name.text == thread.physical.text) {
                self.unknown(&thread.physical, "thread", node.threads.iter().map(|own| &own.name));
            }
        }
        let shared_node =
            all.subsystems.iter().filter(|other| other.node.text == mapping.node.text).count() > 1;
        Some(Placed { class, mapping, node, shared_node })
    }

    /// The thread that a logical one is, by a name that is checked if it stands in the text.
    fn thread(
        &mut self,
        placed: &Placed<'_>,
        logical: &str,
        written: Option<&Name>,
        threads: &mut Threads,
    ) -> Option<ThreadId> {
        let Placed { class, mapping, node, .. } = placed;
        if let Some(written) = written.filter(|_| logical != DEFAULT)
            && !class.threads.iter().any(|own| own.text == logical)
        {
            self.unknown(written, "logical thread", &class.threads);
        }
        match mapping.threads.iter().find(|thread| thread.logical.text == logical) {
            Some(mapped) => {
                let thread = node.threads.iter().find(|own| own.name.text == mapped.physical.text)?;
                Some(self.thread_id(placed, thread, threads))
            }
            None => self.default_thread(placed, threads),
        }
    }

    /// The thread of instances that nothing maps: the default thread of the node, whichever thread
    /// is mapped to that name.
    fn default_thread(&mut self, placed: &Placed<'_>, threads: &mut Threads) -> Option<ThreadId> {
        let Placed { node, mapping, .. } = placed;
        let Some(thread) = node.threads.iter().find(|own| own.default) else {
            let message = format!("the node class `{}` has no `DefaultThread`", node.name.text);
            self.report(Diagnostic::error(codes::UNKNOWN_THREAD, node.name.span, message));
            return None;
        };
        let mapped = mapping.threads.iter().find(|mapped| mapped.logical.text == DEFAULT);
        if let Some(mapped) = mapped.filter(|mapped| mapped.physical.text != thread.name.text) {
            let message = format!("instances that nothing maps are on `{}` all the same", thread.name.text);
            let hint = "the default thread of the node is theirs; map them by name";
            let found = Diagnostic::warning(codes::DEFAULT_THREAD, mapped.physical.span, message);
            self.report(found.with_hint(hint));
        }
        Some(self.thread_id(placed, thread, threads))
    }

    /// The thread of a node, for one of its subsystems: each subsystem on a node has threads of its
    /// own.
    fn thread_id(
        &mut self,
        placed: &Placed<'_>,
        thread: &physical::Thread,
        threads: &mut Threads,
    ) -> ThreadId {
        let Placed { mapping, shared_node, .. } = placed;
        let place = if *shared_node {
            format!("{}.{}", mapping.logical.text, mapping.node.text)
        } else {
            mapping.node.text.clone()
        };
        let name = format!("{place}.{}", thread.name.text);
        if let Some(&known) = threads.by_name.get(&name) {
            return known;
        }
        let pool = setting(&thread.settings, "msgpoolsize").and_then(|size| size.text.parse().ok());
        let mode = setting(&thread.settings, "execmode").map(|mode| mode.text.as_str());
        let polls = matches!(mode, Some("polled" | "mixed"));
        if pool.is_none_or(|pool| pool <= u32::from(polls)) {
            let message = format!("the thread `{}` has no room for a message", thread.name.text);
            let hint = "give it a `msgpoolsize` of 1 at least, and of 2 if it polls";
            self.report(Diagnostic::error(codes::UNKNOWN_THREAD, thread.name.span, message).with_hint(hint));
        }
        let id = threads.all.push(Thread { name: name.clone(), pool, polls, span: thread.name.span });
        threads.by_name.insert(name, id);
        id
    }

    /// Assigns the instances of a place and below it.
    fn assign(
        &mut self,
        tree: &mut Tree<'t>,
        wanted: Wanted<'t>,
        placed: &Placed<'t>,
        threads: &mut Threads,
    ) {
        let Wanted { place, thread, below } = wanted;
        if let Some(slot) = tree.places[place].instance {
            tree.instances[slot.id].thread = thread;
        }
        let parts = tree.places[place].parts.clone();
        for Below { path, .. } in &below {
            if let Some(first) = path.first().filter(|first| !parts.contains_key(&first.name.text)) {
                let shape = tree.places[place].shape.clone();
                self.unknown(&first.name, "instance", shape.parts.iter().map(|part| part.name));
            }
        }
        for (name, places) in parts {
            self.check_indices(tree, &name, &places, &below);
            let mut instances = Vec::new();
            for place in places {
                // An optional instance has a place for each class that it may have.
                let id = tree.places[place].instance.map(|slot| slot.id);
                if instances.last() != Some(&id) {
                    instances.push(id);
                }
                let mut next = Wanted { place, thread, below: Vec::new() };
                for Below { path, mapping } in &below {
                    let [first, rest @ ..] = path else { continue };
                    let fits = first.index.is_none_or(|index| index as usize + 1 == instances.len());
                    if first.name.text != name || !fits {
                        continue;
                    }
                    if rest.is_empty() {
                        next.thread =
                            self.thread(placed, &mapping.thread.text, Some(&mapping.thread), threads);
                        let inner = mapping.inner.iter();
                        next.below.extend(inner.map(|mapping| Below { path: &mapping.path, mapping }));
                    } else {
                        next.below.push(Below { path: rest, mapping });
                    }
                }
                self.assign(tree, next, placed, threads);
            }
        }
    }

    /// A path has an index at each of several instances, and none at a single one.
    fn check_indices(&mut self, tree: &Tree<'t>, name: &str, places: &[usize], below: &[Below<'t>]) {
        let mut instances: Vec<_> =
            places.iter().map(|&place| tree.places[place].instance.map(|slot| slot.id)).collect();
        instances.dedup();
        let firsts = below.iter().filter_map(|below| below.path.first());
        for first in firsts.filter(|first| first.name.text == name) {
            let hint = match (first.index, instances.len()) {
                (None, 2..) => format!("map each of them: `{name}:0`, `{name}:1` and so on"),
                (Some(_), 1) => format!("there is only one: write `{name}`"),
                (Some(index), count) if index as usize >= count => format!("there are {count} of them"),
                _ => continue,
            };
            let message = format!("the mapping of `{name}` is one of no instance");
            let found = Diagnostic::error(codes::UNKNOWN_THREAD, first.name.span, message);
            self.report(found.with_hint(hint));
        }
    }

    fn unknown<'n>(&mut self, name: &Name, kind: &str, known: impl IntoIterator<Item = &'n Name>) {
        let message = format!("there is no {kind} `{}`", name.text);
        let near = closest(&name.text, known.into_iter().map(|known| known.text.as_str()));
        let hint = near.map(|near| format!("did you mean `{near}`?"));
        self.report(Diagnostic::error(codes::UNKNOWN_THREAD, name.span, message).with_hint_if(hint));
    }
}

/// The value of a setting.
fn setting<'s>(settings: &'s [Setting], key: &str) -> Option<&'s Name> {
    settings.iter().find(|setting| setting.key.text == key).map(|setting| &setting.value)
}
