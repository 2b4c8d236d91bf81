//! All that is known about an open system, whatever its environment does: inequalities between
//! numbers of messages.

use std::collections::{BTreeMap, BTreeSet};

use certify::{BoundedClaim, Certificate, Claim, ContractClaim};
use cfsm_core::ids::Id as _;
use cfsm_core::system::{
    Buffer, BufferId, BufferKind, ClassId, Direction, Event, MessageId, MessageType, System, TransitionId,
};
use ilp_encode::{Behaviour, Combination, Cone, Gain, Pool, Potential, Stopped, gain, growth};
use num_bigint::BigInt;
use num_traits::{One, Zero};

use super::component::Component;
use super::generators::{Generators, primitive};
use super::open_system::{Account, Assumption, Closed, OpenSystem, SLACK};
use crate::{OfBuffer, Options, potentials};

/// A flow that can be repeated for ever: what one repetition exchanges with the environment, and
/// what it leaves in buffers.
struct Flow {
    /// The coefficient of each price: a repetition pays `received·prices − sent·refunds`, which
    /// must be no less than what it leaves. So `-received` for messages that the system receives,
    /// `sent` for those that it sends.
    exchanged: Vec<BigInt>,
    /// Messages that are left, by buffer.
    left: BTreeMap<BufferId, BigInt>,
}

/// A candidate: prices of messages, and the buffer whose messages weigh something.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Candidate {
    /// One for each message that the system may receive, then one for each that it may send.
    prices: Vec<BigInt>,
    target: Option<BufferId>,
    /// The weight of messages in the target.
    weight: BigInt,
}

/// The search for the clauses of one open system.
struct Clauses<'o, 's> {
    open: &'o OpenSystem<'s>,
    options: &'o Options,
    flows: Vec<Flow>,
    proved: BTreeSet<Candidate>,
}

/// A potential over a system with a meter.
struct Metered {
    system: System,
    meter: BufferId,
}

impl OpenSystem<'_> {
    /// All inequalities between numbers of messages that hold in every environment, as far as the
    /// plain test can tell: those of which all others are sums (theory of closing, Theorems 3 and
    /// 4).
    ///
    /// For each buffer b these are the extreme rays of the cone of prices γ of what is received,
    /// refunds δ of what is sent, and weights s with `s·|b| ≤ c + γ·received − δ·sent`. It is found
    /// from outside: each ray of the cone known so far is put to the plain test, and a flow that
    /// contradicts it is one more half-space. One question of growth for each ray, of which there
    /// can be exponentially many in the number of messages of the interface; at most
    /// [`clauses`](Options::clauses) are looked at for a buffer.
    ///
    /// # Errors
    /// [`Stopped`] if a limit of the options is hit before anything is known.
    ///
    /// # Panics
    /// If the system is not [valid](System::validate).
    pub fn component(&self, options: &Options) -> Result<Component, Stopped> {
        let mut clauses = Clauses { open: self, options, flows: Vec::new(), proved: BTreeSet::new() };
        let queues = self.system.buffers.iter().filter(|(_, buffer)| buffer.kind == BufferKind::Queue);
        let targets = std::iter::once(None).chain(queues.map(|(id, _)| Some(id)));
        let mut is_complete = true;
        for target in targets {
            is_complete &= clauses.find(target)?;
        }
        clauses.component(is_complete)
    }
}

impl Clauses<'_, '_> {
    /// Number of messages of the interface; those that are both received and sent count twice.
    fn width(&self) -> usize {
        self.open.sent.len() + self.open.taken.len()
    }

