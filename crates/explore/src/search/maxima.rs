//! Greatest number of messages that queues held in any state.

use std::collections::BTreeMap;

use crate::state::QueueState;
use crate::{QueueOrigin, Semantics, State, Step};

/// Greatest number of messages that queues held, by declaration and owner.
#[derive(Debug, Default)]
pub(crate) struct Maxima {
    most: Vec<Vec<Option<u32>>>,
}

impl Maxima {
    pub fn note(&mut self, state: &State) {
        state.queues.iter().for_each(|queue| self.raise(queue, queue.length));
    }

    fn raise(&mut self, queue: &QueueState, length: u32) {
        let code = usize::from(queue.code);
        if self.most.len() <= code {
            self.most.resize(code + 1, Vec::new());
        }
        // Global queues, whose owner is the greatest number, come first.
        let owner = usize::from(queue.owner.wrapping_add(1));
        let owners = &mut self.most[code];
        if owners.len() <= owner {
            owners.resize(owner + 1, None);
        }
        owners[owner] = owners[owner].max(Some(length));
    }

    /// Records lengths in the middle of a step, and those before an error in the middle of it.
    pub fn peaks(&mut self, before: &State, step: &Step) {
        let has_middle = step.moves.len() > 1 || step.after.is_none();
        let mut lengths: BTreeMap<usize, u32> = BTreeMap::new();
        for moved in &step.moves {
            for (message, sent) in [(&moved.sent, true), (&moved.received, false)] {
                let Some(message) = message else { continue };
                let Some(queue) = before.queues.get(message.queue - 1) else { continue };
                let length = lengths.entry(message.queue).or_insert(queue.length);
                *length = if sent { *length + 1 } else { length.saturating_sub(1) };
                if has_middle {
                    self.raise(queue, *length);
                }
            }
        }
    }

    pub fn named(&self, semantics: &Semantics) -> BTreeMap<QueueOrigin, u32> {
        let mut named = BTreeMap::new();
        for (code, owners) in semantics.queues.iter().zip(&self.most) {
            for (owner, most) in owners.iter().enumerate() {
                let Some(most) = *most else { continue };
                let process = code.owner.map(|ty| (owner.wrapping_sub(1), ty));
                let origin = QueueOrigin { process, variable: code.variable, element: code.element as usize };
                // A rendezvous message was never stored in a queue.
                named.insert(origin, if code.rendezvous { 0 } else { most });
            }
        }
        named
    }
}
