//! Values: statements as relations between values of variables, and proofs about data places from
//! these.

use std::collections::{BTreeMap, BTreeSet};

use num_bigint::BigInt;
use serde::{Deserialize, Serialize};

use crate::decimal;

/// The ways in which transitions change variables, and proofs that data places are never below 0
/// and change by no more than the system has it; see
/// `docs/soundness/certificates.md`, *Data places from statements*.
///
/// That each step does what one of these ways says is part of the reading of a text; all else is
/// checked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Values {
    /// The name of the class each of whose instances has the variables; `None` if all classes share
    /// them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub class: Option<String>,
    /// Of shared variables: the [full names](cfsm_core::system::System::state_name) of *exclusive*
    /// states. While an instance is at one of them, no other one takes a step.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub exclusive: Vec<String>,
    /// The variables.
    pub variables: Vec<Variable>,
    /// The invariants; where none are given there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub invariants: Vec<Invariant>,
    /// The transitions of the class, all of them; of shared variables those that change some of
    /// them, and those from or to exclusive states.
    pub steps: Vec<Step>,
    /// The data places.
    pub places: Vec<Quantity>,
}

/// Sums that are not negative where an instance is at a state; of shared variables: while one is
/// at an exclusive state, or while none is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Invariant {
    /// The [full name](cfsm_core::system::System::state_name) of the state; `None`: no exclusive
    /// one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<String>,
    /// The sums, over variables.
    pub sums: Vec<Sum>,
}

/// An integer with a name: a variable, or a value that is not known.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Variable {
    /// Its name; unique among variables and unknown values of a way.
    pub name: String,
    /// Its values.
    pub range: Range,
    /// Its values where an instance begins; `None`: all of the range.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_start: Option<Range>,
}

/// An interval of integers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Range {
    /// The least one.
    #[serde(with = "decimal::number")]
    pub least: BigInt,
    /// The greatest one.
    #[serde(with = "decimal::number")]
    pub greatest: BigInt,
}

/// A sum of integers with names, and a constant.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Sum {
    /// The coefficient of each name. Who is missing has 0.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty", with = "decimal::weights")]
    pub terms: BTreeMap<String, BigInt>,
    /// The constant.
    #[serde(with = "decimal::number")]
    pub constant: BigInt,
}

/// A transition, and all ways in which it may go.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Step {
    /// The position of the transition in the system.
    pub transition: usize,
    /// The ways.
    pub ways: Vec<Way>,
}

/// A way in which a transition may go.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Way {
    /// Values that are not known, as of what is received.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unknown: Vec<Variable>,
    /// Sums of variables before the step, and of unknown values, that are not negative.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<Sum>,
    /// The variables that may have changed, with their values behind the step.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changed: Vec<Changed>,
    /// Why the invariants of the target hold behind it, one for each; then why the data places
    /// change by no more than the system has it, one for each.
    pub reasons: Vec<Reason>,
}

/// A variable that a step changes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Changed {
    /// Its name.
    pub variable: String,
    /// Its value behind the step: a sum of variables before it, and of unknown values.
    pub behind: Sum,
}

/// The reason why a sum is not negative: so many times the sum is so many times others that are
/// not, and a constant above minus the factor. With factor 0: why that cannot happen at all.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Reason {
    /// The factor of the sum, not negative.
    #[serde(with = "decimal::number")]
    pub factor: BigInt,
    /// The other sums.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<Multiple>,
}

/// A sum that is known not to be negative, with its factor.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Multiple {
    /// Its position among these: for each variable, then for each unknown value, its distance from
    /// the least and to the greatest value of its range; the conditions; the invariants of the
    /// source.
    pub of: usize,
    /// Its factor, not negative.
    #[serde(with = "decimal::number")]
    pub times: BigInt,
}

/// A data place as a sum of variables, which depends on the state of an instance; those of all
/// instances are added. Of shared variables there is one sum, which depends on the exclusive state.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Quantity {
    /// The name of the data place.
    pub place: String,
    /// The number that the sums are divided by; positive.
    #[serde(with = "decimal::number")]
    pub denominator: BigInt,
    /// The amount of an instance at states; at others it is 0.
    pub amounts: Vec<Amount>,
}

/// The amount of an instance at a state, and why it is not negative.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Amount {
    /// The full name of the state; `None`: no exclusive one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<String>,
    /// The amount, times the denominator.
    pub sum: Sum,
    /// Why it is not negative: from ranges of variables and from invariants of the state.
    pub reason: Reason,
}

/// The names of the data places that are proved, of a certificate that has been checked.
pub(crate) fn proved(values: &[Values]) -> BTreeSet<&str> {
    values.iter().flat_map(|values| &values.places).map(|quantity| quantity.place.as_str()).collect()
}
