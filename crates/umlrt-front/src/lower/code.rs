//! Action code to edges.

use cfsm_core::diagnostic::Diagnostic;
use cfsm_core::program::{LocationId, VariableRef};
use cfsm_core::source::Span;

use super::channels::{port_name, send};
use super::graph::{Arc, always, assign, is};
use super::process::{Handled, Process};
use super::value::Assignment;
use crate::codes;
use crate::model::{Block, Loop, Origin, Peer, PortId, Recipient, Role, Send, Step};

/// The targets of jumps in code.
#[derive(Clone, Copy)]
struct Targets {
    /// The end of the innermost call.
    call: LocationId,
    /// The end of the innermost loop or `switch`.
    exit: Option<LocationId>,
    /// The end of a round of the innermost loop.
    next: Option<LocationId>,
}

/// A block with the location that it starts at.
struct Branch<'b> {
    block: &'b Block,
    from: LocationId,
}

impl Process<'_> {
    /// Code from a location on; returns the location behind it.
    pub(crate) fn run(&mut self, code: &Block, from: LocationId) -> LocationId {
        if code.is_empty() {
            return from;
        }
        let span = self.class().span;
        let end = self.graph.passing(span);
        let targets = Targets { call: end, exit: None, next: None };
        if let Some(last) = self.block(code, from, targets) {
            self.graph.skip(last, end, span);
        }
        self.forget(code, end)
    }

    /// A block; returns the location behind it, unless a jump leaves it in any case.
    fn block(&mut self, block: &Block, from: LocationId, targets: Targets) -> Option<LocationId> {
        block.iter().try_fold(from, |at, step| self.step(step, at, targets))
    }

    fn step(&mut self, step: &Step, at: LocationId, targets: Targets) -> Option<LocationId> {
        let span = self.class().span;
        match step {
            Step::Send(send) => Some(self.send(send, at)),
            Step::Requeue => Some(match self.handled {
                Some(Handled { inbox, number }) => self.graph.then(at, send(inbox.channel, number), span),
                None => at,
            }),
            Step::Incarnate { part } => Some(self.incarnate(part, at)),
            Step::Choice(blocks) => {
                let end = self.graph.passing(span);
                let branches = blocks.iter().map(|block| Branch { block, from: at }).collect();
                self.branches(branches, end, targets)
            }
            Step::Assign { variable, value } => {
                let (variable, value) = (*variable, value.clone());
                Some(self.assign(&Assignment { variable, value, span }, at))
            }
            Step::If { condition, then, otherwise } => {
                let end = self.graph.passing(span);
                let (holds, fails) = (self.when(&condition.holds), self.when(&condition.fails));
                let holds = Branch { block: then, from: self.graph.then(at, holds, span) };
                let fails = Branch { block: otherwise, from: self.graph.then(at, fails, span) };
                self.branches(vec![holds, fails], end, targets)
            }
            Step::Loop(known) => Some(self.repeated(known, at, targets)),
            Step::Switch(block) => {
                let end = self.graph.passing(span);
                if let Some(last) = self.block(block, at, Targets { exit: Some(end), ..targets }) {
                    self.graph.skip(last, end, span);
                }
                Some(end)
            }
            Step::Repeat(block) => {
                let (head, exit) = (self.graph.passing(span), self.graph.passing(span));
                self.graph.skip(at, head, span);
                self.graph.skip(head, exit, span);
                let inner = Targets { exit: Some(exit), next: Some(head), ..targets };
                if let Some(last) = self.block(block, head, inner) {
                    self.graph.skip(last, head, span);
                }
                Some(exit)
            }
            Step::Call(block) => {
                let end = self.graph.passing(span);
                if let Some(last) = self.block(block, at, Targets { call: end, exit: None, next: None }) {
                    self.graph.skip(last, end, span);
                }
                Some(end)
            }
            Step::Break | Step::Continue => {
                let target = if *step == Step::Break { targets.exit? } else { targets.next? };
                self.graph.skip(at, target, span);
                None
            }
            Step::Return => {
                self.graph.skip(at, targets.call, span);
                None
            }
        }
    }

    /// The creation of a capsule in a part: in any place that is free, or nowhere.
    fn incarnate(&mut self, part: &str, at: LocationId) -> LocationId {
        let (system, span) = (self.system, self.class().span);
        let is_here = |origin: &Origin| {
            origin.container == self.instance && origin.class == self.class && origin.part == part
        };
        let places = self
            .channels
            .created
            .iter()
            .filter(|(id, _)| system.instances[**id].origin.as_ref().is_some_and(is_here));
        let places: Vec<VariableRef> = places.map(|(_, created)| VariableRef::Global(*created)).collect();
        if places.is_empty() {
            return at;
        }
        // One that was there may have to go before, and the new one may begin at once.
        let (ready, end) = (self.graph.pause(at, span), self.graph.passing(span));
        self.graph.skip(ready, end, span);
        for created in places {
            let free = self.graph.then(ready, is(created, 0), span);
            self.graph.add(Arc { source: free, target: end, action: assign(created, 1), span });
        }
        self.graph.pause(end, span)
    }

    /// Blocks that lead to one end; returns it, unless jumps leave all of them.
    fn branches(
        &mut self,
        branches: Vec<Branch<'_>>,
        end: LocationId,
        targets: Targets,
    ) -> Option<LocationId> {
        let span = self.class().span;
        let mut reached = false;
        for Branch { block, from } in branches {
            if let Some(last) = self.block(block, from, targets) {
                self.graph.skip(last, end, span);
                reached = true;
            }
        }
        reached.then_some(end)
    }

    /// A loop; returns the location behind it.
    fn repeated(&mut self, known: &Loop, at: LocationId, targets: Targets) -> LocationId {
        let span = self.class().span;
        let [head, body, next, exit] = [(); 4].map(|()| self.graph.passing(span));
        self.graph.skip(at, if known.body_first { body } else { head }, span);
        let outer = Targets { exit: None, next: None, ..targets };
        if let Some(tested) = self.block(&known.before, head, outer) {
            let (holds, fails) = match &known.condition {
                Some(condition) => (self.when(&condition.holds), self.when(&condition.fails)),
                None => (always(), always()),
            };
            self.graph.add(Arc { source: tested, target: body, action: holds, span });
            self.graph.add(Arc { source: tested, target: exit, action: fails, span });
        }
        let inner = Targets { exit: Some(exit), next: Some(next), ..targets };
        if let Some(last) = self.block(&known.body, body, inner) {
            self.graph.skip(last, next, span);
        }
        if let Some(last) = self.block(&known.update, next, outer) {
            self.graph.skip(last, head, span);
        }
        exit
    }

    /// A send to the peers of a port.
    fn send(&mut self, sent: &Send, at: LocationId) -> LocationId {
        let key = self.key(sent.port);
        let class = self.class();
        let protocol = &self.system.protocols[class.ports[sent.port].protocol];
        let message = &protocol.messages[sent.message];
        match protocol.role {
            Role::Data => return at,
            Role::Timer | Role::Timers if self.channels.timers.contains_key(&key) => {
                return self.command(sent.port, &message.name, at, sent.span);
            }
            Role::Timer | Role::Timers | Role::Messages => {}
        }
        if message.handled_at_send {
            self.warn_of_port_code(sent.port);
            return self.noise(sent.port, at, sent.span);
        }
        self.send_plainly(sent, at)
    }

    /// A send to the peers of a port, of which no code of the port knows.
    fn send_plainly(&mut self, sent: &Send, at: LocationId) -> LocationId {
        let peers = &self.system.instances[self.instance].peers[self.class][sent.port];
        if peers.is_empty() {
            self.warn_of_unbound(sent.port, sent.span);
            return at;
        }
        match sent.recipient {
            Recipient::All => peers.iter().fold(at, |at, peer| self.deliver(sent, peer, at)),
            Recipient::Some => peers.iter().fold(at, |at, peer| {
                let end = self.deliver(sent, peer, at);
                if end != at && peer.certain {
                    self.graph.skip(at, end, sent.span);
                }
                end
            }),
            Recipient::Index(_) | Recipient::Any => {
                if let [only] = peers.as_slice() {
                    return self.deliver(sent, only, at);
                }
                let end = self.graph.passing(sent.span);
                for peer in peers {
                    let last = self.deliver(sent, peer, at);
                    self.graph.skip(last, end, sent.span);
                }
                end
            }
        }
    }

    /// One message to one peer.
    fn deliver(&mut self, sent: &Send, peer: &Peer, at: LocationId) -> LocationId {
        let own = &self.system.protocols[self.class().ports[sent.port].protocol];
        let message = &own.messages[sent.message];
        let to = &self.system.instances[peer.instance];
        let port = &self.system.classes[to.classes[peer.class]].ports[peer.port];
        // The peer's protocol may be a base of this one: what it does not know is not sent to it.
        let known = self.system.protocols[port.protocol].message(&message.name, !port.conjugated);
        let key = super::PortKey { instance: peer.instance, class: peer.class, port: peer.port };
        let Some((known, inbox)) = known.zip(self.channels.by_port.get(&key)) else { return at };
        let end = self.graph.then(at, send(inbox.channel, inbox.number(known)), sent.span);
        if !peer.certain || to.classes.len() > 1 {
            self.graph.skip(at, end, sent.span);
        }
        end
    }

    /// Tells the peers that are to be told of it that wires come or go.
    pub(crate) fn tell_peers(&mut self, message: &str, at: LocationId) -> LocationId {
        let (system, instance) = (self.system, &self.system.instances[self.instance]);
        let (mut at, class) = (at, self.class());
        for (port, own) in class.ports.iter() {
            let protocol = &system.protocols[own.protocol];
            let Some(told) = protocol.message(message, own.conjugated) else { continue };
            let sent = Send { port, message: told, recipient: Recipient::All, span: own.span };
            for peer in &instance.peers[self.class][port] {
                let to = &system.instances[peer.instance];
                if system.classes[to.classes[peer.class]].ports[peer.port].notified {
                    at = self.deliver(&sent, peer, at);
                }
                // One that comes later is told of each peer that is there.
                if let (true, true, Some(&inbox)) =
                    (own.notified, instance.optional, self.channels.by_port.get(&self.key(port)))
                    && let Some(own_message) = protocol.message(message, !own.conjugated)
                {
                    let end = self.graph.then(at, send(inbox.channel, inbox.number(own_message)), own.span);
                    self.graph.skip(at, end, own.span);
                    at = end;
                }
            }
        }
        at
    }

    /// Any messages of a port, any number of times; returns the location behind them.
    pub(crate) fn noise(&mut self, port: PortId, from: LocationId, span: Span) -> LocationId {
        let head = self.graph.passing(span);
        self.graph.skip(from, head, span);
        for message in self.class().sent(self.system, port).collect::<Vec<_>>() {
            let sent = Send { port, message, recipient: Recipient::Any, span };
            let last = self.send_plainly(&sent, head);
            if last != head {
                self.graph.skip(last, head, span);
            }
        }
        self.graph.then(head, always(), span)
    }

    pub(crate) fn warn_of_port_code(&mut self, port: PortId) {
        let port = &self.class().ports[port];
        let message = format!("code of the port `{}` runs when messages pass it", port.name);
        let hint = "a message that it handles is taken as dropped, or sent any number of times";
        self.report(Diagnostic::warning(codes::PORT_CODE, port.span, message).with_hint(hint));
    }

    fn warn_of_unbound(&mut self, port: PortId, span: Span) {
        let name = port_name(self.system, self.key(port));
        let message = format!("`{name}` is bound to nothing: what is sent to it is lost");
        self.report(Diagnostic::warning(codes::UNBOUND_PORT, span, message));
    }
}
