//! Preservation of message order: the buffers that deliver messages in the order in which they were
//! sent.

use std::collections::BTreeSet;

use cfsm_core::program::{Action, Program};
use cfsm_core::system::Order;

use crate::analysis::Analysis;
use crate::channels::ObjectId;
use crate::grouping::Grouping;
use crate::step::Effect;

/// The delivery order of the queues of a system: first-in first-out, if each buffer represents one
/// queue of the program, and messages are sent only to its end and received only from its front;
/// otherwise `None`. `docs/soundness/abstraction.md` has the argument. Time linear in program and
/// objects.
pub(crate) fn order(program: &Program, analysis: &Analysis<'_>, grouping: &Grouping) -> Option<Order> {
    let mut actions =
        program.types.values().flat_map(|process| process.edges.values()).map(|edge| &edge.action);
    // A local queue exists once per instance, and its number may be reused for another queue.
    let is_one = |(object, standing): (ObjectId, &ObjectId)| {
        object == *standing && analysis.objects[object].owner.is_none()
    };
    let mut objects = analysis.objects.ids().zip(&grouping.representative);
    (objects.all(is_one) && !actions.any(out_of_order)).then_some(Order::FifoCover)
}

/// The channel objects that represent one queue of the program each, to whose end messages are sent
/// and from whose front they are received only. Time linear in the steps that the analysis has
/// found.
pub(crate) fn kept(program: &Program, analysis: &Analysis<'_>, grouping: &Grouping) -> BTreeSet<ObjectId> {
    let lone = |object: &ObjectId| {
        let mut standing = analysis.objects.ids().zip(&grouping.representative);
        analysis.objects[*object].owner.is_none()
            && standing.all(|(other, standing)| (other == *object) == (standing == object))
    };
    let mut kept: BTreeSet<ObjectId> = analysis.objects.ids().filter(lone).collect();
    for context in analysis.contexts.values() {
        let edges = &program.types[context.process_type].edges;
        let moves = context.nodes.values().flat_map(|node| &node.moves);
        for step in moves.filter(|step| out_of_order(&edges[step.edge].action)) {
            match &step.effect {
                Effect::Send(messages) => messages.iter().for_each(|(object, _)| {
                    kept.remove(object);
                }),
                Effect::Receive { from, .. } => from.iter().for_each(|object| {
                    kept.remove(object);
                }),
                Effect::Nothing | Effect::Create { .. } => {}
            }
        }
    }
    kept
}

/// Returns `true` if a statement may insert a message before others, or take one from behind
/// others.
pub(crate) const fn out_of_order(action: &Action) -> bool {
    matches!(action, Action::Send { sorted: true, .. } | Action::Receive { random: true, .. })
}
