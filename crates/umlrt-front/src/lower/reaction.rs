//! Reactions at a stable location: messages that are taken or dropped, and what an instance does by
//! itself.

use cfsm_core::diagnostic::Diagnostic;
use cfsm_core::program::LocationId;
use cfsm_core::source::Span;

use super::channels::{number, receive};
use super::graph::Arc;
use super::history::{Configuration, Relevance};
use super::process::Process;
use crate::codes;
use crate::model::{
    Condition, Machine, MessageId, Node, PointKind, PortId, StateId, TransitionId, Trigger, Value,
};

/// A transition that a message may trigger.
struct Candidate {
    transition: TransitionId,
    guard: Condition,
    /// The number of levels inside.
    level: usize,
}

impl Process<'_> {
    /// All that can happen in a configuration.
    pub(crate) fn reactions(
        &mut self,
        machine: &Machine,
        relevance: &Relevance,
        configuration: &Configuration,
        at: LocationId,
    ) {
        let Some(leaf) = configuration.leaf else { return };
        let span = machine.states[leaf].span;
        for port in self.class().ports.ids() {
            for message in self.received(port) {
                let candidates = self.candidates(machine, leaf, port, message);
                if candidates.is_empty() {
                    self.drop(at, port, message, span);
                    continue;
                }
                let first = machine.transitions[candidates[0].transition].span;
                let taken = self.take(at, port, message, first);
                self.choose(machine, relevance, configuration, candidates, Fork { from: taken, back: at });
            }
        }
        self.polls(machine, relevance, configuration, at);
        self.in_background(at, span);
    }

    /// The transitions that a message triggers in a leaf, in the order in which their guards are
    /// asked: from the inside to the outside, on each level those with a guard first.
    fn candidates(
        &mut self,
        machine: &Machine,
        leaf: StateId,
        port: PortId,
        message: MessageId,
    ) -> Vec<Candidate> {
        let mut all = Vec::new();
        for (number, level) in levels(machine, leaf).into_iter().enumerate() {
            let (mut guarded, mut unguarded) = (Vec::new(), Vec::new());
            for transition in level {
                let Trigger::Messages(events) = &machine.transitions[transition].trigger else { continue };
                for event in events.iter().filter(|event| event.port == port && event.message == message) {
                    let guard = event.guard.clone();
                    let candidate = Candidate { transition, guard, level: number };
                    match event.guard {
                        Condition::True => unguarded.push(candidate),
                        Condition::False => {}
                        Condition::When(_) | Condition::Free(_) => guarded.push(candidate),
                    }
                }
            }
            if let [first, second, ..] = unguarded.as_slice() {
                let (first, second) = (first.transition, second.transition);
                let span = machine.transitions[second].span;
                let message = "another transition takes the same message, and neither has a guard";
                let found = Diagnostic::warning(codes::AMBIGUOUS, span, message)
                    .with_label(machine.transitions[first].span, "the other transition")
                    .with_hint("either is taken as possible");
                self.report(found);
            }
            all.append(&mut guarded);
            if !unguarded.is_empty() {
                all.append(&mut unguarded);
                break;
            }
        }
        all
    }

    /// Asks the guards of candidates one after another. If none holds, the message is dropped.
    fn choose(
        &mut self,
        machine: &Machine,
        relevance: &Relevance,
        configuration: &Configuration,
        candidates: Vec<Candidate>,
        fork: Fork,
    ) {
        let mut from = fork.from;
        let mut dropped = true;
        // The guards of this level that did not hold. In which order those of one level are asked
        // is not told, so that each that holds may be taken.
        let (mut level, mut failed) = (0, Vec::new());
        for candidate in candidates {
            let span = machine.transitions[candidate.transition].span;
            if level < candidate.level || candidate.guard == Condition::True {
                level = candidate.level;
                from = self.none_of(std::mem::take(&mut failed), from, span);
            }
            let mut holds = super::graph::always();
            match candidate.guard {
                Condition::True => dropped = false,
                Condition::False => continue,
                Condition::When(value) => {
                    holds = self.when(&value);
                    failed.push(value);
                }
                Condition::Free(asked) => from = self.run(&asked, from),
            }
            let then = self.graph.then(from, holds, span);
            self.fire(machine, relevance, configuration, candidate.transition, then);
        }
        if dropped {
            from = self.none_of(failed, from, self.class().span);
            let span = self.class().span;
            self.graph.skip(from, fork.back, span);
        }
    }

    /// Goes on if none of some conditions holds.
    fn none_of(&mut self, conditions: Vec<Value>, from: LocationId, span: Span) -> LocationId {
        conditions.iter().fold(from, |at, condition| {
            let fails = self.unless(condition);
            self.graph.then(at, fails, span)
        })
    }

    /// Receives a message; the code of the port runs, and may drop it. Returns where it is
    /// delivered.
    fn take(&mut self, at: LocationId, port: PortId, message: MessageId, span: Span) -> LocationId {
        let Some(&channel) = self.channels.by_port.get(&self.key(port)) else { return at };
        let taken = self.graph.then(at, receive(channel, number(message)), span);
        if self.is_timer(port) {
            return self.expire(port, Fork { from: taken, back: at }, span);
        }
        self.handle(port, message, Fork { from: taken, back: at }, span)
    }

    /// The code of a port for a message that is received: it may drop the message, and send others.
    fn handle(&mut self, port: PortId, message: MessageId, fork: Fork, span: Span) -> LocationId {
        let protocol = self.class().ports[port].protocol;
        if !self.system.protocols[protocol].messages[message].handled_at_receive {
            return fork.from;
        }
        self.warn_of_port_code(port);
        let end = self.noise(port, fork.from, span);
        self.graph.skip(end, fork.back, span);
        self.graph.then(end, super::graph::always(), span)
    }

    /// Receives and drops a message.
    pub(crate) fn drop(&mut self, at: LocationId, port: PortId, message: MessageId, span: Span) {
        let Some(&channel) = self.channels.by_port.get(&self.key(port)) else { return };
        let protocol = self.class().ports[port].protocol;
        let handled = self.system.protocols[protocol].messages[message].handled_at_receive;
        if handled || self.is_timer(port) {
            let taken = self.take(at, port, message, span);
            self.graph.skip(taken, at, span);
            return;
        }
        self.graph.add(Arc { source: at, target: at, action: receive(channel, number(message)), span });
    }

    /// Transitions that wait for no message, and the code that runs in a state.
    fn polls(
        &mut self,
        machine: &Machine,
        relevance: &Relevance,
        configuration: &Configuration,
        at: LocationId,
    ) {
        let Some(leaf) = configuration.leaf else { return };
        for transition in levels(machine, leaf).into_iter().flatten() {
            let Trigger::Poll(guard) = &machine.transitions[transition].trigger else { continue };
            let span = machine.transitions[transition].span;
            let (holds, asked) = match guard {
                Condition::False => continue,
                Condition::True => (super::graph::always(), Vec::new()),
                Condition::When(value) => (self.when(value), Vec::new()),
                Condition::Free(asked) => (super::graph::always(), asked.clone()),
            };
            let start = self.graph.then(at, holds, span);
            let from = self.run(&asked, start);
            if !asked.is_empty() {
                self.graph.skip(from, at, span);
            }
            self.fire(machine, relevance, configuration, transition, from);
        }
        if !self.class().polls {
            return;
        }
        for state in machine.around(leaf) {
            let state = &machine.states[state];
            if !state.activity.is_empty() {
                self.aside(&state.activity, at, state.span);
            }
        }
    }

    /// Code outside the machine, which may run at any time.
    pub(crate) fn in_background(&mut self, at: LocationId, span: Span) {
        let background = &self.class().background;
        if !background.is_empty() {
            self.aside(background, at, span);
        }
    }

    /// Code that runs by itself and leads back.
    fn aside(&mut self, code: &crate::model::Block, at: LocationId, span: Span) {
        let start = self.graph.passing(span);
        self.graph.skip(at, start, span);
        let end = self.run(code, start);
        self.graph.skip(end, at, span);
    }
}

/// A location behind a receive, and the stable one before it.
#[derive(Clone, Copy)]
pub(crate) struct Fork {
    pub(crate) from: LocationId,
    pub(crate) back: LocationId,
}

/// The transitions that begin at a leaf and around it, level by level: those of each state, then
/// those of the transition points of the graph that it lies in.
fn levels(machine: &Machine, leaf: StateId) -> Vec<Vec<TransitionId>> {
    let mut all = Vec::new();
    for state in machine.around(leaf) {
        all.push(machine.leaving(Node::State(state)).collect());
        let parent = machine.states[state].parent;
        let points = machine.points.iter().filter(|(_, point)| {
            point.parent == parent && matches!(point.kind, PointKind::Transition { .. })
        });
        all.push(points.flat_map(|(id, _)| machine.leaving(Node::Point(id))).collect());
    }
    all
}
