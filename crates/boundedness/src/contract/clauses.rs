//! Clauses of an open system: inequalities between numbers of messages that hold in every
//! environment.

use std::collections::{BTreeMap, BTreeSet};

use certify::{BoundedClaim, Certificate, Claim, ContractClaim, InterfaceChannel};
use cfsm_core::ids::Id as _;
use cfsm_core::system::{
    Buffer, BufferId, BufferKind, ClassId, Direction, Event, MessageId, MessageType, System, TransitionId,
};
use ilp_encode::{Behaviour, Combination, Cone, Gain, Pool, Potential, Stopped, gain};
use num_bigint::BigInt;
use num_traits::{One, Signed, Zero};

use super::component::Component;
use super::generators::{Generators, primitive};
use super::open_system::{Account, Closed, OpenSystem, SLACK, unused};
use crate::{OfBuffer, Options, potential_of};

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
    /// The price of each message that the system may receive, then the refund for each that it may
    /// send.
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
    /// The potential that proves each clause, in the metered system.
    proved: BTreeMap<Candidate, Potential>,
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
    /// contradicts it is one more half-space. A refund may be negative in a ray, so that lower
    /// refunds, which follow from higher ones, are no rays of their own. One question of growth for
    /// each ray, of which there can be exponentially many in the number of messages of the
    /// interface; at most [`clauses`](Options::clauses) are looked at for a buffer.
    ///
    /// If a limit of the options is hit on the way, the clauses that have been found are those of
    /// the component, which is not complete then.
    ///
    /// # Errors
    /// [`Stopped`] if a limit of the options is hit before anything is known.
    ///
    /// # Panics
    /// If the system is not [valid](System::validate).
    pub fn component(&self, options: &Options) -> Result<Component, Stopped> {
        let mut clauses = Clauses { open: self, options, flows: Vec::new(), proved: BTreeMap::new() };
        let queues = self.system.buffers.iter().filter(|(_, buffer)| buffer.kind == BufferKind::Queue);
        let targets = std::iter::once(None).chain(queues.map(|(id, _)| Some(id)));
        let mut is_complete = true;
        for target in targets {
            match clauses.find(target) {
                Ok(is_found) => is_complete &= is_found,
                Err(stopped) if clauses.proved.is_empty() => return Err(stopped),
                Err(_) => {
                    is_complete = false;
                    break;
                }
            }
        }
        Ok(clauses.component(is_complete))
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
        let received = self.open.sent.iter().map(|_| false);
        let sent = self.open.taken.iter().map(|_| true);
        let is_free: Vec<bool> = received.chain(sent).chain(target.map(|_| false)).collect();
        let mut cone = Generators::new(&is_free);
        for flow in &self.flows {
            cone.cut(&flow.coefficients(target));
        }
        'again: loop {
            if cone.len() > self.options.clauses {
                return Ok(false);
            }
            let candidates: Vec<Candidate> =
                cone.points().map(|point| self.candidate(&point, target)).collect();
            for candidate in candidates {
                if candidate.is_trivial(self.open.sent.len()) || self.proved.contains_key(&candidate) {
                    continue;
                }
                let Some(metered) = self.metered(&candidate) else { return Ok(false) };
                let cone_of_system =
                    Cone::new(&metered.system, &OfBuffer(metered.meter), &self.options.questions)?;
                match gain(&cone_of_system, &mut Pool::default(), &self.options.questions)? {
                    Gain::Never(potential) => {
                        self.proved.insert(candidate, potential);
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

    /// The account of these prices; `None` if they are too large.
    fn account(&self, prices: &[BigInt]) -> Option<Account> {
        let (received, sent) = prices.split_at(self.open.sent.len());
        let of = |messages: &BTreeSet<MessageId>, prices: &[BigInt]| -> Option<BTreeMap<MessageId, i64>> {
            let priced = messages.iter().zip(prices).filter(|(_, price)| !price.is_zero());
            priced.map(|(message, price)| Some((*message, i64::from(i32::try_from(price).ok()?)))).collect()
        };
        let (prices, refunds) = (of(&self.open.sent, received)?, of(&self.open.taken, sent)?);
        let term = |sign: char, number: i64, message: MessageId| {
            let name = self.open.system.message_name(message);
            if number == 1 { format!("{sign} {name}") } else { format!("{sign} {number}*{name}") }
        };
        let received = prices.iter().map(|(message, price)| term('-', *price, *message));
        let sent = refunds
            .iter()
            .map(|(message, refund)| term(if *refund < 0 { '-' } else { '+' }, refund.abs(), *message));
        let name = std::iter::once("k".to_owned()).chain(received).chain(sent);
        let name = unused(self.open.system, name.collect::<Vec<_>>().join(" "));
        Some(Account { name, initial: SLACK, prices, refunds })
    }

    /// The system with a queue that has, in each run, as many messages as the candidate says that
    /// there are at most constantly many of.
    fn metered(&self, candidate: &Candidate) -> Option<Metered> {
        let Account { prices, refunds, .. } = self.account(&candidate.prices)?;
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
                let change = match event.direction {
                    Direction::Send if is_outside => -prices.get(&event.message)?,
                    Direction::Receive if is_outside => *refunds.get(&event.message)?,
                    _ if candidate.target != Some(buffer) => return None,
                    Direction::Send => i64::from(weight),
                    Direction::Receive => -i64::from(weight),
                };
                let direction = if change > 0 { Direction::Send } else { Direction::Receive };
                let count =
                    u32::try_from(change.unsigned_abs()).ok().and_then(|one| one.checked_mul(event.count));
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
    fn component(self, is_complete: bool) -> Component {
        let prices = |candidate: &Candidate| primitive(candidate.prices.clone());
        let accounts: BTreeMap<Vec<BigInt>, Account> = self
            .proved
            .keys()
            .filter_map(|candidate| Some((prices(candidate), self.account(&prices(candidate))?)))
            .collect();
        let all: Vec<Account> = accounts.values().cloned().collect();
        let closed = self.open.with_accounts(&all);
        let claims = self.proved.iter().filter_map(|(candidate, potential)| {
            let account = accounts.get(&prices(candidate))?;
            self.claim(&closed.system, candidate, &account.name, potential)
        });
        let certificate = Certificate::new(&closed.system, claims);
        let certificate = certificate.bound_to(&closed.system, []);
        let Closed { system, environment } = closed;
        let certificate = certify::check(&system, certificate).expect("each claim has been checked");
        let (open, internal): (Vec<_>, Vec<_>) =
            system.buffers.iter().partition(|(id, _)| self.open.buffers.contains(id));
        let name = |(_, buffer): (BufferId, &Buffer)| buffer.name.clone();
        let channel = |entry| InterfaceChannel { name: name(entry), form: String::new() };
        let interface = open.into_iter().map(channel).collect();
        let internal = internal.into_iter().map(name).collect();
        Component { system, environment, certificate, is_complete, interface, internal }
    }

    /// The claim of a candidate about the system with its accounts, with the least constant that
    /// is found in time; `None` if the kernel rejects it, which is not expected.
    fn claim(
        &self,
        system: &System,
        candidate: &Candidate,
        parameter: &str,
        potential: &Potential,
    ) -> Option<Claim> {
        let metered = self.metered(candidate)?;
        let best = potential_of(&metered.system, metered.meter, self.options);
        let potential = best.as_ref().unwrap_or(potential);
        let claim = Claim::Contract(self.contract_claim(system, candidate, parameter, &metered, potential));
        let is_accepted = certify::check(system, Certificate::new(system, [claim.clone()])).is_ok();
        is_accepted.then_some(claim)
    }

    /// The potential with the least constant, if it is found in time.
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
    /// Returns `true` if it only says that messages are received and sent no less than never.
    fn is_trivial(&self, received: usize) -> bool {
        self.weight.is_zero() && self.prices[received..].iter().all(|refund| !refund.is_positive())
    }
}
