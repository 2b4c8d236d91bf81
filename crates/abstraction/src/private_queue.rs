//! Abstract contents of private queues, which only their own process uses.
//!
//! A process may put a message aside in a queue of its own, and take it back later. The contents of
//! such a queue depend on no other process, so they can be tracked like those of a variable: the
//! number of messages (0, 1 or more), and the fields of the first one. Cells of the frame hold
//! them. `docs/soundness/abstraction.md`, *Private queues*, has the argument.

use std::collections::BTreeSet;
use std::ops::Range;
use std::rc::Rc;

use cfsm_core::ids::IdMap;
use cfsm_core::program::{
    Action, ChannelShape, Expression, Initializer, Pattern, Place, ProcessType, ProcessTypeId, Program, Type,
    VariableId, VariableRef,
};

use crate::layout::Cells;
use crate::numbers::ValueSet;
use crate::values::Value;

/// Abstract length of a queue with two or more messages.
const MANY: i64 = 2;

/// Largest number of private queues of a type.
const MOST: usize = 8;

/// Largest number of message fields of a private queue.
const FIELDS: usize = 32;

/// A queue of a process that no other process uses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PrivateQueue {
    /// The local variable that declares it; no other variable refers to it.
    pub(crate) variable: VariableId,
    /// The cell with the number of messages: 0, 1, or 2 for more.
    pub(crate) length: usize,
    /// The cells with the fields of the message in front, if there is one.
    pub(crate) front: Range<usize>,
}

/// Queues that other processes have turned out to use.
pub(crate) type Shared = BTreeSet<(ProcessTypeId, VariableId)>;

/// The queues of each type that the process itself names as channels of sends, receives and
/// queries, and nowhere else. Time linear in the program, times the queues.
pub(crate) fn candidates(program: &Program, shared: &Shared) -> IdMap<ProcessTypeId, Vec<VariableId>> {
    let mut types = program.types.values();
    let globals = program.globals.values().flat_map(|global| global.init.expressions());
    let foreign = globals.into_iter().any(is_opaque) || types.any(is_foreign);
    let of_type = |(id, process): (ProcessTypeId, &ProcessType)| {
        let own = process.locals.ids().filter(|variable| {
            !foreign && !shared.contains(&(id, *variable)) && is_candidate(process, *variable)
        });
        own.take(MOST).collect()
    };
    program.types.iter().map(of_type).collect()
}

/// Returns `true` if a process type has embedded code in another language, which may use any queue.
fn is_foreign(process: &ProcessType) -> bool {
    let initial = process.locals.values().flat_map(|local| local.init.expressions());
    let foreign = |action: &Action| {
        matches!(action, Action::Opaque { .. }) || action.expressions().into_iter().any(is_opaque)
    };
    initial.chain(&process.provided).any(is_opaque)
        || process.edges.values().any(|edge| foreign(&edge.action))
}

fn is_opaque(expression: &Expression) -> bool {
    expression.any(&mut |part| matches!(part, Expression::Opaque(_)))
}

fn is_candidate(process: &ProcessType, variable: VariableId) -> bool {
    let declared = &process.locals[variable];
    let has_room =
        |shape: &ChannelShape| shape.capacity > 0 && shape.fields.len() <= FIELDS && !shape.is_lossy();
    let is_queue = matches!(&declared.init, Initializer::NewChannel(shape) if has_room(shape));
    let read = |expression: &Expression| count(expression, &|part| is_read(part, variable)) > 0;
    let initial = process.locals.values().flat_map(|local| local.init.expressions());
    is_queue
        && declared.length.is_none()
        && !initial.chain(&process.provided).any(read)
        && process.edges.values().all(|edge| uses_in_order(&edge.action, variable))
}

