//! Initial values of variables.

use std::collections::BTreeMap;
use std::rc::Rc;

use cfsm_core::program::{Initializer, ProcessType, ProcessTypeId, Program, VariableId};

use crate::channels::{ObjectId, Objects, declare};
use crate::contexts::ContextId;
use crate::evaluate::{View, evaluate};
use crate::layout::{Block, Cells, Layout};
use crate::values::Value;

/// The channel objects of declarations, per variable and in element order.
pub(crate) type Declared = BTreeMap<VariableId, Vec<ObjectId>>;

/// Creates the channel objects that the locals of one context declare (or, without context, the
/// globals).
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

/// The cells of the globals at the start. Spin's verifier initialises them type by type, its
/// simulator one when another needs it; so an initialiser that reads another global may find the
/// initial value of that one or still 0. The number of rounds is the length of the longest chain of
/// initialisers that read one another.
pub(crate) fn globals(program: &Program, layout: &Layout, declared: &Declared, limit: usize) -> Cells {
    let (zero, nobody) = (Rc::new(Value::zero()), Value::any());
    let mut seen = vec![Rc::clone(&zero); layout.global_cells];
    loop {
        let mut cells = vec![Rc::clone(&zero); layout.global_cells];
        for (id, variable) in program.globals.iter() {
            let (frame, cells_of_it, pid, observers) = (None, &[][..], &nobody, 0);
            let view = View { layout, start: &seen, frame, cells: cells_of_it, pid, observers, limit };
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

/// Sets the initial values of a process's locals: parameters to the arguments, the others by their
/// initialisers in declaration order.
pub(crate) fn locals(
    process: &ProcessType,
    view: &View<'_>,
    arguments: &[Value],
    declared: &Declared,
    mut cells: Cells,
) -> Cells {
    let blocks = view.frame.map(|frame| &frame.locals);
    for (position, (id, variable)) in process.locals.iter().enumerate() {
        if let Some(block) = blocks.and_then(|blocks| blocks.get(id)) {
            let view = View { cells: &cells, ..*view };
            let values = contents(&variable.init, block, &view, declared.get(&id), arguments.get(position));
            put(&mut cells, block, values);
        }
    }
    cells
}

/// The values of a variable's elements, in order; a single value if all are equal.
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
        // `active` gives 0 to a parameter without an argument.
        Initializer::Zero | Initializer::Parameter => vec![Value::zero()],
        Initializer::Value(value) => vec![stored(evaluate(value, view))],
        Initializer::List(values) => {
            let mut list: Vec<Value> = values.iter().map(|value| stored(evaluate(value, view))).collect();
            // Elements beyond the end of the list hold 0.
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

/// Stores values in the cells of a block; the last value is repeated for the remaining cells.
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
