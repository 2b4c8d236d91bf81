//! Abstract semantics of statements: the effects that a statement may have at a location.

use std::iter::repeat;
use std::rc::Rc;

use cfsm_core::program::{
    Action, Binary, Expression, LocationId, Pattern, Place, ProcessTypeId, Program, VariableRef,
};

use crate::arithmetic;
use crate::assume::assume;
use crate::channels::{ObjectId, Objects, Reuse, denoted};
use crate::counters::counted;
use crate::evaluate::{View, evaluate};
use crate::layout::{Cells, PROCESSES};
use crate::numbers::ValueSet;
use crate::receive::Receive;
use crate::selection::Selection;
use crate::traffic::{Party, Patterns, Traffic};
use crate::unfolding::Unfolded;
use crate::values::Value;

/// Largest number of processes that exist at a time in Spin.
const MOST_PROCESSES: i64 = 255;

/// The context in which a statement is executed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TransferCtx<'a> {
    /// The program.
    pub(crate) program: &'a Program,
    /// All channel objects found so far.
    pub(crate) objects: &'a Objects,
    /// All sends and receives found so far.
    pub(crate) traffic: &'a Traffic,
    /// The references that may outlive their queues.
    pub(crate) reuse: &'a Reuse,
    /// The unfolded variables of the process that executes the statement.
    pub(crate) unfolded: &'a [Unfolded],
    /// The target location of the statement.
    pub(crate) target: LocationId,
}

/// The effect of a statement besides writing variables.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Effect {
    /// No effect.
    Nothing,
    /// Sends one message: into one of these channel objects, with these fields.
    Send(Vec<(ObjectId, Vec<Value>)>),
    /// Receives one message, from one of these channel objects.
    Receive {
        /// The channel objects that may contain a matching message.
        from: Vec<ObjectId>,
        /// The accepted values of each field of the statement.
        patterns: Patterns,
        /// `true` if the message stays in the queue.
        peek: bool,
    },
    /// Creates a process.
    Create {
        /// Its type.
        process_type: ProcessTypeId,
        /// The values that its parameters may have.
        arguments: Vec<Value>,
        /// The process numbers that it may have.
        pid: Value,
    },
}

/// One way in which a statement may be executed.
#[derive(Clone, Debug)]
pub(crate) struct Step {
    /// The effect on the rest of the system.
    pub(crate) effect: Effect,
    /// The state after the statement.
    pub(crate) cells: Cells,
    /// The values that it may write to cells of globals, by position in the frame.
    pub(crate) written: Vec<(usize, Value)>,
}

/// The communication that a reached statement offers to other processes, whether it can be executed
/// or not.
#[derive(Clone, Debug)]
pub(crate) enum CommOffer {
    /// No communication.
    Nothing,
    /// Would send these messages into these channel objects.
    Sends(Vec<(ObjectId, Vec<Value>)>),
    /// Would receive messages that match these patterns from these channel objects.
    Listens(Vec<ObjectId>, Patterns),
}

/// The result of evaluating a reached statement.
#[derive(Clone, Debug)]
pub(crate) struct Transfer {
    /// The offered communication.
    pub(crate) offer: CommOffer,
    /// The possible executions; empty if no run without error executes the statement there,
    /// according to the facts known so far.
    pub(crate) steps: Vec<Step>,
}

/// Evaluates `action` at a location; `others` are the conditions to which `else` is the
/// alternative. Monotone in `view` and `ctx`.
pub(crate) fn transfer(
    ctx: &TransferCtx<'_>,
    view: &View<'_>,
    party: Party,
    action: &Action,
    others: &[&Expression],
) -> Transfer {
    match action {
        Action::Send { channel, fields, .. } => send(ctx, view, party, channel, fields),
        Action::Receive { channel, patterns, peek, .. } => {
            let receive = Receive::new(ctx, view, party, channel, patterns, *peek);
            Transfer { steps: receive.steps(), offer: CommOffer::Listens(receive.listens, receive.wanted) }
        }
        _ => Transfer {
            offer: CommOffer::Nothing,
            steps: alone(ctx, view, action, others).into_iter().collect(),
        },
    }
}

