//! Capacity guards: guards on the length of a queue, `len(q) < 3 -> q!m` or `nfull(q) -> q!m`,
//! become data places that measure the room left in the queue.
//!
//! Let every send to a queue `q` come after a guard that lets a process pass only while `q` holds
//! fewer than `k` messages, with no other send to `q` in between. A process that has passed and has
//! not sent yet is *about to send*. Let there be at most `n` such processes at a time, and `most =
//! k + n - 1`. Then `most - len(q) - (number of processes about to send)` is never below 0:
//! `docs/soundness/abstraction.md`, *Room*.

use std::collections::{BTreeMap, BTreeSet};

use cfsm_core::ids::{Id, IdMap};
use cfsm_core::program::{Action, Binary, Expression, Unary};
use cfsm_core::system::{
    BufferId, BufferKind, ClassId, DataChange, DataPlace, Direction, StateId, System, TransitionId,
};

use crate::analysis::Analysis;
use crate::channels::{ObjectId, denoted};
use crate::contexts::{Birth, NodeRef};
use crate::data::Ground;
use crate::evaluate::{View, evaluate};
use crate::grouping::Grouping;

/// Maps each queue to a strict upper bound on its length where a statement is executed.
pub(crate) type LengthBounds = BTreeMap<ObjectId, i64>;

/// Largest number of messages in a guard that is recognised.
const MOST: i64 = 1 << 16;

/// The bounds on lengths of queues that hold where a statement is executed at a node.
pub(crate) fn length_bounds(
    analysis: &Analysis<'_>,
    grouping: &Grouping,
    at: NodeRef,
    action: &Action,
) -> LengthBounds {
    let mut found = LengthBounds::new();
    if let Action::Condition(condition) = action {
        let context = &analysis.contexts[at.context];
        let view = analysis.view(context, &context.nodes[at.node].cells);
        Guard { analysis, grouping, view, found: &mut found }.add(condition, true);
    }
    found
}

/// The bounds that hold for both of two statements that are merged into one transition.
pub(crate) fn of_both(one: &LengthBounds, other: &LengthBounds) -> LengthBounds {
    let both = one.iter().filter_map(|(queue, fewer)| Some((*queue, (*fewer).max(*other.get(queue)?))));
    both.collect()
}

struct Guard<'a> {
    analysis: &'a Analysis<'a>,
    grouping: &'a Grouping,
    view: View<'a>,
    found: &'a mut LengthBounds,
}

impl Guard<'_> {
    /// Adds the bounds that follow if a condition holds, or does not hold.
    fn add(&mut self, condition: &Expression, holds: bool) {
        use Binary::{And, Equal, Greater, GreaterEqual, Less, LessEqual, NotEqual, Or};
        match (condition, holds) {
            (Expression::Unary(Unary::Not, operand), _) => self.add(operand, !holds),
            (Expression::Binary(And, left, right), true) | (Expression::Binary(Or, left, right), false) => {
                self.add(left, holds);
                self.add(right, holds);
            }
            (Expression::Binary(Less, left, right), true)
            | (Expression::Binary(GreaterEqual, left, right), false)
            | (Expression::Binary(Greater, right, left), true)
            | (Expression::Binary(LessEqual, right, left), false) => self.compare(left, right, 0),
            (Expression::Binary(LessEqual, left, right), true)
            | (Expression::Binary(Greater, left, right), false)
            | (Expression::Binary(GreaterEqual, right, left), true)
            | (Expression::Binary(Less, right, left), false) => self.compare(left, right, 1),
            (Expression::Binary(Equal, left, right), true)
            | (Expression::Binary(NotEqual, left, right), false) => {
                self.compare(left, right, 1);
                self.compare(right, left, 1);
            }
            (Expression::Full(channel), false) => self.note_declared(channel),
            (Expression::Empty(channel), true) => self.note(channel, 1),
            (Expression::Length(channel), false) => self.note(channel, 1),
            _ => {}
        }
    }

    /// Records `length < limit + more`, if `length` is the length of a channel.
    fn compare(&mut self, length: &Expression, limit: &Expression, more: i64) {
        if let Expression::Length(channel) = length
            // The numbers of channels are numbers too, and unknown.
            && let Some((_, most)) = evaluate(limit, &self.view).as_numbers().bounds()
            && let Some(fewer) = most.checked_add(more)
        {
            self.note(channel, fewer);
        }
    }

    /// Records that a channel holds fewer messages than its declared capacity.
    fn note_declared(&mut self, channel: &Expression) {
        let objects = denoted(&self.analysis.objects, &evaluate(channel, &self.view));
        if let [object] = objects[..]
            && let Some(declared) = self.analysis.objects[object].shape.declared()
        {
            self.note(channel, declared.into());
        }
    }

    fn note(&mut self, channel: &Expression, fewer: i64) {
        let objects = denoted(&self.analysis.objects, &evaluate(channel, &self.view));
        if let [object] = objects[..]
            && self.is_one(object)
            && (0..=MOST).contains(&fewer)
        {
            let known = self.found.entry(object).or_insert(fewer);
            *known = fewer.min(*known);
        }
    }

    /// Returns `true` if a channel object represents a single queue in every run.
    fn is_one(&self, object: ObjectId) -> bool {
        let mut standing = self.grouping.representative.iter().enumerate();
        self.analysis.objects[object].owner.is_none()
            && standing.all(|(at, other)| (*other == object) == (ObjectId::new(at) == object))
    }
}

