//! Reactions at a stable location: messages that are taken or dropped, and what an instance does by
//! itself.

use cfsm_core::diagnostic::Diagnostic;
use cfsm_core::program::{Action, LocationId};
use cfsm_core::source::Span;

use super::channels::{begin, receive};
use super::graph::{Arc, Fork, always};
use super::history::{Configuration, Relevance};
use super::process::{Handled, Process};
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
                    self.drop(Fork { from: at, back: at }, port, message, span);
                    continue;
                }
                let first = machine.transitions[candidates[0].transition].span;
                let taken = self.take(Fork { from: at, back: at }, port, message, first);
                self.choose(machine, relevance, configuration, &candidates, Fork { from: taken, back: at });
                self.handled = None;
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

    /// Asks the guards of candidates, level by level. If none holds, the message is dropped.
    fn choose(
        &mut self,
        machine: &Machine,
        relevance: &Relevance,
        configuration: &Configuration,
        candidates: &[Candidate],
        fork: Fork,
    ) {
        let mut from = fork.from;
        for level in candidates.chunk_by(|one, other| one.level == other.level) {
            let guards = level
                .iter()
                .map(|candidate| Branch { transition: candidate.transition, condition: &candidate.guard });
            let starts = self.ask(machine, &guards.collect::<Vec<_>>(), &mut from);
            for Start { transition, at } in starts {
                self.fire(machine, relevance, configuration, transition, at);
            }
        }
        if candidates.iter().all(|candidate| candidate.guard != Condition::True) {
            let span = self.class().span;
            self.rest(from, fork.back, span);
        }
    }

    /// Asks conditions in an order that is not told: each that holds may be taken, whichever others
    /// were asked before, and those without a condition if none holds. Returns the places where
    /// transitions begin, and moves `from` to where no condition has held.
    pub(crate) fn ask(
        &mut self,
        machine: &Machine,
        branches: &[Branch<'_>],
        from: &mut LocationId,
    ) -> Vec<Start> {
        let span = self.class().span;
        let acts =
            |branch: &Branch<'_>| matches!(branch.condition, Condition::Free(asked) if !asked.is_empty());
        if branches.iter().any(acts) {
            // Code of a condition may run before the others are asked, or not.
            let head = self.graph.passing(span);
            self.graph.skip(*from, head, span);
            *from = head;
        }
        let (mut starts, mut none) = (Vec::new(), None);
        let mut begin = |process: &mut Self, branch: &Branch<'_>, from: LocationId, holds: Action| {
            let transition = branch.transition;
            let at = process.graph.then(from, holds, machine.transitions[transition].span);
            starts.push(Start { transition, at });
        };
        for branch in branches {
            match branch.condition {
                Condition::When(value) => {
                    let holds = self.when(value);
                    begin(self, branch, *from, holds);
                    let fails = Value::negated(value.clone());
                    none = Some(none.map_or(fails.clone(), |none| Value::and(none, fails)));
                }
                Condition::Free(asked) => {
                    let after = self.run(asked, *from);
                    begin(self, branch, after, always());
                    if after != *from {
                        self.graph.skip(after, *from, span);
                    }
                }
                Condition::True | Condition::False => {}
            }
        }
        if let Some(none) = none {
            let fails = self.when(&none);
            *from = self.graph.then(*from, fails, span);
        }
        for branch in branches.iter().filter(|branch| *branch.condition == Condition::True) {
            begin(self, branch, *from, always());
        }
        starts
    }

    /// Begins to handle a message; the code of the port runs, and may drop it. Returns where it is
    /// delivered.
    fn take(&mut self, fork: Fork, port: PortId, message: MessageId, span: Span) -> LocationId {
        let Fork { from, back } = fork;
        let Some(&inbox) = self.channels.by_port.get(&self.key(port)) else { return from };
        let number = inbox.number(message);
        self.handled = Some(Handled { inbox, number });
        let taken = self.graph.then(from, begin(inbox, number), span);
        if self.is_timer(port) {
            return self.expire(port, Fork { from: taken, back }, span);
        }
        self.handle(port, message, Fork { from: taken, back }, span)
    }

    /// The code of a port for a message that is received: it may drop the message, and send others.
    fn handle(&mut self, port: PortId, message: MessageId, fork: Fork, span: Span) -> LocationId {
        let protocol = self.class().ports[port].protocol;
        if !self.system.protocols[protocol].messages[message].handled_at_receive {
            return fork.from;
        }
        self.warn_of_port_code(port);
        let end = self.noise(port, fork.from, span);
        self.rest(end, fork.back, span);
        self.graph.then(end, always(), span)
    }

    /// Receives and drops a message.
    pub(crate) fn drop(&mut self, fork: Fork, port: PortId, message: MessageId, span: Span) {
        let Fork { from, back } = fork;
        let Some(&inbox) = self.channels.by_port.get(&self.key(port)) else { return };
        let protocol = self.class().ports[port].protocol;
        let handled = self.system.protocols[protocol].messages[message].handled_at_receive;
        if handled || self.is_timer(port) {
            let taken = self.take(fork, port, message, span);
            self.rest(taken, back, span);
            self.handled = None;
            return;
        }
        let action = receive(inbox, inbox.number(message));
        self.graph.add(Arc { source: from, target: back, action, span });
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
                Condition::True => (always(), Vec::new()),
                Condition::When(value) => (self.when(value), Vec::new()),
                Condition::Free(asked) => (always(), asked.clone()),
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

/// A transition with the condition under which it may be taken.
#[derive(Clone, Copy)]
pub(crate) struct Branch<'c> {
    pub(crate) transition: TransitionId,
    pub(crate) condition: &'c Condition,
}

/// The place where a transition begins.
pub(crate) struct Start {
    pub(crate) transition: TransitionId,
    pub(crate) at: LocationId,
}

/// The transitions that begin at a leaf and around it, level by level: those of each state, then
/// those of the transition points of the graph that it lies in.
fn levels(machine: &Machine, leaf: StateId) -> Vec<Vec<TransitionId>> {
    let mut all = Vec::new();
    for state in machine.around(leaf) {
        let at_points = |parent, wanted| {
            let points = machine.points.iter().filter(move |(_, point)| {
                point.parent == parent
                    && matches!(point.kind, PointKind::Transition { inside, .. } if inside == wanted)
            });
            points.flat_map(|(id, _)| machine.leaving(Node::Point(id)))
        };
        all.push(machine.leaving(Node::State(state)).chain(at_points(Some(state), true)).collect());
        all.push(at_points(machine.states[state].parent, false).collect());
    }
    all
}
