//! What one analysis excludes, in another one of the same program: by how processes come into
//! being.

use std::collections::btree_map::{BTreeMap, Entry};

use cfsm_core::ids::Id;
use cfsm_core::program::EdgeId;

use super::{Excluded, Rare, leave_out};
use crate::analysis::Analysis;
use crate::contexts::{Birth, ContextId};

/// Leaves out of an analysis what has been excluded in another one of the same program: what
/// processes never execute that come into being by the same statements.
pub(crate) fn exclude_as_in(
    analysis: &mut Analysis<'_>,
    (other, known): (&Analysis<'_>, &Excluded),
) -> Excluded {
    let mut by_lineage: BTreeMap<Lineage, Rare> = BTreeMap::new();
    for id in other.contexts.ids() {
        let rare = known.rare.get(&id).cloned().unwrap_or_default();
        match by_lineage.entry(lineage(other, id)) {
            Entry::Vacant(entry) => drop(entry.insert(rare)),
            // It is not known which of them an instance belongs to.
            Entry::Occupied(mut entry) => entry.get_mut().retain(|edge, with| {
                with.extend(rare.get(edge).cloned().unwrap_or_default());
                rare.contains_key(edge)
            }),
        }
    }
    let shared = |analysis: &Analysis<'_>| analysis.contexts.values().any(|context| context.shared);
    let mut all = BTreeMap::new();
    // An instance of a context that several statements create does not come into being as the
    // context says.
    if !shared(other) && !shared(analysis) {
        let ids = analysis.contexts.ids();
        let rare = ids.filter_map(|id| Some((id, by_lineage.get(&lineage(analysis, id))?.clone())));
        all.extend(rare.filter(|(_, rare)| !rare.is_empty()));
    }
    let excluded = Excluded { rare: all, gave_up: known.gave_up };
    leave_out(analysis, &excluded);
    excluded
}

/// How the processes of a context come into being: the position of the first one among those that
/// are there at the start, and the statements that create each from the one before.
type Lineage = (usize, Vec<EdgeId>);

fn lineage(analysis: &Analysis<'_>, mut id: ContextId) -> Lineage {
    let mut statements = Vec::new();
    while let Birth::Created { parent, edge, .. } = analysis.contexts[id].birth {
        statements.push(edge);
        id = parent;
    }
    (id.index(), statements)
}
