//! The JSON of `check`: every key of the contract, with its type.

use serde_json::Value;

use crate::harness::freeboard;

fn check(model: &str) -> Value {
    freeboard(&["check", "--format", "json", model]).json()
}

/// Asserts that an object has a key and that its value is of one of the given types.
fn has(object: &Value, key: &str, types: &[&str]) {
    let value = object.get(key).unwrap_or_else(|| panic!("no key {key} in {object}"));
    let found = match value {
        Value::Null => "null",
        Value::Bool(_) => "bool",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    };
    assert!(types.contains(&found), "{key} is {found}, not {types:?}");
}

#[test]
fn every_key_of_the_contract_is_there() {
    for model in ["two_processes.pml", "alternating_bit.pml"] {
        let view = check(model);
        assert_eq!(view["schema"], "freeboard.check/1");
        assert_eq!(view["file"], model);
        has(&view, "property-results", &["array"]);
        has(&view, "assumptions", &["array"]);
        let result = &view["property-results"][0];
        assert_eq!(result["property"], "boundedness");
        for (key, types) in [
            ("verdict", &["string"][..]),
            ("buffers", &["array"]),
            ("counterexample", &["object", "null"]),
            ("witness", &["object", "null"]),
            ("refinement", &["array"]),
            ("reason", &["string", "null"]),
        ] {
            has(result, key, types);
        }
        for buffer in result["buffers"].as_array().unwrap() {
            has(buffer, "name", &["string"]);
            has(buffer, "verdict", &["string"]);
            has(buffer, "declared", &["number", "null"]);
            has(buffer, "bound", &["number", "null"]);
            has(buffer, "exact", &["number", "null"]);
        }
        let statistics = &view["statistics"];
        for key in ["processes", "states", "transitions", "message-types", "buffers"] {
            assert!(statistics[key].is_u64(), "{key}");
        }
        has(statistics, "cycles", &["number", "null"]);
        for key in ["parse", "abstract", "solve", "refine", "search", "total"] {
            has(&statistics["seconds"], key, &["number"]);
        }
    }
}

#[test]
fn a_proof_has_bounds() {
    let view = check("two_processes.pml");
    let result = &view["property-results"][0];
    assert_eq!(result["verdict"], "proved");
    assert!(result["counterexample"].is_null() && result["reason"].is_null());
    let rows: Vec<_> = result["buffers"].as_array().unwrap().iter().collect();
    let row = |at: usize| (rows[at]["name"].as_str().unwrap(), rows[at]["bound"].as_u64().unwrap());
    assert_eq!((row(0), row(1)), (("AB", 13), ("BA", 4)));
    assert_eq!((&rows[0]["declared"], &rows[0]["verdict"]), (&25.into(), &"bounded".into()));
}

#[test]
fn a_counterexample_has_statements() {
    let view = freeboard(&["check", "--no-search", "--format", "json", "turned_first.pml"]).json();
    let result = &view["property-results"][0];
    assert_eq!(result["verdict"], "unknown");
    let example = &result["counterexample"];
    assert_eq!(example, &result["counterexamples"][0]);
    assert_eq!(example["grows"][0], "ch2");
    let cycle = &example["cycles"][0];
    assert_eq!((&cycle["process"], &cycle["kind"]), (&"Mill".into(), &"cycle".into()));
    assert!(cycle["times"].is_u64());
    for step in cycle["steps"].as_array().unwrap() {
        assert!(step["line"].as_u64().unwrap() > 0);
        has(step, "text", &["string"]);
    }
    assert!(result["reason"].as_str().unwrap().contains("abstraction"));
}

#[test]
fn a_refutation_has_an_execution() {
    let view = check("turned_first.pml");
    let result = &view["property-results"][0];
    assert_eq!(result["verdict"], "refuted");
    let witness = &result["witness"];
    assert_eq!(witness, &result["witnesses"][0]);
    for step in witness["prefix"].as_array().unwrap().iter().chain(witness["loop"].as_array().unwrap()) {
        has(step, "process", &["string"]);
        has(step, "pid", &["number"]);
        assert!(step["line"].as_u64().unwrap() > 0);
        has(step, "text", &["string"]);
    }
    assert_eq!(witness["grows"][0], serde_json::json!({ "name": "ch2", "count": 1 }));
    let row = result["buffers"].as_array().unwrap().iter().find(|row| row["name"] == "ch2").unwrap();
    assert_eq!((&row["verdict"], &row["witness"]), (&"unbounded".into(), &0.into()));
}

#[test]
fn true_maxima_are_told_where_all_states_were_seen() {
    let exact = |arguments: &[&str]| {
        let view =
            freeboard(&[&["check", "--format", "json", "two_processes.pml"], arguments].concat()).json();
        let buffers = view["property-results"][0]["buffers"].as_array().unwrap().clone();
        buffers.iter().map(|row| row["exact"].as_u64()).collect::<Vec<_>>()
    };
    assert_eq!(exact(&[]), [Some(7), Some(2)]);
    assert_eq!(exact(&["--max-states", "3"]), [None, None]);
    assert_eq!(exact(&["--no-search"]), [None, None]);
}

#[test]
fn the_cycle_form_counts_cycles() {
    let run = freeboard(&["check", "--format", "json", "--encoding", "cycles", "two_processes.pml"]);
    assert!(run.json()["statistics"]["cycles"].as_u64().unwrap() > 0);
}

#[test]
fn rendezvous_channels_have_no_row() {
    let text = b"chan c = [0] of { bit }; active proctype P() { c!1 } active proctype Q() { c?_ }";
    let view = crate::harness::freeboard_reads(&["check", "--format", "json", "-"], text).json();
    assert_eq!(view["property-results"][0]["buffers"], Value::Array(vec![]));
    assert_eq!(view["statistics"]["buffers"], 0);
    assert_eq!(view["property-results"][0]["verdict"], "proved");
}
