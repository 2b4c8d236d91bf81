//! Message types of one buffer: equivalence classes of messages (thesis 7.2.3, paper 000 section
//! 3.1).
//!
//! Two messages have the same type if the same receives may take them. Values are divided into
//! *cells*: every constant that some receive asks for in a field has a cell of its own, all other
//! values of the field share one. The receives that may take a message of a vector of cells are its
//! *signature*, and the message types are the signatures of the messages that are sent.

use std::collections::{BTreeMap, BTreeSet};

use cfsm_core::program::{ChannelShape, Program};

use crate::naming::{alternatives, constant_name, unique};
use crate::numbers::ValueSet;
use crate::traffic::Patterns;
use crate::values::Value;

/// A set of values of a field that are not distinguished.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Cell {
    /// One value.
    Constant(i64),
    /// All values without a cell of their own.
    Rest,
}

/// The constants that a receive accepts in each field; `None` if it accepts any value.
type Wanted = Vec<Option<Vec<i64>>>;

/// A message type.
#[derive(Clone, Debug)]
pub(crate) struct MessageClass {
    /// The receives that may take it: positions in the ordered set of all receives of the buffer.
    signature: Vec<usize>,
    /// The vectors of cells that it contains.
    vectors: BTreeSet<Vec<Cell>>,
}

/// The message types of a buffer.
#[derive(Clone, Debug)]
pub(crate) struct MessageTypes {
    /// Constants with a cell of their own, per field, ascending; `None` if the values of the field
    /// are not distinguished.
    told_apart: Vec<Option<Vec<i64>>>,
    wanted: Vec<Wanted>,
    /// The types, ordered by the first vector of each.
    pub(crate) types: Vec<MessageClass>,
    /// `true` if a limit made the types coarser than necessary.
    pub(crate) coarsened: bool,
}

/// Limits on the message types of a buffer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// Largest number of constants that are distinguished in a field.
    pub(crate) constants: usize,
    /// Largest number of vectors of cells of a send.
    pub(crate) vectors: usize,
}

/// Computes the message types of a buffer with `fields` fields from all receives from it and all
/// sends into it. Time `O(sends * vectors * receives)`.
pub(crate) fn identify(
    fields: usize,
    receives: &BTreeSet<Patterns>,
    sends: &[&[Value]],
    limits: Limits,
) -> MessageTypes {
    let Limits { constants, vectors } = limits;
    let mut told_apart: Vec<Option<Vec<i64>>> =
        (0..fields).map(|field| Some(constants_of(receives, field))).collect();
    let mut coarsened = false;
    for told in &mut told_apart {
        if told.as_ref().is_some_and(|told| told.len() > constants) {
            *told = None;
            coarsened = true;
        }
    }
    while let Some(field) = sends.iter().find_map(|send| too_fine(&told_apart, send, vectors)) {
        told_apart[field] = None;
        coarsened = true;
    }
    let wanted: BTreeSet<Wanted> = receives.iter().map(|receive| wanted(&told_apart, receive)).collect();
    let mut found =
        MessageTypes { told_apart, wanted: wanted.into_iter().collect(), types: Vec::new(), coarsened };
    let mut by_signature: BTreeMap<Vec<usize>, BTreeSet<Vec<Cell>>> = BTreeMap::new();
    for send in sends {
        for vector in found.vectors(send) {
            by_signature.entry(found.signature(&vector)).or_default().insert(vector);
        }
    }
    let types = by_signature.into_iter();
    found.types = types.map(|(signature, vectors)| MessageClass { signature, vectors }).collect();
    found.types.sort_by(|a, b| a.vectors.first().cmp(&b.vectors.first()));
    found
}

/// The constants that receives accept in a field.
fn constants_of(receives: &BTreeSet<Patterns>, field: usize) -> Vec<i64> {
    let sets = receives.iter().filter_map(|receive| constants(receive[field].as_ref()));
    let all: BTreeSet<i64> = sets.flatten().copied().collect();
    all.into_iter().collect()
}

