//! Layout of abstract states: the positions of variables' values in a list of cells.
//!
//! A global that no statement writes is *settled*: its initial value is stored in one table for all
//! states. The state of a process is a list of cells, its *frame*: first the number of processes,
//! then the cells of the other globals that the process's type names, then those of its locals,
//! then its [selections](crate::selection), and the contents of its [private
//! queues](crate::private_queue). A scalar has one cell, a short array one per element, a long
//! array one for all its elements; an array that no statement writes has one per element, up to a
//! much higher limit.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use cfsm_core::ids::IdMap;
use cfsm_core::program::{
    Action, Expression, Place, ProcessType, ProcessTypeId, Program, Type, Variable, VariableId, VariableRef,
};

use crate::numbers::ValueSet;
use crate::private_queue::PrivateQueue;
use crate::selection::{Selection, selections};
use crate::unfolding::nobody_else_writes;
use crate::values::Value;
use crate::{Counters, Declared, Options};

/// The cells of a state. Cells are shared between states that agree on them.
pub(crate) type Cells = Vec<Rc<Value>>;

/// Largest number of elements that have cells of their own in an array that is never written.
const SETTLED_ELEMENTS: usize = 1 << 16;

/// Largest number of elements of an array whose elements can be data places; longer arrays have
/// none.
const COUNTED_ELEMENTS: u32 = 16;

/// The cell of a frame that holds the number of processes.
pub(crate) const PROCESSES: usize = 0;

/// The cells of a variable.
#[derive(Clone, Debug)]
pub(crate) struct Block {
    /// Position of its first cell: in the table of all globals, or in the frame of its type.
    pub(crate) start: usize,
    /// Number of its cells.
    pub(crate) cells: usize,
    /// Number of its elements, if it is an array.
    pub(crate) length: Option<u32>,
    /// The type of an element.
    pub(crate) ty: Type,
    /// The type in which Spin's verifier stores it, if that differs from `ty`.
    pub(crate) verified: Option<Type>,
    /// The assumed range, if it is a [counter](crate::Precision::counters).
    pub(crate) counter: Option<(i64, i64)>,
}

impl Block {
    /// Returns `true` if each element has a cell of its own.
    pub(crate) fn is_exact(&self) -> bool {
        self.length.is_none_or(|length| length as usize == self.cells)
    }

    /// Number of its elements, if each of them can be measured by a data place: they hold numbers,
    /// and have cells of their own. 1 for a scalar.
    pub(crate) fn counted(&self) -> Option<u32> {
        let length = self.length.unwrap_or(1);
        (self.ty != Type::Channel && self.is_exact() && length <= COUNTED_ELEMENTS).then_some(length)
    }

    /// The value that results from storing a value in one of its elements.
    pub(crate) fn stored(&self, value: &Value, limit: usize) -> Value {
        let stored = match self.length {
            Some(_) => value.stored_loosely(self.ty, limit),
            None => value.stored_in(self.ty, limit),
        };
        let stored = match self.verified {
            Some(ty) => stored.join(&value.stored_in(ty, limit), limit),
            None => stored,
        };
        self.kept(stored, limit)
    }

    /// Restricts a value to the assumed range of a counter. Channel references are not restricted.
    fn kept(&self, value: Value, limit: usize) -> Value {
        let Some((least, most)) = self.counter else { return value };
        if value.numbers.bounds().is_none_or(|(low, high)| least <= low && high <= most) {
            return value;
        }
        let numbers = value.numbers.meet(&ValueSet::between(least, most, 0), limit);
        Value { numbers, channels: value.channels }
    }

    /// The least and the greatest number that may be stored in one of its elements.
    pub(crate) fn ends(&self) -> (i64, i64) {
        self.counter.unwrap_or_else(|| self.ty.range())
    }

    /// The positions of all its cells.
    pub(crate) fn all(&self) -> std::ops::Range<usize> {
        self.start..self.start + self.cells
    }
}

/// The cells of a process of one type.
#[derive(Clone, Debug)]
pub(crate) struct Frame {
    /// Maps each global in the frame to the position of its first cell.
    pub(crate) globals: BTreeMap<VariableId, usize>,
    /// The cells of globals in the frame, by position in the table of all globals; they follow the
    /// number of processes in this order.
    pub(crate) origins: Vec<usize>,
    /// The blocks of the locals.
    pub(crate) locals: IdMap<VariableId, Block>,
    /// Selections: cells for elements of arrays at indices that are expressions.
    pub(crate) selections: Vec<Selection>,
    /// Queues that no other process uses; their cells come last.
    pub(crate) private: Vec<PrivateQueue>,
    /// Number of cells.
    pub(crate) cells: usize,
}

impl Frame {
    /// The selection whose element `place` denotes.
    pub(crate) fn selection(&self, place: &Place) -> Option<&Selection> {
        self.selections.iter().find(|selection| selection.is(place))
    }

    /// The queue that a channel expression denotes, if no other process uses it.
    pub(crate) fn private_queue(&self, channel: &Expression) -> Option<&PrivateQueue> {
        self.private.iter().find(|queue| queue.is(channel))
    }

    /// The cells of globals.
    pub(crate) fn shared(&self) -> std::ops::Range<usize> {
        PROCESSES + 1..PROCESSES + 1 + self.origins.len()
    }

    /// The position in the table of all globals of such a cell.
    pub(crate) fn origin(&self, cell: usize) -> Option<usize> {
        self.origins.get(cell.checked_sub(PROCESSES + 1)?).copied()
    }
}

/// The blocks of all variables.
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    /// Those of the globals.
    pub(crate) globals: IdMap<VariableId, Block>,
    /// Number of cells of all globals.
    pub(crate) global_cells: usize,
    /// The frames of all types.
    pub(crate) frames: IdMap<ProcessTypeId, Frame>,
}

