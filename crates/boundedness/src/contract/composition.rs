//! Systems of components, proved from what is known of the parts alone.

use std::collections::{BTreeMap, BTreeSet};

use certify::{BoundedClaim, Certificate, Checked, Claim, ContractClaim, Rejection, Trusted};
use cfsm_core::system::{BufferId, BufferKind, DataId, MessageId, StateId, System};
use ilp_encode::linear::{Constraint, Domain, LinearProgramme, Maximum, Relation};
use num_bigint::BigInt;
use num_integer::Integer;
use num_rational::BigRational;
use num_traits::{One, Signed, Zero};
use thiserror::Error;

use super::component::{Clause, Part};
use super::joint::{Joint, Outer};
use super::kinds::kinds;
use super::open_system::{Account, Assumption, OpenSystem, SLACK};

/// A system of components whose open channels of the same name are one channel. A channel to which
/// some part sends, and from which some part receives, is a queue of unlimited length that nobody
/// else uses; others are open still.
#[derive(Clone, Debug)]
pub struct Composition {
    /// The system of all parts with an environment for the channels that are open.
    pub system: System,
    /// The channels that are open still.
    pub open: BTreeSet<BufferId>,
    /// The proofs: a claim for each buffer about which something is known.
    pub certificate: Checked<Certificate>,
    /// Results by buffer, those of channels between parts first.
    pub buffers: Vec<ComposedBuffer>,
    /// `true` if the clauses of all parts are
    /// [all that can be told](crate::Component::is_complete).
    pub is_complete: bool,
}

/// A buffer of a composition, with what is known of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ComposedBuffer {
    /// Its name in the system: that of a channel, or that of its part, a dot, and its own.
    pub name: String,
    /// The declared capacity, if there is one.
    pub declared: Option<u32>,
    /// The result.
    pub result: Composed,
}

/// A result about one buffer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Composed {
    /// It holds at most so many messages in every environment.
    Bounded {
        /// The number.
        bound: BigInt,
    },
    /// It holds at most so many in environments that keep to an assumption.
    Assuming {
        /// The assumption: `in(req) - out(resp) <= k`, at any time.
        assumption: String,
        /// The bound, with `k` for the parameter.
        bound: String,
    },
    /// No clauses of the parts bound it.
    Unknown,
}

/// A reason for which there is no composition.
#[derive(Clone, Debug, Error)]
#[non_exhaustive]
pub enum ComposeError {
    /// Two parts have the same name.
    #[error("two parts are called `{name}`: give them names of their own")]
    SameName {
        /// The name.
        name: String,
    },
    /// Two parts do not mean the same channel.
    #[error(
        "`{channel}` of `{first}` is not that of `{second}`: {first_form} there, {second_form} here; \
         declare channels and symbols alike in all parts"
    )]
    Form {
        /// The channel.
        channel: String,
        /// A part that uses it.
        first: String,
        /// Its form there.
        first_form: String,
        /// Another part that does.
        second: String,
        /// Its form there.
        second_form: String,
    },
    /// A channel is open in one part, and in another it is not.
    #[error("`{channel}` is open in `{open}`, and not in `{closed}`: open it there, or give it another name")]
    NotOpen {
        /// The channel.
        channel: String,
        /// The part in which it is open.
        open: String,
        /// The other part.
        closed: String,
    },
    /// The kernel rejects what was put together, which is a bug.
    #[error("the kernel rejects the composition, which is a bug: {0}")]
    Rejected(#[from] Rejection),
}

/// Composes components: finds, for each buffer, a sum of clauses of the parts that bounds it, and
/// has the kernel check it for the system of all parts.
///
/// One linear programme for each buffer, with a column for each clause and a row for each pair of
/// messages that one part sends and another receives: who sends it must refund no less than who
/// receives it pays (theory of closing, Theorem 4). It is solved exactly.
///
/// # Errors
/// [`ComposeError`].
pub fn compose(parts: &[Part]) -> Result<Composition, ComposeError> {
    let mut names = BTreeSet::new();
    if let Some(part) = parts.iter().find(|part| !names.insert(part.name.as_str())) {
        return Err(ComposeError::SameName { name: part.name.clone() });
    }
    interfaces_agree(parts)?;
    let terms = parts.iter().enumerate().flat_map(|(part, found)| {
        found.component.clauses().into_iter().map(move |clause| Term { part, clause })
    });
    let composer = Composer { parts, joint: Joint::of(parts), terms: terms.collect() };
    composer.composition()
}

