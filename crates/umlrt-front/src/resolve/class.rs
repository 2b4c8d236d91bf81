//! Actor classes to classes of the capsule model.

use std::collections::{BTreeMap, BTreeSet};

use cfsm_core::diagnostic::Diagnostic;
use cfsm_core::ids::IdMap;
use cfsm_core::source::Span;

use super::Resolver;
use super::names::ItemId;
use super::protocols::Typing;
use super::shape::{Scoped, Shape};
use crate::action::{
    OperationCode, Outlet, Scope, Signal, Unfollowed, Variables, background, initial_of, is_of_language,
    relevant, requeued_elsewhere, type_of,
};
use crate::codes;
use crate::fragment::Fragment;
use crate::model::{
    Attribute, BOUND, Block, Class, ClassId, Machine, Message, Port, PortId, Recipient, Role, Send, Step,
    UNBOUND, ValueType,
};
use crate::tree::structure::{Communication, DataKind, DataType, Operation};
use crate::tree::{Item, Name, Room};

/// The library's actor class of timers.
const TIMER_SERVICE: &str = "etrice.api.timer.ATimerService";
/// The annotation of actor classes whose behaviour is written by hand.
const MANUAL: &str = "BehaviorManual";

impl<'t> Resolver<'t> {
    /// The class of an actor class.
    pub(crate) fn class(&mut self, item: ItemId) -> Option<ClassId> {
        if let Some(&known) = self.by_item.get(&item) {
            return known;
        }
        let made = self.make_class(item);
        let id = made.map(|class| self.classes.push(class));
        self.by_item.insert(item, id);
        id
    }

    fn make_class(&mut self, item: ItemId) -> Option<Class> {
        let known = self.names.items[item];
        let name = known.item.name();
        let shape = self.shape(item)?;
        let chain = self.chain(item)?;
        let ports = self.end_ports(&shape);
        let is_timer_service = format!("{}.{}", known.room.name.text, name.text) == TIMER_SERVICE;
        let mut class = Class {
            name: name.text.clone(),
            ports,
            variables: IdMap::new(),
            parts: BTreeSet::new(),
            machine: None,
            polls: false,
            background: Vec::new(),
            span: name.span,
        };
        if is_timer_service {
            return Some(class);
        }
        let communication = chain.iter().rev().map(|class| class.actor.communication);
        class.polls = communication
            .clone()
            .any(|how| matches!(how, Communication::Asynchronous | Communication::DataDriven));
        // Variables that are not understood, or do not matter, are left out in another reading.
        let mut unfollowed = Unfollowed::default();
        let found = loop {
            let reading = self.read(&mut class, &chain, unfollowed.clone(), name);
            if !unfollowed.add(reading.others) {
                break reading.found;
            }
        };
        for found in found {
            self.report(found);
        }
        Some(class)
    }

