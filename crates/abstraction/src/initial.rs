//! What variables hold when they come into being.

use std::collections::BTreeMap;
use std::rc::Rc;

use cfsm_core::program::{Initializer, ProcessTypeId, Program, VariableId};

use crate::channels::{ObjectId, Objects, declare};
use crate::contexts::ContextId;
use crate::evaluate::{View, evaluate};
use crate::layout::{Block, Cells, Layout};
use crate::values::Value;

/// The channel objects of declarations, per variable and in element order.
pub(crate) type Declared = BTreeMap<VariableId, Vec<ObjectId>>;

/// Makes the channel objects that one context's locals (or, without context, the globals) declare.
pub(crate) fn declare_all(
    program: &Program,
    objects: &mut Objects,
    owner: Option<(ContextId, ProcessTypeId)>,
) -> Declared {
    let variables = match owner {
        Some((_, process_type)) => &program.types[process_type].locals,
        None => &program.globals,
    };
    let mut declared = Declared::new();
    for (id, variable) in variables.iter() {
        if let Initializer::NewChannel(shape) = &variable.init {
            let context = owner.map(|(context, _)| context);
            let made = declare(objects, context, id, variable.length, shape);
            declared.insert(id, made);
        }
    }
    declared
}

/// The cells of the globals at the start. Spin's verifier initialises them type by type, its simulator
/// one when another needs it; so an initialiser that reads another global may find the initial value of
/// that one or still 0. Takes as many rounds as initialisers read one another in a chain.
pub(crate) fn globals(program: &Program, layout: &Layout, declared: &Declared, limit: usize) -> Cells {
    let zero = Rc::new(Value::zero());
    let mut seen = vec![Rc::clone(&zero); layout.global_cells];
    loop {
        let mut cells = vec![Rc::clone(&zero); layout.global_cells];
        for (id, variable) in program.globals.iter() {
            let view = View { layout, process_type: None, cells: &seen, outside: &[], limit };
            let block = &layout.globals[id];
            let values = contents(&variable.init, block, &view, declared.get(&id), None);
            put(&mut cells, block, values);
        }
        let mut changed = false;
        for (seen, cell) in seen.iter_mut().zip(&cells) {
            if !seen.includes(cell) {
                *seen = seen.join(cell, limit).into();
                changed = true;
            }
        }
        if !changed {
            return cells;
        }
    }
}

/// The state in which an instance starts: the globals as they were at the start (what has been written
/// since is in `outside`), parameters as given, and locals initialised in declaration order.
pub(crate) fn entry(
    program: &Program,
    layout: &Layout,
    process_type: ProcessTypeId,
    given: (&Cells, &[Value], &Declared),
    outside: &[Value],
    limit: usize,
) -> Cells {
    let (globals, arguments, declared) = given;
    let locals = &program.types[process_type].locals;
    let blocks = &layout.locals[process_type];
    let mut cells = globals.clone();
    let count: usize = blocks.values().map(|block| block.cells).sum();
    cells.resize(globals.len() + count, Rc::new(Value::zero()));
    for ((position, (id, variable)), block) in locals.iter().enumerate().zip(blocks.values()) {
        let view = View { layout, process_type: Some(process_type), cells: &cells, outside, limit };
        let argument = arguments.get(position);
        let values = contents(&variable.init, block, &view, declared.get(&id), argument);
        put(&mut cells, block, values);
    }
    cells
}

/// The values of a variable's elements, in order; one for all if they are equal.
fn contents(
    init: &Initializer,
    block: &Block,
    view: &View<'_>,
    channels: Option<&Vec<ObjectId>>,
    argument: Option<&Value>,
) -> Vec<Value> {
    let stored = |value: Value| block.stored(&value, view.limit);
    if let Some(argument) = argument {
        return vec![argument.clone()];
    }
    match init {
        // A parameter without an argument: `active` gives it 0.
        Initializer::Zero | Initializer::Parameter => vec![Value::zero()],
        Initializer::Value(value) => vec![stored(evaluate(value, view))],
        Initializer::List(values) => {
            let mut list: Vec<Value> = values.iter().map(|value| stored(evaluate(value, view))).collect();
            // Elements that the list does not reach hold 0.
            if list.len() < block.length.unwrap_or(1) as usize {
                list.push(Value::zero());
            }
            list
        }
        Initializer::NewChannel(_) => {
            channels.into_iter().flatten().map(|&object| Value::channel(object)).collect()
        }
    }
}

/// Puts values into the cells of a block; the last value also fills the cells behind it.
fn put(cells: &mut Cells, block: &Block, values: Vec<Value>) {
    if block.is_exact() {
        let Some(last) = values.last().cloned().map(Rc::new) else {
            return;
        };
        let mut values = values.into_iter().map(Rc::new);
        for cell in block.all() {
            cells[cell] = values.next().unwrap_or_else(|| Rc::clone(&last));
        }
    } else {
        let all = values.iter().fold(Value::empty(), |all, value| all.join(value, usize::MAX));
        cells[block.start] = Rc::new(all);
    }
}
