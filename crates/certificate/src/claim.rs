//! What a certificate says, in memory as in the file: by name, in exact integers.

use std::collections::{BTreeMap, BTreeSet};

use cfsm_core::system::{BufferId, ClassId, DataId, MessageId, StateId, System};
use num_bigint::BigInt;
use num_traits::Zero;
use serde::{Deserialize, Serialize};

use crate::decimal;
use crate::invariant::{JointStates, SingleClass};
use crate::linear::LinearClaim;
use crate::proof::Proof;
use crate::trust::Trusted;
use crate::values::Values;

/// The value of [`Certificate::schema`] that this version reads and writes.
pub const SCHEMA: &str = "freeboard.certificate/2";

/// Claims about one system, each with what proves it.
///
/// Anyone can make one; it means something only once the kernel has checked it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Certificate {
    /// Version of the format: [`SCHEMA`].
    pub schema: String,
    /// The name of the system it is about.
    pub system: String,
    /// The [digest](System::digest) of that system; `None` in files of older versions, and until
    /// the certificate is [bound to it](Self::bound_to).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub system_sha256: Option<String>,
    /// The parts that it rests on and that the kernel does not check, those that are
    /// [derived](crate::trusted) first; `None` as above.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trust: Option<Vec<Trusted>>,
    /// The claims, each of which stands on its own.
    pub claims: Vec<Claim>,
    /// Proofs about data places, each of which stands on its own.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub values: Vec<Values>,
}

/// One claim and its proof. A new kind is a change that every reader must see, so the kinds can be
/// matched exhaustively.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Claim {
    /// Some buffers hold at most so many messages together.
    Bounded(BoundedClaim),
    /// Every buffer is bounded, by whatever number.
    AllBounded(AllBoundedClaim),
    /// Every infinite run makes progress for ever.
    LivelockFree(LivelockFreeClaim),
    /// Some buffers hold at most so many messages each, because here is everything that can be
    /// reached.
    Configurations(ConfigurationsClaim),
    /// Some buffers hold at most so many messages together, for every value of a parameter of what
    /// is assumed of the environment.
    Contract(ContractClaim),
    /// A linear form over messages and processes never exceeds a number.
    Linear(LinearClaim),
}

/// The claim that some buffers together never hold more than a number of messages that is linear in
/// the initial value of an [assumption](cfsm_core::system::DataPlace::is_assumed), for each such
/// value; see `docs/soundness/kernel.md`.
///
/// With k for the initial value, the buffers hold at most (constant + slope k) / denominator
/// messages; the denominator is that of the claim on bounds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct ContractClaim {
    /// The name of the data place that is the assumption.
    pub parameter: String,
    /// The part of the bound that does not depend on the parameter.
    #[serde(with = "decimal::number")]
    pub constant: BigInt,
    /// The factor of the parameter.
    #[serde(with = "decimal::number")]
    pub slope: BigInt,
    /// The claim for the initial value that the system has, with the potential that proves it.
    pub claim: BoundedClaim,
}

impl ContractClaim {
    /// The bound as a sum with `k` for the parameter: `k`, `2*k + 1`, `(k + 1)/3`, `0`.
    #[must_use]
    pub fn bound(&self) -> String {
        let denominator = &self.claim.denominator;
        let is_whole = |number: &BigInt| (number % denominator).is_zero();
        let (slope, constant, whole) = if is_whole(&self.slope) {
            // The part with k is whole, so that the other part may be rounded down alone.
            (&self.slope / denominator, &self.constant / denominator, true)
        } else {
            (self.slope.clone(), self.constant.clone(), false)
        };
        let one = BigInt::from(1);
        let factor =
            (!slope.is_zero()).then(|| if slope == one { "k".to_owned() } else { format!("{slope}*k") });
        let sum = match (factor, constant.is_zero()) {
            (None, _) => constant.to_string(),
            (Some(factor), true) => factor,
            (Some(factor), false) => format!("{factor} + {constant}"),
        };
        match (whole, sum.contains(' ')) {
            (true, _) => sum,
            (false, true) => format!("({sum})/{denominator}"),
            (false, false) => format!("{sum}/{denominator}"),
        }
    }
}

/// The claim that some buffers never hold more than a number of messages each, and a finite set of
/// configurations that no step leaves; see `docs/soundness/kernel.md`.
///
/// It may be about a part of a system: some classes and some of the buffers that only they use.
/// Others may do anything.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct ConfigurationsClaim {
    /// Names of the classes whose instances are followed.
    pub classes: Vec<String>,
    /// Names of the buffers whose contents are followed. No other class uses them.
    pub buffers: Vec<String>,
    /// The greatest number of messages in a buffer, by its name; these are among the buffers that
    /// are followed.
    #[serde(with = "decimal::weights")]
    pub bounds: BTreeMap<String, BigInt>,
    /// The configurations; at most [`MOST_CONFIGURATIONS`](crate::MOST_CONFIGURATIONS).
    pub configurations: Vec<Configuration>,
}

