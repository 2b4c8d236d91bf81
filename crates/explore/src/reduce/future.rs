//! Reachable effects of a process: the reads, writes and channel operations that it may still
//! perform from its location and with its values.
//!
//! [`reach`](super::reach) uses the location only; this analysis also tracks the values of the
//! process's variables.

use cfsm_core::ids::Id;
use cfsm_core::program::{Hold, LocationId};
use hashbrown::HashMap;
use indexmap::IndexSet;

use super::cells::{self, each_read};
use super::failure::{may_fail, target_may_fail};
use super::uses::{QueueSet, Uses};
use super::values::{Constants, Values};
use crate::code::{Code, EdgeCode, Statement, TypeCode};
use crate::state::HEADER;
use crate::{Semantics, State};

/// Greatest number of cached local states. When it is exceeded, the cache is cleared.
const MOST: usize = 200_000;
/// Greatest number of distinct effects of local states between which disturbance is cached.
const MOST_FACTS: usize = 4_000;

/// Operation of the first statement of a process on a queue, which is given by its index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum First {
    /// Appends a message to the queue.
    Send(usize),
    /// Takes the first message of the queue.
    Receive(usize),
    /// Tests the first message of the queue.
    Poll(usize),
}

/// Effects of the next step of a process: of its statement and of those that follow until control
/// is free.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Next {
    /// `true` if the step must be assumed to depend on everything.
    pub all: bool,
    /// Operations of the first statements on known queues.
    pub first: Vec<First>,
    /// All other effects.
    pub uses: Uses,
    /// The queues from which the process may receive after the step.
    pub answers: QueueSet,
}

/// Effects of a process in a state, by their numbers in [`Futures`]: many local states share them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Facts {
    /// Number of the effects of the next step.
    pub next: usize,
    /// Number of the effects of all later steps, including those of processes that it creates.
    pub ever: usize,
}

/// Cached effects of the processes of a program.
#[derive(Debug, Default)]
pub(super) struct Futures {
    constants: Constants,
    /// For each type, the effects of a new process and of those that it creates.
    newborn: Vec<Uses>,
    /// Cache of the effects, keyed by all cells of a process.
    known: HashMap<Box<[i32]>, Facts>,
    nexts: IndexSet<Next>,
    evers: IndexSet<Uses>,
}

impl Futures {
    /// The analysis of a program, given its initial state.
    pub fn new(semantics: &Semantics, start: &State) -> Self {
        let mut futures = Self { constants: Constants::new(semantics, start), ..Self::default() };
        let alone: Vec<Uses> = (0..semantics.types.len()).map(|ty| futures.at_birth(semantics, ty)).collect();
        futures.newborn.clone_from(&alone);
        loop {
            let before = futures.newborn.clone();
            for (at, ty) in semantics.types.iter().enumerate() {
                for edge in &ty.edges {
                    if let Statement::Create(create) = &edge.statement {
                        futures.newborn[at].add(&before[create.process_type.index()]);
                    }
                }
            }
            if futures.newborn == before {
                return futures;
            }
        }
    }

    /// The effects of a process in a state.
    pub fn at(&mut self, semantics: &Semantics, state: &State, process: usize) -> Facts {
        let first = state.frames[process] as usize;
        let end = state.frames.get(process + 1).map_or(state.cells.len(), |end| *end as usize);
        let frame = &state.cells[first..end];
        if let Some(found) = self.known.get(frame) {
            return *found;
        }
        let (next, ever) = self.find(semantics, state, process, &frame[HEADER as usize..]);
        let facts = Facts { next: self.nexts.insert_full(next).0, ever: self.evers.insert_full(ever).0 };
        self.known.insert(frame.into(), facts);
        facts
    }

    /// Returns `true` if a state with this number of processes may exceed the cache.
    pub fn is_full(&self, count: usize) -> bool {
        self.known.len() + count > MOST || self.nexts.len().max(self.evers.len()) + count > MOST_FACTS
    }

