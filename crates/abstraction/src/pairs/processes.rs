//! Processes of pairs: what is known of their statements is kept from one question to the next, as it does not depend on what is asked.

use std::collections::{BTreeMap, BTreeSet};

use super::alike::Known;
use super::process::Process;
use crate::analysis::Analysis;
use crate::channels::ObjectId;
use crate::contexts::ContextId;

/// A process, and the queue with regard to which it is followed.
pub(super) type Followed = (ContextId, ObjectId);

/// Processes of pairs that are not followed at the moment.
pub(super) struct Processes<'a> {
    analysis: &'a Analysis<'a>,
    idle: BTreeMap<Followed, Known>,
}

impl<'a> Processes<'a> {
    pub(super) const fn new(analysis: &'a Analysis<'a>) -> Self {
        Self { analysis, idle: BTreeMap::new() }
    }

    /// A process, to be followed; these cells are looked at.
    pub(super) fn take(&mut self, followed: Followed, cells: &BTreeSet<usize>) -> Process<'a> {
        let process_type = self.analysis.contexts[followed.0].process_type;
        let known = self.idle.remove(&followed).unwrap_or_else(|| Known::of(self.analysis, process_type));
        Process::new(self.analysis, followed, cells, known)
    }

    /// Keeps what is known of a process for the next time.
    pub(super) fn keep(&mut self, process: Process<'a>) {
        self.idle.insert(process.followed(), process.known());
    }
}
