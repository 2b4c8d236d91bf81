//! Observations of queues: what the steps of a run depend on in the contents of queues.
//!
//! From round to round a growing queue may keep its first message, or the first one that matches a
//! pattern, but not its length or other contents. A statement that depends on these may behave
//! differently in a later round. This module collects such dependences: for a state and the moving
//! processes, those of all statements that these could execute there.

use std::collections::{BTreeMap, BTreeSet};

use cfsm_core::ids::Id;
use cfsm_core::program::{Binary, Hold, LocationId, ProcessTypeId};

use crate::code::{Code, EdgeCode, Receive, Slot, Statement, Target, TypeCode};
use crate::evaluate::Scene;
use crate::{Semantics, State};

/// A property of a queue that a statement observes.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Look {
    /// Anything that is not preserved in a growing queue.
    Whole,
    /// A comparison of its length with a number, up to this one.
    Threshold(u32),
    /// A comparison of its length with the declared capacity.
    Full,
    /// The first message.
    Front,
    /// The first message that matches.
    Matching(Pattern),
}

/// A constant over-approximation of the pattern of a random receive or poll.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Pattern {
    /// The constants that fields are compared with; `None` for any value, or for one that depends
    /// on the state.
    fields: Vec<Option<i64>>,
    /// `true` if each message with these constants matches.
    pub exact: bool,
}

impl Pattern {
    fn of(slots: &[Slot]) -> Self {
        let constant = |slot: &Slot| match slot {
            Slot::Match(Code::Constant(value)) => Some(i64::from(*value)),
            _ => None,
        };
        let is_exact = |slot: &Slot| !matches!(slot, Slot::Match(code) if !matches!(code, Code::Constant(_)));
        Self { fields: slots.iter().map(constant).collect(), exact: slots.iter().all(is_exact) }
    }

    /// Returns `true` if a message may match.
    pub fn may_match(&self, message: &[i64]) -> bool {
        self.fields.iter().zip(message).all(|(wanted, field)| wanted.is_none_or(|wanted| wanted == *field))
    }
}

/// Circumstances of an observation.
#[derive(Clone, Copy, Debug, Default)]
struct When {
    /// `true` if the channel may have changed between the state before the step and the
    /// observation.
    late: bool,
    /// `true` if an index may have changed by then.
    moving: bool,
    /// `true` if the observation decides on the answer to a rendezvous, so that it matters for the
    /// sender.
    answers: bool,
    /// `true` if it belongs to the initialisation of a new process, whose locals are unknown.
    newborn: bool,
}

/// An observation of a queue.
#[derive(Clone, Debug)]
struct Question<'a> {
    channel: &'a Code,
    look: Look,
    when: When,
}

/// Selection of the other processes whose observations matter besides those of the moving ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Others {
    Nobodys,
    /// Only observations that decide on the answer to a rendezvous.
    Answers,
    Everything,
}

/// The observations of processes at their locations, computed on demand.
#[derive(Clone, Debug)]
pub(super) struct Sensitive<'a> {
    semantics: &'a Semantics,
    at: BTreeMap<(ProcessTypeId, LocationId), Vec<Question<'a>>>,
    others: Others,
    /// `true` if observations of a process may occur in the middle of a step of another one (by
    /// `enabled`).
    any_time: bool,
}

/// Observations of queues in a part of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Looks {
    /// Indices of the queues of which something is observed that growth does not preserve.
    pub whole: BTreeSet<usize>,
    /// Indices of the queues of which the first message is observed.
    pub fronts: BTreeSet<usize>,
    /// `true` if the first message of an unknown queue is observed.
    pub any_front: bool,
    /// The patterns that are matched at any position, for each queue.
    pub patterns: BTreeMap<usize, BTreeSet<Pattern>>,
    /// The greatest number with which the length of each queue is compared.
    pub thresholds: BTreeMap<usize, u32>,
    /// `true` if an unknown queue is observed.
    pub any: bool,
}

impl<'a> Sensitive<'a> {
    pub fn of(semantics: &'a Semantics) -> Self {
        let any_time = asks_for_others(semantics);
        let others = if semantics.has_timeout || semantics.has_priorities || any_time {
            Others::Everything
        } else if semantics.has_rendezvous {
            Others::Answers
        } else {
            Others::Nobodys
        };
        Self { semantics, at: BTreeMap::new(), others, any_time }
    }

