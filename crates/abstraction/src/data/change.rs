//! Changes of variables: by how much a move changes the value of a variable.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use cfsm_core::ids::IdMap;
use cfsm_core::program::{Action, Binary, Expression, Place, Type, VariableRef};
use cfsm_core::system::ClassId;

use super::extent::{MOST, cells_of, ends, together};
use super::held::Held;
use super::slots::{CountedSlots, slots};
use super::{Ends, Ground, Owned, Part, Quantity, Way};
use crate::analysis::Analysis;
use crate::contexts::{Birth, Context, ContextId, Move, NodeId, NodeRef};
use crate::counters::Sum;
use crate::evaluate::{View, evaluate};
use crate::numbers::ValueSet;
use crate::step::Step;
use crate::values::Value;

/// The changes that moves make to each variable part; a move that writes a variable has one entry
/// for each node to which it can lead.
pub(super) fn changes(ground: Ground<'_>) -> BTreeMap<Owned, Vec<(Way, Ends)>> {
    let mut changes: BTreeMap<Owned, Vec<(Way, Ends)>> = BTreeMap::new();
    let mut blind = BTreeSet::new();
    let held = Held::new(ground);
    let tables: IdMap<ClassId, Vec<CountedSlots>> =
        ground.grouping.groups.ids().map(|class| slots(ground, class)).collect();
    for (id, context) in ground.analysis.contexts.iter() {
        for (node, step) in ground.moves(id) {
            let at = NodeRef { context: id, node };
            let action = &ground.program.types[context.process_type].edges[step.edge].action;
            let turning = Turning { context: id, node, step, behind: OnceCell::new() };
            for (cell, length) in cells_written(ground, context, action) {
                let (class, variable) = match cell {
                    VariableRef::Global(id) => (None, id),
                    VariableRef::Local(local) => (Some(ground.grouping.class_of[id]), local),
                };
                if ground.analysis.is_blind(at, action, cell) {
                    blind.insert((class, variable));
                }
                let all = if length > 1 { held.parts((class, variable)) } else { Vec::new() };
                let of_slots = class.map_or(&[][..], |class| &tables[class]);
                for counted in of_slots
                    .iter()
                    .filter(|counted| [counted.array, counted.slots.beside].contains(&variable))
                {
                    let owned = Owned { class, variable: counted.array, part: Part::Slots(counted.slots) };
                    for (target, change) in ground.analysis.change_of_slots(at, step, counted) {
                        changes.entry(owned).or_default().push(((id, node, step.edge, target), change));
                    }
                }
                for part in (0..length).map(Part::Element).chain(all) {
                    let owned = Owned { class, variable, part };
                    for (target, change) in ground.analysis.change(&turning, cell, part) {
                        changes.entry(owned).or_default().push(((id, node, step.edge, target), change));
                    }
                }
            }
        }
    }
    // Where the index of a written element is always known, the quantities of the single elements
    // say as much as those of the whole array.
    changes.retain(|owned, _| {
        matches!(owned.part, Part::Element(_) | Part::Slots(_))
            || blind.contains(&(owned.class, owned.variable))
    });
    changes
}

/// The numeric scalars and short arrays that an action may write, with their numbers of elements.
fn cells_written(ground: Ground<'_>, context: &Context, action: &Action) -> BTreeSet<(VariableRef, u32)> {
    let layout = &ground.analysis.layout;
    let frame = &layout.frames[context.process_type];
    let variables: Vec<VariableRef> = match action {
        Action::Opaque { .. } => {
            let globals = frame.globals.keys().map(|id| VariableRef::Global(*id));
            globals.chain(frame.locals.ids().map(VariableRef::Local)).collect()
        }
        _ => action.targets().into_iter().map(|place| place.variable).collect(),
    };
    let kept = variables.into_iter().filter_map(|variable| {
        let length = match variable {
            VariableRef::Global(id) => layout.globals[id].counted(),
            VariableRef::Local(id) => frame.locals[id].counted(),
        };
        length.map(|length| (variable, length))
    });
    kept.collect()
}

