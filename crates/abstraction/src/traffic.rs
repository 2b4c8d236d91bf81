//! What is sent into each channel object, and what is listened for.

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

/// What a receive asks of each field: `Some` of the values to match, `None` if it takes any.
pub(crate) type Patterns = Vec<Option<Value>>;

/// One side of an exchange of messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Party {
    /// The context.
    pub(crate) context: ContextId,
    /// Whether a run may have more than one instance of it, so that one may meet another.
    pub(crate) several: bool,
}

impl Party {
    /// Whether an instance of it may meet another process that belongs to `context`.
    fn meets(self, context: ContextId) -> bool {
        self.several || self.context != context
    }
}

/// What goes through one channel object.
#[derive(Clone, Debug, Default)]
struct Lane {
    /// Per send statement and node, what each field may hold.
    sends: BTreeMap<Site, Vec<Value>>,
    /// All that `sends` holds, and how often: many processes send the same.
    messages: BTreeMap<Vec<Value>, usize>,
    /// Per receive statement from a rendezvous channel, what it asks for.
    offers: BTreeMap<(ContextId, EdgeId), Patterns>,
    /// Contexts that have a receive.
    listeners: BTreeSet<ContextId>,
    /// How often there has been something new.
    news: usize,
}

impl Lane {
    /// One statement does not send such messages any more.
    fn forget(&mut self, message: &[Value]) {
        if let Some(count) = self.messages.get_mut(message) {
            *count -= 1;
            if *count == 0 {
                self.messages.remove(message);
            }
        }
    }
}

/// What goes through all channel objects.
#[derive(Clone, Debug, Default)]
pub(crate) struct Traffic {
    lanes: IdMap<ObjectId, Lane>,
}

impl Traffic {
    /// Makes room for objects up to a number.
    pub(crate) fn extend_to(&mut self, objects: usize) {
        while self.lanes.len() < objects {
            self.lanes.push(Lane::default());
        }
    }

    /// How often there has been something new of an object.
    pub(crate) fn news(&self, object: ObjectId) -> usize {
        self.lanes[object].news
    }

    /// What may be received from an object; for a rendezvous, by the party given. Time linear in
    /// the number of different messages, or of send statements.
    pub(crate) fn messages(
        &self,
        object: ObjectId,
        handshake: Option<Party>,
    ) -> impl Iterator<Item = &Vec<Value>> {
        let lane = &self.lanes[object];
        let meeting = handshake.into_iter().flat_map(|party| {
            let sends = lane.sends.iter();
            sends.filter(move |((context, _, _), _)| party.meets(*context)).map(|(_, fields)| fields)
        });
        lane.messages.keys().filter(move |_| handshake.is_none()).chain(meeting)
    }

    /// The ends of an object that statements use to which some process comes.
    pub(crate) fn ends(&self, object: ObjectId) -> Ends {
        let lane = &self.lanes[object];
        Ends { sent: !lane.sends.is_empty(), received: !lane.listeners.is_empty() }
    }

    /// What is sent into an object, once for each different message.
    pub(crate) fn sent(&self, object: ObjectId) -> BTreeSet<&[Value]> {
        self.lanes[object].sends.values().map(Vec::as_slice).collect()
    }

    /// What some contexts send into an object, once for each different message.
    pub(crate) fn sent_by(
        &self,
        object: ObjectId,
        is_sender: impl Fn(ContextId) -> bool,
    ) -> BTreeSet<&Vec<Value>> {
        let sends = self.lanes[object].sends.iter().filter(|((context, _, _), _)| is_sender(*context));
        sends.map(|(_, message)| message).collect()
    }

    /// Whether somebody whom the party may meet waits for such a message.
    pub(crate) fn is_awaited(&self, object: ObjectId, fields: &[Value], party: Party) -> bool {
        let offers = self.lanes[object].offers.iter();
        offers.into_iter().any(|((context, _), patterns)| party.meets(*context) && matches(fields, patterns))
    }

    /// Notes a message; the contexts for which that is news.
    pub(crate) fn send(
        &mut self,
        object: ObjectId,
        site: Site,
        fields: &[Value],
        widening: &Widening,
    ) -> Option<&BTreeSet<ContextId>> {
        let lane = &mut self.lanes[object];
        let known = lane.sends.get(&site);
        if known.is_some_and(|known| known.iter().zip(fields).all(|(known, field)| known.includes(field))) {
            return None;
        }
        lane.news += 1;
        let mut message = known.cloned().unwrap_or_else(|| vec![Value::empty(); fields.len()]);
        for (known, field) in message.iter_mut().zip(fields) {
            widening.grow(known, field);
        }
        *lane.messages.entry(message.clone()).or_default() += 1;
        // The new one includes it.
        if let Some(before) = lane.sends.insert(site, message) {
            lane.forget(&before);
        }
        Some(&lane.listeners)
    }

    /// Notes that a receive listens; the contexts for which that is news.
    pub(crate) fn listen(
        &mut self,
        object: ObjectId,
        statement: (ContextId, EdgeId),
        handshake: Option<&Patterns>,
        widening: &Widening,
    ) -> BTreeSet<ContextId> {
        let lane = &mut self.lanes[object];
        lane.listeners.insert(statement.0);
        let Some(patterns) = handshake else {
            return BTreeSet::new();
        };
        let news = match lane.offers.get_mut(&statement) {
            None => {
                lane.offers.insert(statement, patterns.clone());
                true
            }
            Some(known) => known.iter_mut().zip(patterns).fold(false, |news, pair| match pair {
                (Some(known), Some(new)) => widening.grow(known, new) | news,
                _ => news,
            }),
        };
        lane.news += usize::from(news);
        let senders = lane.sends.keys().map(|(context, _, _)| *context);
        if news { senders.collect() } else { BTreeSet::new() }
    }
}
