//! Interference: the values that contexts write to globals, so that others may read them at any
//! time.

use std::collections::{BTreeMap, BTreeSet};

use crate::contexts::ContextId;
use crate::values::Value;
use crate::widening::Widening;

/// Number of writers of a cell up to which a reader's own writes are separated from those of
/// others.
const WRITERS: usize = 16;

/// The values that are written to one cell.
#[derive(Clone, Debug)]
struct Cell {
    all: Value,
    by_context: BTreeMap<ContextId, Value>,
    readers: BTreeSet<ContextId>,
}

/// The values that are written to the cells of all globals.
#[derive(Clone, Debug)]
pub(crate) struct Interference {
    cells: Vec<Cell>,
}

impl Interference {
    /// No writes yet, for the given number of cells.
    pub(crate) fn new(cells: usize) -> Self {
        let cell = Cell { all: Value::empty(), by_context: BTreeMap::new(), readers: BTreeSet::new() };
        Self { cells: vec![cell; cells] }
    }

    /// Records that a context reads a cell.
    pub(crate) fn add_reader(&mut self, cell: usize, reader: ContextId) {
        self.cells[cell].readers.insert(reader);
    }

    /// The contexts that read a cell.
    pub(crate) fn readers(&self, cell: usize) -> &BTreeSet<ContextId> {
        &self.cells[cell].readers
    }

    /// Records a write of a context. Returns `true` if the value is new for the context.
    pub(crate) fn write(&mut self, by: ContextId, cell: usize, value: &Value, widening: &Widening) -> bool {
        let cell = &mut self.cells[cell];
        let news = widening.grow(cell.by_context.entry(by).or_insert_with(Value::empty), value);
        if news {
            widening.grow(&mut cell.all, value);
        }
        news
    }

    /// The values that other contexts may write to a cell; with `several`, also those of other
    /// instances of the same context. With more than [`WRITERS`] writers: the values of all
    /// writers.
    pub(crate) fn of_others(&self, cell: usize, reader: ContextId, several: bool, limit: usize) -> Value {
        let Cell { all, by_context, .. } = &self.cells[cell];
        if several || !by_context.contains_key(&reader) || by_context.len() > WRITERS {
            return all.clone();
        }
        let others = by_context.iter().filter(|(context, _)| **context != reader);
        others.fold(Value::empty(), |others, (_, value)| others.join(value, limit))
    }
}