/// Returns `true` if a move may happen more than once: it is part of a loop, or of a process that
/// is created.
pub(super) fn again(
    analysis: &Analysis<'_>,
    components: &IdMap<ContextId, Vec<usize>>,
    (context, node, _, target): &Way,
) -> bool {
    use cfsm_core::ids::Id;
    let component = &components[*context];
    let Context { birth, shared, .. } = &analysis.contexts[*context];
    *shared || matches!(birth, Birth::Created { .. }) || component[node.index()] == component[target.index()]
}

/// The most by which each move increases a quantity, given the changes of its variable; `None` if
/// one of them is beyond [`MOST`]. For a global: the moves that write it. For a local: all moves of
/// its class, since the end of the variable depends on the state.
pub(super) fn growths(
    ground: Ground<'_>,
    quantity: &Quantity,
    changes: &[(Way, Ends)],
) -> Option<Vec<(Way, i64)>> {
    let Some(class) = quantity.class else {
        let growth = |(way, change): &(Way, Ends)| (*way, quantity.growth(*change, 0, 0));
        return bounded(changes.iter().map(growth));
    };
    let written: BTreeMap<&Way, &Ends> = changes.iter().map(|(way, change)| (way, change)).collect();
    let mut all = Vec::new();
    for &context in &ground.grouping.groups[class].contexts {
        for (node, step) in ground.moves(context) {
            let from = quantity.ends.get(&ground.state(context, node))?;
            for &target in &step.targets {
                let way = (context, node, step.edge, target);
                let to = quantity.ends.get(&ground.state(context, target))?;
                let change = written.get(&way).map_or((0, 0), |change| **change);
                all.push((way, quantity.growth(change, *from, *to)));
            }
        }
    }
    bounded(all.into_iter())
}

fn bounded(changes: impl Iterator<Item = (Way, i64)>) -> Option<Vec<(Way, i64)>> {
    changes.map(|(way, change)| (-MOST..=MOST).contains(&change).then_some((way, change))).collect()
}

/// A move whose changes are computed.
struct Turning<'a> {
    context: ContextId,
    node: NodeId,
    step: &'a Move,
    /// The steps of the move, computed once: they do not depend on the variable, and a receive
    /// writes many cells.
    behind: OnceCell<Vec<Step>>,
}

/// The values of a variable before a move, and those after it.
struct Turn {
    before: Ends,
    behind: ValueSet,
    /// The difference, where more is known about it than the two sets imply.
    difference: Option<Ends>,
}

/// The interval of all changes: wider than the range of any variable.
const ANYTHING: Ends = (i64::MIN, i64::MAX);

