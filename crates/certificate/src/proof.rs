//! Proofs that there are no infinite runs of some kind, as they stand in a certificate.

use std::collections::{BTreeMap, BTreeSet};

use cfsm_core::system::{DataId, MessageId, StateId, System};
use num_bigint::BigInt;
use serde::{Deserialize, Serialize};

use crate::claim::{named, weighed};
use crate::decimal;

/// A proof that there are no infinite runs of some kind: a tree with a ranking at each leaf. In a
/// [`LivelockFreeClaim`](crate::LivelockFreeClaim) they are those without progress, in an
/// [`AllBoundedClaim`](crate::AllBoundedClaim) those that come to no configuration twice.
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
    /// Several cases: in which of some parts the one instance of a class is in the long run.
    Settling(Settling),
    /// Where a process cannot be, given where others are in the long run.
    Apart(Apart),
}

/// A potential that no transition that may fire raises, and that falls again and again; or, in an
/// [`AllBoundedClaim`](crate::AllBoundedClaim), leaves nothing to grow.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Ranking {
    /// Message types that are [silent](Proof::silent) here, in an order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub silent: Vec<String>,
    /// Where it falls. `None`: at each transition; in an
    /// [`AllBoundedClaim`](crate::AllBoundedClaim) at those that create. Otherwise at those that
    /// leave the states of a cut in whose case [`Cut::crosses`] this is; or those that receive what
    /// a delivery is about, in whose case [`Delivery::unsent`] (any message of the queue) or
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
    /// Where it falls instead of at a cut: at the transitions of the class inside of a part of a
    /// settling, in whose case [`SettledPart::stays`] this is. These cases are counted from 1, the
    /// outermost one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub falls_in_part: Option<usize>,
}

/// The cases of where the one instance of a class is in the long run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Cut {
    /// Message types that are [silent](Proof::silent) here, in an order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub silent: Vec<String>,
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

/// States at which no instance stays for ever in a fair run, and which none leaves again and again:
/// in the long run nobody is there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Departure {
    /// Message types that are [silent](Proof::silent) here, in an order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub silent: Vec<String>,
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
    /// A proof for the runs that do not come to these states any more. `None`: there is none, as
    /// somebody has to be at one of these states.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rest: Option<Box<Proof>>,
}

/// The cases of what is received in the long run from a queue that [keeps
/// order](System::keeps_order). If messages are received from it for ever, then so is each message
/// that is sent to it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Delivery {
    /// Message types that are [silent](Proof::silent) here, in an order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub silent: Vec<String>,
    /// The queue.
    pub buffer: String,
    /// Message types of it, by [full name](System::message_name).
    pub messages: Vec<String>,
    /// From some time on nothing is received from the queue.
    pub unread: Box<Proof>,
    /// Messages are received from the queue again and again, but from some time on none of these,
    /// so that none of these is sent either.
    pub unsent: Box<Proof>,
    /// Some of these messages are received again and again.
    pub delivered: Box<Proof>,
}

/// Parts of a class, each of which its one instance leaves finitely often: in the long run it is in
/// one of them, or in none.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Settling {
    /// Message types that are [silent](Proof::silent) here, in an order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub silent: Vec<String>,
    /// The class. It has one instance at most.
    pub class: String,
    /// Weights of message types, by [full name](System::message_name). Who is missing weighs 0. No
    /// transition that may fire raises the potential; those that leave a part lower it.
    #[serde(with = "decimal::weights")]
    pub messages: BTreeMap<String, BigInt>,
    /// Weights of data places, by name. Who is missing weighs 0.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty", with = "decimal::weights")]
    pub data: BTreeMap<String, BigInt>,
    /// Weights of states, by [full name](System::state_name). Who is missing weighs 0.
    #[serde(with = "decimal::weights")]
    pub states: BTreeMap<String, BigInt>,
    /// The parts; no state is in two of them.
    pub parts: Vec<SettledPart>,
    /// From some time on it stays at states of no part, or it is in one of them and does nothing.
    pub elsewhere: Box<Proof>,
}

/// A part of a class, and a proof for the case that its one instance stays there from some time on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct SettledPart {
    /// States of the class, by [full name](System::state_name).
    pub states: Vec<String>,
    /// From some time on it stays at these states, and goes from one to another, or to itself,
    /// again and again.
    pub stays: Box<Proof>,
}

