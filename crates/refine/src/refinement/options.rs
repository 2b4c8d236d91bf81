//! How far refinement goes.

use std::collections::BTreeSet;

use abstraction::Precision;
use cfsm_core::deadline::Deadline;

use crate::strategy::Strategy;

/// How far to go.
#[derive(Clone, Debug)]
pub struct RefinementOptions {
    /// What may be done.
    pub strategies: BTreeSet<Strategy>,
    /// The limits of the abstraction; its precision is where the loop begins.
    pub abstraction: abstraction::Options,
    /// Control states of one process, unfolded.
    pub nodes: usize,
    /// Transitions of a system that is asked about.
    pub transitions: usize,
    /// Visits of nodes in one abstraction.
    pub visits: usize,
    /// Configurations that are listed for one answer.
    pub configurations: usize,
    /// Questions that may be asked.
    pub rounds: usize,
    /// When to stop.
    pub deadline: Deadline,
}

impl Default for RefinementOptions {
    fn default() -> Self {
        Self {
            strategies: Strategy::ALL.into(),
            abstraction: abstraction::Options::default(),
            nodes: 2_000,
            transitions: 20_000,
            visits: 10_000,
            configurations: 10_000,
            rounds: 16,
            deadline: Deadline::default(),
        }
    }
}

impl RefinementOptions {
    /// How to make an abstraction of some precision.
    pub(crate) fn abstraction(&self, precision: Precision) -> abstraction::Options {
        abstraction::Options { precision, deadline: self.deadline, ..self.abstraction.clone() }
    }

    /// Whether pairs of processes are asked what they exclude, wherever values are followed.
    pub(crate) fn wants_pairs(&self) -> bool {
        self.abstraction.precision.pairs || self.strategies.contains(&Strategy::Pairs)
    }

    pub(crate) fn wants_data_places(&self) -> bool {
        self.abstraction.precision.data_places || self.strategies.contains(&Strategy::DataPlaces)
    }
}
