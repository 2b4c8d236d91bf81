//! Extraction: the machines that the handlers are, by running each of them on its own.
//!
//! Each actor is run over all pairs of a local state that it can come to and a message that was
//! ever sent to it, from the initial states on, until nothing new comes. Messages are never used
//! up and come in any order in this fixpoint, so that the local states and the messages of every
//! run of the network are among those found (`docs/soundness/actors.md`).

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use cfsm_core::system::System;
use indexmap::IndexMap;
use thiserror::Error;

use crate::delivery::Delivery;
use crate::explore::{Explore, Reaction};
use crate::machine::{Machine, Sent, Step, Trigger};
use crate::message::Message;
use crate::network::Network;
use crate::role::Address;
use crate::system;

/// Limits of an extraction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Local states of one actor.
    pub states: usize,
    /// Messages with different senders or labels that are sent to one actor.
    pub messages: usize,
    /// Pairs of a local state and a message (or a timer), of all actors.
    pub steps: usize,
    /// Messages with the same sender and label, but other data, on which a handler is run, to hold
    /// it to the promise that the data decides nothing.
    pub representatives: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { states: 10_000, messages: 1_000, steps: 200_000, representatives: 4 }
    }
}

/// An obstacle to a model.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum ExtractError {
    /// An actor plays no role.
    #[error("`{actor}` plays no role: give it one with `Network::play`")]
    NoRole {
        /// The actor.
        actor: String,
    },
    /// An actor has a name that the model uses for something else.
    #[error("no actor can be called `{actor}`: `->` and `loss` have a meaning in the model")]
    Name {
        /// The actor.
        actor: String,
    },
    /// The start of an actor panics.
    #[error("`{actor}` panics when it starts")]
    Start {
        /// The actor.
        actor: String,
    },
    /// A message is sent to an address of another network.
    #[error("`{actor}` sends `{label}` to an actor that this network does not have")]
    NoSuchActor {
        /// The sender.
        actor: String,
        /// The message.
        label: String,
    },
    /// An actor has too many local states.
    #[error(
        "`{actor}` has more than {limit} local states, `{latest}` among them: wrap data of the state \
         that decides nothing in `Ignored`, or raise `Limits::states`"
    )]
    TooManyStates {
        /// The actor.
        actor: String,
        /// The limit.
        limit: usize,
        /// The state that was one too many.
        latest: String,
    },
    /// Too many different messages are sent to an actor.
    #[error(
        "more than {limit} different messages are sent to `{actor}`, `{latest}` among them: mark data \
         that decides nothing with `#[label(skip)]`, or raise `Limits::messages`"
    )]
    TooManyMessages {
        /// The receiver.
        actor: String,
        /// The limit.
        limit: usize,
        /// The message that was one too many.
        latest: String,
    },
    /// Too many pairs of local states and messages.
    #[error(
        "there are more than {limit} pairs of a local state and a message, those of `{actor}` with \
         `{latest}` among them: does a number grow from message to message? Give it a most, or raise \
         `Limits::steps`"
    )]
    TooManySteps {
        /// The actor with the most of them.
        actor: String,
        /// The limit.
        limit: usize,
        /// Its latest message.
        latest: String,
    },
    /// Data that a label leaves out decides what an actor does.
    #[error(
        "data that the label `{label}` leaves out decides what `{actor}` does in `{state}`: {one} and \
         {other} lead to different states or messages; make it part of the label"
    )]
    SkippedDataDecides {
        /// The receiver.
        actor: String,
        /// Its local state.
        state: String,
        /// The label of both messages.
        label: String,
        /// A message.
        one: String,
        /// Another one, with the same label.
        other: String,
    },
}

/// A handler that panics: the model takes it that the actor never goes on from there. It may be a
/// state and a message that never meet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Panic {
    /// The actor.
    pub actor: String,
    /// Its local state.
    pub state: String,
    /// The message or the timer.
    pub trigger: String,
}

/// The model of a network, as extracted from its handlers.
#[derive(Clone, Debug)]
pub struct Extracted {
    pub(crate) system: System,
    pub(crate) delivery: Delivery,
    pub(crate) names: Vec<String>,
    panics: Vec<Panic>,
}

impl Extracted {
    /// The machines: a class for each actor, with a state for each local state, and for each
    /// message that is still to be sent on the way there.
    #[must_use]
    pub const fn system(&self) -> &System {
        &self.system
    }

    /// The handlers that panic.
    #[must_use]
    pub fn panics(&self) -> &[Panic] {
        &self.panics
    }
}

/// One actor's part of the fixpoint.
struct Part<'a, M> {
    explore: Box<dyn Explore<M> + 'a>,
    locals: usize,
    inbox: IndexMap<Sender, Vec<M>>,
    steps: Vec<Step>,
    /// The step for a local state and a message, by their numbers.
    decided: BTreeMap<Meeting, usize>,
}