    /// Reads the code of a class with the variables that are not dropped.
    fn read(&self, class: &mut Class, chain: &[Scoped<'t>], unfollowed: Unfollowed, name: &Name) -> Reading {
        // An operation with the name of the class is its constructor.
        let constructors = chain.iter().flat_map(|class| {
            let name = &class.actor.name.text;
            class.actor.operations.iter().filter(move |operation| operation.name.text == *name)
        });
        let user_code: Vec<&Fragment> = chain
            .iter()
            .flat_map(|class| &class.actor.structure.code.fragments)
            .chain(constructors.map(|operation| &operation.code))
            .collect();
        let variables =
            Variables::new(self.attributes(chain), unfollowed.clone()).with_parts(private_parts(chain));
        let mut scope = self.scope(class, chain, variables);
        let mut found = Vec::new();
        // Default values are expressions, which may make functions.
        let defaults = chain.iter().flat_map(|class| &class.actor.structure.attributes);
        let defaults: Vec<Fragment> = defaults
            .filter_map(|attribute| {
                let Name { text, span } = attribute.default.as_ref()?;
                let mut code = Fragment::default();
                code.push(text, *span);
                Some(code)
            })
            .collect();
        let user_code: Vec<&Fragment> =
            user_code.into_iter().chain(&defaults).chain(self.shared_code()).collect();
        class.background = background(&user_code, &mut scope);
        found.extend(user_code.iter().filter_map(|code| requeued_elsewhere(code, &scope)));
        user_code.iter().for_each(|code| scope.lose_named(&code.text));
        if !class.background.is_empty() {
            let place = user_code.iter().find_map(|code| code.span()).unwrap_or(name.span);
            let message = format!("the user code of `{}` names ports", name.text);
            let hint = "it is taken as sending any number of messages at any time";
            found.push(Diagnostic::warning(codes::BACKGROUND_CODE, place, message).with_hint(hint));
        }
        let mut wanted = BTreeSet::new();
        if let Some(manual) = manual(chain) {
            class.background = everything(&scope, manual);
            let message = format!("the behaviour of `{}` is written by hand", name.text);
            let hint = "it is taken as sending any number of messages at any time";
            found.push(Diagnostic::warning(codes::MANUAL_BEHAVIOUR, manual, message).with_hint(hint));
        } else {
            class.machine = self.machine(chain, class, &scope, &mut found);
            class.background.extend(scope.escaped());
            found.extend(unread(&scope, name.text.as_str(), name.span));
            wanted = class.machine.as_ref().map(relevant).unwrap_or_default();
        }
        let mut others = scope.variables.lost();
        if !unfollowed.clone().add(others.clone()) {
            others.dropped.extend(scope.variables.others(&wanted));
        }
        class.variables = scope.variables.named();
        class.parts = scope.variables.parts();
        // One that no code creates capsules in is filled by code that is not in the model.
        let created = created_in(class);
        class.parts.retain(|part| created.contains(part));
        Reading { found, others }
    }

    /// The user code of protocols and data classes that is more than the names of files: files of
    /// actor classes include it.
    pub(crate) fn shared_code(&self) -> impl Iterator<Item = &'t Fragment> {
        let items = self.names.items.iter().flat_map(|known| match known.item {
            Item::Protocol(protocol) => {
                let ports = protocol.regular.iter().chain(&protocol.conjugated);
                ports.map(|port| &port.code).chain([&protocol.code]).collect()
            }
            Item::Data(DataType { kind: DataKind::Class(class), .. }) => vec![&class.code],
            _ => Vec::new(),
        });
        let includes = |line: &str| {
            line.is_empty()
                || ["#include", "//"].iter().any(|start| line.starts_with(start)) && !line.ends_with('\\')
        };
        let files = self.names.rooms.iter().map(|room| &room.code);
        items
            .chain(files)
            .flat_map(|code| &code.fragments)
            .filter(move |code| !code.text.lines().all(|line| includes(line.trim())))
    }

