//! `check --property livelock`, for people and as JSON, and the files that go with it.

use std::fs;

use crate::harness::{freeboard, freeboard_reads, make_older};

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
    let run = freeboard(&livelock(&["--no-refine", "refilled.pml"]));
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
    assert!(run.first_line().ends_with("request2 ≤ 1, every infinite run makes progress"), "{run:?}");
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
    assert!(run.stdout.contains("was made for another system"), "{run:?}");
    make_older(&certificate);
    let run = verify("human");
    assert_eq!(run.status, 1);
    assert!(run.stdout.contains(", on livelocks: "), "{run:?}");
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

/// A search of few states shows it as well, but nobody could check that again.
#[test]
fn a_certificate_comes_before_a_search() {
    let run = freeboard(&livelock(&["lost_luggage.pml"]));
    assert!(
        run.stdout.contains("certificate of the abstraction checked") && run.stdout.contains("by tracking"),
        "{run:?}"
    );
    let run = freeboard(&livelock(&["--without", "tracking", "lost_luggage.pml"]));
    assert!(run.stdout.contains("no run goes on without progress; not certified"), "{run:?}");
}

/// Customers who find no room come again and again, which they cannot if there is room for
/// everybody.
const CROWDED: &str = "chan waiting = [1] of { byte };
active [2] proctype Customer() { do :: waiting!_pid :: else -> skip od }
active proctype Barber() { byte who; do :: waiting?who -> progress: skip od }
";

#[test]
fn a_livelock_with_a_limited_channel() {
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name).to_str().unwrap().to_owned();
    fs::write(path("crowded.pml"), CROWDED).unwrap();
    let run = freeboard(&livelock(&["--witness", &path("witness"), &path("crowded.pml")]));
    assert_eq!(run.status, 1, "{run:?}");
    insta::assert_snapshot!(run.timeless().replace(&path(""), ""));
    let run = freeboard(&["replay", &path("crowded.pml"), &path("witness")]);
    assert_eq!(run.status, 0, "{run:?}");
    // Without a limit, nobody finds the room full.
    let mut witness: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(path("witness")).unwrap()).unwrap();
    assert_eq!(witness["limited"][0]["name"], "waiting", "{witness}");
    witness.as_object_mut().unwrap().remove("limited");
    fs::write(path("unbounded"), witness.to_string()).unwrap();
    let run = freeboard(&["replay", &path("crowded.pml"), &path("unbounded")]);
    assert_eq!(run.status, 1, "{run:?}");
}

/// A model that is livelock-free in fair runs only.
const FAIR: &[u8] =
    b"bit x;\nactive proctype Idle() { do :: x = 1 - x od }\nactive proctype Worker() {\n  bit y;\n  \
    do :: y = 1 - y; progress: y = 1 - y od\n}";

#[test]
fn runs_may_have_to_be_fair() {
    let run = freeboard_reads(&livelock(&["-"]), FAIR);
    assert_eq!(run.status, 1, "{run:?}");
    let run = freeboard_reads(&livelock(&["--fairness", "weak", "-"]), FAIR);
    assert_eq!(run.status, 0, "{run:?}");
    insta::assert_snapshot!(run.timeless());
    let json = ["--fairness", "weak", "--format", "json", "-"];
    assert_eq!(freeboard_reads(&livelock(&json), FAIR).json()["property-results"][0]["fairness"], "weak");
    // A proof for all runs says so.
    let run = freeboard(&livelock(&["--fairness", "weak", "--format", "json", "fair_counter.pml"])).json();
    assert_eq!(run["property-results"][0]["verdict"], "proved");
    assert!(run["property-results"][0].get("fairness").is_none());
    // A fair run refutes.
    let run = freeboard(&livelock(&["--fairness", "weak", "open_counter.pml"]));
    assert_eq!(run.status, 1, "{run:?}");
    assert!(run.stdout.starts_with("LIVELOCK: a fair run without progress was replayed"), "{run:?}");
}

#[test]
fn a_proof_for_fair_runs_is_none_for_all() {
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name).to_str().unwrap().to_owned();
    let (system, certificate) = (path("system"), path("certificate"));
    let files = ["--fairness", "weak", "--certificate", &certificate, "--system", &system, "-"];
    assert_eq!(freeboard_reads(&livelock(&files), FAIR).status, 0);
    let verify = |format| freeboard(&["verify", "--format", format, "--system", &system, &certificate]);
    let said = verify("human");
    assert_eq!(said.first_line(), "accepted: every infinite run makes progress that is weakly fair");
    assert!(said.stdout.contains("always-ready, of Worker@5.1, Worker@5.2: "), "{said:?}");
    let view = verify("json").json();
    assert_eq!((&view["livelock-free"], &view["livelock-free-if-fair"]), (&false.into(), &true.into()));
    // The claim cannot be made one about all runs.
    let text = fs::read_to_string(&certificate).unwrap();
    let stronger = text.replace("\"fairness\": \"weak\"", "\"fairness\": \"none\"");
    assert_ne!(text, stronger);
    fs::write(&certificate, stronger).unwrap();
    let run = verify("human");
    assert_eq!(run.status, 1);
    assert!(run.stdout.contains("a departure is a proof for fair runs"), "{run:?}");
}

/// What was taken for progress in a search is not said to be progress.
#[test]
fn a_label_that_does_not_count_makes_no_progress() {
    let text = b"chan q = [1] of { byte }; byte n;
        active proctype P() { do :: q!n; atomic { q?n; progress: n = (n + 1) % 3 } od }";
    let run = freeboard_reads(&["check", "--property", "livelock", "-"], text);
    assert_eq!(run.status, 2, "{run:?}");
    let words: Vec<&str> = run.stdout.split_whitespace().collect();
    let text = words.join(" ");
    assert!(
        text.contains("but not all of these count") && !text.contains("without progress, but"),
        "{run:?}"
    );
}

/// Only the engines that are named have their turns: a run is found by those that look at runs, and
/// by the one that looks at all states.
#[test]
fn engines_that_are_not_named_find_nothing() {
    let run_of = |property: &str, engines: &str| {
        let named = ["check", "--property", property, "--engines", engines];
        freeboard(&[&named[..], &["--format", "json", "open_counter.pml"]].concat())
    };
    let called = |property: &str, engines: &str| {
        let view = run_of(property, engines).json();
        let calls = view["statistics"]["engines"].as_array().cloned().unwrap_or_default();
        calls.iter().any(|call| call["engine"] == "search-runs")
    };
    assert_eq!(run_of("livelock", "tracking").status, 2);
    assert!(called("livelock", "runs"));
    assert!(!called("livelock", "tracking"));
    assert!(!called("boundedness", "exhaustion"));
    for engines in ["runs", "exhaustion"] {
        assert_eq!(run_of("livelock", engines).status, 1, "{engines}");
    }
}