/// A sender and a label.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Sender {
    from: Address,
    label: String,
}

/// A local state and a message of the inbox.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Meeting {
    local: usize,
    entry: usize,
}

/// A handler that is still to be run.
#[derive(Clone, Copy)]
enum Work {
    Receive { actor: usize, meeting: Meeting, representative: usize },
    Fire { actor: usize, local: usize, timer: usize },
}

struct Extraction<'a, M> {
    names: Vec<String>,
    limits: Limits,
    parts: Vec<Part<'a, M>>,
    work: VecDeque<Work>,
    panics: Vec<Panic>,
}

impl<M: Message> Network<M> {
    /// The model, within default [`Limits`].
    ///
    /// # Errors
    /// The errors of [`extract_within`](Self::extract_within).
    pub fn extract(&self) -> Result<Extracted, ExtractError> {
        self.extract_within(Limits::default())
    }

    /// The model. Handlers run once for each local state and each message (and each of its
    /// representatives) that the fixpoint meets.
    ///
    /// # Errors
    /// An actor without a role, limits, and data that decides although a label leaves it out.
    pub fn extract_within(&self, limits: Limits) -> Result<Extracted, ExtractError> {
        let names: Vec<String> = self.actors.iter().map(|actor| actor.name.clone()).collect();
        let mut parts = Vec::new();
        for actor in &self.actors {
            let role = actor.part.as_ref();
            let role = role.ok_or_else(|| ExtractError::NoRole { actor: actor.name.clone() })?;
            if actor.name.contains("->") || actor.name == system::LOSS {
                return Err(ExtractError::Name { actor: actor.name.clone() });
            }
            parts.push(Part::new(role.explore()));
        }
        let (work, panics) = Default::default();
        let mut extraction = Extraction { names, limits, parts, work, panics };
        extraction.run()?;
        let Extraction { names, parts, panics, .. } = extraction;
        let machines: Vec<Machine> = parts.iter().map(Part::machine).collect();
        let (name, delivery, lossy) = (self.name.as_str(), self.delivery, self.lossy);
        let system = system::build(&system::Shape { name, delivery, lossy, actors: &names }, &machines);
        Ok(Extracted { system, delivery, names, panics })
    }
}

impl<'a, M> Part<'a, M> {
    fn new(explore: Box<dyn Explore<M> + 'a>) -> Self {
        let (inbox, steps, decided) = Default::default();
        Self { explore, locals: 0, inbox, steps, decided }
    }

    /// The machine, with names that are told apart.
    fn machine(&self) -> Machine {
        let mut seen = BTreeSet::new();
        let locals = (0..self.locals).map(|at| {
            let mut name = self.explore.local_name(at);
            while !seen.insert(name.clone()) {
                name = format!("{name} #{at}");
            }
            name
        });
        Machine { locals: locals.collect(), steps: self.steps.clone() }
    }
}

