//! `check --property livelock`, for people and as JSON, and the files that go with it.

use std::fs;

use crate::harness::{freeboard, freeboard_reads};

fn livelock<'a>(more: &[&'a str]) -> Vec<&'a str> {
    [&["check", "--property", "livelock"], more].concat()
}

#[test]
fn a_livelock() {
    let run = freeboard(&livelock(&["open_counter.pml"]));
    assert_eq!(run.status, 1, "{run:?}");
    insta::assert_snapshot!(run.timeless());
}

#[test]
fn freedom_from_livelocks() {
    let run = freeboard(&livelock(&["fair_counter.pml"]));
    assert_eq!(run.status, 0, "{run:?}");
    insta::assert_snapshot!(run.timeless());
}

#[test]
fn a_livelock_that_may_be_none() {
    let run = freeboard(&livelock(&["refilled.pml"]));
    assert_eq!(run.status, 2, "{run:?}");
    insta::assert_snapshot!(run.timeless());
}

#[test]
fn the_json_of_a_livelock() {
    let mut view = freeboard(&livelock(&["--format", "json", "open_counter.pml"])).json();
    view["statistics"]["seconds"].take();
    insta::assert_snapshot!(serde_json::to_string_pretty(&view).unwrap());
}

#[test]
fn the_properties_that_are_asked_for() {
    let properties = |arguments: &[&str]| {
        let view = freeboard(&[&["check", "--format", "json"], arguments].concat()).json();
        let results = view["property-results"].as_array().unwrap().iter();
        results.map(|result| result["property"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(properties(&["fair_counter.pml"]), ["boundedness", "livelock"]);
    assert_eq!(properties(&["--property", "all", "two_processes.pml"]), ["boundedness", "livelock"]);
    assert_eq!(properties(&["--property", "boundedness", "fair_counter.pml"]), ["boundedness"]);
    assert_eq!(properties(&["--property", "livelock", "fair_counter.pml"]), ["livelock"]);
    assert_eq!(properties(&["two_processes.pml"]), ["boundedness"]);
}

#[test]
fn a_deadlock_is_no_livelock() {
    let text = b"chan c = [1] of { bit }; active proctype P() { progress: c!1; c!0; c?1 }";
    let run = freeboard_reads(&livelock(&["-"]), text);
    assert_eq!(run.status, 0, "{run:?}");
    assert!(run.stdout.starts_with("LIVELOCK-FREE: "), "{run:?}");
    assert!(
        run.stdout.contains("Note: the model can come to a state in which no process can step"),
        "{run:?}"
    );
    let text = b"chan c = [2] of { bit }; active proctype P() { progress: c!1; c?1 }";
    assert!(!freeboard_reads(&livelock(&["-"]), text).stdout.contains("can step"));
}

#[test]
fn labels_that_count_for_nothing_are_noted() {
    let text = b"active proctype P() {\n bit x;\n do :: atomic { x = 1; progress: x = 0 } od\n}";
    let run = freeboard_reads(&livelock(&["-"]), text);
    assert_eq!(run.status, 2, "{run:?}");
    let flat = run.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        flat.contains("Note: the label `progress` (<stdin>:3) stands in the middle of `atomic`"),
        "{flat}"
    );
}

#[test]
fn certificates_of_both_properties_stand_in_one_file() {
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name).to_str().unwrap().to_owned();
    let (system, certificate) = (path("system"), path("certificate"));
    let run = freeboard(&["check", "--certificate", &certificate, "--system", &system, "fair_counter.pml"]);
    assert_eq!(run.status, 0, "{run:?}");
    let verify = |format| freeboard(&["verify", "--format", format, "--system", &system, &certificate]);
    let run = verify("human");
    assert_eq!(run.status, 0, "{run:?}");
    assert!(run.stdout.ends_with("request2 ≤ 1, every infinite run makes progress\n"), "{run:?}");
    assert_eq!(verify("json").json()["livelock-free"], true);

    // The same system, read from its file, has the same verdicts.
    let again = freeboard(&["check", &system]);
    assert!(again.stdout.contains("LIVELOCK-FREE"), "{again:?}");

    // Without its marks it has not, and the certificate is rejected.
    let text = fs::read_to_string(&system).unwrap();
    let unmarked = text.replace("\"progress\": true", "\"progress\": false");
    assert_ne!(text, unmarked);
    fs::write(&system, unmarked).unwrap();
    let run = verify("human");
    assert_eq!(run.status, 1);
    assert!(run.stdout.contains("claim 7, on livelocks: "), "{run:?}");
}

#[test]
fn a_witness_of_a_livelock_can_be_replayed() {
    let directory = tempfile::tempdir().unwrap();
    let witness = directory.path().join("witness").to_str().unwrap().to_owned();
    let run = freeboard(&livelock(&["--witness", &witness, "open_counter.pml"]));
    assert_eq!(run.status, 1, "{run:?}");
    let run = freeboard(&["replay", "open_counter.pml", &witness]);
    assert_eq!(run.status, 0, "{run:?}");
    // The first customer's statement that is progress is no part of it.
    assert!(!run.stdout.contains("grant1"), "{run:?}");
}
