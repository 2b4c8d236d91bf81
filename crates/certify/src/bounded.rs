//! The conditions of the [theorem](crate#the-theorem) on bounds, one function each.

use std::collections::{BTreeMap, BTreeSet};

use certificate::{BoundedClaim, ContractClaim, LinearClaim};
use cfsm_core::ids::Id;
use cfsm_core::system::{BufferKind, MessageId, StateId};
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
        let least = self.in_claimed(claim)?;
        let BoundedClaim { bound, denominator, messages, data, states, .. } = claim;
        ensure!(!bound.is_negative(), "the bound is {bound}, less than 0");
        let weighed = self.potential.set(self.net, messages, data, states)?;
        self.proves(&weighed, &least, &Least::new(), bound, denominator)
    }

    /// Checks a claim about a linear form. After a claim that is rejected there are none.
    pub fn linear(&mut self, claim: &LinearClaim) -> Result<(), Violation> {
        let LinearClaim { form, bound, denominator, messages, data, states } = claim;
        let of_messages = scaled(&form.messages, denominator, |name| self.net.message(name))?;
        let of_states = scaled(&form.states, denominator, |name| self.net.state(name))?;
        let weighed = self.potential.set(self.net, messages, data, states)?;
        self.proves(&weighed, &of_messages, &of_states, bound, denominator).map(drop)
    }

    /// Conditions 1 to 4 for weights and the least ones of message types and states. Returns the
    /// initial potential.
    fn proves(
        &mut self,
        weighed: &Weighed,
        of_messages: &Least<MessageId>,
        of_states: &Least<StateId>,
        bound: &BigInt,
        denominator: &BigInt,
    ) -> Result<BigInt, Violation> {
        ensure!(denominator.is_positive(), "the denominator is {denominator}, less than 1");
        let (system, Weighed { messages, data, states }) = (self.net.system, weighed);
        let all = of_messages.keys().chain(messages).copied();
        let least = |message| of_messages.get(&message).unwrap_or(&BigInt::ZERO);
        self.potential.messages_are_heavy_enough(system, all, least)?;
        for id in of_states.keys().chain(states) {
            let (least, weight) = (of_states.get(id).unwrap_or(&BigInt::ZERO), &self.potential.states[*id]);
            let name = || system.state_name(*id);
            ensure!(weight >= least, "the state `{}` weighs {weight}, less than {least}", name());
        }
        self.potential.others_are_not_negative(system, data.iter().copied(), std::iter::empty())?;
        // Condition 3. Transitions that touch no place with a weight change nothing.
        for id in self.net.transitions(messages, data, states) {
            if self.potential.change(system, &system.transitions[id]).is_positive() {
                return Err(self.potential.violation(system, id, "raises"));
            }
        }
        let potential = self.starts_low(bound, denominator, weighed)?;
        self.potential.clear(weighed);
        Ok(potential)
    }

    /// Condition 2: the least weights of messages in the claimed buffers.
    fn in_claimed(&self, claim: &BoundedClaim) -> Result<Least<MessageId>, Violation> {
        let (mut claimed, mut least) = (BTreeSet::new(), Least::new());
        for name in &claim.buffers {
            let buffer = self.net.buffer(name)?;
            ensure!(claimed.insert(buffer), "the buffer `{name}` is named twice");
            let is_queue = self.net.system.buffers[buffer].kind == BufferKind::Queue;
            ensure!(is_queue, "the buffer `{name}` is a rendezvous and holds no messages");
            let heavy = |message: &MessageId| (*message, claim.denominator.clone());
            least.extend(self.net.in_buffer.of(buffer).iter().map(heavy));
        }
        Ok(least)
    }

    /// Condition 4: all other classes and data places add 0.
    fn starts_low(&self, bound: &BigInt, denominator: &BigInt, of: &Weighed) -> Result<BigInt, Violation> {
        let system = self.net.system;
        let of_state = |state: &StateId| {
            let classes = self.net.starting.of(*state).iter();
            let instances: u64 = classes.map(|class| u64::from(system.classes[*class].instances)).sum();
            &self.potential.states[*state] * instances
        };
        let instances: BigInt = of.states.iter().map(of_state).sum();
        let data = of.data.iter().map(|id| &self.potential.data[*id] * system.data[*id].initial);
        let potential = instances + data.sum::<BigInt>();
        let most = (bound + 1) * denominator;
        ensure!(
            potential < most,
            "the initial potential is {potential}, not less than {most}: \
             (bound {bound} + 1) * denominator {denominator}"
        );
        Ok(potential)
    }
}

/// The least weights of places, where these are not 0.
type Least<I> = BTreeMap<I, BigInt>;

/// The least weight of each place with a coefficient: that times the denominator.
fn scaled<I: Id>(
    coefficients: &BTreeMap<String, BigInt>,
    denominator: &BigInt,
    find: impl Fn(&str) -> Result<I, Violation>,
) -> Result<Least<I>, Violation> {
    coefficients.iter().map(|(name, coefficient)| Ok((find(name)?, coefficient * denominator))).collect()
}