    /// Clears the cache; earlier [`Facts`] become invalid.
    pub fn forget(&mut self) {
        self.known.clear();
        self.nexts.clear();
        self.evers.clear();
    }

    /// The effects of the next step.
    pub fn next_of(&self, facts: Facts) -> &Next {
        &self.nexts[facts.next]
    }

    /// The effects of all later steps.
    pub fn ever_of(&self, facts: Facts) -> &Uses {
        &self.evers[facts.ever]
    }

    /// The effects of a new process of a type, without those of processes that it creates.
    fn at_birth(&self, semantics: &Semantics, ty: usize) -> Uses {
        let code = &semantics.types[ty];
        let mut uses = Uses::default();
        for value in code.initial_values() {
            self.asked(value, &Vec::new(), &mut uses);
        }
        let unknown = vec![None; code.cells as usize];
        self.constants.walk(code, ty, code.entry.index(), unknown, &mut |edge, values, delicate| {
            self.uses(edge, values, delicate, &mut uses);
            true
        });
        uses
    }

    /// Computes the effects of a process with these locals.
    fn find(&self, semantics: &Semantics, state: &State, process: usize, locals: &[i32]) -> (Next, Uses) {
        let ty = state.type_of(process).index();
        let code = &semantics.types[ty];
        let location = state.location_of(process).index();
        let values: Values = locals.iter().copied().map(Some).collect();
        let mut ever = Uses::default();
        self.constants.walk(code, ty, location, values.clone(), &mut |edge, values, delicate| {
            self.uses(edge, values, delicate, &mut ever);
            if let Statement::Create(create) = &edge.statement {
                ever.add(&self.newborn[create.process_type.index()]);
            }
            true
        });
        (self.next(code, ty, location, &values), ever)
    }

    /// Computes the effects of the next step of a process with these values at a location.
    fn next(&self, code: &TypeCode, ty: usize, location: usize, values: &Values) -> Next {
        let mut next = Next { all: location == code.exit.index(), ..Next::default() };
        for edge in
            code.edges_at(LocationId::new(location)).iter().filter(|edge| self.constants.may_be(edge, values))
        {
            self.first(edge, values, &mut next);
            self.behind(code, edge, values, &mut next);
            if edge.hold == Hold::No {
                continue;
            }
            // Errors inside a `d_step` are errors of the first step; inside `atomic` they occur in
            // later steps.
            let (mut atomic, mut risky) = (edge.hold == Hold::Atomic, false);
            let after = self.constants.after(edge, values);
            self.constants.walk(code, ty, edge.target.index(), after, &mut |edge, values, _| {
                self.uses(edge, values, false, &mut next.uses);
                next.all |= is_special(edge);
                atomic |= edge.hold == Hold::Atomic;
                risky |= self.may_fail(edge, values);
                self.behind(code, edge, values, &mut next);
                edge.hold != Hold::No
            });
            next.all |= atomic && risky;
        }
        next
    }

    /// Returns `true` if executing an edge may end the run with an error.
    fn may_fail(&self, edge: &EdgeCode, values: &Values) -> bool {
        let is_inside = |index: &Code, length| self.constants.is_inside(index, length, values);
        edge.d_step.is_some()
            || edge.hold == Hold::DStep
            || matches!(edge.statement, Statement::Send { .. } | Statement::Receive(_) | Statement::Create(_))
            || edge.statement.targets().iter().any(|target| target_may_fail(target, &is_inside))
            || edge.statement.codes().into_iter().any(|code| may_fail(code, &is_inside))
    }

