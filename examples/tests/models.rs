//! Every model in `models/` has the verdicts that its header promises, in both encodings.
//!
//! A header consists of the lines `// expect: VERDICT`, one `// bound: BUFFER N` for each bounded
//! buffer by a number that is known, and one `// grows: BUFFER` for each that is not bounded. That
//! is what freeboard says today. What is right stands in the lines `// verdict:` and `// maximum:`,
//! which `crates/integration-tests/tests/beside_spin/examples.rs` reads.
#![allow(clippy::unwrap_used)] // clippy.toml allows it in tests, and helpers of tests are no less

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::sync::LazyLock;

use freeboard::ilp_encode::Encoding;
use freeboard::report::view::{BufferVerdict, PropertyResult};
use freeboard::{
    Analysis, Options, RunLimits, certify, check_livelock, check_promela, has_progress_labels, read_promela,
};

/// The header that a result deserves.
fn header_of(result: &PropertyResult) -> Vec<String> {
    let verdict = serde_name(result);
    let buffers = result.buffers.iter().filter_map(|buffer| match (&buffer.bound, buffer.verdict) {
        (Some(bound), BufferVerdict::Bounded) => Some(format!("bound: {} {bound}", buffer.name)),
        (None, BufferVerdict::Bounded) => None,
        _ => Some(format!("grows: {}", buffer.name)),
    });
    let mut lines: Vec<String> = buffers.collect();
    lines.sort();
    lines.insert(0, format!("expect: {verdict}"));
    lines
}

/// The verdict as the JSON has it.
fn serde_name(result: &PropertyResult) -> String {
    format!("{:?}", result.verdict).to_lowercase()
}

/// The header that a model has, in the same order.
fn header_in(text: &str) -> Vec<String> {
    let keyed = |line: &&str| ["expect:", "bound:", "grows:"].iter().any(|key| line.starts_with(key));
    let lines = text.lines().map_while(|line| line.strip_prefix("//")).map(str::trim);
    let mut lines: Vec<String> = lines.filter(keyed).map(str::to_owned).collect();
    lines.sort_by_key(|line| (!line.starts_with("expect:"), line.clone()));
    lines
}

fn models() -> Vec<(String, String)> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("models");
    let mut models = Vec::new();
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "pml") {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            models.push((name, fs::read_to_string(path).unwrap()));
        }
    }
    models.sort();
    models
}

/// A model and what is found out about it.
struct Checked {
    name: String,
    text: String,
    analysis: Analysis,
}

fn check_all(options: &Options) -> Vec<Checked> {
    let check = |(name, text): (String, String)| {
        let analysis = check_promela(&name, &text, options).unwrap_or_else(|failure| panic!("{failure}"));
        Checked { name, text, analysis }
    };
    models().into_iter().map(check).collect()
}

/// How far runs are searched. By default it is further, which helps none of the models: those that
/// nobody can decide take that long.
const RUNS: RunLimits = RunLimits { search_states: 50_000, exploration_states: 100_000 };

/// What is found out by default, but for how far runs are searched, once for all tests.
static CHECKED: LazyLock<Vec<Checked>> =
    LazyLock::new(|| check_all(&Options { runs: RUNS, ..Options::default() }));

fn are_as_their_headers_say(checked: &[Checked]) {
    assert!(checked.len() >= 27, "only {} models", checked.len());
    for Checked { name, text, analysis } in checked {
        assert!(analysis.warnings.is_empty(), "{name}: {:?}", analysis.warnings);
        let result = &analysis.view(name).property_results[0];
        assert_eq!(header_in(text), header_of(result), "{name}");
    }
}

#[test]
fn every_model_is_as_its_header_says() {
    are_as_their_headers_say(&CHECKED);
}

#[test]
fn every_model_is_as_its_header_says_with_a_column_per_cycle() {
    // How far runs are searched does not depend on it, and less is enough for what is found.
    let runs = RunLimits { search_states: 20_000, exploration_states: 20_000 };
    are_as_their_headers_say(&check_all(&Options { encoding: Encoding::Cycles, runs, ..Options::default() }));
}

/// The line `// livelock: VERDICT` is there if there are progress labels, and says what freeboard
/// says.
#[test]
fn every_model_has_the_livelocks_that_its_header_says() {
    let mut verdicts: BTreeSet<String> = BTreeSet::new();
    for (name, text) in models() {
        let header = text.lines().find_map(|line| line.strip_prefix("// livelock: "));
        for encoding in [Encoding::Flow, Encoding::Cycles] {
            let options = Options { encoding, ..Options::default() };
            let model = read_promela(&name, &text, &options).unwrap();
            assert_eq!(has_progress_labels(&model.program), header.is_some(), "{name}");
            let Some(header) = header else { continue };
            let found = check_livelock(&model.program, &model.abstraction, &options);
            let result = &found.view(&name, &model).property_results[0];
            assert_eq!(header, serde_name(result), "{name}, {encoding:?}");
            verdicts.insert(header.to_owned());
        }
    }
    assert_eq!(verdicts, BTreeSet::from(["proved", "refuted"].map(String::from)));
}

#[test]
fn every_certificate_survives_its_file() {
    for Checked { name, analysis, .. } in CHECKED.iter() {
        let certificate = analysis.outcome.verdict.certificate().unwrap();
        let read = certify::Certificate::from_json(&certificate.to_json()).unwrap();
        let system = certify::read_system(&certify::write_system(analysis.system())).unwrap();
        assert_eq!(certify::check(&system, read).as_ref(), Ok(certificate), "{name}");
    }
}

#[test]
fn every_counterexample_points_at_lines_of_its_model() {
    for Checked { name, text, analysis } in CHECKED.iter() {
        let lines: Vec<&str> = text.lines().collect();
        let view = analysis.view(name);
        let examples = view.property_results[0].counterexamples.iter();
        let cycles = examples.flat_map(|example| &example.cycles);
        for step in cycles.flat_map(|cycle| &cycle.steps) {
            let start = step.text.split_whitespace().next().unwrap();
            assert_eq!(step.file, *name);
            assert!(lines[step.line as usize - 1].contains(start), "{name}:{}: {}", step.line, step.text);
        }
    }
}
