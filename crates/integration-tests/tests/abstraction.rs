//! Every model that the front end accepts gets through the abstraction, unless a table says why
//! not.
//!
//! On the models of this repository, and on a collection of other people's models if it is there:
//! of those a sample, all of them with the environment variable `FREEBOARD_LONG`. How long it takes
//! is measured elsewhere (`examples/abstractions.rs`).

use freeboard::{Failure, Options, promela_front, read_promela};
use integration_tests::comparison::corpus::{Model, models, own_models, place, sample};
use integration_tests::measurement::reasons::{Reasons, reasons};
use integration_tests::say;

/// The models of the collection that are abstracted by default.
const SAMPLE: usize = 60;

/// Whether the front end accepts a model; if so, whether it has an abstract system.
enum Way {
    Rejected,
    Abstracted,
    Failed(String),
}

fn way(model: &Model, limits: &abstraction::Options) -> Way {
    let parse =
        promela_front::Options { defines: model.defines.clone(), ..promela_front::Options::default() };
    let options = Options { parse, abstraction: limits.clone(), ..Options::default() };
    match read_promela(&model.file.to_string_lossy(), &model.text(), &options) {
        Err(Failure::Input { .. }) => Way::Rejected,
        Err(failure) => Way::Failed(failure.to_string()),
        Ok(found) => match found.abstraction.system.validate() {
            Ok(()) => Way::Abstracted,
            Err(defect) => Way::Failed(format!("the system is not valid: {defect}")),
        },
    }
}

/// The failures that have no reason, and how many models were abstracted. Models with a reason may
/// take very long, and are left out.
fn failures(models: &[Model], reasons: &Reasons, limits: &abstraction::Options) -> (Vec<String>, usize) {
    let (mut failures, mut abstracted) = (Vec::new(), 0);
    for model in models {
        if let Some(reason) = reasons.get(&model.name) {
            say(&format!("left out: {}: {reason}", model.name));
            continue;
        }
        match way(model, limits) {
            Way::Rejected => {}
            Way::Abstracted => abstracted += 1,
            Way::Failed(text) => failures.push(format!("{}: {text}", model.name)),
        }
    }
    (failures, abstracted)
}

/// All models get through, and at least so many are there to do so.
fn check(what: &str, models: &[Model], least: usize) {
    let reasons = reasons(include_str!("../abstraction.tsv"));
    let (failures, abstracted) = failures(models, &reasons, &abstraction::Options::default());
    say(&format!("{what}: {abstracted} of {} abstracted", models.len()));
    assert!(failures.is_empty(), "no abstract system, and no reason why:\n  {}", failures.join("\n  "));
    assert!(abstracted >= least, "{abstracted} models abstracted");
}

#[test]
fn the_models_of_this_repository_get_through() {
    check("models of this repository", &own_models(), 40);
}

#[test]
fn the_models_of_other_people_get_through() {
    let Some(place) = place(None) else {
        return say(
            "SKIPPED the_models_of_other_people_get_through: there is no collection of models beside \
                    this repository",
        );
    };
    // Of those that Spin accepts, as far as the table says.
    let models = models(&place);
    let accepted: Vec<Model> = models.iter().filter(|model| model.listed == Some(true)).cloned().collect();
    if std::env::var_os("FREEBOARD_LONG").is_some() {
        check("all models of other people", &models, accepted.len() / 2);
    } else {
        check("models of other people", &sample(&accepted, SAMPLE), SAMPLE / 2);
    }
}

#[test]
fn a_model_that_does_not_get_through_is_noticed() {
    let limits = abstraction::Options { transitions: 1, ..abstraction::Options::default() };
    let model = own_models().into_iter().find(|model| model.name == "examples/models/two_processes.pml");
    let models = [model.expect("a model that is always there")];
    let (found, abstracted) = failures(&models, &Reasons::new(), &limits);
    assert_eq!(abstracted, 0);
    assert!(found.len() == 1 && found[0].contains("more than 1 transition"), "{found:?}");
    let known = Reasons::from([(models[0].name.clone(), "so it is".into())]);
    assert_eq!(failures(&models, &known, &limits), (vec![], 0));
}
