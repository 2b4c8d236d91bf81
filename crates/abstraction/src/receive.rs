//! Abstract execution of receives.
//!
//! A receive that stores a field in an unfolded variable is split by the values of that field: as
//! if there were a receive for each of them. So a value that travels in a message is not lost on
//! the way, and message types are distinguished by it (thesis 11.4: message-determined conditions).

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::iter::repeat;

use cfsm_core::program::{Expression, Pattern};

use crate::channels::{ObjectId, denoted};
use crate::evaluate::{View, evaluate};
use crate::numbers::ValueSet;
use crate::private_queue::PrivateQueue;
use crate::step::{Effect, Step, TransferCtx, matches, stored};
use crate::traffic::{Party, Patterns};
use crate::unfolding::Unfolded;
use crate::values::Value;

/// For each pattern, the single value that the field must have, if the receive is split by it.
type Part = Vec<Option<i64>>;

/// A receive statement at a reached location.
#[derive(Debug)]
pub(crate) struct Receive<'a> {
    ctx: &'a TransferCtx<'a>,
    view: &'a View<'a>,
    party: Party,
    patterns: &'a [Pattern],
    peek: bool,
    /// The private queue that it receives from, if any.
    private: Option<&'a PrivateQueue>,
    /// The channel objects that it may receive from.
    pub(crate) listens: Vec<ObjectId>,
    /// The values that it accepts.
    pub(crate) wanted: Patterns,
    /// For each pattern, the cells that it may store into.
    touched: Vec<Vec<usize>>,
}

impl<'a> Receive<'a> {
    /// Creates a receive at a location.
    pub(crate) fn new(
        ctx: &'a TransferCtx<'a>,
        view: &'a View<'a>,
        party: Party,
        channel: &Expression,
        patterns: &'a [Pattern],
        peek: bool,
    ) -> Self {
        // All matching is done before any value is stored.
        let wanted = view.wanted(patterns);
        let private = view.private_queue(channel);
        let listens = denoted(ctx.objects, &evaluate(channel, view));
        let touched = patterns.iter().map(|pattern| match pattern {
            Pattern::Store(place) => view.touched(place).cells,
            Pattern::Any | Pattern::Match(_) => Vec::new(),
        });
        let touched = touched.collect();
        Self { ctx, view, party, patterns, peek, private, listens, wanted, touched }
    }

    /// The steps of the receive. Time linear in the messages, times the parts into which it is
    /// split.
    pub(crate) fn steps(&self) -> Vec<Step> {
        let whole = vec![None; self.patterns.len()];
        self.apart(whole, self.ctx.unfolded)
    }

    /// The steps of a part, split further by those of the unfolded variables that are
    /// distinguished.
    fn apart(&self, part: Part, unfolded: &[Unfolded]) -> Vec<Step> {
        let Some(step) = self.step(&part) else { return Vec::new() };
        let told = |unfolded: &Unfolded| {
            let filled = self.filled(unfolded.position()).filter(|at| part[*at].is_none())?;
            unfolded.tells_messages_apart(self.ctx.target, &step.cells).then_some(filled)
        };
        let Some((rest, filled)) =
            unfolded.iter().enumerate().find_map(|(rest, unfolded)| Some((rest + 1, told(unfolded)?)))
        else {
            return vec![step];
        };
        let Some(parts) = self.parts(&part, filled) else { return self.apart(part, &unfolded[rest..]) };
        let steps: Vec<Step> =
            parts.into_iter().flat_map(|part| self.apart(part, &unfolded[rest..])).collect();
        if steps.len() > self.view.limit { vec![step] } else { steps }
    }

    /// The field that may be stored in a cell.
    fn filled(&self, cell: usize) -> Option<usize> {
        self.touched.iter().position(|touched| touched.contains(&cell))
    }

    /// The matching messages that may be received from a channel object.
    fn messages<'s>(
        &'s self,
        object: ObjectId,
        wanted: &'s [Option<Value>],
    ) -> impl Iterator<Item = Cow<'s, [Value]>> {
        let handshake = self.ctx.objects[object].shape.capacity == 0;
        // Reading a message that is never stored ends the run.
        let looks = !(handshake && self.peek);
        let messages = self.ctx.traffic.messages(object, handshake.then_some(self.party));
        let known = messages.filter_map(|message| received(self.view, self.private, message));
        known.filter(move |message| looks && matches(message, wanted))
    }

    /// Splits a part by the values of a field: together the parts accept every message that the
    /// part accepts. `None` if there are too many.
    fn parts(&self, part: &Part, field: usize) -> Option<Vec<Part>> {
        let mut values: BTreeSet<i64> = BTreeSet::new();
        let wanted = self.narrowed(part);
        for message in self.listens.iter().flat_map(|object| self.messages(*object, &wanted)) {
            let held = message.get(field).filter(|held| held.channels.is_empty())?;
            values.extend(held.numbers.values()?);
            if values.len() > self.view.limit {
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

    /// The values that a part accepts.
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
                // If a message has too few fields, the remaining ones may have any value.
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
        let (mut cells, written) = stored(self.ctx, self.view, self.patterns, &received)?;
        self.private.iter().for_each(|queue| queue.behind(&mut cells, self.peek));
        let effect = Effect::Receive { from: from.clone(), patterns: wanted, peek: self.peek };
        (!from.is_empty()).then_some(Step { effect, cells, written })
    }
}

/// The refined fields of a received message; `None` if it cannot be the first of the private queue.
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