    /// Finds the clauses of a target, or those about no buffer. Returns `false` if there are too
    /// many rays.
    fn find(&mut self, target: Option<BufferId>) -> Result<bool, Stopped> {
        let mut cone = Generators::of_orthant(self.width() + usize::from(target.is_some()));
        for flow in &self.flows {
            cone.cut(&flow.coefficients(target));
        }
        'again: loop {
            if cone.len() > self.options.clauses {
                return Ok(false);
            }
            let candidates: Vec<Candidate> =
                cone.points().map(|point| self.candidate(point, target)).collect();
            for candidate in candidates {
                if candidate.is_trivial(self.open.sent.len()) || self.proved.contains(&candidate) {
                    continue;
                }
                let Some(metered) = self.metered(&candidate) else { return Ok(false) };
                let cone_of_system =
                    Cone::new(&metered.system, &OfBuffer(metered.meter), &self.options.questions)?;
                match gain(&cone_of_system, &mut Pool::default(), &self.options.questions)? {
                    Gain::Never(_) => {
                        self.proved.insert(candidate);
                    }
                    Gain::Possible(combination) => {
                        let flow = self.flow(&metered.system, &combination);
                        cone.cut(&flow.coefficients(target));
                        self.flows.push(flow);
                        continue 'again;
                    }
                }
            }
            return Ok(true);
        }
    }

    fn candidate(&self, point: &[BigInt], target: Option<BufferId>) -> Candidate {
        let (prices, weight) = point.split_at(self.width());
        let weight = weight.first().cloned().unwrap_or_default();
        // Without a weight it is a clause about no buffer.
        let target = target.filter(|_| !weight.is_zero());
        Candidate { prices: prices.to_vec(), target, weight }
    }

    /// The prices as numbers of messages; `None` if they are too large.
    fn exchanged(&self, prices: &[BigInt]) -> Option<Assumption> {
        let (received, sent) = prices.split_at(self.open.sent.len());
        let of = |messages: &BTreeSet<MessageId>, prices: &[BigInt]| {
            let priced = messages.iter().zip(prices).filter(|(_, price)| !price.is_zero());
            priced.map(|(message, price)| Some((*message, u32::try_from(price).ok()?))).collect::<Option<_>>()
        };
        Some(Assumption {
            sent: of(&self.open.sent, received)?,
            taken: of(&self.open.taken, sent)?,
            slack: SLACK,
        })
    }

    /// The system with a queue that has, in each run, as many messages as the candidate says that
    /// there are at most constantly many of.
    fn metered(&self, candidate: &Candidate) -> Option<Metered> {
        let exchanged = self.exchanged(&candidate.prices)?;
        let weight = u32::try_from(&candidate.weight).ok()?;
        let Closed { mut system, environment } = self.open.with_accounts(&[]);
        system.order = None;
        let meter = system.buffers.push(Buffer {
            name: "meter".into(),
            kind: BufferKind::Queue,
            declared: None,
            in_order: false,
        });
        let token = system.messages.push(MessageType { buffer: meter, name: String::new() });
        let ids: Vec<TransitionId> = system.transitions.ids().collect();
        for id in ids {
            let is_outside = system.class_of(id) == environment;
            let metered = |event: &Event| {
                let buffer = system.messages[event.message].buffer;
                let (direction, price) = match event.direction {
                    Direction::Send if is_outside => (Direction::Receive, exchanged.sent.get(&event.message)),
                    Direction::Receive if is_outside => {
                        (Direction::Send, exchanged.taken.get(&event.message))
                    }
                    direction => (direction, (candidate.target == Some(buffer)).then_some(&weight)),
                };
                let count = price?.checked_mul(event.count);
                Some(count.map(|count| Event { direction, message: token, count }))
            };
            let events =
                system.transitions[id].events.iter().filter_map(metered).collect::<Option<Vec<_>>>()?;
            system.transitions[id].events.extend(events);
        }
        Some(Metered { system, meter })
    }

    fn flow(&self, system: &System, combination: &Combination) -> Flow {
        let mut received: BTreeMap<MessageId, BigInt> = BTreeMap::new();
        let mut sent = received.clone();
        let mut left: BTreeMap<BufferId, BigInt> = BTreeMap::new();
        let outside = ClassId::new(self.open.system.classes.len());
        for (behaviour, times) in &combination.parts {
            let (Behaviour::Cycle(transitions) | Behaviour::Path(_, transitions)) = behaviour;
            for id in transitions {
                let is_outside = system.class_of(*id) == outside;
                for event in &system.transitions[*id].events {
                    let buffer = system.messages[event.message].buffer;
                    let number = times * event.count;
                    match event.direction {
                        Direction::Send if is_outside => {
                            *received.entry(event.message).or_default() += number
                        }
                        Direction::Receive if is_outside => *sent.entry(event.message).or_default() += number,
                        Direction::Send => *left.entry(buffer).or_default() += number,
                        Direction::Receive => *left.entry(buffer).or_default() -= number,
                    }
                }
            }
        }
        let number = |of: &BTreeMap<MessageId, BigInt>, message| of.get(message).cloned().unwrap_or_default();
        let costs = self.open.sent.iter().map(|message| -number(&received, message));
        let gains = self.open.taken.iter().map(|message| number(&sent, message));
        Flow { exchanged: costs.chain(gains).collect(), left }
    }

    /// The component, with a claim for each clause.
    fn component(self, is_complete: bool) -> Result<Component, Stopped> {
        let mut accounts: BTreeMap<Vec<BigInt>, Account> = BTreeMap::new();
        for candidate in &self.proved {
            let prices = primitive(candidate.prices.clone());
            let Some(exchanged) = self.exchanged(&prices) else { continue };
            let name = format!("k - ({})", exchanged.difference(self.open.system));
            accounts.insert(prices, Account { name, exchanged });
        }
        let names: BTreeMap<Vec<BigInt>, String> =
            accounts.iter().map(|(prices, account)| (prices.clone(), account.name.clone())).collect();
        let accounts: Vec<Account> = accounts.into_values().collect();
        let closed = self.open.with_accounts(&accounts);
        let mut claims = Vec::new();
        for candidate in &self.proved {
            if let Some(parameter) = names.get(&primitive(candidate.prices.clone())) {
                claims.extend(self.claim(&closed.system, candidate, parameter)?);
            }
        }
        let certificate = Certificate::new(&closed.system, claims);
        let certificate = certificate.bound_to(&closed.system, []);
        let Closed { system, environment } = closed;
        let certificate = certify::check(&system, certificate).expect("each claim has been checked");
        Ok(Component { system, environment, certificate, is_complete })
    }

    /// The claim of a candidate about the system with its accounts, with the least constant that
    /// is found; `None` if the kernel rejects it, which is not expected.
    fn claim(
        &self,
        system: &System,
        candidate: &Candidate,
        parameter: &str,
    ) -> Result<Option<Claim>, Stopped> {
        let Some(metered) = self.metered(candidate) else { return Ok(None) };
        let questions = &self.options.questions;
        let cone = Cone::new(&metered.system, &OfBuffer(metered.meter), questions)?;
        let growth = growth(&cone, &mut Pool::default(), questions)?;
        if !growth.growing.is_empty() {
            return Ok(None);
        }
        let mut found = potentials(&cone, &growth, &[metered.meter], self.options);
        let best = found.of.pop().and_then(Result::ok).flatten();
        let potential = best.map_or(&growth.potential, |number| &found.potentials[number]);
        let claim = Claim::Contract(self.contract_claim(system, candidate, parameter, &metered, potential));
        let is_accepted = certify::check(system, Certificate::new(system, [claim.clone()])).is_ok();
        Ok(is_accepted.then_some(claim))
    }

    fn contract_claim(
        &self,
        system: &System,
        candidate: &Candidate,
        parameter: &str,
        metered: &Metered,
        potential: &Potential,
    ) -> ContractClaim {
        let is_token = |message: MessageId| metered.system.messages[message].buffer == metered.meter;
        let token = potential.messages.iter().find(|(message, _)| is_token(*message));
        let token = token.map(|(_, weight)| weight.clone()).unwrap_or_default();
        let mut messages: BTreeMap<MessageId, BigInt> =
            potential.messages.iter().filter(|(message, _)| !is_token(*message)).cloned().collect();
        let claimed = candidate.target.iter().flat_map(|buffer| system.messages_of(*buffer));
        for message in claimed {
            *messages.entry(message).or_default() += &token * &candidate.weight;
        }
        // One message of the account's price is so many of the candidate's.
        let whole = primitive(candidate.prices.clone());
        let ratio = candidate.prices.iter().zip(&whole).find(|(_, whole)| !whole.is_zero());
        let slope = ratio.map_or_else(BigInt::zero, |(price, whole)| &token * (price / whole));
        let place = system.data.iter().find(|(_, place)| place.name == parameter).map(|(id, _)| id);
        let data = potential.data.iter().cloned().chain(place.map(|place| (place, slope.clone())));
        let k = BigInt::from(SLACK);
        let denominator = if candidate.target.is_some() { &token * &candidate.weight } else { BigInt::one() };
        let initial = &potential.initial + &slope * k;
        let bound = num_integer::Integer::div_floor(&initial, &denominator);
        let claim = BoundedClaim::new(
            system,
            candidate.target,
            bound,
            denominator,
            messages,
            potential.states.iter().cloned(),
        );
        ContractClaim {
            parameter: parameter.to_owned(),
            constant: potential.initial.clone(),
            slope,
            claim: claim.with_data(system, data),
        }
    }
}

impl Flow {
    /// The half-space of the prices, and the weight of the target if there is one, that this flow
    /// does not contradict.
    fn coefficients(&self, target: Option<BufferId>) -> Vec<BigInt> {
        let left = target.map(|target| self.left.get(&target).cloned().unwrap_or_default());
        self.exchanged.iter().cloned().chain(left).collect()
    }
}

impl Candidate {
    /// Returns `true` if it only says that messages are received no less than never.
    fn is_trivial(&self, received: usize) -> bool {
        self.weight.is_zero() && self.prices[received..].iter().all(Zero::is_zero)
    }
}