/// Returns `true` if a statement uses a variable only as a queue, takes messages from its front and
/// adds them at its end.
fn uses_in_order(action: &Action, variable: VariableId) -> bool {
    let out_of_order = match action {
        Action::Send { channel, sorted, .. } => *sorted && is_read(channel, variable),
        Action::Receive { channel, random, .. } => *random && is_read(channel, variable),
        _ => false,
    };
    let operand = match action {
        Action::Send { channel, .. } | Action::Receive { channel, .. } => is_read(channel, variable),
        _ => false,
    };
    let expressions = action.expressions();
    let total = |of: &dyn Fn(&Expression) -> bool| -> usize {
        expressions.iter().map(|expression| count(expression, of)).sum()
    };
    let reads = total(&|part| is_read(part, variable));
    let asked = total(&|part| asks(part, variable));
    let written = action.targets().iter().any(|place| place.variable == VariableRef::Local(variable));
    !out_of_order && !written && reads == asked + usize::from(operand)
}

/// Number of subexpressions that satisfy a predicate.
fn count(expression: &Expression, is: &dyn Fn(&Expression) -> bool) -> usize {
    let mut found = 0;
    expression.any(&mut |part| {
        found += usize::from(is(part));
        false
    });
    found
}

fn is_read(expression: &Expression, variable: VariableId) -> bool {
    matches!(expression, Expression::Read(Place { variable: VariableRef::Local(id), .. }) if *id == variable)
}

/// Returns `true` if an expression queries the queue, examining at most its first message.
fn asks(expression: &Expression, variable: VariableId) -> bool {
    match expression {
        Expression::Length(channel)
        | Expression::Empty(channel)
        | Expression::Full(channel)
        | Expression::Poll { channel, random: false, .. } => is_read(channel, variable),
        _ => false,
    }
}

/// The types of the fields of a queue's messages.
pub(crate) fn fields(process: &ProcessType, variable: VariableId) -> &[Type] {
    match &process.locals[variable].init {
        Initializer::NewChannel(shape) => &shape.fields,
        _ => &[],
    }
}

impl PrivateQueue {
    /// Assigns cells to the queues of a type, starting at `first`.
    pub(crate) fn lay_out(process: &ProcessType, candidates: &[VariableId], first: usize) -> Vec<Self> {
        let mut next = first;
        let lay = |&variable: &VariableId| {
            let (length, front) = (next, next + 1..next + 1 + fields(process, variable).len());
            next = front.end;
            Self { variable, length, front }
        };
        candidates.iter().map(lay).collect()
    }

    /// Number of its cells.
    pub(crate) const fn cells(&self) -> usize {
        1 + (self.front.end - self.front.start)
    }

    /// Returns `true` if an expression denotes the queue.
    pub(crate) fn is(&self, channel: &Expression) -> bool {
        is_read(channel, self.variable)
    }

    /// Three flags: `true` if the queue may hold no message, one, two or more.
    fn lengths(&self, cells: &[Rc<Value>]) -> [bool; 3] {
        let length = &cells[self.length].numbers;
        [length.contains(0), length.contains(1), length.bounds().is_some_and(|(_, most)| most >= MANY)]
    }

    /// Returns `true` if the queue may be empty.
    pub(crate) fn may_be_empty(&self, cells: &[Rc<Value>]) -> bool {
        self.lengths(cells)[0]
    }

    /// Returns `true` if the queue may hold a message.
    pub(crate) fn may_hold(&self, cells: &[Rc<Value>]) -> bool {
        let [_, one, more] = self.lengths(cells);
        one || more
    }

    /// The number of messages.
    pub(crate) fn length(&self, cells: &[Rc<Value>]) -> Value {
        match self.lengths(cells) {
            [none, one, false] => of([none, one, false]),
            _ => Value::any(),
        }
    }

    /// Restricts a state to an empty or a nonempty queue; `None` if no state is left.
    pub(crate) fn assumed(&self, cells: &mut Cells, is_empty: bool) -> Option<()> {
        let [none, one, more] = self.lengths(cells);
        let left = if is_empty { [none, false, false] } else { [false, one, more] };
        self.put(cells, left);
        left.contains(&true).then_some(())
    }

