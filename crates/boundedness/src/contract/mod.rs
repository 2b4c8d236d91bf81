//! Contracts: assumptions on environments under which open systems are bounded.
//!
//! An open system exchanges messages with an environment by rendezvous. A contract limits how many
//! messages of some types the environment sends, beyond those that it has taken of others; under it
//! every buffer is bounded, by a number that is linear in the limit. It is an ordinary question
//! about the system with an environment that keeps to the contract, whose slack is a data place
//! (`docs/soundness/open-systems.md`, Theorem 3).

mod clauses;
mod component;
mod composition;
mod generators;
mod joint;
mod kinds;

use std::collections::{BTreeMap, BTreeSet};

use certify::{Certificate, Checked, Claim, ContractClaim};
use cfsm_core::ids::Id;
use cfsm_core::system::{
    BufferId, Class, ClassId, DataChange, DataId, DataPlace, Direction, Event, MessageId, State, System,
    Transition,
};
use num_bigint::BigInt;

use crate::{Options, check};
use kinds::{exchanged, kinds};
pub use component::{Clause, Component, ComponentError};
pub use composition::{ComposeError, Composed, ComposedBuffer, Composition, Part, compose};

/// The initial slack with which the bounds of a contract are computed. Weights that are best for
/// some number of messages are good for all.
const SLACK: u64 = 16;

/// An assumption on an environment: at any time, the number of messages that it has sent is at most
/// `slack` above the number that it has taken, each type with its weight. What it has sent itself
/// and takes back counts for nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Assumption {
    /// The weights of messages that the environment sends. What is missing is not limited.
    pub sent: BTreeMap<MessageId, u32>,
    /// The weights of messages that it takes. What is missing does not count.
    pub taken: BTreeMap<MessageId, u32>,
    /// The difference that is allowed.
    pub slack: u64,
}

impl Assumption {
    /// The difference in words, without the slack: `2*in(req) - out(resp)`.
    #[must_use]
    pub fn difference(&self, system: &System) -> String {
        let terms = |weights: &BTreeMap<MessageId, u32>, direction: Direction| -> Vec<String> {
            let kinds = kinds(system, &exchanged(system, direction));
            let named = kinds.iter().flat_map(|kind| kind.terms(system, weights));
            named.map(|term| if term.weight == 1 { term.name } else { format!("{}*{}", term.weight, term.name) }).collect()
        };
        let sent = terms(&self.sent, Direction::Receive);
        let sum = if sent.is_empty() { "0".to_owned() } else { sent.join(" + ") };
        terms(&self.taken, Direction::Send).iter().fold(sum, |sum, term| format!("{sum} - {term}"))
    }
}

/// A contract of an open system, proved.
#[derive(Clone, Debug)]
pub struct Contract {
    /// The assumption, for every slack.
    pub assumption: Assumption,
    /// The system with an environment that keeps to the assumption; the certificate speaks of it.
    pub system: System,
    /// The proof: a [contract claim](ContractClaim) for each group of buffers.
    pub certificate: Checked<Certificate>,
}

impl Contract {
    /// The assumption as an inequality: `in(req) - out(resp) <= k`.
    #[must_use]
    pub fn inequality(&self) -> String {
        format!("{} <= k", self.assumption.difference(&self.system))
    }

    /// The bound of each buffer, linear in k.
    #[must_use]
    pub fn bounds(&self) -> BTreeMap<&str, &ContractClaim> {
        let claims = self.certificate.claims.iter().filter_map(|claim| match claim {
            Claim::Contract(claim) => Some(claim),
            _ => None,
        });
        claims.flat_map(|claim| claim.claim.buffers.iter().map(move |name| (name.as_str(), claim))).collect()
    }
}

/// A data place that counts messages exchanged with the environment.
#[derive(Clone, Debug)]
struct Account {
    name: String,
    /// The weights, and the initial value.
    exchanged: Assumption,
}

/// A system with its environment.
struct Closed {
    system: System,
    environment: ClassId,
}

/// An open system: its transitions exchange messages with an environment that is no part of it.
#[derive(Clone, Debug)]
pub struct OpenSystem<'s> {
    system: &'s System,
    /// The types of messages that the environment may send.
    sent: BTreeSet<MessageId>,
    /// The types of messages that it may take.
    taken: BTreeSet<MessageId>,
}

impl<'s> OpenSystem<'s> {
    /// The system whose `open` buffers, which must be rendezvous, the environment uses. Time linear
    /// in the system.
    #[must_use]
    pub fn new(system: &'s System, open: &BTreeSet<BufferId>) -> Self {
        let used = |direction: Direction| -> BTreeSet<MessageId> {
            let events = system.transitions.values().flat_map(|transition| &transition.events);
            let messages = events.filter(|event| event.direction == direction).map(|event| event.message);
            messages.filter(|id| open.contains(&system.messages[*id].buffer)).collect()
        };
        Self { system, sent: used(Direction::Receive), taken: used(Direction::Send) }
    }

