//! Every step of the concrete semantics has its image in the abstract system.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::hash::{BuildHasher as _, RandomState};

use abstraction::{Abstraction, Declared, Part, Precision, abstract_program};
use cfsm_core::program::{ProcessType, ProcessTypeId, Program, VariableRef};
use explore::{Buffers, Claims, Semantics};
use integration_tests::aside_programs::aside_program;
use integration_tests::comparison::corpus;
use integration_tests::constructs::CONSTRUCTS;
use integration_tests::data_programs::data_program;
use integration_tests::difference_programs::difference_program;
use integration_tests::generator::{Profile, sample, shrunk};
use integration_tests::pair_programs::pair_program;
use integration_tests::simulation::mutation::{Mutation, mutated};
use integration_tests::simulation::{Failure, Tally, check_all_runs, check_random_run};
use integration_tests::slot_programs::slot_program;
use integration_tests::table_programs::table_program;
use integration_tests::wrapping_programs::wrapping_program;
use integration_tests::{given, say, short_or_long};
use promela_front::parse;

/// Runs of a program with each way of taking its buffers.
const RUNS: u64 = 4;
/// Steps of a run, at most.
const STEPS: usize = 300;

/// As with proptest's own: given, or a new one each time.
fn first_seed() -> u64 {
    let random = RandomState::new().hash_one(0) >> 24;
    given("PROPTEST_RNG_SEED").unwrap_or(random)
}

fn semantics(program: &Program, buffers: Buffers) -> Option<Semantics> {
    let options = explore::Options { buffers, claims: Claims::Ignored, ..explore::Options::default() };
    Semantics::new(program, &options).ok()
}

/// How many ways of abstracting there are.
const WAYS: u64 = 7;

/// The abstract system in one of several ways: with small limits too, so that what they cut is
/// tried; and with all variables followed, or some of them and others only where they matter, and
/// what can never happen left out, as refinement does.
fn abstraction(program: &Program, choice: u64) -> Result<Abstraction, abstraction::Error> {
    let default = abstraction::Options::default();
    let data_places = choice.is_multiple_of(2);
    let precision = Precision { data_places, ..everything(program) };
    let options = match choice % WAYS {
        0 => abstraction::Options { precision: Precision { data_places, ..Precision::default() }, ..default },
        1 => abstraction::Options { values: 3, array_elements: 1, ..default },
        2 => abstraction::Options { contexts_per_type: 2, constants: 2, vectors: 3, ..default },
        3 => abstraction::Options { precision, nodes: 300, transitions: 20_000, ..default },
        4 | 5 => {
            let precision = Precision { data_places, ..carrying(program, choice / WAYS) };
            abstraction::Options { precision, nodes: 300, transitions: 20_000, ..default }
        }
        _ => abstraction::Options { precision, nodes: 40, values: 4, constants: 3, ..default },
    };
    match abstract_program(program, &options) {
        Ok(abstraction) if choice % WAYS > 2 => Ok(abstraction.activated().0),
        Err(abstraction::Error::TooManyTransitions { .. }) if choice % WAYS > 2 => abstraction(program, 0),
        other => other,
    }
}

/// All variables of all types.
fn everything(program: &Program) -> Precision {
    let globals = || program.globals.ids().map(VariableRef::Global);
    let types = program.types.iter();
    let of_type = |(id, process): (ProcessTypeId, &ProcessType)| {
        (id, process.locals.ids().map(VariableRef::Local).chain(globals()).collect())
    };
    Precision { tracked: types.map(of_type).collect(), ..Precision::default() }
}

/// Some variables of all types are followed, and some carried: each in one of three ways, which
/// depend on a number.
fn carrying(program: &Program, choice: u64) -> Precision {
    let Precision { tracked: all, .. } = everything(program);
    let chosen = |way: u64| {
        let of_type = |(ty, variables): (&ProcessTypeId, &BTreeSet<VariableRef>)| {
            let numbered = variables.iter().zip(0_u64..);
            let some =
                numbered.filter(|(_, number)| (choice >> (number % 8)).wrapping_add(*number) % 3 == way);
            (*ty, some.map(|(variable, _)| *variable).collect())
        };
        all.iter().map(of_type).collect()
    };
    Precision { tracked: chosen(0), carried: chosen(1), ..Precision::default() }
}

fn shown(text: &str, abstraction: &Abstraction, failure: &Failure) -> String {
    let mut all = String::new();
    for (at, line) in text.lines().enumerate() {
        writeln!(all, "{:4} {line}", at + 1).expect("a string takes all");
    }
    format!("{failure}\nin\n{all}\nwhose abstract system is\n{}", abstraction.outline())
}

