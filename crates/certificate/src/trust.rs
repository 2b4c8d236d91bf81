//! Trust: what a claim rests on and the checker does not find out itself.
//!
//! The theorems of the kernel are about a system as it stands in its file. That a model has
//! no more runs than the system made from it is another matter, and some of it can be named: data
//! places, orders of queues and states that are always ready are marks in the system that a claim
//! either uses or does not. [`trusted`] derives the list from system and claims alone, so no file
//! can hide a part of it.

use std::collections::BTreeSet;

use cfsm_core::system::{BufferKind, Order, System};
use serde::{Deserialize, Serialize};

use crate::claim::{Certificate, Claim};
use crate::proof::Proof;
use crate::values::proved;

/// A part of a verdict that no checker repeats.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Trusted {
    /// Its name: that of a [`TrustedPart`], or of a search or an analysis, as `exhaustion`.
    pub part: String,
    /// The reason: a sentence without a full stop.
    pub why: String,
    /// The names that it is about: data places, buffers or states; none if it is about all of the
    /// verdict.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub about: Vec<String>,
}

/// The parts that [`trusted`] derives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum TrustedPart {
    /// The reading of a text and its abstraction to a system.
    Abstraction,
    /// The quantities that are called data places: never below 0, and changed by no more than the
    /// system has it; those that [`Values`](crate::Values) do not prove.
    DataPlaces,
    /// The limits that a question sets to buffers: how much room there is. That messages take it
    /// and give it back is checked.
    Limits,
    /// The mark that a queue of an abstraction delivers first in, first out.
    Order,
    /// The mark that an instance at a state can step at any time.
    AlwaysReady,
}

impl TrustedPart {
    /// All of them.
    pub const ALL: [Self; 5] =
        [Self::Abstraction, Self::DataPlaces, Self::Limits, Self::Order, Self::AlwaysReady];

    /// Its name in files.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Abstraction => "abstraction",
            Self::DataPlaces => "data-places",
            Self::Limits => "limits",
            Self::Order => "order",
            Self::AlwaysReady => "always-ready",
        }
    }

    fn about(self, names: BTreeSet<&str>) -> Trusted {
        let listed = in_short(&names);
        let why = match self {
            Self::Abstraction => "every run of the text is one of the system that was made from it, by its reading and abstraction (the checker sees the system only)".into(),
            Self::DataPlaces => format!(
                "what the analysis of values says of {listed}: never below 0, changed by no more than the system has it (no certificate checks that)"
            ),
            Self::Limits => format!("the question sets limits to buffers: {listed}"),
            Self::Order => format!(
                "messages are received from {listed} in the order in which they were sent, and none is lost, as the system has it (no certificate checks that)"
            ),
            Self::AlwaysReady => {
                format!("a process at {listed} can always step, as the system has it (no certificate checks that)")
            }
        };
        self.because(why, names)
    }

    fn because(self, why: String, names: BTreeSet<&str>) -> Trusted {
        Trusted { part: self.name().into(), why, about: names.into_iter().map(str::to_owned).collect() }
    }
}

/// The reason of [`TrustedPart::Abstraction`] where data places are proved.
const WITH_STATEMENTS: &str = "every run of the text is one of the system that was made from it, and each step changes variables as the certificate lists it, by its reading and abstraction (the checker sees the system and this list only)";

/// Names that stand in a sentence; the others are counted.
const NAMED: usize = 4;

fn in_short(names: &BTreeSet<&str>) -> String {
    let mut listed: Vec<String> = names.iter().take(NAMED).map(|name| format!("`{name}`")).collect();
    if names.len() > NAMED {
        listed.push(format!("{} more", names.len() - NAMED));
    }
    listed.join(", ")
}

