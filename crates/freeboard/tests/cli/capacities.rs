//! Channels as declared, and limits that a question sets.

use std::fs;

use crate::harness::freeboard;

/// At most two loaves are in the oven, as the board has two hooks for tokens.
const OVEN: &str = "mtype = { token, loaf };
chan board = [2] of { mtype };
chan oven = [9] of { mtype };
active proctype Baker() { do :: board!token; oven!loaf od }
active proctype Helper() { do :: oven?loaf -> board?token od }
";

/// The log grows where there is no room for samples.
const SAMPLES: &str = "chan data = [2] of { byte };
chan err = [4] of { byte };
active proctype Sensor() { byte i; do :: i < 5 -> if :: data!i; i++ :: else -> err!i fi :: i == 5 -> break od }
";

fn checked(text: &str, arguments: &[&str]) -> (i32, serde_json::Value) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("model.pml");
    fs::write(&path, text).unwrap();
    let run = freeboard(&[&["check", "--format", "json", path.to_str().unwrap()], arguments].concat());
    (run.status, serde_json::from_str(&run.stdout).unwrap_or_default())
}

fn buffer(view: &serde_json::Value, at: usize) -> serde_json::Value {
    view["property-results"][0]["buffers"][at].clone()
}

#[test]
fn both_stories_are_told() {
    let (status, view) = checked(OVEN, &[]);
    assert_eq!((status, &buffer(&view, 1)["verdict"]), (1, &"unbounded".into()));
    let [board, oven] = [0, 1].map(|at| buffer(&view, at)["as-declared"].clone());
    assert_eq!((&board["blocks"], &board["bound"]), (&true.into(), &2.into()));
    assert_eq!(board["send"]["text"], "board!token");
    assert_eq!(board["send"]["run"].as_array().map(Vec::len), Some(4), "{board}");
    assert_eq!((&oven["blocks"], &oven["exact"]), (&false.into(), &2.into()));
}

#[test]
fn a_run_names_the_channel_that_has_to_be_limited() {
    let (status, view) = checked(SAMPLES, &[]);
    let witness = &view["property-results"][0]["witness"];
    assert_eq!(
        (status, &witness["limited"][0]["name"], &witness["as-declared"]),
        (1, &"data".into(), &true.into())
    );
    let deadlock =
        view["findings"].as_array().unwrap().iter().find(|found| found["kind"] == "deadlock").unwrap();
    assert_eq!(deadlock["run"].as_array().map(Vec::len), Some(20), "{deadlock}");
}

#[test]
fn limits_are_part_of_the_question() {
    for (limits, status) in [("board=declared", 0), ("declared", 0), ("oven=3", 0), ("board=2,lossy", 1)] {
        let (found, view) = checked(OVEN, &["--capacity", limits]);
        assert_eq!(found, status, "{limits}: {view}");
    }
    let (_, view) = checked(OVEN, &["--capacity", "board=3"]);
    assert_eq!((&buffer(&view, 0)["limit"], &buffer(&view, 1)["bound"]), (&3.into(), &3.into()));
    assert_eq!(view["trust"][1]["part"], "limits", "{}", view["trust"]);
    // A comment does the same, and the option goes before it.
    let text = OVEN.replacen("};\n", "}; // freeboard: capacity board=declared\n", 2);
    assert_eq!(checked(&text, &[]).0, 0);
    assert_eq!(checked(&text, &["--capacity", "unbounded"]).0, 1);
}

#[test]
fn limits_that_cannot_be_set_are_told() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("model.pml");
    fs::write(&path, OVEN).unwrap();
    let run = freeboard(&["check", "--capacity", "hearth=2", path.to_str().unwrap()]);
    assert_eq!(run.status, 4);
    assert!(
        run.stderr.contains("there is no channel `hearth` that could be limited; there are board, oven"),
        "{run:?}"
    );
    fs::write(&path, format!("{OVEN}// freeboard: capacity much\n")).unwrap();
    let run = freeboard(&["check", path.to_str().unwrap()]);
    assert_eq!(run.status, 3);
    assert!(run.stderr.contains("model.pml:6: `much` is no capacity"), "{run:?}");
}

/// The same of machines: their buffers have limits, too.
#[test]
fn machines_have_limits() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("pair.kmc");
    fs::write(&path, "A: rec x . B!one; x\nB: rec y . A?one; y\n").unwrap();
    let run = |arguments: &[&str]| freeboard(&[&["check", path.to_str().unwrap()], arguments].concat());
    assert_eq!(run(&[]).status, 1);
    let limited = run(&["--capacity", "A->B=7"]);
    assert_eq!(limited.status, 0, "{limited:?}");
    assert!(limited.stdout.contains("limited to 7"), "{limited:?}");
    let lossy = run(&["--capacity", "A->B=7,lossy"]);
    assert!(lossy.status == 4 && lossy.stderr.contains("machines are taken to lose no message"), "{lossy:?}");
}

/// Clients with a channel each for the answers of one server.
const REPLIES: &str = "mtype = { ask, answer };
chan server = [6] of { mtype, byte };
chan reply[6] = [1] of { mtype };
active proctype Server() { byte who; do :: server?ask(who) -> reply[who]!answer od }
active [6] proctype Client() { do :: server!ask(_pid - 1) -> reply[_pid - 1]?answer od }
";

#[test]
fn bounds_are_looked_for_as_long_as_is_asked() {
    let bounds = |which: &str| -> Vec<u64> {
        let (status, view) = checked(REPLIES, &["--no-search", "--bounds", which]);
        assert_eq!(status, 0, "{view}");
        (0..7).filter_map(|at| buffer(&view, at)["bound"].as_u64()).collect()
    };
    let [none, fast, least] = ["none", "fast", "least"].map(bounds);
    assert_eq!(least, [6, 1, 1, 1, 1, 1, 1]);
    assert!(none.iter().zip(&fast).all(|(none, fast)| none >= fast), "{none:?} {fast:?}");
    assert!(fast.iter().zip(&least).all(|(fast, least)| fast >= least), "{fast:?}");
    assert_ne!(none, least);
}
