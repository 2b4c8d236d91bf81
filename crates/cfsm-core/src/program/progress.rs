//! Which statements make progress.

use super::{Action, EdgeId, Hold, LocationId, ProcessTypeId, Program};
use crate::ids::IdMap;

impl Program {
    /// The edges that certainly make progress: they leave a location with a `progress` label, and whenever a process
    /// gets there, control is free. In the middle of `atomic` and `d_step` Spin does not see where a process is, so
    /// a label there counts for nothing; nor does one at the entry of a type of which processes are created in the
    /// middle of `atomic`. Time linear in the program.
    #[must_use]
    pub fn progress(&self) -> IdMap<ProcessTypeId, IdMap<EdgeId, bool>> {
        let seen = self.seen();
        let of_type = |(id, ty): (ProcessTypeId, &super::ProcessType)| {
            let edges = ty.edges.values();
            edges.map(|edge| ty.locations[edge.source].is_progress() && seen[id][edge.source]).collect()
        };
        self.types.iter().map(of_type).collect()
    }

    /// The `progress` labels that count for nothing, each with its process type, in order.
    #[must_use]
    pub fn unseen_progress(&self) -> Vec<(ProcessTypeId, LocationId)> {
        let seen = self.seen();
        let locations =
            self.types.iter().flat_map(|(id, ty)| ty.locations.iter().map(move |(at, l)| (id, at, l)));
        let unseen = locations.filter(|(id, at, location)| location.is_progress() && !seen[*id][*at]);
        unseen.map(|(id, at, _)| (id, at)).collect()
    }

    /// Per location, whether control is free whenever a process has got there.
    fn seen(&self) -> IdMap<ProcessTypeId, IdMap<LocationId, bool>> {
        let all = |ty: &super::ProcessType| IdMap::filled(true, ty.locations.len());
        let mut seen: IdMap<ProcessTypeId, IdMap<LocationId, bool>> = self.types.values().map(all).collect();
        for (id, ty) in self.types.iter() {
            for edge in ty.edges.values().filter(|edge| edge.hold != Hold::No) {
                seen[id][edge.target] = false;
                if let Action::Create { process_type, .. } = &edge.action {
                    seen[*process_type][self.types[*process_type].entry] = false;
                }
            }
        }
        seen
    }
}
