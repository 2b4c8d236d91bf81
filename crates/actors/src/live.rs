//! Actors as tokio tasks, with mailboxes of proved capacity.

use std::fmt::Debug;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use thiserror::Error;
use tokio::sync::{Notify, mpsc};
use tokio::task::{JoinError, JoinSet};
use tokio::time::{Instant, sleep_until};

use crate::message::Message;
use crate::network::Network;
use crate::playing::Live;
use crate::proof::Capacities;
use crate::role::{Address, Outgoing};

/// The mailboxes of tasks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Mailboxes {
    /// Bounded by the proved capacities: no send ever waits, unless the proof is wrong.
    Bounded,
    /// Unbounded, with a guard that notes the first length above what was proved.
    Guarded,
}

/// A mailbox that was longer than proved.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("the mailbox of `{actor}` held {length} messages, and no more than {bound} were proved")]
pub struct Excess {
    /// The owner of the mailbox.
    pub actor: String,
    /// The number of messages in it.
    pub length: usize,
    /// The number that was proved.
    pub bound: usize,
}

/// The end of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finished {
    /// The states of the actors, in words, in the order of the network.
    pub states: Vec<String>,
    /// The greatest lengths of their mailboxes.
    pub lengths: Vec<usize>,
    /// The first length above what was proved; never there with [`Mailboxes::Bounded`].
    pub excess: Option<Excess>,
}

/// A network that runs.
#[derive(Debug)]
pub struct Running {
    tasks: JoinSet<()>,
    common: Arc<Common>,
}

/// The knowledge that all tasks share.
#[derive(Debug)]
struct Common {
    /// Actors that have to start, messages on the way, and actors with a timer to come: at 0
    /// nothing will ever happen.
    pending: AtomicUsize,
    quiet: Notify,
    mailboxes: Vec<Mutex<Mailbox>>,
    excess: Mutex<Option<Excess>>,
}

#[derive(Debug)]
struct Mailbox {
    owner: String,
    length: usize,
    longest: usize,
    bound: usize,
    state: String,
}

/// A message with its sender.
struct Letter<M> {
    from: Address,
    message: M,
}

enum Sender<M> {
    Bounded(mpsc::Sender<Letter<M>>),
    Guarded(mpsc::UnboundedSender<Letter<M>>),
}

enum Receiver<M> {
    Bounded(mpsc::Receiver<Letter<M>>),
    Guarded(mpsc::UnboundedReceiver<Letter<M>>),
}

impl<M> Receiver<M> {
    async fn recv(&mut self) -> Option<Letter<M>> {
        match self {
            Self::Bounded(receiver) => receiver.recv().await,
            Self::Guarded(receiver) => receiver.recv().await,
        }
    }
}

/// Runs each actor as a task of the current runtime.
///
/// # Panics
/// If an actor plays no role, or the capacities are those of another network; outside a runtime of
/// tokio. Timers need its time driver.
#[must_use]
pub fn spawn<M: Message>(network: Network<M>, capacities: &Capacities, mailboxes: Mailboxes) -> Running {
    assert!(network.names().eq(capacities.iter().map(|pair| pair.0)), "capacities of another network");
    let mut senders = Vec::new();
    let mut actors = Vec::new();
    let mut known = Vec::new();
    for (at, actor) in network.actors.into_iter().enumerate() {
        let bound = capacities.of(Address(at));
        let (sender, receiver) = channel(mailboxes, bound);
        let part = actor.part.unwrap_or_else(|| panic!("`{}` plays no role", actor.name));
        senders.push(sender);
        actors.push((part.live(), receiver));
        let (length, longest, state) = Default::default();
        known.push(Mutex::new(Mailbox { owner: actor.name, length, longest, bound, state }));
    }
    let common = Arc::new(Common {
        pending: AtomicUsize::new(actors.len()),
        quiet: Notify::new(),
        mailboxes: known,
        excess: Mutex::new(None),
    });
    let senders = Arc::new(senders);
    let mut tasks = JoinSet::new();
    for (at, (actor, receiver)) in actors.into_iter().enumerate() {
        let (common, senders) = (Arc::clone(&common), Arc::clone(&senders));
        tasks.spawn(Task { own: Address(at), actor, has_timer: false, common, senders }.run(receiver));
    }
    Running { tasks, common }
}