/// The variables that the statements of a type access.
#[derive(Clone, Debug, Default)]
pub(crate) struct Uses {
    named: BTreeSet<VariableRef>,
    written: BTreeSet<VariableRef>,
    /// `true` if there is embedded code in another language, which may access every variable.
    anything: bool,
}

impl Uses {
    /// Returns `true` if a statement may write the variable.
    pub(crate) fn writes(&self, variable: VariableRef) -> bool {
        self.anything || self.written.contains(&variable)
    }
}

/// Collects the variables that the statements of each type access. Linear time.
pub(crate) fn uses(program: &Program) -> IdMap<ProcessTypeId, Uses> {
    program.types.values().map(uses_of).collect()
}

fn uses_of(process: &ProcessType) -> Uses {
    let mut uses = Uses::default();
    for edge in process.edges.values() {
        let action = &edge.action;
        uses.anything |= matches!(action, Action::Opaque { .. });
        for place in action.targets() {
            uses.written.insert(place.variable);
            uses.named.insert(place.variable);
        }
        for expression in action.expressions() {
            note_reads(expression, &mut uses.named);
        }
    }
    let initial = process.locals.values().flat_map(|variable| variable.init.expressions());
    for expression in initial.chain(&process.provided) {
        note_reads(expression, &mut uses.named);
    }
    uses
}

fn note_reads(expression: &Expression, named: &mut BTreeSet<VariableRef>) {
    expression.any(&mut |inner| {
        if let Expression::Read(place) = inner {
            named.insert(place.variable);
        }
        false
    });
}

/// Lays out all variables, and the private queues of each type. Arrays that are written and have
/// more elements than the options allow get one cell. Time linear in the program and in the sizes
/// of frames.
pub(crate) fn lay_out(
    program: &Program,
    uses: &IdMap<ProcessTypeId, Uses>,
    private: &IdMap<ProcessTypeId, Vec<VariableId>>,
    options: &Options,
) -> Layout {
    let settled = written_by_none(program, uses);
    let mut global_cells = 0;
    let blocks = Blocks { elements: options.array_elements, counters: &options.precision.counters };
    let globals: IdMap<VariableId, Block> = program
        .globals
        .iter()
        .map(|(id, variable)| blocks.block((None, id), variable, &mut global_cells, settled.contains(&id)))
        .collect();
    let frames = program.types.iter().map(|(type_id, process)| {
        let all_uses = uses;
        let uses = &uses[type_id];
        let (mut held, mut origins) = (BTreeMap::new(), Vec::new());
        let named: Vec<VariableId> = match uses.anything {
            true => program.globals.ids().collect(),
            false => uses.named.iter().filter_map(|variable| global(*variable)).collect(),
        };
        for id in named.into_iter().filter(|id| !settled.contains(id)) {
            held.insert(id, PROCESSES + 1 + origins.len());
            origins.extend(globals[id].all());
        }
        let mut cells = PROCESSES + 1 + origins.len();
        let locals = process
            .locals
            .iter()
            .map(|(local, variable)| {
                let fixed = !uses.writes(VariableRef::Local(local));
                blocks.block((Some(type_id), local), variable, &mut cells, fixed)
            })
            .collect();
        let owns = |global: VariableId| {
            let alone = nobody_else_writes(program, all_uses, type_id, VariableRef::Global(global));
            alone.then(|| program.globals[global].ty)
        };
        let carried = options.precision.carried.get(&type_id);
        let selections = selections(process, &owns, carried, cells);
        cells += selections.len();
        let private = private.get(type_id).map(|queues| PrivateQueue::lay_out(process, queues, cells));
        let private = private.unwrap_or_default();
        cells += private.iter().map(PrivateQueue::cells).sum::<usize>();
        Frame { globals: held, origins, locals, selections, private, cells }
    });
    Layout { frames: frames.collect(), globals, global_cells }
}

const fn global(variable: VariableRef) -> Option<VariableId> {
    match variable {
        VariableRef::Global(id) => Some(id),
        VariableRef::Local(_) => None,
    }
}

/// The globals that no statement writes.
fn written_by_none(program: &Program, uses: &IdMap<ProcessTypeId, Uses>) -> BTreeSet<VariableId> {
    if uses.values().any(|uses| uses.anything) {
        return BTreeSet::new();
    }
    let written: BTreeSet<VariableId> =
        uses.values().flat_map(|uses| uses.written.iter().filter_map(|variable| global(*variable))).collect();
    program.globals.ids().filter(|id| !written.contains(id)).collect()
}

/// The options for making blocks.
struct Blocks<'a> {
    /// Largest number of elements with cells of their own.
    elements: usize,
    counters: &'a Counters,
}

impl Blocks<'_> {
    fn block(&self, declared: Declared, variable: &Variable, next: &mut usize, settled: bool) -> Block {
        let most = if settled { SETTLED_ELEMENTS.max(self.elements) } else { self.elements };
        let cells = match variable.length {
            Some(length) if length as usize <= most => length as usize,
            _ => 1,
        };
        let start = *next;
        *next += cells;
        let verified = Some(variable.stored_type()).filter(|ty| *ty != variable.ty);
        let counter = self.counters.get(&declared).copied();
        Block { start, cells, length: variable.length, ty: variable.ty, verified, counter }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hidden_unsigned_is_cut_by_one_and_kept_by_the_other() {
        let verified = Some(Type::Byte);
        let block =
            Block { start: 0, cells: 1, length: None, ty: Type::Unsigned(3), verified, counter: None };
        let stored = block.stored(&ValueSet::of(9).into(), 4);
        assert_eq!(stored, ValueSet::Only([1, 9].into_iter().collect()).into());
    }
}
