//! Bindings and layers to peers: from each end port to the end ports at the other ends of its
//! wires.

use std::collections::{BTreeMap, BTreeSet};

use cfsm_core::diagnostic::Diagnostic;
use cfsm_core::source::Span;

use super::Resolver;
use super::instances::{Place, Slot, Tree};
use super::protocols::Typing;
use super::shape::{PortKind, ShapePort};
use crate::codes;
use crate::model::{Message, Peer, ProtocolId};
use crate::tree::structure::EndPoint;

/// A port of a place, or a part of one whose protocol is a compound.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct PortNode {
    place: usize,
    port: String,
    /// The names of the parts of the compound protocol.
    sub: Vec<String>,
}

/// The wires at one port.
#[derive(Default)]
struct Wires {
    /// Drawn in the container itself.
    inside: Vec<Wire>,
    /// Drawn in the container of the container.
    outside: Vec<Wire>,
}

/// A wire, at one of its ports.
#[derive(Clone)]
struct Wire {
    /// The port at the other end.
    to: PortNode,
    /// False for a wire that may be missing.
    certain: bool,
}

type Network = BTreeMap<PortNode, Wires>;

/// An end port that wires may lead to.
struct Reached {
    node: PortNode,
    certain: bool,
}

impl<'t> Resolver<'t> {
    /// Finds the peers of all end ports.
    pub(crate) fn wire(&mut self, tree: &mut Tree<'t>) {
        let mut network = Network::new();
        for index in 0..tree.places.len() {
            for binding in tree.places[index].shape.bindings.clone() {
                let Some(ones) = self.ends(tree, index, &binding.one) else { continue };
                let Some(others) = self.ends(tree, index, &binding.other) else { continue };
                self.check_fit(tree, &ones, &others, index, binding.span);
                let wanted = wires_of(tree, index, &ones, &others);
                if wanted.number > self.options.max_instances {
                    let message = "the number of wires between these ports is not known";
                    self.report(Diagnostic::error(codes::BAD_NUMBER, binding.span, message));
                    continue;
                }
                connect(&mut network, index, wanted, &ones, &others);
            }
        }
        let mut links = self.links(tree, &network);
        self.layers(tree, &mut links);
        self.unwired(tree, &mut links);
        for (node, reached) in links {
            let slot = tree.places[node.place].instance;
            let Some(Slot { id, class }) = slot else { continue };
            let Some(port) = self.port_id(tree, &node, slot) else { continue };
            let mut peers: Vec<Peer> = reached
                .iter()
                .filter_map(|reached| {
                    let slot = tree.places[reached.node.place].instance?;
                    let port = self.port_id(tree, &reached.node, Some(slot))?;
                    Some(Peer { instance: slot.id, class: slot.class, port, certain: reached.certain })
                })
                .collect();
            peers.sort();
            // Generators differ in whether several wires between two ports are one.
            let place = |peer: &Peer| (peer.instance, peer.class, peer.port);
            for at in 1..peers.len() {
                peers[at].certain &= place(&peers[at]) != place(&peers[at - 1]);
            }
            tree.instances[id].peers[class][port] = peers;
        }
    }

    fn port_id(&self, tree: &Tree<'t>, node: &PortNode, slot: Option<Slot>) -> Option<crate::model::PortId> {
        let Slot { id, class } = slot?;
        let class = tree.instances[id].classes[class];
        self.classes[class].port(&node.name())
    }

    /// The ports of all instances that an end of a binding denotes.
    fn ends(&mut self, tree: &Tree<'t>, index: usize, end: &EndPoint) -> Option<Vec<PortNode>> {
        let place = &tree.places[index];
        let places = match &end.part {
            None => vec![index],
            Some(part) => place.parts.get(&part.text)?.clone(),
        };
        let sub: Vec<String> = end.sub.iter().map(|sub| sub.text.clone()).collect();
        let node = |place| PortNode { place, port: end.port.text.clone(), sub: sub.clone() };
        let nodes: Vec<PortNode> = places.into_iter().map(node).collect();
        nodes.iter().all(|node| port_of(tree, node).is_some()).then_some(nodes)
    }

