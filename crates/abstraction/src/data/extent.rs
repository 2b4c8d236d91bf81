//! Extents: the least and the greatest values of variables, and their initial values.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::rc::Rc;

use cfsm_core::ids::Id;
use cfsm_core::program::VariableRef;
use cfsm_core::system::StateId;

use super::{Ends, Ground, Owned, Part, Quantity};
use crate::contexts::{Birth, ContextId, NodeId};
use crate::counters::UNKNOWN_RANGE;
use crate::layout::{Block, Cells};
use crate::values::Value;

/// The largest amount of a quantity. Larger quantities are dropped, so that sums of them are exact.
pub(super) const MOST: i64 = 1 << 40;

/// The extents of variables.
pub(super) struct Extents<'a> {
    ground: Ground<'a>,
    /// Over all states of any run.
    all: BTreeMap<Owned, Ends>,
    /// Extents of locals, at each state of their class.
    at: BTreeMap<Owned, BTreeMap<StateId, Ends>>,
    /// The initial states of the instances of each context.
    entries: BTreeMap<ContextId, Cells>,
}

/// The least and the greatest number of a value; `None` if it is empty or may be a channel.
pub(super) fn ends(value: &Value) -> Option<Ends> {
    if value.channels.is_empty() { value.numbers.bounds() } else { None }
}

/// The cells on which a part of a variable depends; the variable's first cell is `first`.
pub(super) fn cells_of(block: &Block, first: usize, part: Part) -> Range<usize> {
    match part {
        Part::Element(element) => first + element as usize..first + element as usize + 1,
        Part::Sum | Part::Holding(_) | Part::Slots(_) => first..first + block.cells,
    }
}

/// The sum of a part over the given cells, as an interval.
pub(super) fn together(part: Part, cells: &[Rc<Value>]) -> Option<Ends> {
    cells.iter().try_fold((0i64, 0i64), |(low, high), cell| {
        let (least, most) = part.ends(cell)?;
        Some((low.checked_add(least)?, high.checked_add(most)?))
    })
}

const fn hull(one: Ends, other: Ends) -> Ends {
    (if one.0 < other.0 { one.0 } else { other.0 }, if one.1 > other.1 { one.1 } else { other.1 })
}

impl<'a> Extents<'a> {
    /// Computes the extents of the given variables, except those that may hold something other than
    /// a number. A variable holds its initial value until a process writes it, and then the value
    /// in the state after that move.
    pub(super) fn new(ground: Ground<'a>, variables: &BTreeSet<Owned>) -> Self {
        let analysis = ground.analysis;
        let there = |id: &ContextId| ground.live[*id].values().into_iter().any(|live| *live);
        let reached = analysis.contexts.ids().filter(there);
        let entries = reached.map(|id| (id, analysis.entry(id, &analysis.around(id)))).collect();
        let mut extents = Self { ground, all: BTreeMap::new(), at: BTreeMap::new(), entries };
        for &variable in variables {
            if extents.measure(variable).is_none() {
                extents.all.remove(&variable);
                extents.at.remove(&variable);
            }
        }
        extents
    }

    /// The least and the greatest number that a variable may hold; all integers if unknown.
    pub(super) fn ends(&self, variable: Owned) -> Ends {
        self.all.get(&variable).copied().unwrap_or((i64::MIN, i64::MAX))
    }

    fn measure(&mut self, variable: Owned) -> Option<()> {
        let analysis = self.ground.analysis;
        if variable.class.is_none() {
            let block = &analysis.layout.globals[variable.variable];
            self.join(
                variable,
                None,
                together(variable.part, &analysis.start[cells_of(block, block.start, variable.part)])?,
            );
        }
        for (id, context) in analysis.contexts.iter() {
            if !self.sees(id, variable) {
                continue;
            }
            for (node, known) in context.nodes.iter().filter(|(node, _)| self.ground.live[id][*node]) {
                let held = self.held(id, variable, &known.cells)?;
                self.join(variable, variable.class.map(|_| self.ground.state(id, node)), held);
            }
        }
        Some(())
    }

    fn join(&mut self, variable: Owned, state: Option<StateId>, held: Ends) {
        let all = self.all.entry(variable).or_insert(held);
        *all = hull(*all, held);
        if let Some(state) = state {
            let here = self.at.entry(variable).or_default().entry(state).or_insert(held);
            *here = hull(*here, held);
        }
    }

