//! `simulate` and `explore`.

use serde_json::Value;

use crate::harness::{freeboard, freeboard_reads};

/// Channels of all kinds: an array, a local one, a rendezvous.
const NAMES: &[u8] = b"mtype = { go };
chan toServer[3] = [2] of { mtype };
chan bell = [0] of { bit };
proctype Client() { chan reply = [4] of { byte }; toServer[2]!go; reply!7; bell!1 }
init { run Client(); toServer[2]?go; bell?1 }
";

#[test]
fn a_run_is_told_step_by_step() {
    insta::assert_snapshot!(freeboard(&["simulate", "--steps", "12", "two_processes.pml"]).stdout);
}

#[test]
fn an_exploration_with_a_deadlock() {
    let run = freeboard(&["explore", "--capacity", "unbounded", "two_processes.pml"]);
    assert_eq!((run.status, run.stderr.as_str()), (1, ""), "{run:?}");
    insta::assert_snapshot!(run.stdout);
}

#[test]
fn runs_follow_from_the_seed() {
    let run = |seed: &str| freeboard(&["simulate", "--seed", seed, "two_processes.pml"]).stdout;
    assert_eq!(run("0"), freeboard(&["simulate", "two_processes.pml"]).stdout);
    assert_eq!(run("5"), run("5"));
    assert!((1..20).any(|seed| run(&seed.to_string()) != run("0")));
}

#[test]
fn a_run_has_as_many_steps_as_were_asked_for() {
    let loops = b"active proctype P() { do :: skip od }";
    let steps = |arguments: &[&str]| {
        let arguments = [&["simulate", "--format", "json", "-"], arguments].concat();
        let run = freeboard_reads(&arguments, loops);
        assert_eq!(run.status, 0, "{run:?}");
        let view = run.json();
        assert_eq!((&view["schema"], &view["end"]), (&"freeboard.simulate/1".into(), &"steps".into()));
        view["steps"].as_array().unwrap().len()
    };
    assert_eq!((steps(&[]), steps(&["--steps", "7"]), steps(&["--steps", "0"])), (100, 7, 0));
}

#[test]
fn why_a_run_ends_is_said() {
    for (body, end, status) in [
        ("skip", "valid-end", 0),
        ("end: false", "valid-end", 0),
        ("false", "deadlock", 1),
        ("run Q(); false", "invalid-end-state", 1),
        ("x = 1 / x", "error", 1),
        ("assert(x)", "valid-end", 1),
    ] {
        let text = format!("byte x; active proctype P() {{ {body} }} proctype Q() {{ end: false }}");
        let run = freeboard_reads(&["simulate", "--format", "json", "-"], text.as_bytes());
        assert_eq!((run.status, run.json()["end"].as_str().unwrap()), (status, end), "{body}");
    }
}

#[test]
fn steps_have_the_keys_of_the_contract_and_more() {
    let view = freeboard_reads(&["simulate", "--format", "json", "-"], NAMES).json();
    let steps = view["steps"].as_array().unwrap();
    for step in steps {
        assert!(step["process"].is_string() && step["text"].is_string() && step["file"].is_string());
        assert!(step["pid"].is_u64() && step["line"].as_u64().unwrap() > 0);
    }
    let with =
        |key: &str| steps.iter().find(|step| !step[key].is_null()).unwrap_or_else(|| panic!("{key}: {view}"));
    assert_eq!(with("created")["created"]["process"], "Client");
    assert_eq!(with("then")["then"][0]["received"]["channel"], "bell");
    assert_eq!(with("sent")["sent"]["channel"], "toServer[2]");
    assert_eq!(with("sent")["sent"]["fields"][0], "go");
    assert_eq!(with("buffers")["buffers"][0]["length"], 1);
    assert_eq!(with("ended")["ended"], true);
    let names: Vec<&Value> = view["buffers"].as_array().unwrap().iter().map(|row| &row["name"]).collect();
    assert_eq!(names, ["toServer[0]", "toServer[1]", "toServer[2]"]);
}

#[test]
fn an_exploration_has_the_keys_of_the_contract() {
    let run = freeboard_reads(&["explore", "--format", "json", "-"], NAMES);
    assert_eq!((run.status, run.stderr.as_str()), (0, ""), "{run:?}");
    let view = run.json();
    assert_eq!(view["schema"], "freeboard.explore/1");
    assert!(view["states"].as_u64().unwrap() > 0 && view["transitions"].as_u64().unwrap() > 0);
    assert_eq!((&view["complete"], &view["non-progress-cycles"]), (&true.into(), &false.into()));
    for key in ["deadlocks", "invalid-end-states", "assertion-failures"] {
        assert_eq!(view[key], 0, "{key}");
    }
    let rows = view["buffers"].as_array().unwrap().iter();
    let rows: Vec<(&str, u64)> =
        rows.map(|row| (row["name"].as_str().unwrap(), row["max"].as_u64().unwrap())).collect();
    assert_eq!(
        rows,
        [("toServer[0]", 0), ("toServer[1]", 0), ("toServer[2]", 1), ("Client[1].reply", 1)],
        "a rendezvous has no row"
    );
}

