//! Whether the order of messages is kept.

use std::collections::BTreeSet;

use cfsm_core::program::{Action, Program};
use cfsm_core::system::Order;

use crate::analysis::Analysis;
use crate::channels::ObjectId;
use crate::grouping::Grouping;
use crate::step::Deed;

/// The order in which the queues of a system deliver, if each stands for one queue of the program,
/// and that is only sent to at its end and received from at its front.
/// `docs/soundness/abstraction.md` has the argument. Time linear in program and objects.
pub(crate) fn order(program: &Program, analysis: &Analysis<'_>, grouping: &Grouping) -> Option<Order> {
    let mut actions =
        program.types.values().flat_map(|process| process.edges.values()).map(|edge| &edge.action);
    // A queue of a process comes to be with each instance, and its number may become that of
    // another.
    let is_one = |(object, standing): (ObjectId, &ObjectId)| {
        object == *standing && analysis.objects[object].owner.is_none()
    };
    let mut objects = analysis.objects.ids().zip(&grouping.representative);
    (objects.all(is_one) && !actions.any(out_of_order)).then_some(Order::FifoCover)
}

/// The objects that are one queue of the program each, sent to only at its end and received from
/// only at its front. Time linear in the steps that the analysis has found.
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
            match &step.deed {
                Deed::Send(messages) => messages.iter().for_each(|(object, _)| {
                    kept.remove(object);
                }),
                Deed::Receive { from, .. } => from.iter().for_each(|object| {
                    kept.remove(object);
                }),
                Deed::Nothing | Deed::Create { .. } => {}
            }
        }
    }
    kept
}

/// Whether a statement may put a message before others, or take one from behind them.
pub(crate) const fn out_of_order(action: &Action) -> bool {
    matches!(action, Action::Send { sorted: true, .. } | Action::Receive { random: true, .. })
}