    /// Returns `true` if the states of a context have a cell for the variable.
    fn sees(&self, context: ContextId, Owned { class, variable, .. }: Owned) -> bool {
        let process_type = self.ground.analysis.contexts[context].process_type;
        match class {
            None => self.ground.analysis.layout.frames[process_type].globals.contains_key(&variable),
            Some(class) => self.ground.grouping.class_of[context] == class,
        }
    }

    /// The interval of a variable part in a state of a context that has a cell for it.
    fn held(&self, context: ContextId, owned: Owned, cells: &Cells) -> Option<Ends> {
        let Owned { class, variable, part } = owned;
        let analysis = self.ground.analysis;
        let frame = &analysis.layout.frames[analysis.contexts[context].process_type];
        if let Part::Slots(slots) = part {
            let (held, beside) = (&frame.locals[variable], &frame.locals[slots.beside]);
            return Some(slots.most(cells, held.start, beside.start));
        }
        let (block, first) = match class {
            Some(_) => (&frame.locals[variable], frame.locals[variable].start),
            None => (&analysis.layout.globals[variable], *frame.globals.get(&variable)?),
        };
        together(part, &cells[cells_of(block, first, part)])
    }

    /// The rising or the falling quantity of a variable, if the variable has an end on that side.
    /// For a counter with an [unknown range](UNKNOWN_RANGE), the end is the same at all states, and
    /// there is no quantity at an end of C's `int`: so a bound on the quantity bounds the counter.
    pub(super) fn quantity(&self, owned: Owned, falling: bool) -> Option<Quantity> {
        let Owned { class, variable: id, part } = owned;
        let variable = if class.is_some() { VariableRef::Local(id) } else { VariableRef::Global(id) };
        let end = |ends: &Ends| if falling { ends.1 } else { ends.0 };
        let counters = &self.ground.analysis.options.precision.counters;
        let is_new = counters.get(&self.ground.declared(owned)) == Some(&UNKNOWN_RANGE);
        let all = end(self.all.get(&owned)?);
        if is_new && (!matches!(part, Part::Element(_)) || all == end(&UNKNOWN_RANGE)) {
            return None;
        }
        let at = self.at.get(&owned).into_iter().flatten();
        let ends = at.map(|(state, ends)| (*state, if is_new { all } else { end(ends) })).collect();
        let open = match (class, part) {
            (Some(class), Part::Slots(slots)) => self.ground.open(class, [id, slots.beside]),
            _ => BTreeMap::new(),
        };
        Some(Quantity { class, variable, part, falling, end: all, ends, open })
    }

    /// For each context whose instances have the variable of a quantity: its initial value in a new
    /// instance, and the initial state.
    pub(super) fn births<'s>(
        &'s self,
        quantity: &Quantity,
    ) -> impl Iterator<Item = (ContextId, Ends, StateId)> + use<'s, 'a> {
        let (VariableRef::Global(variable) | VariableRef::Local(variable)) = quantity.variable;
        let Quantity { class, part, .. } = *quantity;
        let owned = Owned { class, variable, part };
        let of_class =
            move |entry: &(&ContextId, &Cells)| Some(self.ground.grouping.class_of[*entry.0]) == class;
        self.entries.iter().filter(of_class).filter_map(move |(&context, cells)| {
            // All instances of a context start at its first node.
            let state = self.ground.state(context, NodeId::new(0));
            Some((context, self.held(context, owned, cells)?, state))
        })
    }

    /// The largest amount of a quantity at the start; `None` if it exceeds [`MOST`].
    pub(super) fn at_start(&self, quantity: &Quantity) -> Option<u64> {
        let analysis = self.ground.analysis;
        let mut sum: i64 = 0;
        if let (VariableRef::Global(id), None) = (quantity.variable, quantity.class) {
            let block = &analysis.layout.globals[id];
            let cells = cells_of(block, block.start, quantity.part);
            sum = quantity.most(together(quantity.part, &analysis.start[cells])?, quantity.end);
        }
        for (context, ends, state) in self.births(quantity) {
            if let Birth::Initial(count) = analysis.contexts[context].birth {
                let each = quantity.most(ends, quantity.ends.get(&state).copied()?);
                sum = sum.checked_add(each.checked_mul(count.into())?)?;
            }
        }
        u64::try_from(sum).ok().filter(|sum| i64::try_from(*sum).is_ok_and(|sum| sum <= MOST))
    }
}
