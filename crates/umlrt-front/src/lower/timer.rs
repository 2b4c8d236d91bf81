//! Timers: the library model of eTrice's timer service.
//!
//! A client knows whether its timer runs, as the code of its port does: a start is ignored while
//! one runs, and a timeout that comes when none runs is dropped. The service of each client is a
//! process with the started timers in a channel. A timer fires at any time, unless it is assumed
//! that queues are drained first.

use cfsm_core::ids::IdMap;
use cfsm_core::program::{
    Action, Binary, Expression, Initializer, LocationId, Pattern, ProcessType, Type, Unary, Variable,
    VariableId,
};
use cfsm_core::source::Span;

use super::channels::{
    Channels, Command, Inbox, PortKey, Timer, begin, channel, port_name, receive, role, send,
};
use super::graph::{Arc, Fork, Graph, assign, is, is_not};
use super::process::Process;
use crate::model::{CapsuleSystem, PortId, Role};

impl Process<'_> {
    /// Declares, for each timer of the class at hand, whether it runs.
    pub(crate) fn timers(&mut self) {
        self.running.clear();
        for port in self.class().ports.ids() {
            let key = self.key(port);
            let Some(timer) = self.channels.timers.get(&key) else { continue };
            if role(self.system, key) == Role::Timers {
                continue;
            }
            let name = format!("{}.running", self.class().ports[port].name);
            let (ty, span) = (Type::Symbol(timer.symbols), self.class().ports[port].span);
            let variable = Variable::scalar(name, ty, Initializer::Zero, span);
            let variable = self.graph.local(variable);
            self.running.insert(port, variable);
        }
    }

    pub(crate) fn is_timer(&self, port: PortId) -> bool {
        self.running.contains_key(&port)
    }

    /// A timeout that was received: dropped if no timer runs, else delivered, and one that fires
    /// once runs no more.
    pub(crate) fn expire(&mut self, port: PortId, fork: Fork, span: Span) -> LocationId {
        let Some(&running) = self.running.get(&port) else { return fork.from };
        let delivered = self.graph.passing(span);
        let dropped = self.graph.then(fork.from, is(running, 0), span);
        self.rest(dropped, fork.back, span);
        let once = self.graph.then(fork.from, is(running, Command::Once as i64), span);
        self.graph.add(Arc { source: once, target: delivered, action: assign(running, 0), span });
        let periodic = is(running, Command::Periodic as i64);
        self.graph.add(Arc { source: fork.from, target: delivered, action: periodic, span });
        delivered
    }

    /// A message to the service: one that starts a timer, or stops one.
    pub(crate) fn command(&mut self, port: PortId, message: &str, at: LocationId, span: Span) -> LocationId {
        let key = self.key(port);
        let (Some(command), Some(timer)) = (Command::of_message(message), self.channels.timers.get(&key))
        else {
            return at;
        };
        let Some(&running) = self.running.get(&port) else {
            return self.command_to_any(*timer, key, command, at, span);
        };
        let end = self.graph.passing(span);
        let number = timer.commands.map_or(command as i64, |inbox| inbox.of_command(command));
        let service = timer.commands.map_or(timer.armed, |inbox| inbox.channel);
        let starts = command != Command::Stop;
        let (acts, ignores) = (is(running, 0), is_not(running, 0));
        let (acts, ignores) = if starts { (acts, ignores) } else { (ignores, acts) };
        self.graph.add(Arc { source: at, target: end, action: ignores, span });
        let acting = self.graph.then(at, acts, span);
        let set = assign(running, if starts { command as i64 } else { 0 });
        let sending = self.graph.then(acting, set, span);
        self.graph.add(Arc { source: sending, target: end, action: send(service, number), span });
        end
    }

    /// The same where a port has any number of timers: one more; or one less armed, if the one that
    /// is stopped is still there, and any number of timeouts less, as one that is periodic may have
    /// fired before.
    fn command_to_any(
        &mut self,
        timer: Timer,
        key: PortKey,
        command: Command,
        at: LocationId,
        span: Span,
    ) -> LocationId {
        if command != Command::Stop {
            return self.graph.then(at, send(timer.armed, command as i64), span);
        }
        let end = self.graph.then(at, take_any(timer.armed), span);
        self.graph.skip(at, end, span);
        if let Some(inbox) = self.channels.by_port.get(&key) {
            self.graph.add(Arc { source: end, target: end, action: take_any(inbox.channel), span });
        }
        end
    }
}

