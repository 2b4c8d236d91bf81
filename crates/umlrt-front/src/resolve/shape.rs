//! Actor classes, subsystem classes and systems with their inheritance flattened: what they consist
//! of, before there are instances.

use std::collections::BTreeMap;

use cfsm_core::diagnostic::Diagnostic;

use super::Resolver;
use super::names::ItemId;
use super::protocols::Typing;
use crate::codes;
use crate::tree::structure::{Actor, Binding, EndPoint, Layer, Multiplicity, Structure};
use crate::tree::{Item, Name, Room};
use cfsm_core::suggest::closest;

/// A class of containers: ports, parts and wires.
#[derive(Clone)]
pub(crate) struct Shape<'t> {
    pub(crate) name: &'t Name,
    /// It is a capsule of Art.
    pub(crate) is_art: bool,
    pub(crate) ports: Vec<ShapePort<'t>>,
    pub(crate) parts: Vec<ShapePart<'t>>,
    /// Names of parts whose classes are not known.
    pub(crate) lost: Vec<&'t Name>,
    pub(crate) bindings: Vec<&'t Binding>,
    pub(crate) layers: Vec<&'t Layer>,
}

/// A port of a container.
#[derive(Clone)]
pub(crate) struct ShapePort<'t> {
    pub(crate) name: &'t Name,
    pub(crate) typing: Typing,
    pub(crate) conjugated: bool,
    pub(crate) multiplicity: Multiplicity,
    pub(crate) kind: PortKind,
    /// The machine sends to it and receives from it; else it passes on.
    pub(crate) end: bool,
    /// It is told when its wires come and go.
    pub(crate) notified: bool,
    /// Code wires it while the system runs.
    pub(crate) unwired: bool,
}

/// The way in which a port is wired.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PortKind {
    /// By bindings, from inside the container.
    Internal,
    /// By bindings, from outside the container.
    Interface,
    /// By layers, as the one that is served.
    Access,
    /// By layers, as the one that serves.
    Provision,
}

/// A part of a container.
#[derive(Clone)]
pub(crate) struct ShapePart<'t> {
    pub(crate) name: &'t Name,
    pub(crate) class: &'t Name,
    pub(crate) item: ItemId,
    pub(crate) multiplicity: Multiplicity,
    pub(crate) optional: bool,
}

/// A class with the model that it stands in.
#[derive(Clone, Copy)]
pub(crate) struct Scoped<'t> {
    pub(crate) actor: &'t Actor,
    pub(crate) room: &'t Room,
}

impl<'t> Scoped<'t> {
    /// Of a class and those it inherits from, those whose structure and machine it has: all, or
    /// itself alone where these are flat.
    pub(crate) fn own(chain: &[Self]) -> &[Self] {
        match chain.split_last() {
            Some((last, bases)) if last.actor.is_flat => &chain[bases.len()..],
            _ => chain,
        }
    }
}

