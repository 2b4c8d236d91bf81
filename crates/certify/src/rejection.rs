//! Why a certificate is not accepted: the first broken line, by name and in exact numbers.

use std::error::Error;
use std::fmt;

use certificate::SCHEMA;
use cfsm_core::system::{Defect, TransitionId};
use num_bigint::BigInt;

/// Why a certificate is not accepted.
///
/// This says nothing about the system: what a broken certificate claims may be true all the same.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Rejection {
    /// There is nothing to be certified.
    System(Defect),
    /// Not a format that this version checks.
    Schema {
        /// What the certificate says.
        found: String,
    },
    /// The certificate is about a system of another name.
    OtherSystem {
        /// What the certificate says.
        found: String,
        /// The name of the system.
        expected: String,
    },
    /// The certificate was made for a system of the same name in which something is different.
    OtherDigest {
        /// The digest in the certificate.
        found: String,
        /// The digest of the system.
        expected: String,
    },
    /// The list of what is trusted has been taken out of the certificate.
    NoTrust,
    /// A claim rests on something that is not checked, and the certificate does not say so.
    Untold {
        /// The [part](certificate::TrustedPart).
        part: String,
        /// What of it is missing; `None` if the whole part is.
        name: Option<String>,
    },
    /// Data places are not proved.
    Values(certify_values::Flaw),
    /// A claim is not proved by its numbers.
    Claim {
        /// Which claim, counted from 1.
        number: usize,
        /// What it is about: the buffers that it claims to be bounded, all buffers, or livelocks.
        subject: String,
        /// The first condition of it that is broken.
        violation: Violation,
    },
}

impl fmt::Display for Rejection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::System(defect) => write!(f, "the system is not valid: {defect}"),
            Self::Schema { found } => write!(
                f,
                "the certificate has the format `{found}`, and this version checks `{SCHEMA}`: \
                 make it again with `freeboard check --certificate`"
            ),
            Self::OtherSystem { found, expected } => {
                write!(f, "the certificate is for the system `{found}`, not for `{expected}`")
            }
            Self::OtherDigest { found, expected } => write!(
                f,
                "the certificate was made for another system: for that with the SHA-256 {found}, \
                 and that of this one is {expected}. Make both files with the same `freeboard check`"
            ),
            Self::NoTrust => f.write_str(
                "the certificate has the SHA-256 of its system, but does not say what it trusts: \
                 `trust` is missing",
            ),
            Self::Untold { part, name } => {
                let name = name.as_ref().map_or_else(String::new, |name| format!(" (`{name}`)"));
                write!(
                    f,
                    "the certificate rests on {part}{name}, which is not checked, \
                     but `trust` does not say so"
                )
            }
            Self::Values(flaw) => flaw.fmt(f),
            Self::Claim { number, subject, violation } => {
                write!(f, "claim {number}, on {subject}: {violation}")
            }
        }
    }
}

impl Error for Rejection {}

/// The first condition of a claim that is broken.
///
/// Conditions are looked at in the order in which the [theorems](crate#the-theorem) state them, and
/// each in the order of the claim, or of the places and transitions of the system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// The condition, and what breaks it, in words.
    pub sentence: String,
    /// The transition that raises a potential, or does not lower it where it has to.
    pub rise: Option<Rise>,
}

/// A transition that does not do to a potential what it has to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rise {
    /// The transition.
    pub transition: TransitionId,
    /// By how much it changes the potential: the left side of condition 3.
    pub total: BigInt,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.sentence)
    }
}

/// A broken condition, in the words of a format string.
macro_rules! violation {
    ($($sentence:tt)*) => {
        $crate::rejection::Violation { sentence: format!($($sentence)*), rise: None }
    };
}

/// Returns from the function with a violation, in the words of a format string, unless a condition
/// holds.
macro_rules! ensure {
    ($condition:expr, $($sentence:tt)*) => {
        if !$condition {
            return Err($crate::rejection::violation!($($sentence)*));
        }
    };
}

pub(crate) use {ensure, violation};