impl Analysis<'_> {
    /// For each node that a move leads to, the interval by which the move changes a variable that
    /// it writes. Nodes that it cannot lead to are left out.
    fn change(&self, turning: &Turning<'_>, variable: VariableRef, part: Part) -> Vec<(NodeId, Ends)> {
        let Turning { context, node, step, .. } = *turning;
        let Some(position) = self.position(context, variable) else { return Vec::new() };
        let Part::Element(element) = part else {
            return self.change_of_all(NodeRef { context, node }, step, variable, part);
        };
        let position = position + element as usize;
        let turns = self.turns(turning, position);
        let nodes = &self.contexts[context].nodes;
        let change = |&target: &NodeId| {
            let Some(turns) = &turns else { return Some((target, ANYTHING)) };
            let there = &nodes[target].cells[position].numbers;
            let all = turns.iter().filter_map(|turn| turn.change(there));
            all.reduce(|one, other| (one.0.min(other.0), one.1.max(other.1))).map(|ends| (target, ends))
        };
        step.targets.iter().filter_map(change).collect()
    }

    /// Returns `true` if an action writes an element of an array with an index that is not known.
    fn is_blind(&self, at: NodeRef, action: &Action, variable: VariableRef) -> bool {
        let context = &self.contexts[at.context];
        let view = self.view(context, &context.nodes[at.node].cells);
        let mut targets = action.targets().into_iter().filter(|target| target.variable == variable);
        targets.any(|target| !view.touched(target).certain)
    }

    /// The same for a quantity over all elements of an array: it changes by the change of the one
    /// element that is assigned, whichever it is.
    fn change_of_all(
        &self,
        at: NodeRef,
        step: &Move,
        variable: VariableRef,
        part: Part,
    ) -> Vec<(NodeId, Ends)> {
        let NodeRef { context, node } = at;
        let known = &self.contexts[context];
        let action = &self.program.types[known.process_type].edges[step.edge].action;
        let cells = &known.nodes[node].cells;
        let view = self.view(known, cells);
        let (Some(first), Some(seen)) = (self.position(context, variable), view.seen(variable)) else {
            return Vec::new();
        };
        let assigned = match action {
            Action::Assign { target, value } => assigned(part, value, target, &view),
            _ => None,
        };
        let all = cells_of(seen.block, first, part);
        let before = together(part, &cells[all.clone()]);
        let change = |&target: &NodeId| {
            let behind = together(part, &known.nodes[target].cells[all.clone()]);
            let change = before.zip(behind).map_or(ANYTHING, |(before, behind)| {
                let ends = (behind.0.saturating_sub(before.1), behind.1.saturating_sub(before.0));
                assigned.map_or(ends, |(low, high)| (ends.0.max(low), ends.1.min(high)))
            });
            (target, change)
        };
        step.targets.iter().map(change).collect()
    }

    /// The values of a cell before and after a move that writes its variable; `None` if the cell
    /// may hold something other than a number. Empty if the move does not write this cell.
    fn turns(&self, turning: &Turning<'_>, position: usize) -> Option<Vec<Turn>> {
        let Turning { context, node, step, .. } = *turning;
        let process_type = self.contexts[context].process_type;
        let statement = &self.program.types[process_type].edges[step.edge];
        let action = &statement.action;
        let cells = &self.contexts[context].nodes[node].cells;
        let held = &cells[position];
        let view = self.view(&self.contexts[context], cells);
        let certain = match action {
            Action::Assign { target, .. } => {
                let touched = view.touched(target);
                if !touched.cells.contains(&position) {
                    return Some(Vec::new());
                }
                touched.certain
            }
            _ => true,
        };
        let before = ends(held)?;
        // An assignment is cheap to execute, so it is executed for each value on its own.
        if let (Action::Assign { .. }, Some(values), true) = (action, held.numbers.values(), certain) {
            let mut turns = Vec::new();
            for &value in values {
                let mut one = cells.clone();
                one[position] = Rc::new(ValueSet::of(value).into());
                if let Some(behind) = self.behind(&self.executed(context, step.edge, &one), position) {
                    let behind = numbers(&behind)?;
                    turns.push(Turn { before: (value, value), behind, difference: None });
                }
            }
            return Some(turns);
        }
        let steps = turning.behind.get_or_init(|| self.executed(context, step.edge, cells));
        let Some(behind) = self.behind(steps, position) else { return Some(Vec::new()) };
        let behind = numbers(&behind)?;
        let difference = match action {
            Action::Assign { target, value } => difference(value, target, &view).map(|(least, most)| {
                // If another element may be written instead, the change may also be 0.
                if certain { (least, most) } else { (least.min(0), most.max(0)) }
            }),
            _ => None,
        };
        Some(vec![Turn { before, behind, difference }])
    }

    /// The values that a cell may hold after a statement, over all ways to execute it; `None` if it
    /// cannot be executed.
    fn behind(&self, steps: &[Step], position: usize) -> Option<Rc<Value>> {
        let held = steps.iter().map(|step| Rc::clone(&step.cells[position]));
        held.reduce(|one, other| Rc::new(one.join(&other, self.options.values)))
    }
}

/// The numbers of a value, if it contains no channels.
fn numbers(value: &Value) -> Option<ValueSet> {
    value.channels.is_empty().then(|| value.numbers.clone())
}

impl Turn {
    /// The interval by which the variable changes, if its value after the move is in `there`;
    /// `None` if that is impossible.
    fn change(&self, there: &ValueSet) -> Option<Ends> {
        let (low, high) = self.behind.meet(there, 1).bounds()?;
        let (least, most) = (low.saturating_sub(self.before.1), high.saturating_sub(self.before.0));
        match self.difference {
            Some((low, high)) => Some((least.max(low), most.min(high))),
            None => Some((least, most)),
        }
    }
}

