//! Executability of statements.

use std::collections::BTreeMap;

use cfsm_core::ids::Id;
use cfsm_core::program::{EdgeId, ProcessTypeId};

use crate::code::{Choice, EdgeCode, Statement};
use crate::evaluate::Scene;
use crate::semantics::Semantics;
use crate::state::State;
use crate::{QueueOrigin, RunError};

/// Result of the executability test of a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ready {
    /// Not executable.
    No,
    /// Executable.
    Yes,
    /// A receive that takes this message of this queue.
    Receive { queue: usize, slot: usize },
    /// A send to this queue.
    Send { queue: usize },
    /// A send to this rendezvous queue, executable if some process receives.
    Offer { queue: usize },
}

/// A full queue to which a process would send.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FullQueue {
    pub queue: usize,
    /// The type of the process that would send.
    pub process_type: ProcessTypeId,
    /// The edge of its send statement.
    pub edge: EdgeId,
}

impl Semantics {
    /// Tests if the process of the scene can execute a statement. While a rendezvous waits for its
    /// receiver, only receives are executable.
    pub(crate) fn ready(&self, state: &State, scene: &Scene, edge: &EdgeCode) -> Result<Ready, RunError> {
        if scene.offer.is_some() && !matches!(edge.statement, Statement::Receive(_)) {
            return Ok(Ready::No);
        }
        let when = |condition| if condition { Ready::Yes } else { Ready::No };
        Ok(match &edge.statement {
            Statement::Condition(condition) => when(self.holds(state, scene, condition)?),
            Statement::Else => when(!scene.moved),
            Statement::Send { channel, .. } => {
                let channel = self.value(state, scene, channel)?;
                let queue = self.find_queue(state, channel)?;
                match (self.has_no_room(state, queue, scene.waiting), self.code_at(state, queue).rendezvous) {
                    (true, _) => Ready::No,
                    (false, false) => Ready::Send { queue },
                    (false, true) => Ready::Offer { queue },
                }
            }
            Statement::Receive(receive) => match self.receivable(state, scene, receive)? {
                Some((queue, slot)) => Ready::Receive { queue, slot },
                None => Ready::No,
            },
            Statement::Assign(..)
            | Statement::Create(_)
            | Statement::Assert(_)
            | Statement::Print(_)
            | Statement::SetPriority(..) => Ready::Yes,
        })
    }

    /// The full queues to which some process that may step is about to send.
    pub(crate) fn full_for_sends(&self, state: &State) -> Vec<FullQueue> {
        if !(0..state.queue_count()).any(|queue| self.is_full_queue(state, queue)) {
            return Vec::new();
        }
        let processes = match state.held() {
            Some(holder) => holder..holder + 1,
            None => 0..state.process_count(),
        };
        let mut full = Vec::new();
        for process in processes {
            let scene = Scene::of(process);
            if !self.may_step(state, &scene).unwrap_or(false) {
                continue;
            }
            let process_type = state.type_of(process);
            for edge in self.types[process_type.index()].edges_at(state.location_of(process)) {
                let Statement::Send { channel, .. } = &edge.statement else { continue };
                let queue =
                    self.value(state, &scene, channel).and_then(|channel| self.find_queue(state, channel));
                let queue = queue.ok().filter(|queue| self.is_full_queue(state, *queue));
                full.extend(queue.map(|queue| FullQueue { queue, process_type, edge: edge.id }));
            }
        }
        full
    }

    /// For each full queue to which a process that may step is about to send, one of the send
    /// statements.
    #[must_use]
    pub fn sends_without_room(&self, state: &State) -> BTreeMap<QueueOrigin, (ProcessTypeId, EdgeId)> {
        let full = self.full_for_sends(state).into_iter();
        let named = full.filter_map(|full| {
            let origin = self.queue_origin(state, full.queue + 1)?;
            Some((origin, (full.process_type, full.edge)))
        });
        named.collect()
    }

    /// Returns `true` if a queue is full and not a rendezvous.
    fn is_full_queue(&self, state: &State, queue: usize) -> bool {
        !self.code_at(state, queue).rendezvous && self.is_at_capacity(state, queue)
    }

    /// The first executable edge of a choice. A choice has several edges only in a `d_step`.
    pub(crate) fn first_ready(
        &self,
        state: &State,
        scene: &Scene,
        choice: &Choice,
    ) -> Result<Option<(u32, Ready)>, RunError> {
        let edges = &self.types[state.type_of(scene.process).index()].edges;
        for edge in choice.first..choice.first + choice.count {
            let ready = self.ready(state, scene, &edges[edge as usize])?;
            if ready != Ready::No {
                return Ok(Some((edge, ready)));
            }
        }
        Ok(None)
    }

    /// Tests if a process has an executable statement in the sense of `enabled`: a rendezvous needs
    /// no partner, and neither `provided` nor priorities count.
    pub(crate) fn is_enabled(&self, state: &State, scene: &Scene) -> Result<bool, RunError> {
        let ty = &self.types[state.type_of(scene.process).index()];
        let location = state.location_of(scene.process);
        if location == ty.exit {
            return Ok(scene.offer.is_none() && scene.process + 1 == state.process_count());
        }
        for choice in &ty.choices[location.index()] {
            if self.first_ready(state, scene, choice)?.is_some() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Tests if a process may step: its `provided` condition holds, and no process of greater
    /// priority is enabled.
    pub(crate) fn may_step(&self, state: &State, scene: &Scene) -> Result<bool, RunError> {
        if !self.is_provided(state, scene)? {
            return Ok(false);
        }
        if !self.has_priorities {
            return Ok(true);
        }
        let priority = state.priority_of(scene.process);
        for process in 0..state.process_count() {
            let other = Scene { process, moved: false, ..*scene };
            if process != scene.process
                && state.priority_of(process) > priority
                && self.is_provided(state, &other)?
                && self.is_enabled(state, &other)?
            {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn is_provided(&self, state: &State, scene: &Scene) -> Result<bool, RunError> {
        match &self.types[state.type_of(scene.process).index()].provided {
            Some(provided) => self.holds(state, scene, provided),
            None => Ok(true),
        }
    }
}