    /// Adds the effects of a first statement.
    fn first(&self, edge: &EdgeCode, values: &Values, next: &mut Next) {
        next.all |= is_special(edge);
        let first = match &edge.statement {
            Statement::Send { channel, sorted: false, .. } => {
                self.constants.position(channel, values).map(First::Send)
            }
            Statement::Receive(receive) if !receive.random => {
                self.constants.position(&receive.channel, values).map(First::Receive)
            }
            Statement::Condition(condition) => {
                return self.condition(condition, values, next);
            }
            _ => None,
        };
        match first {
            Some(first) => {
                next.first.push(first);
                self.reads(edge, values, &mut next.uses);
                writes(edge, &mut next.uses);
            }
            None => self.uses(edge, values, false, &mut next.uses),
        }
    }

    /// Adds the effects of evaluating a condition at the location of the process.
    fn condition(&self, code: &Code, values: &Values, next: &mut Next) {
        match code {
            Code::Poll(poll) => match self.constants.position(&poll.channel, values).filter(|_| !poll.random)
            {
                Some(at) => next.first.push(First::Poll(at)),
                None => next.uses.asks.add(self.constants.queues(&poll.channel, values)),
            },
            Code::Length(channel) | Code::Empty(channel) | Code::Full(channel) => {
                next.uses.asks.add(self.constants.queues(channel, values));
            }
            _ => {}
        }
        let read = cells::Cells::read(code).filter(|cells| cells.global);
        read.into_iter().for_each(|cells| next.uses.reads.insert(cells.range));
        code.children().into_iter().for_each(|child| self.condition(child, values, next));
    }

    /// Adds the queues from which the process may receive after an edge.
    fn behind(&self, code: &TypeCode, edge: &EdgeCode, values: &Values, next: &mut Next) {
        let after = self.constants.after(edge, values);
        for edge in code.edges_at(edge.target) {
            if let Statement::Receive(receive) = &edge.statement {
                next.answers.add(self.constants.queues(&receive.channel, &after));
            }
        }
    }

    /// Adds the effects of an edge on shared data.
    fn uses(&self, edge: &EdgeCode, values: &Values, delicate: bool, uses: &mut Uses) {
        self.reads(edge, values, uses);
        writes(edge, uses);
        match &edge.statement {
            Statement::Send { channel, .. } => {
                let queues = self.constants.queues(channel, values);
                uses.sends.add(queues);
                if delicate {
                    uses.offers.add(queues);
                }
            }
            Statement::Receive(receive) => {
                let queues = self.constants.queues(&receive.channel, values);
                uses.receives.add(queues);
                if delicate {
                    uses.asks.add(queues);
                }
            }
            _ => {}
        }
    }

    /// Adds the reads and queue tests of an edge.
    fn reads(&self, edge: &EdgeCode, values: &Values, uses: &mut Uses) {
        edge.statement.codes().into_iter().for_each(|code| self.asked(code, values, uses));
    }

    /// Adds the reads and queue tests of an expression.
    fn asked(&self, code: &Code, values: &Values, uses: &mut Uses) {
        each_read(code, &mut |cells| {
            if cells.global {
                uses.reads.insert(cells.range);
            }
        });
        let _ = code.any(&mut |part| {
            if let Code::Length(channel) | Code::Empty(channel) | Code::Full(channel) = part {
                uses.asks.add(self.constants.queues(channel, values));
            } else if let Code::Poll(poll) = part {
                uses.asks.add(self.constants.queues(&poll.channel, values));
            }
            false
        });
    }
}

/// Adds the globals that an edge writes.
fn writes(edge: &EdgeCode, uses: &mut Uses) {
    let targets = edge.statement.targets().into_iter().map(cells::Cells::written);
    targets.filter(|cells| cells.global).for_each(|cells| uses.writes.insert(cells.range));
}

/// Returns `true` if an edge must be assumed to commute with nothing.
fn is_special(edge: &EdgeCode) -> bool {
    let counts = |code: &Code| code.any(&mut |part| matches!(part, Code::ProcessCount));
    matches!(edge.statement, Statement::Create(_) | Statement::SetPriority(..))
        || edge.statement.codes().into_iter().any(counts)
}
