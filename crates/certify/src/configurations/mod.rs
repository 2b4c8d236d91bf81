//! The conditions of the [theorem](crate#closed-sets-of-configurations) on closed sets of
//! configurations.

mod part;

use std::collections::BTreeMap;

use cfsm_core::system::{BufferId, BufferKind, MessageId, Order, StateId, System, TransitionId};
use num_bigint::BigInt;
use num_traits::Signed;

use crate::check::Names;
use crate::rejection::{Broken, Escape};
use certificate::{Configuration, ConfigurationsClaim, MOST_CONFIGURATIONS};
use part::Part;

/// How many instances are at each state, and the words in queues; nothing that is 0 or empty.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Marking {
    states: BTreeMap<StateId, u64>,
    queues: BTreeMap<BufferId, Vec<MessageId>>,
}

pub fn check(system: &System, names: &Names, claim: &ConfigurationsClaim) -> Result<(), Broken> {
    // Whether the runs are those of the system or of what it covers, they are runs of the FIFO
    // reading.
    if !matches!(system.order, Some(Order::Fifo | Order::FifoCover)) {
        return Err(Broken::Unordered);
    }
    let part = Part::of(system, names, claim)?;
    let bounds = bounds(names, &part, claim)?;
    if claim.configurations.len() > MOST_CONFIGURATIONS {
        return Err(Broken::TooManyConfigurations(claim.configurations.len()));
    }
    let mut all = BTreeMap::new();
    for (number, configuration) in (1..).zip(&claim.configurations) {
        all.insert(marking(names, &part, number, configuration)?, number);
    }
    let start = part.start();
    if !all.contains_key(&start) {
        return Err(Broken::NoStart(start.told(system)));
    }
    for (marking, number) in &all {
        part.steps(marking, |fired, after| closed(system, &all, *number, fired, &after))?;
    }
    let in_order: BTreeMap<usize, &Marking> =
        all.iter().map(|(marking, number)| (*number, marking)).collect();
    in_order.into_iter().try_for_each(|(number, marking)| not_too_full(system, &bounds, number, marking))
}

/// Condition 3, for one step.
fn closed(
    system: &System,
    all: &BTreeMap<Marking, usize>,
    configuration: usize,
    fired: &[TransitionId],
    after: &Marking,
) -> Result<(), Broken> {
    if all.contains_key(after) {
        return Ok(());
    }
    let transitions = fired.to_vec();
    Err(Broken::Departs(Box::new(Escape { configuration, transitions, after: after.told(system) })))
}

/// Condition 4, for one configuration.
fn not_too_full(
    system: &System,
    bounds: &BTreeMap<BufferId, &BigInt>,
    configuration: usize,
    marking: &Marking,
) -> Result<(), Broken> {
    for (buffer, word) in &marking.queues {
        if let Some(bound) = bounds.get(buffer).filter(|bound| BigInt::from(word.len()) > ***bound) {
            return Err(Broken::TooFull {
                configuration,
                buffer: system.buffers[*buffer].name.clone(),
                messages: word.len(),
                bound: (*bound).clone(),
            });
        }
    }
    Ok(())
}

/// The bounds: on queues that are followed, none below 0.
fn bounds<'c>(
    names: &Names,
    part: &Part<'_>,
    claim: &'c ConfigurationsClaim,
) -> Result<BTreeMap<BufferId, &'c BigInt>, Broken> {
    if claim.bounds.is_empty() {
        return Err(Broken::NoBuffers);
    }
    let mut bounds = BTreeMap::new();
    for (name, bound) in &claim.bounds {
        let buffer = *names.buffers.get(name).ok_or_else(|| Broken::UnknownBuffer(name.clone()))?;
        if part.system.buffers[buffer].kind == BufferKind::Rendezvous {
            return Err(Broken::Rendezvous(name.clone()));
        }
        if !part.buffers[buffer] {
            return Err(Broken::NotFollowed(name.clone()));
        }
        if bound.is_negative() {
            return Err(Broken::NegativeBound(bound.clone()));
        }
        bounds.insert(buffer, bound);
    }
    Ok(bounds)
}

/// A configuration by ids.
fn marking(
    names: &Names,
    part: &Part<'_>,
    number: usize,
    configuration: &Configuration,
) -> Result<Marking, Broken> {
    let mut marking = Marking::default();
    for name in &configuration.states {
        let state = *names.states.get(name).ok_or_else(|| Broken::UnknownState(name.clone()))?;
        if !part.classes[part.system.states[state].class] {
            return Err(Broken::OtherState { configuration: number, state: name.clone() });
        }
        *marking.states.entry(state).or_insert(0) += 1;
    }
    for name in &configuration.messages {
        let message = *names.messages.get(name).ok_or_else(|| Broken::UnknownMessage(name.clone()))?;
        let buffer = part.system.messages[message].buffer;
        let told = || part.system.buffers[buffer].name.clone();
        if part.system.buffers[buffer].kind == BufferKind::Rendezvous {
            return Err(Broken::Rendezvous(told()));
        }
        if !part.buffers[buffer] {
            return Err(Broken::NotFollowed(told()));
        }
        marking.queues.entry(buffer).or_default().push(message);
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