/// Checks that parts mean the same by each channel that they share.
fn interfaces_agree(parts: &[Part]) -> Result<(), ComposeError> {
    for (number, first) in parts.iter().enumerate() {
        for second in &parts[number + 1..] {
            for channel in &first.component.interface {
                let same = second.component.interface.iter().find(|other| other.name == channel.name);
                if let Some(other) = same.filter(|other| other.form != channel.form) {
                    return Err(ComposeError::Form {
                        channel: channel.name.clone(),
                        first: first.name.clone(),
                        first_form: channel.form.clone(),
                        second: second.name.clone(),
                        second_form: other.form.clone(),
                    });
                }
            }
        }
        for other in parts {
            let names = first.component.interface.iter().map(|channel| &channel.name);
            if let Some(channel) = names.into_iter().find(|name| other.component.internal.contains(*name)) {
                return Err(ComposeError::NotOpen {
                    channel: channel.clone(),
                    open: first.name.clone(),
                    closed: other.name.clone(),
                });
            }
        }
    }
    Ok(())
}

/// A clause of a part.
struct Term<'p> {
    part: usize,
    clause: Clause<'p>,
}

/// A sum of clauses that bounds a buffer.
struct Sum {
    target: BufferId,
    /// The factor of each clause.
    times: Vec<BigInt>,
    /// The weight of one message of the target.
    denominator: BigInt,
    /// The constants.
    constant: BigInt,
    /// The prices that the environment pays, and the refunds that it gets, without a common factor;
    /// `None` if it pays nothing.
    exchanged: Option<Exchanged>,
}

/// Prices of open messages.
struct Exchanged {
    assumption: Assumption,
    /// The factor that was divided by.
    factor: BigInt,
}

struct Composer<'p> {
    parts: &'p [Part],
    joint: Joint,
    terms: Vec<Term<'p>>,
}

