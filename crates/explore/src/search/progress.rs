//! Detection of non-progress cycles in the state graph of a search.
//!
//! Spin's `np_` is false in a state in which some process is at a location with a progress label,
//! and it is evaluated only in states in which control is free. So a non-progress cycle either
//! passes free states, none of them with progress, or lies wholly inside `atomic` and passes no
//! state with progress at all.
//!
//! The first kind is searched among the stored states, with macro-steps as edges; the second within
//! each macro-step. Macro-steps are searched again, once for each kind that there may be. Memory:
//! eight bytes for each stored state, and the successors of states on the stack; for one macro-step
//! at a time, its steps.

use super::components::{Graph, cyclic_component, round};
use super::{Clock, Completion, MacroStep, Run, Search, State, Step};

/// Result of the search for non-progress cycles.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Progress {
    /// Unknown: the search was not asked for, or a limit was hit before a cycle was found.
    #[default]
    Unknown,
    /// There is no non-progress cycle.
    Always,
    /// There is a non-progress cycle, given as a run of the program.
    Cycle(Lasso),
}

/// An infinite run: a prefix, and a cycle that is repeated for ever.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lasso {
    /// The run from the initial state to the cycle, as short as runs to violations
    /// ([`violations`](super::Exploration::violations)).
    pub prefix: Run,
    /// One iteration of the cycle: it returns to the state in which it begins, and has at least one
    /// step.
    pub cycle: Run,
}

impl Search<'_> {
    /// Searches for a non-progress cycle among the stored states, and then inside `atomic`.
    pub(super) fn progress(&self) -> Progress {
        let mut macro_steps = MacroSteps {
            search: self,
            macro_step: MacroStep::default(),
            steps: Vec::new(),
            buffer: Vec::new(),
            clock: Clock::new(self.limits),
            passed: 0,
            late: false,
            cut: false,
        };
        let mut found = macro_steps.through_free_states();
        // If no macro-step reaches a state inside twice, there is no cycle inside.
        if found.is_none() && self.meets_again {
            macro_steps.passed = 0;
            found = macro_steps.inside();
        }
        match found {
            Some(lasso) => Progress::Cycle(lasso),
            None if macro_steps.late || macro_steps.cut || self.found.completion != Completion::Complete => {
                Progress::Unknown
            }
            None => Progress::Always,
        }
    }
}

/// The graph of the stored free states without progress. Its edges are macro-steps.
struct MacroSteps<'a, 'b> {
    search: &'b Search<'a>,
    macro_step: MacroStep,
    steps: Vec<Step>,
    buffer: Vec<u8>,
    clock: Clock,
    /// Number of states inside `atomic` passed, counted again for each traversal of the stored
    /// states.
    passed: usize,
    /// `true` if the deadline passed before the end.
    late: bool,
    /// `true` if some macro-step had more states than may be kept or passed.
    cut: bool,
}

impl Graph for MacroSteps<'_, '_> {
    fn successors(&mut self, node: u32, into: &mut Vec<u32>) -> bool {
        let Search { semantics, store, .. } = self.search;
        self.macro_step.begin();
        while let Some(place) = self.advance(node as usize) {
            if place == 0 && !semantics.non_progress(&self.macro_step.state) {
                return false;
            }
            let mut steps = self.expand();
            for step in steps.drain(..) {
                let Some(after) = &step.after else { continue };
                if after.held.is_some() {
                    self.enter(after, place);
                } else {
                    self.buffer.clear();
                    semantics.encode(after, &mut self.buffer);
                    into.extend(store.find(&self.buffer).and_then(|found| u32::try_from(found).ok()));
                }
            }
            self.steps = steps;
        }
        true
    }

    fn is_stopped(&self) -> bool {
        self.late
    }
}

impl MacroSteps<'_, '_> {
    /// A cycle through free states of the component found: it starts at the one discovered first
    /// and passes as few of them as possible.
    fn through_free_states(&mut self) -> Option<Lasso> {
        let component = cyclic_component(self, self.search.store.len())?;
        let first = component.iter().copied().min()?;
        self.passed = 0;
        let round = round(self, &component, first)?;
        let prefix = self.search.path(first as usize, Vec::new());
        Some(Lasso { prefix, cycle: self.search.along(&round) })
    }

