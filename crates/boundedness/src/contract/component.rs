//! Components: open systems with what is proved about them in every environment.

use std::collections::{BTreeMap, BTreeSet};

use certify::{
    CONTRACT_SCHEMA, Certificate, Checked, Claim, ContractClaim, ContractFile, InterfaceChannel, Rejection,
};
use cfsm_core::system::{BufferId, ClassId, DataId, Direction, MessageId, System, Transition};
use num_bigint::BigInt;
use num_traits::{One, Signed, Zero};
use thiserror::Error;

use super::kinds::type_name;

/// An open system with its clauses, each of them proved.
#[derive(Clone, Debug)]
pub struct Component {
    /// The system with its most general environment, and a data place for each kind of prices.
    pub(super) system: System,
    /// The class that is the environment.
    pub(super) environment: ClassId,
    /// A [contract claim](ContractClaim) for each clause.
    pub(super) certificate: Checked<Certificate>,
    pub(super) is_complete: bool,
    pub(super) interface: BTreeSet<InterfaceChannel>,
    pub(super) internal: BTreeSet<String>,
}

/// A component under a name.
#[derive(Clone, Debug)]
pub struct Part {
    /// Its name, by which its buffers are told apart from those of others. Unique.
    pub name: String,
    /// The component.
    pub component: Component,
}

/// An inequality between numbers of messages that holds at any time of any run, in every
/// environment: `denominator·messages in buffers ≤ constant + Σ prices·received − Σ refunds·sent`.
#[derive(Clone, Debug)]
pub struct Clause<'c> {
    /// The claim that says so.
    pub claim: &'c ContractClaim,
    /// The price of each message that the component receives. Who is missing costs nothing.
    pub prices: BTreeMap<MessageId, BigInt>,
    /// The refund for each message that it sends, negative if it costs something. Who is missing
    /// refunds nothing.
    pub refunds: BTreeMap<MessageId, BigInt>,
}

/// A reason for which a file is not that of a component.
#[derive(Clone, Debug, Error)]
#[non_exhaustive]
pub enum ComponentError {
    /// The kernel does not accept the certificate.
    #[error("the certificate is rejected: {0}")]
    Rejected(#[from] Rejection),
    /// A claim is none of a clause.
    #[error("claim {number} is no clause: it rests on an assumption that is not its parameter")]
    NoClause {
        /// Its number, counted from 1.
        number: usize,
    },
    /// The class that should be the environment is none.
    #[error("`{name}` is not the environment of the system: {why}")]
    Environment {
        /// Its name.
        name: String,
        /// The reason.
        why: &'static str,
    },
}

impl Component {
    /// The component in a file, checked by the kernel.
    ///
    /// # Errors
    /// [`ComponentError`] if a claim is not proved, or the system is not one with an environment.
    pub fn from_file(file: ContractFile) -> Result<Self, ComponentError> {
        let ContractFile { environment, is_complete, interface, internal, system, certificate, .. } = file;
        let certificate = certify::check(&system, certificate)?;
        for (number, claim) in (1..).zip(&certificate.claims) {
            if !is_clause(&system, claim) {
                return Err(ComponentError::NoClause { number });
            }
        }
        let class = system.classes.iter().find(|(_, class)| class.name == environment);
        let wrong = |why| ComponentError::Environment { name: environment.clone(), why };
        let class = class.ok_or_else(|| wrong("there is no such class"))?.0;
        let (interface, internal) = (interface.into_iter().collect(), internal.into_iter().collect());
        let found = Self { system, environment: class, certificate, is_complete, interface, internal };
        found.environment_is_general().map_err(wrong)?;
        Ok(found)
    }

    /// The component as a file.
    #[must_use]
    pub fn file(&self) -> ContractFile {
        ContractFile {
            schema: CONTRACT_SCHEMA.into(),
            environment: self.system.classes[self.environment].name.clone(),
            is_complete: self.is_complete,
            interface: self.interface.iter().cloned().collect(),
            internal: self.internal.iter().cloned().collect(),
            system: self.system.clone(),
            certificate: self.certificate.clone().into_inner(),
        }
    }

