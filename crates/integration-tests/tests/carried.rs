//! Values that are carried: random programs with variables followed everywhere, where they matter,
//! or not at all. Every step has its image, whatever is chosen.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use abstraction::{Abstraction, Precision, abstract_program};
use cfsm_core::program::{Program, VariableRef};
use cfsm_core::splitmix::SplitMix;
use explore::{Buffers, Claims, Semantics};
use integration_tests::aside_programs::aside_program;
use integration_tests::data_programs::data_program;
use integration_tests::generator::{Profile, sample};
use integration_tests::idle_programs::idle_program;
use integration_tests::pair_programs::pair_program;
use integration_tests::record_programs::record_program;
use integration_tests::simulation::{Tally, check_all_runs, check_random_run};
use integration_tests::table_programs::table_program;
use integration_tests::{given, say, short_or_long};

/// Each variable of each type is followed, carried, or neither.
fn precision(program: &Program, dice: &mut SplitMix) -> Precision {
    let mut precision =
        Precision { pairs: dice.below(2) == 0, data_places: dice.below(2) == 0, ..Precision::default() };
    let share = 1 + dice.below(4);
    for (id, process) in program.types.iter() {
        let globals = program.globals.ids().map(VariableRef::Global);
        for variable in process.locals.ids().map(VariableRef::Local).chain(globals) {
            let of = match dice.below(4 + share) {
                0 => &mut precision.tracked,
                1 => continue,
                _ => &mut precision.carried,
            };
            of.entry(id).or_insert_with(BTreeSet::new).insert(variable);
        }
    }
    precision
}

/// An abstract system in which values are carried, within some limits, and that in which none are.
fn abstractions(program: &Program, dice: &mut SplitMix) -> Option<[Abstraction; 2]> {
    let precision = precision(program, dice);
    let plain = Precision { carried: BTreeMap::new(), ..precision.clone() };
    let default = abstraction::Options {
        visits: 20_000,
        pair_steps: 20_000,
        nodes: 400,
        transitions: 5_000,
        ..abstraction::Options::default()
    };
    let options = match dice.below(8) {
        0 => abstraction::Options { nodes: 40, ..default },
        1 => abstraction::Options { values: 3, array_elements: 1, ..default },
        2 => abstraction::Options { contexts_per_type: 2, values: 4, ..default },
        3 => abstraction::Options { constants: 2, vectors: 3, ..default },
        _ => default,
    };
    let within =
        |precision| match abstract_program(program, &abstraction::Options { precision, ..options.clone() }) {
            Err(abstraction::Error::TooManyTransitions { .. } | abstraction::Error::TooManyVisits { .. }) => {
                None
            }
            other => Some(other.expect("it is a program")),
        };
    Some([within(precision)?, within(plain)?])
}

fn shown(text: &str, abstraction: &Abstraction) -> String {
    let mut all = String::new();
    for (at, line) in text.lines().enumerate() {
        writeln!(all, "{:4} {line}", at + 1).expect("a string takes all");
    }
    format!("in\n{all}\nwhose abstract system is\n{}", abstraction.outline())
}

