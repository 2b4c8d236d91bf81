//! Where the values of variables stand in a state of the analysis.
//!
//! A state is a list of cells: first those of the globals, then those of one process type's locals. A
//! scalar has one cell, a short array one per element, a long array one for all its elements.

use std::rc::Rc;

use cfsm_core::ids::IdMap;
use cfsm_core::program::{ProcessTypeId, Program, Type, Variable, VariableId};

use crate::values::Value;

/// The cells of a state. Cells are shared between states that agree on them.
pub(crate) type Cells = Vec<Rc<Value>>;

/// The cells of a variable.
#[derive(Clone, Debug)]
pub(crate) struct Block {
    /// Position of its first cell.
    pub(crate) start: usize,
    /// How many cells it has.
    pub(crate) cells: usize,
    /// How many elements it has, if it is an array.
    pub(crate) length: Option<u32>,
    /// The type of an element.
    pub(crate) ty: Type,
}

impl Block {
    /// Whether each element has a cell of its own.
    pub(crate) fn is_exact(&self) -> bool {
        self.length.is_none_or(|length| length as usize == self.cells)
    }

    /// What remains of a value that is stored in one of its elements.
    pub(crate) fn stored(&self, value: &Value, limit: usize) -> Value {
        match self.length {
            Some(_) => value.stored_loosely(self.ty, limit),
            None => value.stored_in(self.ty, limit),
        }
    }

    /// The positions of all its cells.
    pub(crate) fn all(&self) -> std::ops::Range<usize> {
        self.start..self.start + self.cells
    }
}

/// The blocks of all variables.
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    /// Those of the globals.
    pub(crate) globals: IdMap<VariableId, Block>,
    /// Those of each type's locals.
    pub(crate) locals: IdMap<ProcessTypeId, IdMap<VariableId, Block>>,
    /// How many cells the globals have.
    pub(crate) global_cells: usize,
}

/// Lays out all variables; arrays of more than `elements` elements get one cell. Linear time.
pub(crate) fn lay_out(program: &Program, elements: usize) -> Layout {
    let mut global_cells = 0;
    let globals = blocks(&program.globals, &mut global_cells, elements);
    let locals = program.types.values().map(|process| {
        let mut next = global_cells;
        blocks(&process.locals, &mut next, elements)
    });
    Layout { locals: locals.collect(), globals, global_cells }
}

fn blocks(
    variables: &IdMap<VariableId, Variable>,
    next: &mut usize,
    elements: usize,
) -> IdMap<VariableId, Block> {
    let block = |variable: &Variable| {
        let cells = match variable.length {
            Some(length) if length as usize <= elements => length as usize,
            _ => 1,
        };
        let start = *next;
        *next += cells;
        Block { start, cells, length: variable.length, ty: variable.ty }
    };
    variables.values().map(block).collect()
}
