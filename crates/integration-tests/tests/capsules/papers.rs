//! The examples of the papers, and a system of the size of theirs.

use freeboard::boundedness::BufferVerdict;
use freeboard::report::view::Verdict;
use freeboard::umlrt_front::{Options, parse};
use freeboard::{Analysis, Detail, list_cycles};
use integration_tests::capsules::exchange_text;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::path::PathBuf;

use super::{check, options};

fn papers() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../umlrt-front/tests/fixtures/papers")
}

/// The verdict and bounds that the header of a text expects.
#[derive(Default)]
struct Expected {
    verdict: String,
    bounds: BTreeMap<String, u64>,
    grows: Vec<String>,
    /// The named transitions of each elementary cycle that has some.
    cycles: Vec<String>,
}

fn expected(text: &str) -> Expected {
    let mut expected = Expected::default();
    for line in text.lines().map_while(|line| line.strip_prefix("// ")) {
        let Some((key, value)) = line.split_once(": ") else { continue };
        match key {
            "verdict" => expected.verdict = value.to_owned(),
            "grows" => expected.grows.push(value.to_owned()),
            "cycles" => expected.cycles.push(value.to_owned()),
            "bound" => {
                let (queue, bound) = value.split_once(" <= ").expect("a bound");
                expected.bounds.insert(queue.to_owned(), bound.parse().expect("a number"));
            }
            _ => {}
        }
    }
    expected.cycles.sort();
    expected
}

/// The named transitions of each elementary cycle of the first process that has more than one.
fn cycles(analysis: &Analysis) -> Vec<String> {
    let listing = list_cycles(analysis.system(), "m.room", Detail::List, Some(10_000));
    let named = |text: &str| {
        let name = text.strip_prefix("Transition ")?.split(':').next()?;
        Some(name.to_owned())
    };
    let lists = listing.processes.iter().filter_map(|process| process.list.as_ref());
    let mut all: Vec<String> = lists
        .flatten()
        .map(|steps| {
            let mut names: Vec<String> = steps.iter().filter_map(|step| named(&step.text)).collect();
            names.sort();
            names.dedup();
            names.join(" ")
        })
        .filter(|names| !names.is_empty())
        .collect();
    all.sort();
    all
}

#[test]
fn the_examples_of_the_papers_come_out_as_they_should() {
    let entries = fs::read_dir(papers()).expect("texts");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.sort();
    assert!(paths.len() >= 12);
    for path in paths {
        let text = fs::read_to_string(&path).expect("a text");
        let name = path.file_name().and_then(|name| name.to_str()).expect("a name");
        let (expected, analysis) = (expected(&text), check(name, &text, &options()));
        let verdict = analysis.view(name).property_results[0].verdict;
        match expected.verdict.as_str() {
            "proved" => assert_eq!(verdict, Verdict::Proved, "{name}"),
            "refuted" => assert_eq!(verdict, Verdict::Refuted, "{name}"),
            other => {
                assert_eq!(other, "not proved", "{name}");
                assert_ne!(verdict, Verdict::Proved, "{name}");
            }
        }
        for (id, buffer) in analysis.system().buffers.iter() {
            let found = &analysis.outcome.buffers[id];
            if let Some(bound) = expected.bounds.get(&buffer.name) {
                let BufferVerdict::Bounded { bound: proved, .. } = found else {
                    panic!("{name}: {} is {found}", buffer.name);
                };
                assert!(*proved <= (*bound).into(), "{name}: {} is {found}", buffer.name);
            }
            if expected.grows.contains(&buffer.name) {
                assert!(matches!(found, BufferVerdict::CanGrow { .. }), "{name}: {} is {found}", buffer.name);
            }
        }
        if !expected.cycles.is_empty() {
            assert_eq!(cycles(&analysis), expected.cycles, "{name}");
        }
    }
}

/// The size of the papers' exchange: 27 processes, some 800 states, 300 types of messages.
#[test]
fn a_system_of_the_size_of_an_exchange_is_decided() {
    let text = exchange_text(13, 30);
    let outcome = parse("exchange.room", &text, &Options::default());
    let lowered = outcome.lowered.expect("no error");
    assert_eq!(lowered.program.types.len(), 27);
    let stable: usize = lowered.stable.values().map(BTreeMap::len).sum();
    assert!(stable >= 780, "{stable} stable locations");
    let analysis = check("exchange.room", &text, &Options::default());
    assert_eq!(analysis.view("exchange.room").property_results[0].verdict, Verdict::Proved);
    assert!(analysis.system().buffers.len() >= 75);
}
