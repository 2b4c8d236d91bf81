//! What contexts write into globals, so that others may read it at any time.

use std::collections::{BTreeMap, BTreeSet};

use crate::contexts::ContextId;
use crate::values::Value;
use crate::widening::Widening;

/// Writers of a cell that are told apart when one of them asks what the others write.
const WRITERS: usize = 16;

/// What is written into one cell.
#[derive(Clone, Debug)]
struct Cell {
    all: Value,
    by_context: BTreeMap<ContextId, Value>,
    readers: BTreeSet<ContextId>,
}

/// What is written into the cells of all globals.
#[derive(Clone, Debug)]
pub(crate) struct Interference {
    cells: Vec<Cell>,
}

impl Interference {
    /// Nothing has been written into this many cells.
    pub(crate) fn new(cells: usize) -> Self {
        let cell = Cell { all: Value::empty(), by_context: BTreeMap::new(), readers: BTreeSet::new() };
        Self { cells: vec![cell; cells] }
    }

    /// Notes that a context looks at a cell.
    pub(crate) fn add_reader(&mut self, cell: usize, reader: ContextId) {
        self.cells[cell].readers.insert(reader);
    }

    /// The contexts that look at a cell.
    pub(crate) fn readers(&self, cell: usize) -> &BTreeSet<ContextId> {
        &self.cells[cell].readers
    }

    /// Notes what a context writes; whether that is news.
    pub(crate) fn write(&mut self, by: ContextId, cell: usize, value: &Value, widening: &Widening) -> bool {
        let cell = &mut self.cells[cell];
        let news = widening.grow(cell.by_context.entry(by).or_insert_with(Value::empty), value);
        if news {
            widening.grow(&mut cell.all, value);
        }
        news
    }

    /// What may be in a cell because of others; with `several`, because of other instances of the
    /// same context too. Of many writers, what all of them write.
    pub(crate) fn of_others(&self, cell: usize, reader: ContextId, several: bool, limit: usize) -> Value {
        let Cell { all, by_context, .. } = &self.cells[cell];
        if several || !by_context.contains_key(&reader) || by_context.len() > WRITERS {
            return all.clone();
        }
        let others = by_context.iter().filter(|(context, _)| **context != reader);
        others.fold(Value::empty(), |others, (_, value)| others.join(value, limit))
    }
}
