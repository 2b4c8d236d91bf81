//! Witnesses: written by `check`, executed by `replay`.

use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};

use crate::harness::{Run, freeboard};

/// A directory with the witness of a model.
fn witness(model: &str) -> (tempfile::TempDir, PathBuf) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("witness.json");
    let run = freeboard(&["check", "--witness", path.to_str().unwrap(), model]);
    assert_eq!((run.status, run.stderr.as_str()), (1, ""), "{run:?}");
    (directory, path)
}

fn replay(model: &str, path: &std::path::Path) -> Run {
    freeboard(&["replay", model, path.to_str().unwrap()])
}

/// The witness, changed.
fn changed(path: &PathBuf, change: impl FnOnce(&mut Value)) {
    let mut value: Value = serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
    change(&mut value);
    fs::write(path, value.to_string()).unwrap();
}

#[test]
fn a_witness_is_a_run_that_replays() {
    let (_directory, path) = witness("alternating_bit.pml");
    let run = replay("alternating_bit.pml", &path);
    assert_eq!((run.status, run.stderr.as_str()), (0, ""), "{run:?}");
    insta::assert_snapshot!(run.stdout);
    let run = freeboard(&["replay", "--format", "json", "alternating_bit.pml", path.to_str().unwrap()]);
    let view = run.json();
    assert_eq!(view["schema"], "freeboard.replay/1");
    assert_eq!((&view["accepted"], &view["rounds"]), (&true.into(), &4.into()));
}

/// What the contract asks of a step is enough.
#[test]
fn what_a_witness_leaves_out_may_be_anything() {
    let (_directory, path) = witness("alternating_bit.pml");
    changed(&path, |value| {
        for part in ["prefix", "loop"] {
            for step in value[part].as_array_mut().unwrap() {
                let keys = ["process", "pid", "line", "text"];
                step.as_object_mut().unwrap().retain(|key, _| keys.contains(&key.as_str()));
            }
        }
    });
    assert_eq!(replay("alternating_bit.pml", &path).status, 0);
}

#[test]
fn each_step_is_checked() {
    for (pointer, value) in [
        ("/prefix/0/pid", json!(0)),
        ("/prefix/1/line", json!(26)),
        ("/loop/0/text", json!("toReceiver!letter")),
        ("/loop/0/sent/fields/1", json!("1")),
        ("/loop/0/buffers/0/length", json!(2)),
    ] {
        let (_directory, path) = witness("alternating_bit.pml");
        changed(&path, |witness| *witness.pointer_mut(pointer).unwrap() = value);
        let run = replay("alternating_bit.pml", &path);
        assert_eq!(run.status, 1, "{pointer}: {run:?}");
        assert!(run.stdout.contains("is not possible"), "{pointer}: {run:?}");
    }
}

#[test]
fn a_loop_must_be_one() {
    let (_directory, path) = witness("alternating_bit.pml");
    // The whole run as a loop: the household reports for duty once.
    changed(&path, |value| {
        let mut steps = value["prefix"].as_array().unwrap().clone();
        steps.extend(value["loop"].as_array().unwrap().clone());
        (value["prefix"], value["loop"]) = (json!([]), steps.into());
    });
    let run = replay("alternating_bit.pml", &path);
    assert_eq!(run.status, 1);
    assert!(run.stdout.contains("cannot be repeated for ever"), "{run:?}");
    // Without a loop it is a run with an end.
    changed(&path, |value| value["prefix"] = std::mem::take(&mut value["loop"]));
    changed(&path, |value| value["loop"] = json!([]));
    assert_eq!(replay("alternating_bit.pml", &path).status, 0);
}

#[test]
fn files_that_are_no_witness_are_3() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("file.json");
    for text in ["", "{}", "{ \"schema\": \"freeboard.witness/9\", \"prefix\": [] }", "[1"] {
        fs::write(&path, text).unwrap();
        let run = replay("alternating_bit.pml", &path);
        assert_eq!((run.status, run.stdout.as_str()), (3, ""), "{text}: {run:?}");
        assert!(run.stderr.contains("is no witness"), "{run:?}");
    }
    assert_eq!(replay("alternating_bit.pml", &directory.path().join("none")).status, 4);
}