/// Many runs of one program. The number of programs that cannot be run comes with the steps.
fn check(text: &str, seed: u64, runs: u64, tally: &mut Tally) -> Result<bool, String> {
    let outcome = parse("model.pml", text, &promela_front::Options::default());
    let Some(program) = outcome.program else { return Ok(false) };
    let abstraction = abstraction(&program, seed);
    let abstraction = abstraction.map_err(|error| format!("{error} in\n{text}"))?;
    let mut runnable = false;
    for buffers in [Buffers::Unbounded, Buffers::Declared] {
        let Some(semantics) = semantics(&program, buffers) else { continue };
        runnable = true;
        for run in 0..runs {
            let seed = seed.wrapping_mul(0x1_0001).wrapping_add(run);
            check_random_run(&program, &abstraction, &semantics, seed, STEPS, tally)
                .map_err(|failure| shown(text, &abstraction, &failure))?;
        }
    }
    Ok(runnable)
}

/// Every other program is large.
fn profile(seed: u64) -> Profile {
    if seed.is_multiple_of(2) { Profile::whole() } else { Profile::small() }
}

/// The random programs with the numbers from `PROPTEST_RNG_SEED` on, `PROPTEST_CASES` of them;
/// without the former they are others in each run. Of those that fail the first one is made small.
#[test]
fn every_step_of_a_random_program_has_its_image() {
    let (first, count) = (first_seed(), given("PROPTEST_CASES").unwrap_or(short_or_long(1_500, 30_000)));
    let mut tally = Tally::default();
    let mut runnable = 0;
    let mut failures = Vec::new();
    for seed in first..first + count {
        match check(&sample(&profile(seed), seed).text, seed, RUNS, &mut tally) {
            Ok(ran) => runnable += u64::from(ran),
            Err(_) => failures.push(seed),
        }
    }
    say(&format!("{runnable} of {count} programs were run: {tally:?}"));
    if let Some(&seed) = failures.first() {
        let fails = |text: &str| check(text, seed, 5 * RUNS, &mut Tally::default()).err();
        let program = shrunk(&profile(seed), seed, |program| fails(&program.text).is_some());
        panic!(
            "PROPTEST_RNG_SEED={first}, failures: {failures:?}; the first one, made small: {}",
            fails(&program.text).unwrap_or_default()
        );
    }
    assert!(runnable * 100 >= count * 90, "{runnable} of {count}");
    let Tally { sends, receives, rendezvous, creations, deaths, .. } = tally;
    let enough =
        [sends, receives, 20 * rendezvous, creations, deaths].iter().all(|&all| all as u64 > 2 * count);
    assert!(enough, "{tally:?}");
}

/// Where it matters how two variables differ, no quantity falls below 0 or grows by more than its
/// system says either.
#[test]
fn data_places_keep_their_promise_where_differences_matter() {
    keep_their_promise(difference_program, short_or_long(1_200, 30_000), 3);
}

/// Nor where counters wrap, or may as far as is known.
#[test]
fn data_places_keep_their_promise_where_counters_wrap() {
    keep_their_promise(wrapping_program, short_or_long(600, 30_000), 6);
}

/// Nor where elements of arrays are asked and written at an index of which it is not known which
/// one it is.
#[test]
fn what_is_known_of_some_element_holds_of_it() {
    keep_their_promise(table_program, short_or_long(1_000, 100_000), 6);
}

/// Nor where messages wait in queues that processes keep to themselves; and every step has its
/// image there.
#[test]
fn what_is_put_aside_is_what_is_taken_back() {
    keep_their_promise(aside_program, short_or_long(1_000, 100_000), 100);
}

