//! Data places that a certificate rests on: proved from what statements do, where that is possible.

use std::collections::{BTreeMap, BTreeSet};

use abstraction::{Abstraction, Declared, Part, Quantity, Tracked};
use certify::{Certificate, Claim, Values};
use cfsm_core::deadline::Deadline;
use cfsm_core::ids::Id;
use cfsm_core::program::{Program, VariableRef};
use cfsm_core::system::{ClassId, DataId, StateId, System, Transition};
use ranking::{Distance, Machine, Valuation, Wanted, prove};

use crate::Property;
use crate::refinement::Refinement;

impl<O> Refinement<O> {
    /// The same, with proofs in the certificate of those data places that it rests on for which one
    /// is found: the others stay among what is trusted. A proof for each class of the system, as
    /// [`prove`] has it.
    #[must_use]
    pub fn with_values<P: Property<Outcome = O>>(
        mut self,
        program: &Program,
        property: &P,
        deadline: Deadline,
    ) -> Self {
        let Some(certificate) = property.certificate(&mut self.outcome) else { return self };
        let named = certificate.claims.iter().flat_map(Claim::data_places).map(str::to_owned).collect();
        let values = values_of(program, &self.abstraction, &named, deadline);
        if values.is_empty() {
            return self;
        }
        let system = &self.abstraction.system;
        // What the kernel does not accept is a mistake of this search, and nothing rests on it.
        if let Ok(more) = certify::check(system, Certificate::new(system, []).with_values(values)) {
            *certificate = certificate.clone().and(more);
        }
        self
    }
}

/// Proofs of data places of an abstraction, given by their names, as far as they are found: one for
/// each class of the system, as [`prove`] has it. Rooms and assumptions are none that could have
/// one.
#[must_use]
pub fn values_of(
    program: &Program,
    abstraction: &Abstraction,
    names: &BTreeSet<String>,
    deadline: Deadline,
) -> Vec<Values> {
    let system = &abstraction.system;
    let is_wanted = |id: &DataId| {
        let place = &system.data[*id];
        names.contains(&place.name) && place.room_of.is_none() && !place.is_assumed
    };
    let mut of_classes: BTreeMap<ClassId, Vec<Wanted>> = BTreeMap::new();
    for place in system.data.ids().filter(is_wanted) {
        let quantity = (place.index() < abstraction.quantities.len()).then(|| &abstraction.quantities[place]);
        let wanted = match quantity {
            Some(quantity) => distance(program, quantity).map(|of| Wanted { place, distance: Some(of) }),
            None if abstraction.precision.budgets.is_empty() => None,
            None => Some(Wanted { place, distance: None }),
        };
        let class = quantity.and_then(|quantity| quantity.class).or_else(|| lowering(system, place));
        if let (Some(wanted), Some(class)) = (wanted, class) {
            of_classes.entry(class).or_default().push(wanted);
        }
    }
    let of = |class: Option<ClassId>, wanted: &[Wanted]| found(program, abstraction, class, wanted, deadline);
    let own = of_classes.iter().filter_map(|(class, wanted)| of(Some(*class), wanted));
    let mut values: Vec<Values> = own.collect();
    let proved: BTreeSet<String> =
        values.iter().flat_map(|values| &values.places).map(|place| place.place.clone()).collect();
    // Globals that several classes write, or that are there before their only writer is.
    let is_left = |wanted: &&Wanted| {
        let is_global = |of: &Distance| matches!(of.variable, VariableRef::Global(_));
        wanted.distance.as_ref().is_some_and(is_global) && !proved.contains(&system.data[wanted.place].name)
    };
    let left: Vec<Wanted> = of_classes.values().flatten().filter(is_left).cloned().collect();
    values.extend(if left.is_empty() { None } else { of(None, &left) });
    values
}

/// The class that lowers a data place.
fn lowering(system: &System, place: DataId) -> Option<ClassId> {
    let lowers = |transition: &Transition| {
        transition.data.iter().any(|change| change.place == place && change.change < 0)
    };
    let lowering = system.transitions.iter().find(|(_, transition)| lowers(transition));
    lowering.map(|(id, _)| system.class_of(id))
}

/// The distance of a scalar from an end that a quantity is; `None` for other quantities.
fn distance(program: &Program, quantity: &Quantity) -> Option<Distance> {
    let Quantity { variable, part, falling, end, ends, .. } = quantity;
    let is_scalar = match variable {
        VariableRef::Global(global) => program.globals[*global].length.is_none(),
        VariableRef::Local(_) => true,
    };
    let is_scalar = is_scalar && *part == Part::Element(0);
    let distance = Distance { variable: *variable, falling: *falling, ends: ends.clone(), end: *end };
    is_scalar.then_some(distance)
}

fn found(
    program: &Program,
    abstraction: &Abstraction,
    class: Option<ClassId>,
    wanted: &[Wanted],
    deadline: Deadline,
) -> Option<Values> {
    let Abstraction { system, process_types, locations, statements, .. } = abstraction;
    if class.is_some_and(|class| class.index() >= process_types.len()) {
        return None;
    }
    let values = |state: StateId| -> Vec<Valuation> {
        let whole = |(tracked, _): &(&Tracked, &i64)| tracked.element.is_none() && tracked.selected.is_none();
        let known = abstraction.values[state].iter().filter(whole);
        known.map(|(tracked, value)| Valuation { variable: tracked.variable, value: *value }).collect()
    };
    let own = |(&(owner, variable), &(least, greatest)): (&Declared, &(i64, i64))| {
        let variable = match owner {
            None => VariableRef::Global(variable),
            Some(owner) if class.is_some_and(|class| process_types[class] == owner) => {
                VariableRef::Local(variable)
            }
            Some(_) => return None,
        };
        Some((variable, least..greatest.saturating_add(1)))
    };
    let counters = abstraction.precision.counters.iter().filter_map(own).collect();
    let (values, counters) = (&values, &counters);
    let machine =
        Machine { program, system, process_types, locations, class, statements, values, counters, deadline };
    prove(&machine, wanted)
}
