//! The system of an extracted network.

use std::collections::{BTreeMap, BTreeSet};

use cfsm_core::system::{ClassId, MessageId, System, SystemBuilder};

use crate::delivery::Delivery;
use crate::machine::{Machine, Sent, Trigger};
use crate::role::Address;

/// The name of the machine that loses messages; no actor is called so.
pub(crate) const LOSS: &str = "loss";

/// The names of a message in the model.
pub(crate) struct Wire {
    /// The buffer.
    pub(crate) buffer: String,
    /// The message type.
    pub(crate) message: String,
}

impl Wire {
    /// The buffer and the type of a message between two actors.
    pub(crate) fn new(delivery: Delivery, from: &str, to: &str, label: &str) -> Self {
        match delivery {
            Delivery::Links => Self { buffer: format!("{from}->{to}"), message: label.into() },
            Delivery::Mailboxes | Delivery::Unordered => {
                Self { buffer: to.into(), message: format!("{label} from {from}") }
            }
        }
    }
}

/// The system: each send is a step of its own, so that those of different actors come in any order.
pub(crate) fn build(shape: &Shape<'_>, machines: &[Machine]) -> System {
    let mut builder = SystemBuilder::new(shape.name);
    if shape.delivery == Delivery::Unordered {
        builder.unordered();
    }
    // Buffers stand in the order of the actors.
    if shape.delivery != Delivery::Links {
        for name in shape.actors {
            builder.buffer(name);
        }
    }
    let mut build = Build { builder, shape, messages: BTreeSet::new() };
    for (actor, machine) in machines.iter().enumerate() {
        build.machine(Address(actor), machine);
    }
    if shape.lossy {
        build.losses();
    }
    build.builder.build().expect("names of classes and states are given once")
}

/// The network that the machines make up.
pub(crate) struct Shape<'a> {
    /// Its name.
    pub(crate) name: &'a str,
    /// The way in which messages travel.
    pub(crate) delivery: Delivery,
    /// `true` if messages may be lost.
    pub(crate) lossy: bool,
    /// The names of the actors.
    pub(crate) actors: &'a [String],
}

struct Build<'a> {
    builder: SystemBuilder,
    shape: &'a Shape<'a>,
    messages: BTreeSet<MessageId>,
}

/// A machine that is being written.
struct Writing<'a> {
    class: ClassId,
    actor: Address,
    locals: &'a [String],
    /// The names of states in which messages are still to be sent.
    pending: BTreeMap<Pending<'a>, String>,
}

/// Messages that are still to be sent, and the local state behind them.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Pending<'a> {
    sends: &'a [Sent],
    target: usize,
}

impl Build<'_> {
    fn message(&mut self, from: Address, to: Address, label: &str) -> MessageId {
        let Shape { delivery, actors, .. } = self.shape;
        let wire = Wire::new(*delivery, &actors[from.0], &actors[to.0], label);
        let message = self.builder.message(&wire.buffer, &wire.message);
        self.messages.insert(message);
        message
    }

    fn machine(&mut self, actor: Address, machine: &Machine) {
        let class = self.builder.class(&self.shape.actors[actor.0], 1).id();
        let mut writing = Writing { class, actor, locals: &machine.locals, pending: BTreeMap::new() };
        for step in &machine.steps {
            // The start comes first, and the state that is named first is the initial one.
            let first = self.state(&mut writing, Pending { sends: &step.sends, target: step.target });
            let source = &machine.locals[step.source];
            let change = match &step.trigger {
                Trigger::Start => continue,
                Trigger::Message { from, label } => vec![(self.message(*from, actor, label), -1)],
                Trigger::Timer(_) => Vec::new(),
            };
            self.builder.class_again(class).step(source, &change, &first);
        }
    }

    /// The name of a state; the sends that lead on from it are written when it is first named.
    fn state<'a>(&mut self, writing: &mut Writing<'a>, pending: Pending<'a>) -> String {
        let target = &writing.locals[pending.target];
        let Some((sent, rest)) = pending.sends.split_first() else {
            self.builder.class_again(writing.class).state(target);
            return target.clone();
        };
        if let Some(known) = writing.pending.get(&pending) {
            return known.clone();
        }
        let names = &self.shape.actors;
        let sends = pending.sends.iter().map(|sent| format!("{} to {}", sent.label, names[sent.to.0]));
        let number = writing.pending.len();
        let name = format!("#{number} sends {}, then {target}", sends.collect::<Vec<_>>().join(", "));
        writing.pending.insert(pending, name.clone());
        self.builder.class_again(writing.class).state(&name);
        let next = self.state(writing, Pending { sends: rest, target: pending.target });
        let message = self.message(writing.actor, sent.to, &sent.label);
        self.builder.class_again(writing.class).send(&name, message, &next);
        name
    }

    /// A machine that takes messages out of all buffers.
    fn losses(&mut self) {
        let mut loss = self.builder.class(LOSS, 1);
        for message in &self.messages {
            loss.receive("loses", *message, "loses");
        }
    }
}
