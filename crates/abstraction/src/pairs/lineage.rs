//! Transfer of exclusions between two analyses of the same program, by the lineage of contexts.

use std::collections::btree_map::{BTreeMap, Entry};

use cfsm_core::ids::Id;
use cfsm_core::program::EdgeId;

use super::{Excluded, Rare, leave_out};
use crate::analysis::Analysis;
use crate::contexts::{Birth, ContextId};

/// Removes from an analysis the steps that were excluded in another analysis of the same program,
/// for contexts with the same lineage.
pub(crate) fn exclude_as_in(analysis: &mut Analysis<'_>, other: &Analysis<'_>, known: &Excluded) -> Excluded {
    let mut by_lineage: BTreeMap<Lineage, Rare> = BTreeMap::new();
    for id in other.contexts.ids() {
        let rare = known.rare.get(&id).cloned().unwrap_or_default();
        match by_lineage.entry(lineage(other, id)) {
            Entry::Vacant(entry) => drop(entry.insert(rare)),
            // Several contexts share the lineage, and an instance may belong to any of them: only
            // exclusions common to all are kept.
            Entry::Occupied(mut entry) => entry.get_mut().retain(|edge, with| {
                with.extend(rare.get(edge).cloned().unwrap_or_default());
                rare.contains_key(edge)
            }),
        }
    }
    let shared = |analysis: &Analysis<'_>| analysis.contexts.values().any(|context| context.shared);
    let mut all = BTreeMap::new();
    // The lineage of a context that several statements create is not unique.
    if !shared(other) && !shared(analysis) {
        let ids = analysis.contexts.ids();
        let rare = ids.filter_map(|id| Some((id, by_lineage.get(&lineage(analysis, id))?.clone())));
        all.extend(rare.filter(|(_, rare)| !rare.is_empty()));
    }
    let excluded = Excluded { rare: all, gave_up: known.gave_up };
    leave_out(analysis, &excluded);
    excluded
}

/// The creation history of the processes of a context: the position of its oldest ancestor among
/// the initial processes, and the statements that create each descendant.
type Lineage = (usize, Vec<EdgeId>);

fn lineage(analysis: &Analysis<'_>, mut id: ContextId) -> Lineage {
    let mut statements = Vec::new();
    while let Birth::Created { parent, edge, .. } = analysis.contexts[id].birth {
        statements.push(edge);
        id = parent;
    }
    (id.index(), statements)
}