    /// A cycle inside `atomic`, in the first macro-step that has one.
    fn inside(&mut self) -> Option<Lasso> {
        let Search { semantics, store, .. } = self.search;
        let mut inside = Inside::default();
        for at in 0..store.len() {
            self.walk(at, &mut inside);
            if self.late {
                return None;
            }
            let found = if inside.meets_again {
                cyclic_component(&mut inside, self.macro_step.len() + 1)
            } else {
                None
            };
            if let Some(component) = found {
                let first = component.iter().copied().min()?;
                let round = round(&mut inside, &component, first)?;
                let start = store.get(at);
                let tail = self.macro_step.moves(semantics, start, first as usize, None);
                let cycle = Run { steps: self.macro_step.along(semantics, start, &round) };
                return Some(Lasso { prefix: self.search.path(at, tail), cycle });
            }
        }
        None
    }

    /// Searches a macro-step and collects the steps between its states without progress.
    fn walk(&mut self, at: usize, inside: &mut Inside) {
        inside.clear();
        self.macro_step.begin();
        while let Some(place) = self.advance(at) {
            let mut steps = self.expand();
            let outside = place == 0 || !self.search.semantics.non_progress(&self.macro_step.state);
            for step in steps.drain(..) {
                let Some(after) = step.after.as_ref().filter(|after| after.held.is_some()) else { continue };
                if let Some((target, new)) = self.enter(after, place)
                    && !outside
                {
                    inside.meets_again |= !new;
                    inside.targets.push(target);
                }
            }
            self.steps = steps;
            inside.ends.push((inside.targets.len(), !outside));
        }
    }

    /// The next place of a macro-step; `None` at its end, or if a limit is hit.
    fn advance(&mut self, at: usize) -> Option<usize> {
        let Search { semantics, store, limits, .. } = self.search;
        self.late = self.late || self.clock.is_late();
        let room = limits.states.is_none_or(|most| self.macro_step.len() < most)
            && limits.passed.is_none_or(|most| self.passed < most)
            && limits.bytes.is_none_or(|most| self.search.size(&self.macro_step) < most);
        let full = self.macro_step.len() > 0 && !room;
        self.cut |= full;
        if self.late || full {
            return None;
        }
        self.macro_step.advance(semantics, store.get(at))
    }

    /// The steps of the place that is being expanded. The caller gives the emptied vector back.
    fn expand(&mut self) -> Vec<Step> {
        let mut steps = std::mem::take(&mut self.steps);
        self.search.semantics.expand(&self.macro_step.state, false, &mut steps);
        steps
    }

    fn enter(&mut self, state: &State, from: usize) -> Option<(u32, bool)> {
        let entered = self.macro_step.enter(self.search.semantics, state, from);
        self.cut |= entered.is_err();
        let (place, new) = entered.ok()?;
        self.passed += usize::from(new);
        Some((u32::try_from(place).ok()?, new))
    }
}

/// The graph of the states without progress inside `atomic` of one macro-step; nodes are places.
#[derive(Default)]
struct Inside {
    targets: Vec<u32>,
    /// For each expanded place, the end of its targets, and `true` if it may lie on a cycle; if
    /// not, it has no targets.
    ends: Vec<(usize, bool)>,
    /// `true` if a step leads to a place that was known before: without one there is no cycle.
    meets_again: bool,
}

impl Inside {
    fn clear(&mut self) {
        self.targets.clear();
        self.ends.clear();
        self.meets_again = false;
    }
}

impl Graph for Inside {
    fn successors(&mut self, node: u32, into: &mut Vec<u32>) -> bool {
        // Places behind the last expanded one have no steps: the macro-step was cut.
        let Some((end, within)) = self.ends.get(node as usize).copied() else { return false };
        let first = (node as usize).checked_sub(1).map_or(0, |before| self.ends[before].0);
        into.extend(&self.targets[first..end]);
        within
    }
}