/// The constants that a pattern accepts; `None` if they are unknown, so that it may match anything.
fn constants(pattern: Option<&Value>) -> Option<&[i64]> {
    match pattern {
        Some(Value { numbers: ValueSet::Only(values), channels }) if channels.is_empty() => Some(values),
        _ => None,
    }
}

/// The field with the most cells in a send, if the send has more than `limit` vectors.
fn too_fine(told_apart: &[Option<Vec<i64>>], send: &[Value], limit: usize) -> Option<usize> {
    let sizes: Vec<usize> =
        told_apart.iter().zip(send).map(|(told, field)| cells(told.as_deref(), field).len()).collect();
    let product = sizes.iter().fold(1_usize, |product, &size| product.saturating_mul(size));
    if product <= limit.max(1) {
        return None;
    }
    (0..sizes.len()).rev().max_by_key(|&field| sizes[field])
}

/// The cells that a field's value may lie in. A channel's number may be any but 0; to be safe it is
/// taken to lie in all cells.
fn cells(told: Option<&[i64]>, value: &Value) -> Vec<Cell> {
    let Some(told) = told else {
        return vec![Cell::Rest];
    };
    let numbers = value.as_numbers();
    let constants = told.iter().copied().filter(|&constant| numbers.contains(constant));
    let rest = match &numbers {
        ValueSet::Range(range) => {
            let told = told.iter().filter(|constant| range.contains(**constant)).count();
            range.count() > told as u128
        }
        ValueSet::Only(values) => values.iter().any(|value| told.binary_search(value).is_err()),
    };
    constants.map(Cell::Constant).chain(rest.then_some(Cell::Rest)).collect()
}

fn wanted(told_apart: &[Option<Vec<i64>>], receive: &Patterns) -> Wanted {
    let fields = told_apart.iter().zip(receive);
    fields
        .map(|(told, pattern)| told.as_ref().and_then(|_| constants(pattern.as_ref()).map(<[i64]>::to_vec)))
        .collect()
}

impl MessageTypes {
    /// The types of the messages that a send may produce, ascending.
    pub(crate) fn sent(&self, fields: &[Value]) -> Vec<usize> {
        let signatures: BTreeSet<Vec<usize>> =
            self.vectors(fields).iter().map(|vector| self.signature(vector)).collect();
        self.positions(|class| signatures.contains(&class.signature))
    }

    /// The types of the messages that a receive may take, ascending.
    pub(crate) fn received(&self, patterns: &Patterns) -> Vec<usize> {
        let wanted = wanted(&self.told_apart, patterns);
        match self.wanted.binary_search(&wanted) {
            Ok(position) => self.positions(|class| class.signature.contains(&position)),
            // The types were not built from this receive, so it may take all of them.
            Err(_) => self.positions(|_| true),
        }
    }

    /// Unique names of the types: constants of the fields joined by commas, `_` for values that are
    /// not distinguished; empty for the only type of a buffer, unless it is a single message.
    pub(crate) fn names(&self, program: &Program, shape: &ChannelShape) -> Vec<String> {
        let is_message = |vector: &Vec<Cell>| !vector.contains(&Cell::Rest);
        if let [only] = &self.types[..]
            && (only.vectors.len() > 1 || !only.vectors.iter().all(is_message))
        {
            return vec![String::new()];
        }
        let vector_name = |vector: &Vec<Cell>| {
            let fields = vector.iter().zip(&shape.fields);
            let names: Vec<String> = fields
                .map(|(cell, ty)| match cell {
                    Cell::Constant(value) => constant_name(program, *ty, *value),
                    Cell::Rest => "_".into(),
                })
                .collect();
            names.join(",")
        };
        let mut taken = BTreeSet::new();
        let classes = self.types.iter();
        classes.map(|class| unique(alternatives(class.vectors.iter().map(vector_name)), &mut taken)).collect()
    }

