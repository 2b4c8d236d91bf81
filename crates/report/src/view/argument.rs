//! View of a certificate: its weights and lists, in terms of the system.

use std::collections::BTreeMap;

use certify::{BoundedClaim, Certificate, Claim, LinearClaim, Proof};
use cfsm_core::system::System;
use num_bigint::BigInt;
use serde::{Deserialize, Serialize};

use super::Number;
use super::counterexample::number;

/// The argument that proves one claim of a certificate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Argument {
    /// A sum of weights that no step raises.
    Weights(Weights),
    /// A list of all configurations that can be reached.
    Configurations(ConfigurationList),
    /// A proof by cases, or by a sum that would fall for ever.
    Cases(CaseSummary),
}

/// A sum of weights that no step raises.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Weights {
    /// Names of the buffers that are bounded by it, together; or the linear form that is.
    pub buffers: Vec<String>,
    /// The largest number of messages in them.
    pub bound: Number,
    /// The least weight of a message in them.
    pub denominator: Number,
    /// The sum in the initial configuration.
    pub start: Number,
    /// Weights of message types, by full name.
    pub messages: Vec<Weight>,
    /// Weights of states, by full name.
    pub states: Vec<Weight>,
    /// Weights of quantities of the program.
    pub data: Vec<Weight>,
    /// The bound for every value of a parameter `k`, if the claim is a contract: `k + 1`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contract: Option<String>,
}

/// The weight of a place.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Weight {
    /// The place.
    pub of: String,
    /// Its weight.
    pub weight: Number,
}

/// A list of all configurations that can be reached.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct ConfigurationList {
    /// Names of the classes that it follows.
    pub classes: Vec<String>,
    /// The bounds, by name of the buffer.
    pub bounds: Vec<Weight>,
    /// Number of configurations.
    pub configurations: usize,
}

/// The sizes of a proof by cases.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct CaseSummary {
    /// The subject: `all buffers`, `livelocks`.
    pub subject: String,
    /// Number of cases, i.e. of sums that would have to fall for ever.
    pub cases: usize,
    /// The weights, if there is only one case.
    pub weights: Vec<Weight>,
}

/// The arguments of a certificate, one for each claim. Weights by class of several instances count
/// for each instance. Time `O(n log n)` in the certificate.
#[must_use]
pub fn arguments(system: &System, certificate: &Certificate) -> Vec<Argument> {
    certificate.claims.iter().map(|claim| argument(system, claim)).collect()
}

fn argument(system: &System, claim: &Claim) -> Argument {
    match claim {
        Claim::Bounded(bounded) => Argument::Weights(weights(system, bounded)),
        Claim::Linear(linear) => {
            let LinearClaim { form, bound, denominator, messages, data, states } = linear.clone();
            let buffers = vec![form.to_string()];
            let claim = BoundedClaim { buffers, bound, denominator, messages, data, states };
            Argument::Weights(weights(system, &claim))
        }
        Claim::Contract(contract) => Argument::Weights(Weights {
            contract: Some(contract.bound()),
            ..weights(system, &contract.claim)
        }),
        Claim::Configurations(list) => Argument::Configurations(ConfigurationList {
            classes: list.classes.clone(),
            bounds: named(&list.bounds),
            configurations: list.configurations.len(),
        }),
        Claim::AllBounded(all) => Argument::Cases(cases(claim.subject(), &all.proof)),
        Claim::LivelockFree(free) => Argument::Cases(cases(claim.subject(), &free.proof)),
    }
}

fn named(weights: &BTreeMap<String, BigInt>) -> Vec<Weight> {
    let weight = |(of, weight): (&String, &BigInt)| Weight { of: of.clone(), weight: number(weight) };
    weights.iter().map(weight).collect()
}

fn weights(system: &System, claim: &BoundedClaim) -> Weights {
    let mut start = BigInt::ZERO;
    for class in system.classes.values() {
        let weight = claim.states.get(&system.state_name(class.initial));
        start += weight.map_or(BigInt::ZERO, |weight| weight * class.instances);
    }
    for place in system.data.values() {
        start += claim.data.get(&place.name).map_or(BigInt::ZERO, |weight| weight * place.initial);
    }
    Weights {
        buffers: claim.buffers.clone(),
        bound: number(&claim.bound),
        denominator: number(&claim.denominator),
        start: number(&start),
        messages: named(&claim.messages),
        states: named(&claim.states),
        data: named(&claim.data),
        contract: None,
    }
}

fn cases(subject: String, proof: &Proof) -> CaseSummary {
    let mut open = vec![proof];
    let mut count = 0;
    while let Some(part) = open.pop() {
        count += usize::from(matches!(part, Proof::Ranking(_)));
        open.extend(part.parts());
    }
    let weights = match proof {
        Proof::Ranking(ranking) => {
            [&ranking.messages, &ranking.states, &ranking.data].into_iter().flat_map(named).collect()
        }
        _ => Vec::new(),
    };
    CaseSummary { subject, cases: count, weights }
}
