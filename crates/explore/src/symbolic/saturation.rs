//! Saturation: the set of all states reachable from a set, computed level by level of the decision
//! diagram (Ciardo et al. 2006).
//!
//! A set of suffixes of words is *saturated* if it is closed under all steps that touch no earlier
//! level. Sets are saturated from the bottom up; where a step changes an earlier level, its results
//! are saturated again. Images distribute over union, since each step is one of a single word.

use std::collections::{BTreeMap, BTreeSet};

use super::diagram::{Operation, Set};
use super::relation::{Known, UNKNOWN};
use super::touch::Part;
use super::{Search, to_number};
use crate::Completion;

impl Search<'_> {
    /// The closure of a set of suffixes from a level on, under steps that touch no earlier level.
    /// Incomplete if the search has to stop.
    pub(super) fn saturate(&mut self, set: Set, level: u32) -> Set {
        if set == Set::EMPTY || set == Set::END || self.has_to_stop() {
            return set;
        }
        if let Some(known) = self.saturated.get(&set) {
            return *known;
        }
        let nodes: Vec<_> = self.diagrams.nodes_of(set).collect();
        let mut ends: BTreeMap<u32, Set> = BTreeMap::new();
        for node in nodes {
            ends.insert(node.value, self.saturate(node.down, level + 1));
        }
        if !self.tops[level as usize].is_empty() {
            self.fire(&mut ends, level);
        }
        let result = self.list(ends);
        if self.stop.is_none() {
            self.saturated.insert(set, result);
            self.saturated.insert(result, result);
        }
        result
    }

    /// The set of words that begin with these numbers and continue with these sets.
    fn list(&mut self, ends: BTreeMap<u32, Set>) -> Set {
        let ends = ends.into_iter().rev();
        ends.fold(Set::EMPTY, |right, (value, down)| self.diagrams.make(value, down, right))
    }

    /// Closes a set under the steps whose first touched level is this one; `ends` maps the first
    /// numbers of words to their continuations.
    fn fire(&mut self, ends: &mut BTreeMap<u32, Set>, level: u32) {
        self.flows[level as usize].order();
        let place = |search: &Self, value: u32| (search.flows[level as usize].place(value), value);
        let mut open: BTreeSet<(u32, u32)> = ends.keys().map(|value| place(self, *value)).collect();
        let mut fired: BTreeMap<(u32, usize), Set> = BTreeMap::new();
        while let Some((_, value)) = open.pop_first() {
            for group in self.groups_at(level, value) {
                let all = ends[&value];
                let before = fired.insert((value, group), all).unwrap_or(Set::EMPTY);
                let end = self.diagrams.minus(all, before);
                if end == Set::EMPTY {
                    continue;
                }
                let Some(Known { steps, .. }) = self.learn(group, value, end, level) else { return };
                let becomes: Vec<_> = self.diagrams.nodes_of(steps).collect();
                for node in becomes {
                    self.flows[level as usize].note(value, node.value);
                    let more = self.behind(group, end, node.down, level + 1, 1);
                    let before = ends.get(&node.value).copied().unwrap_or(Set::EMPTY);
                    let after = self.diagrams.union(before, more);
                    if after != before {
                        ends.insert(node.value, after);
                        open.insert(place(self, node.value));
                    }
                }
            }
            if self.has_to_stop() {
                return;
            }
        }
    }

    /// The saturated image of a set of suffixes under steps; the first `done` touched parts lie
    /// before `level`.
    pub(super) fn behind(&mut self, group: usize, set: Set, steps: Set, level: u32, done: usize) -> Set {
        if set == Set::EMPTY || steps == Set::EMPTY || self.stop.is_some() {
            return Set::EMPTY;
        }
        let Some(next) = self.groups[group].levels.get(done).copied() else { return set };
        let operation = Operation(Operation::FREE + 2 * to_number(group));
        if let Some(known) = self.diagrams.known(operation, set, steps) {
            return known;
        }
        let nodes: Vec<_> = self.diagrams.nodes_of(set).collect();
        let mut ends: BTreeMap<u32, Set> = BTreeMap::new();
        if level < next {
            for node in nodes {
                ends.insert(node.value, self.behind(group, node.down, steps, level + 1, done));
            }
        } else {
            let mut read = steps;
            for node in nodes {
                while read != Set::EMPTY && self.diagrams.node(read).value < node.value {
                    read = self.diagrams.node(read).right;
                }
                if read == Set::EMPTY {
                    break;
                }
                if self.diagrams.node(read).value != node.value {
                    continue;
                }
                let becomes: Vec<_> = self.diagrams.nodes_of(self.diagrams.node(read).down).collect();
                for written in becomes {
                    let down = self.behind(group, node.down, written.down, level + 1, done + 1);
                    let before = ends.get(&written.value).copied().unwrap_or(Set::EMPTY);
                    ends.insert(written.value, self.diagrams.union(before, down));
                }
            }
        }
        let result = self.list(ends);
        let result = self.saturate(result, level);
        if self.stop.is_some() {
            return Set::EMPTY;
        }
        self.diagrams.keep(operation, set, steps, result)
    }

    /// The groups with first touched level `level` that may have steps of words with this number
    /// there.
    fn groups_at(&self, level: u32, value: u32) -> Vec<usize> {
        let groups = self.tops[level as usize].iter().copied();
        groups.filter(|group| self.groups[*group].own > 0 || self.is_of(*group, value)).collect()
    }

    /// Returns `true` if the process is at a location of the group, given the number of its part.
    pub(super) fn is_of(&self, group: usize, value: u32) -> bool {
        let Search { groups, layout, group_of, .. } = self;
        let process = groups[group].process;
        let level = groups[group].levels[groups[group].own];
        // The location is the second cell of the header.
        let location = layout.value(level as usize, value).get(1);
        let location = location.and_then(|location| usize::try_from(*location).ok());
        location.is_some_and(|location| group_of[process][location] == group)
    }

    /// The processes whose parts the steps of a group touch.
    pub(super) fn processes(&self, group: usize) -> Vec<usize> {
        let levels = self.groups[group].levels.iter();
        let processes = levels.filter_map(|level| match self.layout.part(*level as usize) {
            Part::Process(process) => Some(process),
            _ => None,
        });
        processes.collect()
    }

    fn size(&self) -> usize {
        let saturated = self.saturated.capacity() * 2 * size_of::<(Set, Set)>();
        self.diagrams.size() + self.layout.size() + saturated
    }

    fn has_to_stop(&mut self) -> bool {
        if self.stop.is_none() {
            if self.steps.too_many {
                self.stop = Some(Completion::States);
            } else if self.clock.is_late() {
                self.stop = Some(Completion::Time);
            } else if self.limits.states.is_some_and(|most| self.looked_at > most) {
                self.stop = Some(Completion::States);
            } else if self.limits.bytes.is_some_and(|most| self.size() > most) {
                self.stop = Some(Completion::Bytes);
            }
        }
        self.stop.is_some()
    }

    /// The words of a set whose steps are to be computed for a group; `None` if they are too many.
    pub(super) fn words(&mut self, group: usize, set: Set) -> Option<Vec<Vec<u32>>> {
        let count = usize::try_from(self.diagrams.count(set)).unwrap_or(usize::MAX);
        let bytes =
            count.saturating_mul(size_of::<Vec<u32>>() + 4 * size_of_val(&self.groups[group].levels[..]));
        if self.limits.states.is_some_and(|most| count > most.saturating_sub(self.looked_at)) {
            self.stop = Some(Completion::States);
        } else if self.limits.bytes.is_some_and(|most| bytes > most) {
            self.stop = Some(Completion::Bytes);
        }
        if self.stop.is_some() { None } else { Some(self.diagrams.words(set)) }
    }

    /// The relation of a group for short words that begin with `value`, extended to those that
    /// continue with words of `end`. `None` if the search has to stop.
    fn learn(&mut self, group: usize, value: u32, end: Set, level: u32) -> Option<Known> {
        let ends = self.project(group, end, level + 1, 1);
        let known = self.groups[group].known.get(&value).copied().unwrap_or(UNKNOWN);
        let new = self.diagrams.minus(ends, known.words);
        if new == Set::EMPTY {
            return Some(known);
        }
        let mut steps = Vec::new();
        for end in self.words(group, new)? {
            let word: Vec<u32> = std::iter::once(value).chain(end).collect();
            self.short_steps(group, &word, false, &mut steps)?;
        }
        steps.sort();
        steps.dedup();
        let steps = self.diagrams.of(&steps);
        let known = Known {
            words: self.diagrams.union(known.words, new),
            steps: self.diagrams.union(known.steps, steps),
        };
        self.groups[group].known.insert(value, known);
        Some(known)
    }

    /// The projection of a set to short words of a group, for words in which the process is at a
    /// location of the group.
    pub(super) fn project(&mut self, group: usize, set: Set, level: u32, done: usize) -> Set {
        let Some(next) = self.groups[group].levels.get(done).copied() else {
            return if set == Set::EMPTY { set } else { Set::END };
        };
        if set == Set::EMPTY {
            return set;
        }
        let operation = Operation(Operation::FREE + 2 * to_number(group) + 1);
        if let Some(known) = self.diagrams.known(operation, set, Set::EMPTY) {
            return known;
        }
        let node = self.diagrams.node(set);
        let right = self.project(group, node.right, level, done);
        let result = if level < next {
            let down = self.project(group, node.down, level + 1, done);
            self.diagrams.union(down, right)
        } else if done != self.groups[group].own || self.is_of(group, node.value) {
            let down = self.project(group, node.down, level + 1, done + 1);
            self.diagrams.make(node.value, down, right)
        } else {
            right
        };
        self.diagrams.keep(operation, set, Set::EMPTY, result)
    }

    /// Appends the steps of a short word, those that wait for `timeout` or those that do not: the
    /// new first number, then for each further part its old and its new number. `None` if a step
    /// changes a part outside the footprint: the search stops then.
    pub(super) fn short_steps(
        &mut self,
        group: usize,
        word: &[u32],
        timeout: bool,
        steps: &mut Vec<Vec<u32>>,
    ) -> Option<()> {
        if self.has_to_stop() {
            return None;
        }
        let touched = self.processes(group);
        let Search { groups, layout, steps: semantics, looked_at, stop, .. } = self;
        *looked_at += 1;
        let group = &groups[group];
        let before = layout.state(&group.levels, word);
        let mut behind = semantics.behind(&before, group.process, timeout, &touched);
        if let Some(behind) = behind.as_mut().filter(|behind| behind.is_empty()) {
            // A process that can step, but to no state, differs from one that cannot: it gets a
            // self-loop.
            behind.push(before.clone());
        }
        for after in behind.into_iter().flatten() {
            let others = (0..layout.len()).filter(|level| !group.levels.contains(&to_number(*level)));
            if !others.into_iter().all(|level| layout.is_same(level, &before, &after)) {
                debug_assert!(false, "a step changes what it should not touch");
                *stop = Some(Completion::States);
                return None;
            }
            let mut step = Vec::with_capacity(2 * word.len());
            for (at, level) in group.levels.iter().enumerate() {
                step.extend((at > 0).then_some(word[at]));
                step.push(layout.number(*level as usize, &after));
            }
            steps.push(step);
        }
        Some(())
    }
}
