//! Channels of the standard library, under a monitor.

use std::sync::mpsc::{self, Receiver, RecvError, RecvTimeoutError, SendError, Sender, TryRecvError};
use std::time::Duration;

use super::Monitor;
use crate::message::Message;
use crate::role::Address;

/// A message with its sender.
struct Letter<M> {
    from: Address,
    message: M,
}

/// The sending end of a mailbox, which is nobody's yet.
pub struct SharedOutlet<M> {
    monitor: Monitor,
    to: Address,
    sender: Sender<Letter<M>>,
}

/// The sending end of a mailbox, as one actor uses it.
pub struct Outlet<M> {
    monitor: Monitor,
    from: Address,
    to: Address,
    sender: Sender<Letter<M>>,
}

/// The receiving end of a mailbox.
pub struct Inbox<M> {
    monitor: Monitor,
    owner: Address,
    receiver: Receiver<Letter<M>>,
}

impl Monitor {
    /// A mailbox, of unbounded length as those of [`std::sync::mpsc::channel`] are.
    #[must_use]
    pub fn channel<M: Message>(&self, owner: Address) -> (SharedOutlet<M>, Inbox<M>) {
        let (sender, receiver) = mpsc::channel();
        let outlet = SharedOutlet { monitor: self.clone(), to: owner, sender };
        (outlet, Inbox { monitor: self.clone(), owner, receiver })
    }
}

impl<M: Message> SharedOutlet<M> {
    /// The end that an actor uses: what is sent here is sent by it.
    #[must_use]
    pub fn of(&self, from: Address) -> Outlet<M> {
        Outlet { monitor: self.monitor.clone(), from, to: self.to, sender: self.sender.clone() }
    }
}

impl<M> Clone for Outlet<M> {
    fn clone(&self) -> Self {
        let Self { monitor, from, to, sender } = self;
        Self { monitor: monitor.clone(), from: *from, to: *to, sender: sender.clone() }
    }
}

impl<M: Message> Outlet<M> {
    /// Sends a message.
    ///
    /// # Errors
    /// The message, if the inbox is gone.
    pub fn send(&self, message: M) -> Result<(), SendError<M>> {
        let label = message.clone();
        let Self { monitor, from, to, sender } = self;
        monitor
            .sending(*from, *to, &label, || sender.send(Letter { from: *from, message }))
            .map_err(|SendError(letter)| SendError(letter.message))
    }
}

impl<M: Message> Inbox<M> {
    /// Waits for a message.
    ///
    /// # Errors
    /// If all outlets are gone.
    pub fn recv(&self) -> Result<M, RecvError> {
        self.receiver.recv().map(|letter| self.opened(letter))
    }

    /// A message, if there is one.
    ///
    /// # Errors
    /// If there is none, or all outlets are gone.
    pub fn try_recv(&self) -> Result<M, TryRecvError> {
        self.receiver.try_recv().map(|letter| self.opened(letter))
    }

    /// Waits for a message, for some time.
    ///
    /// # Errors
    /// If there is none by then, or all outlets are gone.
    pub fn recv_timeout(&self, timeout: Duration) -> Result<M, RecvTimeoutError> {
        self.receiver.recv_timeout(timeout).map(|letter| self.opened(letter))
    }

    /// The messages, each waited for, until all outlets are gone.
    pub fn iter(&self) -> impl Iterator<Item = M> {
        std::iter::from_fn(|| self.recv().ok())
    }

    fn opened(&self, letter: Letter<M>) -> M {
        self.monitor.received(self.owner, letter.from, &letter.message);
        letter.message
    }
}
