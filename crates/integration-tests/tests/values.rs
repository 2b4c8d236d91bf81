//! Data places proved from statements: what the proofs list is held against runs.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

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

/// Proofs about one class, or about shared variables, with what they name.
struct Listed<'a> {
    abstraction: &'a Abstraction,
    program: &'a Program,
    values: Values,
    class: Option<ClassId>,
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
    /// The name that invariants and amounts at a state have.
    fn state(&self, id: StateId) -> Option<String> {
        let name = self.abstraction.system.state_name(id);
        (self.class.is_some() || self.values.exclusive.contains(&name)).then_some(name)
    }

    /// Returns `true` if the proof is about what processes of a type do.
    fn is_about(&self, ty: ProcessTypeId) -> bool {
        self.class.is_none_or(|class| self.abstraction.process_types[class] == ty)
    }

    /// The values of the variables of a process.
    fn held(&self, semantics: &Semantics, state: &State, process: usize, ty: ProcessTypeId) -> Option<Held> {
        let value = |name: &String| {
            let declared = name.split('#').next()?;
            let locals = &self.program.types[ty].locals;
            let local = |id: &VariableId| self.class.is_some() && locals[*id].name == declared;
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
    fn has(&self, statement: (ProcessTypeId, EdgeId), before: &Held, after: &Held) -> bool {
        let Abstraction { system, statements, .. } = self.abstraction;
        let own = statements.iter().filter(|(_, statements)| statements.contains(&statement));
        own.map(|(id, _)| id).any(|id| {
            let transition = &system.transitions[id];
            let ends = [transition.source, transition.target];
            let listed = self.values.steps.iter().find(|step| step.transition == id.index());
            let leads = match listed {
                Some(step) => step.ways.iter().any(|way| self.leads(way, before, after)),
                None => before == after && ends.iter().all(|end| self.state(*end).is_none()),
            };
            leads
                && self.satisfies(ends[0], before)
                && self.satisfies(ends[1], after)
                && self.allows(id, before, after)
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
        let has_name = |name: &String| classes.ids().find(|class| classes[*class].name == *name);
        values.class.as_ref().map(|name| has_name(name).expect("it has been checked"))
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
            for listed in all.iter().filter(|listed| listed.is_about(ty)) {
                let held = |state: &State| listed.held(semantics, state, one.process, ty);
                let (Some(before), Some(behind)) = (held(&state), held(&after)) else { continue };
                if !listed.has((ty, edge), &before, &behind) {
                    return Err(format!("{edge:?} of {ty:?}: {before:?} -> {behind:?}"));
                }
                steps += 1;
            }
        }
        state = after;
    }
    Ok(steps)
}

/// The proofs of shared variables, and those of classes that alone are of their process type.
fn alone<'a>(program: &'a Program, abstraction: &'a Abstraction) -> Vec<Listed<'a>> {
    let of_type = |class: ClassId| {
        let ty = abstraction.process_types[class];
        abstraction.process_types.values().filter(|other| **other == ty).count()
    };
    let is_alone = |listed: &Listed<'_>| listed.class.is_none_or(|class| of_type(class) == 1);
    listed(program, abstraction).into_iter().filter(is_alone).collect()
}

/// A program whose processes share counters, most of which they change inside of something atomic,
/// where others may not step.
fn sharing_program(seed: u64) -> String {
    let mut dice = SplitMix::new(seed);
    let mut text =
        String::from("chan q = [2] of { byte }; chan r = [0] of { byte };\nbyte m, n = 3; bit f;\n");
    for number in 0..1 + dice.below(3) {
        let copies = 1 + dice.below(2);
        let mut options = String::new();
        for _ in 0..1 + dice.below(3) {
            let (one, other) = if dice.below(2) == 0 { ("m", "n") } else { ("n", "m") };
            let most = 2 + dice.below(4);
            let between = ["skip; ", "q!1; ", "x = x + 1; ", "r!1; ", "f = 1 - f; ", ""][dice.below(6)];
            let body = match dice.below(7) {
                0 => format!("{one} < {most} -> {between}{one}++"),
                1 => format!("{one} > 0 -> {between}{one}--"),
                2 => format!("{one} > 0 && {other} < {most} -> {one}--; {between}{other}++"),
                3 => format!("{one} < {other} -> {between}{one}++"),
                4 => format!("q?x; {one} = {other}"),
                5 => format!("r?x; {one} = {most}"),
                _ => format!("{one} >= {most} -> {between}{one} = 0"),
            };
            let how = ["atomic", "atomic", "d_step", ""][dice.below(4)];
            let waits = body.contains('!') || body.contains('?');
            let how = if how == "d_step" && waits { "atomic" } else { how };
            writeln!(options, "  :: {how} {{ {body} }}").expect("a string takes all");
        }
        writeln!(text, "active [{copies}] proctype P{number}() {{ byte x;\n  do\n{options}  od\n}}")
            .expect("a string takes all");
    }
    text
}

/// Random programs, buffers as declared, unlimited, and of unequal capacities.
fn texts() -> impl Iterator<Item = String> {
    let count = given("PROPTEST_CASES").unwrap_or(short_or_long(150, 5_000));
    let first: u64 = given("PROPTEST_RNG_SEED").unwrap_or(0);
    (0..count).flat_map(move |number| {
        let seed = first + number;
        let text = match number % 5 {
            0 => data_program(seed),
            1 => difference_program(seed),
            2 => counter_program(seed),
            3 => wrapping_program(seed),
            _ => sharing_program(seed),
        };
        [with_unequal_capacities(&text, seed), text]
    })
}

/// The results of following runs of all texts.
#[derive(Default)]
struct Followed {
    places: usize,
    /// The number of them that are about shared variables.
    shared: usize,
    steps: usize,
    wrong: Vec<String>,
}

/// Follows runs of each text beside its proofs.
fn followed(change: impl Fn(&mut Vec<Listed<'_>>)) -> Followed {
    let mut found = Followed::default();
    for (number, text) in texts().enumerate() {
        let program = promela_front::parse("model.pml", &text, &promela_front::Options::default()).program;
        let program = program.unwrap_or_else(|| panic!("{text}"));
        let precision = Precision { data_places: true, ..Precision::default() };
        let options = Options { precision, ..Options::default() };
        let Ok(abstraction) = abstract_program(&program, &options) else { continue };
        let mut all = alone(&program, &abstraction);
        let places = |listed: &Listed<'_>| listed.values.places.len();
        found.places += all.iter().map(places).sum::<usize>();
        found.shared += all.iter().filter(|listed| listed.class.is_none()).map(places).sum::<usize>();
        change(&mut all);
        for buffers in [Buffers::Declared, Buffers::Unbounded] {
            let options =
                explore::Options { buffers, claims: Claims::Ignored, ..explore::Options::default() };
            let Ok(semantics) = Semantics::new(&program, &options) else { continue };
            match follow(&semantics, &all, number as u64) {
                Ok(more) => found.steps += more,
                Err(what) => found.wrong.push(format!("{what} in\n{text}")),
            }
        }
    }
    found
}

#[test]
fn steps_are_what_proofs_of_data_places_list() {
    let Followed { places, shared, steps, wrong } = followed(|_| {});
    assert!(wrong.is_empty(), "{}", wrong[0]);
    say(&format!(
        "{places} data places are proved, {shared} of shared variables; {steps} steps are as listed"
    ));
    assert!(places > 100 && shared > 10 && steps > 1_000, "{places} places, {shared}, {steps} steps");
}

/// The test above sees what is wrong: ways that are left out, and values that are not changed.
#[test]
fn what_is_not_listed_is_noticed() {
    let without_ways = followed(|all| {
        let steps = all.iter_mut().flat_map(|listed| &mut listed.values.steps);
        steps.for_each(|step| drop(step.ways.pop()));
    })
    .wrong;
    let unchanged = followed(|all| {
        let steps = all.iter_mut().flat_map(|listed| &mut listed.values.steps);
        steps.flat_map(|step| &mut step.ways).for_each(|way| way.changed.clear());
    })
    .wrong;
    assert!(without_ways.len() > 50 && unchanged.len() > 50, "{}, {}", without_ways.len(), unchanged.len());
}
