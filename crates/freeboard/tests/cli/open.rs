//! Open models: what is proved for every environment, contracts, and the environment as text.

use serde_json::Value;
use tempfile::TempDir;

use crate::harness::{freeboard, freeboard_reads};

const PATIENT: &str = "../open/front_end.pml";
const HASTY: &str = "../open/hasty_front_end.pml";

fn view(arguments: &[&str]) -> Value {
    freeboard(&[&["check", "--format", "json"], arguments].concat()).json()
}

fn bounds(view: &Value) -> Vec<(String, Option<u64>)> {
    let rows = view["property-results"][0]["buffers"].as_array().unwrap();
    rows.iter().map(|row| (row["name"].as_str().unwrap().to_owned(), row["bound"].as_u64())).collect()
}

#[test]
fn a_component_that_waits_is_bounded_in_every_environment() {
    insta::assert_snapshot!(freeboard(&["check", PATIENT]).timeless());
    let view = view(&[PATIENT]);
    assert_eq!(bounds(&view), [("jobs".to_owned(), Some(1)), ("results".to_owned(), Some(1))]);
    assert_eq!(view["property-results"][0]["contract"]["every-environment"], true);
}

#[test]
fn a_component_that_does_not_wait_needs_a_contract() {
    insta::assert_snapshot!(freeboard(&["check", HASTY]).timeless());
    let view = view(&[HASTY]);
    let contract = &view["property-results"][0]["contract"];
    assert_eq!(contract["every-environment"], false);
    assert_eq!(contract["assumption"], "in(request,_) - out <= k");
    assert_eq!(contract["bounds"][0]["bound"], "k");
    // The run says what the environment did.
    let steps = view["property-results"][0]["witness"]["loop"].as_array().unwrap();
    assert!(steps.iter().any(|step| step["process"] == "environment" && step["text"] == "in!request,0"));
}

#[test]
fn an_assumption_makes_a_bound() {
    for (slack, bound) in [(0, 0), (2, 2), (7, 7)] {
        let assumption = format!("in(request) - out(response) <= {slack}");
        let view = view(&["--assume", &assumption, HASTY]);
        assert_eq!(view["property-results"][0]["verdict"], "proved");
        assert_eq!(bounds(&view), [("jobs".to_owned(), Some(bound)), ("results".to_owned(), Some(bound))]);
    }
    // Answers that count for more do not make up for what is sent.
    let view = view(&["--assume", "in(request) <= 2*out + 1", HASTY]);
    assert_eq!(view["property-results"][0]["verdict"], "unknown");
}

/// Assumptions are about bounds: livelocks are those of every environment.
#[test]
fn livelocks_are_those_of_every_environment() {
    let text = "chan in = [1] of { bit }; chan q = [1] of { bit };
        active proctype P() { do :: in?_ -> q!1 od }
        active proctype Q() { do :: q?_ od }
        active proctype R() { progress: (false) }";
    let arguments = ["check", "--open", "in", "--assume", "in <= 3", "--property", "all", "-"];
    let told = freeboard_reads(&arguments, text.as_bytes());
    assert!(told.stdout.starts_with("BOUNDED for environments that keep to in <= 3"), "{}", told.stdout);
    assert!(told.stdout.contains("\nLIVELOCK in some environment"), "{}", told.stdout);
    assert_eq!(told.status, 1);
}

#[test]
fn a_contract_is_verified_and_a_run_replays() {
    let directory = TempDir::new().unwrap();
    let path = |name: &str| directory.path().join(name).to_str().unwrap().to_owned();
    let (certificate, system, witness) = (path("c.json"), path("s.json"), path("w.json"));
    let written = ["--certificate", &certificate, "--system", &system, "--witness", &witness];
    freeboard(&[&["check", HASTY], &written[..]].concat());
    let verified = freeboard(&["verify", "--format", "json", "--system", &system, &certificate]).json();
    assert_eq!(verified["verdict"], "accepted");
    assert_eq!(verified["contracts"][0]["bound"], "k");
    assert_eq!(verified["unclaimed"].as_array().unwrap().len(), 0);
    let parts: Vec<&str> =
        verified["trust"].as_array().unwrap().iter().map(|part| part["part"].as_str().unwrap()).collect();
    assert_eq!(parts, ["abstraction"]);
    assert_eq!(freeboard(&["replay", HASTY, &witness]).status, 0);
    // A number changed by one is rejected.
    let text = std::fs::read_to_string(&certificate).unwrap();
    std::fs::write(&certificate, text.replace("\"slope\": \"1\"", "\"slope\": \"0\"")).unwrap();
    assert_eq!(freeboard(&["verify", "--system", &system, &certificate]).status, 1);
}