    /// The channels that others use.
    #[must_use]
    pub const fn interface(&self) -> &BTreeSet<InterfaceChannel> {
        &self.interface
    }

    /// The same component, with this interface and these names that are none of it. A system knows
    /// the names of its buffers only; who made it from something else knows more.
    #[must_use]
    pub fn with_interface(
        self,
        interface: impl IntoIterator<Item = InterfaceChannel>,
        internal: impl IntoIterator<Item = String>,
    ) -> Self {
        let (interface, internal) = (interface.into_iter().collect(), internal.into_iter().collect());
        Self { interface, internal, ..self }
    }

    /// The system with its environment.
    #[must_use]
    pub const fn system(&self) -> &System {
        &self.system
    }

    /// `true` if all that the plain test can tell follows from the clauses.
    #[must_use]
    pub const fn is_complete(&self) -> bool {
        self.is_complete
    }

    /// The buffers that the environment uses.
    #[must_use]
    pub fn open_buffers(&self) -> BTreeSet<BufferId> {
        let events = self.outside().flat_map(|transition| &transition.events);
        events.map(|event| self.system.messages[event.message].buffer).collect()
    }

    /// The clauses.
    #[must_use]
    pub fn clauses(&self) -> Vec<Clause<'_>> {
        let claims = self.certificate.claims.iter().filter_map(|claim| match claim {
            Claim::Contract(claim) => Some(claim),
            _ => None,
        });
        claims.map(|claim| self.clause(claim)).collect()
    }

    fn clause<'c>(&'c self, claim: &'c ContractClaim) -> Clause<'c> {
        let place = self.system.data.iter().find(|(_, place)| place.name == claim.parameter);
        let weight = claim.claim.data.get(&claim.parameter).cloned().unwrap_or_default();
        let (mut prices, mut refunds) = (BTreeMap::new(), BTreeMap::new());
        for transition in self.outside() {
            let changes =
                transition.data.iter().filter(|change| Some(change.place) == place.map(|(id, _)| id));
            let change: i64 = changes.map(|change| change.change).sum();
            for event in &transition.events {
                match event.direction {
                    Direction::Send => prices.insert(event.message, -&weight * change),
                    Direction::Receive => refunds.insert(event.message, &weight * change),
                };
            }
        }
        prices.retain(|_, price| !price.is_zero());
        refunds.retain(|_, refund| !refund.is_zero());
        Clause { claim, prices, refunds }
    }

    /// The transitions of the environment.
    pub(super) fn outside(&self) -> impl Iterator<Item = &Transition> {
        let of_environment =
            |transition: &&Transition| self.system.states[transition.source].class == self.environment;
        self.system.transitions.values().filter(of_environment)
    }

    /// The data places that count what is exchanged with the environment: the parameters of claims.
    pub(super) fn accounts(&self) -> BTreeSet<DataId> {
        let names: BTreeSet<&str> =
            self.clauses().iter().map(|clause| clause.claim.parameter.as_str()).collect();
        let places = self.system.data.iter().filter(|(_, place)| names.contains(place.name.as_str()));
        places.map(|(id, _)| id).collect()
    }

