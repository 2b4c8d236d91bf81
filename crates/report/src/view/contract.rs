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

    /// The same under more assumptions.
    fn under(mut self, assumptions: &[&str]) -> Self {
        if !assumptions.is_empty() {
            let own = self.assumption.as_deref();
            let all: Vec<&str> = own.into_iter().chain(assumptions.iter().copied()).collect();
            self.assumption = Some(all.join(" and "));
        }
        self
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
    /// The assumptions on the environment in numbers of messages, for boundedness only.
    pub assumptions: &'a [String],
    /// Those on the values of what it sends, for every property.
    pub values: &'a [String],
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
            let counts = environment.assumptions.iter().filter(|_| is_bounded);
            let assumed: Vec<&str> = counts.chain(environment.values).map(String::as_str).collect();
            let contract = match (result.verdict, own) {
                (Verdict::Proved, _) => Contract::of_every_environment(assumed.is_empty()),
                (_, Some(contract)) => contract.into(),
                (_, None) => Contract::of_every_environment(false),
            };
            result.contract = Some(contract.under(&assumed));
        }
        self.findings
            .retain(|found| !matches!(found.kind, FindingKind::Deadlock | FindingKind::InvalidEndState));
        self
    }
}