#[test]
fn channels_with_one_end_are_found() {
    let text = "chan a = [1] of { bit }; chan b = [1] of { bit }; chan c = [1] of { bit };
        active proctype P() { do :: a?_ -> b!1 od }
        active proctype Q() { do :: b?_ -> c!1 od }";
    let told = freeboard_reads(&["check", "--open", "auto", "-"], text.as_bytes()).timeless();
    assert!(told.starts_with("UNBOUNDED in some environment: "), "{told}");
    let told = freeboard_reads(&["check", "--open", "a", "-"], text.as_bytes()).timeless();
    assert!(told.contains("`c` is never received from"), "{told}");
}

#[test]
fn what_cannot_be_open_is_told() {
    let text = "chan inbox = [1] of { bit }; active proctype P() { do :: inbox?_ od }";
    let told = |arguments: &[&str]| {
        let run = freeboard_reads(&[arguments, &["-"]].concat(), text.as_bytes());
        (run.status, run.stderr.trim().to_owned())
    };
    let misspelt = told(&["check", "--open", "inbx"]);
    assert_eq!(misspelt.0, 3);
    assert!(misspelt.1.contains("did you mean `inbox`?"), "{}", misspelt.1);
    assert!(told(&["check", "--assume", "inbox <= 2"]).1.contains("no channel is open"));
    assert!(
        told(&["check", "--open", "inbox", "--assume", "other <= 2"])
            .1
            .contains("the environment sends inbox")
    );
    assert_eq!(told(&["check", "--assume", "inbox"]).0, 4);
    assert!(told(&["close"]).1.contains("no channel is open"));
    let machines = b".outputs A\n.state graph\n0 1 ! hi 0\n.marking 0\n.end\n";
    for option in [["--open", "auto"], ["--assume", "in <= 3"]] {
        let run = freeboard_reads(&[&["check", "--input", "fsa"], &option[..], &["-"]].concat(), machines);
        assert_eq!(run.status, 4);
        assert!(run.stderr.contains("are for Promela models only"), "{}", run.stderr);
    }
}

#[test]
fn the_environment_is_written_as_promela() {
    let closed = freeboard(&["close", PATIENT]);
    insta::assert_snapshot!(closed.stdout);
    // It is a model without an interface, whose channels may overflow.
    let told = freeboard_reads(&["check", "-"], closed.stdout.as_bytes()).timeless();
    assert!(told.starts_with("UNBOUNDED: 2 buffers"), "{told}");
    assert!(told.contains("proved ≤ 1"), "{told}");
}

#[test]
fn conditions_that_hang_on_the_environment_are_explained() {
    let text = "mtype = { ask, stop };
chan in = [2] of { mtype, byte };
chan out = [2] of { byte };
chan inner = [2] of { byte };
active proctype Worker() {
  byte job;
  do
  :: in?ask(job) -> inner!job
  :: in?stop(_) -> break
  od
}
active proctype Counter() {
  byte what = 1, sum;
  do
  :: inner?what
  :: what > 3 -> sum++
  :: else -> out!sum
  od
}
";
    let told = |open: &str, text: &str| {
        let run = freeboard_reads(&["close", "--explain", "--open", open, "-"], text.as_bytes());
        assert_eq!(run.status, 0, "{}", run.stderr);
        run.stdout
    };
    insta::assert_snapshot!(told("in,out", text));
    assert_eq!(
        told("out", text),
        "No condition hangs on the environment: what comes from `out` decides nothing.\n"
    );
    let run = freeboard(&["close", "--explain", "--dump", "promela", PATIENT]);
    assert_eq!(run.status, 4);
}
