//! The local states of one actor, explored step by step.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::panic::{AssertUnwindSafe, catch_unwind};

use indexmap::IndexSet;

use crate::role::{Address, Out, Outgoing, Role, TimerChange};

/// One actor's local states, known by number in the order in which they were met.
pub(crate) trait Explore<M> {
    /// The first step.
    fn start(&mut self) -> Option<Reaction<M>>;
    /// The step for a message.
    fn receive(&mut self, at: usize, from: Address, message: &M) -> Option<Reaction<M>>;
    /// The step for a timer.
    fn fire(&mut self, at: usize, timer: usize) -> Option<Reaction<M>>;
    /// The timers that are armed in a local state.
    fn armed(&self, at: usize) -> Vec<usize>;
    /// A local state in words.
    fn local_name(&self, at: usize) -> String;
    /// A timer in words.
    fn timer_name(&self, timer: usize) -> String;
}

/// A step that a handler makes; `None` in place of it if it panics.
pub(crate) struct Reaction<M> {
    pub(crate) target: usize,
    pub(crate) sends: Vec<Outgoing<M>>,
}

/// A state and the timers that are armed.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Local<S> {
    state: S,
    armed: BTreeSet<usize>,
}

/// The local states of an actor that plays a role.
pub(crate) struct Explored<'a, R: Role> {
    role: &'a R,
    locals: IndexSet<Local<R::State>>,
    timers: IndexSet<R::Timer>,
}

impl<'a, R: Role> Explored<'a, R> {
    pub(crate) fn new(role: &'a R) -> Self {
        Self { role, locals: IndexSet::new(), timers: IndexSet::new() }
    }

    /// The step from a local state in which one timer may have run off.
    fn step(
        &mut self,
        at: usize,
        fired: Option<usize>,
        handle: impl FnOnce(&R, &mut R::State, &mut Out<R::Message, R::Timer>),
    ) -> Option<Reaction<R::Message>> {
        let mut local = self.locals[at].clone();
        if let Some(timer) = fired {
            local.armed.remove(&timer);
        }
        let mut out = Out::new();
        let (role, state) = (self.role, &mut local.state);
        catch_unwind(AssertUnwindSafe(|| handle(role, state, &mut out))).ok()?;
        Some(self.arrive(local, out))
    }

    fn arrive(&mut self, mut local: Local<R::State>, out: Out<R::Message, R::Timer>) -> Reaction<R::Message> {
        for change in out.timers {
            match change {
                TimerChange::Arm { timer, .. } => {
                    local.armed.insert(self.timers.insert_full(timer).0);
                }
                TimerChange::Disarm(timer) => {
                    local.armed.remove(&self.timers.insert_full(timer).0);
                }
            }
        }
        Reaction { target: self.locals.insert_full(local).0, sends: out.sends }
    }
}

impl<R: Role> Explore<R::Message> for Explored<'_, R> {
    fn start(&mut self) -> Option<Reaction<R::Message>> {
        let mut out = Out::new();
        let state = catch_unwind(AssertUnwindSafe(|| self.role.start(&mut out))).ok()?;
        Some(self.arrive(Local { state, armed: BTreeSet::new() }, out))
    }

    fn receive(&mut self, at: usize, from: Address, message: &R::Message) -> Option<Reaction<R::Message>> {
        self.step(at, None, |role, state, out| role.on(state, from, message, out))
    }

    fn fire(&mut self, at: usize, timer: usize) -> Option<Reaction<R::Message>> {
        let name = self.timers[timer].clone();
        self.step(at, Some(timer), |role, state, out| role.on_timer(state, &name, out))
    }

    fn armed(&self, at: usize) -> Vec<usize> {
        self.locals[at].armed.iter().copied().collect()
    }

    fn local_name(&self, at: usize) -> String {
        let Local { state, armed } = &self.locals[at];
        let mut name = format!("{state:?}");
        for timer in armed {
            let _ = write!(name, " with timer {:?}", self.timers[*timer]);
        }
        name
    }

    fn timer_name(&self, timer: usize) -> String {
        format!("{:?}", self.timers[timer])
    }
}
