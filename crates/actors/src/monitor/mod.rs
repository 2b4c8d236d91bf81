//! Monitors of existing code: wrapped channels that hold each step of each actor against its
//! model, and each mailbox against its bound.
//!
//! A [`Monitor`] follows each actor through the states of its machine that fit what it has received
//! and sent so far. A step for which none is left is a [`Drift`]: the code does what the model does
//! not, so that what was proved of the model says nothing about it from there on. The channels of
//! [`std::sync::mpsc`] are wrapped in [`channel`](Monitor::channel), those of tokio (with the
//! feature `tokio`) in `tokio_channel`; other channels tell a monitor by
//! [`sending`](Monitor::sending) and [`received`](Monitor::received).
//!
//! ```
//! use freeboard_actors::monitor::Monitor;
//! # use freeboard_actors::{Address, Delivery, Message, Network, Out, Role};
//! # #[derive(Clone, Debug, Message)]
//! # enum Ball { Ping, Pong }
//! # struct Server;
//! # impl Role for Server {
//! #     type State = ();
//! #     type Message = Ball;
//! #     type Timer = ();
//! #     fn start(&self, _: &mut Out<Ball, ()>) {}
//! #     fn on(&self, _: &mut (), from: Address, _: &Ball, out: &mut Out<Ball, ()>) {
//! #         out.send(from, Ball::Pong);
//! #     }
//! # }
//! # struct Client(Address);
//! # impl Role for Client {
//! #     type State = ();
//! #     type Message = Ball;
//! #     type Timer = ();
//! #     fn start(&self, out: &mut Out<Ball, ()>) { out.send(self.0, Ball::Ping); }
//! #     fn on(&self, _: &mut (), from: Address, _: &Ball, out: &mut Out<Ball, ()>) {
//! #         out.send(from, Ball::Ping);
//! #     }
//! # }
//! # let mut network = Network::new("ping-pong", Delivery::Mailboxes);
//! # let (client, server) = (network.actor("client"), network.actor("server"));
//! # network.play(client, Client(server)).play(server, Server);
//! let extracted = network.extract()?;
//! let monitor = Monitor::new(&extracted, Some(&extracted.prove(&Default::default())?));
//! let (to_server, requests) = monitor.channel(server);
//! let (to_client, answers) = monitor.channel(client);
//!
//! let (ask, answer) = (to_server.of(client), to_client.of(server));
//! ask.send(Ball::Ping)?;
//! assert!(matches!(requests.recv()?, Ball::Ping));
//! answer.send(Ball::Pong)?;
//! assert!(monitor.drift().is_none());
//!
//! // The code answers twice; the model does not.
//! answer.send(Ball::Pong)?;
//! let drift = monitor.drift().expect("the server sends what it should not");
//! assert_eq!(
//!     drift.to_string(),
//!     "`server` sends Pong to client, but in `()` it may only: receive Ping from client"
//! );
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod automaton;
mod channels;
#[cfg(feature = "tokio")]
mod tokio_channels;

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use thiserror::Error;

use crate::delivery::Delivery;
use crate::extract::Extracted;
use crate::message::Message;
use crate::proof::Capacities;
use crate::role::Address;
use crate::system::Wire;
use automaton::{Action, Automaton};

pub use channels::{Inbox, Outlet, SharedOutlet};
#[cfg(feature = "tokio")]
pub use tokio_channels::{AsyncInbox, AsyncOutlet, SharedAsyncOutlet};

/// The first step of the code that is none of the model's.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum Drift {
    /// An actor does what it does not do in the model.
    #[error("`{actor}` {action}, but in {} it may only: {}", listed(states, "or"), allowed.join("; "))]
    Step {
        /// The actor.
        actor: String,
        /// Its step.
        action: String,
        /// The states in which it may be, as far as its steps until then tell.
        states: Vec<String>,
        /// The steps that it may make in these.
        allowed: Vec<String>,
    },
    /// A mailbox holds more messages than was proved.
    #[error("the mailbox of `{actor}` holds {length} messages, and no more than {bound} were proved")]
    Length {
        /// The owner of the mailbox.
        actor: String,
        /// The number of messages in it.
        length: usize,
        /// The number that was proved.
        bound: usize,
    },
}