/// The execution of a statement that neither sends nor receives; `None` if it is not executable.
fn alone(ctx: &TransferCtx<'_>, view: &View<'_>, action: &Action, others: &[&Expression]) -> Option<Step> {
    let mut writer = Writer::new(ctx, view);
    let mut effect = Effect::Nothing;
    match action {
        Action::Condition(condition) => writer.cells = assume(condition, true, view)?,
        Action::Else => {
            for other in others {
                writer.cells = assume(other, false, &View { cells: &writer.cells, ..*view })?;
            }
        }
        Action::Assign { target, value } => {
            let stored = match counted(target, value, view) {
                Some(count) => count,
                None => writer.stored(target, &evaluate(value, view))?,
            };
            writer.put(target, &stored)?;
            writer.select(target, &stored);
        }
        Action::Create { process_type, arguments, result, .. } => {
            let arguments = arguments_of(ctx, view, *process_type, arguments)?;
            let (pid, next) = numbered(view);
            if let Some(result) = result {
                let failure = next.numbers.bounds().is_none_or(|(_, high)| high >= MOST_PROCESSES);
                let value = if failure { pid.join(&Value::zero(), view.limit) } else { pid.clone() };
                writer.write(result, &value)?;
            }
            writer.cells[PROCESSES] = next.into();
            effect = Effect::Create { process_type: *process_type, arguments, pid };
        }
        Action::Opaque { .. } => writer.write_everything(),
        Action::Assert(_)
        | Action::Print { .. }
        | Action::SetPriority { .. }
        | Action::Send { .. }
        | Action::Receive { .. } => {}
    }
    let Writer { cells, written, .. } = writer;
    Some(Step { effect, cells, written })
}

/// The number of a process created now, and the number of processes afterwards.
fn numbered(view: &View<'_>) -> (Value, Value) {
    let now = (*view.cells[PROCESSES]).clone();
    let next = arithmetic::binary(Binary::Add, &now.numbers, &ValueSet::of(1), view.limit);
    (now, next.into())
}

fn send(
    ctx: &TransferCtx<'_>,
    view: &View<'_>,
    party: Party,
    channel: &Expression,
    fields: &[Expression],
) -> Transfer {
    let fields: Vec<Value> = fields.iter().map(|field| evaluate(field, view)).collect();
    let objects = denoted(ctx.objects, &evaluate(channel, view));
    if fields.iter().any(Value::is_empty) {
        return Transfer { offer: CommOffer::Nothing, steps: Vec::new() };
    }
    let all: Vec<(ObjectId, Vec<Value>)> =
        objects.into_iter().map(|object| (object, message(ctx, view, object, &fields))).collect();
    let mut taken = all.clone();
    taken.retain(|(object, fields)| {
        ctx.objects[*object].shape.capacity > 0 || ctx.traffic.is_awaited(*object, fields, party)
    });
    let mut cells = view.cells.to_vec();
    match (view.private_queue(channel), &taken[..]) {
        (Some(queue), [(_, message)]) => queue.send(&mut cells, message, view.limit),
        // It denotes exactly its own queue; nothing is known if that is not what the analysis
        // found.
        (Some(queue), _) => queue.forget(&mut cells),
        (None, _) => {}
    }
    let step = (!taken.is_empty()).then(|| Step { effect: Effect::Send(taken), cells, written: Vec::new() });
    Transfer { offer: CommOffer::Sends(all), steps: step.into_iter().collect() }
}

/// The message that a send of `fields` puts into a channel. If the number of fields is wrong and
/// the run continues, missing fields are sent as 0, and extra fields are dropped.
fn message(ctx: &TransferCtx<'_>, view: &View<'_>, object: ObjectId, fields: &[Value]) -> Vec<Value> {
    let types = &ctx.objects[object].shape.fields;
    let missing = Value::zero();
    let fields = fields.iter().chain(repeat(&missing)).zip(types);
    fields
        .map(|(field, ty)| match types.len() {
            1 => field.stored_loosely(*ty, view.limit),
            _ => field.stored_in(*ty, view.limit),
        })
        .map(|field| ctx.reuse.escaped(field))
        .collect()
}

/// The state after the fields of a message are stored, and the writes that other processes see.
pub(crate) fn stored(
    ctx: &TransferCtx<'_>,
    view: &View<'_>,
    patterns: &[Pattern],
    received: &[Value],
) -> Option<(Cells, Vec<(usize, Value)>)> {
    let mut writer = Writer::new(ctx, view);
    for (pattern, value) in patterns.iter().zip(received) {
        if let Pattern::Store(place) = pattern {
            writer.write(place, value)?;
        }
    }
    Some((writer.cells, writer.written))
}

/// Returns `true` if a message may match the patterns.
pub(crate) fn matches(message: &[Value], wanted: &[Option<Value>]) -> bool {
    message
        .iter()
        .zip(wanted)
        .all(|(field, wanted)| wanted.as_ref().is_none_or(|wanted| field.may_equal(wanted)))
}

fn arguments_of(
    ctx: &TransferCtx<'_>,
    view: &View<'_>,
    process_type: ProcessTypeId,
    arguments: &[Expression],
) -> Option<Vec<Value>> {
    let parameters = ctx.program.types[process_type].locals.values();
    let values: Vec<Value> = arguments
        .iter()
        .zip(parameters)
        .map(|(argument, parameter)| evaluate(argument, view).stored_in(parameter.ty, view.limit))
        .map(|argument| ctx.reuse.escaped(argument))
        .collect();
    values.iter().all(|value| !value.is_empty()).then_some(values)
}

