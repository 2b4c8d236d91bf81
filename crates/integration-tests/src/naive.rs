//! The conditions of a certificate's theorem, computed the long way round: from the columns of the
//! incidence matrix, over all places, whatever they weigh.

use std::collections::BTreeMap;

use certify::{BoundedClaim, Certificate, Claim};
use cfsm_core::ids::Id;
use cfsm_core::system::{BufferKind, Direction, System, Transition};
use num_bigint::BigInt;

/// Whether all claims hold, names and all.
#[must_use]
pub fn holds(system: &System, certificate: &Certificate) -> bool {
    let file_name = |path: &str| path.rsplit('/').next().map(str::to_owned);
    certificate.schema == certify::SCHEMA
        && file_name(&certificate.system) == file_name(&system.name)
        && certificate.claims.iter().all(|claim| match claim {
            Claim::Bounded(claim) => claim_holds(system, claim),
            _ => false,
        })
}

/// The weights of all places: message types first, then states, then data places.
fn weights(system: &System, claim: &BoundedClaim) -> Vec<BigInt> {
    let of = |weights: &BTreeMap<String, BigInt>, name: &str| weights.get(name).cloned().unwrap_or_default();
    let messages = system.messages.ids().map(|id| of(&claim.messages, &system.message_name(id)));
    let states = system.states.ids().map(|id| of(&claim.states, &system.state_name(id)));
    let data = system.data.values().map(|place| of(&claim.data, &place.name));
    messages.chain(states).chain(data).collect()
}

/// What a transition adds to each place.
fn column(system: &System, transition: &Transition) -> Vec<i64> {
    let messages = system.messages.len();
    let mut column = vec![0; messages + system.states.len() + system.data.len()];
    for event in &transition.events {
        let sign = if event.direction == Direction::Send { 1 } else { -1 };
        column[event.message.index()] += sign * i64::from(event.count);
    }
    column[messages + transition.source.index()] -= 1;
    column[messages + transition.target.index()] += 1;
    for data in &transition.data {
        column[messages + system.states.len() + data.place.index()] += data.change;
    }
    for class in &transition.creates {
        column[messages + system.classes[*class].initial.index()] += 1;
    }
    column
}

fn claim_holds(system: &System, claim: &BoundedClaim) -> bool {
    let weights = weights(system, claim);
    let (messages, states) = weights.split_at(system.messages.len());
    let zero = BigInt::ZERO;
    let sum = |tokens: &[i64]| -> BigInt { weights.iter().zip(tokens).map(|(weight, n)| weight * n).sum() };
    let mut initial = vec![0; weights.len()];
    for class in system.classes.values() {
        initial[messages.len() + class.initial.index()] += i64::from(class.instances);
    }
    for (id, place) in system.data.iter() {
        let tokens = i64::try_from(place.initial).expect("a valid system has less than 2^52");
        initial[messages.len() + system.states.len() + id.index()] = tokens;
    }
    let heavy = system.messages.iter().zip(messages).all(|((_, message), weight)| {
        let buffer = &system.buffers[message.buffer];
        match buffer.kind {
            BufferKind::Rendezvous => true,
            BufferKind::Queue if claim.buffers.contains(&buffer.name) => *weight >= claim.denominator,
            BufferKind::Queue | BufferKind::Environment => *weight >= zero,
        }
    });
    let a_queue = |name: &String| {
        let named = system.buffers.values().find(|buffer| buffer.name == *name);
        named.is_some_and(|buffer| buffer.kind == BufferKind::Queue)
    };
    !claim.buffers.is_empty()
        && claim.buffers.iter().all(a_queue)
        && claim.denominator > zero
        && claim.bound >= zero
        && heavy
        && states.iter().all(|weight| *weight >= zero)
        && system.transitions.values().all(|transition| sum(&column(system, transition)) <= zero)
        && sum(&initial) < (&claim.bound + 1) * &claim.denominator
}