/// Slots of tables: two arrays are carried, and some variables followed.
#[test]
fn slots_keep_their_promise() {
    let (first, count) = (first_seed(), given("PROPTEST_CASES").unwrap_or(short_or_long(600, 30_000)));
    let mut tally = Tally::default();
    let (mut with_slots, mut with_open) = (0, 0);
    for seed in first..first + count {
        let text = slot_program(seed);
        let outcome = parse("model.pml", &text, &promela_front::Options::default());
        let program = outcome.program.unwrap_or_else(|| panic!("{:?} in\n{text}", outcome.diagnostics));
        let is_array = |ty, variable: &VariableRef| program.variable(ty, *variable).length.is_some();
        let some = carrying(&program, seed);
        let split = |arrays: bool| {
            let of_type = |(ty, variables): (ProcessTypeId, BTreeSet<VariableRef>)| {
                (ty, variables.into_iter().filter(|variable| is_array(ty, variable) == arrays).collect())
            };
            let from = if arrays { everything(&program).tracked } else { some.tracked.clone() };
            from.into_iter().map(of_type).collect()
        };
        let precision = Precision {
            tracked: split(false),
            carried: split(true),
            data_places: true,
            ..Precision::default()
        };
        let options = abstraction::Options { precision, ..abstraction::Options::default() };
        let abstraction = abstract_program(&program, &options).expect("it is small");
        let mut quantities = abstraction.quantities.values();
        if quantities.any(|quantity| matches!(quantity.part, Part::Slots(_))) {
            with_slots += 1;
            let mut quantities = abstraction.quantities.values();
            with_open += u64::from(quantities.any(|quantity| !quantity.open.is_empty()));
            follow(seed, (&text, &program), &abstraction, 150, &mut tally);
        }
    }
    say(&format!("{with_slots} of {count} programs with slots, {with_open} with open ones: {tally:?}"));
    assert!(with_slots * 12 > count && with_open * 30 > count, "{with_slots}, {with_open} of {count}");
}

/// Registers: those of all globals and locals that can have one. What a step does to each of these
/// variables is what its transition says.
#[test]
fn registers_hold_what_their_variables_hold() {
    let (first, count) = (first_seed(), given("PROPTEST_CASES").unwrap_or(short_or_long(300, 60_000)));
    let mut tally = Tally::default();
    let (mut globals, mut locals, mut elements) = (0, 0, 0);
    for seed in first..first + count {
        let generators =
            [data_program, slot_program, table_program, |seed| sample(&Profile::small(), seed).text];
        let text = generators[seed as usize % 4](seed);
        let outcome = parse("model.pml", &text, &promela_front::Options::default());
        let Some(program) = outcome.program else { continue };
        let variables = program.globals.ids().map(|id| (None, id)).chain(
            program.types.iter().flat_map(|(ty, process)| process.locals.ids().map(move |id| (Some(ty), id))),
        );
        let registers: BTreeSet<Declared> = variables.collect();
        let others = if seed % 3 == 0 { carrying(&program, seed) } else { Precision::default() };
        let precision = Precision { registers, data_places: seed % 2 == 0, ..others };
        let options = abstraction::Options { precision, ..abstraction::Options::default() };
        let Ok(abstraction) = abstract_program(&program, &options) else { continue };
        let abstraction = if seed % 5 == 0 { abstraction.activated().0 } else { abstraction };
        for register in &abstraction.registers {
            globals += u64::from(register.owner.is_none());
            locals += u64::from(register.owner.is_some());
            elements += u64::from(register.element.is_some());
        }
        if !abstraction.registers.is_empty() {
            follow(seed, (&text, &program), &abstraction, 150, &mut tally);
        }
    }
    say(&format!("{globals} globals, {locals} locals, {elements} of them elements: {tally:?}"));
    assert!(globals > count / 4 && locals > count / 8 && elements > count / 8);
}

/// Runs programs, and computes every quantity in each state. At least one in so many has to have
/// one.
fn keep_their_promise(generate: fn(u64) -> String, count: u64, one_in: u64) {
    let (first, count) = (first_seed(), given("PROPTEST_CASES").unwrap_or(count));
    let mut tally = Tally::default();
    let (mut runnable, mut with_places, mut with_slots) = (0, 0, 0);
    for seed in first..first + count {
        let text = generate(seed);
        let outcome = parse("model.pml", &text, &promela_front::Options::default());
        let program = outcome.program.unwrap_or_else(|| panic!("{:?} in\n{text}", outcome.diagnostics));
        // The plain way, that with everything followed, or some and others carried, or that with
        // few values; all of them with data places.
        let way = [0, 10, 4 + 2 * WAYS * (seed / 4 % 64), 6][seed as usize % 4];
        let abstraction = match abstraction(&program, way) {
            Ok(abstraction) => abstraction,
            // With everything followed, few of them become large.
            Err(abstraction::Error::TooManyTransitions { .. }) => continue,
            Err(error) => panic!("{error}\n{text}"),
        };
        with_places += u64::from(!abstraction.quantities.is_empty());
        let mut quantities = abstraction.quantities.values();
        with_slots += u64::from(quantities.any(|quantity| matches!(quantity.part, Part::Slots(_))));
        runnable += follow(seed, (&text, &program), &abstraction, 150, &mut tally);
    }
    say(&format!(
        "{runnable} times, {with_places} of {count} programs with data places, {with_slots} with slots: {tally:?}"
    ));
    assert!(runnable > count && with_places * one_in > count, "{runnable}, {with_places} of {count}");
}

