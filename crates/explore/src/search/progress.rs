//! Cycles without progress in the graph that a search has stored.
//!
//! Spin's `np_` is false in a state in which some process is at a location with a progress label, and is asked
//! only in states in which control is free. So a cycle without progress is one that comes through no free
//! state with progress; one that lies wholly inside `atomic` comes through no state with progress at all.
//!
//! Strongly connected components are found by Tarjan's algorithm with a stack of its own; successors are
//! computed again, once for each state. Time: that of the search itself, or twice that. Memory: eight bytes for
//! each state, and the successors of states on the stack.

use std::collections::{HashMap, VecDeque};
use std::time::Instant;

use super::{Run, Search, State, Step};

/// What is known of cycles without progress.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Progress {
    /// Nothing: it was not asked for, or a limit was hit before a cycle was found.
    #[default]
    Unknown,
    /// There is none.
    Always,
    /// There is one: a run of the program.
    Cycle(Lasso),
}

/// A run without an end: what comes first, and what is repeated for ever.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lasso {
    /// A shortest run from the start to the cycle.
    pub prefix: Run,
    /// Once round: it comes back to the state in which it begins, and has a step at least.
    pub cycle: Run,
}

/// Which states a cycle may come through.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Within {
    /// Free states without progress, and all states inside `atomic`; a free one is among them.
    Free,
    /// States inside `atomic` without progress.
    Held,
}

/// A state has not been met by the traversal, or lies outside.
const UNMET: u32 = u32::MAX;
/// The component of a state is known, or it has none.
const CLOSED: u32 = u32::MAX - 1;

/// What is stored of a state on the way from the first one.
struct Frame {
    state: u32,
    /// The least number, in the order of meeting, of a state that is reached from here and is open.
    low: u32,
    /// Where its successors begin that have not been looked at; they end where those of the next frame begin.
    first: usize,
}

impl Search<'_> {
    /// Looks for a cycle without progress among the states that are stored.
    pub(super) fn progress(&self) -> Progress {
        let mut cycles = Cycles {
            search: self,
            within: Within::Free,
            order: Vec::new(),
            state: State::default(),
            steps: Vec::new(),
            buffer: Vec::new(),
            expanded: 0,
            late: false,
            held_only: false,
        };
        let mut found = cycles.component();
        if found.is_none() && cycles.held_only && !cycles.late {
            cycles.within = Within::Held;
            found = cycles.component();
        }
        match found {
            Some(component) => Progress::Cycle(cycles.lasso(&component)),
            None if cycles.late || self.found.completion != super::Completion::Complete => Progress::Unknown,
            None => Progress::Always,
        }
    }
}

struct Cycles<'a, 'b> {
    search: &'b Search<'a>,
    within: Within,
    /// For each state, its number in the order of meeting.
    order: Vec<u32>,
    state: State,
    steps: Vec<Step>,
    buffer: Vec<u8>,
    /// How often successors were computed.
    expanded: usize,
    /// Whether the time was over before the end.
    late: bool,
    /// Whether there was a component without a free state.
    held_only: bool,
}

/// The stacks of Tarjan's algorithm.
#[derive(Default)]
struct Traversal {
    next: u32,
    frames: Vec<Frame>,
    /// States whose component is not known.
    open: Vec<u32>,
    /// Those of all frames.
    successors: Vec<u32>,
}

impl Cycles<'_, '_> {
    /// The states of a component with a cycle of the kind that is looked for; the first one counts.
    fn component(&mut self) -> Option<Vec<u32>> {
        self.order.clear();
        self.order.resize(self.search.store.len(), UNMET);
        (0..u32::try_from(self.order.len()).unwrap_or(UNMET)).find_map(|root| self.component_from(root))
    }

    /// Tarjan's algorithm from one state.
    fn component_from(&mut self, root: u32) -> Option<Vec<u32>> {
        let mut stacks = Traversal::default();
        self.enter(root, &mut stacks);
        while !self.late {
            let frame = stacks.frames.last_mut()?;
            if stacks.successors.len() > frame.first {
                let target = stacks.successors.pop().unwrap_or_default();
                match self.order[target as usize] {
                    UNMET => self.enter(target, &mut stacks),
                    CLOSED => {}
                    number => frame.low = frame.low.min(number),
                }
                continue;
            }
            let (state, low) = (frame.state, frame.low);
            stacks.frames.pop();
            if let Some(before) = stacks.frames.last_mut() {
                before.low = before.low.min(low);
            }
            if low == self.order[state as usize] {
                let component = self.close(state, &mut stacks.open);
                if self.has_cycle(&component) {
                    return Some(component);
                }
            }
        }
        None
    }

