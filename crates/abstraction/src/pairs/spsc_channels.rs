//! Queues with a single receiver and known single senders (single-producer, single-consumer
//! channels once the senders are considered one by one).

use std::collections::{BTreeMap, BTreeSet};

use cfsm_core::program::EdgeId;

use crate::analysis::Analysis;
use crate::channels::ObjectId;
use crate::contexts::ContextId;
use crate::order::out_of_order;
use crate::step::Effect;

/// A queue with one receiver, which receives messages in the order in which they were sent, and
/// with senders that have one instance each.
#[derive(Clone, Debug)]
pub(crate) struct SpscChannel {
    pub(crate) queue: ObjectId,
    pub(crate) receiver: ContextId,
    /// The receiver's statements that receive from it.
    pub(crate) receives: BTreeSet<EdgeId>,
    /// The contexts that send into it, other than the receiver.
    pub(crate) senders: BTreeSet<ContextId>,
}

/// The uses of one queue.
#[derive(Default)]
struct Use {
    receives: BTreeMap<ContextId, BTreeSet<EdgeId>>,
    senders: BTreeSet<ContextId>,
    /// `true` if a message may overtake one that was sent earlier, or may be read without being
    /// removed.
    out_of_order: bool,
}

/// The SPSC channels of a program. Time linear in the steps that the fixpoint has found, times the
/// queues that each may refer to.
pub(crate) fn spsc_channels(analysis: &Analysis<'_>) -> Vec<SpscChannel> {
    let mut spsc_channels = Vec::new();
    for (queue, found) in uses(analysis) {
        let object = &analysis.objects[queue];
        // A local queue exists once per instance, and its number may be reused for another queue. A
        // lossy queue is excluded, since a message that is lost is not received.
        let is_one = object.owner.is_none() && object.shape.capacity > 0 && !object.shape.is_lossy();
        let mut receivers = found.receives.into_iter();
        let (Some((receiver, receives)), None) = (receivers.next(), receivers.next()) else { continue };
        let mut senders = found.senders;
        senders.remove(&receiver);
        let are_alone = senders.iter().chain([&receiver]).all(|party| !analysis.several(*party));
        if is_one && !found.out_of_order && !senders.is_empty() && are_alone {
            spsc_channels.push(SpscChannel { queue, receiver, receives, senders });
        }
    }
    spsc_channels
}

/// The uses of all queues.
fn uses(analysis: &Analysis<'_>) -> BTreeMap<ObjectId, Use> {
    let mut uses: BTreeMap<ObjectId, Use> = BTreeMap::new();
    for (id, context) in analysis.contexts.iter() {
        let edges = &analysis.program.types[context.process_type].edges;
        let live = context.live();
        let nodes = context.nodes.iter().filter(|(node, _)| live[*node]);
        for step in nodes.flat_map(|(_, node)| &node.moves) {
            let strange = out_of_order(&edges[step.edge].action);
            match &step.effect {
                Effect::Send(messages) => {
                    for (object, _) in messages {
                        let found = uses.entry(*object).or_default();
                        found.senders.insert(id);
                        found.out_of_order |= strange;
                    }
                }
                Effect::Receive { from, peek, .. } => {
                    for object in from {
                        let found = uses.entry(*object).or_default();
                        found.receives.entry(id).or_default().insert(step.edge);
                        found.out_of_order |= strange || *peek;
                    }
                }
                Effect::Nothing | Effect::Create { .. } => {}
            }
        }
    }
    uses
}
