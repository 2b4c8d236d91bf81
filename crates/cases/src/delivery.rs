//! What order adds: a queue from which messages are taken for ever delivers all that is sent to it.

use std::collections::BTreeSet;

use certificate::{Delivery, Proof};
use cfsm_core::system::{BufferId, Direction, MessageId};
use ilp_encode::{Combination, Stopped};

use crate::prover::{Case, CaseResult, Prover, combination_steps};

/// Messages that a counterexample sends to a queue that keeps order and never receives, though it
/// receives others from there.
pub(crate) struct Backlog {
    buffer: BufferId,
    messages: BTreeSet<MessageId>,
}

impl Prover<'_> {
    /// The backlog in the first queue that has one.
    pub(crate) fn backlog(&self, combination: &Combination) -> Option<Backlog> {
        let [mut sent, mut received] = [(); 2].map(|()| BTreeSet::new());
        for step in combination_steps(combination) {
            for event in &self.system.transitions[step].events {
                match event.direction {
                    Direction::Send => sent.insert(event.message),
                    Direction::Receive => received.insert(event.message),
                };
            }
        }
        let of = |message: &MessageId| self.system.messages[*message].buffer;
        let mut read: Vec<BufferId> = received.iter().map(of).collect();
        read.dedup();
        read.into_iter().filter(|buffer| self.system.keeps_order(*buffer)).find_map(|buffer| {
            let left = sent.difference(&received).copied().filter(|message| of(message) == buffer);
            let messages: BTreeSet<MessageId> = left.collect();
            (!messages.is_empty()).then_some(Backlog { buffer, messages })
        })
    }

    /// Nothing is received from the queue in the long run; or other messages, and those of the
    /// backlog are not sent; or some of these are received.
    pub(crate) fn deliver(&mut self, case: &Case, backlog: &Backlog) -> Result<CaseResult, Stopped> {
        let system = self.system;
        let of_buffer = |message: MessageId| system.messages[message].buffer == backlog.buffer;
        let left_over = |message: MessageId| backlog.messages.contains(&message);
        let firing = |direction, messages: &dyn Fn(MessageId) -> bool| -> Vec<_> {
            system.with_events(direction, messages).filter(|id| case.fires[*id]).collect()
        };
        let reading = firing(Direction::Receive, &of_buffer);
        let receiving = firing(Direction::Receive, &left_over);
        let sending = firing(Direction::Send, &left_over);
        let [mut unread, mut unsent, mut delivered] = [(); 3].map(|()| case.inside());
        reading.iter().for_each(|&id| unread.fires[id] = false);
        receiving.iter().chain(&sending).for_each(|&id| unsent.fires[id] = false);
        unread.crossed.push(None);
        unsent.crossed.push(Some(reading));
        delivered.crossed.push(Some(receiving));
        Ok(match self.all([unread, unsent, delivered])? {
            Ok([unread, unsent, delivered]) => CaseResult::Proof(Proof::Delivery(Delivery {
                silent: Vec::new(),
                buffer: system.buffers[backlog.buffer].name.clone(),
                messages: backlog.messages.iter().map(|message| system.message_name(*message)).collect(),
                unread,
                unsent,
                delivered,
            })),
            Err(other) => other,
        })
    }
}