fn channel<M>(mailboxes: Mailboxes, bound: usize) -> (Sender<M>, Receiver<M>) {
    match mailboxes {
        Mailboxes::Bounded => {
            let (sender, receiver) = mpsc::channel(bound.max(1));
            (Sender::Bounded(sender), Receiver::Bounded(receiver))
        }
        Mailboxes::Guarded => {
            let (sender, receiver) = mpsc::unbounded_channel();
            (Sender::Guarded(sender), Receiver::Guarded(receiver))
        }
    }
}

impl Running {
    /// Waits until nothing can happen any more, or for some time, and stops.
    ///
    /// # Panics
    /// If a handler has panicked.
    pub async fn finish(mut self, at_most: Duration) -> Finished {
        let quiet = async {
            loop {
                let notified = self.common.quiet.notified();
                if self.common.pending.load(Ordering::SeqCst) == 0 {
                    return;
                }
                notified.await;
            }
        };
        tokio::select! {
            () = quiet => {}
            ended = self.tasks.join_next() => told_panic(ended),
            () = tokio::time::sleep(at_most) => {}
        }
        self.tasks.abort_all();
        while let Some(ended) = self.tasks.join_next().await {
            told_panic(Some(ended));
        }
        let mailboxes: Vec<_> = self.common.mailboxes.iter().map(|mailbox| locked(mailbox)).collect();
        Finished {
            states: mailboxes.iter().map(|mailbox| mailbox.state.clone()).collect(),
            lengths: mailboxes.iter().map(|mailbox| mailbox.longest).collect(),
            excess: locked(&self.common.excess).clone(),
        }
    }

    /// The first mailbox that was longer than proved.
    #[must_use]
    pub fn excess(&self) -> Option<Excess> {
        locked(&self.common.excess).clone()
    }
}

/// Passes on the panic of a handler.
fn told_panic(ended: Option<Result<(), JoinError>>) {
    if let Some(Err(error)) = ended
        && let Ok(panic) = error.try_into_panic()
    {
        std::panic::resume_unwind(panic);
    }
}

fn locked<T: Debug>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// One actor's task.
struct Task<M> {
    own: Address,
    actor: Box<dyn Live<M>>,
    /// `true` if a timer is counted among what is to come.
    has_timer: bool,
    common: Arc<Common>,
    senders: Arc<Vec<Sender<M>>>,
}

impl<M: Message> Task<M> {
    async fn run(mut self, mut receiver: Receiver<M>) {
        let sends = self.actor.start();
        self.settle(sends, 1).await;
        loop {
            let timer = self.actor.next_timer();
            tokio::select! {
                letter = receiver.recv() => {
                    let Some(letter) = letter else { return };
                    locked(&self.common.mailboxes[self.own.0]).length -= 1;
                    let sends = self.actor.receive(letter.from, &letter.message);
                    self.settle(sends, 1).await;
                }
                () = sleep_until(timer.unwrap_or_else(Instant::now)), if timer.is_some() => {
                    let sends = self.actor.fire();
                    self.settle(sends, 0).await;
                }
            }
        }
    }

    /// Sends what a step sends; `done` messages or starts are dealt with then.
    async fn settle(&mut self, sends: Vec<Outgoing<M>>, done: usize) {
        locked(&self.common.mailboxes[self.own.0]).state = self.actor.state();
        for Outgoing { to, message } in sends {
            self.common.pending.fetch_add(1, Ordering::SeqCst);
            let letter = Letter { from: self.own, message };
            // A receiver that is gone belongs to a run that is being stopped.
            match &self.senders[to.0] {
                Sender::Bounded(sender) => {
                    if let Ok(permit) = sender.reserve().await {
                        self.common.put(to, || permit.send(letter));
                    }
                }
                Sender::Guarded(sender) => self.common.put(to, || drop(sender.send(letter))),
            }
        }
        // What is to come is counted before what has made it come is done with.
        let done = done + usize::from(self.has_timer);
        self.has_timer = self.actor.next_timer().is_some();
        self.common.pending.fetch_add(usize::from(self.has_timer), Ordering::SeqCst);
        if self.common.pending.fetch_sub(done, Ordering::SeqCst) == done {
            self.common.quiet.notify_waiters();
        }
    }
}

impl Common {
    /// Puts a message into a mailbox, and notes its length.
    fn put(&self, to: Address, send: impl FnOnce()) {
        let mut mailbox = locked(&self.mailboxes[to.0]);
        mailbox.length += 1;
        mailbox.longest = mailbox.longest.max(mailbox.length);
        let Mailbox { owner, length, bound, .. } = &*mailbox;
        if length > bound {
            let excess = Excess { actor: owner.clone(), length: *length, bound: *bound };
            locked(&self.excess).get_or_insert(excess);
        }
        send();
    }
}
