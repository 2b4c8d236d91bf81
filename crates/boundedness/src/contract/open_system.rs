//! Open systems, and environments that keep to assumptions.

use std::collections::{BTreeMap, BTreeSet};

use cfsm_core::ids::Id;
use cfsm_core::system::{
    BufferId, Class, ClassId, DataChange, DataId, DataPlace, Direction, Event, MessageId, State, System,
    Transition,
};

use super::kinds::{exchanged, kinds};

/// The initial slack with which the bounds of a contract are computed. Weights that are best for
/// some number of messages are good for all.
pub(super) const SLACK: u64 = 16;

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
            named
                .map(
                    |term| {
                        if term.weight == 1 { term.name } else { format!("{}*{}", term.weight, term.name) }
                    },
                )
                .collect()
        };
        let sent = terms(&self.sent, Direction::Receive);
        let sum = if sent.is_empty() { "0".to_owned() } else { sent.join(" + ") };
        terms(&self.taken, Direction::Send).iter().fold(sum, |sum, term| format!("{sum} - {term}"))
    }
}

/// A data place that counts messages exchanged with the environment.
#[derive(Clone, Debug)]
pub(super) struct Account {
    pub(super) name: String,
    pub(super) initial: u64,
    /// The price of each message that the system receives: what it takes from the account.
    pub(super) prices: BTreeMap<MessageId, i64>,
    /// The refund for each message that it sends: what it adds to the account.
    pub(super) refunds: BTreeMap<MessageId, i64>,
}

/// A name for a data place that no place of the system has: the given one, with as many primes as
/// it takes.
pub(super) fn unused(system: &System, mut name: String) -> String {
    while system.data.values().any(|place| place.name == name) {
        name.push('\'');
    }
    name
}

impl Account {
    /// The account that an environment with a balance keeps to an assumption.
    pub(super) fn of(assumption: &Assumption, system: &System) -> Self {
        let wide = |weights: &BTreeMap<MessageId, u32>| {
            weights.iter().map(|(message, weight)| (*message, i64::from(*weight))).collect()
        };
        Self {
            name: unused(system, format!("k - ({})", assumption.difference(system))),
            initial: assumption.slack,
            prices: wide(&assumption.sent),
            refunds: wide(&assumption.taken),
        }
    }
}

/// A system with its environment.
pub(super) struct Closed {
    pub(super) system: System,
    pub(super) environment: ClassId,
}

/// An open system: its transitions exchange messages with an environment that is no part of it.
#[derive(Clone, Debug)]
pub struct OpenSystem<'s> {
    pub(super) system: &'s System,
    /// The buffers that the environment uses.
    pub(super) buffers: BTreeSet<BufferId>,
    /// The types of messages that the environment may send.
    pub(super) sent: BTreeSet<MessageId>,
    /// The types of messages that it may take.
    pub(super) taken: BTreeSet<MessageId>,
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
        Self { system, buffers: open.clone(), sent: used(Direction::Receive), taken: used(Direction::Send) }
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
            let mut account = Account::of(assumption, self.system);
            // What the system may have sent itself is no message of the environment: not limited.
            account.prices.retain(|message, _| !self.taken.contains(message));
            account
        };
        let accounts: Vec<Account> = strictest.iter().map(place).collect();
        self.with_accounts(&accounts).system
    }

    /// The system with the most general environment, and a data place for each account: each
    /// message that the system receives takes from it, each that it sends adds to it.
    pub(super) fn with_accounts(&self, accounts: &[Account]) -> Closed {
        let mut system = self.system.clone();
        let place = |account: &Account| DataPlace {
            is_assumed: true,
            ..DataPlace::new(account.name.as_str(), account.initial)
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
                    Direction::Send => -*account.prices.get(&message)?,
                    Direction::Receive => *account.refunds.get(&message)?,
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
}
