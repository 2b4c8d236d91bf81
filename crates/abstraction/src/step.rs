//! What one statement may do at a location: the abstract semantics of every action.

use std::collections::BTreeMap;
use std::iter::repeat;
use std::rc::Rc;

use cfsm_core::ids::IdMap;
use cfsm_core::program::{Action, EdgeId, Expression, Pattern, Place, ProcessTypeId, Program, VariableRef};

use crate::channels::{ObjectId, Objects, Reuse, denoted};
use crate::contexts::ContextId;
use crate::evaluate::{View, evaluate};
use crate::layout::Cells;
use crate::values::Value;

/// What is sent into each channel object: per send statement, what each field may hold.
pub(crate) type Sends = IdMap<ObjectId, BTreeMap<(ContextId, EdgeId), Vec<Value>>>;

/// What a receive asks of each field: `Some` of the values to match, `None` if it takes any.
pub(crate) type Patterns = Vec<Option<Value>>;

/// What all contexts share.
#[derive(Clone, Copy, Debug)]
pub(crate) struct World<'a> {
    /// The program.
    pub(crate) program: &'a Program,
    /// All channel objects found so far.
    pub(crate) objects: &'a Objects,
    /// All messages found so far.
    pub(crate) sends: &'a Sends,
    /// Which references may outlive their queues.
    pub(crate) reuse: &'a Reuse,
}

/// What a statement does besides writing variables.
#[derive(Clone, Debug)]
pub(crate) enum Deed {
    /// Nothing.
    Nothing,
    /// It sends one message: into one of these objects, with these fields.
    Send(Vec<(ObjectId, Vec<Value>)>),
    /// It receives one message, from one of these objects.
    Receive {
        /// The objects, with a message that may match in each.
        from: Vec<ObjectId>,
        /// What the message must look like, for as many fields as the statement has.
        patterns: Patterns,
        /// Whether the message stays.
        peek: bool,
    },
    /// It creates a process.
    Create {
        /// Its type.
        process_type: ProcessTypeId,
        /// What its parameters may be.
        arguments: Vec<Value>,
    },
}

/// What a statement may do.
#[derive(Clone, Debug)]
pub(crate) struct Step {
    /// What it does to the rest of the system.
    pub(crate) deed: Deed,
    /// The state behind it.
    pub(crate) cells: Cells,
    /// What it may write into cells of globals.
    pub(crate) written: Vec<(usize, Value)>,
}

/// What `action` may do at a location; `None` if no run without error executes it there, as far as is
/// known so far. The more `view` and `world` hold, the more the result holds.
pub(crate) fn step(world: &World<'_>, view: &View<'_>, action: &Action) -> Option<Step> {
    let mut writer = Writer::new(world, view);
    let deed = match action {
        Action::Condition(condition) => {
            let executable = evaluate(condition, view).may_be_nonzero();
            executable.then_some(Deed::Nothing)?
        }
        Action::Else | Action::Assert(_) | Action::Print { .. } | Action::SetPriority { .. } => Deed::Nothing,
        Action::Assign { target, value } => {
            writer.write(target, &evaluate(value, view))?;
            Deed::Nothing
        }
        Action::Send { channel, fields, .. } => send(world, view, channel, fields)?,
        Action::Receive { channel, patterns, peek, .. } => {
            receive(world, &mut writer, channel, patterns, *peek)?
        }
        Action::Create { process_type, arguments, result } => {
            let arguments = arguments_of(world, view, *process_type, arguments)?;
            if let Some(result) = result {
                writer.write(result, &Value::any())?;
            }
            let process_type = *process_type;
            Deed::Create { process_type, arguments }
        }
        Action::Opaque { .. } => {
            writer.write_everything();
            Deed::Nothing
        }
    };
    let Writer { cells, written, .. } = writer;
    Some(Step { deed, cells, written })
}

fn send(world: &World<'_>, view: &View<'_>, channel: &Expression, fields: &[Expression]) -> Option<Deed> {
    let fields: Vec<Value> = fields.iter().map(|field| evaluate(field, view)).collect();
    let objects = denoted(world.objects, &evaluate(channel, view));
    if objects.is_empty() || fields.iter().any(Value::is_empty) {
        return None;
    }
    let into = |object: ObjectId| (object, message(world, view, object, &fields));
    Some(Deed::Send(objects.into_iter().map(into).collect()))
}