    /// Adds the observations of these processes when they step in a state.
    pub fn note(&mut self, state: &State, movers: &[usize], looks: &mut Looks) {
        for process in 0..state.process_count() {
            let moves = movers.contains(&process);
            if !moves && self.others == Others::Nobodys {
                continue;
            }
            let Some(found) = state.process(process) else { continue };
            let (ty, location) = (found.process_type, found.location);
            let (semantics, any_time) = (self.semantics, self.any_time);
            let questions = self
                .at
                .entry((ty, location))
                .or_insert_with(|| questions_at(semantics, ty, location, any_time));
            let all = moves || self.others == Others::Everything;
            for question in questions.iter().filter(|question| all || question.when.answers) {
                looks.note(semantics, state, process, question);
            }
        }
    }
}

impl Looks {
    fn note(&mut self, semantics: &Semantics, state: &State, process: usize, question: &Question) {
        let Some(queues) = queues_of(semantics, state, process, question) else {
            match question.look {
                Look::Front => self.any_front = true,
                _ => self.any = true,
            }
            return;
        };
        for queue in queues {
            match &question.look {
                Look::Whole => {
                    self.whole.insert(queue);
                }
                Look::Front => {
                    self.fronts.insert(queue);
                }
                Look::Matching(pattern) => {
                    self.patterns.entry(queue).or_default().insert(pattern.clone());
                }
                Look::Threshold(number) => self.compares(queue, *number),
                Look::Full => {
                    let declared = semantics.code_at(state, queue).declared;
                    declared.into_iter().for_each(|declared| self.compares(queue, declared));
                }
            }
        }
    }

    fn compares(&mut self, queue: usize, number: u32) {
        let most = self.thresholds.entry(queue).or_insert(0);
        *most = (*most).max(number);
    }

    /// Returns `true` if the first message of a queue may be observed.
    pub fn has_front(&self, queue: usize) -> bool {
        self.any_front || self.fronts.contains(&queue)
    }
}

/// Indices of the queues that an observation may concern; `None` if they are unknown.
fn queues_of(
    semantics: &Semantics,
    state: &State,
    process: usize,
    question: &Question,
) -> Option<Vec<usize>> {
    let When { late, moving, newborn, .. } = question.when;
    let (global, first, length) = variable(question.channel)?;
    if late || (newborn && !global) {
        return None;
    }
    if !moving && !newborn {
        // If the channel cannot be evaluated, the step has an error, and a pump with that step is
        // refused.
        let channel = semantics.value(state, &Scene::of(process), question.channel).ok();
        return Some(channel.and_then(|channel| position(channel, state)).into_iter().collect());
    }
    // For an array that is never written meanwhile, any element, as the index may change.
    let cells = first..first + length;
    let mut cells = cells.map(|cell| if global { cell as usize } else { state.local(process, cell) });
    cells.try_fold(Vec::new(), |mut queues, cell| {
        queues.push(position(state.cells[cell], state)?);
        Some(queues)
    })
}

fn position(channel: i32, state: &State) -> Option<usize> {
    let position = usize::try_from(channel).ok()?.checked_sub(1)?;
    (position < state.queue_count()).then_some(position)
}

/// The cells of the variable or array from which a channel is read: `true` if they are global, the
/// first one, and their number. `None` for other expressions.
fn variable(channel: &Code) -> Option<(bool, u32, u32)> {
    match channel {
        Code::Global(cell) => Some((true, *cell, 1)),
        Code::Local(cell) => Some((false, *cell, 1)),
        Code::Element(element) => Some((element.global, element.first, element.length)),
        _ => None,
    }
}

/// Returns `true` if a channel expression is a variable, or an element of an array, that no
/// statement writes.
fn is_settled(semantics: &Semantics, ty: &TypeCode, channel: &Code) -> bool {
    let Some((global, first, length)) = variable(channel) else { return false };
    let writes = |target: &&Target| {
        let cells = target.element.as_deref().map_or(1, |(length, _)| *length);
        target.global == global && target.first < first + length && first < target.first + cells
    };
    let in_type = |ty: &TypeCode| ty.edges.iter().any(|edge| edge.statement.targets().iter().any(writes));
    if global { !semantics.types.iter().any(in_type) } else { !in_type(ty) }
}