    fn enter(&mut self, state: u32, stacks: &mut Traversal) {
        if self.order[state as usize] != UNMET {
            return;
        }
        let first = stacks.successors.len();
        if !self.successors(state, &mut stacks.successors) {
            self.order[state as usize] = CLOSED;
            return;
        }
        self.order[state as usize] = stacks.next;
        stacks.frames.push(Frame { state, low: stacks.next, first });
        stacks.open.push(state);
        stacks.next += 1;
    }

    /// The component of which a state was met first.
    fn close(&mut self, first: u32, open: &mut Vec<u32>) -> Vec<u32> {
        let from = open.iter().rposition(|state| *state == first).unwrap_or_default();
        let component = open.split_off(from);
        component.iter().for_each(|state| self.order[*state as usize] = CLOSED);
        component
    }

    /// Looks at the clock.
    fn note_time(&mut self) {
        // It costs more than a state.
        const OFTEN: usize = 256;
        if self.expanded.is_multiple_of(OFTEN) {
            self.late |= self.search.limits.deadline.is_some_and(|deadline| Instant::now() >= deadline);
        }
        self.expanded += 1;
    }

    /// Puts the stored successors of a state behind what is in `into`, unless it lies outside.
    fn successors(&mut self, number: u32, into: &mut Vec<u32>) -> bool {
        let Search { semantics, store, .. } = self.search;
        semantics.decode(store.get(number as usize), &mut self.state);
        if !self.is_within() {
            return false;
        }
        self.note_time();
        semantics.expand(&self.state, false, &mut self.steps);
        for step in self.steps.drain(..) {
            let Some(after) = &step.after else { continue };
            self.buffer.clear();
            semantics.encode(after, &mut self.buffer);
            into.extend(store.find(&self.buffer).and_then(|found| u32::try_from(found).ok()));
        }
        true
    }

    /// Whether a cycle may come through the state at hand.
    fn is_within(&self) -> bool {
        let held = self.state.held.is_some();
        match self.within {
            Within::Free => held || self.search.semantics.non_progress(&self.state),
            Within::Held => held && self.search.semantics.non_progress(&self.state),
        }
    }

    fn is_held(&mut self, number: u32) -> bool {
        self.search.semantics.decode(self.search.store.get(number as usize), &mut self.state);
        self.state.held.is_some()
    }

    /// Whether there is a cycle in a component, and it is of the kind that is looked for.
    fn has_cycle(&mut self, component: &[u32]) -> bool {
        if let [alone] = component {
            let mut successors = Vec::new();
            self.successors(*alone, &mut successors);
            if !successors.contains(alone) {
                return false;
            }
        }
        if self.within == Within::Held {
            return true;
        }
        let free = component.iter().any(|state| !self.is_held(*state));
        self.held_only |= !free;
        free
    }

    /// A shortest cycle through the state of a component that was met first, and the way to it. If the cycle has to
    /// come through a free state, it is one.
    fn lasso(&mut self, component: &[u32]) -> Lasso {
        let mut candidates = component.to_vec();
        candidates.sort_unstable();
        let within = self.within;
        let first = candidates.iter().copied().find(|state| within == Within::Held || !self.is_held(*state));
        let first = first.unwrap_or_default();
        let mut parents: HashMap<u32, u32> = HashMap::new();
        let (mut open, mut successors) = (VecDeque::from([first]), Vec::new());
        while let Some(state) = open.pop_front() {
            self.successors(state, &mut successors);
            for successor in successors.drain(..) {
                // What leaves the component does not come back.
                if candidates.binary_search(&successor).is_ok() && !parents.contains_key(&successor) {
                    parents.insert(successor, state);
                    open.push_back(successor);
                }
            }
            if parents.contains_key(&first) {
                break;
            }
        }
        let mut round = vec![first as usize];
        let mut last = parents.get(&first).copied();
        while let Some(state) = last {
            round.push(state as usize);
            last = if state == first { None } else { parents.get(&state).copied() };
        }
        round.reverse();
        let prefix = self.search.way(first as usize, None);
        Lasso { prefix, cycle: self.search.along(&round) }
    }
}