/// The message that a send of `fields` puts into a channel. A run that goes on although the number of
/// fields is wrong sends 0 for those that are missing, and drops those that are too many.
fn message(world: &World<'_>, view: &View<'_>, object: ObjectId, fields: &[Value]) -> Vec<Value> {
    let types = &world.objects[object].shape.fields;
    let missing = Value::zero();
    let fields = fields.iter().chain(repeat(&missing)).zip(types);
    fields
        .map(|(field, ty)| match types.len() {
            1 => field.stored_loosely(*ty, view.limit),
            _ => field.stored_in(*ty, view.limit),
        })
        .map(|field| world.reuse.escaped(field))
        .collect()
}

fn receive(
    world: &World<'_>,
    writer: &mut Writer<'_>,
    channel: &Expression,
    patterns: &[Pattern],
    peek: bool,
) -> Option<Deed> {
    let view = writer.view;
    // All matching is done before anything is stored.
    let wanted: Patterns = patterns
        .iter()
        .map(|pattern| match pattern {
            Pattern::Store(_) | Pattern::Any => None,
            Pattern::Match(value) => Some(evaluate(value, view)),
        })
        .collect();
    let mut received = vec![Value::empty(); patterns.len()];
    let unknown = Value::any();
    let mut from = denoted(world.objects, &evaluate(channel, view));
    from.retain(|object| {
        let mut found = false;
        for message in world.sends[*object].values() {
            if matches(message, &wanted) {
                found = true;
                // Of a message with too few fields, the rest is something.
                for (all, field) in received.iter_mut().zip(message.iter().chain(repeat(&unknown))) {
                    if !all.includes(field) {
                        *all = all.join(field, view.limit);
                    }
                }
            }
        }
        found
    });
    if from.is_empty() {
        return None;
    }
    for (pattern, value) in patterns.iter().zip(&received) {
        if let Pattern::Store(place) = pattern {
            writer.write(place, value)?;
        }
    }
    Some(Deed::Receive { from, patterns: wanted, peek })
}

fn matches(message: &[Value], wanted: &[Option<Value>]) -> bool {
    message
        .iter()
        .zip(wanted)
        .all(|(field, wanted)| wanted.as_ref().is_none_or(|wanted| field.may_equal(wanted)))
}

fn arguments_of(
    world: &World<'_>,
    view: &View<'_>,
    process_type: ProcessTypeId,
    arguments: &[Expression],
) -> Option<Vec<Value>> {
    let parameters = world.program.types[process_type].locals.values();
    let values: Vec<Value> = arguments
        .iter()
        .zip(parameters)
        .map(|(argument, parameter)| evaluate(argument, view).stored_in(parameter.ty, view.limit))
        .map(|argument| world.reuse.escaped(argument))
        .collect();
    values.iter().all(|value| !value.is_empty()).then_some(values)
}

/// Writes of one statement.
struct Writer<'a> {
    world: &'a World<'a>,
    view: &'a View<'a>,
    cells: Cells,
    written: Vec<(usize, Value)>,
}

impl<'a> Writer<'a> {
    fn new(world: &'a World<'a>, view: &'a View<'a>) -> Self {
        Self { world, view, cells: view.cells.to_vec(), written: Vec::new() }
    }

    /// Stores a value. `None` if there is no value, or no place to store it.
    fn write(&mut self, place: &Place, value: &Value) -> Option<()> {
        let block = self.view.block(place.variable)?;
        let value = block.stored(value, self.view.limit);
        let value = match place.variable {
            VariableRef::Global(_) => self.world.reuse.escaped(value),
            VariableRef::Local(_) => value,
        };
        if value.is_empty() {
            return None;
        }
        // `c?i,a[i]`: the index is that of before or of behind the first store, so take both.
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
            self.store(cell, value.clone(), touched.certain);
        }
        (!touched.cells.is_empty()).then_some(())
    }

    /// Any value into everything that can be seen.
    fn write_everything(&mut self) {
        let Some(process_type) = self.view.process_type else {
            return;
        };
        let layout = self.view.layout;
        for block in layout.globals.values().chain(layout.locals[process_type].values()) {
            let any = block.stored(&Value::any(), self.view.limit);
            for cell in block.all() {
                self.store(cell, any.clone(), true);
            }
        }
    }

    fn store(&mut self, cell: usize, value: Value, replace: bool) {
        let behind = if replace { value.clone() } else { self.cells[cell].join(&value, self.view.limit) };
        self.cells[cell] = Rc::new(behind);
        if cell < self.view.layout.global_cells {
            self.written.push((cell, value));
        }
    }
}
