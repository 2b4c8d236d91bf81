//! Invariants: linear forms over messages and processes that never exceed a number.
//!
//! The form is counted by the messages of one more buffer, the *meter*: each transition sends or
//! receives as many as it changes the form by. The least bound that the plain test proves for the
//! meter, with the form's value at the start, bounds the form (theory 4;
//! `docs/soundness/kernel.md`, *Claims about linear forms*). The kernel checks the claim on the
//! system itself, which knows of no meter.

use std::collections::BTreeMap;

use certify::{Certificate, Checked, Claim, LinearClaim, LinearForm, check};
use cfsm_core::system::{
    Buffer, BufferId, BufferKind, Direction, Event, MessageId, MessageType, StateId, System, Transition,
};
use ilp_encode::Potential;
use num_bigint::BigInt;
use thiserror::Error;

use crate::{Options, potential_of};

/// A sum of numbers of messages in queues and of instances at states, with integer coefficients.
///
/// ```
/// use boundedness::{Form, Options, invariant};
/// use cfsm_core::system::SystemBuilder;
///
/// let mut b = SystemBuilder::new("two clients, one server");
/// let request = b.message("toServer", "request");
/// let reply = b.message("toClient", "reply");
/// let mut client = b.class("client", 2);
/// client.send("idle", request, "waiting").receive("waiting", reply, "idle");
/// let waiting = client.state("waiting");
/// b.class("server", 1).receive("ready", request, "busy").send("busy", reply, "ready");
/// let system = b.build()?;
///
/// // There are no more requests and replies than clients that wait.
/// let form = Form::default().message(request, 1).message(reply, 1).state(waiting, -1);
/// let certificate = invariant(&system, &form, 0, &Options::default())?;
/// assert_eq!(
///     certificate.claims[0].subject(),
///     "toClient(reply) + toServer(request) - client@waiting"
/// );
/// let error = invariant(&system, &form, -1, &Options::default()).unwrap_err();
/// assert_eq!(error.to_string(), "of this sum, ≤ 0 is proved, and no less");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Form {
    messages: BTreeMap<MessageId, i64>,
    states: BTreeMap<StateId, i64>,
}

/// The reason for which no certificate says that a form never exceeds a number. It may be an
/// invariant all the same.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum NotInvariant {
    /// A greater number is proved.
    #[error("of this sum, ≤ {least} is proved, and no less")]
    Greater {
        /// The least number that is proved.
        least: BigInt,
    },
    /// Nothing is proved: it may grow for ever, as far as the plain test can tell, or a limit was
    /// reached.
    #[error("of this sum, no bound is proved")]
    Unknown,
}

impl Form {
    /// Adds a message type with a coefficient.
    ///
    /// # Panics
    /// If a sum of coefficients leaves 64 bits.
    #[must_use]
    pub fn message(mut self, message: MessageId, coefficient: i64) -> Self {
        add(self.messages.entry(message).or_default(), coefficient);
        self
    }

    /// Adds all message types of a buffer with a coefficient.
    ///
    /// # Panics
    /// As [`message`](Self::message).
    #[must_use]
    pub fn buffer(self, system: &System, buffer: BufferId, coefficient: i64) -> Self {
        let of_buffer = system.messages.iter().filter(|(_, message)| message.buffer == buffer);
        of_buffer.fold(self, |form, (message, _)| form.message(message, coefficient))
    }

    /// Adds the instances at a state with a coefficient.
    ///
    /// # Panics
    /// As [`message`](Self::message).
    #[must_use]
    pub fn state(mut self, state: StateId, coefficient: i64) -> Self {
        add(self.states.entry(state).or_default(), coefficient);
        self
    }

    /// The form without messages that are never held.
    fn of_queues(&self, system: &System) -> Self {
        let mut form = self.clone();
        form.messages
            .retain(|message, _| system.buffers[system.messages[*message].buffer].kind == BufferKind::Queue);
        form
    }

    fn at(&self, state: StateId) -> i64 {
        self.states.get(&state).copied().unwrap_or_default()
    }

    /// The value at the start.
    fn initial(&self, system: &System) -> BigInt {
        let classes = system.classes.values();
        classes.map(|class| BigInt::from(self.at(class.initial)) * class.instances).sum()
    }

