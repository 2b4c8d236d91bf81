//! Locations at which a process can always step, whatever the others do.

use super::{Action, Edge, Expression, Hold, LocationId, ProcessType, ProcessTypeId, Program};
use crate::ids::IdMap;

impl Program {
    /// The locations at which a process is certainly executable in every state in which control is
    /// free: one of its statements depends neither on data nor on other processes, or there is an
    /// `else` and only conditions beside it. Conservative: excludes locations of types with
    /// `provided`, under `unless`, or where executability is decided by sends (the channel may be
    /// full) or statements in a `d_step`.
    ///
    /// No location counts if priorities are used, or if a process might stay inside `atomic` for
    /// ever, so that control is never free again. The number of processes is assumed to be
    /// unlimited. Time linear in the program, but for statements in `atomic`: each may take as much
    /// as its process.
    #[must_use]
    pub fn always_ready(&self) -> IdMap<ProcessTypeId, IdMap<LocationId, bool>> {
        let never = self.whole_steps || self.uses_priorities() || self.may_stay_in_atomic();
        let of_type = |ty: &ProcessType| {
            let mut edges: IdMap<LocationId, Vec<&Edge>> = IdMap::filled(Vec::new(), ty.locations.len());
            ty.edges.values().for_each(|edge| edges[edge.source].push(edge));
            edges.values().map(|edges| !never && ty.provided.is_none() && is_always_ready(edges)).collect()
        };
        self.types.values().map(of_type).collect()
    }

    /// Returns `true` if priorities of processes may differ.
    #[must_use]
    pub fn uses_priorities(&self) -> bool {
        let sets = |edge: &Edge| {
            matches!(edge.action, Action::SetPriority { .. } | Action::Create { priority: Some(_), .. })
        };
        self.types.values().any(|ty| ty.priority.is_some() || ty.edges.values().any(sets))
    }

    /// Returns `true` if control might never be free again: some process may run a cycle inside
    /// `atomic`, which it leaves at most by a rendezvous; or processes create others there and pass
    /// control on to them.
    fn may_stay_in_atomic(&self) -> bool {
        // Statements in a `d_step` are in the middle of one step.
        let holds = |edge: &Edge| edge.hold == Hold::Atomic;
        let passes = |edge: &Edge| matches!(edge.action, Action::Send { .. } | Action::Receive { .. });
        let has_rendezvous = self.has_rendezvous();
        let creates = |edge: &Edge| edge.hold != Hold::No && matches!(edge.action, Action::Create { .. });
        if has_rendezvous && self.types.values().any(|ty| ty.edges.values().any(creates)) {
            return true;
        }
        let stays = |edge: &Edge| edge.hold != Hold::No || (has_rendezvous && passes(edge));
        self.types.values().any(|ty| {
            let mut next = IdMap::filled(Vec::new(), ty.locations.len());
            ty.edges.values().filter(|edge| stays(edge)).for_each(|edge| next[edge.source].push(edge.target));
            ty.edges.values().any(|edge| holds(edge) && leads(&next, edge))
        })
    }

    /// Returns `true` if a rendezvous channel is created.
    pub(super) fn has_rendezvous(&self) -> bool {
        let locals = self.types.values().flat_map(|ty| ty.locals.values());
        let makes = |variable: &super::Variable| matches!(&variable.init, super::Initializer::NewChannel(shape) if shape.capacity == 0);
        self.globals.values().chain(locals).any(makes)
    }
}

/// Returns `true` if a path leads from the target of an edge back to its source, given the targets
/// of the edges that leave each location.
fn leads(next: &IdMap<LocationId, Vec<LocationId>>, first: &Edge) -> bool {
    let mut seen = IdMap::filled(false, next.len());
    let mut stack = vec![first.target];
    while let Some(at) = stack.pop() {
        if at == first.source {
            return true;
        }
        if !std::mem::replace(&mut seen[at], true) {
            stack.extend(&next[at]);
        }
    }
    false
}

/// Returns `true` if one of the edges that leave a location is executable, whatever other processes
/// do.
fn is_always_ready(edges: &[&Edge]) -> bool {
    if edges.iter().any(|edge| edge.rank > 0) {
        return false;
    }
    let plain = |edge: &&Edge| edge.d_step.is_none() && needs_nothing(&edge.action);
    let has_else = edges.iter().any(|edge| edge.d_step.is_none() && edge.action == Action::Else);
    edges.iter().any(plain) || (has_else && edges.iter().all(|edge| fits_else(edge)))
}

const fn needs_nothing(action: &Action) -> bool {
    match action {
        Action::Condition(Expression::Constant(value)) => *value != 0,
        Action::Assign { .. } | Action::Create { .. } | Action::Assert(_) | Action::Print { .. } => true,
        Action::Condition(_)
        | Action::Else
        | Action::Send { .. }
        | Action::Receive { .. }
        | Action::SetPriority { .. }
        | Action::Opaque { .. } => false,
    }
}

/// Returns `true` if an `else` beside this edge is executable exactly when the edge is not.
fn fits_else(edge: &Edge) -> bool {
    let asks = |value: &Expression| matches!(value, Expression::Timeout | Expression::Opaque(_));
    match &edge.action {
        Action::Condition(value) => edge.d_step.is_none() && !value.any(&mut |inner| asks(inner)),
        action => edge.d_step.is_none() && (*action == Action::Else || needs_nothing(action)),
    }
}
