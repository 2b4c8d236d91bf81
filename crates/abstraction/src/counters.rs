//! Counters: variables to which small numbers are added, assumed to stay within a range.
//!
//! A sum that is stored in a counter is not cut to the type: it is exact, or, where it leaves the
//! range, the step is removed. So the system has the runs in which no counter ever leaves its
//! range, and the prefixes of other runs up to the first step that does. Whoever asks for counters
//! has to prove that there are no other runs: `docs/soundness/abstraction.md`, *Counters*.

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

/// A declared variable: a global, or a local of a process type; an array with all its elements.
pub type Declared = (Option<ProcessTypeId>, VariableId);

/// Maps each counter to the least and the greatest number that it holds.
pub type Counters = BTreeMap<Declared, (i64, i64)>;

/// The range of a counter before anything is known about it: the range of C's `int`.
pub const UNKNOWN_RANGE: (i64, i64) = (i32::MIN as i64, i32::MAX as i64);

/// Largest absolute value that is added to a counter in one step.
const STEP: i64 = 1 << 16;

/// Bounds on the values of a counter in the processes of a class; or of one element, if it is an
/// array.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Extent {
    /// The counter.
    pub counter: Declared,
    /// The least and the greatest value according to the analysis.
    pub ends: (i64, i64),
    /// The data place that measures the distance from the least value, if there is one.
    pub rising: Option<DataId>,
    /// The data place that measures the distance to the greatest value, if there is one.
    pub falling: Option<DataId>,
}

/// Returns `true` if a variable whose unbounded values stay within the range never leaves its type,
/// and never comes so near to the ends of C's `int` that the next sum could leave them.
#[must_use]
pub fn keeps_its_type(program: &Program, counter: Declared, least: i64, most: i64) -> bool {
    let (low, high) = declared(program, counter).ty.range();
    let (first, last) = UNKNOWN_RANGE;
    low.max(first + STEP) <= least && least <= most && most <= high.min(last - STEP)
}

/// The declaration of a variable.
pub(crate) fn declared(program: &Program, (owner, variable): Declared) -> &Variable {
    match owner {
        None => &program.globals[variable],
        Some(owner) => &program.types[owner].locals[variable],
    }
}

/// The addend of an assignment of the form `x = x + e` or `x = x - e`, where `e` is small.
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

    /// The least and the greatest value that is added (any number, if `other` may be a channel's);
    /// `None` if there is none.
    pub(crate) fn change(self, view: &View<'_>) -> Option<(i64, i64)> {
        let (low, high) = evaluate(self.other, view).as_numbers().bounds()?;
        let (one, two) = (low.saturating_mul(self.sign), high.saturating_mul(self.sign));
        Some((one.min(two), one.max(two)))
    }
}

/// Returns `true` if the absolute value of an expression is at most [`STEP`] in every state.
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

/// The value of a counter after a sum is stored in it; `None` if the target is not a counter, or
/// the value is not such a sum.
pub(crate) fn counted(target: &Place, value: &Expression, view: &View<'_>) -> Option<Value> {
    let block = view.seen(target.variable)?.block;
    let (least, most) = block.counter?;
    let sum = Sum::of(value, target, view)?;
    let held = view.read(target).as_numbers();
    let Some((low, high)) = held.bounds() else { return Some(Value::empty()) };
    let Some((down, up)) = sum.change(view) else { return Some(Value::empty()) };
    let operator = if sum.sign > 0 { Binary::Add } else { Binary::Subtract };
    let exact = arithmetic::binary(operator, &held, &evaluate(sum.other, view).as_numbers(), view.limit);
    // A value beyond C's `int` is unknown, but it is outside of the counter's range anyway.
    let (first, last) = UNKNOWN_RANGE;
    let all = match exact.bounds() {
        Some((low, high)) if first <= low && high <= last => exact,
        _ => ValueSet::between(low.saturating_add(down), high.saturating_add(up), view.limit),
    };
    Some(all.meet(&ValueSet::between(least, most, 0), view.limit).into())
}

/// The variables that could be counters and whose sums may leave their types, according to the
/// value sets. Time linear in the moves.
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

/// The range of a variable's type, if the variable can be a counter: the range lies within C's
/// `int`, and every store converts to the same type.
fn countable(variable: &Variable) -> Option<(i64, i64)> {
    let counts = match variable.ty {
        Type::Byte | Type::Short | Type::Int | Type::Pid => true,
        Type::Unsigned(bits) => (2..32).contains(&bits),
        Type::Bit | Type::Symbol(_) | Type::Channel => false,
    };
    (counts && variable.stored_type() == variable.ty).then(|| variable.ty.range())
}
