//! Systems in JSON: they are checked and run as models are.

use crate::harness::{freeboard, freeboard_reads};

/// A client that asks twice for each answer, and a server that answers once for each question.
const GREEDY: &str = r#"{
  "schema": "freeboard.system/1",
  "name": "greedy",
  "buffers": [
    { "name": "toServer", "kind": "queue", "declared": 4 },
    { "name": "toClient", "kind": "queue", "declared": null }
  ],
  "messages": [{ "buffer": 0, "name": "ask" }, { "buffer": 1, "name": "answer" }],
  "classes": [
    { "name": "client", "instances": 1, "initial": 0 },
    { "name": "server", "instances": 1, "initial": 2 }
  ],
  "states": [
    { "class": 0, "name": "idle" },
    { "class": 0, "name": "waiting" },
    { "class": 1, "name": "ready" }
  ],
  "transitions": [
    { "source": 0, "target": 1, "events": [{ "direction": "send", "message": 0, "count": 2 }] },
    { "source": 1, "target": 0, "events": [{ "direction": "receive", "message": 1 }] },
    { "source": 2, "target": 2, "events": [
      { "direction": "receive", "message": 0 }, { "direction": "send", "message": 1 }
    ] }
  ]
}"#;

#[test]
fn a_system_whose_buffers_grow() {
    let run = freeboard_reads(&["check", "-"], GREEDY.as_bytes());
    assert_eq!(run.status, 1, "{run:?}");
    insta::assert_snapshot!(run.timeless());
}

#[test]
fn a_system_whose_buffers_grow_as_json() {
    let mut view = freeboard_reads(&["check", "--format", "json", "-"], GREEDY.as_bytes()).json();
    view["statistics"]["seconds"].take();
    insta::assert_snapshot!(serde_json::to_string_pretty(&view).unwrap());
}

#[test]
fn a_witness_of_a_system_can_be_replayed() {
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name).to_str().unwrap().to_owned();
    std::fs::write(path("greedy.json"), GREEDY).unwrap();
    let run = freeboard(&["check", "--witness", &path("witness"), &path("greedy.json")]);
    assert_eq!(run.status, 1, "{run:?}");
    let run = freeboard(&["replay", &path("greedy.json"), &path("witness")]);
    assert_eq!(run.status, 0, "{run:?}");
    assert!(run.stdout.contains("ready -> ready: toServer?ask"), "{run:?}");
}

#[test]
fn a_system_can_be_run() {
    let run = freeboard_reads(&["simulate", "--steps", "1", "-"], GREEDY.as_bytes());
    assert_eq!(run.status, 0, "{run:?}");
    assert!(run.stdout.contains("idle -> waiting: toServer!ask"), "{run:?}");
    let run = freeboard_reads(&["explore", "--capacity", "2", "--format", "json", "-"], GREEDY.as_bytes());
    let view = run.json();
    assert_eq!(view["complete"], true, "{run:?}");
    let row = |at: usize| (view["buffers"][at]["declared"].as_u64(), view["buffers"][at]["max"].as_u64());
    assert_eq!([row(0), row(1)], [(Some(4), Some(2)), (None, Some(2))]);
}

#[test]
fn a_system_that_was_made_from_a_model_leads_back_to_it() {
    let system = freeboard(&["parse", "--dump", "system", "--format", "json", "two_processes.pml"]).stdout;
    let run = freeboard_reads(&["simulate", "--steps", "3", "-"], system.as_bytes());
    assert_eq!(run.status, 0, "{run:?}");
    assert!(run.stdout.contains("two_processes.pml:"), "{run:?}");
    // The order of messages is that of the model, and so are the true maxima.
    let exact = |input: &[u8]| {
        let view = freeboard_reads(&["check", "--format", "json", "-"], input).json();
        let rows = view["property-results"][0]["buffers"].as_array().unwrap().clone();
        rows.into_iter().map(|row| (row["name"].clone(), row["exact"].clone())).collect::<Vec<_>>()
    };
    let model = std::fs::read(crate::harness::models().join("two_processes.pml")).unwrap();
    assert_eq!(exact(system.as_bytes()), exact(&model));
}

#[test]
fn what_has_no_runs_is_said() {
    let meeting =
        GREEDY.replace(r#""kind": "queue", "declared": null"#, r#""kind": "rendezvous", "declared": 0"#);
    let run = freeboard_reads(&["explore", "-"], meeting.as_bytes());
    assert_eq!(run.status, 3, "{run:?}");
    assert!(run.stderr.contains("cannot be run: `server@ready -> ready`"), "{run:?}");
    let run = freeboard_reads(&["check", "-"], meeting.as_bytes());
    assert_eq!(run.status, 2, "{run:?}");
    assert!(run.stdout.contains("searched: `server@ready -> ready`"), "{run:?}");

    let crowd = GREEDY.replace(r#""instances": 1"#, r#""instances": 256"#);
    let run = freeboard_reads(&["explore", "-"], crowd.as_bytes());
    assert_eq!(run.status, 3, "{run:?}");
    assert!(run.stderr.contains("more than 255 processes"), "{run:?}");
    let run = freeboard_reads(&["check", "-"], crowd.as_bytes());
    assert!(run.status == 2 && run.stdout.contains("more than 255 processes"), "{run:?}");
}

#[test]
fn a_byte_order_mark_is_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name).to_str().unwrap().to_owned();
    let (model, witness) = (path("greedy.json"), path("witness"));
    std::fs::write(&model, format!("\u{feff}{GREEDY}")).unwrap();
    assert_eq!(freeboard(&["check", "--witness", &witness, &model]).status, 1);
    let marked = |path: &str| {
        let text = std::fs::read_to_string(path).unwrap();
        std::fs::write(path, format!("\u{feff}{text}")).unwrap();
    };
    marked(&witness);
    let run = freeboard(&["replay", &model, &witness]);
    assert_eq!(run.status, 0, "{run:?}");
    assert_eq!(freeboard(&["parse", &model]).status, 0);
    // By content, too.
    assert_eq!(freeboard_reads(&["parse", "-"], format!("\u{feff}{GREEDY}").as_bytes()).status, 0);

    let (system, certificate) = (path("system"), path("certificate"));
    let run = freeboard(&["check", "--system", &system, "--certificate", &certificate, "relay.pml"]);
    assert_eq!(run.status, 0, "{run:?}");
    marked(&system);
    marked(&certificate);
    let run = freeboard(&["verify", "--system", &system, &certificate]);
    assert_eq!(run.status, 0, "{run:?}");
}
