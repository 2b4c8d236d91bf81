//! Messages of the environment: all there are, if they are few, or some that are likely to matter.

use std::collections::BTreeSet;

use cfsm_core::program::{Expression, Program, Type};

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

/// The messages for a channel with fields of these types.
pub(crate) fn of_fields(program: &Program, fields: &[Type], constants: &BTreeSet<i64>) -> Messages {
    let all: Option<Vec<Vec<i64>>> = fields.iter().map(|ty| all_values(program, *ty)).collect();
    let count = |values: &[Vec<i64>]| values.iter().map(Vec::len).fold(1, usize::saturating_mul);
    if let Some(all) = all.filter(|all| count(all) <= MOST_MESSAGES) {
        return Messages { named: product(&all), are_all: true };
    }
    let some = |ty: &Type| all_values(program, *ty).unwrap_or_else(|| some_values(*ty, constants));
    let mut values: Vec<Vec<i64>> = fields.iter().map(some).collect();
    // The first fields mostly say of which kind a message is.
    for field in (0..values.len()).rev() {
        while count(&values) > MOST_MESSAGES && values[field].len() > 1 {
            values[field].pop();
        }
    }
    Messages { named: product(&values), are_all: false }
}

/// All values of a type, if they are few. Of symbols these are the declared ones.
fn all_values(program: &Program, ty: Type) -> Option<Vec<i64>> {
    match ty {
        Type::Symbol(set) => {
            let constants = &program.symbols[set].constants;
            let values: BTreeSet<i64> = constants.iter().map(|(_, value)| *value).collect();
            (!values.is_empty() && values.len() <= MOST_MESSAGES).then(|| values.into_iter().collect())
        }
        Type::Channel => None,
        ty => {
            let (least, most) = ty.range();
            let few = usize::try_from(most - least).is_ok_and(|more| more < MOST_VALUES);
            few.then(|| (least..=most).collect())
        }
    }
}

/// The values of a type that the program names, and 0 and 1. No channel is named.
fn some_values(ty: Type, constants: &BTreeSet<i64>) -> Vec<i64> {
    if ty == Type::Channel {
        return vec![0];
    }
    let (least, most) = ty.range();
    let known = [0, 1].into_iter().chain(constants.iter().copied());
    let mut values: Vec<i64> = Vec::new();
    for value in known.filter(|value| (least..=most).contains(value)) {
        if values.len() < MOST_VALUES && !values.contains(&value) {
            values.push(value);
        }
    }
    values
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

    #[test]
    fn few_values_are_all_named_and_of_many_those_that_the_program_names() {
        let program = Program::default();
        let few = of_fields(&program, &[Type::Bit, Type::Unsigned(2)], &BTreeSet::new());
        assert!(few.are_all);
        assert_eq!(few.named.len(), 8);
        let some = of_fields(&program, &[Type::Byte, Type::Bit], &BTreeSet::from([-1, 7, 300]));
        assert!(!some.are_all);
        assert_eq!(some.named, [[0, 0], [0, 1], [1, 0], [1, 1], [7, 0], [7, 1]]);
        let wide = of_fields(&program, &[Type::Int; 4], &(0..20).collect());
        assert!(wide.named.len() <= MOST_MESSAGES && !wide.are_all);
    }
}
