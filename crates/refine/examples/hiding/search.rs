//! What is kept, found from runs that a model has not.

use std::collections::{BTreeMap, BTreeSet};

use cfsm_core::deadline::Deadline;
use cfsm_core::program::Program;
use explore::{Aim, Budget, Exhaustion, Guide, Limits, Quest, QueueOrigin, Reduction, RunError, Semantics};

use super::coarse::{DSteps, coarse};
use super::excluding::{Path, can_go, semantics};
use super::{Declared, Kept, each_variable};

/// Most states that are looked at to find what else has to be kept.
const FEW: usize = 20_000;
/// How often more is kept.
const MOST_TIMES: usize = 60;
/// How often a loop is repeated before it is believed.
const ROUNDS: [usize; 4] = [2, 5, 20, 100];

/// Looks for variables that keep queues from growing; what was found, as a sentence without a full
/// stop.
pub fn search(program: &Program, most: usize) -> String {
    let mut all = Kept::new();
    each_variable(program, &mut |declared, _| {
        all.insert(declared);
    });
    let mut kept = Kept::new();
    for times in 0..MOST_TIMES {
        let Some(made) = coarse(program, &kept, DSteps::Whole) else {
            return "it asks for more than values and queues".into();
        };
        let Some(runs) = semantics(&made.program) else { return "not run".into() };
        let few = most.min(FEW);
        if let Some(found) = bounded(&runs, few) {
            return told(program, &kept, times, &found, most);
        }
        let quest = Quest { aim: Aim::Growth { known: BTreeSet::new() }, guide: Guide::default() };
        let budget = Budget { states: few, deadline: Deadline::default() };
        let Some(witness) = runs.search(&quest, &budget).ok().and_then(|found| found.witness) else {
            return match bounded(&runs, most) {
                Some(found) => told(program, &kept, times, &found, most),
                None => format!("not known with {}", names(program, &kept)),
            };
        };
        let path = Path::new(&made, witness.prefix(), witness.pump());
        let is_excluded = |kept: &Kept, rounds| can_go(program, kept, &path, rounds) == Some(false);
        let Some(rounds) = ROUNDS.into_iter().find(|rounds| is_excluded(&all, *rounds)) else {
            return format!(
                "a loop behind {} steps goes on, or it is not known why not",
                witness.prefix().steps.len()
            );
        };
        kept = fewest(&all, &kept, |kept| is_excluded(kept, rounds));
    }
    "more and more would have to be kept".into()
}

/// As few of all variables as exclude something, the known ones among them.
fn fewest(all: &Kept, known: &Kept, excludes: impl Fn(&Kept) -> bool) -> Kept {
    let mut kept = all.clone();
    for variable in all.difference(known).collect::<Vec<_>>().into_iter().rev() {
        kept.remove(variable);
        if !excludes(&kept) {
            kept.insert(*variable);
        }
    }
    kept
}

/// All states, if they are few enough and nothing lies behind what goes wrong.
fn bounded(runs: &Semantics, states: usize) -> Option<Exhaustion> {
    let limits = Limits { states: Some(states), bytes: Some(1 << 30), ..Limits::default() };
    let found = runs.exhaust(&limits, Reduction::WITHOUT_ASSERTIONS).ok()?;
    found.proof.is_some().then_some(found)
}

fn told(program: &Program, kept: &Kept, times: usize, found: &Exhaustion, most: usize) -> String {
    let runs = semantics(program);
    let exact = runs.and_then(|runs| bounded(&runs, most));
    let errors = found.errors.iter().filter(|error| **error != RunError::Assertion).count();
    let wrong = exact.as_ref().is_some_and(|exact| exceeds(&exact.seen, &found.seen));
    format!(
        "{}bounded by {} states, {times} times more kept: {}; maxima {:?}, of the model itself {:?}, {errors} kinds of errors",
        if wrong { "WRONG: " } else { "" },
        found.states,
        names(program, kept),
        found.seen.values().collect::<Vec<_>>(),
        exact.map(|exact| exact.seen.values().copied().collect::<Vec<_>>()),
    )
}

/// Whether some queue holds more than it should.
fn exceeds(exact: &BTreeMap<QueueOrigin, u32>, coarse: &BTreeMap<QueueOrigin, u32>) -> bool {
    exact.iter().any(|(origin, most)| coarse.get(origin).is_none_or(|bound| most > bound))
}

/// Names of variables, for people.
fn names(program: &Program, kept: &Kept) -> String {
    let name = |(ty, id): &Declared| match ty {
        None => program.globals[*id].name.clone(),
        Some(ty) => format!("{}.{}", program.types[*ty].name, program.types[*ty].locals[*id].name),
    };
    kept.iter().map(name).collect::<Vec<_>>().join(", ")
}
