//! Slots of tables: pairs of elements of two arrays at one index. Quantities count the slots that
//! hold two given values together.
//!
//! For example, a table of requests marks each number that is in use, and stores beside it the
//! request. The index that a statement uses need not be known: both arrays are accessed at the same
//! slot as long as the index is unchanged. Slots that a computed index `i * n + j` separates by `i`
//! are counted separately. Between two writes of a slot, it is not [counted](open).

mod open;

use std::collections::BTreeSet;

use cfsm_core::program::{Action, Binary, Expression, Place, VariableId, VariableRef};
use cfsm_core::system::ClassId;

pub(crate) use self::open::{Open, open};
use super::{Ends, Ground};
use crate::analysis::Analysis;
use crate::contexts::{Move, NodeId, NodeRef};
use crate::evaluate::{View, evaluate};
use crate::layout::Cells;
use crate::values::Value;

/// Largest number of different values of one array.
const VALUES: usize = 16;
/// Largest number of counted pairs of values in a class, over all parts of its tables.
const MOST: usize = 64;

/// The slots of a table that hold two given values together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Slots {
    /// The value of the element in the measured array.
    pub holds: i64,
    /// The other array, a local of the same process.
    pub beside: VariableId,
    /// The value of its element at the same index.
    pub value: i64,
    /// Index of the first slot that is counted.
    pub first: u32,
    /// Number of slots that are counted.
    pub length: u32,
}

impl Slots {
    /// Number of the slots with both values, given the numbers in the elements of both arrays; not
    /// counting the [open](super::Quantity::open) slot, if there is one.
    #[must_use]
    pub fn of(&self, held: &[i64], beside: &[i64], open: Option<usize>) -> i64 {
        let slots = held.iter().zip(beside).enumerate().filter(|(slot, _)| self.contains(*slot));
        let closed = slots.filter(|(slot, _)| open != Some(*slot));
        let count =
            closed.filter(|(_, (held, beside))| **held == self.holds && **beside == self.value).count();
        i64::try_from(count).unwrap_or(i64::MAX)
    }

    fn contains(&self, slot: usize) -> bool {
        (self.first as usize..(self.first + self.length) as usize).contains(&slot)
    }

    /// The interval of the number of slots, given the cells of both arrays.
    pub(super) fn most(&self, held: &Cells, first: usize, beside: usize) -> Ends {
        let slots = self.first as usize..(self.first + self.length) as usize;
        let may = |slot: &usize| {
            may_hold(&held[first + slot], self.holds).1 && may_hold(&held[beside + slot], self.value).1
        };
        (0, i64::try_from(slots.filter(may).count()).unwrap_or(i64::MAX))
    }
}

/// Returns whether the cell may hold something other than the number, and whether it may hold the
/// number.
fn may_hold(cell: &Value, number: i64) -> (bool, bool) {
    let numbers = &cell.numbers;
    let may = !cell.channels.is_empty() || numbers.contains(number);
    let may_not = !cell.channels.is_empty() || numbers.bounds() != Some((number, number));
    (may_not, may)
}

/// Counted slots of a table, with the locations at which slots of the table are open.
pub(super) struct CountedSlots {
    /// The measured array, a local.
    pub(super) array: VariableId,
    /// The slots.
    pub(super) slots: Slots,
    /// The locations at which a slot is open.
    open: Open,
}

/// The counted slots of the tables of a class, with the locations at which slots of the table are
/// open. A table is a pair of arrays: one occurs in a condition, and the other is lazily tracked,
/// at the same index.
pub(super) fn slots(ground: Ground<'_>, class: ClassId) -> Vec<CountedSlots> {
    let group = &ground.grouping.groups[class];
    let frame = &ground.analysis.layout.frames[group.process_type];
    let mut tables = BTreeSet::new();
    for carried in frame.selections.iter().filter(|selection| selection.carried) {
        for deciding in frame.selections.iter().filter(|selection| !selection.carried) {
            if let (VariableRef::Local(array), VariableRef::Local(beside)) = (deciding.array, carried.array)
                && deciding.index == carried.index
                && array != beside
                && [array, beside].iter().all(|array| frame.locals[*array].counter.is_none())
                && let (Some(length), Some(other)) =
                    (frame.locals[array].counted(), frame.locals[beside].counted())
                && length == other
            {
                tables.insert((array, beside, length, part_length(&carried.index, length)));
            }
        }
    }
    let mut all = Vec::new();
    for (array, beside, length, part) in tables {
        let (Some((held, start)), Some((values, _))) =
            (numbers(ground, class, array), numbers(ground, class, beside))
        else {
            continue;
        };
        let open = ground.open(class, [array, beside]);
        for first in (0..length).step_by(part as usize) {
            // Most slots hold their initial value, so that value is not counted.
            for &holds in held.difference(&start) {
                let slots = values.iter().map(|&value| Slots { holds, beside, value, first, length: part });
                all.extend(slots.map(|slots| CountedSlots { array, slots, open: open.clone() }));
            }
        }
    }
    if all.len() > MOST { Vec::new() } else { all }
}

