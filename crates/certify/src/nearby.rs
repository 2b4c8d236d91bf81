//! What is next to what, so that a claim costs what it says and not what the system holds.

use cfsm_core::ids::{Id, IdMap};
use cfsm_core::system::{BufferId, ClassId, DataId, MessageId, StateId, System, TransitionId};

/// Lists of things per id, in two vectors.
struct Lists<T> {
    starts: Vec<usize>,
    items: Vec<T>,
}

impl<T: Copy> Lists<T> {
    /// From pairs of owner and item; each list keeps their order.
    fn new(owners: usize, pairs: &[(usize, T)]) -> Self {
        let mut starts = vec![0; owners + 1];
        pairs.iter().for_each(|(owner, _)| starts[owner + 1] += 1);
        for at in 0..owners {
            starts[at + 1] += starts[at];
        }
        let mut next = starts.clone();
        let mut order = vec![0; pairs.len()];
        for (at, (owner, _)) in pairs.iter().enumerate() {
            order[next[*owner]] = at;
            next[*owner] += 1;
        }
        Self { starts, items: order.into_iter().map(|at| pairs[at].1).collect() }
    }

    fn of(&self, id: impl Id) -> &[T] {
        &self.items[self.starts[id.index()]..self.starts[id.index() + 1]]
    }
}

/// Per place, the transitions to whose change its weight contributes, and other relations of a
/// system.
pub struct Nearby {
    of_message: Lists<TransitionId>,
    of_data: Lists<TransitionId>,
    of_state: Lists<TransitionId>,
    messages: Lists<MessageId>,
    starting: Lists<ClassId>,
    seen: IdMap<TransitionId, bool>,
}

impl Nearby {
    /// Time linear in the system.
    pub fn of(system: &System) -> Self {
        let starting: Vec<_> = system.classes.iter().map(|(id, class)| (class.initial.index(), id)).collect();
        let (mut messages, mut data, mut states) = (Vec::new(), Vec::new(), Vec::new());
        for (id, transition) in system.transitions.iter() {
            messages.extend(transition.events.iter().map(|event| (event.message.index(), id)));
            data.extend(transition.data.iter().map(|change| (change.place.index(), id)));
            states.extend([transition.source, transition.target].map(|state| (state.index(), id)));
            let created = transition.creates.iter().map(|class| system.classes[*class].initial);
            states.extend(created.map(|state| (state.index(), id)));
        }
        let of_buffer: Vec<_> =
            system.messages.iter().map(|(id, message)| (message.buffer.index(), id)).collect();
        Self {
            of_message: Lists::new(system.messages.len(), &messages),
            of_data: Lists::new(system.data.len(), &data),
            of_state: Lists::new(system.states.len(), &states),
            messages: Lists::new(system.buffers.len(), &of_buffer),
            starting: Lists::new(system.states.len(), &starting),
            seen: IdMap::filled(false, system.transitions.len()),
        }
    }

    /// The message types of a buffer, ascending.
    pub fn messages(&self, buffer: BufferId) -> &[MessageId] {
        self.messages.of(buffer)
    }

    /// The classes that start at a state.
    pub fn starting(&self, state: StateId) -> &[ClassId] {
        self.starting.of(state)
    }

    /// The transitions that change the number of tokens of some of these places, ascending. What
    /// any other transition does to a potential in which all other places weigh 0 is 0.
    pub fn transitions(
        &mut self,
        messages: &[MessageId],
        data: &[DataId],
        states: &[StateId],
    ) -> Vec<TransitionId> {
        let (of_message, of_data, of_state) = (&self.of_message, &self.of_data, &self.of_state);
        let near = messages.iter().flat_map(|id| of_message.of(*id));
        let near = near.chain(data.iter().flat_map(|id| of_data.of(*id)));
        let near = near.chain(states.iter().flat_map(|id| of_state.of(*id)));
        let seen = &mut self.seen;
        let mut found: Vec<TransitionId> =
            near.copied().filter(|&id| !std::mem::replace(&mut seen[id], true)).collect();
        found.iter().for_each(|&id| self.seen[id] = false);
        found.sort_unstable();
        found
    }
}
