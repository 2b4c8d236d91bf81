//! Privacy of queues declared by processes that are created repeatedly, whose queue numbers differ
//! from one instance to the next.

use std::collections::BTreeSet;

use cfsm_core::ids::Id;
use cfsm_core::program::ProcessTypeId;

use super::cells::Cells;
use super::channels::Channels;
use super::confined::Statements;
use super::uses::QueueSet;
use crate::Semantics;
use crate::code::{Code, EdgeCode, Init, Poll, Receive, Statement, TypeCode};

/// Returns `true` if the queues of processes that these statements create are used by their owners
/// only, as channels only, so that their numbers influence nothing. Every other channel that the
/// moving types use must be global. `part` is `whole` confined to the statements.
///
/// Time linear in the program.
pub(crate) fn queues_stay_private(part: &Semantics, whole: &Semantics, statements: &Statements) -> bool {
    let edges = |ty: &ProcessTypeId| &part.types[ty.index()].edges;
    let creates = |(ty, edge): &(ProcessTypeId, cfsm_core::program::EdgeId)| {
        edges(ty).iter().any(|code| {
            let Statement::Create(create) = &code.statement else { return false };
            code.id == *edge && !own(&part.types[create.process_type.index()]).is_empty()
        })
    };
    if !statements.iter().any(creates) {
        return true;
    }
    let channels = Channels::new(whole);
    let owned = whole.queues.iter().enumerate().filter(|(_, queue)| queue.owner.is_some());
    let owned = owned.fold(QueueSet::default(), |sum, (at, _)| sum.with(QueueSet::at(at)));
    let moving: BTreeSet<ProcessTypeId> = statements.iter().map(|(ty, _)| *ty).collect();
    moving.into_iter().all(|ty| {
        let code = &part.types[ty.index()];
        let own = own(code);
        let is_known =
            |channel: &Code| is_one_of(&own, channel) || !channels.of(ty.index(), channel).meets(&owned);
        let initial = code.initial_values();
        !initial.iter().any(|value| value.any(&mut |part| reads(&own, part)))
            && initial.into_iter().all(|value| uses(value).into_iter().all(is_known))
            && code
                .edges
                .iter()
                .all(|edge| channels_of(edge).into_iter().all(is_known) && uses_as_channels_only(&own, edge))
    })
}

/// The cells of the queues that a type declares.
fn own(ty: &TypeCode) -> Vec<std::ops::Range<u32>> {
    let queues = ty.locals.iter().filter(|local| matches!(local.init, Init::Queues(_)));
    queues.map(|local| local.first..local.first + local.length).collect()
}

fn is_one_of(own: &[std::ops::Range<u32>], code: &Code) -> bool {
    matches!(code, Code::Local(cell) if own.iter().any(|cells| cells.contains(cell)))
}

/// Returns `true` if the outermost operator of an expression may read one of the cells.
fn reads(own: &[std::ops::Range<u32>], code: &Code) -> bool {
    Cells::read(code).is_some_and(|cells| !cells.global && meets(own, &cells.range))
}

fn meets(own: &[std::ops::Range<u32>], cells: &std::ops::Range<u32>) -> bool {
    own.iter().any(|own| own.start < cells.end && cells.start < own.end)
}

/// Returns `true` if a statement writes none of the cells, and reads them as channels only.
fn uses_as_channels_only(own: &[std::ops::Range<u32>], edge: &EdgeCode) -> bool {
    let writes = edge.statement.targets().into_iter().any(|target| {
        let cells = Cells::written(target);
        !cells.global && meets(own, &cells.range)
    });
    let used = channels_of(edge).into_iter().filter(|channel| is_one_of(own, channel)).count();
    let mut read = 0_usize;
    for code in edge.statement.codes() {
        code.any(&mut |part| {
            read += usize::from(reads(own, part));
            false
        });
    }
    !writes && read == used
}

/// The expressions that a statement uses as channels.
fn channels_of(edge: &EdgeCode) -> Vec<&Code> {
    let mut all: Vec<&Code> = edge.statement.codes().into_iter().flat_map(uses).collect();
    if let Statement::Send { channel, .. } | Statement::Receive(Receive { channel, .. }) = &edge.statement {
        all.push(channel);
    }
    all
}

/// The subexpressions that an expression uses as channels.
fn uses(code: &Code) -> Vec<&Code> {
    let here = match code {
        Code::Length(channel) | Code::Empty(channel) | Code::Full(channel) => Some(&**channel),
        Code::Poll(poll) => {
            let Poll { channel, .. } = &**poll;
            Some(channel)
        }
        _ => None,
    };
    here.into_iter().chain(code.children().into_iter().flat_map(uses)).collect()
}
