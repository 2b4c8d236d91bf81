//! What a receive may do at a location.
//!
//! Where a field is stored in a variable that is unfolded, the receive is taken apart by the values
//! of that field: it is as if there were a receive for each of them. So a value that travels in a
//! message is not lost on the way, and messages are told apart by it (thesis 11.4:
//! message-determined conditions).

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
use crate::unfolding::Unfolded;
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
    /// Of each pattern, the cells that it may store into.
    touched: Vec<Vec<usize>>,
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
        let touched = patterns.iter().map(|pattern| match pattern {
            Pattern::Store(place) => view.touched(place).cells,
            Pattern::Any | Pattern::Match(_) => Vec::new(),
        });
        let touched = touched.collect();
        Self { world, view, party, patterns, peek, private, listens, wanted, touched }
    }

    /// What it may do. Time linear in the messages, times the parts that it is taken apart into.
    pub(crate) fn steps(&self) -> Vec<Step> {
        let whole = vec![None; self.patterns.len()];
        self.apart(whole, self.world.unfolded)
    }

    /// What it may do in a part, taken apart by what of these is told apart.
    fn apart(&self, part: Part, unfolded: &[Unfolded]) -> Vec<Step> {
        let Some(step) = self.step(&part) else { return Vec::new() };
        let told = |unfolded: &Unfolded| {
            let filled = self.filled(unfolded.position()).filter(|at| part[*at].is_none())?;
            unfolded.tells_messages_apart(self.world.target, &step.cells).then_some(filled)
        };
        let Some((rest, filled)) =
            unfolded.iter().enumerate().find_map(|(rest, unfolded)| Some((rest + 1, told(unfolded)?)))
        else {
            return vec![step];
        };
        let Some(parts) = self.parts(&part, filled) else { return self.apart(part, &unfolded[rest..]) };
        let steps: Vec<Step> =
            parts.into_iter().flat_map(|part| self.apart(part, &unfolded[rest..])).collect();
        if steps.len() > PARTS { vec![step] } else { steps }
    }

    /// The field that may be stored in a cell.
    fn filled(&self, cell: usize) -> Option<usize> {
        self.touched.iter().position(|touched| touched.contains(&cell))
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

    /// The parts of a part by the values of a field: together they take every message that it
    /// takes. `None` if they are too many.
    fn parts(&self, part: &Part, field: usize) -> Option<Vec<Part>> {
        let mut values: BTreeSet<i64> = BTreeSet::new();
        let wanted = self.narrowed(part);
        for message in self.listens.iter().flat_map(|object| self.messages(*object, &wanted)) {
            let held = message.get(field).filter(|held| held.channels.is_empty())?;
            values.extend(held.numbers.values()?);
            if values.len() > PARTS {
                return None;
            }
        }
        let narrower = |value| {
            let mut part = part.clone();
            part[field] = Some(value);
            part
        };
        Some(values.into_iter().map(narrower).collect())
    }

    /// What is asked for in a part.
    fn narrowed(&self, part: &Part) -> Patterns {
        let narrowed = self.wanted.iter().zip(part);
        narrowed.map(|(wanted, part)| part.map(constant).or_else(|| wanted.clone())).collect()
    }

    fn step(&self, part: &Part) -> Option<Step> {
        let wanted = self.narrowed(part);
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
            if let Some(value) = *part {
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

fn constant(value: i64) -> Value {
    ValueSet::of(value).into()
}