/// The interval by which an assignment changes a quantity over all elements of an array, whichever
/// element it writes.
fn assigned(part: Part, value: &Expression, target: &Place, view: &View<'_>) -> Option<Ends> {
    let block = view.seen(target.variable)?.block;
    let (low, high) = part.ends(&view.read(target))?;
    let known = if part == Part::Sum { difference(value, target, view) } else { None };
    if block.counter.is_some() {
        return known;
    }
    let (least, most) = part.ends(&block.stored(&evaluate(value, view), view.limit))?;
    let change = (least.saturating_sub(high), most.saturating_sub(low));
    Some(known.map_or(change, |(low, high)| (change.0.max(low), change.1.min(high))))
}

/// The interval that an assignment adds to its target, if the value is a sum that contains the
/// target: both ends if the target occurs once and neither a subexpression nor the stored value
/// leaves the range of exact sums; otherwise only the ends that an overflow cannot affect.
fn difference(value: &Expression, target: &Place, view: &View<'_>) -> Option<Ends> {
    let block = view.seen(target.variable)?.block;
    if block.counter.is_some()
        && let Some(sum) = Sum::of(value, target, view)
    {
        return sum.change(view);
    }
    let (low, high) = ends(&evaluate(value, view))?;
    let fits = |ty: Type| ty.range().0 <= low && high <= ty.range().1;
    if fits(block.ty) && block.verified.is_none_or(fits) {
        return added(value, target, view);
    }
    if block.verified.is_none() { added_at_least_or_at_most(value, target, block.ty, view) } else { None }
}

/// The interval that is added to a variable, where the sum may leave its type: it has a least end
/// where the sum is never too large, and a greatest end where it is never too small.
/// `docs/soundness/abstraction.md` has the argument.
fn added_at_least_or_at_most(value: &Expression, target: &Place, ty: Type, view: &View<'_>) -> Option<Ends> {
    let is_read = |part: &Expression| matches!(part, Expression::Read(read) if read == target);
    let (held, other, sign) = match value {
        Expression::Binary(Binary::Add, left, right) if is_read(left) => (left, right, 1),
        Expression::Binary(Binary::Add, left, right) if is_read(right) => (right, left, 1),
        Expression::Binary(Binary::Subtract, left, right) if is_read(left) => (left, right, -1),
        _ => return None,
    };
    let (held, other) = (evaluate(held, view), evaluate(other, view));
    if !held.is_within_int() || !other.is_within_int() {
        return None;
    }
    let (one, two) = ends(&other).map(|(low, high)| (low * sign, high * sign))?;
    let (least, most) = (one.min(two), one.max(two));
    let (low, high) = ends(&held)?;
    let ((smallest, largest), int) = (ty.range(), Type::Int.range());
    if smallest < int.0 || int.1 < largest {
        return None;
    }
    let (never_too_small, never_too_large) = (smallest <= low + least, high + most <= largest);
    Some((if never_too_large { least } else { i64::MIN }, if never_too_small { most } else { i64::MAX }))
}

fn added(value: &Expression, target: &Place, view: &View<'_>) -> Option<Ends> {
    // Nothing is known about a sum beyond C's `int`.
    if !evaluate(value, view).is_within_int() {
        return None;
    }
    match value {
        Expression::Read(read) if read == target => Some((0, 0)),
        Expression::Binary(Binary::Add, left, right) => {
            let (rest, (low, high)) = match added(left, target, view) {
                Some(ends) => (right, ends),
                None => (left, added(right, target, view)?),
            };
            let rest = ends(&evaluate(rest, view))?;
            Some((low.checked_add(rest.0)?, high.checked_add(rest.1)?))
        }
        Expression::Binary(Binary::Subtract, left, right) => {
            let (low, high) = added(left, target, view)?;
            let rest = ends(&evaluate(right, view))?;
            Some((low.checked_sub(rest.1)?, high.checked_sub(rest.0)?))
        }
        _ => None,
    }
}