/// Follows runs of random programs; at least one in so many has another system where values are
/// carried.
fn every_step_has_its_image(name: &str, generate: &dyn Fn(u64) -> String, count: u64, one_in: u64) {
    let first = given("PROPTEST_RNG_SEED").unwrap_or(0);
    let count = given("PROPTEST_CASES").unwrap_or(count);
    let mut tally = Tally::default();
    let (mut tried, mut carried, mut excluded) = (0, 0, 0);
    for seed in first..first + count {
        let text = generate(seed);
        let outcome = promela_front::parse("model.pml", &text, &promela_front::Options::default());
        let Some(program) = outcome.program else {
            assert!(name == "general", "{:?} in\n{text}", outcome.diagnostics);
            continue;
        };
        let Some([abstraction, plain]) = abstractions(&program, &mut SplitMix::new(seed)) else { continue };
        tried += 1;
        carried += u64::from(abstraction.system != plain.system);
        excluded += u64::from(abstraction.system != plain.system && !abstraction.excluded.is_empty());
        for buffers in [Buffers::Unbounded, Buffers::Declared] {
            let options =
                explore::Options { buffers, claims: Claims::Ignored, ..explore::Options::default() };
            let Ok(semantics) = Semantics::new(&program, &options) else { continue };
            let fails = |failure| panic!("{name}, seed {seed}: {failure} {}", shown(&text, &abstraction));
            for run in 0..4 {
                let run = seed.wrapping_mul(0x1_0001).wrapping_add(run);
                check_random_run(&program, &abstraction, &semantics, run, 200, &mut tally)
                    .map_or_else(|failure| fails(*failure), drop);
            }
            check_all_runs(&program, &abstraction, &semantics, 300, &mut tally)
                .map_or_else(|failure| fails(*failure), drop);
        }
    }
    say(&format!(
        "{name}: {tried} of {count} programs, {carried} with others carried, {excluded} of them with something excluded: {tally:?}"
    ));
    assert!(carried * one_in > tried && 2 * tried > count, "{name}: {carried} of {tried} of {count}");
}

/// Whether the queue `waste` is bounded where `R` receives from queues that it is told: from `q` it
/// receives what it has counted, from `s` not. Values of `i` are followed or carried; so many
/// contexts may there be of what the created create.
fn wastes_nothing(creation: &str, follows: bool, descendants: usize) -> bool {
    let text = format!(
        "mtype = {{ word, end }};
         chan q = [2] of {{ mtype, byte }}; chan s = [2] of {{ mtype, byte }}; chan waste = [1] of {{ byte }};
         active proctype S() {{ byte n; do :: q!word(n) :: q!end(n); n = (n + 1) % 5 od }}
         active proctype T() {{ byte n; do :: s!word(n) :: s!end(n); n = (n + 1) % 4 od }}
         proctype R(chan c; byte i) {{ byte r, got;
             do :: c?word(got) -> if :: got != r -> waste!got :: else fi :: c?end(got) -> r = (r + 1) % 5 od }}
         {creation}"
    );
    let outcome = promela_front::parse("model.pml", &text, &promela_front::Options::default());
    let program = outcome.program.unwrap_or_else(|| panic!("{:?} in\n{text}", outcome.diagnostics));
    let named = |names: &[&str]| -> BTreeMap<_, BTreeSet<VariableRef>> {
        let types = program.types.iter().map(|(id, process)| {
            let locals = process.locals.iter().filter(|(_, local)| names.contains(&local.name.as_str()));
            (id, locals.map(|(local, _)| VariableRef::Local(local)).collect())
        });
        types.collect()
    };
    let (tracked, carried) =
        if follows { (named(&["i"]), named(&["got"])) } else { (named(&[]), named(&["i", "got"])) };
    let precision = Precision { pairs: true, tracked, carried, ..Precision::default() };
    let options = abstraction::Options {
        precision,
        descendants_per_type: descendants,
        ..abstraction::Options::default()
    };
    let system = abstract_program(&program, &options).expect("it is small").system;
    let waste = system.buffers.iter().find(|(_, buffer)| buffer.name == "waste").map(|(id, _)| id);
    let result = boundedness::check(&system, &boundedness::Options::default());
    waste.is_some_and(|waste| matches!(result.buffers[waste], boundedness::BufferVerdict::Bounded { .. }))
}

/// Who is created by the same statement need not do the same: one of them receives from another
/// queue, of which nothing is excluded.
#[test]
fn what_is_excluded_is_excluded_for_that_process_only() {
    let is_bounded = |choice: &str| {
        wastes_nothing(&format!("init {{ byte i; chan c = q; if {choice} fi; run R(c, i) }}"), true, 64)
    };
    assert!(is_bounded(":: skip"));
    assert!(!is_bounded(":: i = 1; c = s :: skip"));
    assert!(!is_bounded(":: c = s; i = 1 :: i = 2"));
    assert!(!is_bounded(":: i = 1 :: i = 2; c = s"));
}

