//! Data places proved from statements: what the proofs list is held against runs.

use std::collections::{BTreeMap, BTreeSet};

use abstraction::{Abstraction, Options, Precision, abstract_program};
use certify::{Certificate, Quantity, Range, Sum, Values, Way, check};
use cfsm_core::deadline::Deadline;
use cfsm_core::ids::Id;
use cfsm_core::program::{EdgeId, ProcessTypeId, Program, VariableId};
use cfsm_core::splitmix::SplitMix;
use cfsm_core::system::{ClassId, StateId, TransitionId};
use explore::{Buffers, Claims, Semantics, State, Step};
use integration_tests::capacity_programs::with_unequal_capacities;
use integration_tests::counter_programs::counter_program;
use integration_tests::data_programs::data_program;
use integration_tests::difference_programs::difference_program;
use integration_tests::wrapping_programs::wrapping_program;
use integration_tests::{given, say, short_or_long};
use num_bigint::BigInt;

/// Steps of a run.
const STEPS: usize = 300;

/// Proofs about one class, with what they name.
struct Listed<'a> {
    abstraction: &'a Abstraction,
    program: &'a Program,
    values: Values,
    class: ClassId,
}

/// The values of variables by their names.
type Held = BTreeMap<String, BigInt>;

/// The least and the greatest value of a sum, where names without a value have all of a range.
fn ends(sum: &Sum, held: &Held, unknown: &BTreeMap<&str, &Range>) -> [BigInt; 2] {
    let mut ends = [sum.constant.clone(), sum.constant.clone()];
    for (name, factor) in &sum.terms {
        let at = match held.get(name) {
            Some(value) => [value.clone(), value.clone()],
            None => [unknown[name.as_str()].least.clone(), unknown[name.as_str()].greatest.clone()],
        };
        let [one, other] = at.map(|value| factor * value);
        ends[0] += one.clone().min(other.clone());
        ends[1] += one.max(other);
    }
    ends
}

fn exactly(sum: &Sum, held: &Held) -> BigInt {
    ends(sum, held, &BTreeMap::new())[0].clone()
}

impl Listed<'_> {
    fn state(&self, id: StateId) -> String {
        self.abstraction.system.state_name(id)
    }

    /// The values of the variables of a process.
    fn held(&self, semantics: &Semantics, state: &State, process: usize, ty: ProcessTypeId) -> Option<Held> {
        let value = |name: &String| {
            let declared = name.split('#').next()?;
            let locals = &self.program.types[ty].locals;
            let local = |id: &VariableId| locals[*id].name == declared;
            let globals = &self.program.globals;
            match locals.ids().find(local) {
                Some(id) => semantics.local(state, process, id, 0),
                None => {
                    let id = globals.ids().find(|id| globals[*id].name == declared)?;
                    semantics.global(state, id, 0)
                }
            }
        };
        let names = self.values.variables.iter().map(|variable| &variable.name);
        names.map(|name| Some((name.clone(), value(name)?.into()))).collect()
    }

    fn satisfies(&self, state: StateId, held: &Held) -> bool {
        let name = self.state(state);
        let own = self.values.invariants.iter().filter(|invariant| invariant.state == name);
        let zero = BigInt::from(0);
        let sums = own.flat_map(|invariant| &invariant.sums);
        let amount = |Quantity { amounts, .. }: &Quantity| {
            amounts.iter().filter(|amount| amount.state == name).all(|one| exactly(&one.sum, held) >= zero)
        };
        sums.into_iter().all(|sum| exactly(sum, held) >= zero) && self.values.places.iter().all(amount)
    }

    /// Returns `true` if a way may lead from some values to others: with some values of what is not
    /// known, condition by condition.
    fn leads(&self, way: &Way, before: &Held, after: &Held) -> bool {
        let zero = BigInt::from(0);
        let unknown = way.unknown.iter().map(|variable| (variable.name.as_str(), &variable.range)).collect();
        let holds = |sum: &Sum| ends(sum, before, &unknown)[1] >= zero;
        let reaches = |(name, value): (&String, &BigInt)| {
            let changed = way.changed.iter().find(|changed| changed.variable == *name);
            changed.map_or(before[name] == *value, |changed| {
                let [least, most] = ends(&changed.behind, before, &unknown);
                least <= *value && *value <= most
            })
        };
        way.conditions.iter().all(holds) && after.iter().all(reaches)
    }

    /// Returns `true` if a transition changes the data places by what it allows.
    fn allows(&self, id: TransitionId, before: &Held, after: &Held) -> bool {
        let system = &self.abstraction.system;
        let transition = &system.transitions[id];
        self.values.places.iter().all(|Quantity { place, denominator, amounts }| {
            let amount = |state: StateId, held: &Held| {
                let found = amounts.iter().find(|amount| amount.state == self.state(state));
                found.map_or_else(BigInt::default, |amount| exactly(&amount.sum, held))
            };
            let change = transition.data.iter().find(|change| system.data[change.place].name == *place);
            let grown = amount(transition.target, after) - amount(transition.source, before);
            grown <= denominator * change.map_or(0, |change| change.change)
        })
    }

    /// Returns `true` if a statement is one of a transition of the class that leads from where the
    /// process is to where it gets, in one of the ways that are listed, as far as values tell.
    fn has(&self, (ty, edge): (ProcessTypeId, EdgeId), before: &Held, after: &Held) -> bool {
        let Abstraction { system, statements, .. } = self.abstraction;
        self.values.steps.iter().any(|step| {
            let id = TransitionId::new(step.transition);
            let transition = &system.transitions[id];
            statements[id].contains(&(ty, edge))
                && self.satisfies(transition.source, before)
                && self.satisfies(transition.target, after)
                && self.allows(id, before, after)
                && step.ways.iter().any(|way| self.leads(way, before, after))
        })
    }
}

