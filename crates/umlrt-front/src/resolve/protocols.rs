//! Protocols with their inheritance flattened.

use std::collections::{BTreeMap, BTreeSet};

use cfsm_core::diagnostic::Diagnostic;
use cfsm_core::ids::IdMap;

use super::names::{ItemId, Names};
use crate::codes;
use crate::model::{BOUND, Message, MessageId, Protocol, ProtocolId, Role, UNBOUND};
use crate::tree::structure::{self, Communication, PortClass};
use crate::tree::{Item, Name, Room};

/// The protocols that are used, as they are met.
#[derive(Default)]
pub(crate) struct Protocols {
    pub(crate) all: IdMap<ProtocolId, Protocol>,
    by_item: BTreeMap<ItemId, ProtocolId>,
    /// Operations of ports: the messages that a call of one may send.
    pub(crate) operations: BTreeMap<ProtocolId, Vec<PortOperation>>,
    /// The names that messages give to their data.
    pub(crate) data_names: BTreeSet<String>,
}

/// An operation that the ports of a protocol have.
pub(crate) struct PortOperation {
    pub(crate) name: String,
    /// It belongs to conjugated ports.
    pub(crate) conjugated: bool,
}

/// The meaning of a protocol's name.
#[derive(Clone, Debug)]
pub(crate) enum Typing {
    /// One protocol.
    Plain(ProtocolId),
    /// Several, by the names of the parts.
    Compound(BTreeMap<String, Typing>),
}

/// The protocols of Art's run-time system of which each message is asked for.
const TIMERS: &[&str] = &[".Timing", ".External"];

/// The library's protocol of timers.
pub(crate) const TIMER: &str = "etrice.api.timer.PTimer";

