//! Sets of the numbers that the elements of an array hold, for arrays with few different numbers.

use std::collections::{BTreeMap, BTreeSet};

use cfsm_core::program::VariableId;
use cfsm_core::system::ClassId;

use super::{Ground, Part};
use crate::layout::Block;

/// The numbers of different values for which the elements holding each value are counted. With two
/// values, the sum of the array already implies these counts.
const COUNTED: std::ops::RangeInclusive<usize> = 3..=4;

/// An array of a class, or a global.
type Array = (Option<ClassId>, VariableId);

/// Maps each array to the numbers that its elements hold; `None` for arrays with many, or with
/// elements that may hold something other than a number.
pub(super) struct Held(BTreeMap<Array, Option<BTreeSet<i64>>>);

impl Held {
    /// Collects the sets of all arrays that processes access. Time linear in the nodes, times the
    /// number of cells in the frame of a context.
    pub(super) fn new(ground: Ground<'_>) -> Self {
        let mut held = Self(BTreeMap::new());
        let layout = &ground.analysis.layout;
        for (id, context) in ground.analysis.contexts.iter() {
            let frame = &layout.frames[context.process_type];
            let class = ground.grouping.class_of[id];
            let globals = frame.globals.iter();
            let globals = globals.map(|(&id, &first)| ((None, id), &layout.globals[id], first));
            let locals = frame.locals.iter().map(|(id, block)| ((Some(class), id), block, block.start));
            for (array, block, first) in globals.chain(locals).filter(|(_, block, _)| Self::counts(block)) {
                for (_, node) in context.nodes.iter().filter(|(node, _)| ground.live[id][*node]) {
                    for cell in &node.cells[first..first + block.cells] {
                        held.add(array, cell.numbers.values().filter(|_| cell.channels.is_empty()));
                    }
                }
            }
        }
        held
    }

    /// The parts of an array that measure all of its elements together.
    pub(super) fn parts(&self, array: Array) -> Vec<Part> {
        let few = |numbers: &&BTreeSet<i64>| COUNTED.contains(&numbers.len());
        let numbers = self.0.get(&array).and_then(Option::as_ref).filter(few).into_iter().flatten();
        std::iter::once(Part::Sum).chain(numbers.map(|number| Part::Holding(*number))).collect()
    }

    /// Returns `true` for arrays of counted numbers. Counters are excluded: their sets are assumed
    /// ranges, not values that they hold.
    fn counts(block: &Block) -> bool {
        block.counter.is_none() && block.counted().is_some_and(|length| length > 1)
    }

    fn add(&mut self, array: Array, numbers: Option<&[i64]>) {
        let known = self.0.entry(array).or_insert_with(|| Some(BTreeSet::new()));
        let (Some(all), Some(numbers)) = (known.as_mut(), numbers) else {
            *known = None;
            return;
        };
        all.extend(numbers);
        if all.len() > *COUNTED.end() {
            *known = None;
        }
    }
}
