//! Whether the order of messages is kept.

use cfsm_core::program::{Action, Program};
use cfsm_core::system::Order;

use crate::analysis::Analysis;
use crate::channels::ObjectId;
use crate::grouping::Grouping;

/// The order in which the queues of a system deliver, if each stands for one queue of the program, and that is only sent to at its
/// end and received from at its front. `docs/soundness/abstraction.md` has the argument. Time linear in program and objects.
pub(crate) fn order(program: &Program, analysis: &Analysis<'_>, grouping: &Grouping) -> Option<Order> {
    let mut actions =
        program.types.values().flat_map(|process| process.edges.values()).map(|edge| &edge.action);
    let out_of_order = |action: &Action| {
        matches!(action, Action::Send { sorted: true, .. } | Action::Receive { random: true, .. })
    };
    // A queue of a process comes to be with each instance, and its number may become that of another.
    let is_one = |(object, standing): (ObjectId, &ObjectId)| {
        object == *standing && analysis.objects[object].owner.is_none()
    };
    let mut objects = analysis.objects.ids().zip(&grouping.representative);
    (objects.all(is_one) && !actions.any(out_of_order)).then_some(Order::FifoCover)
}
