//! Which buffer of the abstract system a queue of a run is.

use std::collections::{BTreeMap, BTreeSet};

use abstraction::Abstraction;
use cfsm_core::system::{BufferId, BufferKind};
use explore::QueueOrigin;

/// The buffers that a queue may be: one, unless instances of a type have been told apart by more than their
/// numbers. Time linear in the number of buffers.
pub(crate) fn of_queue(abstraction: &Abstraction, origin: &QueueOrigin) -> Vec<BufferId> {
    let declared = abstraction.declarations.iter().filter(|(id, declaration)| {
        abstraction.system.buffers[*id].kind == BufferKind::Queue
            && declaration.covers(origin.process, origin.variable, origin.element)
    });
    declared.map(|(id, _)| id).collect()
}

/// The true maxima of buffers from those of queues. A buffer has one if each queue that it may be is this
/// buffer for certain; one of which no queue ever existed has none.
pub(crate) fn maxima(
    abstraction: &Abstraction,
    queues: &BTreeMap<QueueOrigin, u32>,
) -> BTreeMap<BufferId, u32> {
    let mut maxima: BTreeMap<BufferId, u32> = BTreeMap::new();
    let mut doubtful: BTreeSet<BufferId> = BTreeSet::new();
    for (origin, &most) in queues {
        let buffers = of_queue(abstraction, origin);
        if let [buffer] = buffers[..] {
            let known = maxima.entry(buffer).or_insert(0);
            *known = most.max(*known);
        } else {
            doubtful.extend(buffers);
        }
    }
    maxima.retain(|buffer, _| !doubtful.contains(buffer));
    maxima
}
