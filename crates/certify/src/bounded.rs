//! The conditions of the [theorem](crate#the-theorem) on bounds, one function each.

use std::collections::BTreeSet;

use certificate::{BoundedClaim, ContractClaim};
use cfsm_core::system::{BufferId, BufferKind, DataId, MessageId, StateId};
use num_bigint::BigInt;
use num_traits::Signed;

use crate::net::Net;
use crate::potential::{Potential, Weighed};
use crate::rejection::{Violation, ensure};

/// Checks claims about one system one after the other; each costs time in what it names and the
/// transitions that touch that.
pub struct Bounded<'a> {
    net: &'a Net<'a>,
    /// The weights of the claim that is checked, 0 everywhere between claims.
    potential: Potential,
}

impl<'a> Bounded<'a> {
    pub fn new(net: &'a Net<'a>) -> Self {
        Self { net, potential: Potential::zero(net.system) }
    }

    /// Checks a claim for every value of a parameter. The potential is the same for all of them, up
    /// to its initial value, which is linear in the parameter. It may be about no buffer, and then
    /// says how much there may be of the parameter.
    pub fn contract(&mut self, claim: &ContractClaim) -> Result<(), Violation> {
        let ContractClaim { parameter, constant, slope, claim } = claim;
        let place = &self.net.system.data[self.net.data(parameter)?];
        ensure!(place.is_assumed, "the data place `{parameter}` is no assumption of the question");
        let potential = self.potential_of(claim)?;
        let weight = claim.data.get(parameter).unwrap_or(&BigInt::ZERO);
        ensure!(weight <= slope, "the slope is {slope}, less than the weight {weight} of `{parameter}`");
        let rest = potential - weight * place.initial;
        ensure!(rest <= *constant, "the constant is {constant}, less than the rest {rest} of the potential");
        Ok(())
    }

    /// Checks a claim. After a claim that is rejected there are none: weights stay behind.
    pub fn check(&mut self, claim: &BoundedClaim) -> Result<(), Violation> {
        ensure!(!claim.buffers.is_empty(), "no buffer is claimed to be bounded");
        self.potential_of(claim).map(drop)
    }

    /// Checks a claim, and returns the initial potential.
    fn potential_of(&mut self, claim: &BoundedClaim) -> Result<BigInt, Violation> {
        let system = self.net.system;
        let claimed = self.claimed_buffers(claim)?;
        let BoundedClaim { bound, denominator, .. } = claim;
        ensure!(denominator.is_positive(), "the denominator is {denominator}, less than 1");
        ensure!(!bound.is_negative(), "the bound is {bound}, less than 0");
        let weighed = self.potential.set(self.net, &claim.messages, &claim.data, &claim.states)?;
        self.messages_are_heavy_enough(claim, &claimed, &weighed)?;
        let Weighed { messages, data, states } = &weighed;
        self.potential.others_are_not_negative(system, data.iter().copied(), states.iter().copied())?;
        // Condition 3. Transitions that touch no place with a weight change nothing.
        for id in self.net.transitions(messages, data, states) {
            if self.potential.change(system, &system.transitions[id]).is_positive() {
                return Err(self.potential.violation(system, id, "raises"));
            }
        }
        let potential = self.starts_low_enough(claim, &weighed)?;
        self.potential.clear(&weighed);
        Ok(potential)
    }

    /// Condition 2, as far as it is about B: the buffers in B.
    fn claimed_buffers(&self, claim: &BoundedClaim) -> Result<BTreeSet<BufferId>, Violation> {
        let mut claimed = BTreeSet::new();
        for name in &claim.buffers {
            let buffer = self.net.buffer(name)?;
            ensure!(claimed.insert(buffer), "the buffer `{name}` is named twice");
            let is_queue = self.net.system.buffers[buffer].kind == BufferKind::Queue;
            ensure!(is_queue, "the buffer `{name}` is a rendezvous and holds no messages");
        }
        Ok(claimed)
    }

    /// Condition 1 for message types, and 2: those without a weight matter only if their buffers
    /// are claimed.
    fn messages_are_heavy_enough(
        &self,
        claim: &BoundedClaim,
        claimed: &BTreeSet<BufferId>,
        weighed: &Weighed,
    ) -> Result<(), Violation> {
        let in_claimed = claimed.iter().flat_map(|buffer| self.net.in_buffer.of(*buffer));
        let needed: BTreeSet<MessageId> = in_claimed.copied().collect();
        let all: BTreeSet<MessageId> = needed.iter().chain(&weighed.messages).copied().collect();
        self.potential.messages_are_heavy_enough(self.net.system, all.into_iter(), |message| {
            if needed.contains(&message) { &claim.denominator } else { &BigInt::ZERO }
        })
    }

    /// Condition 4: all other classes and data places add 0.
    fn starts_low_enough(&self, claim: &BoundedClaim, weighed: &Weighed) -> Result<BigInt, Violation> {
        let system = self.net.system;
        let of_state = |state: &StateId| {
            let classes = self.net.starting.of(*state).iter();
            let instances: u64 = classes.map(|class| u64::from(system.classes[*class].instances)).sum();
            &self.potential.states[*state] * instances
        };
        let instances: BigInt = weighed.states.iter().map(of_state).sum();
        let of_data = |id: &DataId| &self.potential.data[*id] * system.data[*id].initial;
        let data: BigInt = weighed.data.iter().map(of_data).sum();
        let (potential, BoundedClaim { bound, denominator, .. }) = (instances + data, claim);
        let most = (bound + 1) * denominator;
        ensure!(
            potential < most,
            "the initial potential is {potential}, not less than {most}: \
             (bound {bound} + 1) * denominator {denominator}"
        );
        Ok(potential)
    }
}
