//! Why a certificate is not accepted: the first broken line, by name and in exact numbers.

use std::fmt;

use cfsm_core::source::Origin;
use cfsm_core::system::{Defect, TransitionId};
use num_bigint::BigInt;
use thiserror::Error;

use crate::format::SCHEMA;

/// Why a certificate is not accepted.
///
/// This says nothing about the system: what a broken certificate claims may be true all the same.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Rejection {
    /// There is nothing to be certified.
    #[error("the system is not valid: {0}")]
    System(#[from] Defect),
    /// Not a format that this version checks.
    #[error("schema is `{found}`, expected `{SCHEMA}`")]
    Schema {
        /// What the certificate says.
        found: String,
    },
    /// The certificate is about a system of another name.
    #[error("the certificate is for the system `{found}`, not for `{expected}`")]
    OtherSystem {
        /// What the certificate says.
        found: String,
        /// The name of the system.
        expected: String,
    },
    /// A claim is not proved by its numbers.
    #[error("claim {number}, on {}: {broken}", list(buffers))]
    Claim {
        /// Which claim, counted from 1.
        number: usize,
        /// The names of the buffers that it claims to be bounded.
        buffers: Vec<String>,
        /// The first line of it that is broken.
        broken: Box<Broken>,
    },
}

/// What is broken in a claim.
///
/// Lines are looked at in the order of the variants (of the buffers, one after the other), and within a
/// variant in the order of the system's places and transitions; the first broken one is named. The
/// numbers 1 to 4 are those of the [theorem](crate#the-theorem).
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Broken {
    /// Condition 2: B is empty.
    #[error("no buffer is claimed to be bounded")]
    NoBuffers,
    /// Names must be those of the system.
    #[error("the system has no buffer `{0}`")]
    UnknownBuffer(String),
    /// Condition 2: a buffer must not count twice.
    #[error("the buffer `{0}` is named twice")]
    BufferTwice(String),
    /// Condition 2: nothing is ever stored there.
    #[error("the buffer `{0}` is a rendezvous and holds no messages")]
    Rendezvous(String),
    /// Condition 2: d ≥ 1.
    #[error("the denominator is {0}, less than 1")]
    Denominator(BigInt),
    /// Condition 4 could not hold.
    #[error("the bound is {0}, less than 0")]
    NegativeBound(BigInt),
    /// Names must be those of the system.
    #[error("the system has no message type `{0}`")]
    UnknownMessage(String),
    /// Names must be those of the system.
    #[error("the system has no state `{0}`")]
    UnknownState(String),
    /// Condition 1, or 2 for a message type of a claimed buffer.
    #[error("the message type `{message}` weighs {weight}, less than {least}")]
    LightMessage {
        /// Full name of the message type.
        message: String,
        /// Its weight.
        weight: BigInt,
        /// What it must weigh: the denominator in a claimed buffer, 0 elsewhere.
        least: BigInt,
    },
    /// Condition 1.
    #[error("the state `{state}` weighs {weight}, less than 0")]
    LightState {
        /// Full name of the state.
        state: String,
        /// Its weight.
        weight: BigInt,
    },
    /// Condition 3.
    #[error("{0}")]
    Rises(Box<Rise>),
    /// Condition 4.
    #[error(
        "the initial potential is {potential}, \
         not less than {}: (bound {bound} + 1) * denominator {denominator}",
        (bound + 1) * denominator
    )]
    TooMuchAtStart {
        /// Φ of the initial configuration.
        potential: BigInt,
        /// The claimed bound.
        bound: BigInt,
        /// The denominator.
        denominator: BigInt,
    },
}

/// A transition that raises the potential, with the four terms of condition 3.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rise {
    /// The transition.
    pub transition: TransitionId,
    /// Full name of the state that it leaves.
    pub source: String,
    /// Full name of the state that it leads to.
    pub target: String,
    /// What it sends, receives and creates, in words.
    pub action: String,
    /// The statement it comes from, if the system knows it.
    pub origin: Option<Origin>,
    /// w·eff: what the messages it sends and receives add.
    pub messages: BigInt,
    /// h of the target.
    pub target_weight: BigInt,
    /// h of the source.
    pub source_weight: BigInt,
    /// Sum of h over the initial states of the instances that it creates.
    pub created: BigInt,
}

impl Rise {
    /// By how much the potential rises: the left side of condition 3, positive.
    #[must_use]
    pub fn total(&self) -> BigInt {
        &self.messages + &self.target_weight - &self.source_weight + &self.created
    }
}

impl fmt::Display for Rise {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} from `{}` to `{}` ", self.transition, self.source, self.target)?;
        match &self.origin {
            Some(Origin { file, line, text }) => write!(f, "({file}:{line}: {text}; {})", self.action)?,
            None => write!(f, "({})", self.action)?,
        }
        write!(
            f,
            " raises the potential: {} (messages) + {} (target) - {} (source) + {} (created) = {}",
            self.messages,
            self.target_weight,
            self.source_weight,
            self.created,
            self.total()
        )
    }
}

fn list(buffers: &[String]) -> String {
    if buffers.is_empty() { "no buffer".into() } else { buffers.join(", ") }
}