/// Follows random runs of a program, and all of them as far as so many states, with each way of
/// taking its buffers in which it can be run; how many these are. None may do what is not in the
/// abstract system.
fn follow(
    seed: u64,
    (text, program): (&str, &Program),
    abstraction: &Abstraction,
    most: usize,
    tally: &mut Tally,
) -> u64 {
    let mut ways = 0;
    for buffers in [Buffers::Unbounded, Buffers::Declared] {
        let Some(semantics) = semantics(program, buffers) else { continue };
        ways += 1;
        let fails = |failure| panic!("seed {seed}: {}", shown(text, abstraction, &failure));
        for run in 0..RUNS {
            let seed = seed.wrapping_mul(0x1_0001).wrapping_add(run);
            check_random_run(program, abstraction, &semantics, seed, STEPS, tally)
                .map_or_else(|failure| fails(*failure), drop);
        }
        check_all_runs(program, abstraction, &semantics, most, tally)
            .map_or_else(|failure| fails(*failure), drop);
    }
    ways
}

/// What pairs of processes exclude is not executed: with what they exclude left out, every step
/// still has its image.
#[test]
fn what_pairs_exclude_is_never_executed() {
    let (first, count) = (first_seed(), given("PROPTEST_CASES").unwrap_or(short_or_long(600, 100_000)));
    let mut tally = Tally::default();
    let mut with_pairs = 0;
    for seed in first..first + count {
        let text = pair_program(seed);
        let outcome = parse("model.pml", &text, &promela_front::Options::default());
        let program = outcome.program.unwrap_or_else(|| panic!("{:?} in\n{text}", outcome.diagnostics));
        let tracked = if seed.is_multiple_of(4) { everything(&program).tracked } else { BTreeMap::new() };
        let some = || carrying(&program, seed / 2).carried;
        let carried = if seed.is_multiple_of(2) { BTreeMap::new() } else { some() };
        let precision =
            Precision { pairs: true, data_places: true, tracked, carried, ..Precision::default() };
        let options = abstraction::Options { precision, ..abstraction::Options::default() };
        let abstraction = match abstract_program(&program, &options) {
            // Where everything is followed, some few are large.
            Err(abstraction::Error::TooManyTransitions { .. }) => continue,
            other => other.expect("it is a program"),
        };
        if abstraction.excluded.is_empty() {
            continue;
        }
        with_pairs += 1;
        follow(seed, (&text, &program), &abstraction, 300, &mut tally);
    }
    say(&format!("pairs exclude something in {with_pairs} of {count} programs: {tally:?}"));
    assert!(with_pairs * 30 > count, "{with_pairs} of {count}");
}

/// A model for each construct, with all of its runs as far as they are not too many, and random
/// ones.
#[test]
fn every_construct_has_its_image() {
    let directory = corpus::repository().join("crates/integration-tests/tests/fixtures/constructs");
    let mut tally = Tally::default();
    let mut partly = Vec::new();
    for (name, word) in CONSTRUCTS {
        let text =
            std::fs::read_to_string(directory.join(format!("{name}.pml"))).expect("each has its model");
        assert!(text.contains(word), "{name} without `{word}`");
        let outcome = parse("model.pml", &text, &promela_front::Options::default());
        let program = outcome.program.unwrap_or_else(|| panic!("{name}: {:?}", outcome.diagnostics));
        for (choice, buffers) in
            [Buffers::Unbounded, Buffers::Declared].iter().cycle().take(2 * WAYS as usize).enumerate()
        {
            let abstraction = abstraction(&program, choice as u64 / 2).expect("it is small");
            let semantics =
                semantics(&program, buffers.clone()).unwrap_or_else(|| panic!("{name} cannot be run"));
            let all = check_all_runs(&program, &abstraction, &semantics, 2_000, &mut tally);
            match all {
                Err(failure) => panic!("{name}, {buffers:?}: {}", shown(&text, &abstraction, &failure)),
                Ok(false) if *buffers == Buffers::Declared && choice == 1 => partly.push(*name),
                Ok(_) => {}
            }
        }
        let before = tally.steps;
        check(&text, 0, 20, &mut tally).unwrap_or_else(|failure| panic!("{name}: {failure}"));
        assert!(tally.steps > before, "{name} does nothing");
    }
    let files = std::fs::read_dir(&directory).expect("a directory of models").count();
    assert_eq!(files, CONSTRUCTS.len(), "models that are not listed");
    say(&format!("{} constructs, not all runs of {partly:?}: {tally:?}", CONSTRUCTS.len()));
    assert!(partly.len() * 10 < CONSTRUCTS.len(), "{partly:?}");
}

