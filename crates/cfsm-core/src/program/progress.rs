//! Progress statements: the edges whose execution counts as progress.

use super::{Action, Edge, EdgeId, Hold, LocationId, ProcessType, ProcessTypeId, Program};
use crate::ids::IdMap;

impl Program {
    /// The edges that certainly make progress: they leave a location with a `progress` label, and
    /// control is free whenever a process reaches it. In the middle of `atomic` and `d_step` Spin
    /// does not observe locations, so a label there has no effect; neither has one at the entry of
    /// a type whose processes are created in the middle of `atomic`; nor one behind a send that may
    /// be a rendezvous whose receiver is then inside `atomic` and continues at once. Time linear in
    /// the program.
    #[must_use]
    pub fn progress(&self) -> IdMap<ProcessTypeId, IdMap<EdgeId, bool>> {
        let seen = self.seen();
        let of_type = |(id, ty): (ProcessTypeId, &ProcessType)| {
            let edges = ty.edges.values();
            edges.map(|edge| ty.locations[edge.source].is_progress() && seen[id][edge.source]).collect()
        };
        self.types.iter().map(of_type).collect()
    }

    /// The `progress` labels without effect, each with its process type, in order.
    #[must_use]
    pub fn unseen_progress(&self) -> Vec<(ProcessTypeId, LocationId)> {
        let seen = self.seen();
        let locations =
            self.types.iter().flat_map(|(id, ty)| ty.locations.iter().map(move |(at, l)| (id, at, l)));
        let unseen = locations.filter(|(id, at, location)| location.is_progress() && !seen[*id][*at]);
        unseen.map(|(id, at, _)| (id, at)).collect()
    }

    /// For each location, `true` if control is free whenever a process reaches it.
    fn seen(&self) -> IdMap<ProcessTypeId, IdMap<LocationId, bool>> {
        let all = |ty: &ProcessType| IdMap::filled(true, ty.locations.len());
        let mut seen: IdMap<ProcessTypeId, IdMap<LocationId, bool>> = self.types.values().map(all).collect();
        let taken_over = self.has_rendezvous() && self.types.values().any(takes_over);
        for (id, ty) in self.types.iter() {
            let sends = |edge: &Edge| taken_over && matches!(edge.action, Action::Send { .. });
            for edge in ty.edges.values().filter(|edge| edge.hold != Hold::No || sends(edge)) {
                seen[id][edge.target] = false;
                if let Action::Create { process_type, .. } = &edge.action {
                    seen[*process_type][self.types[*process_type].entry] = false;
                }
            }
        }
        seen
    }
}

/// Returns `true` if a process of a type may be inside `atomic` after a receive, or after a
/// `d_step` that may begin with one.
fn takes_over(ty: &ProcessType) -> bool {
    let stays = |edge: &&Edge| edge.hold == Hold::Atomic;
    let ends = |step| ty.edges.values().filter(stays).any(|edge| edge.d_step == step);
    let receives = |edge: &&Edge| matches!(edge.action, Action::Receive { .. });
    let mut receives = ty.edges.values().filter(receives);
    receives.any(|edge| stays(&edge) || (edge.hold == Hold::DStep && ends(edge.d_step)))
}
