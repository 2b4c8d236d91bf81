//! Configurations of a machine: the active leaf, with the histories that may matter later.

use std::collections::{BTreeMap, BTreeSet};

use crate::model::{Machine, Node, PointKind, StateId};

/// A stable situation of a machine.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Configuration {
    /// The active leaf; `None` before the initial transition, and while an optional instance is not
    /// there.
    pub leaf: Option<StateId>,
    /// The last active states directly inside composite states, as far as a later transition may
    /// lead back to them.
    pub history: BTreeMap<StateId, StateId>,
}

/// The composite states whose histories matter.
pub(crate) struct Relevance {
    /// Those that may be entered by history.
    entered: BTreeSet<StateId>,
    /// Those whose history may be asked for, or kept, although they were active and it was not set:
    /// behind exit points.
    stale: BTreeSet<StateId>,
}

impl Relevance {
    pub(crate) fn new(machine: &Machine) -> Self {
        let (mut entered, mut stale) = (BTreeSet::new(), BTreeSet::new());
        for transition in machine.transitions.values() {
            let from_inside = match transition.source {
                Node::State(_) => true,
                Node::Point(point) => matches!(machine.points[point].kind, PointKind::Transition { .. }),
                Node::Initial | Node::Choice(_) => false,
            };
            match transition.target {
                Node::State(state) => {
                    entered.insert(state);
                }
                Node::Point(point) => {
                    let point = &machine.points[point];
                    let Some(state) = point.parent else { continue };
                    match point.kind {
                        // The way back to where the machine was sets the history first.
                        PointKind::Transition { .. } if from_inside && transition.parent == Some(state) => {}
                        PointKind::Transition { .. } => {
                            entered.insert(state);
                            stale.insert(state);
                        }
                        PointKind::Entry => {
                            entered.insert(state);
                        }
                        PointKind::Exit if !from_inside => {
                            stale.insert(state);
                        }
                        PointKind::Exit => {}
                    }
                }
                Node::Initial | Node::Choice(_) => {}
            }
        }
        // History is deep.
        let inside = |state: StateId| machine.around(state).any(|around| entered.contains(&around));
        let all = machine.states.iter().filter(|(_, state)| state.composite).map(|(id, _)| id);
        let entered = all.filter(|&state| inside(state)).collect();
        Self { entered, stale }
    }

    /// A configuration without the histories that no later transition asks for.
    pub(crate) fn stable(
        &self,
        machine: &Machine,
        leaf: StateId,
        history: &BTreeMap<StateId, StateId>,
    ) -> Configuration {
        let active: BTreeSet<StateId> = machine.around(leaf).collect();
        let matters = |state: &StateId| {
            self.entered.contains(state) && (!active.contains(state) || self.stale.contains(state))
        };
        let history = history.iter().filter(|(state, _)| matters(state));
        Configuration { leaf: Some(leaf), history: history.map(|(&state, &last)| (state, last)).collect() }
    }
}