/// What processes do not do in the long run, as they would have to be where they cannot be while
/// others stay where they are known to stay (in the case of a cut or of a settling).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Apart {
    /// Message types that are [silent](Proof::silent) here, in an order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub silent: Vec<String>,
    /// Where classes cannot be, one step after the other: each rests on those before it.
    pub limits: Vec<Limit>,
    /// A proof for runs in which the classes of the limits do nothing from places where they cannot
    /// be.
    pub rest: Box<Proof>,
}

/// A step that narrows the places of a class: to those that go together, in a relation, with places
/// where the other classes of the relation are known to stay.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Limit {
    /// Which of the [`JointStates`](crate::JointStates) of the claim, counted from 1.
    pub relation: usize,
    /// The class whose places are narrowed, one of the relation.
    pub class: String,
}

impl Proof {
    /// The message types, by [full name](System::message_name), that are silent in the runs of this
    /// part, in an order: of the transitions that may still fire and have nothing to do with those
    /// before it, none sends the message type; or it is of a rendezvous buffer, and none receives
    /// it. So no transition that sends or receives it fires again and again.
    #[must_use]
    pub fn silent(&self) -> &[String] {
        match self {
            Self::Ranking(Ranking { silent, .. })
            | Self::Cut(Cut { silent, .. })
            | Self::Departure(Departure { silent, .. })
            | Self::Delivery(Delivery { silent, .. })
            | Self::Settling(Settling { silent, .. })
            | Self::Apart(Apart { silent, .. }) => silent,
        }
    }

    /// The same, with these message types [silent](Self::silent).
    #[must_use]
    pub fn with_silent(mut self, names: Vec<String>) -> Self {
        match &mut self {
            Self::Ranking(Ranking { silent, .. })
            | Self::Cut(Cut { silent, .. })
            | Self::Departure(Departure { silent, .. })
            | Self::Delivery(Delivery { silent, .. })
            | Self::Settling(Settling { silent, .. })
            | Self::Apart(Apart { silent, .. }) => *silent = names,
        }
        self
    }

    /// The proofs that this one is put together from, to change them.
    pub fn parts_mut(&mut self) -> Vec<&mut Self> {
        match self {
            Self::Ranking(_) => Vec::new(),
            Self::Cut(cut) => vec![&mut cut.stays, &mut cut.avoids, &mut cut.crosses],
            Self::Delivery(delivery) => {
                vec![&mut delivery.unread, &mut delivery.unsent, &mut delivery.delivered]
            }
            Self::Departure(departure) => departure.rest.as_deref_mut().into_iter().collect(),
            Self::Settling(settling) => {
                let stays = settling.parts.iter_mut().map(|part| &mut *part.stays);
                stays.chain([&mut *settling.elsewhere]).collect()
            }
            Self::Apart(apart) => vec![&mut apart.rest],
        }
    }

    /// The proofs that this one is put together from; none for a ranking.
    #[must_use]
    pub fn parts(&self) -> Vec<&Self> {
        match self {
            Self::Ranking(_) => Vec::new(),
            Self::Cut(cut) => vec![&cut.stays, &cut.avoids, &cut.crosses],
            Self::Delivery(delivery) => vec![&delivery.unread, &delivery.unsent, &delivery.delivered],
            Self::Departure(departure) => departure.rest.as_deref().into_iter().collect(),
            Self::Settling(settling) => {
                let stays = settling.parts.iter().map(|part| &*part.stays);
                stays.chain([&*settling.elsewhere]).collect()
            }
            Self::Apart(apart) => vec![&apart.rest],
        }
    }

    /// Whether something holds of it, or of a proof that it is put together from, directly or not.
    #[must_use]
    pub fn any(&self, holds: &dyn Fn(&Self) -> bool) -> bool {
        holds(self) || self.parts().into_iter().any(|part| part.any(holds))
    }

    /// The names of the data places with a weight other than 0 in some part of it.
    #[must_use]
    pub fn data_places(&self) -> BTreeSet<&str> {
        let mut open = vec![self];
        let mut named = BTreeSet::new();
        while let Some(proof) = open.pop() {
            match proof {
                Self::Ranking(ranking) => named.extend(weighed(&ranking.data)),
                Self::Departure(departure) => named.extend(weighed(&departure.data)),
                Self::Settling(settling) => named.extend(weighed(&settling.data)),
                Self::Cut(_) | Self::Delivery(_) | Self::Apart(_) => {}
            }
            open.extend(proof.parts());
        }
        named
    }
}

impl Ranking {
    /// A ranking by ids. Weights of 0 are left out; of several weights for one place the last
    /// counts.
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
            silent: Vec::new(),
            falls_at_cut: None,
            falls_in_part: None,
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
