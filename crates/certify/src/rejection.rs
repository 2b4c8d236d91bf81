//! Why a certificate is not accepted: the first broken line, by name and in exact numbers.

use std::fmt;

use cfsm_core::source::Origin;
use cfsm_core::system::{Defect, TransitionId};
use num_bigint::BigInt;
use thiserror::Error;

use certificate::{MOST_CONFIGURATIONS, MOST_MESSAGES, SCHEMA};

/// Why a certificate is not accepted.
///
/// This says nothing about the system: what a broken certificate claims may be true all the same.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
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
    /// The certificate was made for a system of the same name in which something is different.
    #[error(
        "the certificate was made for another system: for that with the SHA-256 {found}, and that of this one is {expected}. \
         Make both files with the same `freeboard check`"
    )]
    OtherDigest {
        /// The digest in the certificate.
        found: String,
        /// The digest of the system.
        expected: String,
    },
    /// The list of what is trusted has been taken out of the certificate.
    #[error(
        "the certificate has the SHA-256 of its system, but does not say what it trusts: `trust` is missing"
    )]
    NoTrust,
    /// A claim rests on something that is not checked, and the certificate does not say so.
    #[error("the certificate rests on {}, which is not checked, but `trust` does not say so", untold(part, name.as_deref()))]
    Untold {
        /// The [part](crate::TrustedPart).
        part: String,
        /// What of it is missing; `None` if the whole part is.
        name: Option<String>,
    },
    /// A claim is not proved by its numbers.
    #[error("claim {number}, on {subject}: {broken}")]
    Claim {
        /// Which claim, counted from 1.
        number: usize,
        /// What it is about: the buffers that it claims to be bounded, all buffers, or livelocks.
        subject: String,
        /// The first line of it that is broken.
        broken: Box<Broken>,
    },
}

/// `data-places (`n`)`
fn untold(part: &str, name: Option<&str>) -> String {
    name.map_or_else(|| part.to_owned(), |name| format!("{part} (`{name}`)"))
}

/// What is broken in a claim.
///
/// Lines are looked at in the order of the variants (of the buffers, one after the other), and
/// within a variant in the order of the system's places and transitions; the first broken one is
/// named. The numbers 1 to 4 are those of the [theorem](crate#the-theorem), or of the [one on
/// configurations](crate#closed-sets-of-configurations).
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
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
    /// Names must be those of the system.
    #[error("the system has no data place `{0}`")]
    UnknownData(String),
    /// Condition 1, or 2 for a message type of a claimed buffer.
    #[error("the message type `{message}` weighs {weight}, less than {least}")]
    LightMessage {
        /// Full name of the message type.
        message: String,
        /// Its weight.
        weight: BigInt,
        /// What it must weigh: the denominator in a claimed buffer; 1 where nothing may grow; 0
        /// elsewhere.
        least: BigInt,
    },
    /// Condition 1.
    #[error("the data place `{place}` weighs {weight}, less than 0")]
    LightData {
        /// Its name.
        place: String,
        /// Its weight.
        weight: BigInt,
    },
    /// A data place that counts in one part of a proof counts in all.
    #[error("the data place `{0}` weighs nothing here, and something in other parts of the proof")]
    UnweighedData(String),
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
    /// A transition that has to lower the potential leaves it as it is.
    #[error("{}", .0.told("does not lower"))]
    Stays(Box<Rise>),
    /// A cut must be about a class of the system.
    #[error("the system has no class `{0}`")]
    UnknownClass(String),
    /// A cut must be about one instance.
    #[error("the class `{0}` may have several instances, so it cannot be cut")]
    SeveralInstances(String),
    /// A cut must be about states of its class.
    #[error("the state `{0}` is not one of the class that is cut")]
    OtherClass(String),
    /// The parts of a settling must be disjoint.
    #[error("the state `{0}` is in two parts of a settling")]
    TwoParts(String),
    /// A process that is kept apart must meet the hub.
    #[error("`{0}` never meets the hub by rendezvous, nor somebody who does, or can be with it at more than {most} pairs of states", most = crate::MOST_TOGETHER)]
    Strangers(String),
    /// A delivery must be about a queue that delivers in order.
    #[error("the system does not say that the buffer `{0}` is one queue that is first in, first out")]
    OutOfOrder(String),
    /// A delivery must be about messages of its queue.
    #[error("the message type `{0}` is not one of the queue whose delivery is looked at")]
    OtherBuffer(String),
    /// A ranking may fall at the border of a cut only where that is known to be crossed for ever.
    #[error("the potential is to fall at cut {0}, which is not known to be crossed again and again here")]
    NotCrossed(usize),
    /// A ranking may fall inside a part only where something is known to go on there.
    #[error("the potential is to fall in part {0}, in which nothing is known to go on here")]
    NotMoving(usize),
    /// The tree is too deep.
    #[error("there are more than {0} proofs inside each other")]
    TooDeep(usize),
    /// A departure rests on fairness.
    #[error("a departure is a proof for fair runs, and the claim is about all runs")]
    NotFair,
    /// A departure must be from states where fairness lets nobody stay.
    #[error("the state `{0}` is not always ready, so an instance may stay there for ever in a fair run")]
    NotReady(String),
    /// A departure without a rest must be from states where somebody has to be.
    #[error("there need not be an instance at the states of a departure, and there is no proof for the rest")]
    NobodyThere,
    /// The order of queues is not known, so that configurations say nothing.
    #[error("the system does not say that its queues are first in, first out (`\"order\": \"fifo\"`)")]
    Unordered,
    /// A class must not be named twice.
    #[error("the class `{0}` is named twice")]
    ClassTwice(String),
    /// Condition 1: what is bounded, or holds messages, must be followed.
    #[error("the buffer `{0}` is not one of those that are followed")]
    NotFollowed(String),
    /// Condition 1: nobody else uses what is followed.
    #[error("the buffer `{buffer}` is followed, but the class `{class}`, which is not, uses it")]
    Shared {
        /// The buffer.
        buffer: String,
        /// The class.
        class: String,
    },
    /// Condition 1: nobody else creates what is followed.
    #[error("the class `{class}` is followed, but `{creator}`, which is not, creates instances of it")]
    CreatedElsewhere {
        /// The class.
        class: String,
        /// Who creates.
        creator: String,
    },
    /// What such a step of two instances is, is not defined.
    #[error("{0:?} has a rendezvous and does something else besides")]
    Company(TransitionId),
    /// The step is too long to be followed.
    #[error("{0:?} has more than {MOST_MESSAGES} messages")]
    LongStep(TransitionId),
    /// There are too many.
    #[error("there are {0} configurations, more than {MOST_CONFIGURATIONS}")]
    TooManyConfigurations(usize),
    /// A configuration has an instance of a class that is not followed.
    #[error("configuration {configuration}: the state `{state}` is not one of the classes that are followed")]
    OtherState {
        /// Position of the configuration, counted from 1.
        configuration: usize,
        /// The state.
        state: String,
    },
    /// Condition 2.
    #[error("the initial configuration is not in the list: {0}")]
    NoStart(String),
    /// Condition 4.
    #[error("configuration {configuration}: `{buffer}` holds {messages} messages, more than {bound}")]
    TooFull {
        /// Position of the configuration, counted from 1.
        configuration: usize,
        /// The buffer.
        buffer: String,
        /// How many it holds.
        messages: usize,
        /// The claimed bound.
        bound: BigInt,
    },
    /// Condition 3.
    #[error("{0}")]
    Departs(Box<Escape>),
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

