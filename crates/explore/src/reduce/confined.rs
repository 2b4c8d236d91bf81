//! Restriction of a program to some of its statements.
//!
//! `docs/soundness/witnesses.md` proves that the runs of the restricted program are runs of the
//! program.

use std::collections::BTreeSet;

use cfsm_core::ids::Id;
use cfsm_core::program::{EdgeId, Hold, LocationId, ProcessTypeId};

use super::channels::Channels;
use super::uses::QueueSet;
use crate::Semantics;
use crate::code::{Code, EdgeCode, Statement, TypeCode};

/// Statements of the program: pairs of a process type and an edge.
pub(crate) type Statements = BTreeSet<(ProcessTypeId, EdgeId)>;

/// The program in which no statements except these are executable. From any state on, its runs are
/// runs of the program. `None` if statements that are left out may influence those that stay.
/// Locations, edges and the layout of states are unchanged. Time linear in the program.
pub(crate) fn confined(semantics: &Semantics, statements: &Statements) -> Option<Semantics> {
    let others_matter = semantics.has_priorities
        || semantics.has_last
        || semantics
            .types
            .iter()
            .any(|ty| ty.provided.is_some() || ty.initial_values().into_iter().any(asks));
    if others_matter {
        return None;
    }
    let rendezvous = Rendezvous::of(semantics);
    let mut confined = Semantics { has_timeout: false, ..semantics.clone() };
    for (at, ty) in confined.types.iter_mut().enumerate() {
        let taken = |edge: &EdgeCode| statements.contains(&(ProcessTypeId::new(at), edge.id));
        let whole = whole_locations(&semantics.types[at], &taken);
        for (location, (first, end)) in ty.ranges.iter().enumerate() {
            let edges = &mut ty.edges[*first as usize..*end as usize];
            let is_whole = whole.contains(&LocationId::new(location));
            if is_whole && edges.iter().any(|edge| rendezvous.may_send(at, edge)) {
                return None;
            }
            for edge in edges {
                if !is_whole && !taken(edge) {
                    edge.statement = Statement::Condition(Code::Constant(0));
                } else if edge.statement.codes().into_iter().any(asks) {
                    return None;
                }
            }
        }
    }
    Some(confined)
}

/// Returns `true` if an expression depends on the executability of statements of others.
fn asks(code: &Code) -> bool {
    code.any(&mut |part| matches!(part, Code::Timeout | Code::Enabled(_)))
}

/// The locations of a type at which all statements must be kept: where the executability of a kept
/// one depends on the others (`else`, `d_step`, escapes), and where they decide if a process inside
/// `atomic` keeps control.
fn whole_locations(ty: &TypeCode, taken: &impl Fn(&EdgeCode) -> bool) -> BTreeSet<LocationId> {
    let mut whole = BTreeSet::new();
    for (location, (first, end)) in ty.ranges.iter().enumerate() {
        let edges = &ty.edges[*first as usize..*end as usize];
        let together = edges.iter().any(|edge| edge.rank > 0)
            || ty.choices[location].iter().any(|choice| choice.d_step)
            || edges.iter().any(|edge| taken(edge) && edge.statement == Statement::Else);
        if together && edges.iter().any(taken) {
            whole.insert(LocationId::new(location));
        }
        whole
            .extend(edges.iter().filter(|edge| taken(edge) && edge.hold != Hold::No).map(|edge| edge.target));
    }
    whole
}

/// Rendezvous sends, which are executable only with a receiver.
struct Rendezvous {
    channels: Channels,
    queues: QueueSet,
}

impl Rendezvous {
    fn of(semantics: &Semantics) -> Self {
        let queues = semantics.queues.iter().enumerate().filter(|(_, queue)| queue.rendezvous);
        let queues = queues.fold(QueueSet::default(), |sum, (at, _)| sum.with(QueueSet::at(at)));
        Self { channels: Channels::new(semantics), queues }
    }

    fn may_send(&self, ty: usize, edge: &EdgeCode) -> bool {
        let Statement::Send { channel, .. } = &edge.statement else { return false };
        self.channels.of(ty, channel).meets(&self.queues)
    }
}