/// The guards of a system, with the data to count instances of its classes.
pub(crate) struct CapacityGuards<'a> {
    analysis: &'a Analysis<'a>,
    grouping: &'a Grouping,
    /// The bounds on lengths of buffers when each transition fires.
    fewer: IdMap<TransitionId, BTreeMap<BufferId, i64>>,
    /// The states in which instances may begin.
    entries: Vec<StateId>,
    /// `true` if other processes may step while a process is in the state.
    interrupted: IdMap<StateId, bool>,
    leaving: IdMap<StateId, Vec<TransitionId>>,
    entering: IdMap<StateId, Vec<TransitionId>>,
}

impl<'a> CapacityGuards<'a> {
    pub(crate) fn new(
        Ground { analysis, grouping, live, states, .. }: Ground<'a>,
        system: &System,
        fewer: IdMap<TransitionId, BTreeMap<BufferId, i64>>,
    ) -> Self {
        let mut leaving = IdMap::filled(Vec::new(), system.states.len());
        let mut entering = leaving.clone();
        for (id, transition) in system.transitions.iter() {
            leaving[transition.source].push(id);
            entering[transition.target].push(id);
        }
        let mut entries = Vec::new();
        let mut interrupted = IdMap::filled(false, system.states.len());
        for (context, known) in analysis.contexts.iter() {
            let of_class = &states[grouping.class_of[context]];
            for (at, (_, node)) in known.nodes.iter().enumerate().filter(|(_, (id, _))| live[context][*id]) {
                let state = of_class[&(node.location, node.key.clone())];
                interrupted[state] |= node.interrupted;
                entries.extend((at == 0).then_some(state));
            }
        }
        Self { analysis, grouping, fewer, entries, interrupted, leaving, entering }
    }

    /// Adds a data place for each buffer all sends to which are guarded. Time linear in the system,
    /// for each guarded buffer.
    pub(crate) fn add(&self, system: &mut System) {
        let guarded: BTreeSet<BufferId> = self.fewer.values().flat_map(BTreeMap::keys).copied().collect();
        for buffer in guarded {
            if system.buffers[buffer].kind == BufferKind::Queue
                && let Some((most, changes)) = self.room(system, buffer)
            {
                let name = format!("{most} - len({})", system.buffers[buffer].name);
                let taken = system.data.values().any(|place| place.name == name);
                if taken {
                    continue;
                }
                let place = system.data.push(DataPlace::new(name, most));
                for (id, change) in changes {
                    system.transitions[id].data.push(DataChange { place, change });
                }
            }
        }
    }