impl Composer<'_> {
    fn composition(self) -> Result<Composition, ComposeError> {
        let buffers = &self.joint.system.buffers;
        let queues = buffers.iter().filter(|(_, buffer)| buffer.kind == BufferKind::Queue);
        let targets: Vec<BufferId> = queues.map(|(id, _)| id).collect();
        let sums: Vec<Option<Sum>> = targets.iter().map(|target| self.sum(*target)).collect();
        let exchanged = sums.iter().flatten().filter_map(|sum| sum.exchanged.as_ref());
        let accounts: BTreeMap<String, Account> = exchanged
            .map(|exchanged| self.account(exchanged))
            .map(|account| (account.name.clone(), account))
            .collect();
        let accounts: Vec<Account> = accounts.into_values().collect();
        let system = OpenSystem::new(&self.joint.system, &self.joint.open).with_accounts(&accounts).system;
        let claims: Vec<Claim> = sums.iter().flatten().map(|sum| self.claim(&system, sum)).collect();
        let certificate = Certificate::new(&system, claims.iter().cloned());
        let certificate = certificate.bound_to(&system, self.trusted());
        let certificate = certify::check(&system, certificate)?;
        let mut claims = claims.into_iter();
        let mut buffers = Vec::new();
        for (target, sum) in targets.iter().zip(&sums) {
            let result = match (sum, sum.as_ref().and_then(|_| claims.next())) {
                (
                    Some(Sum { exchanged: Some(Exchanged { assumption, .. }), .. }),
                    Some(Claim::Contract(claim)),
                ) => {
                    let assumption = format!("{} <= k", assumption.difference(&self.joint.system));
                    Composed::Assuming { assumption, bound: claim.bound() }
                }
                (_, Some(Claim::Bounded(claim))) => Composed::Bounded { bound: claim.bound },
                _ => Composed::Unknown,
            };
            let buffer = &system.buffers[*target];
            buffers.push(ComposedBuffer { name: buffer.name.clone(), declared: buffer.declared, result });
        }
        let is_complete = self.parts.iter().all(|part| part.component.is_complete);
        Ok(Composition { system, open: self.joint.open.clone(), certificate, buffers, is_complete })
    }

    /// The trusted parts of all contracts, and that they are composed.
    fn trusted(&self) -> Vec<Trusted> {
        let mut found = vec![Trusted {
            part: "composition".into(),
            why: "the parts share channels of the same names and nothing else, and mean the same by the names of messages".into(),
            about: Vec::new(),
        }];
        for part in self.parts {
            for trusted in part.component.certificate.trust.iter().flatten() {
                if !found.contains(trusted) {
                    found.push(trusted.clone());
                }
            }
        }
        found
    }

    /// The least sum of clauses that bounds a buffer: one that costs the environment nothing if
    /// there is one, and as little as possible otherwise; of these, one with the least constant.
    fn sum(&self, target: BufferId) -> Option<Sum> {
        let paid: Vec<MessageId> = self.open_messages(&self.joint.received);
        let columns = self.terms.len() + paid.len();
        let mut rows = self.rows(&paid);
        rows.extend(self.target_rows(target));
        let domains = vec![Domain::NonNegative; columns];
        let total: Vec<(usize, BigInt)> =
            (self.terms.len()..columns).map(|column| (column, -BigInt::one())).collect();
        let Maximum::At(cost) = LinearProgramme::new(&domains, &rows).maximise(&total) else { return None };
        let denominator = cost.denom().clone();
        rows.push(Constraint {
            terms: total.iter().map(|(column, _)| (*column, denominator.clone())).collect(),
            relation: Relation::AtMost,
            bound: -cost.numer(),
        });
        let mut programme = LinearProgramme::new(&domains, &rows);
        let constants = self.terms.iter().enumerate();
        let constants: Vec<(usize, BigInt)> =
            constants.map(|(column, term)| (column, -&term.clause.claim.constant)).collect();
        let Maximum::At(_) = programme.maximise(&constants) else { return None };
        let point = programme.point();
        self.whole(target, &point[..self.terms.len()], cost.is_zero())
    }

    /// A sum of clauses in integers.
    fn whole(&self, target: BufferId, times: &[BigRational], is_free: bool) -> Option<Sum> {
        let common = times.iter().fold(BigInt::one(), |common, value| common.lcm(value.denom()));
        let times: Vec<BigInt> = times
            .iter()
            .map(|value| (value * BigRational::from_integer(common.clone())).to_integer())
            .collect();
        let constant = self.total(&times, |term| term.clause.claim.constant.clone());
        let denominator = if self.joint.closed.contains(&target) {
            common
        } else {
            self.total(&times, |term| self.weight_of_target(term, target))
        };
        let exchanged = if is_free { None } else { Some(self.exchanged(&times)?) };
        Some(Sum { target, times, denominator, constant, exchanged })
    }

    fn total(&self, times: &[BigInt], of: impl Fn(&Term<'_>) -> BigInt) -> BigInt {
        self.terms.iter().zip(times).map(|(term, times)| of(term) * times).sum()
    }

    /// The prices and refunds of open messages in a sum; `None` if they are too large.
    fn exchanged(&self, times: &[BigInt]) -> Option<Exchanged> {
        let weight = |message: &MessageId| self.exchange_weight(*message, times);
        // Types that people cannot tell apart by their names have one price.
        let received =
            kinds(&self.joint.system, &self.open_messages(&self.joint.received).into_iter().collect());
        let sent = kinds(&self.joint.system, &self.open_messages(&self.joint.sent).into_iter().collect());
        let mut prices: BTreeMap<MessageId, BigInt> = BTreeMap::new();
        for kind in &received {
            let price = kind.messages.iter().map(weight).max().unwrap_or_default();
            prices.extend(kind.messages.iter().map(|message| (*message, price.clone())));
        }
        let mut refunds: BTreeMap<MessageId, BigInt> = BTreeMap::new();
        for kind in &sent {
            let refund = kind.messages.iter().map(weight).min().unwrap_or_default();
            refunds.extend(kind.messages.iter().map(|message| (*message, refund.clone())));
        }
        let all = prices.values().chain(refunds.values());
        let factor = all.fold(BigInt::zero(), |factor, number| factor.gcd(number));
        let divided = |numbers: &BTreeMap<MessageId, BigInt>| {
            let positive = numbers.iter().filter(|(_, number)| number.is_positive());
            let divided =
                positive.map(|(message, number)| Some((*message, u32::try_from(number / &factor).ok()?)));
            divided.collect::<Option<BTreeMap<_, _>>>()
        };
        let assumption = Assumption { sent: divided(&prices)?, taken: divided(&refunds)?, slack: SLACK };
        Some(Exchanged { assumption, factor })
    }

    fn account(&self, exchanged: &Exchanged) -> Account {
        Account::of(&exchanged.assumption, &self.joint.system)
    }

    fn open_messages(&self, of: &BTreeMap<MessageId, Vec<Outer>>) -> Vec<MessageId> {
        let system = &self.joint.system;
        of.keys().copied().filter(|id| self.joint.open.contains(&system.messages[*id].buffer)).collect()
    }

    /// The rows that make a sum one of the whole: a part that sends a message to another refunds no
    /// less than the other pays, and not less than nothing in any case; and the environment pays
    /// what any part asks for.
    fn rows(&self, paid: &[MessageId]) -> Vec<Constraint> {
        let mut rows = Vec::new();
        for feeder in self.joint.sent.values().flatten() {
            rows.push(self.row(|term| -term.refund(*feeder)));
        }
        for (message, takers) in &self.joint.received {
            let column = paid.iter().position(|paid| paid == message);
            for taker in takers {
                let pays = |term: &Term<'_>| term.price(*taker);
                if let Some(column) = column {
                    let mut row = self.row(pays);
                    row.terms.push((self.terms.len() + column, -BigInt::one()));
                    rows.push(row);
                }
                for feeder in self.joint.sent.get(message).into_iter().flatten() {
                    rows.push(self.row(|term| pays(term) - term.refund(*feeder)));
                }
            }
        }
        rows
    }

    /// A sum over clauses that is at most 0.
    fn row(&self, of: impl Fn(&Term<'_>) -> BigInt) -> Constraint {
        let terms = self.terms.iter().enumerate().map(|(column, term)| (column, of(term)));
        Constraint {
            terms: terms.filter(|(_, number)| !number.is_zero()).collect(),
            relation: Relation::AtMost,
            bound: BigInt::zero(),
        }
    }

    /// Messages of the target weigh 1 at least.
    fn target_rows(&self, target: BufferId) -> Vec<Constraint> {
        let at_least_one = |row: Constraint| Constraint { bound: -BigInt::one(), ..row };
        if !self.joint.closed.contains(&target) {
            return vec![at_least_one(self.row(|term| -self.weight_of_target(term, target)))];
        }
        let messages = self.joint.system.messages_of(target);
        let feeders = messages.flat_map(|message| self.joint.sent.get(&message).into_iter().flatten());
        let row = |feeder: &Outer| self.row(|term| -term.refund(*feeder));
        feeders.map(|feeder| at_least_one(row(feeder))).collect()
    }

    /// The least weight of a message in a buffer of a part, in the claim of a clause.
    fn weight_of_target(&self, term: &Term<'_>, target: BufferId) -> BigInt {
        let claim = &term.clause.claim.claim;
        let system = &self.parts[term.part].component.system;
        let buffers = &self.joint.places[term.part].buffers;
        let is_target = |name: &String| {
            let own = system.buffers.iter().find(|(_, buffer)| buffer.name == *name);
            own.and_then(|(id, _)| buffers.get(&id)) == Some(&target)
        };
        if claim.buffers.iter().any(is_target) { claim.denominator.clone() } else { BigInt::zero() }
    }

    /// The claim that a sum proves.
    fn claim(&self, system: &System, sum: &Sum) -> Claim {
        let Sum { target, times, denominator, constant, exchanged } = sum;
        let mut weights = Weights::default();
        for (term, times) in self.terms.iter().zip(times).filter(|(_, times)| times.is_positive()) {
            self.add(&mut weights, term, times);
        }
        self.weigh_channels(&mut weights, sum);
        let parameter = exchanged.as_ref().map(|exchanged| self.account(exchanged).name);
        let place =
            parameter.as_ref().and_then(|name| system.data.iter().find(|(_, place)| place.name == *name));
        let slope = exchanged.as_ref().map(|exchanged| exchanged.factor.clone()).unwrap_or_default();
        weights.data.extend(place.map(|(id, _)| (id, slope.clone())));
        let initial = constant + &slope * BigInt::from(SLACK);
        let bound = initial.div_floor(denominator);
        let claim = BoundedClaim::new(
            system,
            [*target],
            bound,
            denominator.clone(),
            weights.messages,
            weights.states,
        );
        let claim = claim.with_data(system, weights.data);
        match parameter {
            None => Claim::Bounded(claim),
            Some(parameter) => {
                Claim::Contract(ContractClaim { parameter, constant: constant.clone(), slope, claim })
            }
        }
    }

    /// Adds the potential of a clause, so many times.
    fn add(&self, weights: &mut Weights, term: &Term<'_>, times: &BigInt) {
        let (system, places) = (&self.parts[term.part].component.system, &self.joint.places[term.part]);
        let claim = &term.clause.claim.claim;
        let is_inner = |place: &MessageId| {
            places.buffers.values().any(|own| *own == self.joint.system.messages[*place].buffer)
        };
        for (id, place) in places.messages.iter().filter(|(_, place)| is_inner(place)) {
            add(&mut weights.messages, *place, claim.messages.get(&system.message_name(*id)), times);
        }
        for (id, place) in &places.states {
            add(&mut weights.states, *place, claim.states.get(&system.state_name(*id)), times);
        }
        for (id, place) in &places.data {
            add(&mut weights.data, *place, claim.data.get(&system.data[*id].name), times);
        }
    }

    /// The weight of a message between parts, or between a part and the environment: the most that
    /// a part pays which receives it, or if none does, the least that one is refunded which sends
    /// it.
    fn exchange_weight(&self, message: MessageId, times: &[BigInt]) -> BigInt {
        let takers = self.joint.received.get(&message).into_iter().flatten();
        let paid = takers.map(|taker| self.total(times, |term| term.price(*taker))).max();
        let feeders = || self.joint.sent.get(&message).into_iter().flatten();
        let refunded = || feeders().map(|feeder| self.total(times, |term| term.refund(*feeder))).min();
        paid.or_else(refunded).unwrap_or_default()
    }

    /// Weighs the messages of channels; those of the target weigh enough to be counted.
    fn weigh_channels(&self, weights: &mut Weights, sum: &Sum) {
        for buffer in self.joint.closed.iter().chain(&self.joint.open) {
            for message in self.joint.system.messages_of(*buffer) {
                let weight = self.exchange_weight(message, &sum.times);
                let is_target = *buffer == sum.target;
                let weight = if is_target { weight.max(sum.denominator.clone()) } else { weight };
                weights.messages.insert(message, weight);
            }
        }
    }
}

/// Weights of the places of the whole.
#[derive(Default)]
struct Weights {
    messages: BTreeMap<MessageId, BigInt>,
    states: BTreeMap<StateId, BigInt>,
    data: BTreeMap<DataId, BigInt>,
}

fn add<I: Ord>(weights: &mut BTreeMap<I, BigInt>, place: I, weight: Option<&BigInt>, times: &BigInt) {
    if let Some(weight) = weight {
        *weights.entry(place).or_default() += weight * times;
    }
}

impl Term<'_> {
    /// The price of a message; 0 if it is of another part.
    fn price(&self, outer: Outer) -> BigInt {
        self.own(outer).and_then(|message| self.clause.prices.get(&message)).cloned().unwrap_or_default()
    }

    /// The refund for a message; 0 if it is of another part.
    fn refund(&self, outer: Outer) -> BigInt {
        self.own(outer).and_then(|message| self.clause.refunds.get(&message)).cloned().unwrap_or_default()
    }

    fn own(&self, outer: Outer) -> Option<MessageId> {
        (self.part == outer.part).then_some(outer.message)
    }
}
