//! Tree search for witnesses: runs are extended from the most promising leaf.

use cfsm_core::deadline::Deadline;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use crate::reduce::Statements;
use crate::store::Store;
use crate::{Run, State, Step};

use super::confined_pump::statements;
use super::reduced_model::ReducedModel;
use super::repeat::compare;
use super::{Aim, Quest, Witness};

/// Greatest number of proposals that are replayed and refused; then no more are made.
const MOST_REFUSALS: usize = 400;
/// Least effort, in steps, that is spent on proposals that return to the same control but not to
/// the same data. One more step is allowed for each [`NODES_PER_STEP_ALONE`] nodes; at most
/// [`MOST_OF_THE_SAME`] proposals with the same statements are tried.
const FIRST_ALONE: usize = 100;
const NODES_PER_STEP_ALONE: usize = 8;
const MOST_OF_THE_SAME: usize = 2;
/// Greatest number of proposals with the same statements that leave processes behind;
/// [`FIRST_BEHIND`] is the least effort that is spent on these.
const MOST_BEHIND: usize = 6;
const FIRST_BEHIND: usize = 4_000;
/// Factor by which the effort for proposals may exceed the number of nodes.
const PATIENCE: usize = 4;
/// Least effort, in steps, that is spent on proposals.
const FIRST_EFFORT: usize = 40_000;
/// Number of visited ancestors that count as one step of effort.
const HOPS_PER_STEP: usize = 1_024;
/// Number of bytes of a decoded state that count as one step of effort.
const BYTES_PER_STEP: usize = 64;
/// Greatest number of bytes of stored states.
const MOST_BYTES: usize = 64 << 20;

/// Selection of the next leaf.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    /// The one that was reached first (breadth first).
    Breadth,
    /// The one with the least number of moves outside the guide plus distance to the statements of
    /// the guide; among equals the latest one.
    Directed,
}

#[derive(Clone, Copy, Debug)]
struct Node {
    parent: u32,
    /// Number of the control and data part of the state.
    frame: u32,
    /// Number of the control part of the state.
    control: u32,
    /// Number of messages in all queues.
    messages: u32,
    /// Number of processes.
    processes: u16,
    /// Number of moves on the path that are not statements of the guide.
    strays: u32,
    /// `true` if the step to this node may be part of the pump.
    allowed: bool,
}

/// The search tree.
pub(super) struct Tree<'a> {
    model: &'a ReducedModel<'a>,
    quest: &'a Quest,
    order: Order,
    states: Store,
    frames: Store,
    controls: Store,
    nodes: Vec<Node>,
    leaves: BinaryHeap<Reverse<(u64, u64, u32)>>,
    refusals: usize,
    /// Number of refused proposals that return to the same control but not to the same data, by
    /// their statements.
    alone: BTreeMap<Statements, usize>,
    /// Effort spent on these, in steps.
    effort_alone: usize,
    /// Number of refused proposals that leave processes behind, by their statements.
    behind: BTreeMap<Statements, usize>,
    /// Effort spent on these, in steps.
    effort_behind: usize,
    /// Effort spent on the other proposals, in steps.
    effort: usize,
    /// Number of ancestors visited in the search for beginnings of pumps.
    hops: usize,
    /// `true` if the memory limit was reached.
    full: bool,
    buffer: Vec<u8>,
}

impl<'a> Tree<'a> {
    pub fn new(model: &'a ReducedModel<'a>, quest: &'a Quest, order: Order, start: &State) -> Self {
        let mut tree = Self {
            model,
            quest,
            order,
            states: Store::default(),
            frames: Store::default(),
            controls: Store::default(),
            nodes: Vec::new(),
            leaves: BinaryHeap::new(),
            refusals: 0,
            alone: BTreeMap::new(),
            effort_alone: 0,
            behind: BTreeMap::new(),
            effort_behind: 0,
            effort: 0,
            hops: 0,
            full: false,
            buffer: Vec::new(),
        };
        tree.insert(start, None);
        tree
    }

    pub const fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Returns `true` if all states were visited.
    pub fn is_exhausted(&self) -> bool {
        self.leaves.is_empty() && !self.full
    }

    /// Adds up to this number of states, unless a witness is found before.
    pub fn grow(&mut self, states: usize, deadline: Deadline) -> Option<Witness> {
        const OFTEN: usize = 64;
        let most = self.len() + states;
        let mut state = State::default();
        let (mut steps, mut room) = (Vec::new(), Vec::new());
        let mut count = 0_usize;
        while self.len() < most && !self.full {
            count += 1;
            if count.is_multiple_of(OFTEN) && deadline.is_over() {
                return None;
            }
            let Reverse((_, _, at)) = self.leaves.pop()?;
            self.model.part().decode(self.states.get(at as usize), &mut state);
            self.model.expand(&state, &mut steps, &mut room);
            for step in steps.drain(..) {
                let found = self.step(at, &step);
                if found.is_some() {
                    return found;
                }
                room.extend(step.after);
            }
        }
        None
    }

