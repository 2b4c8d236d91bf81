//! What people ask about: processes that stay behind, numbers that are counted up, limits, and
//! sentences without holes.

use std::fs;

use serde_json::json;

use crate::harness::{Run, freeboard, models};

/// The same processes again and again: thesis, Listing 7.6, and a server that is slower than its
/// clients.
const LEFT_BEHIND: [&str; 2] = [
    "mtype = { hello, bye }; chan box = [4] of { mtype };
     proctype Kid() { box!hello; box?bye }
     init { do :: run Kid() od }",
    "mtype = { q, a }; chan line = [4] of { mtype }; chan back = [4] of { mtype };
     proctype Caller() { line!q; line!q; back?a }
     active proctype Switchboard() { do :: run Caller() od }
     active proctype Operator() { do :: line?q; line?q; back!a od }",
];

/// Thesis, Figure 5.5.
const COUNTED: &str = "chan q = [4] of { byte };
     active proctype C() { int n; do :: n++ :: break od; do :: n > 0 -> q!1; n-- :: else -> break od }";

/// What `check` says about a text, for people; and a witness of it, replayed.
fn refuted(text: &str) -> (String, serde_json::Value, Run) {
    let directory = tempfile::tempdir().unwrap();
    let (model, path) = (directory.path().join("model.pml"), directory.path().join("witness.json"));
    fs::write(&model, text).unwrap();
    let (model, path) = (model.to_str().unwrap(), path.to_str().unwrap());
    let run = freeboard(&["check", "--witness", path, model]);
    assert_eq!(run.status, 1, "{run:?}");
    let witness = serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
    (run.stdout, witness, freeboard(&["replay", model, path]))
}

#[test]
fn processes_that_stay_behind_refute() {
    for text in LEFT_BEHIND {
        let (told, witness, replayed) = refuted(text);
        assert!(told.contains("the language itself allows 255"), "{told}");
        assert!(!told.contains("unknown"), "{told}");
        assert_eq!(witness["left-behind"], json!(1), "{told}");
        assert_eq!(replayed.status, 0, "{replayed:?}");
    }
}

#[test]
fn numbers_that_are_counted_up_refute() {
    let (told, witness, replayed) = refuted(COUNTED);
    assert!(told.contains("`C.n`, an `int`, may be any number"), "{told}");
    assert!(told.contains("2147483647"), "{told}");
    assert_eq!(witness["counter"], json!("C.n"), "{told}");
    assert_eq!(replayed.status, 0, "{replayed:?}");
    // A number that ends soon is another matter.
    let directory = tempfile::tempdir().unwrap();
    let model = directory.path().join("model.pml");
    fs::write(&model, COUNTED.replace("int n", "byte n")).unwrap();
    let run = freeboard(&["check", model.to_str().unwrap()]);
    assert_ne!(run.status, 1, "{run:?}");
}

#[test]
fn what_was_stopped_says_so() {
    let directory = tempfile::tempdir().unwrap();
    let model = directory.path().join("model.pml");
    fs::write(&model, COUNTED.replace("int n", "unsigned n : 20")).unwrap();
    let told = |limit: &str| {
        let run = freeboard(&["check", "--time-limit", limit, model.to_str().unwrap()]);
        assert_eq!(run.status, 2, "{run:?}");
        run.stdout.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    for limit in ["0s", "100ms"] {
        let told = told(limit);
        assert!(
            told.contains(&format!("stopped after the limit of {limit} that `--time-limit` sets")),
            "{told}"
        );
    }
}

/// What remains of a list that has nothing in it.
const HOLES: [&str; 8] = [" of are ", " of is ", " , ", ": .", ": ;", "; .", " of .", "; ;"];

#[test]
fn no_sentence_has_an_empty_list() {
    let mut count = 0;
    for entry in fs::read_dir(models()).unwrap() {
        let path = entry.unwrap().path();
        let path = path.to_str().unwrap();
        for limits in [&["--max-states", "300"][..], &["--no-search"][..], &["--without", "termination"][..]]
        {
            let arguments =
                [&["check", "--format", "json", "--time-limit", "2s"][..], limits, &[path]].concat();
            let run = freeboard(&arguments);
            let view = run.json();
            let mut sentences: Vec<&str> = Vec::new();
            for key in ["assumptions", "approximations"] {
                sentences.extend(view[key].as_array().unwrap().iter().filter_map(|text| text.as_str()));
            }
            for result in view["property-results"].as_array().unwrap() {
                sentences.extend(result["reason"].as_str());
                for act in result["refinement"].as_array().into_iter().flatten() {
                    sentences.extend(["because", "excluded-by"].iter().filter_map(|key| act[*key].as_str()));
                }
            }
            for text in sentences {
                assert!(!HOLES.iter().any(|hole| text.contains(hole)), "{path}: {text}");
                assert!(!text.is_empty() && !text.contains("  "), "{path}: {text}");
                count += 1;
            }
        }
    }
    assert!(count > 100, "{count}");
}