fn listed<'a>(program: &'a Program, abstraction: &'a Abstraction) -> Vec<Listed<'a>> {
    let names: BTreeSet<String> = abstraction.system.data.values().map(|place| place.name.clone()).collect();
    let all = refine::values_of(program, abstraction, &names, Deadline::default());
    let certificate = Certificate::new(&abstraction.system, []).with_values(all.clone());
    if let Err(rejection) = check(&abstraction.system, certificate) {
        panic!("what was found as a proof is none: {rejection}");
    }
    let class = |values: &Values| {
        let classes = &abstraction.system.classes;
        classes.ids().find(|class| classes[*class].name == values.class).expect("it has been checked")
    };
    all.into_iter().map(|values| Listed { abstraction, program, class: class(&values), values }).collect()
}

/// Follows a random run; returns the number of steps that proofs list, or the one that they do not.
fn follow(semantics: &Semantics, all: &[Listed<'_>], seed: u64) -> Result<usize, String> {
    let Ok(mut state) = semantics.initial() else { return Ok(0) };
    let (mut dice, mut steps) = (SplitMix::new(seed), 0);
    for _ in 0..STEPS {
        let mut successors = semantics.successors(&state);
        if successors.is_empty() {
            break;
        }
        let Step { moves, after, .. } = successors.swap_remove(dice.below(successors.len()));
        let Some(after) = after else { break };
        // Of several statements, those in between are not seen.
        if let [one] = &moves[..]
            && let Some(edge) = one.edge
        {
            let ty = one.process_type;
            for listed in all.iter().filter(|listed| listed.abstraction.process_types[listed.class] == ty) {
                let held = |state: &State| listed.held(semantics, state, one.process, ty);
                let (Some(before), Some(behind)) = (held(&state), held(&after)) else { continue };
                if !listed.has((ty, edge), &before, &behind) {
                    return Err(format!("{edge:?} of {}: {before:?} -> {behind:?}", listed.values.class));
                }
                steps += 1;
            }
        }
        state = after;
    }
    Ok(steps)
}

/// The proofs of classes that alone are of their process type.
fn alone<'a>(program: &'a Program, abstraction: &'a Abstraction) -> Vec<Listed<'a>> {
    let of_type = |class: ClassId| {
        let ty = abstraction.process_types[class];
        abstraction.process_types.values().filter(|other| **other == ty).count()
    };
    listed(program, abstraction).into_iter().filter(|listed| of_type(listed.class) == 1).collect()
}

/// Random programs, buffers as declared, unlimited, and of unequal capacities.
fn texts() -> impl Iterator<Item = String> {
    let count = given("PROPTEST_CASES").unwrap_or(short_or_long(150, 5_000));
    let first: u64 = given("PROPTEST_RNG_SEED").unwrap_or(0);
    (0..count).flat_map(move |number| {
        let seed = first + number;
        let text = match number % 4 {
            0 => data_program(seed),
            1 => difference_program(seed),
            2 => counter_program(seed),
            _ => wrapping_program(seed),
        };
        [with_unequal_capacities(&text, seed), text]
    })
}

/// Each text with its proofs, and what following runs of it comes to.
fn followed(change: impl Fn(&mut Vec<Listed<'_>>)) -> (usize, usize, Vec<String>) {
    let (mut places, mut steps, mut wrong) = (0, 0, Vec::new());
    for (number, text) in texts().enumerate() {
        let program = promela_front::parse("model.pml", &text, &promela_front::Options::default()).program;
        let program = program.unwrap_or_else(|| panic!("{text}"));
        let precision = Precision { data_places: true, ..Precision::default() };
        let options = Options { precision, ..Options::default() };
        let Ok(abstraction) = abstract_program(&program, &options) else { continue };
        let mut all = alone(&program, &abstraction);
        places += all.iter().map(|listed| listed.values.places.len()).sum::<usize>();
        change(&mut all);
        for buffers in [Buffers::Declared, Buffers::Unbounded] {
            let options =
                explore::Options { buffers, claims: Claims::Ignored, ..explore::Options::default() };
            let Ok(semantics) = Semantics::new(&program, &options) else { continue };
            match follow(&semantics, &all, number as u64) {
                Ok(more) => steps += more,
                Err(what) => wrong.push(format!("{what} in\n{text}")),
            }
        }
    }
    (places, steps, wrong)
}

#[test]
fn steps_are_what_proofs_of_data_places_list() {
    let (places, steps, wrong) = followed(|_| {});
    assert!(wrong.is_empty(), "{}", wrong[0]);
    say(&format!("{places} data places are proved, {steps} steps are as their proofs list them"));
    assert!(places > 100 && steps > 1_000, "{places} places, {steps} steps");
}

/// The test above sees what is wrong: ways that are left out, and values that are not changed.
#[test]
fn what_is_not_listed_is_noticed() {
    let (_, _, without_ways) = followed(|all| {
        let steps = all.iter_mut().flat_map(|listed| &mut listed.values.steps);
        steps.for_each(|step| drop(step.ways.pop()));
    });
    let (_, _, unchanged) = followed(|all| {
        let steps = all.iter_mut().flat_map(|listed| &mut listed.values.steps);
        steps.flat_map(|step| &mut step.ways).for_each(|way| way.changed.clear());
    });
    assert!(without_ways.len() > 50 && unchanged.len() > 50, "{}, {}", without_ways.len(), unchanged.len());
}
