//! The channels of a program: one for each end port that something may be sent to.

use std::collections::BTreeMap;

use cfsm_core::ids::{Id, IdMap};
use cfsm_core::program::{
    Action, ChannelShape, Expression, Initializer, Pattern, SymbolSet, SymbolSetId, Type, Variable,
    VariableId, VariableRef,
};
use cfsm_core::source::Span;

use crate::model::{CapsuleSystem, InstanceId, MessageId, PortId, ProtocolId, Role};

/// An end port of an instance, which may have several classes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PortKey {
    /// The instance.
    pub instance: InstanceId,
    /// The class, as a position among those of the instance.
    pub class: usize,
    /// The port.
    pub port: PortId,
}

/// A timer: the client's side of a port of the library's protocol.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Timer {
    /// The timers that are started and have not fired.
    pub(crate) armed: VariableId,
    /// Commands to the service, if a timer may be stopped; else they are the timers themselves.
    pub(crate) commands: Option<VariableId>,
    /// The set of the symbols for both.
    pub(crate) symbols: SymbolSetId,
}

/// A command to the service of timers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Command {
    Once = 1,
    Periodic = 2,
    Stop = 3,
}

impl Command {
    /// The command that a message of the library's protocol is.
    pub(crate) fn of_message(name: &str) -> Option<Self> {
        match name {
            "startTimeout" => Some(Self::Once),
            "startTimer" => Some(Self::Periodic),
            "kill" => Some(Self::Stop),
            _ => None,
        }
    }
}

/// Channels and timers of a system.
#[derive(Default)]
pub(crate) struct Channels {
    pub(crate) globals: IdMap<VariableId, Variable>,
    pub(crate) symbols: IdMap<SymbolSetId, SymbolSet>,
    pub(crate) by_port: BTreeMap<PortKey, VariableId>,
    pub(crate) timers: BTreeMap<PortKey, Timer>,
    sets: BTreeMap<Direction, Option<SymbolSetId>>,
}

/// The messages of a protocol in one direction.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Direction {
    protocol: ProtocolId,
    incoming: bool,
}

impl Channels {
    /// Adds the channel of a port.
    pub(crate) fn add(&mut self, system: &CapsuleSystem, key: PortKey) {
        let instance = &system.instances[key.instance];
        let class = &system.classes[instance.classes[key.class]];
        let port = &class.ports[key.port];
        let set = self.set(system, Direction { protocol: port.protocol, incoming: !port.conjugated });
        let ty = set.map_or(Type::Int, Type::Symbol);
        let name = port_name(system, key);
        let id = self.declare(name, ty, port.span);
        self.by_port.insert(key, id);
    }

    /// Adds the channels of a timer.
    pub(crate) fn add_timer(&mut self, system: &CapsuleSystem, key: PortKey, stops: bool) {
        let instance = &system.instances[key.instance];
        let span = system.classes[instance.classes[key.class]].ports[key.port].span;
        let name = port_name(system, key);
        let names = ["startTimeout", "startTimer", "kill"].map(str::to_owned);
        let constants = names.into_iter().zip(1..).collect();
        let symbols = self.symbols.push(SymbolSet { name: Some(format!("{name}.timer")), constants });
        let armed = self.declare(format!("{name}.armed"), Type::Symbol(symbols), span);
        let commands = stops.then(|| self.declare(format!("{name}.commands"), Type::Symbol(symbols), span));
        self.timers.insert(key, Timer { armed, commands, symbols });
    }

    fn declare(&mut self, name: String, ty: Type, span: Span) -> VariableId {
        let shape = ChannelShape::new(ChannelShape::ANY, vec![ty]);
        self.globals.push(Variable::scalar(name, Type::Channel, Initializer::NewChannel(shape), span))
    }

    /// The symbols for the messages of a protocol in one direction; nothing if there are too many.
    fn set(&mut self, system: &CapsuleSystem, direction: Direction) -> Option<SymbolSetId> {
        if let Some(&known) = self.sets.get(&direction) {
            return known;
        }
        let protocol = &system.protocols[direction.protocol];
        let messages = protocol.messages.iter().filter(|(_, message)| message.incoming == direction.incoming);
        let constants: Vec<(String, i64)> =
            messages.map(|(id, message)| (message.name.clone(), number(id))).collect();
        // A symbol is kept in a byte.
        let fits = u8::try_from(protocol.messages.len()).is_ok();
        let set = fits.then(|| {
            let side = if direction.incoming { "in" } else { "out" };
            self.symbols.push(SymbolSet { name: Some(format!("{}.{side}", protocol.name)), constants })
        });
        self.sets.insert(direction, set);
        set
    }
}

/// The number of a message in its channel.
pub(crate) fn number(message: MessageId) -> i64 {
    i64::try_from(message.index()).unwrap_or(i64::MAX - 1) + 1
}

/// The name of a port: the path of its instance and its own.
pub(crate) fn port_name(system: &CapsuleSystem, key: PortKey) -> String {
    let instance = &system.instances[key.instance];
    let class = &system.classes[instance.classes[key.class]];
    let port = &class.ports[key.port].name;
    let path = &instance.path;
    if instance.classes.len() == 1 {
        format!("{path}.{port}")
    } else {
        format!("{path}:{}.{port}", class.name)
    }
}

/// The channel that a variable holds.
pub(crate) const fn channel(variable: VariableId) -> Expression {
    Expression::variable(VariableRef::Global(variable))
}

/// A send of a number.
pub(crate) fn send(variable: VariableId, value: i64) -> Action {
    Action::Send { channel: channel(variable), fields: vec![Expression::Constant(value)], sorted: false }
}

/// A receive of a number from the head of a channel.
pub(crate) fn receive(variable: VariableId, value: i64) -> Action {
    let patterns = vec![Pattern::Match(Expression::Constant(value))];
    Action::Receive { channel: channel(variable), patterns, random: false, peek: false }
}

/// The role of a port's protocol.
pub(crate) fn role(system: &CapsuleSystem, key: PortKey) -> Role {
    let class = system.instances[key.instance].classes[key.class];
    system.protocols[system.classes[class].ports[key.port].protocol].role
}
