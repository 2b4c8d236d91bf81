//! The process of one instance.

use std::collections::{BTreeMap, VecDeque};

use cfsm_core::diagnostic::Diagnostic;
use cfsm_core::program::{
    Action, Binary, Expression, Initializer, LocationId, Type, Unary, Variable, VariableRef,
};
use cfsm_core::source::Span;

use super::channels::{Channels, Inbox, PortKey, channel, receive};
use super::graph::{Arc, Fork, Graph, always, assign, is};
use super::history::{Configuration, Relevance};
use super::value::Variables;
use crate::codes;
use crate::model::{BOUND, CapsuleSystem, Class, InstanceId, Machine, MessageId, PortId, StateId, UNBOUND};
use crate::options::Options;

/// A stable location of a process.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Stable {
    /// The class, as a position among those of the instance.
    pub class: usize,
    /// The situation of its machine.
    pub configuration: Configuration,
}

/// The message that is being handled.
#[derive(Clone, Copy)]
pub(crate) struct Handled {
    pub(crate) inbox: Inbox,
    pub(crate) number: i64,
}

/// The lowering of one instance.
pub(crate) struct Process<'s> {
    pub(crate) system: &'s CapsuleSystem,
    pub(crate) channels: &'s Channels,
    pub(crate) options: &'s Options,
    pub(crate) diagnostics: &'s mut Vec<Diagnostic>,
    pub(crate) instance: InstanceId,
    /// The class at hand, as a position among those of the instance.
    pub(crate) class: usize,
    pub(crate) graph: Graph,
    /// True if a timer runs, per port.
    pub(crate) running: BTreeMap<PortId, VariableRef>,
    /// The stable locations.
    pub(crate) stable: BTreeMap<Stable, LocationId>,
    /// Those of them from which nothing leads on yet.
    open: VecDeque<Stable>,
    /// The location at which an optional instance waits to be created again.
    absent: Option<LocationId>,
    /// The variable that tells if the instance is created, or the optional one around it.
    created: Option<VariableRef>,
    /// Histories are part of the locations, not variables.
    pub(crate) unfolded: bool,
    /// The variables of histories, per composite state of the class at hand, if they are variables.
    pub(crate) histories: BTreeMap<StateId, VariableRef>,
    /// The variables of the class at hand.
    pub(crate) variables: Variables,
    /// The message that is being handled.
    pub(crate) handled: Option<Handled>,
    /// There are too many configurations to unfold histories.
    too_many: bool,
}

impl<'s> Process<'s> {
    pub(crate) fn new(
        system: &'s CapsuleSystem,
        channels: &'s Channels,
        options: &'s Options,
        diagnostics: &'s mut Vec<Diagnostic>,
        instance: InstanceId,
        unfolded: bool,
    ) -> Self {
        let known = &system.instances[instance];
        let span = system.classes[known.classes[0]].span;
        let graph = Graph::new(known.path.clone(), span);
        let (running, stable, open, absent) = Default::default();
        let created = created_with(system, channels, instance);
        Self {
            system,
            channels,
            options,
            diagnostics,
            instance,
            class: 0,
            graph,
            running,
            stable,
            open,
            absent,
            created,
            unfolded,
            histories: BTreeMap::new(),
            variables: Variables::new(),
            handled: None,
            too_many: false,
        }
    }

