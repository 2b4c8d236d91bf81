//! Slicing: removes data that influence neither executability, nor run-time errors, nor the
//! destination of messages, from variables and message fields.
//!
//! Such data are only copied, counted up, or printed. Locations, edges, and the layout of variables
//! and messages are unchanged. `docs/soundness/exploration.md` proves that the runs correspond.

use cfsm_core::ids::Id;
use cfsm_core::program::Binary;

use super::cells::{Cells, each_read};
use super::channels::Channels;
use super::failure::{fails, is_constant_inside, may_fail, target_may_fail};
use super::uses::QueueSet;
use super::{live, looks_at_processes};
use crate::Semantics;
use crate::code::{Code, EdgeCode, Poll, Receive, Slot, Statement, Target, TypeCode};

/// Greatest number of rounds of the fixed-point iteration. If data are copied along longer chains,
/// the program is not sliced.
const MOST_ROUNDS: usize = 100;

/// The program without irrelevant data; `None` if none are found. Time linear in the program, times
/// the length of chains of copies between variables or messages.
pub(crate) fn without_idle_data(semantics: &Semantics) -> Option<Semantics> {
    without_idle_data_in(semantics, semantics)
}

/// As [`without_idle_data`], and also removes data that only assertions read: their violations are
/// not found.
pub(crate) fn without_asserted_data(semantics: &Semantics) -> Option<Semantics> {
    let mut without = semantics.clone();
    for edge in without.types.iter_mut().flat_map(|ty| &mut ty.edges) {
        if let Statement::Assert(value) = &edge.statement {
            let mut checks = Vec::new();
            check(value, &mut checks);
            edge.statement = checked(checks);
        }
    }
    without_idle_data(&without).or_else(|| is_less(&without, semantics).then_some(without))
}

/// As [`without_idle_data`], for a part of a program that starts in a state of `whole`, which has
/// the same variables.
pub(crate) fn without_idle_data_in(part: &Semantics, whole: &Semantics) -> Option<Semantics> {
    if looks_at_processes(part) {
        return None;
    }
    // A channel variable may have been written by a statement that is not in the part.
    let mut needed = Needed::new(part, Channels::new(whole));
    for _ in 0..MOST_ROUNDS {
        let reduced = needed.cut(part);
        if !needed.add_reads_of(&reduced, part) {
            return is_less(&reduced, part).then_some(reduced);
        }
    }
    None
}

/// Returns `true` if some statement was reduced.
fn is_less(reduced: &Semantics, whole: &Semantics) -> bool {
    let pairs = reduced.types.iter().zip(&whole.types);
    let mut edges = pairs.flat_map(|(reduced, whole)| reduced.edges.iter().zip(&whole.edges));
    edges.any(|(reduced, whole)| reduced.statement != whole.statement)
}

/// A message field that some receive or poll matches or stores.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Field {
    queues: QueueSet,
    /// The value of the first field (the message tag), if only messages with this tag are meant.
    kind: Option<i32>,
}

/// The relevant data found so far.
struct Needed {
    channels: Channels,
    globals: Vec<bool>,
    /// For each type and location, the relevant cells.
    locals: Vec<Vec<Vec<bool>>>,
    /// For each type, the cells that its initial values read.
    births: Vec<Vec<bool>>,
    /// The relevant message fields, by the index of the field.
    fields: Vec<Vec<Field>>,
    /// Queues with sorted sends, in which all message fields are relevant.
    sorted: QueueSet,
    changed: bool,
}

impl Needed {
    fn new(semantics: &Semantics, channels: Channels) -> Self {
        let nothing = |ty: &TypeCode| vec![vec![false; ty.cells as usize]; ty.ranges.len()];
        Self {
            channels,
            globals: vec![false; semantics.global_cells as usize],
            locals: semantics.types.iter().map(nothing).collect(),
            births: semantics.types.iter().map(read_at_birth).collect(),
            fields: Vec::new(),
            sorted: QueueSet::default(),
            changed: false,
        }
    }

    /// The program without irrelevant data.
    fn cut(&self, semantics: &Semantics) -> Semantics {
        let mut reduced = semantics.clone();
        for (at, ty) in reduced.types.iter_mut().enumerate() {
            for edge in &mut ty.edges {
                self.cut_edge(semantics, at, edge);
            }
        }
        reduced
    }

