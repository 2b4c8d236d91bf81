//! Random programs: what they are made of, and that Spin and the front end take them.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

use cfsm_core::program::{LocationId, ProcessTypeId, Program};
use explore::Semantics;
use integration_tests::generator::{Feature, Generated, Profile, programs, sample};
use integration_tests::spin;
use integration_tests::{given, say, short_or_long};
use promela_front::{Options, Severity, parse};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;

/// Programs by number; the first number is `PROPTEST_RNG_SEED`, or 0.
fn many(profile: &Profile, count: u64) -> impl Iterator<Item = (u64, Generated)> {
    let first = given("PROPTEST_RNG_SEED").unwrap_or(0);
    (first..first + count).map(|seed| (seed, sample(profile, seed)))
}

/// Words that the text of a program has if it uses a construct.
const WORDS: &[(Feature, &str)] = &[
    (Feature::Bit, "bit "),
    (Feature::Bool, "bool "),
    (Feature::Short, "short "),
    (Feature::Int, "int "),
    (Feature::Pid, "pid "),
    (Feature::Unsigned, "unsigned "),
    (Feature::SymbolSet, "mtype:fruit"),
    (Feature::Hidden, "hidden "),
    (Feature::Rendezvous, "= [0] of"),
    (Feature::LocalChannel, "] of {"),
    (Feature::ChannelInMessage, "chan"),
    (Feature::Init, "init {"),
    (Feature::Active, "active "),
    (Feature::ActiveSeveral, "active ["),
    (Feature::Run, "run P"),
    (Feature::RunInLoop, "run P"),
    (Feature::RunForEver, "run P"),
    (Feature::RunValue, "= run P"),
    (Feature::Recursion, " - 1"),
    (Feature::Provided, "provided ("),
    (Feature::Priority, "priority"),
    (Feature::Deterministic, "D_proctype"),
    (Feature::Increment, "++"),
    (Feature::Decrement, "--"),
    (Feature::Assert, "assert("),
    (Feature::Print, "print"),
    (Feature::Send, "!"),
    (Feature::SortedSend, "!"),
    (Feature::Receive, "?"),
    (Feature::RandomReceive, "??"),
    (Feature::PeekReceive, "?<"),
    (Feature::RandomPeek, "??<"),
    (Feature::Eval, "eval("),
    (Feature::Wildcard, "_"),
    (Feature::Poll, "?["),
    (Feature::RandomPoll, "??["),
    (Feature::Length, "len("),
    (Feature::Empty, "empty("),
    (Feature::NotEmpty, "nempty("),
    (Feature::Full, "full("),
    (Feature::NotFull, "nfull("),
    (Feature::Timeout, "timeout"),
    (Feature::Else, "else"),
    (Feature::If, "if\n"),
    (Feature::Do, "do\n"),
    (Feature::Break, "break"),
    (Feature::Goto, "goto "),
    (Feature::Label, "L"),
    (Feature::EndLabel, "end"),
    (Feature::ProgressLabel, "progress"),
    (Feature::AcceptLabel, "accept"),
    (Feature::ForRange, "for ("),
    (Feature::ForArray, " in "),
    (Feature::ForChannel, " in "),
    (Feature::Select, "select ("),
    (Feature::Atomic, "atomic {"),
    (Feature::DStep, "d_step {"),
    (Feature::Unless, "} unless {"),
    (Feature::NestedUnless, "} unless {"),
    (Feature::Inline, "inline call"),
    (Feature::InlineReturn, "return "),
    (Feature::MacroCondition, "#endif"),
    (Feature::Conditional, " -> "),
    (Feature::OwnPid, "_pid"),
    (Feature::ProcessCount, "_nr_pr"),
    (Feature::Last, "_last"),
    (Feature::Enabled, "enabled("),
    (Feature::ProgramCounter, "pc_value("),
    (Feature::RemoteLabel, "]@"),
    (Feature::RemoteVariable, "]:"),
    (Feature::RequestReply, "!own"),
    (Feature::Token, " % "),
    (Feature::ArrayOfRecords, "R"),
    (Feature::RecordInMessage, "R"),
];

/// Every construct is chosen, and what is counted as chosen is there.
#[test]
fn all_constructs_are_generated() {
    let mut programs_with: BTreeMap<Feature, usize> = BTreeMap::new();
    let count = short_or_long(1500, 10_000);
    for (seed, program) in many(&Profile::whole(), count) {
        for feature in program.features.keys() {
            *programs_with.entry(*feature).or_insert(0) += 1;
        }
        for (feature, word) in WORDS {
            let there = !program.features.contains_key(feature) || program.text.contains(word);
            assert!(there, "{seed}: {feature:?} without `{word}` in\n{}", program.text);
        }
    }
    let rare: Vec<_> = Feature::ALL
        .iter()
        .map(|feature| (*feature, programs_with.get(feature).copied().unwrap_or(0)))
        .filter(|(_, programs)| *programs < 3)
        .collect();
    assert!(rare.is_empty(), "of {count} programs, so many have: {rare:?}");
}