/// The models of this repository, and some of a collection of other people's, if there is one.
#[test]
fn models_have_their_images() {
    let mut models = corpus::own_models();
    models.retain(|model| !model.family.ends_with("/invalid"));
    match corpus::place(None) {
        None => say("SKIPPED the collection of models: there is none"),
        Some(place) => {
            let all: Vec<corpus::Model> =
                corpus::models(&place).into_iter().filter(|model| !model.fragment).collect();
            let count = usize::try_from(short_or_long(60, 100_000)).expect("a small number");
            models.extend(corpus::sample(&all, count));
        }
    }
    let mut tally = Tally::default();
    let (mut followed, mut skipped) = (0, 0);
    for model in &models {
        match follow_model(model, &mut tally) {
            Some(Ok(())) => followed += 1,
            Some(Err(failure)) => panic!("{}: {failure}", model.name),
            None => skipped += 1,
        }
    }
    say(&format!("{followed} models, {skipped} that cannot be run: {tally:?}"));
    assert!(followed > 40 && tally.steps > 10_000, "{followed} models, {tally:?}");
}

/// Some runs of a model; `None` if it is not accepted, cannot be run, or has too large an abstract
/// system.
fn follow_model(model: &corpus::Model, tally: &mut Tally) -> Option<Result<(), String>> {
    let mut reading = promela_front::Options { defines: model.defines.clone(), ..Default::default() };
    reading.includes = promela_front::Includes::Files(Vec::new());
    let program = parse(&model.file.to_string_lossy(), &model.text(), &reading).program?;
    // The locations, because it is about them that time is spent.
    if program.types.values().map(|ty| ty.edges.len()).sum::<usize>()
        > usize::try_from(short_or_long(400, 20_000)).ok()?
    {
        return None;
    }
    let limit = abstraction::Options { transitions: 50_000, ..abstraction::Options::default() };
    let plain = abstract_program(&program, &limit).ok()?;
    let refined = abstraction(&program, 3).ok()?;
    let mut found = None;
    for abstraction in [plain, refined] {
        for buffers in [Buffers::Unbounded, Buffers::Declared] {
            let semantics = semantics(&program, buffers)?;
            for seed in 0..short_or_long(3, 30) {
                let run = check_random_run(&program, &abstraction, &semantics, seed, STEPS, tally);
                let run = run.map(|_| ()).map_err(|failure| shown(&model.text(), &abstraction, &failure));
                if found.is_none() || run.is_err() {
                    found = Some(run);
                }
            }
        }
    }
    found
}

/// An abstract system that is wrong in one place, which a run needed, is mostly noticed by the same
/// runs.
#[test]
fn a_wrong_system_is_noticed() {
    let mut results: BTreeMap<Mutation, [usize; 2]> = BTreeMap::new();
    for seed in 0..short_or_long(400, 5_000) {
        let text = sample(&profile(seed), 1_000_000 + seed).text;
        let Some(program) = parse("model.pml", &text, &promela_front::Options::default()).program else {
            continue;
        };
        let Some(semantics) = semantics(&program, Buffers::Unbounded) else { continue };
        let abstraction = abstraction(&program, 0).expect("it is small");
        let run = |abstraction: &Abstraction, run: u64| {
            check_random_run(&program, abstraction, &semantics, run, STEPS, &mut Tally::default())
        };
        let needed: BTreeSet<_> =
            (0..3).flat_map(|seed| run(&abstraction, seed).unwrap_or_default()).collect();
        for (choice, mutation) in Mutation::ALL.into_iter().enumerate() {
            let choice = usize::try_from(seed).expect("a small number").wrapping_mul(31) + choice;
            let Some(wrong) = mutated(&abstraction, &needed, mutation, choice) else { continue };
            let noticed = (0..3).any(|seed| run(&wrong, seed).is_err());
            let result = results.entry(mutation).or_default();
            result[0] += usize::from(noticed);
            result[1] += 1;
        }
    }
    say(&format!("noticed, of so many: {results:?}"));
    for mutation in Mutation::ALL {
        let [noticed, of] = results.get(&mutation).copied().unwrap_or_default();
        // A message that nobody takes, or that somebody takes whatever it is, may be of any type.
        let share = match mutation {
            Mutation::SentType => 20,
            Mutation::ReceivedType => 50,
            _ => 95,
        };
        assert!(of > 40 && noticed * 100 > of * share, "{mutation:?}: {noticed} of {of}");
    }
}
