//! What a step does to the quantities that data places measure.

use std::collections::BTreeMap;

use abstraction::{Abstraction, Part, Quantity};
use cfsm_core::program::{Binary, Expression, Place, VariableRef};
use cfsm_core::system::{DataId, StateId, TransitionId};
use explore::{Semantics, State};

/// The states before and behind a step.
#[derive(Clone, Copy, Debug)]
pub struct Measure<'a> {
    /// The abstract system.
    pub abstraction: &'a Abstraction,
    /// The semantics.
    pub semantics: &'a Semantics,
    /// The state before the step.
    pub before: &'a State,
    /// The state behind it.
    pub after: &'a State,
}

/// What a process has of a quantity of its class, or what there is of one of a global.
fn amount(
    (abstraction, semantics): (&Abstraction, &Semantics),
    quantity: &Quantity,
    state: &State,
    process: usize,
    place: StateId,
) -> Option<i64> {
    let held = |variable: VariableRef| {
        let element = |element: usize| match variable {
            VariableRef::Global(id) => semantics.global(state, id, element),
            VariableRef::Local(id) => semantics.local(state, process, id, element),
        };
        element(0)?;
        Some((0..).map_while(element).collect::<Vec<i64>>())
    };
    let all = held(quantity.variable)?;
    let value = match quantity.part {
        Part::Slots(slots) => {
            let scalar = |variable: VariableRef| held(variable).map(|held| held[0]);
            let open = quantity.open.get(&abstraction.locations[place].1);
            let open = open.map(|index| index_at(index, &scalar).expect("an index of scalars"));
            let open = open.map(|slot| usize::try_from(slot).expect("it has just been written"));
            slots.of(&all, &held(VariableRef::Local(slots.beside))?, open)
        }
        part => part.of(&all)?,
    };
    Some(quantity.of(value, place))
}

/// What an index comes to that is computed of scalars, as those of elements of arrays in records
/// are.
fn index_at(index: &Expression, scalar: &impl Fn(VariableRef) -> Option<i64>) -> Option<i64> {
    let at = |part: &Expression| index_at(part, scalar);
    Some(match index {
        Expression::Constant(number) => *number,
        Expression::Read(Place { variable, index: None }) => scalar(*variable)?,
        Expression::Conditional(which, one, other) => at(if at(which)? == 0 { other } else { one })?,
        Expression::Binary(Binary::Add, one, other) => at(one)? + at(other)?,
        Expression::Binary(Binary::Subtract, one, other) => at(one)? - at(other)?,
        Expression::Binary(Binary::Multiply, one, other) => at(one)? * at(other)?,
        Expression::Binary(Binary::Less, one, other) => i64::from(at(one)? < at(other)?),
        Expression::Binary(Binary::GreaterEqual, one, other) => i64::from(at(one)? >= at(other)?),
        Expression::Binary(Binary::And, one, other) => i64::from(at(one)? != 0 && at(other)? != 0),
        _ => return None,
    })
}

impl Measure<'_> {
    /// Whether a transition is honest about what a process did: no quantity has grown by more than
    /// it says. Of a rendezvous the sender leaves globals as they are (`globals` is false).
    #[must_use]
    pub fn allows(&self, id: TransitionId, process: usize, created: Option<usize>, globals: bool) -> bool {
        let Self { abstraction, semantics, before, after } = self;
        let system = &abstraction.system;
        let transition = &system.transitions[id];
        let class = system.class_of(id);
        let said: BTreeMap<DataId, i64> =
            transition.data.iter().map(|data| (data.place, data.change)).collect();
        abstraction.quantities.iter().all(|(data, quantity)| {
            if quantity.class.is_none() && !globals {
                return true;
            }
            let mut grown = 0;
            if quantity.class.is_none_or(|owner| owner == class) {
                let (from, to) = (transition.source, transition.target);
                let was = amount((abstraction, semantics), quantity, before, process, from);
                let is = amount((abstraction, semantics), quantity, after, process, to);
                grown += is.zip(was).map_or(0, |(is, was)| is - was);
            }
            for &of in transition.creates.iter().filter(|of| quantity.class == Some(**of)) {
                let initial = system.classes[of].initial;
                let brought = created
                    .and_then(|created| amount((abstraction, semantics), quantity, after, created, initial));
                grown += brought.unwrap_or(0);
            }
            grown <= said.get(&data).copied().unwrap_or(0)
        })
    }
}

/// Whether a process may be at a state, as far as what it has of the quantities goes: never less
/// than nothing.
#[must_use]
pub fn may_be_at(
    abstraction: &Abstraction,
    semantics: &Semantics,
    state: &State,
    process: usize,
    at: StateId,
) -> bool {
    let class = abstraction.system.states[at].class;
    abstraction.quantities.values().into_iter().all(|quantity| {
        quantity.class.is_some_and(|owner| owner != class)
            || amount((abstraction, semantics), quantity, state, process, at).is_none_or(|amount| amount >= 0)
    })
}

/// Whether the start has no more of a quantity than the system says: of globals, and of types with
/// one class.
///
/// # Errors
/// Which quantity there is more of.
pub fn check_start(abstraction: &Abstraction, semantics: &Semantics, start: &State) -> Result<(), String> {
    let Abstraction { system, quantities, process_types, .. } = abstraction;
    for (data, quantity) in quantities.iter() {
        let amount = match quantity.class {
            None => {
                amount((abstraction, semantics), quantity, start, 0, cfsm_core::ids::Id::new(0)).unwrap_or(0)
            }
            Some(class) => {
                let ty = process_types[class];
                if process_types.values().filter(|other| **other == ty).count() > 1 {
                    continue;
                }
                let initial = system.classes[class].initial;
                let of_type = start.processes().filter(|process| process.process_type == ty);
                of_type
                    .filter_map(|one| amount((abstraction, semantics), quantity, start, one.number, initial))
                    .sum()
            }
        };
        let said = &system.data[data];
        if i128::from(amount) > i128::from(said.initial) {
            return Err(format!("there is {amount} of `{}` at the start, not {}", said.name, said.initial));
        }
    }
    Ok(())
}
