//! Machines in the formats of others: every command takes them.

use crate::harness::{freeboard, freeboard_reads, make_older};

const TALK: &str = "A: rec x . B!ask; B?answer; x\nB: rec y . A?ask; A!answer; y\n";
const FLOOD: &str = ".outputs A\n.state graph\nq0 1 ! ask q0\n.marking q0\n.end
.outputs B\n.state graph\nq0 A ? ask q0\n.marking q0\n.end\n";
const SCM: &str = "scm s :\nnb_channels = 1 ;\nparameters :\nreal a ;\nautomaton P :\ninitial : 0\nstate 0 :
to 1 : when true , 0 ! a ;\nstate 1 :\nautomaton Q :\ninitial : 0\nstate 0 :\nto 1 : when true , 0 ? a ;\nstate 1 :\n";

/// Files of these names and contents, and a way to their paths.
fn files(files: &[(&str, &str)]) -> (tempfile::TempDir, impl Fn(&str) -> String) {
    let directory = tempfile::tempdir().unwrap();
    for (name, text) in files {
        std::fs::write(directory.path().join(name), text).unwrap();
    }
    let path = directory.path().to_owned();
    (directory, move |name: &str| path.join(name).to_str().unwrap().to_owned())
}

#[test]
fn formats_are_told_by_name_and_content() {
    let (_directory, path) = files(&[
        ("talk.kmc", TALK),
        ("talk.cfsm", TALK),
        ("talk.txt", TALK),
        ("flood.fsa", FLOOD),
        ("flood.fsm", FLOOD),
        ("flood.txt", FLOOD),
        ("flood.kmc", FLOOD),
        ("s.scm", SCM),
        ("s.cfsm", SCM),
    ]);
    for (file, status) in [
        ("talk.kmc", 0),
        ("talk.cfsm", 0),
        ("talk.txt", 0),
        ("flood.fsa", 1),
        ("flood.fsm", 1),
        ("flood.txt", 1),
        ("flood.kmc", 1),
        ("s.scm", 0),
        ("s.cfsm", 0),
    ] {
        assert_eq!(freeboard(&["check", &path(file)]).status, status, "{file}");
    }
    assert_eq!(freeboard_reads(&["check", "--input", "kmc", "-"], TALK.as_bytes()).status, 0);
    assert_eq!(freeboard_reads(&["check", "--input", "fsa", "-"], FLOOD.as_bytes()).status, 1);
    assert_eq!(freeboard_reads(&["check", "--input", "scm", "-"], SCM.as_bytes()).status, 0);
}

#[test]
fn a_verdict_on_machines() {
    insta::assert_snapshot!(freeboard_reads(&["check", "--input", "kmc", "-"], TALK.as_bytes()).timeless());
    insta::assert_snapshot!(freeboard_reads(&["check", "--input", "fsa", "-"], FLOOD.as_bytes()).timeless());
}

#[test]
fn machines_can_be_run() {
    let (_directory, path) = files(&[("talk.kmc", TALK)]);
    let talk = path("talk.kmc");
    let run = freeboard(&["cycles", "--list", &talk]);
    assert!(run.status == 0 && run.stdout.contains("talk.kmc:1"), "{run:?}");
    let run = freeboard(&["simulate", "--steps", "4", &talk]);
    assert!(run.status == 0 && run.stdout.contains("B!ask"), "{run:?}");
    let run = freeboard(&["explore", &talk]);
    assert!(run.status == 0 && run.stdout.contains("4 states"), "{run:?}");
    let run = freeboard(&["parse", "--dump", "system", &talk]);
    assert!(run.status == 0 && run.stdout.contains("\"order\": \"fifo\""), "{run:?}");
}

#[test]
fn a_run_of_machines_is_replayed_and_a_proof_checked_again() {
    let (_directory, path) = files(&[("flood.fsa", FLOOD), ("talk.kmc", TALK)]);
    let run = freeboard(&["check", "--witness", &path("witness"), &path("flood.fsa")]);
    assert_eq!(run.status, 1, "{run:?}");
    let run = freeboard(&["replay", &path("flood.fsa"), &path("witness")]);
    assert_eq!(run.status, 0, "{run:?}");
    let (certificate, system) = (path("certificate"), path("system"));
    let run = freeboard(&["check", "--certificate", &certificate, "--system", &system, &path("talk.kmc")]);
    assert_eq!(run.status, 0, "{run:?}");
    let run = freeboard(&["verify", "--system", &system, &certificate]);
    assert!(run.status == 0 && run.stdout.contains("A->B ≤ 1"), "{run:?}");
}

/// Bounded because of the order of messages only.
#[test]
fn configurations_are_checked_again() {
    let game = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/machines/odd_or_even.fsa");
    let (_directory, path) = files(&[]);
    let (certificate, system) = (path("certificate"), path("system"));
    let run = freeboard(&["check", "--certificate", &certificate, "--system", &system, game]);
    assert_eq!(run.status, 0, "{run:?}");
    let run = freeboard(&["verify", "--system", &system, &certificate]);
    assert!(run.status == 0 && run.stdout.contains("Ann->Referee ≤ 1"), "{run:?}");
    // Of queues in any order the same list proves nothing.
    let unordered = std::fs::read_to_string(&system).unwrap().replace("  \"order\": \"fifo\",\n", "");
    std::fs::write(&system, unordered).unwrap();
    make_older(&certificate);
    let run = freeboard(&["verify", "--system", &system, &certificate]);
    assert!(run.status == 1 && run.stdout.contains("first in, first out"), "{run:?}");
    // Without runs and configurations it is not known.
    assert_eq!(freeboard(&["check", "--no-search", game]).status, 2);
}

#[test]
fn wrong_machines_are_told_with_places() {
    let text = "A: rec x . B!ask; y\nB: {A?ask; end";
    let run = freeboard_reads(&["check", "--input", "kmc", "-"], text.as_bytes());
    assert_eq!(run.status, 3, "{run:?}");
    insta::assert_snapshot!(run.stderr);
}

/// What is shown is the line, not the whole text.
#[test]
fn a_carriage_return_ends_a_line() {
    let text = FLOOD.replacen("q0 1 ! ask q0", "q0 1 ! ask", 1).replace('\n', "\r");
    let run = freeboard_reads(&["check", "--input", "fsa", "-"], text.as_bytes());
    assert_eq!(run.status, 3, "{run:?}");
    insta::assert_snapshot!(run.stderr);
}
