//! The net of a system: its places by name, and incidence lists, so that a check takes time linear
//! in what a claim names and not in the system for each name.

use std::collections::BTreeMap;

use cfsm_core::ids::{Id, IdMap};
use cfsm_core::system::{BufferId, ClassId, DataId, MessageId, StateId, System, TransitionId};

use crate::rejection::{Violation, ensure, violation};

/// A system with its names and incidence lists. Names are unique in a valid system.
pub struct Net<'s> {
    pub system: &'s System,
    buffers: BTreeMap<&'s str, BufferId>,
    classes: BTreeMap<&'s str, ClassId>,
    messages: BTreeMap<String, MessageId>,
    data: BTreeMap<&'s str, DataId>,
    states: BTreeMap<String, StateId>,
    /// The transitions that send or receive a message type.
    pub of_message: Lists<MessageId, TransitionId>,
    /// The transitions that change a data place.
    of_data: Lists<DataId, TransitionId>,
    /// The transitions that leave a state, or put an instance there.
    pub of_state: Lists<StateId, TransitionId>,
    /// The transitions that create instances of a class, once for each instance.
    pub creating: Lists<ClassId, TransitionId>,
    /// The message types of a buffer.
    pub in_buffer: Lists<BufferId, MessageId>,
    /// The classes whose instances start at a state.
    pub starting: Lists<StateId, ClassId>,
}

impl<'s> Net<'s> {
    /// Time linear in the system, and `O(n log n)` in its names.
    pub fn new(system: &'s System) -> Self {
        let (mut messages, mut data, mut states, mut creating) = (vec![], vec![], vec![], vec![]);
        for (id, transition) in system.transitions.iter() {
            messages.extend(transition.events.iter().map(|event| (event.message, id)));
            data.extend(transition.data.iter().map(|change| (change.place, id)));
            states.extend([transition.source, transition.target].map(|state| (state, id)));
            states.extend(transition.creates.iter().map(|class| (system.classes[*class].initial, id)));
            creating.extend(transition.creates.iter().map(|class| (*class, id)));
        }
        let in_buffer: Vec<_> = system.messages.iter().map(|(id, message)| (message.buffer, id)).collect();
        let starting: Vec<_> = system.classes.iter().map(|(id, class)| (class.initial, id)).collect();
        Self {
            system,
            buffers: system.buffers.iter().map(|(id, buffer)| (&*buffer.name, id)).collect(),
            classes: system.classes.iter().map(|(id, class)| (&*class.name, id)).collect(),
            messages: system.messages.ids().map(|id| (system.message_name(id), id)).collect(),
            data: system.data.iter().map(|(id, place)| (&*place.name, id)).collect(),
            states: system.states.ids().map(|id| (system.state_name(id), id)).collect(),
            of_message: Lists::new(system.messages.len(), &messages),
            of_data: Lists::new(system.data.len(), &data),
            of_state: Lists::new(system.states.len(), &states),
            creating: Lists::new(system.classes.len(), &creating),
            in_buffer: Lists::new(system.buffers.len(), &in_buffer),
            starting: Lists::new(system.states.len(), &starting),
        }
    }

    pub fn buffer(&self, name: &str) -> Result<BufferId, Violation> {
        found(self.buffers.get(name), "buffer", name)
    }

    pub fn class(&self, name: &str) -> Result<ClassId, Violation> {
        found(self.classes.get(name), "class", name)
    }

    pub fn message(&self, name: &str) -> Result<MessageId, Violation> {
        found(self.messages.get(name), "message type", name)
    }

    pub fn data(&self, name: &str) -> Result<DataId, Violation> {
        found(self.data.get(name), "data place", name)
    }

    pub fn state(&self, name: &str) -> Result<StateId, Violation> {
        found(self.states.get(name), "state", name)
    }

    /// A state of a class.
    pub fn state_of(&self, class: ClassId, name: &str) -> Result<StateId, Violation> {
        let state = self.state(name)?;
        let own = &self.system.classes[class].name;
        ensure!(self.system.states[state].class == class, "the state `{name}` is not one of `{own}`");
        Ok(state)
    }

    /// The transitions that change the number of tokens of some of these places, ascending. Any
    /// other transition changes a potential in which all other places weigh 0 by 0.
    pub fn transitions(
        &self,
        messages: &[MessageId],
        data: &[DataId],
        states: &[StateId],
    ) -> Vec<TransitionId> {
        let near = messages.iter().flat_map(|id| self.of_message.of(*id));
        let near = near.chain(data.iter().flat_map(|id| self.of_data.of(*id)));
        let near = near.chain(states.iter().flat_map(|id| self.of_state.of(*id)));
        let mut found: Vec<TransitionId> = near.copied().collect();
        found.sort_unstable();
        found.dedup();
        found
    }
}

fn found<I: Copy>(found: Option<&I>, kind: &'static str, name: &str) -> Result<I, Violation> {
    found.copied().ok_or_else(|| violation!("the system has no {kind} `{name}`"))
}

/// Lists of things per id, in two vectors.
pub struct Lists<I, T> {
    starts: IdMap<I, usize>,
    items: Vec<T>,
}

impl<I: Id, T: Copy> Lists<I, T> {
    /// From pairs of owner and item; each list keeps their order.
    fn new(owners: usize, pairs: &[(I, T)]) -> Self {
        let after = |owner: I| I::new(owner.index() + 1);
        let mut starts = IdMap::filled(0, owners + 1);
        pairs.iter().for_each(|(owner, _)| starts[after(*owner)] += 1);
        for owner in (0..owners).map(I::new) {
            starts[after(owner)] += starts[owner];
        }
        let (mut next, mut order) = (starts.clone(), vec![0; pairs.len()]);
        for (at, (owner, _)) in pairs.iter().enumerate() {
            order[next[*owner]] = at;
            next[*owner] += 1;
        }
        Self { starts, items: order.into_iter().map(|at| pairs[at].1).collect() }
    }

    pub fn of(&self, id: I) -> &[T] {
        &self.items[self.starts[id]..self.starts[I::new(id.index() + 1)]]
    }
}