    /// Checks that any environment is one of the class: it has one state, from which it exchanges
    /// any message of open channels, one at a time; that only it counts them; and that none of them
    /// has a queue.
    fn environment_is_general(&self) -> Result<(), &'static str> {
        let system = &self.system;
        let states = system.states.values().filter(|state| state.class == self.environment).count();
        if states != 1 || system.classes[self.environment].instances != 1 {
            return Err("it has more than one instance or state");
        }
        let (open, accounts) = (self.open_buffers(), self.accounts());
        if open.iter().any(|buffer| system.messages_of(*buffer).any(|message| !system.is_rendezvous(message)))
        {
            return Err("a channel that it uses is a queue");
        }
        let names = |channel: &str, buffer: &str| {
            buffer.strip_prefix(channel).is_some_and(|rest| rest.is_empty() || rest.starts_with('['))
        };
        let is_listed = |buffer: &BufferId| {
            let buffer = &system.buffers[*buffer].name;
            self.interface.iter().filter(|channel| names(&channel.name, buffer)).count() == 1
        };
        if !open.iter().all(is_listed) {
            return Err("a channel that it uses is not in the interface once");
        }
        let mut exchanged = BTreeSet::new();
        for transition in self.outside() {
            let [event] = transition.events.as_slice() else {
                return Err("a transition of it is not about one message");
            };
            if event.count != 1 || !exchanged.insert((event.message, event.direction)) {
                return Err("a message is not exchanged by one transition, one at a time");
            }
            if !transition.creates.is_empty() {
                return Err("it creates processes");
            }
            if transition.data.iter().any(|change| !accounts.contains(&change.place)) {
                return Err("it changes a data place of the component");
            }
        }
        let is_inside = |id| system.class_of(id) != self.environment;
        for (_, transition) in system.transitions.iter().filter(|(id, _)| is_inside(*id)) {
            if transition.data.iter().any(|change| accounts.contains(&change.place)) {
                return Err("the component changes a data place that counts messages exchanged with it");
            }
            if transition.creates.contains(&self.environment) {
                return Err("it is created");
            }
            let opposite = |direction| match direction {
                Direction::Send => Direction::Receive,
                Direction::Receive => Direction::Send,
            };
            let mut outward = transition
                .events
                .iter()
                .filter(|event| open.contains(&system.messages[event.message].buffer));
            if outward.any(|event| !exchanged.contains(&(event.message, opposite(event.direction)))) {
                return Err("it does not exchange all messages of its channels");
            }
        }
        Ok(())
    }
}

/// Returns `true` if a claim is one for each value of its parameter, and rests on no other
/// assumption.
fn is_clause(system: &System, claim: &Claim) -> bool {
    let Claim::Contract(ContractClaim { parameter, claim, .. }) = claim else { return false };
    let assumed = system.data.values().filter(|place| place.is_assumed && place.name != *parameter);
    assumed.into_iter().all(|place| claim.data.get(&place.name).is_none_or(Zero::is_zero))
}

impl Clause<'_> {
    /// The clause as an inequality: `2*jobs <= 3 + in(req) - out(resp)`.
    #[must_use]
    pub fn inequality(&self, system: &System) -> String {
        let ContractClaim { constant, claim, .. } = self.claim;
        let term = |factor: &BigInt, name: String| {
            if factor.is_one() { name } else { format!("{factor}*{name}") }
        };
        let held = claim.buffers.iter().map(|name| term(&claim.denominator, name.clone()));
        let named = |of: &BTreeMap<MessageId, BigInt>| -> Vec<String> {
            of.iter().map(|(message, factor)| term(factor, type_name(system, *message))).collect()
        };
        let mut more = named(&self.prices);
        // Who has a negative refund pays.
        let (given, paid): (BTreeMap<_, _>, BTreeMap<_, _>) = self
            .refunds
            .iter()
            .map(|(id, refund)| (*id, refund.clone()))
            .partition(|(_, refund)| refund.is_positive());
        more.extend(named(&paid.into_iter().map(|(id, refund)| (id, -refund)).collect()));
        let sent = named(&given);
        if !constant.is_zero() || more.is_empty() {
            more.insert(0, constant.to_string());
        }
        let held: Vec<String> = held.collect();
        // Without a buffer it says how much is sent.
        let (less, taken) = if held.is_empty() { (sent, Vec::new()) } else { (held, sent) };
        let taken: String = taken.iter().map(|term| format!(" - {term}")).collect();
        format!("{} <= {}{taken}", less.join(" + "), more.join(" + "))
    }
}