/// A configuration of a part of a system.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Configuration {
    /// The state of each instance, by [full name](System::state_name), in any order.
    pub states: Vec<String>,
    /// The messages in buffers, by [full name](System::message_name); those of one buffer from the
    /// oldest to the newest.
    pub messages: Vec<String>,
}

impl ConfigurationsClaim {
    /// A claim by ids.
    ///
    /// Nothing is checked here. Time linear in the configurations.
    ///
    /// # Panics
    /// If an id is not one of the system's.
    #[must_use]
    pub fn new(
        system: &System,
        classes: impl IntoIterator<Item = ClassId>,
        buffers: impl IntoIterator<Item = BufferId>,
        bounds: impl IntoIterator<Item = (BufferId, BigInt)>,
        configurations: impl IntoIterator<Item = (Vec<StateId>, Vec<MessageId>)>,
    ) -> Self {
        let buffer = |id: BufferId| system.buffers[id].name.clone();
        let configuration = |(states, messages): (Vec<StateId>, Vec<MessageId>)| Configuration {
            states: states.into_iter().map(|state| system.state_name(state)).collect(),
            messages: messages.into_iter().map(|message| system.message_name(message)).collect(),
        };
        Self {
            classes: classes.into_iter().map(|class| system.classes[class].name.clone()).collect(),
            buffers: buffers.into_iter().map(buffer).collect(),
            bounds: bounds.into_iter().map(|(id, bound)| (buffer(id), bound)).collect(),
            configurations: configurations.into_iter().map(configuration).collect(),
        }
    }
}

/// The claim that some buffers together never hold more than a number of messages, and the
/// potential that proves it; see `docs/soundness/kernel.md`.
///
/// The weights of a claim may be multiplied by any positive integer together with the denominator;
/// that is how rational weights become integers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct BoundedClaim {
    /// Names of the buffers; usually one.
    pub buffers: Vec<String>,
    /// The greatest number of messages in these buffers together.
    #[serde(with = "decimal::number")]
    pub bound: BigInt,
    /// What one message in these buffers weighs at least; positive.
    #[serde(with = "decimal::number")]
    pub denominator: BigInt,
    /// Weights of message types, by [full name](System::message_name). Who is missing weighs 0.
    #[serde(with = "decimal::weights")]
    pub messages: BTreeMap<String, BigInt>,
    /// Weights of data places, by name. Who is missing weighs 0.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty", with = "decimal::weights")]
    pub data: BTreeMap<String, BigInt>,
    /// Weights of states, by [full name](System::state_name). Who is missing weighs 0.
    #[serde(with = "decimal::weights")]
    pub states: BTreeMap<String, BigInt>,
}

/// The claim that every queue of the system is bounded, and what proves it; see
/// `docs/soundness/kernel.md`. It is never about some of the buffers only.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct AllBoundedClaim {
    /// Classes of which one instance at most is created, each behind its creator. The proof may
    /// follow these, and classes that nobody creates.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub single: Vec<SingleClass>,
    /// Combinations of places that a few classes may be at together; limits of the proof name them
    /// by number.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub joint: Vec<JointStates>,
    /// The proof.
    pub proof: Proof,
}

/// The claim that no infinite run (or no fair one) takes transitions that make
/// [progress](cfsm_core::system::Transition::progress) only finitely often, and what proves it; see
/// `docs/soundness/kernel.md`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct LivelockFreeClaim {
    /// Which runs it is about.
    #[serde(default, skip_serializing_if = "Fairness::is_none")]
    pub fairness: Fairness,
    /// Classes of which one instance at most is created, each behind its creator. The proof may
    /// follow these, and classes that nobody creates.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub single: Vec<SingleClass>,
    /// Combinations of places that a few classes may be at together; limits of the proof name them
    /// by number.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub joint: Vec<JointStates>,
    /// The proof.
    pub proof: Proof,
}

/// Which infinite runs a claim of freedom from livelocks is about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Fairness {
    /// All of them.
    #[default]
    None,
    /// Those in which no instance stays for ever at a state where it can
    /// [always step](cfsm_core::system::State::always_ready).
    Weak,
}

impl Fairness {
    /// Whether it is about all runs.
    #[must_use]
    pub const fn is_none(&self) -> bool {
        matches!(self, Self::None)
    }
}

impl Claim {
    /// The claim, if it is one on buffers that a potential proves.
    #[must_use]
    pub const fn bounded(&self) -> Option<&BoundedClaim> {
        match self {
            Self::Bounded(claim) => Some(claim),
            Self::AllBounded(_)
            | Self::LivelockFree(_)
            | Self::Configurations(_)
            | Self::Contract(_)
            | Self::Linear(_) => None,
        }
    }

    /// The names of the data places that it gives a weight: what it says holds as far as these are
    /// as the system has them.
    #[must_use]
    pub fn data_places(&self) -> BTreeSet<&str> {
        match self {
            Self::Bounded(claim) => weighed(&claim.data).collect(),
            Self::AllBounded(claim) => claim.proof.data_places(),
            Self::LivelockFree(claim) => claim.proof.data_places(),
            Self::Configurations(_) => BTreeSet::new(),
            Self::Contract(claim) => weighed(&claim.claim.data).collect(),
            Self::Linear(claim) => weighed(&claim.data).collect(),
        }
    }

