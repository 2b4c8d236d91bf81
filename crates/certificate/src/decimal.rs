//! Integers as decimal strings, so that no tool on the way rounds them, and maps of them that have
//! every key once.
//!
//! The form is canonical: `0`, or an optional `-` and digits of which the first is not `0`. What
//! another reader might take differently (`+1`, `007`, `1_000`, `1e3`, `-0`) is not accepted, nor
//! are more than [`MOST_DIGITS`] digits.

use std::fmt;

use num_bigint::BigInt;
use serde::de::{Deserializer, Error, MapAccess, Visitor};
use serde::{Deserialize, Serialize, Serializer};

use crate::limits::MOST_DIGITS;

struct Decimal(BigInt);

fn parse(text: &str) -> Option<BigInt> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let is_canonical = digits.len() <= MOST_DIGITS
        && digits.bytes().all(|byte| byte.is_ascii_digit())
        && !digits.is_empty()
        && (!digits.starts_with('0') || text == "0");
    if is_canonical { text.parse().ok() } else { None }
}

impl<'de> Deserialize<'de> for Decimal {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct DecimalVisitor;
        impl Visitor<'_> for DecimalVisitor {
            type Value = Decimal;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a decimal integer in a string")
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<Decimal, E> {
                parse(text).map(Decimal).ok_or_else(|| match text.len() {
                    // It may be one; nobody wants to see it again.
                    length if length > MOST_DIGITS => {
                        E::custom(format_args!("a number of {length} characters has too many digits"))
                    }
                    _ => E::custom(format_args!("`{text}` is not a decimal integer")),
                })
            }
        }
        deserializer.deserialize_str(DecimalVisitor)
    }
}

/// One number.
pub mod number {
    use super::{BigInt, Decimal, Deserialize, Deserializer, Serializer};

    pub fn serialize<S: Serializer>(number: &BigInt, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(number)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<BigInt, D::Error> {
        Decimal::deserialize(deserializer).map(|Decimal(number)| number)
    }
}

/// Numbers by name.
pub mod weights {
    use std::collections::BTreeMap;

    use super::{BigInt, Decimal, Deserializer, Error, MapAccess, Serialize, Serializer, Visitor, fmt};

    pub fn serialize<S: Serializer>(
        weights: &BTreeMap<String, BigInt>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.collect_map(weights.iter().map(|(name, weight)| (name, Digits(weight))))
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<BTreeMap<String, BigInt>, D::Error> {
        deserializer.deserialize_map(WeightsVisitor)
    }

    struct Digits<'a>(&'a BigInt);

    impl Serialize for Digits<'_> {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            serializer.collect_str(self.0)
        }
    }

    struct WeightsVisitor;

    impl<'de> Visitor<'de> for WeightsVisitor {
        type Value = BTreeMap<String, BigInt>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an object of weights by name")
        }

        // By default the last of two equal keys wins silently, so two readers of one file could
        // check different weights.
        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
            let mut weights = BTreeMap::new();
            while let Some((name, Decimal(weight))) = map.next_entry::<String, Decimal>()? {
                if weights.contains_key(&name) {
                    return Err(A::Error::custom(format_args!("the key `{name}` is given twice")));
                }
                weights.insert(name, weight);
            }
            Ok(weights)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::parse;
    use crate::limits::MOST_DIGITS;

    #[test]
    fn numbers_have_a_limit() {
        let long = "7".repeat(MOST_DIGITS);
        assert!(parse(&long).is_some() && parse(&format!("-{long}")).is_some());
        assert!(parse(&format!("{long}7")).is_none() && parse(&format!("-{long}7")).is_none());
    }

    #[test]
    fn only_the_canonical_form_is_a_number() {
        for good in ["0", "7", "-7", "10", "-123456789012345678901234567890123456789012345"] {
            assert_eq!(parse(good).map(|number| number.to_string()).as_deref(), Some(good));
        }
        for bad in ["", "-", "-0", "00", "07", "-07", "+7", "1_0", "1e3", "1.0", " 1", "1 ", "0x1", "\u{661}"]
        {
            assert_eq!(parse(bad), None, "{bad}");
        }
    }
}
