//! How a program is held against the system that is decided about.

use std::collections::{BTreeMap, BTreeSet};

#[cfg(feature = "programs")]
use abstraction::Abstraction;
use cfsm_core::ids::Id;
use cfsm_core::program::{EdgeId, ProcessTypeId};
#[cfg(feature = "programs")]
use cfsm_core::system::BufferKind;
use cfsm_core::system::{BufferId, TransitionId, Translation};
use explore::QueueOrigin;

/// What connects a system with a program whose runs are searched.
pub trait Correspondence {
    /// The statements that a transition stands for.
    fn statements(&self, transition: TransitionId) -> &[(ProcessTypeId, EdgeId)];

    /// The buffers that a queue of a run may be: one, if that is certain.
    fn buffers(&self, queue: &QueueOrigin) -> Vec<BufferId>;
}

#[cfg(feature = "programs")]
impl Correspondence for Abstraction {
    fn statements(&self, transition: TransitionId) -> &[(ProcessTypeId, EdgeId)] {
        &self.statements[transition]
    }

    /// One, unless instances of a type have been told apart by more than their numbers. Time linear in the number
    /// of buffers.
    fn buffers(&self, queue: &QueueOrigin) -> Vec<BufferId> {
        let declared = self.declarations.iter().filter(|(id, declaration)| {
            self.system.buffers[*id].kind == BufferKind::Queue
                && declaration.covers(queue.process, queue.variable, queue.element)
        });
        declared.map(|(id, _)| id).collect()
    }
}

impl Correspondence for Translation {
    fn statements(&self, transition: TransitionId) -> &[(ProcessTypeId, EdgeId)] {
        &self.statements[transition]
    }

    fn buffers(&self, queue: &QueueOrigin) -> Vec<BufferId> {
        vec![BufferId::new(queue.variable.index())]
    }
}

/// The true maxima of buffers from those of queues. A buffer has one if each queue that it may be is this
/// buffer for certain; one of which no queue ever existed has none.
pub(crate) fn maxima<C: Correspondence>(
    correspondence: &C,
    queues: &BTreeMap<QueueOrigin, Option<u32>>,
) -> BTreeMap<BufferId, u32> {
    let mut maxima: BTreeMap<BufferId, u32> = BTreeMap::new();
    let mut doubtful: BTreeSet<BufferId> = BTreeSet::new();
    for (origin, &most) in queues {
        let buffers = correspondence.buffers(origin);
        if let ([buffer], Some(most)) = (&buffers[..], most) {
            let known = maxima.entry(*buffer).or_insert(0);
            *known = most.max(*known);
        } else {
            doubtful.extend(buffers);
        }
    }
    maxima.retain(|buffer, _| !doubtful.contains(buffer));
    maxima
}