impl Protocols {
    /// The protocol or compound protocol that a name denotes in a model.
    pub(crate) fn typing(
        &mut self,
        names: &Names<'_>,
        room: &Room,
        name: &Name,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> Option<Typing> {
        self.typing_within(names, room, name, &mut Vec::new(), diagnostics)
    }

    fn typing_within(
        &mut self,
        names: &Names<'_>,
        room: &Room,
        name: &Name,
        around: &mut Vec<ItemId>,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> Option<Typing> {
        let fits = |item: &Item| matches!(item, Item::Protocol(_) | Item::Compound(_));
        let id = names.find(room, &name.text).filter(|&id| fits(names.items[id].item));
        let Some(id) = id else {
            diagnostics.push(names.unknown(name, "protocol", fits));
            return None;
        };
        if around.contains(&id) {
            let message = format!("the protocol `{}` contains itself", name.text);
            diagnostics.push(Diagnostic::error(codes::INHERITANCE_CYCLE, name.span, message));
            return None;
        }
        let known = names.items[id];
        let Item::Compound(compound) = known.item else {
            return self.flat(names, id, diagnostics).map(Typing::Plain);
        };
        around.push(id);
        let mut parts = BTreeMap::new();
        for part in &compound.parts {
            let typing = self.typing_within(names, known.room, &part.class, around, diagnostics);
            parts.extend(typing.map(|typing| (part.name.text.clone(), typing)));
        }
        around.pop();
        Some(Typing::Compound(parts))
    }

    /// The protocol of an item, with all that it inherits.
    fn flat(
        &mut self,
        names: &Names<'_>,
        item: ItemId,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> Option<ProtocolId> {
        if let Some(&known) = self.by_item.get(&item) {
            return Some(known);
        }
        let chain = chain(names, item, diagnostics)?;
        let last = chain.last()?;
        let full = format!("{}.{}", names.items[item].room.name.text, last.name.text);
        let role = match last.communication {
            _ if full == TIMER => Role::Timer,
            _ if TIMERS.contains(&full.as_str()) => Role::Timers,
            Communication::DataDriven => Role::Data,
            _ => Role::Messages,
        };
        let base = chain
            .iter()
            .rev()
            .skip(1)
            .find(|class| TIMERS.contains(&format!(".{}", class.name.text).as_str()));
        if let Some(base) = base.filter(|_| names.items[item].room.name.text.is_empty()) {
            let message = format!("protocols that inherit from `{}` are not read yet", base.name.text);
            diagnostics.push(Diagnostic::error(codes::NOT_READ, last.name.span, message));
        }
        let mut messages = IdMap::new();
        if role == Role::Timer {
            messages = timer_messages();
        }
        for incoming in [true, false] {
            for class in chain.iter().filter(|_| role != Role::Timer) {
                let declared = if incoming { &class.incoming } else { &class.outgoing };
                for message in declared {
                    self.data_names.extend(message.data_name.clone());
                    add(&mut messages, &message.name, incoming, diagnostics);
                }
            }
        }
        if role == Role::Messages && names.has_notified() {
            for (name, incoming) in [(BOUND, true), (BOUND, false), (UNBOUND, true), (UNBOUND, false)] {
                add(
                    &mut messages,
                    &Name { text: name.to_owned(), ..last.name.clone() },
                    incoming,
                    diagnostics,
                );
            }
        }
        if role == Role::Messages {
            for class in &chain {
                handlers(&mut messages, class);
            }
        }
        let id = self.all.push(Protocol { name: last.name.text.clone(), messages, role });
        self.by_item.insert(item, id);
        let declared = chain.iter().filter(|_| role != Role::Timer).flat_map(|class| operations(class));
        self.operations.insert(id, declared.collect());
        Some(id)
    }
}

/// A protocol and those it inherits from, the base first.
fn chain<'t>(
    names: &Names<'t>,
    item: ItemId,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<Vec<&'t structure::Protocol>> {
    let (mut chain, mut met, mut at) = (Vec::new(), vec![item], item);
    loop {
        let known = names.items[at];
        let Item::Protocol(protocol) = known.item else { return None };
        chain.push(protocol);
        let Some(base) = &protocol.base else { break };
        let fits = |item: &Item| matches!(item, Item::Protocol(_));
        let Some(next) = names.find(known.room, &base.text).filter(|&id| fits(names.items[id].item)) else {
            diagnostics.push(names.unknown(base, "protocol", fits));
            return None;
        };
        if met.contains(&next) {
            let message = format!("the protocol `{}` inherits from itself", protocol.name.text);
            diagnostics.push(Diagnostic::error(codes::INHERITANCE_CYCLE, base.span, message));
            return None;
        }
        met.push(next);
        at = next;
    }
    chain.reverse();
    Some(chain)
}

/// The messages of the library's protocol of timers. The files of eTrice differ from one target
/// language to another: what is a message in one is an operation of the port in another.
fn timer_messages() -> IdMap<MessageId, Message> {
    let all = [("startTimer", true), ("startTimeout", true), ("kill", true), ("timeout", false)];
    let (handled_at_send, handled_at_receive) = (false, false);
    all.into_iter()
        .map(|(name, incoming)| Message {
            name: name.to_owned(),
            incoming,
            handled_at_send,
            handled_at_receive,
        })
        .collect()
}

fn add(
    messages: &mut IdMap<MessageId, Message>,
    name: &Name,
    incoming: bool,
    diagnostics: &mut Vec<Diagnostic>,
) {
    if messages.values().any(|known| known.name == name.text && known.incoming == incoming) {
        let direction = if incoming { "incoming" } else { "outgoing" };
        let message = format!("there is an {direction} message `{}` already", name.text);
        diagnostics.push(Diagnostic::error(codes::REDECLARED, name.span, message));
        return;
    }
    let (handled_at_send, handled_at_receive) = (false, false);
    messages.push(Message { name: name.text.clone(), incoming, handled_at_send, handled_at_receive });
}

/// Marks the messages for which ports run code. Incoming messages are received by regular ports and
/// sent by conjugated ones.
fn handlers(messages: &mut IdMap<MessageId, Message>, class: &structure::Protocol) {
    let conjugations = [(&class.regular, false), (&class.conjugated, true)];
    for (ports, conjugated) in conjugations {
        for handler in ports.iter().flat_map(|ports: &PortClass| &ports.handlers) {
            let named = |message: &Message| {
                message.name == handler.message.text && message.incoming == handler.incoming
            };
            let found = messages.iter().find(|(_, message)| named(message)).map(|(id, _)| id);
            let Some(message) = found.and_then(|id| messages.get_mut(id)) else { continue };
            if handler.incoming == conjugated {
                message.handled_at_send = true;
            } else {
                message.handled_at_receive = true;
            }
        }
    }
}

fn operations(class: &structure::Protocol) -> Vec<PortOperation> {
    let mut all = Vec::new();
    for (ports, conjugated) in [(&class.regular, false), (&class.conjugated, true)] {
        for operation in ports.iter().flat_map(|ports| &ports.operations) {
            all.push(PortOperation { name: operation.name.text.clone(), conjugated });
        }
    }
    all
}
