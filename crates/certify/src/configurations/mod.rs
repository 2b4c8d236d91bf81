//! The conditions of the [theorem](crate#closed-sets-of-configurations) on closed sets of
//! configurations.

mod part;

use std::collections::BTreeMap;

use cfsm_core::system::{BufferId, MessageId, Order, StateId, System};
use num_bigint::BigInt;
use num_traits::Signed;

use crate::net::Net;
use crate::rejection::{Violation, ensure};
use certificate::{Configuration, ConfigurationsClaim, MOST_CONFIGURATIONS};
use part::Part;

/// How many instances are at each state, and the words in queues; nothing that is 0 or empty.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Marking {
    states: BTreeMap<StateId, u64>,
    queues: BTreeMap<BufferId, Vec<MessageId>>,
}

pub fn check(net: &Net<'_>, claim: &ConfigurationsClaim) -> Result<(), Violation> {
    let system = net.system;
    // Whether the runs are those of the system or of what it covers, they are runs of the FIFO
    // reading.
    ensure!(
        matches!(system.order, Some(Order::Fifo | Order::FifoCover)),
        "the system does not say that its queues are first in, first out (`\"order\": \"fifo\"`)"
    );
    let part = Part::new(net, claim)?;
    let bounds = bounds(&part, claim)?;
    let count = claim.configurations.len();
    ensure!(
        count <= MOST_CONFIGURATIONS,
        "there are {count} configurations, more than {MOST_CONFIGURATIONS}"
    );
    let mut all = BTreeMap::new();
    for (number, configuration) in (1..).zip(&claim.configurations) {
        all.insert(marking(&part, number, configuration)?, number);
    }
    let start = part.start();
    let has_start = all.contains_key(&start);
    ensure!(has_start, "the initial configuration is not in the list: {}", start.told(system));
    // Condition 3.
    for (marking, number) in &all {
        part.steps(marking, |fired, after| {
            let fired = || fired.iter().map(|id| format!("{id:?}")).collect::<Vec<_>>().join(" with ");
            ensure!(
                all.contains_key(&after),
                "{} leads from configuration {number} to one that is not in the list: {}",
                fired(),
                after.told(system)
            );
            Ok(())
        })?;
    }
    let in_order: BTreeMap<usize, &Marking> =
        all.iter().map(|(marking, number)| (*number, marking)).collect();
    in_order.into_iter().try_for_each(|(number, marking)| not_too_full(system, &bounds, number, marking))
}

/// Condition 4, for one configuration.
fn not_too_full(
    system: &System,
    bounds: &BTreeMap<BufferId, &BigInt>,
    number: usize,
    marking: &Marking,
) -> Result<(), Violation> {
    for (buffer, word) in &marking.queues {
        let (name, messages) = (&system.buffers[*buffer].name, word.len());
        if let Some(bound) = bounds.get(buffer) {
            let fits = BigInt::from(messages) <= **bound;
            ensure!(fits, "configuration {number}: `{name}` holds {messages} messages, more than {bound}");
        }
    }
    Ok(())
}

/// The bounds: on queues that are followed, none below 0.
fn bounds<'c>(
    part: &Part<'_>,
    claim: &'c ConfigurationsClaim,
) -> Result<BTreeMap<BufferId, &'c BigInt>, Violation> {
    ensure!(!claim.bounds.is_empty(), "no buffer is claimed to be bounded");
    let mut bounds = BTreeMap::new();
    for (name, bound) in &claim.bounds {
        let buffer = part.queue(part.net.buffer(name)?)?;
        ensure!(!bound.is_negative(), "the bound is {bound}, less than 0");
        bounds.insert(buffer, bound);
    }
    Ok(bounds)
}

/// A configuration by ids.
fn marking(part: &Part<'_>, number: usize, configuration: &Configuration) -> Result<Marking, Violation> {
    let mut marking = Marking::default();
    for name in &configuration.states {
        let state = part.net.state(name)?;
        ensure!(
            part.classes[part.system.states[state].class],
            "configuration {number}: the state `{name}` is not one of the classes that are followed"
        );
        *marking.states.entry(state).or_insert(0) += 1;
    }
    for name in &configuration.messages {
        let message = part.net.message(name)?;
        let queue = part.queue(part.system.messages[message].buffer)?;
        marking.queues.entry(queue).or_default().push(message);
    }
    Ok(marking)
}

impl Marking {
    /// `A@0, 2 B@1; AB(a), AB(b)`
    fn told(&self, system: &System) -> String {
        let states = self.states.iter().map(|(state, count)| match count {
            1 => system.state_name(*state),
            count => format!("{count} {}", system.state_name(*state)),
        });
        let messages = self.queues.values().flatten().map(|message| system.message_name(*message));
        let (states, messages): (Vec<_>, Vec<_>) = (states.collect(), messages.collect());
        format!(
            "{}; {}",
            states.join(", "),
            if messages.is_empty() { "no message".into() } else { messages.join(", ") }
        )
    }
}
