//! Operations on queues.

use crate::code::QueueCode;
use crate::semantics::Semantics;
use crate::state::{QueueState, State};
use crate::{Message, RunError};

impl Semantics {
    /// The index of the queue that a channel number refers to.
    pub(crate) fn find_queue(&self, state: &State, channel: i32) -> Result<usize, RunError> {
        if channel == 0 {
            return Err(RunError::NoChannel);
        }
        let position = usize::try_from(channel).ok().map(|number| number - 1);
        position
            .filter(|position| *position < state.queues.len())
            .ok_or_else(|| RunError::UnknownChannel(channel.into()))
    }

    /// The declaration of a queue.
    pub(crate) fn code_at(&self, state: &State, queue: usize) -> &QueueCode {
        self.queue_code(&state.queues[queue])
    }

    /// Returns `true` if a queue holds at least its declared number of messages, which is what
    /// `full` tests. A rendezvous is full while a message is handed over.
    pub(crate) fn is_full(&self, state: &State, queue: usize) -> bool {
        let code = self.code_at(state, queue);
        let declared = if code.rendezvous { Some(1) } else { code.declared };
        declared.is_some_and(|declared| state.queues[queue].length >= declared)
    }

    /// A field of a message; 0 beyond the only field of a queue, as in Spin's verifier.
    pub(crate) fn field(
        &self,
        state: &State,
        queue: usize,
        slot: usize,
        field: usize,
    ) -> Result<i32, RunError> {
        let width = self.code_at(state, queue).fields.len();
        if field < width {
            let first = state.queues[queue].first as usize;
            return Ok(state.messages[first + slot * width + field]);
        }
        if width == 1 { Ok(0) } else { Err(RunError::FieldCount { given: field + 1, wanted: width }) }
    }

    /// Slot of a message in a sorted send: in front of the first greater one. The value that is
    /// sent is compared, not its truncation to the width of the field.
    pub(crate) fn sorted_slot(&self, state: &State, queue: usize, values: &[i32]) -> usize {
        let QueueState { first, length, .. } = state.queues[queue];
        let width = self.code_at(state, queue).fields.len();
        let greater = |slot: usize| {
            let at = first as usize + slot * width;
            let message = &state.messages[at..at + width];
            let sent = values.iter().copied().chain(std::iter::repeat(0));
            let differs = sent.zip(message).find(|(sent, kept)| sent != *kept);
            differs.is_some_and(|(sent, kept)| sent < *kept)
        };
        (0..length as usize).find(|slot| greater(*slot)).unwrap_or(length as usize)
    }

    /// Inserts a message into a queue; missing fields are 0, excess ones are dropped.
    pub(crate) fn insert(&self, state: &mut State, queue: usize, slot: usize, values: &[i32]) {
        let code = self.code_at(state, queue);
        let width = code.fields.len();
        let at = state.queues[queue].first as usize + slot * width;
        let end = state.messages.len();
        state.messages.resize(end + width, 0);
        state.messages.copy_within(at..end, at + width);
        for (field, kept) in code.fields.iter().enumerate() {
            state.messages[at + field] = kept.keep(values.get(field).copied().unwrap_or(0));
        }
        state.queues[queue].length += 1;
        for later in &mut state.queues[queue + 1..] {
            later.first += u32::try_from(width).unwrap_or(u32::MAX);
        }
    }

    /// Removes a message from a queue.
    pub(crate) fn remove(&self, state: &mut State, queue: usize, slot: usize) {
        let width = self.code_at(state, queue).fields.len();
        let at = state.queues[queue].first as usize + slot * width;
        state.messages.drain(at..at + width);
        state.queues[queue].length -= 1;
        for later in &mut state.queues[queue + 1..] {
            later.first -= u32::try_from(width).unwrap_or(u32::MAX);
        }
    }

    /// Removes all messages from a queue; returns `true` if there were any.
    pub(crate) fn clear_queue(&self, state: &mut State, queue: usize) -> bool {
        let held = state.queues[queue].length > 0;
        while state.queues[queue].length > 0 {
            self.remove(state, queue, 0);
        }
        held
    }

    /// The messages in a queue, field by field.
    pub(crate) fn contents<'s>(&self, state: &'s State, queue: usize) -> &'s [i32] {
        let QueueState { first, length, .. } = state.queues[queue];
        let width = self.code_at(state, queue).fields.len();
        &state.messages[first as usize..][..length as usize * width]
    }

    /// The message in a slot, for records of runs.
    pub(crate) fn message(&self, state: &State, queue: usize, slot: usize) -> Message {
        let width = self.code_at(state, queue).fields.len();
        let message = &self.contents(state, queue)[slot * width..][..width];
        let fields = message.iter().copied().map(i64::from).collect();
        Message { queue: queue + 1, fields }
    }
}