    /// Reports ends that do not fit: other protocols, or the wrong conjugation.
    fn check_fit(
        &mut self,
        tree: &Tree<'t>,
        ones: &[PortNode],
        others: &[PortNode],
        index: usize,
        span: Span,
    ) {
        let (Some(one), Some(other)) = (ones.first(), others.first()) else { return };
        let (Some(first), Some(second)) = (port_of(tree, one), port_of(tree, other)) else { return };
        let is_relay =
            |node: &PortNode, port: &ShapePort<'_>| node.place == index && port.kind == PortKind::Interface;
        let relays = is_relay(one, first) != is_relay(other, second);
        let (types, sub) = (typing_at(first, &one.sub), typing_at(second, &other.sub));
        let symmetric = matches!(types, Some(Typing::Plain(one)) if self.is_symmetric(*one));
        let fits = (first.conjugated == second.conjugated) == relays || symmetric;
        let same = match (types, sub) {
            (Some(Typing::Plain(one)), Some(Typing::Plain(other))) => self.related(*one, *other),
            (Some(Typing::Compound(_)), Some(Typing::Compound(_))) => true,
            _ => false,
        };
        // The port of the container itself, not that of a part.
        let own = if is_relay(one, first) { first } else { second };
        let (end, to_itself) = (own.end, ones == others);
        if to_itself || (tree.places[index].shape.is_art && relays && end) {
            let message = if to_itself {
                "a port is connected with itself"
            } else {
                "a behavior port passes nothing on"
            };
            self.report(Diagnostic::error(codes::UNFIT_BINDING, span, message));
        } else if !same {
            let message = format!("`{}` and `{}` have different protocols", one.name(), other.name());
            self.report(Diagnostic::error(codes::UNFIT_BINDING, span, message));
        } else if !fits {
            let hint = if relays {
                "a port and the port of a part that it passes on to are both conjugated, or neither"
            } else {
                "one of two ports that talk to each other is conjugated"
            };
            let message = format!("`{}` and `{}` do not fit each other", one.name(), other.name());
            self.report(Diagnostic::error(codes::UNFIT_BINDING, span, message).with_hint(hint));
        }
    }

    /// True if the messages of a protocol are the same in both directions.
    fn is_symmetric(&self, protocol: ProtocolId) -> bool {
        let protocol = &self.protocols.all[protocol];
        let both = |message: &Message| protocol.message(&message.name, !message.incoming).is_some();
        protocol.messages.values().all(both)
    }

    /// True if two protocols are the same, or one has all messages of the other.
    fn related(&self, one: ProtocolId, other: ProtocolId) -> bool {
        let has = |one: ProtocolId, other: ProtocolId| {
            let (one, other) = (&self.protocols.all[one], &self.protocols.all[other]);
            other.messages.values().all(|message| one.message(&message.name, message.incoming).is_some())
        };
        one == other || has(one, other) || has(other, one)
    }

    /// The end ports that each end port leads to over bindings.
    fn links(&mut self, tree: &Tree<'t>, network: &Network) -> BTreeMap<PortNode, Vec<Reached>> {
        let mut links = BTreeMap::new();
        for (node, wires) in network {
            if !is_end(tree, node) {
                continue;
            }
            let (path, most) = (vec![node.clone()], self.options.max_instances);
            let mut search = Search { tree, network, path, reached: Vec::new(), most };
            // The network has the wires that are drawn to the port as a whole only.
            for next in wires.inside.iter().chain(&wires.outside) {
                search.follow(node, next);
            }
            if search.reached.len() > most
                && let Some(port) = port_of(tree, node)
            {
                let message = format!("`{}` has more than {most} wires", port.name.text);
                self.report(Diagnostic::error(codes::BAD_NUMBER, port.name.span, message));
            }
            links.insert(node.clone(), search.reached);
        }
        let crowded: BTreeSet<PortNode> = links
            .iter()
            .filter(|(node, reached)| {
                port_of(tree, node).is_some_and(|port| reached.len() > port.multiplicity.most())
            })
            .map(|(node, _)| node.clone())
            .collect();
        for (node, reached) in &mut links {
            for reached in reached.iter_mut() {
                // An optional instance is there in one class at a time.
                if crowded.contains(node) || crowded.contains(&reached.node) {
                    reached.certain = false;
                }
            }
            if reached.len() > 1 && reached.iter().any(|reached| !reached.certain) {
                let span = port_of(tree, node).map(|port| port.name.span);
                let message = format!(
                    "`{}.{}` may be wired to {} ports, and not to all of them at once",
                    tree.places[node.place].path,
                    node.name(),
                    reached.len()
                );
                let found = span.map(|span| Diagnostic::warning(codes::UNCERTAIN_WIRES, span, message));
                if let Some(found) = found {
                    self.report(found.with_hint("a message is taken as sent to any of them"));
                }
            }
        }
        links
    }