    pub(crate) fn class(&self) -> &'s Class {
        &self.system.classes[self.system.instances[self.instance].classes[self.class]]
    }

    pub(crate) fn key(&self, port: PortId) -> PortKey {
        PortKey { instance: self.instance, class: self.class, port }
    }

    /// Builds the whole graph; returns the location where the process starts, or nothing if there
    /// are too many histories to unfold them.
    pub(crate) fn build(&mut self) -> Option<LocationId> {
        let instance = &self.system.instances[self.instance];
        let span = self.class().span;
        let entry = if instance.optional {
            let absent = self.graph.stable("not there".to_owned(), span);
            self.absent = Some(absent);
            self.stable.insert(Stable { class: 0, configuration: Configuration::default() }, absent);
            absent
        } else {
            self.graph.passing(span)
        };
        for class in 0..instance.classes.len() {
            self.class = class;
            self.timers();
            if instance.optional {
                self.drop_while_absent(entry, span);
            }
            self.class_from(entry);
        }
        (!self.too_many).then_some(entry)
    }

    /// Declares the histories of the class at hand as variables, which are 0 before the first time.
    fn declare_histories(&mut self, machine: &Machine) {
        self.histories.clear();
        if self.unfolded {
            return;
        }
        for (id, state) in machine.states.iter().filter(|(_, state)| state.composite) {
            let name = format!("{} last in", machine.path(id));
            let variable = Variable::scalar(name, Type::Int, Initializer::Zero, state.span);
            let variable = self.graph.local(variable);
            self.histories.insert(id, variable);
        }
    }

    /// The behaviour of one class, from its creation on.
    fn class_from(&mut self, entry: LocationId) {
        let class = self.class();
        let span = class.span;
        self.declare_variables();
        let Some(machine) = &class.machine else {
            // An instance without a machine drops all that it receives.
            let idle = Configuration { leaf: None, history: BTreeMap::new() };
            let at = self.graph.stable("idle".to_owned(), span);
            self.stable.entry(Stable { class: self.class, configuration: idle }).or_insert(at);
            let start = self.begin(entry, span);
            let start = self.tell_peers(BOUND, start);
            self.graph.skip(start, at, span);
            self.drop_all(at, span);
            self.in_background(at, span);
            return self.leave(at, span);
        };
        let Some(initial) = machine.initial else {
            let message = format!("the machine of `{}` has no initial transition", class.name);
            let hint = "begin it with `Transition init: initial -> ...`";
            self.report(Diagnostic::error(codes::NO_INITIAL, span, message).with_hint(hint));
            return;
        };
        self.declare_histories(machine);
        let relevance = Relevance::new(machine);
        // User code may run before the machine does.
        let start = self.begin(entry, span);
        let start = if self.absent.is_some() { self.reset(start) } else { start };
        let told = self.tell_peers(BOUND, start);
        // It may be destroyed before its machine begins.
        if told != start || self.channels.created.contains_key(&self.instance) {
            self.leave(told, span);
        }
        let start = self.run(&class.background, told);
        self.start(machine, &relevance, initial, start);
        while let Some(next) = self.open.pop_front() {
            let at = self.stable[&next];
            self.leave(at, span);
            self.reactions(machine, &relevance, &next.configuration, at);
        }
    }

    /// The step with which an instance begins: once it is created, if that is followed.
    fn begin(&mut self, entry: LocationId, span: Span) -> LocationId {
        let is_there = self.created.map_or_else(always, |created| is(created, 1));
        self.graph.then(entry, is_there, span)
    }

    /// The stable location for a configuration.
    pub(crate) fn stable_at(&mut self, machine: &Machine, configuration: Configuration) -> LocationId {
        let stable = Stable { class: self.class, configuration };
        if let Some(&known) = self.stable.get(&stable) {
            return known;
        }
        let leaf = stable.configuration.leaf;
        let span = leaf.map_or(self.class().span, |leaf| machine.states[leaf].span);
        let mut label = leaf.map_or_else(String::new, |leaf| format!("in {}", machine.path(leaf)));
        for (&composite, &last) in &stable.configuration.history {
            label += &format!(", {} last in {}", machine.path(composite), machine.states[last].name);
        }
        let at = self.graph.stable(label, span);
        self.stable.insert(stable.clone(), at);
        if self.unfolded && self.stable.len() > self.options.max_configurations {
            self.too_many = true;
            self.open.clear();
            return at;
        }
        self.open.push_back(stable);
        at
    }

    /// Ends a run to completion at a stable location: the message that was handled leaves the queue
    /// of its thread.
    pub(crate) fn rest(&mut self, from: LocationId, stable: LocationId, span: Span) {
        match self.handled {
            Some(Handled { inbox, number }) if inbox.shared => {
                let action = receive(inbox, number);
                self.graph.add(Arc { source: from, target: stable, action, span });
            }
            Some(_) | None => self.graph.skip(from, stable, span),
        }
    }

    /// Lets an optional instance be destroyed at a location.
    fn leave(&mut self, at: LocationId, span: Span) {
        let Some(absent) = self.absent.filter(|_| !self.system.instances[self.instance].stays) else {
            return;
        };
        let leaving = self.graph.passing(span);
        let gone = self.tell_peers(UNBOUND, leaving);
        if let Some(&created) = self.channels.created.get(&self.instance) {
            let action = assign(VariableRef::Global(created), 0);
            self.graph.skip(at, leaving, span);
            return self.graph.add(Arc { source: gone, target: absent, action, span });
        }
        if gone == leaving {
            return self.graph.skip(at, absent, span);
        }
        self.graph.skip(at, leaving, span);
        self.graph.skip(gone, absent, span);
    }

    /// Drops the messages to an optional instance that is not there. Once it is created, it keeps
    /// what it gets.
    fn drop_while_absent(&mut self, at: LocationId, span: Span) {
        let Some(created) = self.created else { return self.drop_all(at, span) };
        for port in self.class().ports.ids() {
            let Some(&inbox) = self.channels.by_port.get(&self.key(port)) else { continue };
            let message = Expression::Empty(Box::new(channel(inbox.channel)));
            let message = Expression::Unary(Unary::Not, Box::new(message));
            let absent = Expression::Unary(Unary::Not, Box::new(Expression::variable(created)));
            let lost = Expression::Binary(Binary::And, Box::new(absent), Box::new(message));
            let from = self.graph.then(at, Action::Condition(lost), span);
            for message in self.received(port) {
                self.drop(Fork { from, back: at }, port, message, span);
            }
        }
    }

    /// Receives and drops every message that a port may get.
    fn drop_all(&mut self, at: LocationId, span: Span) {
        for port in self.class().ports.ids() {
            for message in self.received(port) {
                self.drop(Fork { from: at, back: at }, port, message, span);
            }
        }
    }

    /// The messages that may come to a port.
    pub(crate) fn received(&self, port: PortId) -> Vec<MessageId> {
        if !self.channels.by_port.contains_key(&self.key(port)) {
            return Vec::new();
        }
        self.class().received(self.system, port).collect()
    }

    pub(crate) fn report(&mut self, found: Diagnostic) {
        if !self.diagnostics.contains(&found) {
            self.diagnostics.push(found);
        }
    }
}

/// The variable that tells if an instance is created: its own, or that of the one around it whose
/// fixed part it is.
fn created_with(system: &CapsuleSystem, channels: &Channels, id: InstanceId) -> Option<VariableRef> {
    let mut at = id;
    loop {
        if let Some(&created) = channels.created.get(&at) {
            return Some(VariableRef::Global(created));
        }
        // One in an optional part may be missing although its container is there.
        at = system.instances[at].origin.as_ref().filter(|origin| origin.fixed)?.container;
    }
}
