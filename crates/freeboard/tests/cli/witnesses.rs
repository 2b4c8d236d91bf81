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