/// Number of slots that share the first part of an index.
fn part_length(index: &Expression, length: u32) -> u32 {
    factor(index).filter(|factor| *factor > 0 && length.is_multiple_of(*factor)).unwrap_or(length)
}

/// The factor of the first part of an index; the index of an element of an array in records may be
/// conditional.
fn factor(index: &Expression) -> Option<u32> {
    match index {
        Expression::Conditional(_, one, other) => factor(one).or_else(|| factor(other)),
        Expression::Binary(Binary::Add, one, other) => factor(one).or_else(|| factor(other)),
        Expression::Binary(Binary::Multiply, _, factor) => match &**factor {
            Expression::Constant(factor) => u32::try_from(*factor).ok(),
            _ => None,
        },
        _ => None,
    }
}

/// The numbers that the elements of an array may hold, and their initial numbers; `None` if there
/// are too many, or if an element may hold something other than a number.
fn numbers(
    ground: Ground<'_>,
    class: ClassId,
    variable: VariableId,
) -> Option<(BTreeSet<i64>, BTreeSet<i64>)> {
    let mut all = BTreeSet::new();
    let mut start = BTreeSet::new();
    for &id in &ground.grouping.groups[class].contexts {
        let context = &ground.analysis.contexts[id];
        let block = &ground.analysis.layout.frames[context.process_type].locals[variable];
        let entry = ground.analysis.entry(id, &ground.analysis.around(id));
        for cell in &entry[block.all()] {
            start.extend(cell.numbers.values().filter(|_| cell.channels.is_empty())?);
        }
        for (_, known) in context.nodes.iter().filter(|(node, _)| ground.live[id][*node]) {
            for cell in &known.cells[block.all()] {
                let numbers = cell.numbers.values().filter(|_| cell.channels.is_empty())?;
                all.extend(numbers);
                if all.len() > VALUES {
                    return None;
                }
            }
        }
    }
    Some((all, start))
}

impl Analysis<'_> {
    /// For each node that a move leads to, the interval by which it changes the number of some
    /// slots of a table of its process.
    pub(super) fn change_of_slots(
        &self,
        at: NodeRef,
        step: &Move,
        counted: &CountedSlots,
    ) -> Vec<(NodeId, Ends)> {
        let NodeRef { context, node } = at;
        let CountedSlots { slots, open, .. } = counted;
        let known = &self.contexts[context];
        let edge = &self.program.types[known.process_type].edges[step.edge];
        let counts = [edge.source, edge.target].map(|location| !open.contains_key(&location));
        let view = self.view(known, &known.nodes[node].cells);
        let length = i64::from(slots.length);
        let change = match &edge.action {
            Action::Assign { target, value } => change_of_slot(&view, target, value, counted, counts),
            _ => None,
        };
        let change = change.unwrap_or((-length, length));
        step.targets.iter().map(|target| (*target, change)).collect()
    }
}

/// The interval by which an assignment to an element of one of two arrays changes the number of
/// some slots. `counted` and `counts` are `true` if the slot is counted before and after the
/// assignment.
fn change_of_slot(
    view: &View<'_>,
    target: &Place,
    value: &Expression,
    counted_slots: &CountedSlots,
    [counted, counts]: [bool; 2],
) -> Option<Ends> {
    let CountedSlots { array, slots, .. } = counted_slots;
    let (array, beside) = (VariableRef::Local(*array), VariableRef::Local(slots.beside));
    let ((own, wanted), (other, needed)) = if target.variable == array {
        ((array, slots.holds), (beside, slots.value))
    } else {
        ((beside, slots.value), (array, slots.holds))
    };
    let seen = view.seen(own)?;
    let first = view.frame?.locals.iter().find(|(id, _)| VariableRef::Local(*id) == own)?.1.start;
    let touched = view.touched(target).cells;
    let inside = touched.iter().filter(|cell| slots.contains(**cell - first)).count();
    if inside == 0 {
        return Some((0, 0));
    }
    let rest = Place { variable: other, index: target.index.clone() };
    let before = may_hold(&view.read(target), wanted);
    let behind = may_hold(&seen.block.stored(&evaluate(value, view), view.limit), wanted);
    let rest = may_hold(&view.read(&rest), needed);
    let options = |(may_not, may): (bool, bool)| {
        [(0i64, may_not), (1, may)].into_iter().filter(|(_, may)| *may).map(|(count, _)| count)
    };
    let mut ends: Option<Ends> = (inside < touched.len()).then_some((0, 0));
    for rest in options(rest) {
        for before in options(before) {
            for behind in options(behind) {
                let change = rest * (i64::from(counts) * behind - i64::from(counted) * before);
                ends = Some(ends.map_or((change, change), |(low, high)| (low.min(change), high.max(change))));
            }
        }
    }
    ends
}