    /// The bounds that it claims: on each buffer that it names, in messages.
    pub fn bounds(&self) -> impl Iterator<Item = (&str, &BigInt)> {
        let (together, each) = match self {
            Self::Bounded(claim) => (Some(claim), None),
            Self::Configurations(claim) => (None, Some(claim)),
            Self::AllBounded(_) | Self::LivelockFree(_) | Self::Contract(_) | Self::Linear(_) => (None, None),
        };
        let together = together.into_iter();
        let together =
            together.flat_map(|claim| claim.buffers.iter().map(|buffer| (buffer.as_str(), &claim.bound)));
        let each = each.into_iter().flat_map(|claim| &claim.bounds);
        together.chain(each.map(|(buffer, bound)| (buffer.as_str(), bound)))
    }

    /// What it is about, in a few words.
    #[must_use]
    pub fn subject(&self) -> String {
        match self {
            Self::Bounded(claim) if claim.buffers.is_empty() => "no buffer".into(),
            Self::Bounded(claim) => claim.buffers.join(", "),
            Self::AllBounded(_) => "all buffers".into(),
            Self::LivelockFree(_) => "livelocks".into(),
            Self::Contract(claim) => claim.claim.buffers.join(", "),
            Self::Linear(claim) => claim.form.to_string(),
            Self::Configurations(claim) if claim.bounds.is_empty() => "no buffer".into(),
            Self::Configurations(claim) => {
                claim.bounds.keys().map(String::as_str).collect::<Vec<_>>().join(", ")
            }
        }
    }
}

impl AllBoundedClaim {
    /// A claim whose proof needs no list of classes that are created once, and no joint states.
    #[must_use]
    pub const fn new(proof: Proof) -> Self {
        Self { single: Vec::new(), joint: Vec::new(), proof }
    }
}

impl LivelockFreeClaim {
    /// A claim whose proof needs no list of classes that are created once, and no joint states.
    #[must_use]
    pub const fn new(fairness: Fairness, proof: Proof) -> Self {
        Self { fairness, single: Vec::new(), joint: Vec::new(), proof }
    }
}

impl Certificate {
    /// A certificate for a system.
    #[must_use]
    pub fn new(system: &System, claims: impl IntoIterator<Item = Claim>) -> Self {
        Self {
            schema: SCHEMA.into(),
            system: system.name.clone(),
            system_sha256: None,
            trust: None,
            claims: claims.into_iter().collect(),
            values: Vec::new(),
        }
    }

    /// The claims and values of both certificates, which must be about one system.
    #[must_use]
    pub fn and(mut self, other: Self) -> Self {
        self.claims.extend(other.claims);
        self.values.extend(other.values);
        self
    }

    /// The same with proofs about data places, and no others.
    #[must_use]
    pub fn with_values(self, values: Vec<Values>) -> Self {
        Self { values, ..self }
    }
}

impl BoundedClaim {
    /// A claim by ids. Weights of 0 are left out; of several weights for one place the last counts.
    ///
    /// Nothing is checked here. Time `O(n log n)` in the number of weights.
    ///
    /// # Panics
    /// If an id is not one of the system's.
    #[must_use]
    pub fn new(
        system: &System,
        buffers: impl IntoIterator<Item = BufferId>,
        bound: BigInt,
        denominator: BigInt,
        messages: impl IntoIterator<Item = (MessageId, BigInt)>,
        states: impl IntoIterator<Item = (StateId, BigInt)>,
    ) -> Self {
        Self {
            buffers: buffers.into_iter().map(|buffer| system.buffers[buffer].name.clone()).collect(),
            bound,
            denominator,
            messages: named(messages, |message| system.message_name(message)),
            data: BTreeMap::new(),
            states: named(states, |state| system.state_name(state)),
        }
    }

    /// The same with these weights of data places, and no others.
    ///
    /// # Panics
    /// If an id is not one of the system's.
    #[must_use]
    pub fn with_data(self, system: &System, data: impl IntoIterator<Item = (DataId, BigInt)>) -> Self {
        Self { data: named(data, |place| system.data[place].name.clone()), ..self }
    }
}

/// The names with a weight other than 0.
pub(crate) fn weighed(weights: &BTreeMap<String, BigInt>) -> impl Iterator<Item = &str> {
    weights.iter().filter(|(_, weight)| !weight.is_zero()).map(|(name, _)| name.as_str())
}

/// Weights by name, without those of 0.
pub(crate) fn named<I>(
    weights: impl IntoIterator<Item = (I, BigInt)>,
    name: impl Fn(I) -> String,
) -> BTreeMap<String, BigInt> {
    let mut named: BTreeMap<_, _> =
        weights.into_iter().map(|(place, weight)| (name(place), weight)).collect();
    named.retain(|_, weight| !weight.is_zero());
    named
}
