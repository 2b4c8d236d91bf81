//! Roles: the handlers of actors.

use std::fmt::Debug;
use std::hash::Hash;
use std::time::Duration;

use crate::message::Message;

/// An actor of a [`Network`](crate::Network).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Address(pub(crate) usize);

/// The behaviour of an actor: a local state, and what it does about each message.
///
/// A handler is a function: the same state and message give the same next state and the same
/// messages, whatever the time, random numbers or anything outside. It is called for every state
/// and every message that the extraction cannot rule out, also for some that never meet; where it
/// panics, the model takes it that the actor never goes on.
pub trait Role: Send + Sync + 'static {
    /// The local state: finitely many are reachable, up to what is [`Ignored`](crate::Ignored).
    type State: Clone + Eq + Hash + Debug + Send;
    /// The messages of the network.
    type Message: Message;
    /// The names of its timers; `()` if one is enough, or none.
    type Timer: Clone + Eq + Hash + Debug + Send;

    /// The first step: gives the initial state.
    fn start(&self, out: &mut Out<Self::Message, Self::Timer>) -> Self::State;

    /// The step for a message from another actor, or from itself.
    fn on(
        &self,
        state: &mut Self::State,
        from: Address,
        message: &Self::Message,
        out: &mut Out<Self::Message, Self::Timer>,
    );

    /// The step for a timer that has run off; it is not armed any more. Does nothing by default.
    fn on_timer(
        &self,
        state: &mut Self::State,
        timer: &Self::Timer,
        out: &mut Out<Self::Message, Self::Timer>,
    ) {
        let _ = (state, timer, out);
    }
}

/// The effects of one step of an actor: messages in the order in which they are sent, once the
/// handler has returned, and timers.
#[derive(Debug)]
pub struct Out<M, T> {
    pub(crate) sends: Vec<Outgoing<M>>,
    pub(crate) timers: Vec<TimerChange<T>>,
}

/// A message on its way out.
#[derive(Clone, Debug)]
pub(crate) struct Outgoing<M> {
    pub(crate) to: Address,
    pub(crate) message: M,
}

/// A change of a timer.
#[derive(Clone, Debug)]
pub(crate) enum TimerChange<T> {
    Arm {
        timer: T,
        #[cfg_attr(not(feature = "tokio"), allow(dead_code))] // the model knows no time
        after: Duration,
    },
    Disarm(T),
}

impl<M, T> Out<M, T> {
    pub(crate) const fn new() -> Self {
        Self { sends: Vec::new(), timers: Vec::new() }
    }

    /// The messages that a step sends, with their receivers, in order: for tests of handlers.
    pub fn sent(&self) -> impl Iterator<Item = (Address, &M)> {
        self.sends.iter().map(|sent| (sent.to, &sent.message))
    }

    /// Sends a message.
    pub fn send(&mut self, to: Address, message: M) {
        self.sends.push(Outgoing { to, message });
    }

    /// Arms a timer, anew if it is armed. In the model it may run off at any time.
    pub fn arm(&mut self, timer: T, after: Duration) {
        self.timers.push(TimerChange::Arm { timer, after });
    }

    /// Disarms a timer, if it is armed.
    pub fn disarm(&mut self, timer: T) {
        self.timers.push(TimerChange::Disarm(timer));
    }
}

impl<M, T> Default for Out<M, T> {
    fn default() -> Self {
        Self::new()
    }
}