impl<'t> Resolver<'t> {
    /// An actor class and those it inherits from, the base first; nothing if it inherits from
    /// itself or from a class that does not exist.
    pub(crate) fn chain(&mut self, item: ItemId) -> Option<Vec<Scoped<'t>>> {
        let (mut chain, mut met, mut at) = (Vec::new(), vec![item], item);
        loop {
            let known = self.names.items[at];
            let Item::Actor(actor) = known.item else { return None };
            chain.push(Scoped { actor, room: known.room });
            let Some(base) = &actor.base else { break };
            let fits = |item: &Item| matches!(item, Item::Actor(_));
            let found = self.names.find(known.room, &base.text);
            let Some(next) = found.filter(|&id| fits(self.names.items[id].item)) else {
                let found = self.names.unknown(base, "actor class", fits);
                self.report(found);
                return None;
            };
            if met.contains(&next) {
                let message = format!("the actor class `{}` inherits from itself", actor.name.text);
                self.report(Diagnostic::error(codes::INHERITANCE_CYCLE, base.span, message));
                return None;
            }
            met.push(next);
            at = next;
        }
        chain.reverse();
        Some(chain)
    }

    /// The shape of an item, which is an actor class, a subsystem class or a system.
    pub(crate) fn shape(&mut self, item: ItemId) -> Option<Shape<'t>> {
        if let Some(known) = self.shapes.get(&item) {
            return known.clone();
        }
        self.making.push(item);
        let shape = self.make_shape(item);
        self.making.pop();
        self.shapes.insert(item, shape.clone());
        shape
    }

    fn make_shape(&mut self, item: ItemId) -> Option<Shape<'t>> {
        let known = self.names.items[item];
        let structures: Vec<(&'t Room, &'t Structure)> = match known.item {
            Item::Actor(_) => {
                let chain = self.chain(item)?;
                Scoped::own(&chain).iter().map(|class| (class.room, &class.actor.structure)).collect()
            }
            Item::SubSystem(class) => vec![(known.room, &class.structure)],
            Item::System(system) => vec![(known.room, &system.structure)],
            _ => return None,
        };
        let mut shape = Shape {
            name: known.item.name(),
            is_art: matches!(known.item, Item::Actor(actor) if actor.is_flat),
            ports: Vec::new(),
            parts: Vec::new(),
            lost: Vec::new(),
            bindings: Vec::new(),
            layers: Vec::new(),
        };
        let is_actor = matches!(known.item, Item::Actor(_));
        let external: Vec<&Name> = structures.iter().flat_map(|(_, own)| &own.external).collect();
        let implemented: Vec<&Name> = structures.iter().flat_map(|(_, own)| &own.implemented).collect();
        for (room, structure) in structures {
            self.ports_of(&mut shape, room, structure);
            self.parts_of(&mut shape, matches!(known.item, Item::System(_)), room, structure);
            shape.bindings.extend(&structure.bindings);
            shape.layers.extend(&structure.layers);
        }
        for (names, kind) in [(external, PortKind::Interface), (implemented, PortKind::Provision)] {
            for name in names {
                let found =
                    shape.ports.iter_mut().find(|port| port.name.text == name.text && port.kind == kind);
                match found {
                    Some(port) => port.end = is_actor,
                    None => self.unknown_port(&shape, name),
                }
            }
        }
        self.check_wires(&shape);
        Some(shape)
    }

    fn ports_of(&mut self, shape: &mut Shape<'t>, room: &'t Room, structure: &'t Structure) {
        let interface = structure.interface.iter().map(|port| (port, PortKind::Interface));
        let internal = structure.internal.iter().map(|port| (port, PortKind::Internal));
        for (port, kind) in interface.chain(internal) {
            let typing = self.typing(room, &port.protocol);
            let end = kind == PortKind::Internal;
            let (conjugated, multiplicity) = (port.conjugated, port.multiplicity);
            let name = &port.name;
            let notified = structure.notified.iter().any(|known| known.text == name.text);
            let unwired = structure.unwired.iter().any(|known| known.text == name.text);
            let make =
                |typing| ShapePort { name, typing, conjugated, multiplicity, kind, end, notified, unwired };
            self.add_port(shape, &port.name, typing.map(make));
        }
        let access = structure.access.iter().map(|point| (point, PortKind::Access));
        let provision = structure.provision.iter().map(|point| (point, PortKind::Provision));
        for (point, kind) in access.chain(provision) {
            let typing = self.typing(room, &point.class);
            let access = kind == PortKind::Access;
            let multiplicity = if access { Multiplicity::Number(1) } else { Multiplicity::Any };
            let make = |typing| ShapePort {
                name: &point.name,
                typing,
                conjugated: access,
                multiplicity,
                kind,
                end: access,
                notified: false,
                unwired: false,
            };
            self.add_port(shape, &point.name, typing.map(make));
        }
    }

    fn add_port(&mut self, shape: &mut Shape<'t>, name: &'t Name, port: Option<ShapePort<'t>>) {
        if let Some(first) = shape.ports.iter().find(|known| known.name.text == name.text) {
            let message = format!("there is a port `{}` already", name.text);
            let found = Diagnostic::error(codes::REDECLARED, name.span, message)
                .with_label(first.name.span, "the first declaration");
            return self.report(found);
        }
        shape.ports.extend(port);
    }

    fn parts_of(&mut self, shape: &mut Shape<'t>, in_system: bool, room: &'t Room, structure: &'t Structure) {
        for part in &structure.parts {
            let name = &part.name;
            if shape.parts.iter().any(|known| known.name.text == name.text) {
                let message = format!("there is a part `{}` already", name.text);
                self.report(Diagnostic::error(codes::REDECLARED, name.span, message));
                continue;
            }
            let (fits, kind): (fn(&Item) -> bool, _) = if in_system {
                (|item| matches!(item, Item::SubSystem(_)), "subsystem class")
            } else {
                // Files of Art have no name.
                let kind = if room.name.text.is_empty() { "capsule" } else { "actor class" };
                (|item| matches!(item, Item::Actor(_)), kind)
            };
            let found = self.names.find(room, &part.class.text);
            let Some(item) = found.filter(|&id| fits(self.names.items[id].item)) else {
                let found = self.names.unknown(&part.class, kind, fits);
                self.report(found);
                shape.lost.push(name);
                continue;
            };
            if part.multiplicity == Multiplicity::Number(0) && !part.vacant {
                let message = format!("there are no instances of `{}`", name.text);
                self.report(Diagnostic::error(codes::BAD_NUMBER, name.span, message));
            }
            let (class, optional) = (&part.class, part.optional);
            let multiplicity = if part.vacant { Multiplicity::Number(0) } else { part.multiplicity };
            shape.parts.push(ShapePart { name, class, item, multiplicity, optional });
        }
    }

    /// Reports bindings and layers that name what is not there. Shapes of parts are needed for
    /// that; a part of the class itself is left out.
    fn check_wires(&mut self, shape: &Shape<'t>) {
        for binding in shape.bindings.clone() {
            for end in [&binding.one, &binding.other] {
                self.check_end(shape, end);
            }
        }
        for layer in shape.layers.clone() {
            if layer.relayed {
                if !shape.ports.iter().any(|port| port.name.text == layer.from.text) {
                    self.unknown_port(shape, &layer.from);
                }
            } else {
                self.check_part(shape, &layer.from);
            }
            self.check_part(shape, &layer.part);
        }
    }

    fn check_part(&mut self, shape: &Shape<'t>, name: &Name) -> Option<ItemId> {
        let found = shape.parts.iter().find(|part| part.name.text == name.text).map(|part| part.item);
        if found.is_none() && !shape.lost.iter().any(|lost| lost.text == name.text) {
            let near = closest(&name.text, shape.parts.iter().map(|part| part.name.text.as_str()));
            let message = format!("`{}` has no part `{}`", shape.name.text, name.text);
            let hint = near.map(|near| format!("did you mean `{near}`?"));
            self.report(Diagnostic::error(codes::UNKNOWN_PART, name.span, message).with_hint_if(hint));
        }
        found
    }

    fn check_end(&mut self, shape: &Shape<'t>, end: &EndPoint) {
        let Some(part) = &end.part else {
            if !shape.ports.iter().any(|port| port.name.text == end.port.text) {
                self.unknown_port(shape, &end.port);
            }
            return;
        };
        let Some(item) = self.check_part(shape, part) else { return };
        // Shapes are made inside out; a class that contains itself is reported elsewhere.
        if self.making.contains(&item) {
            return;
        }
        if let Some(inner) = self.shape(item)
            && !inner.ports.iter().any(|port| port.name.text == end.port.text)
        {
            self.unknown_port(&inner, &end.port);
        }
    }

    pub(crate) fn unknown_port(&mut self, shape: &Shape<'_>, name: &Name) {
        let near = closest(&name.text, shape.ports.iter().map(|port| port.name.text.as_str()));
        let message = format!("`{}` has no port `{}`", shape.name.text, name.text);
        let hint = near.map(|near| format!("did you mean `{near}`?"));
        self.report(Diagnostic::error(codes::UNKNOWN_PORT, name.span, message).with_hint_if(hint));
    }

    fn typing(&mut self, room: &'t Room, name: &Name) -> Option<Typing> {
        self.protocols.typing(&self.names, room, name, &mut self.diagnostics)
    }
}

/// Shapes by item; nothing where one could not be made.
pub(crate) type Shapes<'t> = BTreeMap<ItemId, Option<Shape<'t>>>;
