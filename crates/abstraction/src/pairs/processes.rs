//! Cache of the processes of pairs: the memoised effects of their statements do not depend on the
//! query, so they are reused for the next one.

use std::collections::{BTreeMap, BTreeSet};

use super::alike::Known;
use super::process::Process;
use crate::analysis::Analysis;
use crate::channels::ObjectId;
use crate::contexts::ContextId;

/// A context, and the queue for which it is explored.
pub(super) type Followed = (ContextId, ObjectId);

/// The memoised effects of processes that are not in use.
pub(super) struct Processes<'a> {
    analysis: &'a Analysis<'a>,
    idle: BTreeMap<Followed, Known>,
}

impl<'a> Processes<'a> {
    pub(super) const fn new(analysis: &'a Analysis<'a>) -> Self {
        Self { analysis, idle: BTreeMap::new() }
    }

    /// Creates a process with the given observed cells, and moves its memoised effects into it.
    pub(super) fn take(&mut self, followed: Followed, cells: &BTreeSet<usize>) -> Process<'a> {
        let process_type = self.analysis.contexts[followed.0].process_type;
        let known = self.idle.remove(&followed).unwrap_or_else(|| Known::of(self.analysis, process_type));
        Process::new(self.analysis, followed, cells, known)
    }

    /// Takes back the memoised effects of a process.
    pub(super) fn keep(&mut self, process: Process<'a>) {
        self.idle.insert(process.followed(), process.known());
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use cfsm_core::testing::{ProgramShape, programs};
    use proptest::prelude::*;

    use super::*;
    use crate::Options;
    use crate::analysis::analyse;

    /// Largest number of states of a process in the test.
    const STATES: usize = 300;

    /// The steps of a process in each state that it may reach.
    fn successors(process: &mut Process<'_>) -> Vec<String> {
        let (mut all, mut seen) = (Vec::new(), HashSet::new());
        let mut open = process.entry().unwrap_or_default();
        while let Some(local) = open.pop().filter(|_| all.len() < STATES) {
            if seen.insert(local.clone()) {
                let successors = process.successors(&local);
                all.push(format!("{local:?} {successors:?}"));
                open.extend(
                    successors
                        .iter()
                        .flat_map(|successors| successors.steps())
                        .flat_map(|(_, to)| to)
                        .cloned(),
                );
            }
        }
        all
    }

    proptest! {
        #[test]
        fn what_was_found_out_with_other_cells_is_what_would_be_found_out(
            program in programs(ProgramShape {
                types: 2..=3,
                instances: 1..=1,
                edges: 3..=9,
                variables: 1..=3,
                ..ProgramShape::plain()
            }),
            chosen in prop::collection::vec(any::<u8>(), 2..5),
        ) {
            let options = Options::default();
            let analysis = analyse(&program, &options).expect("it is small");
            let queues: Vec<ObjectId> = analysis.objects.ids().collect();
            for (context, queue) in analysis.contexts.ids().flat_map(|id| queues.iter().map(move |queue| (id, *queue))) {
                let frame = &analysis.layout.frames[analysis.contexts[context].process_type];
                let own: Vec<usize> = frame.locals.values().flat_map(|block| block.all()).collect();
                let mut kept = Processes::new(&analysis);
                for bits in &chosen {
                    let cells = own.iter().enumerate().filter(|(at, _)| bits >> (at % 8) & 1 == 1);
                    let cells = cells.map(|(_, cell)| *cell).collect();
                    let mut again = kept.take((context, queue), &cells);
                    let mut anew = Processes::new(&analysis).take((context, queue), &cells);
                    prop_assert_eq!(successors(&mut again), successors(&mut anew));
                    kept.keep(again);
                }
            }
        }
    }
}
