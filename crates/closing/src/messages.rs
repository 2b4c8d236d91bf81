//! Messages of the environment: all there are, if they are few, or some that are likely to matter.

use std::collections::BTreeSet;

use cfsm_core::program::{Expression, Program, Type};

use crate::range::FieldRange;

/// Most messages that the environment names for one channel.
pub(crate) const MOST_MESSAGES: usize = 64;
/// Most values of a field that are named where not all of them are.
const MOST_VALUES: usize = 8;

/// The messages that the environment names for a channel.
pub(crate) struct Messages {
    /// The fields of each.
    pub(crate) named: Vec<Vec<i64>>,
    /// `true` if these are all messages that fit the channel.
    pub(crate) are_all: bool,
}

/// A field of the messages that the environment sends to a channel.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Field {
    pub(crate) ty: Type,
    /// The least value.
    pub(crate) least: i64,
    /// The greatest value.
    pub(crate) most: i64,
    /// `true` if an assumption limits the values.
    pub(crate) is_limited: bool,
}

impl Field {
    /// A field with all values of a type.
    pub(crate) fn of_type(ty: Type) -> Self {
        let (least, most) = ty.range();
        Self { ty, least, most, is_limited: false }
    }

    /// Keeps to a range, too.
    pub(crate) fn keep_to(&mut self, range: &FieldRange) {
        self.least = self.least.max(range.least);
        self.most = self.most.min(range.most);
        self.is_limited = true;
    }

    /// Returns `true` if it has no value.
    pub(crate) fn is_empty(&self, program: &Program) -> bool {
        let no_symbol = matches!(self.ty, Type::Symbol(_)) && self.symbols(program).is_empty();
        self.least > self.most || (self.is_limited && no_symbol)
    }

    fn has(&self, value: i64) -> bool {
        (self.least..=self.most).contains(&value)
    }

    /// The declared symbols of the field, by value.
    fn symbols(&self, program: &Program) -> BTreeSet<i64> {
        let Type::Symbol(set) = self.ty else { return BTreeSet::new() };
        let constants = program.symbols[set].constants.iter().map(|(_, value)| *value);
        constants.filter(|value| self.has(*value)).collect()
    }

    /// All values, if they are few. Of symbols these are the declared ones.
    fn all_values(&self, program: &Program) -> Option<Vec<i64>> {
        match self.ty {
            Type::Symbol(_) => {
                let values = self.symbols(program);
                (!values.is_empty() && values.len() <= MOST_MESSAGES).then(|| values.into_iter().collect())
            }
            Type::Channel => None,
            _ => {
                let most = if self.is_limited { MOST_MESSAGES } else { MOST_VALUES };
                let few = usize::try_from(self.most - self.least).is_ok_and(|more| more < most);
                few.then(|| (self.least..=self.most).collect())
            }
        }
    }

    /// The values that the program names, the ends of a range, and 0 and 1. No channel is named.
    fn some_values(&self, constants: &BTreeSet<i64>) -> Vec<i64> {
        if self.ty == Type::Channel {
            return vec![0];
        }
        let ends = [self.least, self.most].into_iter().filter(|_| self.is_limited);
        let known = [0, 1].into_iter().chain(ends).chain(constants.iter().copied());
        let mut values: Vec<i64> = Vec::new();
        for value in known.filter(|value| self.has(*value)) {
            if values.len() < MOST_VALUES && !values.contains(&value) {
                values.push(value);
            }
        }
        values
    }
}

/// The messages for a channel with these fields.
pub(crate) fn of_fields(program: &Program, fields: &[Field], constants: &BTreeSet<i64>) -> Messages {
    let all: Option<Vec<Vec<i64>>> = fields.iter().map(|field| field.all_values(program)).collect();
    let count = |values: &[Vec<i64>]| values.iter().map(Vec::len).fold(1, usize::saturating_mul);
    if let Some(all) = all.filter(|all| count(all) <= MOST_MESSAGES) {
        return Messages { named: product(&all), are_all: true };
    }
    let some = |field: &Field| field.all_values(program).unwrap_or_else(|| field.some_values(constants));
    let mut values: Vec<Vec<i64>> = fields.iter().map(some).collect();
    // The first fields mostly say of which kind a message is.
    for field in (0..values.len()).rev() {
        while count(&values) > MOST_MESSAGES && values[field].len() > 1 {
            values[field].pop();
        }
    }
    Messages { named: product(&values), are_all: false }
}

/// The constants that a program names.
pub(crate) fn constants(program: &Program) -> BTreeSet<i64> {
    let mut found = BTreeSet::new();
    for edge in program.types.values().flat_map(|process| process.edges.values()) {
        for expression in edge.action.expressions() {
            expression.any(&mut |part: &Expression| {
                found.extend(part.constant());
                false
            });
        }
    }
    found
}

fn product(values: &[Vec<i64>]) -> Vec<Vec<i64>> {
    let mut all = vec![Vec::new()];
    for values in values {
        let longer = |message: &Vec<i64>| {
            values.iter().map(|value| [message.as_slice(), &[*value]].concat()).collect::<Vec<_>>()
        };
        all = all.iter().flat_map(longer).collect();
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn messages(fields: &[Type], constants: &[i64]) -> Messages {
        let fields: Vec<Field> = fields.iter().map(|ty| Field::of_type(*ty)).collect();
        of_fields(&Program::default(), &fields, &constants.iter().copied().collect())
    }

    #[test]
    fn few_values_are_all_named_and_of_many_those_that_the_program_names() {
        let few = messages(&[Type::Bit, Type::Unsigned(2)], &[]);
        assert!(few.are_all);
        assert_eq!(few.named.len(), 8);
        let some = messages(&[Type::Byte, Type::Bit], &[-1, 7, 300]);
        assert!(!some.are_all);
        assert_eq!(some.named, [[0, 0], [0, 1], [1, 0], [1, 1], [7, 0], [7, 1]]);
        let wide = messages(&[Type::Int; 4], &Vec::from_iter(0..20));
        assert!(wide.named.len() <= MOST_MESSAGES && !wide.are_all);
    }

    #[test]
    fn of_a_range_all_values_are_named_or_its_ends() {
        let limited = |least, most| {
            let field = Field { least, most, is_limited: true, ..Field::of_type(Type::Int) };
            of_fields(&Program::default(), &[field], &BTreeSet::from([7, 99]))
        };
        let few = limited(3, 12);
        assert!(few.are_all);
        assert_eq!(few.named, Vec::from_iter((3..=12).map(|value| vec![value])));
        let many = limited(5, 90);
        assert!(!many.are_all);
        assert_eq!(many.named, [[5], [90], [7]]);
    }
}