    /// The attributes that may be followed: numbers and truth values with known defaults.
    fn attributes(&self, chain: &[Scoped<'t>]) -> Vec<Attribute> {
        let declared = || {
            chain.iter().flat_map(|class| {
                class.actor.structure.attributes.iter().map(|attribute| (class.room, attribute))
            })
        };
        let mut all = Vec::new();
        for (room, attribute) in declared() {
            let same = declared().filter(|(_, other)| other.name.text == attribute.name.text).count();
            let Some(written) = attribute.ty.as_ref().filter(|ty| !ty.by_reference) else { continue };
            let typed = self.typed(room, &written.name).filter(|_| attribute.size.is_none() && same == 1);
            let Some(Typed { ty, default }) = typed else { continue };
            let default =
                attribute.default.as_ref().or(default).map(|default| default.text.trim_matches('"'));
            let Some(initial) = initial_of(ty, default) else { continue };
            let (name, span) = (attribute.name.text.clone(), attribute.name.span);
            all.push(Attribute { name, ty, initial, local: false, span });
        }
        // Code in C++ may give other meanings to the names of types.
        if chain.last().is_some_and(|class| class.actor.is_flat) {
            let own = chain.iter().flat_map(|class| &class.actor.structure.code.fragments);
            let code: Vec<&Fragment> = own.chain(self.shared_code()).collect();
            let has =
                |words: &[&str]| code.iter().any(|code| words.iter().any(|word| code.text.contains(word)));
            let (renamed, replaced) = (has(&["typedef", "using"]), has(&["define"]));
            let known: BTreeSet<&str> = declared()
                .filter_map(|(_, attribute)| {
                    let ty = &attribute.ty.as_ref()?.name.text;
                    let is_known = !renamed || is_of_language(ty);
                    (is_known && !replaced).then_some(attribute.name.text.as_str())
                })
                .collect();
            all.retain(|attribute| known.contains(attribute.name.as_str()));
        }
        // Data of messages goes by these names in code.
        all.retain(|attribute| {
            attribute.name != "transitionData" && !self.protocols.data_names.contains(&attribute.name)
        });
        all
    }

    /// The type that a name denotes, if it is one of numbers or truth values: as the model declares
    /// it, or else, by its name, one of the library.
    fn typed(&self, room: &'t Room, name: &Name) -> Option<Typed<'t>> {
        let found = self.names.find(room, &name.text);
        match found.map(|id| self.names.items[id].item) {
            Some(Item::Data(DataType { kind: DataKind::Primitive(primitive), .. })) => {
                let ty = type_of(&primitive.target.text)?;
                Some(Typed { ty, default: Some(&primitive.default) })
            }
            Some(_) => None,
            None => Some(Typed { ty: type_of(&name.text)?, default: None }),
        }
    }

    /// The end ports of a shape; a port with a compound protocol is several.
    fn end_ports(&self, shape: &Shape<'t>) -> IdMap<PortId, Port> {
        let mut ports = IdMap::new();
        for port in shape.ports.iter().filter(|port| port.end) {
            let mut open = vec![Part { name: port.name.text.clone(), typing: &port.typing }];
            while let Some(part) = open.pop() {
                match part.typing {
                    Typing::Plain(protocol) => {
                        ports.push(Port {
                            name: part.name,
                            protocol: *protocol,
                            conjugated: port.conjugated,
                            notified: port.notified,
                            span: port.name.span,
                        });
                    }
                    Typing::Compound(parts) => {
                        let inner =
                            |name: &String, typing| Part { name: format!("{}.{name}", part.name), typing };
                        open.extend(parts.iter().rev().map(|(name, typing)| inner(name, typing)));
                    }
                }
            }
        }
        ports
    }

    /// The names that action code of a class may refer to.
    fn scope<'c>(&self, class: &Class, chain: &[Scoped<'c>], variables: Variables) -> Scope<'c> {
        let is_art = chain.last().is_some_and(|class| class.actor.is_flat);
        let outlet = |(id, port): (PortId, &Port)| {
            let protocol = &self.protocols.all[port.protocol];
            let messages = protocol.messages.iter();
            let is_sent = |message: &Message| {
                message.incoming == port.conjugated && ![BOUND, UNBOUND].contains(&message.name.as_str())
            };
            let sent = messages.filter(|(_, message)| is_sent(message));
            let signals =
                sent.map(|(id, message)| Signal { name: message.name.clone(), id }).collect::<Vec<_>>();
            let operations = self.protocols.operations.get(&port.protocol).into_iter().flatten();
            let operations = operations.filter(|operation| operation.conjugated == port.conjugated);
            Outlet {
                name: port.name.clone(),
                id,
                is_frame: is_art && protocol.name == "Frame",
                makes_messages: is_art && protocol.role == Role::Messages,
                signals: if protocol.role == Role::Data { Vec::new() } else { signals },
                operations: operations.map(|operation| operation.name.clone()).collect(),
            }
        };
        let mut operations: BTreeMap<String, OperationCode<'c>> = BTreeMap::new();
        let types = |operation: &'c Operation| operation.parameters.iter().map(|one| one.ty.name.last());
        for class in chain {
            let own = &class.actor.operations;
            for operation in own {
                let known = operations.entry(operation.name.text.clone()).or_default();
                let others = chain.iter().flat_map(|class| &class.actor.operations);
                let mut others = others.filter(|other| other.name.text == operation.name.text);
                known.overloaded |= own.iter().filter(|other| other.name.text == operation.name.text).count()
                    > 1
                    || others.any(|other| !types(other).eq(types(operation)));
                known.parameters = operation.parameters.iter().map(|one| one.name.text.clone()).collect();
                known.bodies.push(&operation.code);
                // Which of them a call means depends on where it is.
                known.overloaded |= is_art && known.bodies.len() > 1;
            }
        }
        let outlets = class.ports.iter().map(outlet).collect();
        Scope::new(outlets, operations, variables, is_art, self.options)
    }
}