/// The observations of a process of a type when it steps, or could step, at a location.
fn questions_at(
    semantics: &Semantics,
    ty: ProcessTypeId,
    location: LocationId,
    any_time: bool,
) -> Vec<Question<'_>> {
    let ty = &semantics.types[ty.index()];
    let mut found = Vec::new();
    let when = When { answers: true, ..When::default() };
    ty.provided.iter().for_each(|provided| in_code(provided, when, &mut found));
    for edge in ty.edges_at(location) {
        let when = When { answers: matches!(edge.statement, Statement::Receive(_)), ..When::default() };
        in_statement(semantics, &edge.statement, when, &mut found);
    }
    for edge in rest_of_d_steps(ty, location) {
        in_statement(semantics, &edge.statement, When { late: true, ..When::default() }, &mut found);
    }
    // For a channel variable that never changes, the time of the observation does not matter.
    for question in &mut found {
        question.when.late |= any_time;
        question.when.moving = question.when.late;
        question.when.late &= !is_settled(semantics, ty, question.channel);
    }
    found
}

/// The edges that may follow in a `d_step` that begins at a location, since it is one step.
fn rest_of_d_steps(ty: &TypeCode, location: LocationId) -> Vec<&EdgeCode> {
    let mut rest = Vec::new();
    let mut met = BTreeSet::new();
    let mut open = vec![location];
    while let Some(location) = open.pop() {
        for edge in ty.edges_at(location).iter().filter(|edge| edge.hold == Hold::DStep) {
            if met.insert(edge.target) {
                rest.extend(ty.edges_at(edge.target));
                open.push(edge.target);
            }
        }
    }
    rest
}

fn in_statement<'a>(
    semantics: &'a Semantics,
    statement: &'a Statement,
    when: When,
    found: &mut Vec<Question<'a>>,
) {
    match statement {
        Statement::Receive(Receive { channel, patterns, random, .. }) => {
            let look = if *random { Look::Matching(Pattern::of(patterns)) } else { Look::Front };
            found.push(Question { channel, look, when });
        }
        Statement::Create(create) => {
            let initial = semantics.types[create.process_type.index()].initial_values();
            let when = When { newborn: true, ..when };
            initial.into_iter().for_each(|value| in_code(value, when, found));
        }
        _ => {}
    }
    // The fields of a message are stored one by one, and later indices depend on earlier fields.
    let late = when.late || matches!(statement, Statement::Receive(_));
    statement.codes().into_iter().for_each(|code| in_code(code, When { late, ..when }, found));
}

fn in_code<'a>(code: &'a Code, when: When, found: &mut Vec<Question<'a>>) {
    match code {
        Code::Binary(operator, operands) => {
            if let Some(question) = comparison(*operator, &operands.0, &operands.1, when) {
                found.push(question);
                return;
            }
        }
        Code::Length(channel) => {
            found.push(Question { channel, look: Look::Whole, when });
        }
        Code::Full(channel) => found.push(Question { channel, look: Look::Full, when }),
        Code::Poll(poll) => {
            let look = if poll.random { Look::Matching(Pattern::of(&poll.patterns)) } else { Look::Front };
            found.push(Question { channel: &poll.channel, look, when });
        }
        _ => {}
    }
    code.children().into_iter().for_each(|child| in_code(child, when, found));
}

/// The observation of a comparison such as `len(c) < 3`, which has the same value for all longer
/// queues.
fn comparison<'a>(operator: Binary, left: &'a Code, right: &'a Code, when: When) -> Option<Question<'a>> {
    let compares = !operator.is_arithmetic() && !matches!(operator, Binary::And | Binary::Or);
    let (channel, number) = match (left, right) {
        (Code::Length(channel), Code::Constant(number)) | (Code::Constant(number), Code::Length(channel)) => {
            (channel, *number)
        }
        _ => return None,
    };
    let plain = channel.children().is_empty();
    let number = u32::try_from(number.max(0)).ok()?;
    (compares && plain).then_some(Question { channel, look: Look::Threshold(number), when })
}

/// Returns `true` if the program uses `enabled`.
fn asks_for_others(semantics: &Semantics) -> bool {
    let asks = |code: &Code| code.any(&mut |part| matches!(part, Code::Enabled(_)));
    semantics.types.iter().any(|ty| {
        ty.provided.as_ref().is_some_and(asks)
            || ty.initial_values().into_iter().any(asks)
            || ty.edges.iter().any(|edge| edge.statement.codes().into_iter().any(asks))
    })
}
