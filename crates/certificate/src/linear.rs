//! Linear forms over messages and processes, and claims about their greatest values.

use std::collections::BTreeMap;
use std::fmt;

use num_bigint::BigInt;
use num_traits::{Signed, Zero};
use serde::{Deserialize, Serialize};

use crate::decimal;

/// A sum of numbers of messages in queues and of instances at states, with integer coefficients,
/// which may be negative.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct LinearForm {
    /// Coefficients of message types, by
    /// [full name](cfsm_core::system::System::message_name). Who is missing has 0.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty", with = "decimal::weights")]
    pub messages: BTreeMap<String, BigInt>,
    /// Coefficients of states, by [full name](cfsm_core::system::System::state_name). Who is
    /// missing has 0.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty", with = "decimal::weights")]
    pub states: BTreeMap<String, BigInt>,
}

/// As a sum: `toServer(request) + 2 client@waiting - toClient(reply)`.
impl fmt::Display for LinearForm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let all = self.messages.iter().chain(&self.states).filter(|(_, factor)| !factor.is_zero());
        let mut is_first = true;
        for (name, factor) in all {
            let sign = match (is_first, factor.is_negative()) {
                (true, false) => "",
                (true, true) => "-",
                (false, false) => " + ",
                (false, true) => " - ",
            };
            let size = factor.abs();
            let size = if size == BigInt::from(1) { String::new() } else { format!("{size} ") };
            write!(f, "{sign}{size}{name}")?;
            is_first = false;
        }
        if is_first { f.write_str("0") } else { Ok(()) }
    }
}

/// The claim that a linear form never exceeds a number, and the potential that proves it; see
/// `docs/soundness/kernel.md`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct LinearClaim {
    /// The form.
    pub form: LinearForm,
    /// Its greatest value, or more.
    #[serde(with = "decimal::number")]
    pub bound: BigInt,
    /// Least weight of a coefficient of 1; positive.
    #[serde(with = "decimal::number")]
    pub denominator: BigInt,
    /// Weights of message types, by name. Who is missing weighs 0.
    #[serde(with = "decimal::weights")]
    pub messages: BTreeMap<String, BigInt>,
    /// Weights of data places, by name. Who is missing weighs 0.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty", with = "decimal::weights")]
    pub data: BTreeMap<String, BigInt>,
    /// Weights of states, by name. Who is missing weighs 0.
    #[serde(with = "decimal::weights")]
    pub states: BTreeMap<String, BigInt>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_form_is_told_as_a_sum() {
        let of = |factors: &[(&str, i32)]| {
            factors.iter().map(|(name, factor)| ((*name).to_owned(), (*factor).into())).collect()
        };
        let form = LinearForm { messages: of(&[("q(a)", -1), ("q(b)", 2)]), states: of(&[("P@s", 1)]) };
        assert_eq!(form.to_string(), "-q(a) + 2 q(b) + P@s");
        assert_eq!(LinearForm::default().to_string(), "0");
    }
}