/// The parts that the claims of a certificate rest on and that its check does not repeat. The order
/// of queues is none in a system [whose meaning it is](Order::Fifo), nor is there an abstraction
/// where such a system is a text in other words.
///
/// Time linear in the certificate, but for `O(n log n)` in the names that it lists.
#[must_use]
pub fn trusted(system: &System, certificate: &Certificate) -> Vec<Trusted> {
    let is_meant = system.order == Some(Order::Fifo);
    let mut uses = Uses::new(system, &certificate.claims);
    let proved = proved(&certificate.values);
    let unproved = uses.data_places.len();
    uses.data_places.retain(|name| !proved.contains(name));
    let rests_on_statements = uses.data_places.len() < unproved;
    let mut found = Vec::new();
    if rests_on_statements {
        found.push(TrustedPart::Abstraction.because(WITH_STATEMENTS.into(), BTreeSet::new()));
    } else if !certificate.claims.is_empty() && !system.source.is_empty() && !is_meant {
        found.push(TrustedPart::Abstraction.about(BTreeSet::new()));
    }
    let parts = [
        (TrustedPart::DataPlaces, uses.data_places),
        (TrustedPart::Limits, uses.limits),
        (TrustedPart::Order, if is_meant { BTreeSet::new() } else { uses.queues }),
        (TrustedPart::AlwaysReady, uses.ready),
    ];
    let used = parts.into_iter().filter(|(_, names)| !names.is_empty());
    found.extend(used.map(|(part, names)| part.about(names)));
    found
}

/// The marks of the system that claims use, by name.
#[derive(Default)]
struct Uses<'a> {
    data_places: BTreeSet<&'a str>,
    /// Those that are the free room of a limited buffer.
    limits: BTreeSet<&'a str>,
    queues: BTreeSet<&'a str>,
    ready: BTreeSet<&'a str>,
}

impl<'a> Uses<'a> {
    fn new(system: &System, claims: &'a [Claim]) -> Self {
        let queues = system.buffers.values().filter(|buffer| buffer.kind == BufferKind::Queue);
        let queues: BTreeSet<&str> = queues.map(|buffer| buffer.name.as_str()).collect();
        // The free room of a limited buffer is what its messages leave of it: a valid system has it
        // so.
        let rooms = system.data.values().filter(|place| place.room_of.is_some());
        let rooms: BTreeSet<&str> = rooms.map(|place| place.name.as_str()).collect();
        // An assumption is part of the question.
        let assumed = system.data.values().filter(|place| place.is_assumed);
        let assumed: BTreeSet<&str> = assumed.map(|place| place.name.as_str()).collect();
        let mut uses = Self::default();
        for claim in claims {
            let (limits, places): (Vec<&str>, Vec<&str>) = claim
                .data_places()
                .into_iter()
                .filter(|name| !assumed.contains(name))
                .partition(|name| rooms.contains(name));
            uses.limits.extend(limits);
            uses.data_places.extend(places);
            match claim {
                Claim::Bounded(_) | Claim::Contract(_) | Claim::Linear(_) => {}
                Claim::Configurations(claim) => {
                    let names = claim.buffers.iter().map(String::as_str);
                    uses.queues.extend(names.filter(|name| queues.contains(name)));
                }
                Claim::AllBounded(claim) => uses.proof(&claim.proof),
                Claim::LivelockFree(claim) => uses.proof(&claim.proof),
            }
        }
        uses
    }

    fn proof(&mut self, proof: &'a Proof) {
        let mut open = vec![proof];
        while let Some(proof) = open.pop() {
            match proof {
                Proof::Delivery(delivery) => drop(self.queues.insert(&delivery.buffer)),
                Proof::Departure(departure) => self.ready.extend(departure.left.iter().map(String::as_str)),
                Proof::Ranking(_) | Proof::Cut(_) | Proof::Settling(_) | Proof::Apart(_) => {}
            }
            open.extend(proof.parts());
        }
    }
}

impl Certificate {
    /// The same, said to be about this very system by its [digest](System::digest), with the list
    /// of what is [trusted], and those `further` parts that only the finder of the proof knows of.
    ///
    /// Time linear in system and certificate, but for `O(n log n)` in the names that are trusted.
    #[must_use]
    pub fn bound_to(self, system: &System, further: impl IntoIterator<Item = Trusted>) -> Self {
        let mut trust = trusted(system, &self);
        trust.extend(not_derived(further));
        Self { system_sha256: Some(system.digest()), trust: Some(trust), ..self }
    }

    /// All that it rests on: what is [trusted], whether the certificate says so or not, and the
    /// further parts that it lists.
    #[must_use]
    pub fn all_trusted(&self, system: &System) -> Vec<Trusted> {
        let mut trust = trusted(system, self);
        trust.extend(not_derived(self.trust.iter().flatten().cloned()));
        trust
    }
}

/// The parts that [`trusted`] does not derive.
fn not_derived(parts: impl IntoIterator<Item = Trusted>) -> impl Iterator<Item = Trusted> {
    let is_derived = |part: &Trusted| TrustedPart::ALL.iter().any(|derived| derived.name() == part.part);
    parts.into_iter().filter(move |part| !is_derived(part))
}