    /// The change by a transition; `None` beyond 64 bits.
    fn change(&self, system: &System, transition: &Transition) -> Option<i64> {
        let of_event = |event: &Event| {
            let factor = self.messages.get(&event.message).copied().unwrap_or_default();
            let sign = if event.direction == Direction::Send { 1 } else { -1 };
            factor.checked_mul(event.count.into())?.checked_mul(sign)
        };
        let events = transition.events.iter().map(of_event);
        let created = transition.creates.iter().map(|class| Some(self.at(system.classes[*class].initial)));
        let moved = [Some(self.at(transition.target)), self.at(transition.source).checked_neg()];
        let mut all = events.chain(created).chain(moved);
        all.try_fold(0i64, |sum, change| sum.checked_add(change?))
    }

    /// The form by names.
    fn named(&self, system: &System) -> LinearForm {
        let messages = self.messages.iter().map(|(id, factor)| (system.message_name(*id), (*factor).into()));
        let states = self.states.iter().map(|(id, factor)| (system.state_name(*id), (*factor).into()));
        LinearForm { messages: messages.collect(), states: states.collect() }
    }
}

/// Adds to a coefficient. One that wrapped around would be another form than the caller means.
fn add(held: &mut i64, coefficient: i64) {
    *held = held.checked_add(coefficient).expect("the sum of coefficients has 64 bits");
}

/// The system with a meter, and the message type of the meter.
fn metered(system: &System, form: &Form) -> Option<(System, MessageId)> {
    let mut metered = System { order: None, ..system.clone() };
    let (name, kind) = ("meter".to_owned(), BufferKind::Queue);
    let meter = metered.buffers.push(Buffer { name, kind, declared: None, in_order: false });
    let token = metered.messages.push(MessageType { buffer: meter, name: String::new() });
    for (id, transition) in system.transitions.iter() {
        let change = form.change(system, transition)?;
        let direction = if change > 0 { Direction::Send } else { Direction::Receive };
        let count = u32::try_from(change.unsigned_abs()).ok()?;
        if count > 0 {
            metered.transitions[id].events.push(Event { direction, message: token, count });
        }
    }
    Some((metered, token))
}

/// Proves that a form never exceeds a number, in no state between two steps, with a certificate
/// that the kernel has accepted. One linear programme, as for the bound of a buffer.
///
/// # Errors
/// [`NotInvariant`] if that is not proved.
pub fn invariant(
    system: &System,
    form: &Form,
    most: impl Into<BigInt>,
    options: &Options,
) -> Result<Checked<Certificate>, NotInvariant> {
    let form = &form.of_queues(system);
    let (metered, token) = metered(system, form).ok_or(NotInvariant::Unknown)?;
    let meter = metered.messages[token].buffer;
    let potential = potential_of(&metered, meter, options).ok_or(NotInvariant::Unknown)?;
    let claim = linear_claim(system, form, token, potential).ok_or(NotInvariant::Unknown)?;
    let least = claim.bound.clone();
    if least > most.into() {
        return Err(NotInvariant::Greater { least });
    }
    check(system, Certificate::new(system, [Claim::Linear(claim)])).map_err(|_| NotInvariant::Unknown)
}

/// The claim that a potential of the metered system proves: the weight of the meter is the
/// denominator, and each message and state weighs its coefficient times that besides.
fn linear_claim(system: &System, form: &Form, token: MessageId, potential: Potential) -> Option<LinearClaim> {
    let (of_token, others): (Vec<_>, Vec<_>) =
        potential.messages.into_iter().partition(|(message, _)| *message == token);
    let (_, denominator) = of_token.into_iter().next()?;
    let mut messages: BTreeMap<MessageId, BigInt> = others.into_iter().collect();
    let mut states: BTreeMap<StateId, BigInt> = potential.states.into_iter().collect();
    for (message, factor) in &form.messages {
        *messages.entry(*message).or_default() += factor * &denominator;
    }
    for (state, factor) in &form.states {
        *states.entry(*state).or_default() += factor * &denominator;
    }
    let initial = potential.initial + form.initial(system) * &denominator;
    let data = potential.data.into_iter().map(|(id, weight)| (system.data[id].name.clone(), weight));
    Some(LinearClaim {
        form: form.named(system),
        bound: num_integer::Integer::div_floor(&initial, &denominator),
        denominator,
        messages: messages.into_iter().map(|(id, weight)| (system.message_name(id), weight)).collect(),
        data: data.collect(),
        states: states.into_iter().map(|(id, weight)| (system.state_name(id), weight)).collect(),
    })
}