impl<M: Message> Extraction<'_, M> {
    fn run(&mut self) -> Result<(), ExtractError> {
        for actor in 0..self.parts.len() {
            let Some(reaction) = self.parts[actor].explore.start() else {
                return Err(ExtractError::Start { actor: self.names[actor].clone() });
            };
            let step = self.step(actor, 0, Trigger::Start, &reaction)?;
            self.parts[actor].steps.push(step);
            self.arrive(actor, reaction)?;
        }
        let mut steps = 0;
        while let Some(work) = self.work.pop_front() {
            steps += 1;
            if steps > self.limits.steps {
                return Err(self.too_many_steps());
            }
            match work {
                Work::Receive { actor, meeting, representative } => {
                    self.receive(actor, meeting, representative)?;
                }
                Work::Fire { actor, local, timer } => self.fire(actor, local, timer)?,
            }
        }
        Ok(())
    }

    fn receive(&mut self, actor: usize, meeting: Meeting, representative: usize) -> Result<(), ExtractError> {
        let part = &mut self.parts[actor];
        let (Sender { from, label }, messages) = part.inbox.get_index(meeting.entry).expect("it was sent");
        let (from, label) = (*from, label.clone());
        let Some(reaction) = part.explore.receive(meeting.local, from, &messages[representative]) else {
            let trigger = format!("{label} from {}", self.names[from.0]);
            self.panicked(actor, meeting.local, trigger);
            return Ok(());
        };
        let trigger = Trigger::Message { from, label };
        let step = self.step(actor, meeting.local, trigger, &reaction)?;
        let part = &mut self.parts[actor];
        match part.decided.get(&meeting) {
            Some(first) => {
                let first = &part.steps[*first];
                if first.target != step.target || first.sends != step.sends {
                    return Err(self.broken_promise(actor, meeting, representative));
                }
            }
            None => {
                part.decided.insert(meeting, part.steps.len());
                part.steps.push(step);
            }
        }
        self.arrive(actor, reaction)
    }

    fn fire(&mut self, actor: usize, local: usize, timer: usize) -> Result<(), ExtractError> {
        let part = &mut self.parts[actor];
        let name = part.explore.timer_name(timer);
        let Some(reaction) = part.explore.fire(local, timer) else {
            self.panicked(actor, local, format!("timer {name}"));
            return Ok(());
        };
        let step = self.step(actor, local, Trigger::Timer(name), &reaction)?;
        self.parts[actor].steps.push(step);
        self.arrive(actor, reaction)
    }

    /// Notes a panic, once for all messages of a label.
    fn panicked(&mut self, actor: usize, local: usize, trigger: String) {
        let state = self.parts[actor].explore.local_name(local);
        let panic = Panic { actor: self.names[actor].clone(), state, trigger };
        if self.panics.last() != Some(&panic) {
            self.panics.push(panic);
        }
    }

    fn step(
        &self,
        actor: usize,
        source: usize,
        trigger: Trigger,
        reaction: &Reaction<M>,
    ) -> Result<Step, ExtractError> {
        let mut sends = Vec::new();
        for sent in &reaction.sends {
            let (to, label) = (sent.to, sent.message.label());
            if to.0 >= self.parts.len() {
                return Err(ExtractError::NoSuchActor { actor: self.names[actor].clone(), label });
            }
            sends.push(Sent { to, label });
        }
        Ok(Step { source, trigger, sends, target: reaction.target })
    }

    /// Takes up the local state that a step leads to, and the messages that it sends.
    fn arrive(&mut self, actor: usize, reaction: Reaction<M>) -> Result<(), ExtractError> {
        let part = &mut self.parts[actor];
        let local = reaction.target;
        if local == part.locals {
            if local == self.limits.states {
                let (actor, latest) = (self.names[actor].clone(), part.explore.local_name(local));
                return Err(ExtractError::TooManyStates { actor, limit: self.limits.states, latest });
            }
            part.locals += 1;
            for (entry, messages) in part.inbox.values().enumerate() {
                let meeting = Meeting { local, entry };
                let all = 0..messages.len();
                let work = all.map(|representative| Work::Receive { actor, meeting, representative });
                self.work.extend(work);
            }
            let armed = part.explore.armed(local).into_iter();
            self.work.extend(armed.map(|timer| Work::Fire { actor, local, timer }));
        }
        for sent in reaction.sends {
            self.deliver(Address(actor), sent.to, sent.message)?;
        }
        Ok(())
    }

    /// Puts a message into an inbox, if it is new there.
    fn deliver(&mut self, from: Address, to: Address, message: M) -> Result<(), ExtractError> {
        let part = &mut self.parts[to.0];
        let label = message.label();
        let known = part.inbox.len();
        let entry = part.inbox.entry(Sender { from, label });
        let at = entry.index();
        if at == known && known == self.limits.messages {
            let (actor, latest) = (self.names[to.0].clone(), entry.key().label.clone());
            return Err(ExtractError::TooManyMessages { actor, limit: self.limits.messages, latest });
        }
        let messages = entry.or_default();
        let text = format!("{message:?}");
        if messages.len() >= self.limits.representatives.max(1)
            || messages.iter().any(|known| format!("{known:?}") == text)
        {
            return Ok(());
        }
        let representative = messages.len();
        messages.push(message);
        let work = (0..part.locals).map(|local| {
            let meeting = Meeting { local, entry: at };
            Work::Receive { actor: to.0, meeting, representative }
        });
        self.work.extend(work);
        Ok(())
    }

    fn too_many_steps(&self) -> ExtractError {
        let parts = self.parts.iter().zip(&self.names);
        let most = parts.max_by_key(|(part, _)| part.steps.len()).expect("there was a step");
        let latest = most.0.inbox.keys().last().map(|sender| sender.label.clone()).unwrap_or_default();
        ExtractError::TooManySteps { actor: most.1.clone(), limit: self.limits.steps, latest }
    }

    fn broken_promise(&self, actor: usize, meeting: Meeting, representative: usize) -> ExtractError {
        let part = &self.parts[actor];
        let (sender, messages) = part.inbox.get_index(meeting.entry).expect("it was sent");
        ExtractError::SkippedDataDecides {
            actor: self.names[actor].clone(),
            state: part.explore.local_name(meeting.local),
            label: sender.label.clone(),
            one: format!("{:?}", messages[0]),
            other: format!("{:?}", messages[representative]),
        }
    }
}