/// A step that leads to a configuration that is not in the set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Escape {
    /// Position of the configuration that it leaves, counted from 1.
    pub configuration: usize,
    /// The transition, and with a rendezvous that of the receiver.
    pub transitions: Vec<TransitionId>,
    /// The configuration that it leads to, in words.
    pub after: String,
}

impl fmt::Display for Escape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let fired: Vec<String> =
            self.transitions.iter().map(|transition| format!("{transition:?}")).collect();
        let (fired, Self { configuration, after, .. }) = (fired.join(" with "), self);
        write!(f, "{fired} leads from configuration {configuration} to one that is not in the list: {after}")
    }
}

/// A transition that raises the potential, or does not lower it, with the terms of condition 3.
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
    /// u·d: what it adds to data places, at most.
    pub data: BigInt,
    /// h of the target.
    pub target_weight: BigInt,
    /// h of the source.
    pub source_weight: BigInt,
    /// Sum of h over the initial states of the instances that it creates.
    pub created: BigInt,
}

impl Rise {
    /// By how much the potential rises: the left side of condition 3, positive if that is broken.
    #[must_use]
    pub fn total(&self) -> BigInt {
        &self.messages + &self.data + &self.target_weight - &self.source_weight + &self.created
    }
}

impl Rise {
    /// The sentence `t from s to s' does something to the potential: ...`
    fn told(&self, verb: &str) -> String {
        let action = match &self.origin {
            Some(Origin { file, line, text }) => format!("{file}:{line}: {text}; {}", self.action),
            None => self.action.clone(),
        };
        // Most systems have none.
        let data = match self.data == BigInt::ZERO {
            true => String::new(),
            false => format!(" + {} (data)", self.data),
        };
        format!(
            "{:?} from `{}` to `{}` ({action}) {verb} the potential: \
             {} (messages){data} + {} (target) - {} (source) + {} (created) = {}",
            self.transition,
            self.source,
            self.target,
            self.messages,
            self.target_weight,
            self.source_weight,
            self.created,
            self.total()
        )
    }
}

impl fmt::Display for Rise {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.told("raises"))
    }
}
