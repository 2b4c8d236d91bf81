//! The channels of a program: one for each end port that something may be sent to, or one for each
//! thread.

use std::collections::BTreeMap;

use cfsm_core::ids::{Id, IdMap};
use cfsm_core::program::{
    Action, ChannelShape, Expression, Initializer, Pattern, SymbolSet, SymbolSetId, Type, Variable,
    VariableId, VariableRef, WhenFull,
};
use cfsm_core::source::Span;

use crate::model::{CapsuleSystem, InstanceId, MessageId, PortId, ProtocolId, Role, ThreadId};

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

/// The channel in which the messages to a port wait: its own, or that of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Inbox {
    /// The channel.
    pub channel: VariableId,
    /// The number in the channel of the port's message 0.
    pub first: i64,
    /// True if the channel is that of a thread. A message stays in it until it has been handled.
    pub shared: bool,
    /// True if messages in the channel may overtake each other.
    pub overtaking: bool,
}

impl Inbox {
    /// The channel of a port alone.
    const fn own(channel: VariableId) -> Self {
        Self { channel, first: 1, shared: false, overtaking: false }
    }

    /// The number of a command in the channel.
    pub(crate) const fn of_command(self, command: Command) -> i64 {
        self.first + command as i64 - 1
    }

    /// The number of a message in the channel.
    #[must_use]
    pub fn number(self, message: MessageId) -> i64 {
        i64::try_from(message.index()).map_or(i64::MAX, |index| self.first.saturating_add(index))
    }
}

/// A timer: the client's side of a port of the library's protocol.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Timer {
    /// The timers that are started and have not fired.
    pub(crate) armed: VariableId,
    /// Commands to the service, if a timer may be stopped; else they are the timers themselves.
    pub(crate) commands: Option<Inbox>,
    /// The set of the symbols for both.
    pub(crate) symbols: SymbolSetId,
}

/// The messages of the library's protocol that are commands, in the order of [`Command`].
const COMMANDS: [&str; 3] = ["startTimeout", "startTimer", "kill"];

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
            "startTimeout" | "informIn" | "informAt" | "enable" => Some(Self::Once),
            "startTimer" | "informEvery" => Some(Self::Periodic),
            "kill" | "cancelTimer" | "disable" => Some(Self::Stop),
            _ => None,
        }
    }
}

/// Channels and timers of a system.
#[derive(Default)]
pub(crate) struct Channels {
    pub(crate) globals: IdMap<VariableId, Variable>,
    pub(crate) symbols: IdMap<SymbolSetId, SymbolSet>,
    pub(crate) by_port: BTreeMap<PortKey, Inbox>,
    pub(crate) timers: BTreeMap<PortKey, Timer>,
    /// Of each instance that code which is followed creates, 1 while it is created.
    pub(crate) created: BTreeMap<InstanceId, VariableId>,
    threads: BTreeMap<ThreadId, ThreadQueue>,
    sets: BTreeMap<Direction, Option<SymbolSetId>>,
}

