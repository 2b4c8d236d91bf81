//! Roles that are played: their states and timers.

use indexmap::IndexMap;
use tokio::time::Instant;

use crate::role::{Address, Out, Outgoing, Role, TimerChange};

/// An actor that is played.
pub(crate) trait Live<M>: Send {
    /// The first step.
    fn start(&mut self) -> Vec<Outgoing<M>>;
    /// The step for a message.
    fn receive(&mut self, from: Address, message: &M) -> Vec<Outgoing<M>>;
    /// The step for the timer that has run off first.
    fn fire(&mut self) -> Vec<Outgoing<M>>;
    /// The time at which that will be.
    fn next_timer(&self) -> Option<Instant>;
    /// The state in words.
    fn state(&self) -> String;
}

/// A role, its state, and its timers.
pub(crate) struct Playing<R: Role> {
    role: R,
    state: Option<R::State>,
    timers: IndexMap<R::Timer, Instant>,
}

impl<R: Role> Playing<R> {
    pub(crate) fn new(role: R) -> Self {
        Self { role, state: None, timers: IndexMap::new() }
    }

    fn settle(&mut self, out: Out<R::Message, R::Timer>) -> Vec<Outgoing<R::Message>> {
        for change in out.timers {
            match change {
                TimerChange::Arm { timer, after } => {
                    // A time too far away to be told never comes.
                    match Instant::now().checked_add(after) {
                        Some(at) => self.timers.insert(timer, at),
                        None => self.timers.shift_remove(&timer),
                    };
                }
                TimerChange::Disarm(timer) => {
                    self.timers.shift_remove(&timer);
                }
            }
        }
        out.sends
    }
}

impl<R: Role> Live<R::Message> for Playing<R> {
    fn start(&mut self) -> Vec<Outgoing<R::Message>> {
        let mut out = Out::new();
        self.state = Some(self.role.start(&mut out));
        self.settle(out)
    }

    fn receive(&mut self, from: Address, message: &R::Message) -> Vec<Outgoing<R::Message>> {
        let mut out = Out::new();
        if let Some(state) = &mut self.state {
            self.role.on(state, from, message, &mut out);
        }
        self.settle(out)
    }

    fn fire(&mut self) -> Vec<Outgoing<R::Message>> {
        let mut out = Out::new();
        let first = self.timers.iter().min_by_key(|(_, at)| **at).map(|(timer, _)| timer.clone());
        if let (Some(timer), Some(state)) = (first, &mut self.state) {
            self.timers.shift_remove(&timer);
            self.role.on_timer(state, &timer, &mut out);
        }
        self.settle(out)
    }

    fn next_timer(&self) -> Option<Instant> {
        self.timers.values().min().copied()
    }

    fn state(&self) -> String {
        self.state.as_ref().map(|state| format!("{state:?}")).unwrap_or_default()
    }
}