    /// The types of messages that the environment may send.
    #[must_use]
    pub const fn sent(&self) -> &BTreeSet<MessageId> {
        &self.sent
    }

    /// The types of messages that the environment may take.
    #[must_use]
    pub const fn taken(&self) -> &BTreeSet<MessageId> {
        &self.taken
    }

    /// The system with an environment that keeps to these assumptions. Each of them is a data
    /// place behind those of the system. Ids stay the same. Time linear in the system.
    ///
    /// Of several that differ in slack only, the strictest is one for all.
    #[must_use]
    pub fn with_environment(&self, assumptions: &[Assumption]) -> System {
        let mut strictest: Vec<Assumption> = Vec::new();
        for assumption in assumptions {
            let same = |known: &&mut Assumption| {
                (&known.sent, &known.taken) == (&assumption.sent, &assumption.taken)
            };
            match strictest.iter_mut().find(same) {
                Some(known) => known.slack = known.slack.min(assumption.slack),
                None => strictest.push(assumption.clone()),
            }
        }
        let place = |assumption: &Assumption| {
            let mut meant = assumption.clone();
            // What the system may have sent itself is no message of the environment: not limited.
            meant.sent.retain(|message, _| !self.taken.contains(message));
            Account { name: format!("k - ({})", assumption.difference(self.system)), exchanged: meant }
        };
        let accounts: Vec<Account> = strictest.iter().map(place).collect();
        self.with_accounts(&accounts).system
    }

    /// The system with the most general environment, and a data place for each account: each
    /// message that the system receives takes from it, each that it sends adds to it.
    fn with_accounts(&self, accounts: &[Account]) -> Closed {
        let mut system = self.system.clone();
        let place = |account: &Account| DataPlace {
            is_assumed: true,
            ..DataPlace::new(account.name.as_str(), account.exchanged.slack)
        };
        let places: Vec<DataId> = accounts.iter().map(|account| system.data.push(place(account))).collect();
        let is_taken = |name: &str| self.system.classes.values().any(|class| class.name == name);
        let numbered = (2..).map(|number| format!("environment {number}"));
        let mut names = std::iter::once("environment".to_owned()).chain(numbered);
        let name = names.find(|name| !is_taken(name)).unwrap_or_default();
        let class = ClassId::new(system.classes.len());
        let state = system.states.push(State { class, name: "ready".into(), always_ready: false });
        system.classes.push(Class { name, instances: 1, initial: state });
        let sends = self.sent.iter().map(|message| (Direction::Send, *message));
        let takes = self.taken.iter().map(|message| (Direction::Receive, *message));
        for (direction, message) in sends.chain(takes) {
            let change = |(account, place): (&Account, &DataId)| {
                let change = match direction {
                    Direction::Send => -i64::from(*account.exchanged.sent.get(&message)?),
                    Direction::Receive => i64::from(*account.exchanged.taken.get(&message)?),
                };
                Some(DataChange { place: *place, change })
            };
            system.transitions.push(Transition {
                source: state,
                target: state,
                events: vec![Event { direction, message, count: 1 }],
                creates: Vec::new(),
                data: accounts.iter().zip(&places).filter_map(change).collect(),
                progress: false,
                origin: None,
            });
        }
        Closed { system, environment: class }
    }

    /// A contract with weights of 1. `None` if the system is not bounded even if the environment
    /// sends a limited number of messages in all, as far as the plain test can tell, or none is
    /// found in time.
    ///
    /// It limits as few kinds of messages as possible, and counts as many as possible as answers:
    /// none can be left out, or added, alone. One growth question for each kind that the
    /// environment may send or take. Types that their names do not tell apart are one kind.
    ///
    /// # Panics
    /// As [`check`].
    #[must_use]
    pub fn contract(&self, options: &Options) -> Option<Contract> {
        let quick = Options { one_bound: true, ..options.clone() };
        let is_bounded = |assumption: &Assumption| {
            check(&self.with_environment(std::slice::from_ref(assumption)), &quick).verdict.is_proved()
        };
        let all = |messages: &BTreeSet<MessageId>| messages.iter().map(|message| (*message, 1)).collect();
        let mut found = Assumption { sent: all(&self.sent), taken: all(&self.taken), slack: SLACK };
        if !is_bounded(&found) {
            found.taken.clear();
            if !is_bounded(&found) {
                return None;
            }
            for kind in kinds(self.system, &self.taken) {
                found.taken.extend(kind.messages.iter().map(|message| (*message, 1)));
                if !is_bounded(&found) {
                    found.taken.retain(|message, _| !kind.messages.contains(message));
                }
            }
        }
        for kind in kinds(self.system, &self.sent) {
            found.sent.retain(|message, _| !kind.messages.contains(message));
            if !is_bounded(&found) {
                found.sent.extend(kind.messages.iter().map(|message| (*message, 1)));
            }
        }
        let system = self.with_environment(std::slice::from_ref(&found));
        let outcome = check(&system, options);
        let claims = outcome.verdict.certificate()?.claims.iter().map(|claim| for_all(&system, claim));
        let claims: Option<Vec<Claim>> = claims.collect();
        let certificate = certify::check(&system, Certificate::new(&system, claims?)).ok()?;
        Some(Contract { assumption: found, system, certificate })
    }
}

