//! The front end beside Spin: the same texts are accepted, with the same control-flow graphs.
//!
//! On the models of this repository, and on a collection of other people's models if it is there:
//! on samples of those, on all of them with the environment variable `FREEBOARD_LONG`.

use integration_tests::comparison::corpus::{Model, models, own_models, place, sample};
use integration_tests::comparison::differences::{problems, reasons};
use integration_tests::comparison::page::{Acceptance, Equality};
use integration_tests::comparison::run::{Compared, Reading, compare_all};
use integration_tests::say;
use integration_tests::spin::is_here;
use promela_front::{Options, Severity, parse};

/// Of what Spin accepts, the part that must be accepted.
const ACCEPTED: f64 = 0.99;
/// Of what Spin rejects for its text, the part that must be rejected.
const REJECTED: f64 = 0.95;
/// Of the graphs that are compared, the part that must be equal.
const EQUAL: f64 = 0.95;
/// The models of the collection that are read by default; the graphs of an eighth are compared.
const SAMPLE: usize = 80;

/// Reads a model as `freeboard` would.
fn read(model: &Model) -> Reading {
    let options = Options { defines: model.defines.clone(), ..Options::default() };
    let outcome = parse(&model.file.to_string_lossy(), &model.text(), &options);
    let error = outcome.diagnostics.iter().find(|found| found.severity == Severity::Error);
    let error = error.map(|error| error.line(&outcome.sources).to_string()).unwrap_or_default();
    Reading { program: outcome.program, error, panics: false }
}

/// The parts are as large as promised; if all graphs were compared, every difference has a reason.
fn check(what: &str, results: &[Compared], graphs: bool) {
    let reasons = reasons(include_str!("../../differences.tsv"));
    let problems = problems(results, &reasons, graphs);
    // A collection may grow, and what is new in it is no mistake of this repository.
    say(&format!("{what}: {} differences without a reason\n  {}", problems.len(), problems.join("\n  ")));
    assert!(!graphs || problems.is_empty(), "differences from Spin:\n  {}", problems.join("\n  "));
    let (accepted, equal) = (Acceptance::of(results), Equality::of(results));
    say(&format!("{what}: {accepted:?}, {equal:?}"));
    assert_eq!(accepted.panics, 0);
    assert!(accepted.accepted() >= ACCEPTED, "{accepted:?}");
    assert!(accepted.rejected() >= REJECTED, "{accepted:?}");
    assert!(equal.equal() >= EQUAL || equal.processes.0 - equal.processes.1 <= 1, "{equal:?}");
    assert!(equal.processes.0 > 0);
}

#[test]
fn the_models_of_this_repository_are_read_as_spin_reads_them() {
    if is_here("the_models_of_this_repository_are_read_as_spin_reads_them") {
        check("models of this repository", &compare_all(&own_models(), &read, &|_| true), true);
    }
}

#[test]
fn the_models_of_other_people_are_read_as_spin_reads_them() {
    let name = "the_models_of_other_people_are_read_as_spin_reads_them";
    if !is_here(name) {
        return;
    }
    let Some(place) = place(None) else {
        return say(&format!("SKIPPED {name}: there is no collection of models beside this repository"));
    };
    let all = std::env::var_os("FREEBOARD_LONG").is_some();
    let models = models(&place);
    let models = if all { models } else { sample(&models, SAMPLE) };
    // Of those that Spin accepts, as far as the table says.
    let accepted: Vec<Model> = models.iter().filter(|model| model.listed == Some(true)).cloned().collect();
    let compared = sample(&accepted, SAMPLE / 8);
    let chosen = |model: &Model| all || compared.iter().any(|found| found.name == model.name);
    check("models of other people", &compare_all(&models, &read, &chosen), all);
}