    fn step(&mut self, from: u32, step: &Step) -> Option<Witness> {
        let after = step.after.as_ref().filter(|_| step.errors.is_empty())?;
        let (at, new) = self.insert(after, Some((from, step)))?;
        if new {
            return self.propose(at, at, None).or_else(|| self.propose_behind(at));
        }
        // A cycle without growth is a witness if growth is not the goal.
        let closes = matches!(self.quest.aim, Aim::NoProgress { .. }) && self.quest.aim.allows(&step.moves);
        if closes { self.propose(from, at, Some(step)) } else { None }
    }

    /// The number of a state, and `true` if it is new.
    fn insert(&mut self, state: &State, from: Option<(u32, &Step)>) -> Option<(u32, bool)> {
        self.buffer.clear();
        self.model.part().encode_frame(state, &mut self.buffer);
        let frame = self.buffer.len();
        self.model.part().encode_contents(state, &mut self.buffer);
        let Ok((at, new)) = self.states.insert(&self.buffer) else {
            self.full = true;
            return None;
        };
        self.full = self.states.size() + self.frames.size() > MOST_BYTES;
        let at = u32::try_from(at).ok()?;
        if new {
            let frame = number(&mut self.frames, &self.buffer[..frame]);
            self.add(at, frame, state, from);
        }
        Some((at, new))
    }

    fn add(&mut self, at: u32, frame: u32, state: &State, from: Option<(u32, &Step)>) {
        self.buffer.clear();
        self.model.part().encode_control(state, &mut self.buffer);
        let control = number(&mut self.controls, &self.buffer);
        let strays = from.map_or(0, |(parent, step)| {
            self.nodes[parent as usize].strays.saturating_add(self.quest.guide.strays(&step.moves))
        });
        self.nodes.push(Node {
            parent: from.map_or(at, |(parent, _)| parent),
            frame,
            control,
            messages: state.queues.iter().map(|queue| queue.length).sum(),
            processes: u16::try_from(state.process_count()).unwrap_or(u16::MAX),
            strays,
            allowed: from.is_none_or(|(_, step)| self.quest.aim.allows(&step.moves)),
        });
        let key = match self.order {
            Order::Breadth => (u64::from(at), 0),
            Order::Directed => {
                let way = u64::from(strays) + u64::from(self.quest.guide.distance(state));
                (way, u64::MAX - u64::from(at))
            }
        };
        self.leaves.push(Reverse((key.0, key.1, at)));
    }

    /// Searches the ancestors of a node for the beginning of a pump that ends in `end`; if `end` is
    /// not the node itself, `last` is the step to it.
    fn propose(&mut self, node: u32, end: u32, last: Option<&Step>) -> Option<Witness> {
        if !self.is_patient() {
            return None;
        }
        let goal = self.nodes[end as usize];
        let (mut after, mut other) = (None, None);
        let mut at = node;
        loop {
            let here = self.nodes[at as usize];
            // Without a last step the node itself is the end.
            let fits = here.control == goal.control
                && here.messages <= goal.messages
                && (at != node || last.is_some());
            let begins = fits && here.frame == goal.frame;
            let need_not_grow = matches!(self.quest.aim, Aim::NoProgress { .. });
            let may_be_alone = fits && !begins && (here.messages < goal.messages || need_not_grow);
            other = other.or_else(|| may_be_alone.then_some(at));
            self.hops += 1;
            if begins && self.is_patient() {
                self.effort += 1 + self.states.get(at as usize).len() / BYTES_PER_STEP;
                let after = after.get_or_insert_with(|| self.state(end));
                if self.is_promising(&self.state(at), after) {
                    let found = self.confirm(at, node, last);
                    self.refusals += usize::from(found.is_none());
                    if found.is_some() {
                        return found;
                    }
                }
            }
            if !here.allowed || here.parent == at {
                break;
            }
            at = here.parent;
        }
        // Only the nearest one is tried: longer pumps depend on more data.
        other.and_then(|at| self.propose_alone(at, node, end, last))
    }

    /// Proposes a pump that returns to the same control, but not to the same data.
    fn propose_alone(&mut self, begin: u32, node: u32, end: u32, last: Option<&Step>) -> Option<Witness> {
        if self.effort_alone > FIRST_ALONE + self.len() / NODES_PER_STEP_ALONE {
            return None;
        }
        self.effort_alone += 1;
        if !self.grows(&self.state(begin), &self.state(end)) {
            return None;
        }
        let mut pump = self.path(begin, node);
        pump.steps.extend(last.map(|step| step.moves.clone()));
        self.effort_alone += pump.steps.len();
        let refusals = self.alone.entry(statements(&pump)).or_default();
        if *refusals >= MOST_OF_THE_SAME {
            return None;
        }
        *refusals += 1;
        let prefix = self.path(0, begin);
        self.effort_alone += prefix.steps.len();
        self.model.confirm_alone(&prefix, &pump, &mut self.effort_alone).ok()
    }