/// Writes of one statement.
struct Writer<'a> {
    ctx: &'a TransferCtx<'a>,
    view: &'a View<'a>,
    cells: Cells,
    written: Vec<(usize, Value)>,
}

impl<'a> Writer<'a> {
    fn new(ctx: &'a TransferCtx<'a>, view: &'a View<'a>) -> Self {
        Self { ctx, view, cells: view.cells.to_vec(), written: Vec::new() }
    }

    /// Stores a value. `None` if there is no value, or no place to store it.
    fn write(&mut self, place: &Place, value: &Value) -> Option<()> {
        let value = self.stored(place, value)?;
        self.put(place, &value)
    }

    /// The value after it is stored in a place.
    fn stored(&self, place: &Place, value: &Value) -> Option<Value> {
        let block = self.view.seen(place.variable)?.block;
        let value = block.stored(value, self.view.limit);
        Some(match place.variable {
            VariableRef::Global(_) => self.ctx.reuse.escaped(value),
            VariableRef::Local(_) => value,
        })
    }

    /// Stores a converted value in the cells of a place.
    fn put(&mut self, place: &Place, value: &Value) -> Option<()> {
        if value.is_empty() {
            return None;
        }
        if let Some(cell) = self.view.scalar(place) {
            self.store(cell, value, true);
            self.forget(place.variable);
            return Some(());
        }
        // `c?i,a[i]`: the index may be read before or after the first store, so both cells are
        // written.
        let cells = &self.cells;
        let mut touched = self.view.touched(place);
        let again = View { cells, ..*self.view }.touched(place);
        if touched != again {
            touched.cells.extend(again.cells);
            touched.cells.sort_unstable();
            touched.cells.dedup();
            touched.certain = false;
        }
        for &cell in &touched.cells {
            self.store(cell, value, touched.certain);
        }
        self.forget(place.variable);
        (!touched.cells.is_empty()).then_some(())
    }

    /// Invalidates the selections whose array or index contains the variable.
    fn forget(&mut self, variable: VariableRef) {
        let selections = self.view.frame.map(|frame| &frame.selections[..]).unwrap_or_default();
        for selection in selections.iter().filter(|selection| selection.names(variable)) {
            let now = if selection.carried { self.any_of(selection) } else { Value::any() };
            self.cells[selection.cell] = Rc::new(now);
        }
    }

    /// The possible values of a selected element according to the cells of its array.
    fn any_of(&self, selection: &Selection) -> Value {
        let view = View { cells: &self.cells, ..*self.view };
        let place = Place { variable: selection.array, index: Some(Box::new(selection.index.clone())) };
        let touched = view.touched(&place);
        let all = touched.cells.iter().map(|cell| (*self.cells[*cell]).clone());
        let joined = all.reduce(|one, other| one.join(&other, self.view.limit));
        joined.filter(|all| !all.is_empty()).unwrap_or_else(Value::any)
    }

    /// Updates the selections after an assignment: the assigned element has the new value; another
    /// selected element of the same array may be the same one, so it has the old or the new value.
    fn select(&mut self, target: &Place, stored: &Value) {
        let selections = self.view.frame.map(|frame| &frame.selections[..]).unwrap_or_default();
        for selection in selections.iter().filter(|selection| selection.array == target.variable) {
            let cell = selection.cell;
            self.cells[cell] = match selection.is(target) {
                true => Rc::new(stored.clone()),
                false => Rc::new(self.view.cells[cell].join(stored, self.view.limit)),
            };
        }
    }

    /// Writes any value to all visible variables.
    fn write_everything(&mut self) {
        let Some(frame) = self.view.frame else {
            return;
        };
        let globals = frame.globals.iter().map(|(id, first)| (&self.view.layout.globals[*id], *first));
        let locals = frame.locals.values().map(|block| (block, block.start));
        for (block, first) in globals.chain(locals) {
            let any = block.stored(&Value::any(), self.view.limit);
            for cell in first..first + block.cells {
                self.store(cell, &any, true);
            }
        }
        for selection in &frame.selections {
            self.cells[selection.cell] = Rc::new(Value::any());
        }
    }

    fn store(&mut self, cell: usize, value: &Value, replace: bool) {
        if replace {
            self.cells[cell] = Rc::new(value.clone());
        } else if !self.cells[cell].includes(value) {
            self.cells[cell] = Rc::new(self.cells[cell].join(value, self.view.limit));
        }
        if self.view.frame.is_some_and(|frame| frame.shared().contains(&cell)) {
            self.written.push((cell, value.clone()));
        }
    }
}
