//! Findings: parts of a model that never run are told with its verdict.

use serde_json::Value;

use crate::harness::freeboard_reads;

fn human(text: &str) -> String {
    freeboard_reads(&["check", "--no-search", "-"], text.as_bytes()).timeless()
}

/// Kind, name and line of each finding.
fn found(text: &str) -> Vec<(String, String, Option<u64>)> {
    let view = freeboard_reads(&["check", "--no-search", "--format", "json", "-"], text.as_bytes()).json();
    let findings = view["findings"].as_array().unwrap();
    let word = |finding: &Value, key: &str| finding[key].as_str().unwrap().to_owned();
    findings
        .iter()
        .map(|finding| (word(finding, "kind"), word(finding, "name"), finding["line"].as_u64()))
        .collect()
}

fn names(text: &str) -> Vec<String> {
    found(text).into_iter().map(|(kind, name, _)| format!("{kind} {name}")).collect()
}

/// A model that leaves its environment out.
const OPEN: &str = "mtype = { req, resp };
chan in = [4] of { mtype };
chan out = [4] of { mtype };
active proctype F() {
  do
  :: in?req -> out!resp
  od
}
";

#[test]
fn an_open_model_is_one_of_the_closed_reading() {
    insta::assert_snapshot!(human(OPEN));
    let expected =
        [("one-ended-channel", "in", 2), ("one-ended-channel", "out", 3), ("never-executed", "in?req", 6)];
    let expected = expected.map(|(kind, name, line)| (kind.to_owned(), name.to_owned(), Some(line)));
    assert_eq!(found(OPEN), expected);
}

#[test]
fn a_closed_model_has_no_findings() {
    let text = "chan c = [1] of { bit }; active proctype P() { do :: c!1; c?_ od }";
    assert_eq!(found(text), []);
    assert!(human(text).starts_with("BOUNDED: "), "{}", human(text));
}

#[test]
fn what_an_alias_uses_is_used() {
    let text = "chan a = [1] of { bit }; chan b = [1] of { chan };
        proctype Sender(chan c) { c!1 }
        active proctype Receiver() { chan d; b?d; d?_ }
        init { run Sender(a); b!a }";
    assert_eq!(names(text), [""; 0]);
}

#[test]
fn what_a_dead_statement_passes_on_may_be_used_anywhere() {
    let text = "chan a = [1] of { bit }; chan never = [1] of { bit };
        proctype Sender(chan c) { c!1 }
        active proctype Receiver() { a?_ }
        init { never?_; run Sender(a) }";
    assert_eq!(
        names(text),
        ["one-ended-channel never", "never-started Sender", "never-executed a?_", "never-executed never?_"]
    );
}

#[test]
fn elements_are_told_apart_as_far_as_their_indices_are() {
    let text = "chan c[3] = [1] of { bit };
        active proctype P() { c[0]!1; c[1]!1 }
        active proctype Q() { byte i; do :: i < 2 -> c[i]?_; i++ :: else -> break od }";
    assert_eq!(names(text), [""; 0]);
    let text = "chan c[2] = [1] of { bit }; active proctype P() { c[0]!1; c[0]?_; c[1]?_ }";
    assert_eq!(names(text), ["one-ended-channel c[1]", "never-executed c[1]?_"]);
}

#[test]
fn a_type_that_nobody_starts_is_told() {
    let text = "chan c = [1] of { bit }; proctype Server() { do :: c?_ od }
        active proctype Client() { c!1 }";
    assert_eq!(names(text), ["never-started Server"]);
    let told = human(text);
    assert!(told.starts_with("BOUNDED (of the closed reading: `Server` is never started): "), "{told}");
}

#[test]
fn an_observer_is_no_process_of_the_model() {
    let text = "chan c = [1] of { bit }; active proctype P() { c!1; c?_ } never { do :: true od }";
    assert_eq!(names(text), [""; 0]);
}

#[test]
fn of_a_dead_region_the_first_statement_is_told() {
    let text = "byte x; chan c = [1] of { bit };
        active proctype P() { if :: x == 1 -> c!1; x = 2; c!0 :: else -> c!1 fi; c?_ }";
    assert_eq!(names(text), ["never-executed x == 1"]);
    assert!(human(text).starts_with("BOUNDED (1 statement can never be executed): "), "{}", human(text));
}

#[test]
fn what_is_switched_off_or_meant_to_fail_is_not_told() {
    let text = "byte x; active proctype P() { if :: 0 -> x = 1 :: x == 0 -> skip fi; assert(false); x = 2 }";
    assert_eq!(names(text), [""; 0]);
}

#[test]
fn an_inline_that_runs_somewhere_is_not_told() {
    let text = "byte x; inline both() { if :: x == 1 -> x = 2 :: x == 0 -> x = 0 fi }
        active proctype P() { both() }
        active proctype Q() { byte y; do :: y < 1 -> both(); y++ :: else -> break od }";
    assert_eq!(names(text), ["never-executed x == 1"]);
    let text = "byte x; inline one(y) { if :: y == 1 -> x = 2 :: y == 0 -> x = 0 fi }
        active proctype P() { one(1) }
        active proctype Q() { one(0) }";
    assert_eq!(names(text), [""; 0]);
}

#[test]
fn a_channel_that_is_read_by_nobody_and_one_that_nobody_uses() {
    let text = "chan log = [1] of { bit }; chan spare = [1] of { bit }; active proctype P() { log!1 }";
    assert_eq!(names(text), ["one-ended-channel log", "one-ended-channel spare"]);
    let told = human(text);
    assert!(told.starts_with("BOUNDED (`log` is never received from): "), "{told}");
}

#[test]
fn machines_have_findings_too() {
    let text = "{ \"schema\": \"freeboard.system/1\", \"name\": \"open\", \"order\": \"fifo\",
        \"buffers\": [ { \"name\": \"in\", \"kind\": \"queue\", \"declared\": null } ],
        \"messages\": [ { \"buffer\": 0, \"name\": \"m\" } ],
        \"classes\": [ { \"name\": \"P\", \"instances\": 1, \"initial\": 0 }, { \"name\": \"Q\", \"instances\": 0, \"initial\": 1 } ],
        \"states\": [ { \"class\": 0, \"name\": \"s\" }, { \"class\": 1, \"name\": \"t\" } ],
        \"transitions\": [ { \"source\": 0, \"target\": 0, \"events\": [ { \"direction\": \"receive\", \"message\": 0 } ] } ] }";
    assert_eq!(names(text), ["one-ended-channel in", "never-started Q", "never-executed P@s -> s"]);
}

#[test]
fn many_findings_are_counted() {
    use std::fmt::Write as _;
    let mut text = String::new();
    for channel in 0..8 {
        writeln!(text, "chan c{channel} = [1] of {{ bit }};").unwrap();
    }
    text.push_str("active proctype P() { do");
    for channel in 0..8 {
        write!(text, " :: c{channel}?_").unwrap();
    }
    text.push_str(" od }");
    let told = human(&text);
    assert!(told.contains("and 3 findings more of this kind"), "{told}");
    assert_eq!(found(&text).len(), 16);
}