    /// Searches the ancestors of a node for the beginning of a pump that ends there and leaves
    /// processes behind.
    fn propose_behind(&mut self, end: u32) -> Option<Witness> {
        let goal = self.nodes[end as usize];
        if !matches!(self.quest.aim, Aim::Growth { .. }) || goal.processes == self.nodes[0].processes {
            return None;
        }
        let mut after = None;
        let mut at = goal.parent;
        while self.effort_behind <= FIRST_BEHIND + PATIENCE * self.len() {
            let here = self.nodes[at as usize];
            self.hops += 1;
            if here.processes < goal.processes && here.messages < goal.messages {
                self.effort_behind += 1 + self.states.get(at as usize).len() / BYTES_PER_STEP;
                let after = after.get_or_insert_with(|| self.state(end));
                let before = self.state(at);
                if self.may_leave_behind(&before, after)
                    && let Some(found) = self.confirm_behind(at, end)
                {
                    return Some(found);
                }
            }
            if here.parent == at {
                break;
            }
            at = here.parent;
        }
        None
    }

    fn confirm_behind(&mut self, begin: u32, end: u32) -> Option<Witness> {
        let pump = self.path(begin, end);
        let refusals = self.behind.entry(statements(&pump)).or_default();
        if *refusals >= MOST_BEHIND {
            return None;
        }
        *refusals += 1;
        let prefix = self.path(0, begin);
        self.effort_behind += prefix.steps.len() + pump.steps.len();
        self.model.confirm_behind(&prefix, &pump, &mut self.effort_behind).ok()
    }

    /// Returns `true` if queues grow as wanted, and each process has a counterpart at the same
    /// location afterwards: itself, or a new one.
    fn may_leave_behind(&self, before: &State, after: &State) -> bool {
        let old = before.process_count();
        let place = |state: &State, process| (state.type_of(process), state.location_of(process));
        let mut new: Vec<_> = (old..after.process_count()).map(|process| place(after, process)).collect();
        let finds_one = |process| {
            let wanted = place(before, process);
            place(after, process) == wanted
                || new.iter().position(|place| *place == wanted).map(|at| new.swap_remove(at)).is_some()
        };
        let pairs = before.queues.iter().zip(&after.queues);
        let growing = pairs.clone().enumerate().filter(|(_, (old, new))| new.length > old.length);
        let origins = growing.filter_map(|(queue, _)| self.model.part().queue_origin(after, queue + 1));
        self.quest.aim.is_met(origins)
            && pairs.into_iter().all(|(old, new)| old.length <= new.length && old.owner == new.owner)
            && (0..old).all(finds_one)
    }

    /// Returns `true` if queues grow as wanted, regardless of data.
    fn grows(&self, before: &State, after: &State) -> bool {
        if before.queues.len() != after.queues.len() {
            return false;
        }
        let pairs = before.queues.iter().zip(&after.queues);
        let growing = pairs.clone().enumerate().filter(|(_, (old, new))| new.length > old.length);
        let origins = growing.filter_map(|(queue, _)| self.model.part().queue_origin(after, queue + 1));
        pairs.into_iter().all(|(old, new)| old.length <= new.length) && self.quest.aim.is_met(origins)
    }

    /// Returns `true` as long as the effort for proposals is within its limit.
    fn is_patient(&self) -> bool {
        let effort = self.effort + self.hops / HOPS_PER_STEP;
        self.refusals < MOST_REFUSALS && effort <= FIRST_EFFORT + PATIENCE * self.len()
    }

    fn is_promising(&self, before: &State, after: &State) -> bool {
        let Ok(changes) = compare(before, after) else { return false };
        let growing = changes.iter().enumerate().filter(|(_, change)| **change > 0);
        let origins = growing.filter_map(|(queue, _)| self.model.part().queue_origin(after, queue + 1));
        self.quest.aim.is_met(origins)
    }

    fn confirm(&mut self, begin: u32, node: u32, last: Option<&Step>) -> Option<Witness> {
        let prefix = self.path(0, begin);
        let mut pump = self.path(begin, node);
        pump.steps.extend(last.map(|step| step.moves.clone()));
        self.effort += prefix.steps.len() + pump.steps.len();
        self.model.confirm(&prefix, &pump, &mut self.effort).ok()
    }

    fn state(&self, at: u32) -> State {
        let mut state = State::default();
        self.model.part().decode(self.states.get(at as usize), &mut state);
        state
    }

    /// The moves from a node to a descendant.
    fn path(&self, from: u32, to: u32) -> Run {
        let mut way = vec![to];
        while let Some(&last) = way.last().filter(|last| **last != from) {
            way.push(self.nodes[last as usize].parent);
        }
        way.reverse();
        let steps = way.windows(2).filter_map(|pair| {
            let next = self.state(pair[1]);
            let steps = self.model.successors(&self.state(pair[0])).into_iter();
            let allowed = self.nodes[pair[1] as usize].allowed;
            let mut fitting = steps.filter(|step| {
                step.errors.is_empty()
                    && step.after.as_ref() == Some(&next)
                    && self.quest.aim.allows(&step.moves) == allowed
            });
            fitting.next().map(|step| step.moves)
        });
        Run { steps: steps.collect() }
    }
}

/// The number of a byte string, which is inserted if necessary.
fn number(all: &mut Store, string: &[u8]) -> u32 {
    all.insert(string).ok().and_then(|(number, _)| u32::try_from(number).ok()).unwrap_or(u32::MAX)
}