#[test]
fn capacities_change_what_is_seen() {
    let text = b"chan c = [1] of { bit }; active proctype P() { c!1; c!1; c!1 }";
    let explore = |capacity| {
        let run = freeboard_reads(&["explore", "--format", "json", "--capacity", capacity, "-"], text);
        let view = run.json();
        (run.status, view["buffers"][0]["max"].as_u64().unwrap(), view["deadlocks"].as_u64().unwrap())
    };
    assert_eq!(explore("declared"), (1, 1, 1));
    assert_eq!(explore("2"), (1, 2, 1));
    assert_eq!(explore("unbounded"), (0, 3, 0));
    assert_eq!(freeboard(&["explore", "--capacity", "0", "relay.pml"]).status, 4);
    assert_eq!(freeboard(&["simulate", "--capacity", "some", "relay.pml"]).status, 4);
}

#[test]
fn what_is_wrong_comes_with_a_shortest_run() {
    let text = b"byte x;\nactive proctype P() { do :: x < 3 -> x++ :: x > 1 -> assert(x > 2) od }\n";
    let run = freeboard_reads(&["explore", "-"], text);
    assert_eq!(run.status, 1);
    assert!(run.stdout.contains("Assertion failure, after 6 steps: assertion violated\n"), "{run:?}");
    let view = freeboard_reads(&["explore", "--format", "json", "-"], text).json();
    assert_eq!(view["findings"][0]["kind"], "assertion-failure");
    let steps = view["findings"][0]["run"].as_array().unwrap();
    assert_eq!((steps.len(), steps[5]["text"].as_str().unwrap()), (6, "assert(x > 2)"));
}

#[test]
fn a_limit_is_2_if_nothing_was_found_and_1_if_something_was() {
    let grows = b"chan c = [1] of { byte }; active proctype P() { do :: c!1 od }";
    for limit in [["--max-states", "9"], ["--time-limit", "0s"]] {
        let arguments =
            [&["explore", "--capacity", "unbounded", "--format", "json", "-"], &limit[..]].concat();
        let run = freeboard_reads(&arguments, grows);
        assert_eq!((run.status, &run.json()["complete"]), (2, &false.into()), "{run:?}");
    }
    let fails = b"int x; active proctype P() { assert(false); do :: x++ od }";
    let run = freeboard_reads(&["explore", "--max-states", "9", "--format", "json", "-"], fails);
    let view = run.json();
    assert_eq!((run.status, &view["complete"], &view["assertion-failures"]), (1, &false.into(), &1.into()));
}

#[test]
fn what_cannot_be_run_is_3_and_what_helps_is_said() {
    for (text, place, help) in [
        ("active proctype P() {\n c_code { x = 1; } }", "<stdin>:2", "`check`"),
        ("active proctype P() {\n skip;\n c_expr { x } }", "<stdin>:3", "`check`"),
        ("active proctype P() { pc_value(0) == 1 }", "<stdin>:1", "label"),
    ] {
        for command in ["simulate", "explore"] {
            let run = freeboard_reads(&[command, "-"], text.as_bytes());
            assert_eq!((run.status, run.stdout.as_str()), (3, ""), "{run:?}");
            let found = run.stderr.contains("error: <stdin>: cannot be run: ");
            assert!(found && run.stderr.contains(place) && run.stderr.contains(help), "{run:?}");
        }
    }
    let run = freeboard_reads(&["simulate", "-"], b"byte x = 1 / 0; active proctype P() { skip }");
    assert_eq!(run.status, 3, "{run:?}");
}

#[test]
fn claims_are_ignored_with_a_note() {
    let text = b"ltl p { [] true } active proctype P() { skip } never { do :: assert(false) od }";
    for command in ["simulate", "explore"] {
        let run = freeboard_reads(&[command, "-"], text);
        assert_eq!(run.status, 0, "{run:?}");
        assert!(run.stderr.contains("note: the claim `p` is ignored"), "{run:?}");
    }
}

/// Looked for only where there are progress labels: elsewhere every cycle would be one.
#[test]
fn cycles_without_progress_are_found() {
    let explore = |body: &str| {
        let text = format!("bit b; active proctype P() {{ {body} }}");
        let run = freeboard_reads(&["explore", "--format", "json", "-"], text.as_bytes());
        let view = run.json();
        (run.status, view["non-progress-cycles"].clone(), view["non-progress-checked"].clone(), view)
    };
    let (status, cycles, checked, view) = explore("do :: b = 1 - b :: b -> progress: b = 1 - b od");
    assert_eq!((status, cycles, checked), (1, true.into(), true.into()));
    let finding = &view["findings"][0];
    assert_eq!(finding["kind"], "non-progress-cycle");
    assert_eq!(finding["loop"].as_array().unwrap().len(), 2);
    let (status, cycles, checked, _) = explore("do :: b -> b = 0; progress: b = 1 :: !b -> b = 1 od");
    assert_eq!((status, cycles, checked), (0, false.into(), true.into()));
    let (status, cycles, checked, _) = explore("do :: b = 1 - b od");
    assert_eq!((status, cycles, checked), (0, false.into(), false.into()));
}
