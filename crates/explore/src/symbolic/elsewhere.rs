//! Debug check that steps do not depend on parts outside their footprint; compiled with debug
//! assertions only.

use std::collections::{BTreeMap, BTreeSet};

use super::touch::Part;
use super::{Search, to_number};
use crate::{RunError, State};

/// Outcome of a step: the values of the touched parts after it, for each successor.
type Behind = BTreeSet<Vec<Vec<i32>>>;

/// Number of short words of a group that are checked; [`MOST`] is the number of those that begin
/// with the same number.
const OF_GROUP: usize = 200;
const MOST: usize = 20;

impl Search<'_> {
    /// Panics if the steps of a short word change when the parts outside its footprint take other
    /// values than in the first state. Called at the end of a search, when many values are known; a
    /// search that stopped early proves nothing and has no time left.
    pub(super) fn assert_same_elsewhere(&mut self) {
        if self.stop.is_some() {
            return;
        }
        for group in 0..self.groups.len() {
            let known = self.groups[group].known.iter().map(|(first, known)| (*first, known.words));
            let known: BTreeMap<_, _> = known.collect();
            for (first, ends) in known.into_iter().take(OF_GROUP / MOST) {
                let few = self.diagrams.count(ends) <= 100 * MOST as u128;
                let ends = if few { self.diagrams.words(ends) } else { Vec::new() };
                for end in ends.into_iter().take(MOST) {
                    let word: Vec<u32> = std::iter::once(first).chain(end).collect();
                    for timeout in [false, true] {
                        self.assert_same(group, &word, timeout);
                    }
                }
            }
        }
    }

    fn assert_same(&mut self, group: usize, word: &[u32], timeout: bool) {
        let levels = &self.groups[group].levels;
        let here = self.layout.state(levels, word);
        let elsewhere = self.layout.state_among(&self.others(word), levels, word);
        let here = self.told(group, &here, timeout);
        let elsewhere = self.told(group, &elsewhere, timeout);
        assert_eq!(here, elsewhere, "a step depends on what it should not touch");
    }

    /// An arbitrary value for each part, pseudo-random in the word. No process has ended in it.
    fn others(&self, word: &[u32]) -> Vec<u32> {
        let seed = word.iter().fold(7, |seed: usize, number| seed.wrapping_mul(31) + *number as usize);
        let of_level = |level: usize| {
            let is_process = matches!(self.layout.part(level), Part::Process(_));
            let is_fit = |number: &u32| !is_process || !self.layout.value(level, *number).is_empty();
            let count = self.layout.count(level);
            let first = (seed >> (level % 16)) % count;
            (0..count).map(|more| to_number((first + more) % count)).find(is_fit).unwrap_or_default()
        };
        (0..self.layout.len()).map(of_level).collect()
    }

    /// The successors and errors of the steps of a group's process in a state; restores the records
    /// of the search.
    fn told(&mut self, group: usize, state: &State, timeout: bool) -> (Option<Behind>, Vec<RunError>) {
        let maxima = std::mem::take(&mut self.steps.maxima);
        let errors = std::mem::take(&mut self.steps.errors);
        let too_many = self.steps.too_many;
        let behind = self.steps.behind(state, self.groups[group].process, timeout, &self.processes(group));
        let cells = |after: State| {
            self.groups[group]
                .levels
                .iter()
                .map(|level| self.layout.cells_at(*level as usize, &after))
                .collect()
        };
        let behind = behind.map(|behind| behind.into_iter().map(cells).collect());
        self.steps.maxima = maxima;
        self.steps.too_many = too_many;
        (behind, std::mem::replace(&mut self.steps.errors, errors))
    }
}
