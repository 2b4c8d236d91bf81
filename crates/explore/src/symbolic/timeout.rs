//! Steps that `timeout` enables: they are taken in states without other steps.

use super::diagram::{Operation, Set};
use super::{Search, to_number};

impl Search<'_> {
    /// The closure of a set under all steps including `timeout`; the set is closed under steps
    /// without it.
    pub(super) fn with_timeouts(&mut self, mut all: Set) -> Set {
        let mut looked_at = Set::EMPTY;
        while self.stop.is_none() {
            let idle = self.idle(all);
            let new = self.diagrams.minus(idle, looked_at);
            if new == Set::EMPTY {
                break;
            }
            looked_at = idle;
            for group in 0..self.groups.len() {
                let more = self.behind_timeout(group, new);
                all = self.diagrams.union(all, more);
            }
        }
        all
    }

    /// The words of a set that have no step. The relations of all its short words must be known.
    fn idle(&mut self, all: Set) -> Set {
        (0..self.groups.len()).fold(all, |idle, group| {
            let busy = self.busy(group, idle, Set::EMPTY, 0, 0);
            self.diagrams.minus(idle, busy)
        })
    }

    /// The words of a set that have steps of a group; the first `done` touched parts lie before
    /// `level`.
    fn busy(&mut self, group: usize, set: Set, steps: Set, level: u32, done: usize) -> Set {
        if set == Set::EMPTY || done > 0 && steps == Set::EMPTY {
            return Set::EMPTY;
        }
        let Some(next) = self.groups[group].levels.get(done).copied() else { return set };
        let operation = Operation(Operation::FREE + 2 * to_number(self.groups.len() + group));
        if let Some(known) = self.diagrams.known(operation, set, steps) {
            return known;
        }
        let nodes: Vec<_> = self.diagrams.nodes_of(set).collect();
        let mut found = Vec::with_capacity(nodes.len());
        for node in nodes {
            let down = if level < next {
                self.busy(group, node.down, steps, level + 1, done)
            } else {
                let becomes = self.becomes(group, node.value, steps, done);
                let ways: Vec<_> = self.diagrams.nodes_of(becomes).collect();
                ways.into_iter().fold(Set::EMPTY, |sum, way| {
                    let down = self.busy(group, node.down, way.down, level + 1, done + 1);
                    self.diagrams.union(sum, down)
                })
            };
            found.push((node.value, down));
        }
        let found = found.into_iter().rev();
        let result = found.fold(Set::EMPTY, |right, (value, down)| self.diagrams.make(value, down, right));
        self.diagrams.keep(operation, set, steps, result)
    }

    /// The continuations of the relation for a number: `steps` belongs to the short words with the
    /// same beginning.
    fn becomes(&self, group: usize, value: u32, steps: Set, done: usize) -> Set {
        if done == 0 {
            return self.groups[group].known.get(&value).map_or(Set::EMPTY, |known| known.steps);
        }
        let found = self.diagrams.nodes_of(steps).find(|node| node.value == value);
        found.map_or(Set::EMPTY, |node| node.down)
    }

    /// The saturated image of a set under the steps of a group that wait for `timeout`.
    fn behind_timeout(&mut self, group: usize, set: Set) -> Set {
        if !self.groups[group].waits {
            return Set::EMPTY;
        }
        let short = self.project(group, set, 0, 0);
        let mut steps = Vec::new();
        for word in self.words(group, short).unwrap_or_default() {
            let mut behind = Vec::new();
            if self.short_steps(group, &word, true, &mut behind).is_none() {
                return Set::EMPTY;
            }
            steps.extend(behind.into_iter().map(|step| [&word[..1], &step].concat()));
        }
        steps.sort();
        steps.dedup();
        let steps = self.diagrams.of(&steps);
        self.behind(group, set, steps, 0, 0)
    }
}
