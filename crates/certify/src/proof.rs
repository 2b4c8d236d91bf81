//! Proofs that there are no infinite runs of some kind, as they stand in a certificate.

use std::collections::{BTreeMap, BTreeSet};

use cfsm_core::system::{DataId, MessageId, StateId, System};
use num_bigint::BigInt;
use serde::{Deserialize, Serialize};

use crate::decimal;
use crate::format::{named, weighed};

/// A proof that there are no infinite runs of some kind: a tree with a ranking at each leaf. In a
/// [`LivelockFreeClaim`](crate::LivelockFreeClaim) they are those without progress, in an [`AllBoundedClaim`](crate::AllBoundedClaim) those that come to no configuration
/// twice.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "rule", rename_all = "kebab-case")]
pub enum Proof {
    /// A potential that falls.
    Ranking(Ranking),
    /// Three cases: where the one instance of a class is in the long run.
    Cut(Cut),
    /// States where nobody is in the long run.
    Departure(Departure),
    /// Three cases: what is received from a queue in the long run.
    Delivery(Delivery),
}

/// A potential that no transition that may fire raises, and that falls again and again; or, in an [`AllBoundedClaim`](crate::AllBoundedClaim),
/// leaves nothing to grow.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Ranking {
    /// Where it falls. `None`: at each transition; in an [`AllBoundedClaim`](crate::AllBoundedClaim) at those that create. Otherwise at those that leave the states of a cut in whose case
    /// [`Cut::crosses`] this is; or those that receive what a delivery is about, in whose case [`Delivery::unsent`] (any message of the queue) or
    /// [`Delivery::delivered`] this is. Cuts and deliveries are counted from 1, the outermost one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub falls_at_cut: Option<usize>,
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

/// The cases of where the one instance of a class is in the long run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Cut {
    /// The class. It has one instance at most.
    pub class: String,
    /// States of the class, by [full name](System::state_name).
    pub states: Vec<String>,
    /// From some time on it stays at these states.
    pub stays: Box<Proof>,
    /// From some time on it stays at other states.
    pub avoids: Box<Proof>,
    /// It leaves these states again and again.
    pub crosses: Box<Proof>,
}

/// States at which no instance stays for ever in a fair run, and which none leaves again and again: in the long run
/// nobody is there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Departure {
    /// The states, by [full name](System::state_name). Each is
    /// [always ready](cfsm_core::system::State::always_ready).
    pub left: Vec<String>,
    /// Weights of message types, by [full name](System::message_name). Who is missing weighs 0.
    #[serde(with = "decimal::weights")]
    pub messages: BTreeMap<String, BigInt>,
    /// Weights of data places, by name. Who is missing weighs 0.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty", with = "decimal::weights")]
    pub data: BTreeMap<String, BigInt>,
    /// Weights of states, by [full name](System::state_name). Who is missing weighs 0.
    #[serde(with = "decimal::weights")]
    pub states: BTreeMap<String, BigInt>,
    /// A proof for the runs that do not come to these states any more. `None`: there is none, as somebody has to be at
    /// one of these states.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rest: Option<Box<Proof>>,
}

/// The cases of what is received in the long run from a queue that [keeps order](System::keeps_order). If messages are received
/// from it for ever, then so is each message that is sent to it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Delivery {
    /// The queue.
    pub buffer: String,
    /// Message types of it, by [full name](System::message_name).
    pub messages: Vec<String>,
    /// From some time on nothing is received from the queue.
    pub unread: Box<Proof>,
    /// Messages are received from the queue again and again, but from some time on none of these, so that none of these
    /// is sent either.
    pub unsent: Box<Proof>,
    /// Some of these messages are received again and again.
    pub delivered: Box<Proof>,
}

impl Proof {
    /// The names of the data places with a weight in some part of it.
    pub(crate) fn data_places(&self) -> BTreeSet<&str> {
        let mut open = vec![self];
        let mut named = BTreeSet::new();
        while let Some(proof) = open.pop() {
            match proof {
                Self::Ranking(ranking) => named.extend(weighed(&ranking.data)),
                Self::Cut(cut) => open.extend([&*cut.stays, &*cut.avoids, &*cut.crosses]),
                Self::Delivery(delivery) => {
                    open.extend([&*delivery.unread, &*delivery.unsent, &*delivery.delivered]);
                }
                Self::Departure(departure) => {
                    named.extend(weighed(&departure.data));
                    open.extend(departure.rest.as_deref());
                }
            }
        }
        named
    }
}

impl Ranking {
    /// A ranking by ids. Weights of 0 are left out; of several weights for one place the last counts.
    ///
    /// Nothing is checked here. Time `O(n log n)` in the number of weights.
    ///
    /// # Panics
    /// If an id is not one of the system's.
    #[must_use]
    pub fn new(
        system: &System,
        messages: impl IntoIterator<Item = (MessageId, BigInt)>,
        states: impl IntoIterator<Item = (StateId, BigInt)>,
    ) -> Self {
        Self {
            falls_at_cut: None,
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