/// Where a context is used again, its processes come into being in several ways.
#[test]
fn where_a_context_is_used_again_nothing_is_excluded() {
    // Whichever comes first, the limit throws it together with the other one.
    for [one, other] in [["q", "s"], ["s", "q"]] {
        for choice in ["if :: i = 1 :: i = 2 fi", "if :: i = 1 :: i = 2 :: i = 3 fi"] {
            let creation = format!(
                "init {{ run Z() }}
                 proctype Z() {{ byte i; {choice}; if :: run R({one}, i) :: run R({other}, i) fi }}"
            );
            for most in [64, 4, 3, 2] {
                assert!(!wastes_nothing(&creation, false, most), "{creation}, {most}");
            }
        }
    }
    let once = "init { run Z() } proctype Z() { byte i; if :: i = 1 :: i = 2 fi; run R(q, i) }";
    assert!(wastes_nothing(once, false, 2));
    assert!(!wastes_nothing(once, false, 1));
}

#[test]
fn where_records_are_passed_on() {
    every_step_has_its_image("records", &record_program, short_or_long(400, 100_000), 4);
}

#[test]
fn where_messages_are_put_aside() {
    every_step_has_its_image("aside", &aside_program, short_or_long(200, 100_000), 8);
}

#[test]
fn where_arrays_are_asked() {
    every_step_has_its_image("tables", &table_program, short_or_long(200, 100_000), 8);
}

#[test]
fn where_pairs_exclude_something() {
    every_step_has_its_image("pairs", &pair_program, short_or_long(200, 100_000), 8);
}

/// The same, with processes that are created: once, in one of several ways, in a loop, or by others
/// that create themselves.
fn created(seed: u64) -> String {
    let mut dice = SplitMix::new(seed ^ 0x5eed);
    let mut text = pair_program(seed);
    let mut creations = Vec::new();
    for name in ["S0", "S1", "R"] {
        let active = format!("active proctype {name}()");
        if !text.contains(&active) || dice.below(5) == 0 {
            continue;
        }
        text = text.replace(&active, &format!("proctype {name}()"));
        creations.push(match dice.below(12) {
            0 => format!("do :: n < 2 -> run {name}(); n++ :: else -> n = 0; break od"),
            1 => format!("if :: run {name}() :: n = 1; run {name}() fi"),
            2 => format!("if :: n == 0 -> n = 1 :: n == 0 -> n = 2 fi; run {name}()"),
            3 => {
                writeln!(text, "proctype Z{name}(byte n) {{ if :: n > 0 -> run Z{name}(n - 1) :: n == 0 -> run {name}() fi }}")
                    .expect("a string takes all");
                format!("run Z{name}({})", dice.below(3))
            }
            4 => {
                writeln!(text, "proctype Z{name}(byte n) {{ if :: run {name}() :: n == 1 -> run {name}() fi }}")
                    .expect("a string takes all");
                format!("run Z{name}(n)")
            }
            5 => {
                writeln!(text, "proctype Z{name}() {{ do :: run {name}(); break :: run Z{name}(); break od }}")
                    .expect("a string takes all");
                format!("run Z{name}()")
            }
            6 => format!("if :: run {name}() :: skip fi"),
            _ => format!("run {name}()"),
        });
    }
    if dice.below(2) == 0 {
        creations.reverse();
    }
    if !creations.is_empty() {
        writeln!(text, "init {{ byte n; {} }}", creations.join("; ")).expect("a string takes all");
    }
    text
}

#[test]
fn where_pairs_are_created() {
    every_step_has_its_image("created", &created, short_or_long(200, 100_000), 8);
}

#[test]
fn where_there_is_anything() {
    let generate = |seed: u64| sample(&Profile::small(), seed).text;
    every_step_has_its_image("general", &generate, short_or_long(300, 100_000), 1_000);
}

#[test]
fn where_data_matter() {
    every_step_has_its_image("data", &data_program, short_or_long(200, 100_000), 50);
    every_step_has_its_image("idle", &idle_program, short_or_long(200, 100_000), 50);
}

