//! What a receive may do at a location.
//!
//! Where a field is stored in a variable that is unfolded, the receive is taken apart by the values of that field: it is
//! as if there were a receive for each of them. So a value that travels in a message is not lost on the way, and messages
//! are told apart by it (thesis 11.4: message-determined conditions).

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::iter::repeat;

use cfsm_core::program::{Expression, Pattern};

use crate::channels::{ObjectId, denoted};
use crate::evaluate::{View, evaluate};
use crate::numbers::ValueSet;
use crate::private_queue::PrivateQueue;
use crate::step::{Deed, Step, World, matches, stored};
use crate::traffic::{Party, Patterns};
use crate::unfolding::is_unfolded;
use crate::values::Value;

/// Receives that one is taken apart into, at most.
const PARTS: usize = 64;

/// For each pattern, the one value that the field must have, if the receive is taken apart by it.
type Part = Vec<Option<i64>>;

/// A receive that is reached.
#[derive(Debug)]
pub(crate) struct Receive<'a> {
    world: &'a World<'a>,
    view: &'a View<'a>,
    party: Party,
    patterns: &'a [Pattern],
    peek: bool,
    /// The queue, if the process keeps it to itself.
    private: Option<&'a PrivateQueue>,
    /// The channel objects that it may receive from.
    pub(crate) listens: Vec<ObjectId>,
    /// What it asks for.
    pub(crate) wanted: Patterns,
}

impl<'a> Receive<'a> {
    /// A receive at a location.
    pub(crate) fn new(
        world: &'a World<'a>,
        view: &'a View<'a>,
        party: Party,
        (channel, patterns, peek): (&Expression, &'a [Pattern], bool),
    ) -> Self {
        // All matching is done before anything is stored.
        let wanted = view.wanted(patterns);
        let private = view.private_queue(channel);
        let listens = denoted(world.objects, &evaluate(channel, view));
        Self { world, view, party, patterns, peek, private, listens, wanted }
    }

    /// What it may do. Time linear in the messages, times the parts that it is taken apart into.
    pub(crate) fn steps(&self) -> Vec<Step> {
        self.parts().iter().filter_map(|part| self.step(part)).collect()
    }

    /// What may be received from an object, as is asked for.
    fn messages<'s>(
        &'s self,
        object: ObjectId,
        wanted: &'s [Option<Value>],
    ) -> impl Iterator<Item = Cow<'s, [Value]>> {
        let handshake = self.world.objects[object].shape.capacity == 0;
        // To look at what is never stored ends the run.
        let looks = !(handshake && self.peek);
        let messages = self.world.traffic.messages(object, handshake.then_some(self.party));
        let known = messages.filter_map(|message| received(self.view, self.private, message));
        known.filter(move |message| looks && matches(message, wanted))
    }

    /// The parts: together they take every message that the receive takes.
    fn parts(&self) -> Vec<Part> {
        let whole = vec![vec![None; self.patterns.len()]];
        let told: Vec<bool> = self.patterns.iter().map(|pattern| self.is_told_apart(pattern)).collect();
        if !told.contains(&true) {
            return whole;
        }
        let mut parts: BTreeSet<Part> = BTreeSet::new();
        for message in self.listens.iter().flat_map(|object| self.messages(*object, &self.wanted)) {
            let Some(of_message) = parts_of(&told, &message) else { return whole };
            parts.extend(of_message);
            if parts.len() > PARTS {
                return whole;
            }
        }
        parts.into_iter().collect()
    }

    /// Whether what a pattern stores is unfolded.
    fn is_told_apart(&self, pattern: &Pattern) -> bool {
        let Pattern::Store(place) = pattern else { return false };
        let touched = self.view.touched(place);
        touched.cells.iter().any(|cell| is_unfolded(self.world.unfolded, *cell))
    }

    fn step(&self, part: &[Option<i64>]) -> Option<Step> {
        let constant = |value: &i64| Value::from(ValueSet::of(*value));
        let narrowed = self.wanted.iter().zip(part);
        let wanted: Patterns =
            narrowed.map(|(wanted, part)| part.as_ref().map(constant).or_else(|| wanted.clone())).collect();
        let mut received = vec![Value::empty(); self.patterns.len()];
        let unknown = Value::any();
        let mut from = self.listens.clone();
        from.retain(|object| {
            let mut found = false;
            for message in self.messages(*object, &wanted) {
                found = true;
                // Of a message with too few fields, the rest is something.
                for (all, field) in received.iter_mut().zip(message.iter().chain(repeat(&unknown))) {
                    if !all.includes(field) {
                        *all = all.join(field, self.view.limit);
                    }
                }
            }
            found
        });
        for (received, part) in received.iter_mut().zip(part) {
            if let Some(value) = part {
                *received = constant(value);
            }
        }
        let (mut cells, written) = stored(self.world, self.view, self.patterns, &received)?;
        self.private.iter().for_each(|queue| queue.behind(&mut cells, self.peek));
        let deed = Deed::Receive { from: from.clone(), patterns: wanted, peek: self.peek };
        (!from.is_empty()).then_some(Step { deed, cells, written })
    }
}

/// What is known of a message that is received; `None` if it cannot be the one in front.
pub(crate) fn received<'m>(
    view: &View<'_>,
    private: Option<&PrivateQueue>,
    message: &'m [Value],
) -> Option<Cow<'m, [Value]>> {
    match private {
        Some(queue) => queue.in_front(view.cells, message, view.limit).map(Cow::Owned),
        None => Some(Cow::Borrowed(message)),
    }
}

/// The parts that take a message; `None` if they cannot be listed.
fn parts_of(told: &[bool], message: &[Value]) -> Option<Vec<Part>> {
    let mut parts: Vec<Part> = vec![Vec::new()];
    for (position, told) in told.iter().enumerate() {
        let values: Vec<Option<i64>> = match (told, message.get(position)) {
            (false, _) => vec![None],
            (true, Some(field)) if field.channels.is_empty() => {
                field.numbers.values()?.iter().copied().map(Some).collect()
            }
            (true, _) => return None,
        };
        let longer = |part: &Part| -> Vec<Part> {
            values.iter().map(|value| part.iter().copied().chain([*value]).collect()).collect()
        };
        parts = parts.iter().flat_map(longer).collect();
        if parts.len() > PARTS {
            return None;
        }
    }
    Some(parts)
}