    fn cut_edge(&self, semantics: &Semantics, ty: usize, edge: &mut EdgeCode) {
        let (statement, behind) = (&mut edge.statement, &self.locals[ty][edge.target.index()]);
        // A receive stores its fields one by one: a later pattern may read an earlier field.
        let mut looked_at = behind.clone();
        statement.codes().into_iter().for_each(|code| mark_reads(code, &mut looked_at));
        match statement {
            Statement::Assign(target, value) if !self.target(behind, target) => {
                let mut checks = Vec::new();
                check(value, &mut checks);
                check_target(target, &mut checks);
                *statement = checked(checks);
            }
            Statement::Print(arguments) => {
                let mut checks = Vec::new();
                arguments.iter().for_each(|argument| check(argument, &mut checks));
                *statement = checked(checks);
            }
            Statement::Send { channel, fields, .. } => {
                let queues = self.channels.of(ty, channel);
                let kind = fields.first().and_then(|first| kind(semantics, queues, first));
                for (at, field) in fields.iter_mut().enumerate() {
                    if !self.field(at, queues, kind) {
                        forget(field);
                    }
                }
            }
            Statement::Receive(receive) => {
                for slot in &mut receive.patterns {
                    if matches!(slot, Slot::Store(target) if !self.target(&looked_at, target) && is_safe_target(target))
                    {
                        *slot = Slot::Any;
                    }
                }
            }
            Statement::Create(create) => {
                let created = create.process_type.index();
                let ty = &semantics.types[created];
                let (entry, births) = (&self.locals[created][ty.entry.index()], &self.births[created]);
                for (parameter, argument) in ty.locals.iter().zip(&mut create.arguments) {
                    let cells = parameter.first as usize..(parameter.first + parameter.length) as usize;
                    if !entry[cells.clone()].contains(&true) && !births[cells].contains(&true) {
                        forget(argument);
                    }
                }
            }
            _ => {}
        }
    }

    /// Returns `true` if a write to the target is relevant, given the relevant cells of the process
    /// behind it.
    fn target(&self, behind: &[bool], target: &Target) -> bool {
        let cells = Cells::written(target);
        let all = if cells.global { &self.globals } else { behind };
        all[cells.range.start as usize..cells.range.end as usize].contains(&true)
    }

    /// Returns `true` if a field of messages in some of these queues, with this tag if it is known,
    /// is relevant.
    fn field(&self, at: usize, queues: QueueSet, kind: Option<i32>) -> bool {
        let is_meant = |field: &Field| {
            field.queues.meets(&queues) && (kind.is_none() || field.kind.is_none() || kind == field.kind)
        };
        self.sorted.meets(&queues) || self.fields.get(at).is_some_and(|fields| fields.iter().any(is_meant))
    }

    /// Adds all data that the reduced program reads; returns `true` if there are new ones.
    fn add_reads_of(&mut self, reduced: &Semantics, whole: &Semantics) -> bool {
        self.changed = false;
        for (at, (ty, whole)) in reduced.types.iter().zip(&whole.types).enumerate() {
            let live = live::live(ty, whole);
            self.changed |= live != self.locals[at];
            self.locals[at] = live;
        }
        for (at, ty) in reduced.types.iter().enumerate() {
            ty.initial_values().into_iter().for_each(|code| self.add_code(reduced, at, code));
            for edge in &ty.edges {
                for code in edge.statement.codes() {
                    self.add_code(reduced, at, code);
                }
                match &edge.statement {
                    Statement::Send { channel, sorted: true, .. } => {
                        let both = self.sorted.with(self.channels.of(at, channel));
                        self.changed |= both != self.sorted;
                        self.sorted = both;
                    }
                    Statement::Receive(Receive { channel, patterns, .. }) => {
                        self.add_fields(reduced, self.channels.of(at, channel), patterns);
                    }
                    _ => {}
                }
            }
        }
        self.changed
    }