/// What Spin says of a program: `None` if it takes it.
fn complaint_of_spin(directory: &std::path::Path, program: &Generated) -> Option<String> {
    std::fs::write(directory.join("model.pml"), &program.text).expect("room for a model");
    let output = Command::new("spin").args(["-a", "model.pml"]).current_dir(directory).output();
    let output = output.expect("spin starts");
    let text =
        [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
    let error = text.lines().find(|line| line.contains("Error")).map(str::to_owned);
    (!output.status.success()).then(|| error.unwrap_or(text))
}

/// What the front end says of a program: `None` if it takes it.
fn complaint_of_ours(program: &Generated) -> Option<String> {
    let outcome = parse("model.pml", &program.text, &Options::default());
    let error = outcome.diagnostics.iter().find(|diagnostic| diagnostic.severity == Severity::Error);
    error.map(|error| error.line(&outcome.sources).to_string())
}

/// Spin takes nearly all programs, and the front end takes those that Spin takes.
#[test]
fn spin_and_the_front_end_take_programs() {
    if !spin::is_here("spin_and_the_front_end_take_programs") {
        return;
    }
    let directory = tempfile::tempdir().expect("a directory for temporary files");
    let count = short_or_long(150, 5_000);
    let mut accepted = 0;
    let mut differences = Vec::new();
    for (seed, program) in many(&Profile::whole(), count) {
        match (complaint_of_spin(directory.path(), &program), complaint_of_ours(&program)) {
            (None, None) => accepted += 1,
            (None, Some(ours)) => differences.push(format!("{seed}: only Spin takes it: {ours}")),
            (Some(spin), None) => say(&format!("{seed}: only the front end takes it: {spin}")),
            (Some(_), Some(_)) => {}
        }
    }
    say(&format!("{accepted} of {count} programs are taken by both"));
    assert!(differences.is_empty(), "{}", differences.join("\n"));
    assert!(accepted * 100 >= count * 95, "{accepted} of {count}");
}

/// What shrinks keeps what made it fail, and little else.
#[test]
fn programs_shrink() {
    let mut runner = TestRunner::deterministic();
    let mut shrunk = 0;
    for _ in 0..40 {
        let mut tree = programs(&Profile::whole()).new_tree(&mut runner).expect("no case is refused");
        let fails = |program: &Generated| program.text.contains("select (");
        if !fails(&tree.current()) {
            continue;
        }
        while if fails(&tree.current()) { tree.simplify() } else { tree.complicate() } {}
        let text = tree.current().text;
        assert!(fails(&tree.current()), "{text}");
        assert!(text.lines().count() <= 24, "{text}");
        shrunk += 1;
    }
    assert!(shrunk > 3, "{shrunk}");
}

/// What five random runs of a program of 300 steps each come to.
#[derive(Default)]
struct Reached {
    longest: usize,
    receives: usize,
    locations: BTreeSet<(ProcessTypeId, LocationId)>,
}

fn reached(program: &Program, semantics: &Semantics) -> Reached {
    let mut reached = Reached::default();
    for seed in 0..5 {
        let Ok(steps) = semantics.simulate(seed, 300) else { continue };
        reached.longest = reached.longest.max(steps.len());
        for one in steps.iter().flat_map(|step| &step.moves) {
            reached.receives += usize::from(one.received.is_some());
            let edge = one.edge.map(|edge| &program.types[one.process_type].edges[edge]);
            let ends = edge.map(|edge| [edge.source, edge.target]);
            reached.locations.extend(ends.into_iter().flatten().map(|end| (one.process_type, end)));
        }
    }
    reached
}

/// Programs come somewhere: what they do is more than to wait.
#[test]
fn programs_do_something() {
    let options = explore::Options { buffers: explore::Buffers::Unbounded, ..explore::Options::default() };
    let count = usize::try_from(short_or_long(500, 5_000)).expect("a small number");
    let (mut long_runs, mut receiving, mut visited, mut locations, mut unable) = (0, 0, 0, 0, 0);
    for (seed, program) in many(&Profile::whole(), count as u64) {
        let outcome = parse("model.pml", &program.text, &Options::default());
        let refused =
            || panic!("{seed} is not accepted: {}\n{}", outcome.diagnostics[0].message, program.text);
        let program = outcome.program.unwrap_or_else(refused);
        let Ok(semantics) = Semantics::new(&program, &options) else {
            unable += 1;
            continue;
        };
        let reached = reached(&program, &semantics);
        long_runs += usize::from(reached.longest >= 20);
        receiving += usize::from(reached.receives > 0);
        visited += reached.locations.len();
        locations += program.types.values().map(|ty| ty.locations.len()).sum::<usize>();
    }
    say(&format!(
        "of {count} programs {long_runs} come to 20 steps, {receiving} receive, {unable} cannot be run; \
         {visited} of {locations} locations are reached"
    ));
    assert!(unable * 20 < count && long_runs * 100 > count * 60 && receiving * 100 > count * 55);
    assert!(visited * 2 > locations, "{visited} of {locations}");
}
