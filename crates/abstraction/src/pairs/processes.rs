//! Processes of pairs, kept from one question to the next: what their statements do does not depend on what is asked.

use std::collections::{BTreeMap, BTreeSet};

use super::process::Process;
use crate::analysis::Analysis;
use crate::channels::ObjectId;
use crate::contexts::ContextId;

/// A context, the queue that is followed, and the cells that are looked at.
pub(super) type Followed = (ContextId, ObjectId, BTreeSet<usize>);

/// Processes of pairs that are not followed at the moment.
pub(super) struct Processes<'a> {
    analysis: &'a Analysis<'a>,
    idle: BTreeMap<Followed, Process<'a>>,
}

impl<'a> Processes<'a> {
    pub(super) const fn new(analysis: &'a Analysis<'a>) -> Self {
        Self { analysis, idle: BTreeMap::new() }
    }

    /// The process of a context, to be followed.
    pub(super) fn take(&mut self, followed: Followed) -> Process<'a> {
        let known = self.idle.remove(&followed);
        known.unwrap_or_else(|| {
            let (context, queue, cells) = &followed;
            Process::new(self.analysis, (*context, *queue), cells)
        })
    }

    /// Keeps a process for the next time.
    pub(super) fn keep(&mut self, mut process: Process<'a>) {
        // The next time, messages may have other numbers.
        process.forget_messages();
        self.idle.insert(process.followed(), process);
    }
}
