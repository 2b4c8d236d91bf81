//! The messages that are sent into each channel object, and the receives from it.

use std::collections::{BTreeMap, BTreeSet};

use cfsm_core::finding::Ends;
use cfsm_core::ids::IdMap;
use cfsm_core::program::EdgeId;

use crate::analysis::Site;
use crate::channels::ObjectId;
use crate::contexts::ContextId;
use crate::step::matches;
use crate::values::Value;
use crate::widening::Widening;

/// The values that a receive accepts in each field: `None` if it accepts any value.
pub(crate) type Patterns = Vec<Option<Value>>;

/// One side of a rendezvous.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Party {
    /// The context.
    pub(crate) context: ContextId,
    /// `true` if a run may have more than one instance of it, so that they may communicate with
    /// each other.
    pub(crate) several: bool,
}

impl Party {
    /// Returns `true` if an instance may communicate with a process of `context`.
    fn meets(self, context: ContextId) -> bool {
        self.several || self.context != context
    }
}

/// The sends and receives of one channel object.
#[derive(Clone, Debug, Default)]
struct ChannelTraffic {
    /// The values of each field, for each send statement and node.
    sends: BTreeMap<Site, Vec<Value>>,
    /// The messages in `sends`, with their numbers of occurrences: many processes send the same.
    messages: BTreeMap<Vec<Value>, usize>,
    /// The patterns of each receive statement, for rendezvous channels only.
    offers: BTreeMap<(ContextId, EdgeId), Patterns>,
    /// The contexts with a receive statement.
    listeners: BTreeSet<ContextId>,
    /// Version number: incremented whenever there is a new message or receive.
    news: usize,
}

impl ChannelTraffic {
    /// Removes one occurrence of a message that a statement no longer sends.
    fn forget(&mut self, message: &[Value]) {
        if let Some(count) = self.messages.get_mut(message) {
            *count -= 1;
            if *count == 0 {
                self.messages.remove(message);
            }
        }
    }
}

/// The sends and receives of all channel objects.
#[derive(Clone, Debug, Default)]
pub(crate) struct Traffic {
    channels: IdMap<ObjectId, ChannelTraffic>,
}

impl Traffic {
    /// Extends the table to the given number of channel objects.
    pub(crate) fn extend_to(&mut self, objects: usize) {
        while self.channels.len() < objects {
            self.channels.push(ChannelTraffic::default());
        }
    }

    /// Version number of a channel object.
    pub(crate) fn news(&self, object: ObjectId) -> usize {
        self.channels[object].news
    }

    /// The messages that may be received from a channel object; for a rendezvous, by the given
    /// party. Time linear in the number of different messages, or of send statements.
    pub(crate) fn messages(
        &self,
        object: ObjectId,
        handshake: Option<Party>,
    ) -> impl Iterator<Item = &Vec<Value>> {
        let channel = &self.channels[object];
        let meeting = handshake.into_iter().flat_map(|party| {
            let sends = channel.sends.iter();
            sends.filter(move |(site, _)| party.meets(site.context)).map(|(_, fields)| fields)
        });
        channel.messages.keys().filter(move |_| handshake.is_none()).chain(meeting)
    }

    /// The ends of a channel object that are used by statements at reached locations.
    pub(crate) fn ends(&self, object: ObjectId) -> Ends {
        let channel = &self.channels[object];
        Ends { sent: !channel.sends.is_empty(), received: !channel.listeners.is_empty() }
    }

    /// The different messages that are sent into a channel object.
    pub(crate) fn sent(&self, object: ObjectId) -> BTreeSet<&[Value]> {
        self.channels[object].sends.values().map(Vec::as_slice).collect()
    }

    /// The different messages that the selected contexts send into a channel object.
    pub(crate) fn sent_by(
        &self,
        object: ObjectId,
        is_sender: impl Fn(ContextId) -> bool,
    ) -> BTreeSet<&Vec<Value>> {
        let sends = self.channels[object].sends.iter().filter(|(site, _)| is_sender(site.context));
        sends.map(|(_, message)| message).collect()
    }

    /// Returns `true` if a process with which the party may communicate offers to receive such a
    /// message.
    pub(crate) fn is_awaited(&self, object: ObjectId, fields: &[Value], party: Party) -> bool {
        let offers = self.channels[object].offers.iter();
        offers.into_iter().any(|((context, _), patterns)| party.meets(*context) && matches(fields, patterns))
    }

    /// Records a message. Returns the contexts that have to be visited again if it is new.
    pub(crate) fn send(
        &mut self,
        object: ObjectId,
        site: Site,
        fields: &[Value],
        widening: &Widening,
    ) -> Option<&BTreeSet<ContextId>> {
        let channel = &mut self.channels[object];
        let known = channel.sends.get(&site);
        if known.is_some_and(|known| known.iter().zip(fields).all(|(known, field)| known.includes(field))) {
            return None;
        }
        channel.news += 1;
        let mut message = known.cloned().unwrap_or_else(|| vec![Value::empty(); fields.len()]);
        for (known, field) in message.iter_mut().zip(fields) {
            widening.grow(known, field);
        }
        *channel.messages.entry(message.clone()).or_default() += 1;
        // The new message includes it.
        if let Some(before) = channel.sends.insert(site, message) {
            channel.forget(&before);
        }
        Some(&channel.listeners)
    }

    /// Records a receive. Returns the contexts that have to be visited again if it is new.
    pub(crate) fn listen(
        &mut self,
        object: ObjectId,
        context: ContextId,
        edge: EdgeId,
        handshake: Option<&Patterns>,
        widening: &Widening,
    ) -> BTreeSet<ContextId> {
        let channel = &mut self.channels[object];
        channel.listeners.insert(context);
        let Some(patterns) = handshake else {
            return BTreeSet::new();
        };
        let statement = (context, edge);
        let news = match channel.offers.get_mut(&statement) {
            None => {
                channel.offers.insert(statement, patterns.clone());
                true
            }
            Some(known) => known.iter_mut().zip(patterns).fold(false, |news, pair| match pair {
                (Some(known), Some(new)) => widening.grow(known, new) | news,
                _ => news,
            }),
        };
        channel.news += usize::from(news);
        let senders = channel.sends.keys().map(|site| site.context);
        if news { senders.collect() } else { BTreeSet::new() }
    }
}