#[test]
fn where_nothing_is_refuted_no_witness_is_written() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("witness.json");
    let run = freeboard(&["check", "--witness", path.to_str().unwrap(), "two_processes.pml"]);
    assert!(run.stderr.contains("no witness is written") && !path.exists(), "{run:?}");
}

/// What a witness says that it shows is checked.
#[test]
fn a_witness_shows_what_it_says() {
    for (model, pointer, value, reason) in [
        (
            "alternating_bit.pml",
            "/grows/0/name",
            json!("ready"),
            "it makes grow toReceiver by 1, not ready by 1",
        ),
        ("alternating_bit.pml", "/grows/0/count", json!(2), "not toReceiver by 2"),
        (
            "alternating_bit.pml",
            "/grows",
            json!([{ "name": "toReceiver", "count": 1 }, { "name": "ready", "count": 1 }]),
            "by 1, not",
        ),
        ("open_counter.pml", "/property", json!("boundedness"), "no buffer grow"),
    ] {
        let (_directory, path) = witness(model);
        changed(&path, |witness| *witness.pointer_mut(pointer).unwrap() = value);
        let run = replay(model, &path);
        assert_eq!(run.status, 1, "{pointer}: {run:?}");
        assert!(run.stdout.contains(reason), "{pointer}: {run:?}");
    }
    let (_directory, path) = witness("alternating_bit.pml");
    // What it leaves out may be anything; a run with an end makes nothing grow.
    changed(&path, |value| {
        value.as_object_mut().unwrap().retain(|key, _| key != "property" && key != "grows");
    });
    assert_eq!(replay("alternating_bit.pml", &path).status, 0);
    let (_directory, path) = witness("alternating_bit.pml");
    changed(&path, |value| value["loop"] = json!([]));
    let run = freeboard(&["replay", "--format", "json", "alternating_bit.pml", path.to_str().unwrap()]);
    assert_eq!((run.status, &run.json()["witness"]["grows"]), (0, &json!([])), "{run:?}");
}

/// A counter fills up while nobody waits at the other one, and then all go there.
const BACKLOG: &str = "chan counter = [4] of { byte }; chan office = [4] of { byte };
active proctype Visitors() { do :: empty(office) -> counter!1; counter!2 od }
active proctype Usher() { byte who; do :: counter?who -> office!who od }
";

#[test]
fn a_backlog_that_is_moved_has_a_supply() {
    let directory = tempfile::tempdir().unwrap();
    let (model, path) = (directory.path().join("model.pml"), directory.path().join("witness.json"));
    fs::write(&model, BACKLOG).unwrap();
    let model = model.to_str().unwrap();
    let run = freeboard(&["check", "--format", "json", model]);
    assert_eq!(run.status, 1);
    let result = run.json()["property-results"][0].clone();
    assert_eq!(result["buffers"][1]["verdict"], "unbounded");
    let mut witness = result["witnesses"][1].clone();
    assert_eq!(witness["grows"], json!([{ "name": "office", "count": 2 }]));
    witness["schema"] = json!("freeboard.witness/1");
    fs::write(&path, witness.to_string()).unwrap();
    let run = replay(model, &path);
    assert_eq!(run.status, 0, "{run:?}");
    // Columns are as wide as the path.
    let narrow = |text: &str| {
        let lines = text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "));
        lines.collect::<Vec<_>>().join("\n").replace(model, "model.pml")
    };
    insta::assert_snapshot!(narrow(&run.stdout));
    // Without it the loop would have to go on for ever.
    changed(&path, |value| drop(value.as_object_mut().unwrap().remove("supply")));
    assert!(replay(model, &path).stdout.contains("cannot be repeated for ever"));
    // It is no livelock.
    witness["property"] = json!("livelock");
    fs::write(&path, witness.to_string()).unwrap();
    assert!(replay(model, &path).stdout.contains("no livelock"));
    let run = freeboard(&["check", model]);
    insta::assert_snapshot!(narrow(run.stdout.split("\nTime:").next().unwrap()));
}
