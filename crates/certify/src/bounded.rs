//! The conditions of the [theorem](crate#the-theorem), one function each.

use cfsm_core::ids::IdMap;
use cfsm_core::system::{BufferId, BufferKind, System};
use num_bigint::BigInt;
use num_traits::Signed;

use crate::check::Names;
use crate::format::BoundedClaim;
use crate::potential::Potential;
use crate::rejection::Broken;

pub fn check(system: &System, names: &Names, claim: &BoundedClaim) -> Result<(), Broken> {
    let claimed = claimed_buffers(system, names, claim)?;
    if !claim.denominator.is_positive() {
        return Err(Broken::Denominator(claim.denominator.clone()));
    }
    if claim.bound.is_negative() {
        return Err(Broken::NegativeBound(claim.bound.clone()));
    }
    let potential = Potential::of(system, names, &claim.messages, &claim.data, &claim.states)?;
    potential.messages_are_heavy_enough(system, |message| {
        if claimed[system.messages[message].buffer] { &claim.denominator } else { &BigInt::ZERO }
    })?;
    potential.data_are_not_negative(system)?;
    potential.states_are_not_negative(system)?;
    never_rises(system, &potential)?;
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

/// Condition 3.
fn never_rises(system: &System, potential: &Potential) -> Result<(), Broken> {
    let rising = |transition| potential.change(system, transition).is_positive();
    let first = system.transitions.iter().find(|(_, transition)| rising(transition));
    first.map_or(Ok(()), |(id, _)| Err(Broken::Rises(potential.rise(system, id))))
}

/// Condition 4.
fn starts_low_enough(system: &System, claim: &BoundedClaim, potential: &Potential) -> Result<(), Broken> {
    let classes = system.classes.values();
    let instances: BigInt = classes.map(|class| &potential.states[class.initial] * class.instances).sum();
    let data: BigInt = system.data.iter().map(|(id, place)| &potential.data[id] * place.initial).sum();
    let start = instances + data;
    if start < (&claim.bound + 1) * &claim.denominator {
        return Ok(());
    }
    Err(Broken::TooMuchAtStart {
        potential: start,
        bound: claim.bound.clone(),
        denominator: claim.denominator.clone(),
    })
}