/// Which of the queues `lost` and `waste` are bounded, where the values of some variables are
/// followed and those of others are carried.
fn bounded(text: &str, tracked: &[&str], carried: &[&str]) -> [bool; 2] {
    let outcome = promela_front::parse("model.pml", text, &promela_front::Options::default());
    let program = outcome.program.unwrap_or_else(|| panic!("{:?} in\n{text}", outcome.diagnostics));
    let named = |names: &[&str]| -> BTreeMap<_, BTreeSet<VariableRef>> {
        let types = program.types.iter().map(|(id, process)| {
            let locals = process.locals.iter().filter(|(_, local)| names.contains(&local.name.as_str()));
            (id, locals.map(|(local, _)| VariableRef::Local(local)).collect())
        });
        types.filter(|(_, names): &(_, BTreeSet<_>)| !names.is_empty()).collect()
    };
    let precision =
        Precision { pairs: true, tracked: named(tracked), carried: named(carried), ..Precision::default() };
    let options = abstraction::Options { precision, ..abstraction::Options::default() };
    let system = abstract_program(&program, &options).expect("it is small").system;
    let result = boundedness::check(&system, &boundedness::Options::default());
    ["lost", "waste"].map(|name| {
        let mut buffers = system.buffers.iter();
        let id = buffers.find(|(_, buffer)| buffer.name == name).map(|(id, _)| id).expect("it is there");
        matches!(result.buffers[id], boundedness::BufferVerdict::Bounded { .. })
    })
}

const S: &str =
    "mtype = { word, end, note }; chan q = [2] of { mtype, byte }; chan s = [2] of { mtype, byte };
    chan lost = [1] of { byte }; chan waste = [1] of { byte }; byte h;
    active proctype S() { byte n; do :: q!word(n) :: q!note(7) :: q!end(n); n = (n + 1) % 5 od }";

/// A receiver of `c` that discards into `lost` words that it does not expect, and other things into
/// `waste`.
const R: &str = "byte r, got; mtype kind; do
    :: c?kind(got) -> if :: kind == end -> r = (r + 1) % 5
        :: kind != end -> if
            :: got != r -> if :: kind == word -> lost!got :: else -> waste!got fi
            :: else -> if :: kind == word -> h = 1 :: else fi fi fi od";

/// What is executed with some values only stays where more is told apart, or less.
#[test]
fn where_other_values_are_told_apart_what_is_executed_stays() {
    let more = format!("{S} active proctype R() {{ chan c = q; {R} }}");
    // The kind is stored behind it, and nobody looks at what it is stored in: it is told apart
    // where it is followed, and not where that matters.
    let less = format!(
        "{S} active proctype R() {{ byte r, got; mtype kind, old; do
            :: q?kind(got) -> if :: kind == end -> r = (r + 1) % 5
                :: kind != end -> if :: got != r -> waste!got; old = kind :: else fi fi :: lost!0; lost?_ od }}"
    );
    for carried in [&[][..], &["got"], &["r", "got"]] {
        assert_eq!(bounded(&more, &["kind"], carried), [true, false], "{carried:?}");
        assert!(!bounded(&less, &["kind"], carried)[1], "{carried:?}");
    }
}

/// Of those that come into being by the same statement each executes it with other values.
#[test]
fn what_one_of_a_lineage_executes_is_left_out_of_none() {
    let with = |sent: &str, choice: &str| {
        let text = format!(
            "{S} active proctype T() {{ byte n; do {sent} :: s!end(n); n = (n + 1) % 5 od }}
             proctype R(chan c; byte id) {{ {R} }}
             init {{ byte i; chan c = q; if {choice} fi; run R(c, i) }}"
        );
        bounded(&text, &["i", "kind"], &["got"])
    };
    let (same, other) = (":: s!word(n) :: s!note(7)", ":: s!word(7) :: s!note(n)");
    for choice in [":: i = 1 :: i = 2; c = s", ":: i = 1; c = s :: i = 2"] {
        assert_eq!(with(same, choice), [true, false], "{choice}");
        assert_eq!(with(other, choice), [false, false], "{choice}");
    }
    assert_eq!(with(other, ":: i = 1"), [true, false]);
}