    /// Adds the data that an expression reads.
    fn add_code(&mut self, reduced: &Semantics, ty: usize, code: &Code) {
        each_read(code, &mut |cells| {
            if cells.global {
                for needed in &mut self.globals[cells.range.start as usize..cells.range.end as usize] {
                    self.changed |= !*needed;
                    *needed = true;
                }
            }
        });
        let mut polls = Vec::new();
        let _ = code.any(&mut |part| {
            if let Code::Poll(poll) = part {
                polls.push((**poll).clone());
            }
            false
        });
        for Poll { channel, patterns, .. } in polls {
            self.add_fields(reduced, self.channels.of(ty, &channel), &patterns);
        }
    }

    /// Adds the fields that a receive or a poll matches or stores.
    fn add_fields(&mut self, reduced: &Semantics, queues: QueueSet, patterns: &[Slot]) {
        let kind = match patterns.first() {
            Some(Slot::Match(first)) => kind(reduced, queues, first),
            _ => None,
        };
        for (at, slot) in patterns.iter().enumerate() {
            if matches!(slot, Slot::Any) {
                continue;
            }
            // The tag itself is matched against all messages.
            let field = Field { queues, kind: kind.filter(|_| at > 0) };
            if self.fields.len() <= at {
                self.fields.resize(at + 1, Vec::new());
            }
            if !self.fields[at].contains(&field) {
                self.fields[at].push(field);
                self.changed = true;
            }
        }
    }
}

/// For each cell of a type, `true` if the initial value of some variable depends on it.
fn read_at_birth(ty: &TypeCode) -> Vec<bool> {
    let mut read = vec![false; ty.cells as usize];
    ty.initial_values().into_iter().for_each(|code| mark_reads(code, &mut read));
    read
}

/// Marks the cells of a process that an expression reads.
fn mark_reads(code: &Code, read: &mut [bool]) {
    each_read(code, &mut |cells| {
        if !cells.global {
            read[cells.range.start as usize..cells.range.end as usize].fill(true);
        }
    });
}

/// The tag of messages with this first field: a constant that all of these queues store without
/// truncation.
fn kind(semantics: &Semantics, queues: QueueSet, first: &Code) -> Option<i32> {
    let Code::Constant(value) = first else { return None };
    let mut meant = semantics.queues.iter().enumerate().filter(|(at, _)| queues.contains(*at));
    let keeps =
        meant.all(|(_, queue)| queue.fields.first().is_some_and(|width| width.keep(*value) == *value));
    keeps.then_some(*value)
}

/// Replaces an expression by 0, keeping its run-time errors.
fn forget(code: &mut Code) {
    let zero = Code::Constant(0);
    let value = std::mem::replace(code, zero.clone());
    if !is_safe(&value) {
        *code = Code::Binary(Binary::Multiply, Box::new((value, zero)));
    }
}

/// A statement that is always executable and has the run-time errors of these expressions.
fn checked(checks: Vec<Code>) -> Statement {
    if checks.is_empty() { Statement::Condition(Code::Constant(1)) } else { Statement::Print(checks) }
}

/// Adds expressions with the run-time errors of this one, in the same order.
fn check(code: &Code, checks: &mut Vec<Code>) {
    match code {
        _ if is_safe(code) => {}
        Code::Element(element) => {
            checks.push(Code::Inside(Box::new((element.length, element.index.clone()))))
        }
        Code::Unary(_, operand) => check(operand, checks),
        Code::Binary(operator, operands) if !fails(code, &is_constant_inside) && !is_lazy(*operator) => {
            check(&operands.0, checks);
            check(&operands.1, checks);
        }
        other => checks.push(other.clone()),
    }
}

/// As [`check`], for the target of an assignment.
fn check_target(target: &Target, checks: &mut Vec<Code>) {
    if let Some((length, index)) = target.element.as_deref()
        && !is_safe_target(target)
    {
        checks.push(Code::Inside(Box::new((*length, index.clone()))));
    }
}

/// Returns `true` if an expression has a value for all values of variables.
fn is_safe(code: &Code) -> bool {
    !may_fail(code, &is_constant_inside)
}

/// Returns `true` if the index of a target is surely in bounds.
fn is_safe_target(target: &Target) -> bool {
    !target_may_fail(target, &is_constant_inside)
}

/// Returns `true` if the operator may skip its second operand.
const fn is_lazy(operator: Binary) -> bool {
    matches!(operator, Binary::And | Binary::Or)
}