/// Takes some message out of a channel.
fn take_any(from: VariableId) -> Action {
    Action::Receive { channel: channel(from), patterns: vec![Pattern::Any], random: true, peek: false }
}

/// A service that is to be built.
pub(crate) struct Service<'s> {
    pub(crate) system: &'s CapsuleSystem,
    pub(crate) channels: &'s Channels,
    pub(crate) key: PortKey,
    /// The channels that are empty whenever a timer fires, if that is assumed.
    pub(crate) drained: Vec<VariableId>,
}

/// The process that serves one timer.
pub(crate) fn service(wanted: &Service<'_>) -> Option<ProcessType> {
    let Service { system, channels, key, drained } = wanted;
    let timer = channels.timers.get(key)?;
    let instance = &system.instances[key.instance];
    let port = &system.classes[instance.classes[key.class]].ports[key.port];
    let span = port.span;
    let all = &system.protocols[port.protocol];
    let timeout = ["timeout", "event"].iter().find_map(|name| all.message(name, !port.conjugated))?;
    let inbox = *channels.by_port.get(key)?;
    let timeout = send(inbox.channel, inbox.number(timeout));
    let mut graph = Graph::new(format!("{} timer", port_name(system, *key)), span);
    let entry = graph.stable("in service".to_owned(), span);
    if let Some(commands) = timer.commands {
        accept(&mut graph, entry, *timer, commands, span);
    }
    let from = if drained.is_empty() {
        entry
    } else {
        graph.then(entry, Action::Condition(quiet(timer.armed, drained)), span)
    };
    let once = graph.then(from, fire(timer.armed, Command::Once), span);
    graph.add(Arc { source: once, target: entry, action: timeout.clone(), span });
    let again = graph.then(from, fire(timer.armed, Command::Periodic), span);
    let fired = graph.then(again, timeout, span);
    let rearm = send(timer.armed, Command::Periodic as i64);
    graph.add(Arc { source: fired, target: entry, action: rearm, span });
    Some(graph.finish(entry))
}

/// Takes commands: a start is put to the armed timers, a stop takes one away.
fn accept(graph: &mut Graph, entry: LocationId, timer: Timer, commands: Inbox, span: Span) {
    for command in [Command::Once, Command::Periodic] {
        let number = commands.of_command(command);
        let taken = graph.then(entry, begin(commands, number), span);
        let handled = accepted(graph, entry, commands, number, span);
        graph.add(Arc { source: taken, target: handled, action: send(timer.armed, command as i64), span });
    }
    let number = commands.of_command(Command::Stop);
    let stop = graph.then(entry, begin(commands, number), span);
    let handled = accepted(graph, entry, commands, number, span);
    let none = Action::Condition(Expression::Empty(Box::new(channel(timer.armed))));
    graph.add(Arc { source: stop, target: handled, action: none, span });
    let take = take_any(timer.armed);
    graph.add(Arc { source: stop, target: handled, action: take, span });
}

/// The location behind a command: from there, it leaves the queue of a thread.
fn accepted(graph: &mut Graph, entry: LocationId, commands: Inbox, number: i64, span: Span) -> LocationId {
    if !commands.shared {
        return entry;
    }
    let handled = graph.passing(span);
    let action = receive(commands, number);
    graph.add(Arc { source: handled, target: entry, action, span });
    handled
}

/// Takes an armed timer, whichever was armed first.
fn fire(armed: VariableId, command: Command) -> Action {
    let patterns = vec![Pattern::Match(Expression::Constant(command as i64))];
    Action::Receive { channel: channel(armed), patterns, random: true, peek: false }
}

/// True if a timer is armed and all other queues are empty.
fn quiet(armed: VariableId, queues: &[VariableId]) -> Expression {
    let empty = |queue: VariableId| Expression::Empty(Box::new(channel(queue)));
    let some = Expression::Unary(Unary::Not, Box::new(empty(armed)));
    queues
        .iter()
        .fold(some, |all, &queue| Expression::Binary(Binary::And, Box::new(all), Box::new(empty(queue))))
}

/// The channels of messages between capsules and of commands: all but the armed timers.
pub(crate) fn queues(channels: &Channels) -> Vec<VariableId> {
    let armed: Vec<VariableId> = channels.timers.values().map(|timer| timer.armed).collect();
    let all: &IdMap<VariableId, Variable> = &channels.globals;
    let is_queue = |id: &VariableId| all[*id].ty == Type::Channel && !armed.contains(id);
    all.ids().filter(is_queue).collect()
}
