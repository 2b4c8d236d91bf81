//! Art files to the models that the resolver knows: inheritance of capsules is made flat, and what
//! Art has beyond ROOM is said with what ROOM has.

mod code;
mod graph;
mod inherit;
mod members;

pub(crate) use code::{destroys, reordering};

use std::collections::{BTreeMap, BTreeSet};

use cfsm_core::diagnostic::Diagnostic;

use crate::codes;
use crate::fragment::Fragment;
use crate::tree::art::{Capsule, File};
use crate::tree::structure::{Actor, Communication, DataKind, Structure};
use crate::tree::{Item, Name, Room, UserCode};

/// The models of Art files, in their order.
pub(crate) fn rooms(files: Vec<File>, diagnostics: &mut Vec<Diagnostic>) -> Vec<Room> {
    let mut flat: BTreeMap<String, Capsule> = BTreeMap::new();
    let declared: BTreeMap<&str, &Capsule> = files
        .iter()
        .flat_map(|file| &file.capsules)
        .map(|capsule| (capsule.name.text.as_str(), capsule))
        .collect();
    for capsule in declared.values() {
        inherit::flatten(capsule, &declared, &mut Vec::new(), &mut flat);
    }
    let of_capsules = files.iter().flat_map(|file| &file.capsules).flat_map(code::fragments);
    let others = files.iter().flat_map(|file| file.code.fragments.iter().chain(of_classes(file)));
    let all: Vec<&Fragment> = of_capsules.chain(others).collect();
    let elsewhere: BTreeSet<String> = all.iter().flat_map(|code| code::named_elsewhere(code)).collect();
    let imports = all.iter().any(|code| code::imports(code));
    if let Some(place) = all.iter().find_map(|code| reordering(code)) {
        let message =
            "messages of this system may overtake each other: by priority, deferred, or handled at once";
        let hint = "those in a queue are taken as received in any order, also in runs that are shown";
        diagnostics.push(Diagnostic::warning(codes::OVERTAKING, place, message).with_hint(hint));
    }
    let mut rooms = Vec::new();
    for file in &files {
        let name = Name { text: String::new(), span: file.span };
        let mut items: Vec<Item> = file.protocols.iter().cloned().map(Item::Protocol).collect();
        items.extend(file.classes.iter().cloned().map(Item::Data));
        for capsule in &file.capsules {
            let whole = flat.get(&capsule.name.text).unwrap_or(capsule);
            code::refuse(capsule, whole, file, diagnostics);
            let mut actor = actor(capsule, whole, &elsewhere);
            let moved = whole.parts.iter().filter(|part| part.plugin).map(|part| &part.part.name);
            for name in moved {
                // Capsules come into such a part from others only.
                if imports {
                    let found = Diagnostic::error(
                        codes::NOT_READ,
                        name.span,
                        "parts that capsules are moved into are not read yet",
                    );
                    diagnostics
                        .push(found.with_hint("no verdict can be given for a system with this capsule"));
                }
                let mut parts = actor.structure.parts.iter_mut();
                if let Some(part) = parts.find(|part| part.name.text == name.text) {
                    part.vacant = true;
                }
            }
            items.push(Item::Actor(actor));
        }
        let (annotations, imports) = Default::default();
        let mut code = file.code.clone();
        // Other capsules' files may include those of this one.
        let snippets = file.capsules.iter().flat_map(|capsule| &capsule.snippets);
        code.fragments.extend(snippets.flat_map(|snippet| code::macros(&snippet.code)));
        rooms.push(Room { name, annotations, imports, items, code });
    }
    rooms
}

/// The code of the classes of a file.
fn of_classes(file: &File) -> impl Iterator<Item = &Fragment> {
    file.classes.iter().flat_map(|class| match &class.kind {
        DataKind::Class(class) => class.code.fragments.as_slice(),
        _ => &[],
    })
}

/// The words of the code of a file.
pub(crate) fn named_in_code(file: &File) -> BTreeSet<String> {
    let code =
        file.capsules.iter().flat_map(code::fragments).chain(&file.code.fragments).chain(of_classes(file));
    code.flat_map(code::words).collect()
}

/// The names of capsules and protocols that a file uses.
pub(crate) fn named(file: &File) -> BTreeSet<String> {
    let mut all = BTreeSet::new();
    all.extend(
        file.protocols.iter().filter_map(|protocol| protocol.base.as_ref()).map(|base| base.text.clone()),
    );
    for capsule in &file.capsules {
        all.extend(capsule.base.iter().map(|base| base.text.clone()));
        all.extend(capsule.ports.iter().map(|port| port.port.protocol.text.clone()));
        all.extend(capsule.parts.iter().map(|part| part.part.class.text.clone()));
    }
    for name in
        file.capsules.iter().map(|capsule| &capsule.name).chain(file.protocols.iter().map(|own| &own.name))
    {
        all.remove(&name.text);
    }
    all
}

/// The class of a capsule: its own code, and the ports, parts, wires and machine with all that it
/// inherits.
fn actor(own: &Capsule, whole: &Capsule, elsewhere: &BTreeSet<String>) -> Actor {
    let mut structure = Structure::default();
    for port in &whole.ports {
        let known = port.port.clone();
        if port.behavior && !port.service {
            structure.internal.push(known);
            continue;
        }
        if port.behavior {
            structure.external.push(known.name.clone());
        }
        structure.interface.push(known);
    }
    structure.parts = whole.parts.iter().map(|part| part.part.clone()).collect();
    for part in &mut structure.parts {
        part.private &= !elsewhere.contains(&part.name.text);
    }
    structure.bindings = whole.connectors.clone();
    structure.notified =
        whole.ports.iter().filter(|port| port.notify).map(|port| port.port.name.clone()).collect();
    structure.unwired =
        whole.ports.iter().filter(|port| port.unwired).map(|port| port.port.name.clone()).collect();
    let members = members::members(own, elsewhere);
    let of_parts = own.parts.iter().flat_map(|part| &part.snippets).map(|snippet| snippet.code.clone());
    structure.code = UserCode { fragments: members.user_code.into_iter().chain(of_parts).collect() };
    structure.attributes = members.attributes;
    Actor {
        is_abstract: own.is_abstract,
        is_flat: true,
        destroys: code::any_destroys(own),
        reorders: code::fragments(own).into_iter().any(|code| reordering(code).is_some()),
        communication: Communication::EventDriven,
        name: own.name.clone(),
        base: own.base.clone(),
        annotations: Vec::new(),
        structure,
        operations: members.operations,
        machine: whole.machine.as_ref().map(|machine| graph::machine(machine, &whole.ports)),
    }
}