    /// The room at the start, and the changes of it by transitions.
    fn room(&self, system: &System, buffer: BufferId) -> Option<(u64, Vec<(TransitionId, i64)>)> {
        let sends = |id: TransitionId| moved(system, id, buffer, Direction::Send);
        let about = self.about_to_send(system, buffer);
        let mut sending = system.transitions.ids().filter(|id| sends(*id) > 0);
        if !sending.all(|id| sends(id) == 1 && about[system.transitions[id].source]) {
            return None;
        }
        let limits = self.fewer.iter().filter(|(id, _)| about[system.transitions[*id].target]);
        let most = limits.filter_map(|(_, fewer)| fewer.get(&buffer)).max()?;
        let classes: BTreeSet<ClassId> =
            about.iter().filter(|(_, about)| **about).map(|(id, _)| system.states[id].class).collect();
        let alone = about.iter().all(|(id, about)| !about || !self.interrupted[id]);
        let instances = if alone { 1 } else { self.instances_of_all(&classes)? };
        let most = u64::try_from(*most).ok()?.checked_add(instances)?.checked_sub(1)?;
        let change = |(id, transition): (TransitionId, &cfsm_core::system::Transition)| {
            let [from, to] = [transition.source, transition.target].map(|state| i64::from(about[state]));
            let received = i64::from(moved(system, id, buffer, Direction::Receive));
            let change = from - to + received - i64::from(sends(id));
            (change != 0).then_some((id, change))
        };
        Some((most, system.transitions.iter().filter_map(change).collect()))
    }

    /// `true` for each state of processes that have passed a guard on the length of a buffer, have
    /// not sent to it since, and may still do so.
    fn about_to_send(&self, system: &System, buffer: BufferId) -> IdMap<StateId, bool> {
        let mut passed = IdMap::filled(true, system.states.len());
        let sends = |id: TransitionId| moved(system, id, buffer, Direction::Send) > 0;
        let passes = |id: TransitionId| self.fewer[id].contains_key(&buffer);
        let steps = || system.transitions.iter();
        let behind = steps().filter(|(id, _)| sends(*id)).map(|(_, transition)| transition.target);
        let mut open: Vec<StateId> = self.entries.iter().copied().chain(behind).collect();
        open.extend(system.classes.values().map(|class| class.initial));
        while let Some(state) = open.pop() {
            if std::mem::replace(&mut passed[state], false) {
                let leaving = self.leaving[state].iter().filter(|id| !passes(**id));
                open.extend(leaving.map(|id| system.transitions[*id].target));
            }
        }
        let mut about = IdMap::filled(false, system.states.len());
        let before = steps().filter(|(id, _)| sends(*id)).map(|(_, transition)| transition.source);
        let mut open: Vec<StateId> = before.collect();
        while let Some(state) = open.pop() {
            if passed[state] && !std::mem::replace(&mut about[state], true) {
                open.extend(self.entering[state].iter().map(|id| system.transitions[*id].source));
            }
        }
        about
    }

    fn instances_of_all(&self, classes: &BTreeSet<ClassId>) -> Option<u64> {
        classes.iter().map(|class| self.instances(*class).map(u64::from)).sum()
    }

    /// The largest number of instances of a class at a time, if known.
    fn instances(&self, class: ClassId) -> Option<u32> {
        let instances = self.grouping.groups[class].contexts.iter().map(|&context| {
            match (self.analysis.several(context), &self.analysis.contexts[context]) {
                (false, _) => Some(1),
                (true, known) if !known.shared => match known.birth {
                    Birth::Initial(count) => Some(count),
                    Birth::Created { .. } => None,
                },
                (true, _) => None,
            }
        });
        instances.sum()
    }
}

/// Number of messages that a transition sends to a buffer, or receives from it.
fn moved(system: &System, id: TransitionId, buffer: BufferId, direction: Direction) -> u32 {
    let events = system.transitions[id].events.iter();
    let of_buffer = events
        .filter(|event| event.direction == direction && system.messages[event.message].buffer == buffer);
    of_buffer.map(|event| event.count).sum()
}
