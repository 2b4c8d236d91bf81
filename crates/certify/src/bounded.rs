//! The conditions of the [theorem](crate#the-theorem), one function each.

use std::collections::BTreeSet;

use cfsm_core::system::{BufferId, BufferKind, DataId, MessageId, StateId, System};
use num_bigint::BigInt;
use num_traits::Signed;

use crate::check::Names;
use crate::nearby::Nearby;
use crate::potential::{Potential, Weighed};
use crate::rejection::Broken;
use certificate::BoundedClaim;

/// Checks claims about one system after the other; each costs what it names and what that touches.
pub struct Bounded<'a> {
    system: &'a System,
    names: &'a Names,
    /// The weights of the claim that is looked at, 0 everywhere between claims.
    potential: Potential,
    nearby: Nearby,
}

impl<'a> Bounded<'a> {
    /// Time linear in the system.
    pub fn new(system: &'a System, names: &'a Names) -> Self {
        Self { system, names, potential: Potential::zero(system), nearby: Nearby::of(system) }
    }

    /// Checks a claim. After a claim that is rejected there are none: weights stay behind.
    pub fn check(&mut self, claim: &BoundedClaim) -> Result<(), Broken> {
        let system = self.system;
        let claimed = claimed_buffers(system, self.names, claim)?;
        if !claim.denominator.is_positive() {
            return Err(Broken::Denominator(claim.denominator.clone()));
        }
        if claim.bound.is_negative() {
            return Err(Broken::NegativeBound(claim.bound.clone()));
        }
        let BoundedClaim { messages, data, states, .. } = claim;
        let weighed = self.potential.set(self.names, messages, data, states)?;
        self.messages_are_heavy_enough(claim, &claimed, &weighed)?;
        let Weighed { messages, data, states } = &weighed;
        self.potential.data_are_not_negative(system, data.iter().copied())?;
        self.potential.states_are_not_negative(system, states.iter().copied())?;
        // Condition 3. Transitions that touch no place with a weight change nothing.
        for id in self.nearby.transitions(messages, data, states) {
            if self.potential.change(system, &system.transitions[id]).is_positive() {
                return Err(Broken::Rises(self.potential.rise(system, id)));
            }
        }
        self.starts_low_enough(claim, &weighed)?;
        self.potential.clear(&weighed);
        Ok(())
    }

    /// Condition 1 for message types, and 2: those without a weight matter only if their buffers
    /// are claimed.
    fn messages_are_heavy_enough(
        &self,
        claim: &BoundedClaim,
        claimed: &[BufferId],
        weighed: &Weighed,
    ) -> Result<(), Broken> {
        let in_claimed = claimed.iter().flat_map(|buffer| self.nearby.messages(*buffer));
        let needed: BTreeSet<MessageId> = in_claimed.copied().collect();
        let all: BTreeSet<MessageId> = needed.iter().chain(&weighed.messages).copied().collect();
        self.potential.messages_are_heavy_enough(self.system, all.into_iter(), |message| {
            if needed.contains(&message) { &claim.denominator } else { &BigInt::ZERO }
        })
    }

    /// Condition 4: all other classes and data places add 0.
    fn starts_low_enough(&self, claim: &BoundedClaim, weighed: &Weighed) -> Result<(), Broken> {
        let of_state = |state: &StateId| {
            let classes = self.nearby.starting(*state).iter();
            let instances: u64 = classes.map(|class| u64::from(self.system.classes[*class].instances)).sum();
            &self.potential.states[*state] * instances
        };
        let instances: BigInt = weighed.states.iter().map(of_state).sum();
        let of_data = |id: &DataId| &self.potential.data[*id] * self.system.data[*id].initial;
        let data: BigInt = weighed.data.iter().map(of_data).sum();
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
}

/// Condition 2, as far as it is about B: the buffers in B.
fn claimed_buffers(system: &System, names: &Names, claim: &BoundedClaim) -> Result<Vec<BufferId>, Broken> {
    if claim.buffers.is_empty() {
        return Err(Broken::NoBuffers);
    }
    let mut claimed = Vec::with_capacity(claim.buffers.len());
    let mut seen = BTreeSet::new();
    for name in &claim.buffers {
        let Some(&buffer) = names.buffers.get(name) else {
            return Err(Broken::UnknownBuffer(name.clone()));
        };
        if !seen.insert(buffer) {
            return Err(Broken::BufferTwice(name.clone()));
        }
        match system.buffers[buffer].kind {
            BufferKind::Queue => claimed.push(buffer),
            BufferKind::Rendezvous => return Err(Broken::Rendezvous(name.clone())),
        }
    }
    Ok(claimed)
}