    fn put(&self, cells: &mut Cells, lengths: [bool; 3]) {
        cells[self.length] = of(lengths).into();
    }

    /// The refined fields of a message, given that it is the first of the queue; `None` if it
    /// cannot be that.
    pub(crate) fn in_front(
        &self,
        cells: &[Rc<Value>],
        message: &[Value],
        limit: usize,
    ) -> Option<Vec<Value>> {
        let narrowed = message.iter().zip(&cells[self.front.clone()]);
        let narrowed: Vec<Value> = narrowed.map(|(field, front)| field.meet(front, limit)).collect();
        (self.may_hold(cells) && narrowed.iter().all(|field| !field.is_empty())).then_some(narrowed)
    }

    /// Returns `true` if the first message may match the patterns.
    pub(crate) fn may_match(&self, cells: &[Rc<Value>], wanted: &[Option<Value>]) -> bool {
        let mut fields = cells[self.front.clone()].iter().zip(wanted);
        let matches =
            fields.all(|(front, wanted)| wanted.as_ref().is_none_or(|wanted| front.may_equal(wanted)));
        self.may_hold(cells) && matches
    }

    /// Makes the queue empty, as at the start.
    pub(crate) fn clear(&self, cells: &mut Cells) {
        self.put(cells, [true, false, false]);
        self.show(cells, &Value::zero());
    }

    fn show(&self, cells: &mut Cells, each: &Value) {
        let each = Rc::new(each.clone());
        cells[self.front.clone()].fill(each);
    }

    /// Makes the contents of the queue unknown.
    pub(crate) fn forget(&self, cells: &mut Cells) {
        self.put(cells, [true; 3]);
        self.show(cells, &Value::any());
    }

    /// Updates the state for a send of a message to the queue.
    pub(crate) fn send(&self, cells: &mut Cells, message: &[Value], limit: usize) {
        let [none, one, more] = self.lengths(cells);
        for (front, field) in cells[self.front.clone()].iter_mut().zip(message) {
            match (none, one || more) {
                (true, false) => *front = Rc::new(field.clone()),
                (true, true) if !front.includes(field) => *front = front.join(field, limit).into(),
                _ => {}
            }
        }
        self.put(cells, [false, none, one || more]);
    }

    /// Updates the state after the first message is received, or only read if it stays.
    pub(crate) fn behind(&self, cells: &mut Cells, stays: bool) {
        if stays {
            let [_, one, more] = self.lengths(cells);
            self.put(cells, [false, one, more]);
        } else {
            self.take(cells);
        }
    }

    /// Updates the state after the first message is removed.
    fn take(&self, cells: &mut Cells) {
        let [_, one, more] = self.lengths(cells);
        self.put(cells, [one, more, more]);
        // The contents of the next message are unknown.
        self.show(cells, &if more { Value::any() } else { Value::zero() });
    }
}

/// The set of the possible numbers of messages.
fn of(lengths: [bool; 3]) -> Value {
    let numbers = (0..).zip(lengths).filter(|(_, may)| *may).map(|(number, _)| number);
    ValueSet::collect(numbers, lengths.len()).into()
}

/// The fields that are tracked for the sake of a variable: the positions from which a receive
/// stores into it.
pub(crate) fn filling(process: &ProcessType, queue: VariableId, variable: VariableRef) -> BTreeSet<usize> {
    let mut filling = BTreeSet::new();
    for edge in process.edges.values() {
        if let Action::Receive { channel, patterns, .. } = &edge.action
            && is_read(channel, queue)
        {
            let fills =
                |pattern: &Pattern| matches!(pattern, Pattern::Store(place) if place.variable == variable);
            filling
                .extend(patterns.iter().enumerate().filter(|(_, pattern)| fills(pattern)).map(|(at, _)| at));
        }
    }
    filling
}