    fn positions(&self, holds: impl Fn(&MessageClass) -> bool) -> Vec<usize> {
        (0..self.types.len()).filter(|&position| holds(&self.types[position])).collect()
    }

    /// All vectors of cells that a send may produce.
    fn vectors(&self, send: &[Value]) -> Vec<Vec<Cell>> {
        let mut vectors = vec![Vec::new()];
        for (told, field) in self.told_apart.iter().zip(send) {
            let cells = cells(told.as_deref(), field);
            vectors = vectors
                .iter()
                .flat_map(|vector| {
                    cells.iter().map(|&cell| {
                        let mut longer = vector.clone();
                        longer.push(cell);
                        longer
                    })
                })
                .collect();
        }
        vectors
    }

    fn signature(&self, vector: &[Cell]) -> Vec<usize> {
        let takes = |wanted: &Wanted| {
            wanted.iter().zip(vector).all(|(wanted, cell)| match (wanted, cell) {
                (None, _) => true,
                (Some(_), Cell::Rest) => false,
                (Some(values), Cell::Constant(value)) => values.contains(value),
            })
        };
        (0..self.wanted.len()).filter(|&position| takes(&self.wanted[position])).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::channels::ObjectId;
    use cfsm_core::ids::Id;

    const LIMITS: Limits = Limits { constants: 64, vectors: 4096 };

    fn number(value: i64) -> Value {
        ValueSet::of(value).into()
    }

    fn asks(patterns: &[Option<i64>]) -> Patterns {
        patterns.iter().map(|pattern| pattern.map(number)).collect()
    }

    #[test]
    fn what_is_sent_decides_how_many_types_there_are() {
        let receives = BTreeSet::from([asks(&[Some(5), None]), asks(&[None, Some(1)])]);
        let all: &[Value] = &[Value::any(), ValueSet::truth().into()];
        let types = identify(2, &receives, &[all], LIMITS);
        assert_eq!(types.types.len(), 4);
        assert_eq!(types.sent(&[number(5), number(1)]).len(), 1);
        assert_eq!(types.received(&asks(&[Some(5), None])).len(), 2);
        let some: &[Value] = &[number(6), number(0)];
        assert_eq!(identify(2, &receives, &[some], LIMITS).types.len(), 1);
        assert_eq!(identify(2, &receives, &[], LIMITS).types.len(), 0);
    }

    #[test]
    fn messages_that_the_same_receives_take_are_one_type() {
        let either: Value = ValueSet::Only([1, 2].into_iter().collect()).into();
        let receives = BTreeSet::from([vec![Some(either)]]);
        let [one, two, three] = [1, 2, 3].map(|value| [number(value)]);
        let types = identify(1, &receives, &[&one, &two, &three], LIMITS);
        assert_eq!(types.types.len(), 2);
        assert_eq!(types.sent(&one), types.sent(&two));
        assert_ne!(types.sent(&one), types.sent(&three));
    }

    #[test]
    fn a_channel_may_lie_in_every_cell() {
        let receives = BTreeSet::from([asks(&[Some(3)])]);
        let channel = [Value::channel(ObjectId::new(0))];
        let types = identify(1, &receives, &[&channel], LIMITS);
        assert_eq!(types.sent(&channel).len(), 2);
    }

    #[test]
    fn a_field_with_too_many_cells_is_not_looked_at() {
        let receives: BTreeSet<Patterns> = (0..3).map(|value| asks(&[Some(value), Some(7)])).collect();
        let send = [Value::any(), Value::any()];
        let exact = identify(2, &receives, &[&send], Limits { constants: 3, vectors: 8 });
        assert!(!exact.coarsened);
        assert_eq!(exact.types.len(), 4);
        let coarse = identify(2, &receives, &[&send], Limits { constants: 3, vectors: 7 });
        assert!(coarse.coarsened);
        // Only whether the second field is 7 is left, and each receive may take all with a 7.
        assert_eq!(coarse.types.len(), 2);
        for receive in &receives {
            assert_eq!(coarse.received(receive).len(), 1);
        }
    }
}
