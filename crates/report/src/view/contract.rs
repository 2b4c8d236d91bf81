//! View of the verdict on an open model, in terms of its environment.

use cfsm_core::finding::FindingKind;
use serde::{Deserialize, Serialize};

use super::{Check, Property, Verdict};

/// The verdict on an open model, in terms of its environment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Contract {
    /// `true` if it is proved for every environment.
    pub every_environment: bool,
    /// An assumption on the environment under which it is proved, as a linear inequality between
    /// numbers of messages: `in(req) - out(resp) <= k`. `None` if none is needed, or none is known.
    pub assumption: Option<String>,
    /// The bounds of buffers under the assumption, for every k.
    #[serde(default)]
    pub bounds: Vec<ContractBound>,
}

/// A bound that is linear in the parameter of an assumption.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct ContractBound {
    /// The buffer.
    pub buffer: String,
    /// The bound: `2*k + 1`.
    pub bound: String,
}

impl Contract {
    /// The contract of a model that is proved for every environment, or is not.
    #[must_use]
    pub const fn of_every_environment(every_environment: bool) -> Self {
        Self { every_environment, assumption: None, bounds: Vec::new() }
    }
}

impl From<&boundedness::Contract> for Contract {
    fn from(contract: &boundedness::Contract) -> Self {
        let bound = |(buffer, claim): (&str, &certify::ContractClaim)| ContractBound {
            buffer: buffer.to_owned(),
            bound: claim.bound(),
        };
        let bounds = contract.bounds().into_iter().map(bound);
        Self { every_environment: false, assumption: Some(contract.inequality()), bounds: bounds.collect() }
    }
}

/// The environment of an open model, in terms of its result.
#[derive(Clone, Copy, Debug, Default)]
pub struct InEnvironment<'a> {
    /// The contract that it needs, if it is not proved bounded in every one.
    pub contract: Option<&'a boundedness::Contract>,
    /// The assumptions on the environment.
    pub assumptions: &'a [String],
}

impl Check {
    /// The same for an open model: each verdict is one on every environment, or on those that keep
    /// to the assumptions; and a contract is what is known if that of boundedness is not proved.
    ///
    /// Deadlocks and invalid end states are no findings then: they depend on the environment.
    #[must_use]
    pub fn of_open_model(mut self, environment: InEnvironment<'_>) -> Self {
        for result in &mut self.property_results {
            let is_bounded = result.property == Property::Boundedness;
            let own = environment.contract.filter(|_| is_bounded);
            let is_assumed = is_bounded && !environment.assumptions.is_empty();
            result.contract = Some(match (result.verdict, own) {
                _ if is_assumed => Contract {
                    every_environment: false,
                    assumption: Some(environment.assumptions.join(" and ")),
                    bounds: Vec::new(),
                },
                (Verdict::Proved, _) => Contract::of_every_environment(true),
                (_, Some(contract)) => contract.into(),
                (_, None) => Contract::of_every_environment(false),
            });
        }
        self.findings
            .retain(|found| !matches!(found.kind, FindingKind::Deadlock | FindingKind::InvalidEndState));
        self
    }
}
