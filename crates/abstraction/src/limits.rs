//! Capacity limits that are part of the question: the number of queues that a buffer represents,
//! and their total room.
//!
//! A channel that holds at most `k` messages has `k - len(q)` free places; a send takes one and a
//! receive returns one. In every run of the question that number is never below 0:
//! `docs/soundness/capacities.md`, *Limits as places*.

use crate::analysis::Analysis;
use crate::channels::ObjectId;
use crate::contexts::Birth;

/// Number of queues that the given channel objects represent over a whole run, if known.
pub(crate) fn queues(analysis: &Analysis<'_>, members: &[ObjectId]) -> Option<u64> {
    members.iter().map(|&object| queues_of(analysis, object)).sum()
}

fn queues_of(analysis: &Analysis<'_>, object: ObjectId) -> Option<u64> {
    let Some(owner) = analysis.objects[object].owner else { return Some(1) };
    match (&analysis.contexts[owner].birth, analysis.contexts[owner].shared) {
        (Birth::Initial(count), false) => Some(u64::from(*count)),
        _ if !analysis.several(owner) => Some(1),
        _ => None,
    }
}

/// The most messages that all queues of the given channel objects hold together, if all are
/// limited.
pub(crate) fn most(analysis: &Analysis<'_>, members: &[ObjectId]) -> Option<u64> {
    let of_object = |&object: &ObjectId| {
        let limit = analysis.objects[object].shape.limit?;
        u64::from(limit.size.get()).checked_mul(queues_of(analysis, object)?)
    };
    members.iter().map(of_object).sum()
}
