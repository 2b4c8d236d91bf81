//! Counters: variables that small numbers are added to, of which it is taken for granted that they
//! keep to a range.
//!
//! A sum that is stored in a counter is not cut to the type: it is what it is, or, where it leaves
//! the range, the step is left out. So the system has the runs in which no counter ever leaves its
//! range, and of others all that comes before. Who asks for counters has to show that there are no
//! others: `docs/soundness/abstraction.md`, *Counters*.

use std::collections::{BTreeMap, BTreeSet};

use cfsm_core::program::{
    Action, Binary, Expression, Place, ProcessTypeId, Program, Type, Variable, VariableId, VariableRef,
};
use cfsm_core::system::DataId;

use crate::analysis::Analysis;
use crate::arithmetic;
use crate::evaluate::{View, evaluate};
use crate::numbers::ValueSet;
use crate::values::Value;

/// A variable as it is declared: a global, or a local of a type of processes. All its elements, if
/// it is an array.
pub type Declared = (Option<ProcessTypeId>, VariableId);

/// Counters, each with the least and the greatest number that it holds.
pub type Counters = BTreeMap<Declared, (i64, i64)>;

/// What a counter of which nothing is known yet keeps to: what C's `int` holds.
pub const UNKNOWN_RANGE: (i64, i64) = (i32::MIN as i64, i32::MAX as i64);

/// What is added to a counter at a time, at most.
const STEP: i64 = 1 << 16;

/// What is known of the numbers that a counter holds in the processes of a class; or of one
/// element, if it is an array.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Extent {
    /// The counter.
    pub counter: Declared,
    /// The least number that the sets have, and the greatest one.
    pub ends: (i64, i64),
    /// The data place of how far it is above the least one, if there is one.
    pub rising: Option<DataId>,
    /// The data place of how far it is below the greatest one, if there is one.
    pub falling: Option<DataId>,
}

/// Whether a variable that holds no other numbers than these, with sums as they are, never holds
/// another than its type allows, nor comes so near to the ends of C's `int` that the next sum could
/// leave them.
#[must_use]
pub fn keeps_its_type(program: &Program, counter: Declared, (least, most): (i64, i64)) -> bool {
    let (low, high) = declared(program, counter).ty.range();
    let (first, last) = UNKNOWN_RANGE;
    low.max(first + STEP) <= least && least <= most && most <= high.min(last - STEP)
}

/// What a variable is declared as.
pub(crate) fn declared(program: &Program, (owner, variable): Declared) -> &Variable {
    match owner {
        None => &program.globals[variable],
        Some(owner) => &program.types[owner].locals[variable],
    }
}

/// What is added to a variable that an assignment writes; if it is a sum of the variable and
/// something small.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sum<'a> {
    other: &'a Expression,
    sign: i64,
}

impl<'a> Sum<'a> {
    pub(crate) fn of(value: &'a Expression, target: &Place, view: &View<'_>) -> Option<Self> {
        let is_held = |part: &Expression| matches!(part, Expression::Read(read) if read == target);
        let (other, sign) = match value {
            Expression::Binary(Binary::Add, held, other) if is_held(held) => (other, 1),
            Expression::Binary(Binary::Add, other, held) if is_held(held) => (other, 1),
            Expression::Binary(Binary::Subtract, held, other) if is_held(held) => (other, -1),
            _ => return None,
        };
        is_small(other, view).then_some(Self { other, sign })
    }

    /// The least and the greatest number that is added, which may be any if it is that of a
    /// channel; `None` if there is none.
    pub(crate) fn change(self, view: &View<'_>) -> Option<(i64, i64)> {
        let (low, high) = evaluate(self.other, view).as_numbers().bounds()?;
        let (one, two) = (low.saturating_mul(self.sign), high.saturating_mul(self.sign));
        Some((one.min(two), one.max(two)))
    }
}

/// Whether something is not above [`STEP`] wherever a run has come to.
fn is_small(other: &Expression, view: &View<'_>) -> bool {
    match other {
        Expression::Constant(value) => (-STEP..=STEP).contains(value),
        Expression::Read(place) => view.seen(place.variable).is_some_and(|seen| match seen.block.ty {
            Type::Bit | Type::Byte | Type::Short | Type::Pid => true,
            Type::Unsigned(bits) => bits <= 16,
            Type::Int | Type::Symbol(_) | Type::Channel => false,
        }),
        _ => false,
    }
}

/// What a counter holds once a sum is stored in it; `None` if what is written is no counter, or no
/// such sum.
pub(crate) fn counted(target: &Place, value: &Expression, view: &View<'_>) -> Option<Value> {
    let block = view.seen(target.variable)?.block;
    let (least, most) = block.counter?;
    let sum = Sum::of(value, target, view)?;
    let held = view.read(target).as_numbers();
    let Some((low, high)) = held.bounds() else { return Some(Value::empty()) };
    let Some((down, up)) = sum.change(view) else { return Some(Value::empty()) };
    let operator = if sum.sign > 0 { Binary::Add } else { Binary::Subtract };
    let exact = arithmetic::binary(operator, &held, &evaluate(sum.other, view).as_numbers(), view.limit);
    // Whatever leaves C's `int` is not known any more, but it is no number that is kept.
    let (first, last) = UNKNOWN_RANGE;
    let all = match exact.bounds() {
        Some((low, high)) if first <= low && high <= last => exact,
        _ => ValueSet::between(low.saturating_add(down), high.saturating_add(up), view.limit),
    };
    Some(all.meet(&ValueSet::between(least, most, 0), view.limit).into())
}

/// The variables that could be counters and that sums may make leave their types, as far as the
/// sets go. Time linear in the moves.
pub(crate) fn wrapping(analysis: &Analysis<'_>) -> BTreeSet<Declared> {
    let mut wrapping = BTreeSet::new();
    for context in analysis.contexts.values() {
        let process = &analysis.program.types[context.process_type];
        let live = context.live();
        for (_, node) in context.nodes.iter().filter(|(id, _)| live[*id]) {
            let view = analysis.view(context, &node.cells);
            for step in &node.moves {
                let Action::Assign { target, value } = &process.edges[step.edge].action else { continue };
                let counter = match target.variable {
                    VariableRef::Global(id) => (None, id),
                    VariableRef::Local(id) => (Some(context.process_type), id),
                };
                let Some(range) = countable(declared(analysis.program, counter)) else { continue };
                if view.seen(target.variable).is_none_or(|seen| seen.block.counted().is_none()) {
                    continue;
                }
                let fits = |(low, high): (i64, i64)| range.0 <= low && high <= range.1;
                if Sum::of(value, target, &view).is_some()
                    && !evaluate(value, &view).numbers.bounds().is_none_or(fits)
                {
                    wrapping.insert(counter);
                }
            }
        }
    }
    wrapping
}

/// The range of a variable's type, if it can be a counter: C's `int` holds all of it, and everybody
/// stores it in the same way.
fn countable(variable: &Variable) -> Option<(i64, i64)> {
    let counts = match variable.ty {
        Type::Byte | Type::Short | Type::Int | Type::Pid => true,
        Type::Unsigned(bits) => (2..32).contains(&bits),
        Type::Bit | Type::Symbol(_) | Type::Channel => false,
    };
    (counts && variable.stored_type() == variable.ty).then(|| variable.ty.range())
}
