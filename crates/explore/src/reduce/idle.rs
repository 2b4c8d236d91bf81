//! A program without what decides nothing: variables, and fields of messages, that have no part in
//! what can be executed, in what goes wrong, or in where messages go.
//!
//! Such data are only copied to each other, counted up, or printed. All else stays as it is:
//! locations, edges, layout of variables and messages. `docs/soundness/exploration.md` says why
//! runs stay the same.

use cfsm_core::ids::Id;
use cfsm_core::program::Binary;

use super::cells::{Cells, each_read};
use super::channels::Channels;
use super::failure::{fails, is_constant_inside, may_fail, target_may_fail};
use super::uses::QueueSet;
use super::{live, looks_at_processes};
use crate::Semantics;
use crate::code::{Code, EdgeCode, Poll, Receive, Slot, Statement, Target, TypeCode};

/// Most rounds: where data are copied from one to the next more often, nothing is left out.
const MOST_ROUNDS: usize = 100;

/// The same program without data that decide nothing; `None` if it has none, as far as is known.
/// Time linear in the program, times how often data are copied from one variable or message to
/// another.
pub(crate) fn without_idle_data(semantics: &Semantics) -> Option<Semantics> {
    without_idle_data_in(semantics, semantics)
}

/// The same without data that only assertions look at: whether these hold is not found out.
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

/// The same for a part of a program that begins in a state of `whole`, which has the same
/// variables.
pub(crate) fn without_idle_data_in(part: &Semantics, whole: &Semantics) -> Option<Semantics> {
    if looks_at_processes(part) {
        return None;
    }
    // What a variable refers to may have been put there by a statement that is not part of it.
    let mut needed = Needed::new(part, Channels::new(whole));
    for _ in 0..MOST_ROUNDS {
        let reduced = needed.cut(part);
        if !needed.add_reads_of(&reduced, part) {
            return is_less(&reduced, part).then_some(reduced);
        }
    }
    None
}

/// Whether some statement does less.
fn is_less(reduced: &Semantics, whole: &Semantics) -> bool {
    let pairs = reduced.types.iter().zip(&whole.types);
    let mut edges = pairs.flat_map(|(reduced, whole)| reduced.edges.iter().zip(&whole.edges));
    edges.any(|(reduced, whole)| reduced.statement != whole.statement)
}

/// A field of messages that somebody looks at, or keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Field {
    queues: QueueSet,
    /// The value of the first field of these messages, if only some are meant.
    kind: Option<i32>,
}

/// The data that are needed, as far as is known.
struct Needed {
    channels: Channels,
    globals: Vec<bool>,
    /// For each type and location, of its cells.
    locals: Vec<Vec<Vec<bool>>>,
    /// For each type, of its cells while others begin.
    births: Vec<Vec<bool>>,
    /// By the position of the field.
    fields: Vec<Vec<Field>>,
    /// Queues in which messages are put in order: all of their fields are needed.
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

    /// The program without what is not needed.
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
        // A receive stores its fields one by one: what comes later may look at what came before.
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

    /// Whether what is written there is needed, with these cells of the process.
    fn target(&self, behind: &[bool], target: &Target) -> bool {
        let cells = Cells::written(target);
        let all = if cells.global { &self.globals } else { behind };
        all[cells.range.start as usize..cells.range.end as usize].contains(&true)
    }

    /// Whether a field of messages in some of these queues, of this kind if that is known, is
    /// needed.
    fn field(&self, at: usize, queues: QueueSet, kind: Option<i32>) -> bool {
        let is_meant = |field: &Field| {
            field.queues.meets(&queues) && (kind.is_none() || field.kind.is_none() || kind == field.kind)
        };
        self.sorted.meets(&queues) || self.fields.get(at).is_some_and(|fields| fields.iter().any(is_meant))
    }

    /// Adds all that a program looks at, of which this is the whole; whether that is more.
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

    /// Adds what an expression looks at.
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

    /// Adds the fields that a receive or a poll looks at or keeps.
    fn add_fields(&mut self, reduced: &Semantics, queues: QueueSet, patterns: &[Slot]) {
        let kind = match patterns.first() {
            Some(Slot::Match(first)) => kind(reduced, queues, first),
            _ => None,
        };
        for (at, slot) in patterns.iter().enumerate() {
            if matches!(slot, Slot::Any) {
                continue;
            }
            // Which kind a message is is asked of all.
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

/// For each cell of a type, whether the initial value of some variable depends on it.
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

/// The kind of the messages whose first field is this: a constant that all of these queues keep as
/// it is.
fn kind(semantics: &Semantics, queues: QueueSet, first: &Code) -> Option<i32> {
    let Code::Constant(value) = first else { return None };
    let mut meant = semantics.queues.iter().enumerate().filter(|(at, _)| queues.contains(*at));
    let keeps =
        meant.all(|(_, queue)| queue.fields.first().is_some_and(|width| width.keep(*value) == *value));
    keeps.then_some(*value)
}

/// Takes 0 for the value of an expression, if it has one.
fn forget(code: &mut Code) {
    let zero = Code::Constant(0);
    let value = std::mem::replace(code, zero.clone());
    if !is_safe(&value) {
        *code = Code::Binary(Binary::Multiply, Box::new((value, zero)));
    }
}

/// A statement that can always be executed, and goes wrong where one of these does.
fn checked(checks: Vec<Code>) -> Statement {
    if checks.is_empty() { Statement::Condition(Code::Constant(1)) } else { Statement::Print(checks) }
}

/// Adds expressions that go wrong where this one does, in the same order.
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

/// The same for the place of an assignment.
fn check_target(target: &Target, checks: &mut Vec<Code>) {
    if let Some((length, index)) = target.element.as_deref()
        && !is_safe_target(target)
    {
        checks.push(Code::Inside(Box::new((*length, index.clone()))));
    }
}

/// Whether the value of an expression is there whatever the values of variables.
fn is_safe(code: &Code) -> bool {
    !may_fail(code, &is_constant_inside)
}

/// Whether it is sure which cell is meant.
fn is_safe_target(target: &Target) -> bool {
    !target_may_fail(target, &is_constant_inside)
}

/// Whether the second operand may not be asked for.
const fn is_lazy(operator: Binary) -> bool {
    matches!(operator, Binary::And | Binary::Or)
}
