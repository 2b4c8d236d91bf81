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

use crate::all_states::Maximum;

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

    /// One, unless instances of a type have been told apart by more than their numbers. Time linear
    /// in the number of buffers.
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

/// Bounds and true maxima of buffers from those of queues. A buffer has one if each queue that it
/// may be is this buffer for certain; one of which no queue ever existed has none. It has a true
/// maximum if the longest of its queues has.
pub(crate) fn maxima<C: Correspondence>(
    correspondence: &C,
    queues: &BTreeMap<QueueOrigin, Maximum>,
) -> (BTreeMap<BufferId, u32>, BTreeMap<BufferId, u32>) {
    let mut maxima: BTreeMap<BufferId, Maximum> = BTreeMap::new();
    let mut doubtful: BTreeSet<BufferId> = BTreeSet::new();
    for (origin, maximum) in queues {
        let buffers = correspondence.buffers(origin);
        if let [buffer] = &buffers[..] {
            let known = maxima.entry(*buffer).or_insert(*maximum);
            *known = if (known.bound, known.attained) < (maximum.bound, maximum.attained) {
                *maximum
            } else {
                *known
            };
        } else {
            doubtful.extend(buffers);
        }
    }
    maxima.retain(|buffer, _| !doubtful.contains(buffer));
    let exact = maxima.iter().filter(|(_, maximum)| maximum.attained);
    let exact = exact.map(|(buffer, maximum)| (*buffer, maximum.bound)).collect();
    (maxima.into_iter().map(|(buffer, maximum)| (buffer, maximum.bound)).collect(), exact)
}