/// `` `a` or `b` ``
fn listed(names: &[String], word: &str) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    quoted.join(&format!(" {word} "))
}

/// The direction of a step.
#[derive(Clone, Copy)]
enum Way {
    Sends,
    Receives,
}

/// A watch over the channels of a network. Clones are the same monitor.
#[derive(Clone)]
pub struct Monitor {
    shared: Arc<Mutex<Watch>>,
}

struct Watch {
    delivery: Delivery,
    names: Vec<String>,
    automata: Vec<Automaton>,
    lengths: Vec<usize>,
    bounds: Option<Vec<usize>>,
    drift: Option<Drift>,
}

impl fmt::Debug for Monitor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Monitor").field("drift", &self.drift()).finish_non_exhaustive()
    }
}

impl Monitor {
    /// A monitor of the steps of all actors; with capacities, also of the lengths of mailboxes.
    #[must_use]
    pub fn new(extracted: &Extracted, capacities: Option<&Capacities>) -> Self {
        let addresses = || (0..extracted.names.len()).map(Address);
        let watch = Watch {
            delivery: extracted.delivery,
            names: extracted.names.clone(),
            automata: extracted.names.iter().map(|name| Automaton::new(&extracted.system, name)).collect(),
            lengths: vec![0; extracted.names.len()],
            bounds: capacities.map(|capacities| addresses().map(|actor| capacities.of(actor)).collect()),
            drift: None,
        };
        Self { shared: Arc::new(Mutex::new(watch)) }
    }

    /// The first drift, if there was one. Nothing is looked at after it.
    #[must_use]
    pub fn drift(&self) -> Option<Drift> {
        self.lock().drift.clone()
    }

    /// Tells that an actor sends a message, right before it goes into the mailbox: nothing else
    /// may be told in between, so `put` puts it there. It must neither wait for room nor call the
    /// monitor, which waits for it.
    pub fn sending<M: Message, T>(
        &self,
        from: Address,
        to: Address,
        message: &M,
        put: impl FnOnce() -> T,
    ) -> T {
        let mut watch = self.lock();
        watch.step(from, Way::Sends, from, to, message);
        watch.lengths[to.0] += 1;
        watch.compare(to);
        put()
    }

    /// Tells that an actor has taken a message out of its mailbox.
    pub fn received<M: Message>(&self, owner: Address, from: Address, message: &M) {
        let mut watch = self.lock();
        watch.lengths[owner.0] = watch.lengths[owner.0].saturating_sub(1);
        watch.step(owner, Way::Receives, from, owner, message);
    }

    /// Tells that a message has been lost on its way to an actor, in a network that is
    /// [lossy](crate::Network::lossy): it does not wait in the mailbox any more.
    pub fn lost(&self, owner: Address) {
        let mut watch = self.lock();
        watch.lengths[owner.0] = watch.lengths[owner.0].saturating_sub(1);
    }

    fn lock(&self) -> MutexGuard<'_, Watch> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Watch {
    fn step<M: Message>(&mut self, actor: Address, way: Way, from: Address, to: Address, message: &M) {
        if self.drift.is_some() {
            return;
        }
        let label = message.label();
        let (sender, receiver) = (&self.names[from.0], &self.names[to.0]);
        let wire = Wire::new(self.delivery, sender, receiver, &label);
        let (action, told) = match way {
            Way::Sends => (Action::sends(&wire), format!("sends {label} to {receiver}")),
            Way::Receives => (Action::receives(&wire), format!("receives {label} from {sender}")),
        };
        let automaton = &mut self.automata[actor.0];
        if !automaton.step(&action) {
            let (states, allowed) = (automaton.states(), automaton.allowed());
            let actor = self.names[actor.0].clone();
            self.drift = Some(Drift::Step { actor, action: told, states, allowed });
        }
    }

    fn compare(&mut self, to: Address) {
        let Some(bounds) = &self.bounds else { return };
        let (length, bound) = (self.lengths[to.0], bounds[to.0]);
        if length > bound && self.drift.is_none() {
            self.drift = Some(Drift::Length { actor: self.names[to.0].clone(), length, bound });
        }
    }
}