/// The queue of a thread as it grows.
struct ThreadQueue {
    channel: VariableId,
    /// The names of all messages that may be in it.
    messages: Vec<String>,
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
        let name = port_name(system, key);
        if let Some(thread) = instance.thread {
            let messages = system.protocols[port.protocol].messages.values();
            let names = messages.into_iter().map(|message| format!("{name}.{}", message.name)).collect();
            let inbox = self.share(system, thread, names);
            self.by_port.insert(key, inbox);
            return;
        }
        let set = self.set(system, Direction { protocol: port.protocol, incoming: !port.conjugated });
        let ty = set.map_or(Type::Int, Type::Symbol);
        let id = self.declare(name, ty, port.span);
        self.by_port.insert(key, Inbox { overtaking: system.overtaking, ..Inbox::own(id) });
    }

    /// Room for more kinds of messages in the queue of a thread.
    fn share(&mut self, system: &CapsuleSystem, thread: ThreadId, names: Vec<String>) -> Inbox {
        let queue = self.threads.entry(thread).or_insert_with(|| {
            let known = &system.threads[thread];
            // A message that the thread sends to itself takes the room of one.
            let room = known.pool.map(|pool| pool.saturating_sub(u32::from(known.polls)));
            let capacity = room.filter(|room| *room > 0).unwrap_or(ChannelShape::ANY);
            let mut shape = ChannelShape::new(capacity, vec![Type::Int]);
            shape.when_full = WhenFull::Lose;
            let init = Initializer::NewChannel(shape);
            let variable = Variable::scalar(known.name.clone(), Type::Channel, init, known.span);
            ThreadQueue { channel: self.globals.push(variable), messages: Vec::new() }
        });
        let first = i64::try_from(queue.messages.len()).unwrap_or(i64::MAX - 1) + 1;
        queue.messages.extend(names);
        Inbox { channel: queue.channel, first, shared: true, overtaking: system.overtaking }
    }

    /// Gives names to the messages in the queues of threads, where they are not too many.
    pub(crate) fn name_messages(&mut self) {
        for queue in std::mem::take(&mut self.threads).into_values() {
            if u8::try_from(queue.messages.len()).is_err() {
                continue;
            }
            let variable = &mut self.globals[queue.channel];
            let Initializer::NewChannel(shape) = &mut variable.init else { continue };
            let name = Some(format!("{}.messages", variable.name));
            let constants = queue.messages.into_iter().zip(1..).collect();
            shape.fields = vec![Type::Symbol(self.symbols.push(SymbolSet { name, constants }))];
        }
    }

    /// Adds the channels of a timer.
    pub(crate) fn add_timer(&mut self, system: &CapsuleSystem, key: PortKey, stops: bool) {
        let instance = &system.instances[key.instance];
        let span = system.classes[instance.classes[key.class]].ports[key.port].span;
        let name = port_name(system, key);
        let names = COMMANDS.map(str::to_owned);
        let constants = names.into_iter().zip(1..).collect();
        let symbols = self.symbols.push(SymbolSet { name: Some(format!("{name}.timer")), constants });
        let armed = self.declare(format!("{name}.armed"), Type::Symbol(symbols), span);
        let service = instance.peers[key.class][key.port].first();
        let commands = match service.and_then(|service| system.instances[service.instance].thread) {
            Some(thread) => {
                let names = COMMANDS.map(|command| format!("{name}.{command}")).into();
                Some(self.share(system, thread, names))
            }
            None => stops
                .then(|| Inbox::own(self.declare(format!("{name}.commands"), Type::Symbol(symbols), span))),
        };
        self.timers.insert(key, Timer { armed, commands, symbols });
    }

    /// Adds the variable that tells if an instance is created.
    pub(crate) fn add_created(&mut self, system: &CapsuleSystem, id: InstanceId) {
        let instance = &system.instances[id];
        let span = system.classes[instance.classes[0]].span;
        let name = format!("{}.created", instance.path);
        let variable = Variable::scalar(name, Type::Bit, Initializer::Zero, span);
        self.created.insert(id, self.globals.push(variable));
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
        let own = Inbox::own(VariableId::new(0));
        let constants: Vec<(String, i64)> =
            messages.map(|(id, message)| (message.name.clone(), own.number(id))).collect();
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

/// A receive of a number from the head of a channel, or from anywhere in it.
pub(crate) fn receive(inbox: Inbox, value: i64) -> Action {
    taking(inbox, value, false)
}

/// The beginning of the reaction to a message at the head of a queue: it is received, or, in the
/// queue of a thread, looked at.
pub(crate) fn begin(inbox: Inbox, value: i64) -> Action {
    taking(inbox, value, inbox.shared)
}

fn taking(inbox: Inbox, value: i64, peek: bool) -> Action {
    let patterns = vec![Pattern::Match(Expression::Constant(value))];
    Action::Receive { channel: channel(inbox.channel), patterns, random: inbox.overtaking, peek }
}

/// The role of a port's protocol.
pub(crate) fn role(system: &CapsuleSystem, key: PortKey) -> Role {
    let class = system.instances[key.instance].classes[key.class];
    system.protocols[system.classes[class].ports[key.port].protocol].role
}