/// The optional parts of a capsule in Art that only its own code names.
fn private_parts(chain: &[Scoped<'_>]) -> BTreeSet<String> {
    let Some(last) = chain.last().filter(|class| class.actor.is_flat) else { return BTreeSet::new() };
    let parts = last.actor.structure.parts.iter();
    let private = parts.filter(|part| part.optional && part.private && !part.vacant);
    private.map(|part| part.name.text.clone()).collect()
}

/// The parts in which code of a class creates capsules.
fn created_in(class: &Class) -> BTreeSet<String> {
    let mut all = BTreeSet::new();
    let mut note = |step: &Step| {
        if let Step::Incarnate { part } = step {
            all.insert(part.clone());
        }
        false
    };
    let machine = class.machine.iter().flat_map(Machine::blocks);
    machine.chain([&class.background]).flatten().for_each(|step| _ = step.any(&mut note));
    all
}

/// The result of reading the code of a class once.
struct Reading {
    found: Vec<Diagnostic>,
    /// The variables that turned out not to be understood, or else those that do not matter.
    others: Unfollowed,
}

/// A type of variables, with the value that they begin with if they have none of their own.
struct Typed<'t> {
    ty: ValueType,
    default: Option<&'t Name>,
}

/// A part of a port, by its whole name.
struct Part<'p> {
    name: String,
    typing: &'p Typing,
}

/// The place of the annotation that says that the behaviour is written by hand.
fn manual(chain: &[Scoped<'_>]) -> Option<Span> {
    let last = chain.last()?;
    last.actor
        .annotations
        .iter()
        .find(|annotation| annotation.name.text.ends_with(MANUAL))
        .map(|a| a.name.span)
}

/// The warning about conditions that are not read.
fn unread(scope: &Scope<'_>, class: &str, span: Span) -> Option<Diagnostic> {
    let number = scope.conditions();
    let conditions = if number == 1 { "a condition".to_owned() } else { format!("{number} conditions") };
    let message = format!("{conditions} in the code of `{class}` may hold or not");
    let hint = "their values are not followed: a run that is shown may decide otherwise than the code would";
    let found = || Diagnostic::warning(codes::FREE_CONDITIONS, span, message).with_hint(hint);
    (number > 0).then(found)
}

/// Any one message of any port, any number of times.
fn everything(scope: &Scope<'_>, span: Span) -> Block {
    let sends = scope.outlets.iter().flat_map(|outlet| {
        outlet.signals.iter().map(move |signal| {
            let (port, message) = (outlet.id, signal.id);
            vec![Step::Send(Send { port, message, recipient: Recipient::Any, span })]
        })
    });
    let choices: Vec<Block> = sends.collect();
    if choices.is_empty() { Vec::new() } else { vec![Step::Repeat(vec![Step::Choice(choices)])] }
}