/// The claim of a bound for each value of the parameter, which is the last data place.
fn for_all(system: &System, claim: &Claim) -> Option<Claim> {
    let claim = claim.bounded()?.clone();
    let weight = |weights: &BTreeMap<String, BigInt>, name: &str| -> BigInt {
        weights.get(name).cloned().unwrap_or_default()
    };
    let instances = system
        .classes
        .values()
        .map(|class| weight(&claim.states, &system.state_name(class.initial)) * u64::from(class.instances));
    let last = system.data.values().last()?;
    let others = system.data.values().take(system.data.len() - 1);
    let data = others.map(|place| weight(&claim.data, &place.name) * place.initial);
    let constant = instances.chain(data).sum();
    let slope = weight(&claim.data, &last.name);
    Some(Claim::Contract(ContractClaim { parameter: last.name.clone(), constant, slope, claim }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use cfsm_core::system::SystemBuilder;

    /// A front end that passes requests on to a worker without waiting for its answers.
    fn pipe() -> (System, BTreeSet<BufferId>) {
        let mut b = SystemBuilder::new("pipe");
        let [request, work, done, answer] =
            [("in", "req"), ("toW", "work"), ("fromW", "done"), ("out", "resp")]
                .map(|(buffer, message)| b.message(buffer, message));
        let open = ["in", "out"].map(|name| b.buffer(name));
        for buffer in open {
            b.declare(buffer, 0);
        }
        let mut front = b.class("Front", 1);
        front.receive("idle", request, "busy").send("busy", work, "idle");
        front.receive("idle", done, "ready").send("ready", answer, "idle");
        b.class("Worker", 1).receive("idle", work, "busy").send("busy", done, "idle");
        (b.build().expect("it is valid"), open.into())
    }

    #[test]
    fn a_window_bounds_a_pipe() {
        let (system, open) = pipe();
        let found = OpenSystem::new(&system, &open).contract(&Options::default()).expect("there is one");
        assert_eq!(found.inequality(), "in(req) - out(resp) <= k");
        let bounds: Vec<(&str, String)> =
            found.bounds().into_iter().map(|(name, claim)| (name, claim.bound())).collect();
        assert_eq!(bounds, [("fromW", "k".to_owned()), ("toW", "k".to_owned())]);
    }

    #[test]
    fn each_number_of_a_contract_matters() {
        let (system, open) = pipe();
        let found = OpenSystem::new(&system, &open).contract(&Options::default()).expect("there is one");
        let accepts = |claim: ContractClaim| {
            certify::check(&found.system, Certificate::new(&found.system, [Claim::Contract(claim)])).is_ok()
        };
        for claim in found.bounds().into_values() {
            assert!(accepts(claim.clone()));
            let slope = &claim.slope - 1;
            assert!(!accepts(ContractClaim { slope, ..claim.clone() }));
            let constant = &claim.constant - 1;
            assert!(!accepts(ContractClaim { constant, ..claim.clone() }));
            for name in claim.claim.messages.keys() {
                let mut lighter = claim.clone();
                *lighter.claim.messages.get_mut(name).expect("it is there") -= 1;
                assert!(!accepts(lighter), "{name}");
            }
        }
    }

    /// Messages that a system sends to itself over an open buffer are none of its environment's.
    #[test]
    fn what_is_sent_to_oneself_is_not_limited() {
        let mut b = SystemBuilder::new("echo");
        let (tick, log) = (b.message("in", "tick"), b.message("log", "entry"));
        let open = b.buffer("in");
        b.declare(open, 0);
        let mut echo = b.class("Echo", 1);
        echo.send("idle", tick, "sent").receive("sent", tick, "read").send("read", log, "idle");
        let system = b.build().expect("it is valid");
        let open = OpenSystem::new(&system, &[open].into());
        assert!(open.contract(&Options::default()).is_none());
        let none = Assumption { sent: [(tick, 1)].into(), taken: BTreeMap::new(), slack: 0 };
        let assumed = open.with_environment(&[none]);
        assert!(!check(&assumed, &Options::default()).verdict.is_proved());
    }

    #[test]
    fn a_system_that_floods_itself_has_none() {
        let mut b = SystemBuilder::new("flood");
        let (tick, log) = (b.message("in", "tick"), b.message("log", "entry"));
        let open = b.buffer("in");
        b.declare(open, 0);
        b.class("P", 1).receive("idle", tick, "idle").send("idle", log, "idle");
        let system = b.build().expect("it is valid");
        assert!(OpenSystem::new(&system, &[open].into()).contract(&Options::default()).is_none());
    }
}
