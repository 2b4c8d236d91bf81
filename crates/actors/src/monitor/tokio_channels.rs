//! Channels of tokio, under a monitor.

use tokio::sync::mpsc::error::SendError;
use tokio::sync::mpsc::{self, Receiver, Sender, UnboundedReceiver, UnboundedSender};

use super::Monitor;
use crate::message::Message;
use crate::role::Address;

/// A message with its sender.
struct Letter<M> {
    from: Address,
    message: M,
}

enum Sending<M> {
    Bounded(Sender<Letter<M>>),
    Unbounded(UnboundedSender<Letter<M>>),
}

impl<M> Clone for Sending<M> {
    fn clone(&self) -> Self {
        match self {
            Self::Bounded(sender) => Self::Bounded(sender.clone()),
            Self::Unbounded(sender) => Self::Unbounded(sender.clone()),
        }
    }
}

enum Receiving<M> {
    Bounded(Receiver<Letter<M>>),
    Unbounded(UnboundedReceiver<Letter<M>>),
}

/// The sending end of a mailbox of tokio, which is nobody's yet.
pub struct SharedAsyncOutlet<M> {
    monitor: Monitor,
    to: Address,
    sender: Sending<M>,
}

/// The sending end of a mailbox of tokio, as one actor uses it.
pub struct AsyncOutlet<M> {
    monitor: Monitor,
    from: Address,
    to: Address,
    sender: Sending<M>,
}

/// The receiving end of a mailbox of tokio.
pub struct AsyncInbox<M> {
    monitor: Monitor,
    owner: Address,
    receiver: Receiving<M>,
}

impl Monitor {
    /// A mailbox of tokio, with a capacity or without.
    ///
    /// # Panics
    /// If the capacity is 0, as tokio has it.
    #[must_use]
    pub fn tokio_channel<M: Message>(
        &self,
        owner: Address,
        capacity: Option<usize>,
    ) -> (SharedAsyncOutlet<M>, AsyncInbox<M>) {
        let (sender, receiver) = match capacity {
            Some(capacity) => {
                let (sender, receiver) = mpsc::channel(capacity);
                (Sending::Bounded(sender), Receiving::Bounded(receiver))
            }
            None => {
                let (sender, receiver) = mpsc::unbounded_channel();
                (Sending::Unbounded(sender), Receiving::Unbounded(receiver))
            }
        };
        let outlet = SharedAsyncOutlet { monitor: self.clone(), to: owner, sender };
        (outlet, AsyncInbox { monitor: self.clone(), owner, receiver })
    }
}

impl<M: Message> SharedAsyncOutlet<M> {
    /// The end that an actor uses: what is sent here is sent by it.
    #[must_use]
    pub fn of(&self, from: Address) -> AsyncOutlet<M> {
        AsyncOutlet { monitor: self.monitor.clone(), from, to: self.to, sender: self.sender.clone() }
    }
}

impl<M> Clone for AsyncOutlet<M> {
    fn clone(&self) -> Self {
        let Self { monitor, from, to, sender } = self;
        Self { monitor: monitor.clone(), from: *from, to: *to, sender: sender.clone() }
    }
}

impl<M: Message> AsyncOutlet<M> {
    /// Sends a message, once there is room for it.
    ///
    /// # Errors
    /// The message, if the inbox is gone.
    pub async fn send(&self, message: M) -> Result<(), SendError<M>> {
        let (from, to) = (self.from, self.to);
        let label = message.clone();
        match &self.sender {
            Sending::Bounded(sender) => {
                // A send to an inbox that is gone is a step of the sender as well.
                let permit = sender.reserve().await;
                self.monitor.sending(from, to, &label, || match permit {
                    Ok(permit) => {
                        permit.send(Letter { from, message });
                        Ok(())
                    }
                    Err(_) => Err(SendError(message)),
                })
            }
            Sending::Unbounded(sender) => self
                .monitor
                .sending(from, to, &label, || sender.send(Letter { from, message }))
                .map_err(|SendError(letter)| SendError(letter.message)),
        }
    }
}

impl<M: Message> AsyncInbox<M> {
    /// Waits for a message; `None` if all outlets are gone.
    pub async fn recv(&mut self) -> Option<M> {
        let letter = match &mut self.receiver {
            Receiving::Bounded(receiver) => receiver.recv().await,
            Receiving::Unbounded(receiver) => receiver.recv().await,
        }?;
        self.monitor.received(self.owner, letter.from, &letter.message);
        Some(letter.message)
    }
}