    /// The links between ports that code wires: any two that fit each other may be wired at any
    /// time, or not.
    fn unwired(&mut self, tree: &Tree<'t>, links: &mut BTreeMap<PortNode, Vec<Reached>>) {
        let ports = tree.places.iter().enumerate().flat_map(|(place, known)| {
            let unwired = known.shape.ports.iter().filter(|port| port.unwired && port.end);
            unwired.map(move |port| (PortNode { place, port: port.name.text.clone(), sub: Vec::new() }, port))
        });
        let ports: Vec<(PortNode, &ShapePort<'_>)> = ports.collect();
        let most = self.options.max_instances;
        if let Some((_, port)) =
            ports.first().filter(|_| ports.len().saturating_pow(2) > most.saturating_mul(100))
        {
            let message = format!("code may wire {} ports with each other, which is too many", ports.len());
            return self.report(Diagnostic::error(codes::BAD_NUMBER, port.name.span, message));
        }
        for (node, port) in &ports {
            let Typing::Plain(protocol) = port.typing else { continue };
            let fits = |other: &&(PortNode, &ShapePort<'_>)| {
                let is_same = matches!(other.1.typing, Typing::Plain(known) if known == protocol);
                let talks = port.conjugated != other.1.conjugated || self.is_symmetric(protocol);
                is_same && talks && other.0 != *node
            };
            let peers =
                ports.iter().filter(fits).map(|(node, _)| Reached { node: node.clone(), certain: false });
            let peers: Vec<Reached> = peers.collect();
            let (path, name) = (&tree.places[node.place].path, &port.name.text);
            let message = format!("code wires `{path}.{name}`: to any of {} ports, or to none", peers.len());
            if !peers.is_empty() {
                let found = Diagnostic::warning(codes::UNCERTAIN_WIRES, port.name.span, message);
                self.report(found.with_hint("a message is taken as sent to any of them"));
            }
            links.entry(node.clone()).or_default().extend(peers);
        }
    }

    /// The links between service access points and the provision points that serve them.
    fn layers(&mut self, tree: &Tree<'t>, links: &mut BTreeMap<PortNode, Vec<Reached>>) {
        for (index, place) in tree.places.iter().enumerate() {
            for port in place.shape.ports.iter().filter(|port| port.kind == PortKind::Access) {
                let Typing::Plain(protocol) = port.typing else { continue };
                let node = PortNode { place: index, port: port.name.text.clone(), sub: Vec::new() };
                let Some(service) = service_of(tree, index, protocol) else {
                    let message = format!("nothing serves `{}.{}`", place.path, port.name.text);
                    let hint = "a `LayerConnection` of a container leads to what serves it";
                    let found = Diagnostic::warning(codes::UNSERVED, port.name.span, message);
                    self.report(found.with_hint(hint));
                    continue;
                };
                links.entry(service.clone()).or_default().push(Reached { node: node.clone(), certain: true });
                links.entry(node).or_default().push(Reached { node: service, certain: true });
            }
        }
    }
}

impl PortNode {
    /// The name of the port, with the parts of the compound protocol behind it.
    fn name(&self) -> String {
        let parts = std::iter::once(&self.port).chain(&self.sub);
        parts.map(String::as_str).collect::<Vec<_>>().join(".")
    }
}

fn port_of<'p, 't>(tree: &'p Tree<'t>, node: &PortNode) -> Option<&'p ShapePort<'t>> {
    tree.places[node.place].shape.ports.iter().find(|port| port.name.text == node.port)
}

/// The typing of a part of a port.
fn typing_at<'p>(port: &'p ShapePort<'_>, sub: &[String]) -> Option<&'p Typing> {
    sub.iter().try_fold(&port.typing, |typing, name| match typing {
        Typing::Compound(parts) => parts.get(name),
        Typing::Plain(_) => None,
    })
}

fn is_end(tree: &Tree<'_>, node: &PortNode) -> bool {
    port_of(tree, node).is_some_and(|port| port.end)
}

/// The wires of a binding.
#[derive(Clone, Copy)]
struct WiresOf {
    /// Between two ports.
    number: usize,
    /// Any number up to this is possible, between any two.
    distributed: bool,
}

/// Generators distribute the wires of replicated ports of replicated parts differently, so that a
/// pair of these has any number of wires up to the smaller multiplicity. In Art, a pair has as many
/// as its multiplicities allow.
fn wires_of(tree: &Tree<'_>, index: usize, ones: &[PortNode], others: &[PortNode]) -> WiresOf {
    let most = |nodes: &[PortNode]| {
        nodes.first().and_then(|node| port_of(tree, node)).map_or(1, |port| port.multiplicity.most())
    };
    let distributed = [ones, others].iter().any(|nodes| nodes.len() > 1 && most(nodes) > 1);
    let allowed = most(ones).min(most(others));
    let number = match (tree.places[index].shape.is_art, distributed) {
        (true, _) => allowed,
        // A binding is no more wires than there are parts at its larger end.
        (false, true) => allowed.min(ones.len().max(others.len())),
        (false, false) => 1,
    };
    WiresOf { number, distributed }
}

/// Adds the wires of a binding that is drawn in a place.
fn connect(network: &mut Network, index: usize, wires: WiresOf, ones: &[PortNode], others: &[PortNode]) {
    let WiresOf { number, distributed } = wires;
    let mut add = |one: &PortNode, other: &PortNode| {
        for (from, to) in [(one, other), (other, one)] {
            let all = network.entry(from.clone()).or_default();
            let side = if from.place == index { &mut all.inside } else { &mut all.outside };
            side.extend(std::iter::repeat_n(Wire { to: to.clone(), certain: !distributed }, number));
        }
    };
    if ones.len() == others.len() && !distributed {
        ones.iter().zip(others).for_each(|(one, other)| add(one, other));
    } else {
        ones.iter().for_each(|one| others.iter().for_each(|other| add(one, other)));
    }
}

/// A search for the end ports at the other ends of wires.
struct Search<'s, 't> {
    tree: &'s Tree<'t>,
    network: &'s Network,
    /// The ports that led here.
    path: Vec<PortNode>,
    /// The end ports that were found, once for each way there.
    reached: Vec<Reached>,
    /// The most that are looked for.
    most: usize,
}

impl Search<'_, '_> {
    /// Follows a wire at a port to the end ports behind it, through ports that pass on.
    fn follow(&mut self, from: &PortNode, wire: &Wire) {
        let Wire { to, certain } = wire;
        if self.path.contains(to) || self.reached.len() > self.most {
            return;
        }
        if is_end(self.tree, to) {
            self.reached.push(Reached { node: to.clone(), certain: *certain });
            return;
        }
        self.path.push(to.clone());
        let wires = wires_at(self.network, to);
        let came_inside = wires.inside.iter().any(|wire| wire.to == *from);
        let (back, on) =
            if came_inside { (wires.inside, wires.outside) } else { (wires.outside, wires.inside) };
        let certain = *certain && (back.len() <= 1 || on.len() <= 1);
        for next in on {
            self.follow(to, &Wire { certain: certain && next.certain, ..next });
        }
        self.path.pop();
    }
}

/// The wires of a port. Those of a port with a compound protocol are wires of all of its parts.
fn wires_at(network: &Network, node: &PortNode) -> Wires {
    let mut all = Wires::default();
    for length in 0..=node.sub.len() {
        let (sub, rest) = node.sub.split_at(length);
        let Some(wires) = network.get(&PortNode { sub: sub.to_vec(), ..node.clone() }) else { continue };
        let longer = |wire: &Wire| {
            let sub = wire.to.sub.iter().chain(rest).cloned().collect();
            Wire { to: PortNode { sub, ..wire.to.clone() }, ..*wire }
        };
        all.inside.extend(wires.inside.iter().map(longer));
        all.outside.extend(wires.outside.iter().map(longer));
    }
    all
}

/// The provision point that serves the access points for a protocol at a place, if there is one:
/// the nearest layer above it.
fn service_of(tree: &Tree<'_>, index: usize, protocol: ProtocolId) -> Option<PortNode> {
    let mut at = &tree.places[index];
    while let Some(parent) = &at.parent {
        let container = &tree.places[parent.place];
        let layers = container.shape.layers.iter();
        for layer in layers.filter(|layer| !layer.relayed && layer.from.text == parent.part) {
            if let Some(found) = provider(tree, container, &layer.part.text, &layer.service.text, protocol) {
                return Some(found);
            }
        }
        at = container;
    }
    None
}

/// The place that implements a service of a part, through parts of parts.
fn provider(
    tree: &Tree<'_>,
    container: &Place<'_>,
    part: &str,
    service: &str,
    protocol: ProtocolId,
) -> Option<PortNode> {
    let (mut container, mut part, mut service) = (container, part, service);
    for _ in 0..tree.places.len() {
        let index = *container.parts.get(part)?.first()?;
        let place = &tree.places[index];
        let port = place.shape.ports.iter().find(|port| port.name.text == service)?;
        if !matches!(port.typing, Typing::Plain(served) if served == protocol) {
            return None;
        }
        if port.end {
            return Some(PortNode { place: index, port: service.to_owned(), sub: Vec::new() });
        }
        let mut layers = place.shape.layers.iter();
        let on = layers.find(|layer| layer.relayed && layer.from.text == service)?;
        (container, part, service) = (place, &on.part.text, &on.service.text);
    }
    None
}
