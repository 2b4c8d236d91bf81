//! The conditions of the [theorem](crate#the-theorem), one function each.

use std::collections::BTreeMap;

use cfsm_core::ids::{Id, IdMap};
use cfsm_core::system::{
    BufferId, BufferKind, Direction, MessageId, StateId, System, Transition, TransitionId,
};
use num_bigint::BigInt;
use num_traits::{Signed, Zero};

use crate::check::Names;
use crate::format::BoundedClaim;
use crate::rejection::{Broken, Rise};

/// Weights of all places, those that the claim leaves out included.
struct Potential {
    messages: IdMap<MessageId, BigInt>,
    states: IdMap<StateId, BigInt>,
}

pub fn check(system: &System, names: &Names, claim: &BoundedClaim) -> Result<(), Broken> {
    let claimed = claimed_buffers(system, names, claim)?;
    if !claim.denominator.is_positive() {
        return Err(Broken::Denominator(claim.denominator.clone()));
    }
    if claim.bound.is_negative() {
        return Err(Broken::NegativeBound(claim.bound.clone()));
    }
    let potential = Potential {
        messages: dense(&claim.messages, &names.messages, system.messages.len())
            .map_err(Broken::UnknownMessage)?,
        states: dense(&claim.states, &names.states, system.states.len()).map_err(Broken::UnknownState)?,
    };
    messages_are_heavy_enough(system, &claimed, &claim.denominator, &potential)?;
    states_are_not_negative(system, &potential)?;
    for (id, transition) in system.transitions.iter() {
        never_rises(system, id, transition, &potential)?;
    }
    starts_low_enough(system, claim, &potential)
}

/// Condition 2, as far as it is about B: for each buffer of the system, whether it is in B.
fn claimed_buffers(
    system: &System,
    names: &Names,
    claim: &BoundedClaim,
) -> Result<IdMap<BufferId, bool>, Broken> {
    if claim.buffers.is_empty() {
        return Err(Broken::NoBuffers);
    }
    let mut claimed = IdMap::filled(false, system.buffers.len());
    for name in &claim.buffers {
        let Some(&buffer) = names.buffers.get(name) else {
            return Err(Broken::UnknownBuffer(name.clone()));
        };
        if std::mem::replace(&mut claimed[buffer], true) {
            return Err(Broken::BufferTwice(name.clone()));
        }
        match system.buffers[buffer].kind {
            BufferKind::Queue => {}
            BufferKind::Rendezvous => return Err(Broken::Rendezvous(name.clone())),
        }
    }
    Ok(claimed)
}

/// The weights of all `len` places of one kind, or the first name that is not one of theirs.
fn dense<I: Id>(
    weights: &BTreeMap<String, BigInt>,
    names: &BTreeMap<String, I>,
    len: usize,
) -> Result<IdMap<I, BigInt>, String> {
    let mut dense = IdMap::filled(BigInt::ZERO, len);
    for (name, weight) in weights {
        let place = *names.get(name).ok_or_else(|| name.clone())?;
        dense[place] = weight.clone();
    }
    Ok(dense)
}

/// Conditions 1 and 2 for message types.
fn messages_are_heavy_enough(
    system: &System,
    claimed: &IdMap<BufferId, bool>,
    denominator: &BigInt,
    potential: &Potential,
) -> Result<(), Broken> {
    for (id, message) in system.messages.iter() {
        let least = match system.buffers[message.buffer].kind {
            // Never more than no message, so the weight does not count.
            BufferKind::Rendezvous => continue,
            BufferKind::Queue if claimed[message.buffer] => denominator,
            BufferKind::Queue => &BigInt::ZERO,
        };
        if potential.messages[id] < *least {
            return Err(Broken::LightMessage {
                message: system.message_name(id),
                weight: potential.messages[id].clone(),
                least: least.clone(),
            });
        }
    }
    Ok(())
}

/// Condition 1 for states.
fn states_are_not_negative(system: &System, potential: &Potential) -> Result<(), Broken> {
    let negative = potential.states.iter().find(|(_, weight)| weight.is_negative());
    negative.map_or(Ok(()), |(state, weight)| {
        Err(Broken::LightState { state: system.state_name(state), weight: weight.clone() })
    })
}

/// Condition 3 for one transition. Time linear in its events and created classes.
fn never_rises(
    system: &System,
    id: TransitionId,
    transition: &Transition,
    potential: &Potential,
) -> Result<(), Broken> {
    let mut messages = BigInt::ZERO;
    for event in &transition.events {
        let weight = &potential.messages[event.message];
        // Most weights are 0.
        if weight.is_zero() {
            continue;
        }
        match event.direction {
            Direction::Send => messages += weight * event.count,
            Direction::Receive => messages -= weight * event.count,
        }
    }
    let created: BigInt =
        transition.creates.iter().map(|class| &potential.states[system.classes[*class].initial]).sum();
    let target_weight = &potential.states[transition.target];
    let source_weight = &potential.states[transition.source];
    if &messages + target_weight + &created <= *source_weight {
        return Ok(());
    }
    Err(Broken::Rises(Box::new(Rise {
        transition: id,
        source: system.state_name(transition.source),
        target: system.state_name(transition.target),
        action: action(system, transition),
        origin: transition.origin.clone(),
        messages,
        target_weight: target_weight.clone(),
        source_weight: source_weight.clone(),
        created,
    })))
}

/// What a transition does, in words.
fn action(system: &System, transition: &Transition) -> String {
    let events = transition.events.iter().map(|event| {
        let verb = match event.direction {
            Direction::Send => "sends",
            Direction::Receive => "receives",
        };
        format!("{verb} {} {}", event.count, system.message_name(event.message))
    });
    let creates = transition.creates.iter();
    let creates = creates.map(|class| format!("creates {}", system.classes[*class].name));
    let all: Vec<String> = events.chain(creates).collect();
    if all.is_empty() { "no event".into() } else { all.join(", ") }
}

/// Condition 4.
fn starts_low_enough(system: &System, claim: &BoundedClaim, potential: &Potential) -> Result<(), Broken> {
    let classes = system.classes.values();
    let start: BigInt = classes.map(|class| &potential.states[class.initial] * class.instances).sum();
    if start < (&claim.bound + 1) * &claim.denominator {
        return Ok(());
    }
    Err(Broken::TooMuchAtStart {
        potential: start,
        bound: claim.bound.clone(),
        denominator: claim.denominator.clone(),
    })
}
