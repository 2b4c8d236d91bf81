//! Explanations of diagnostics, held against the tables of the documentation and the front ends.

use std::collections::BTreeMap;
use std::fs;

use crate::harness::{freeboard, freeboard_reads, models};

/// Codes that no short text shows: limits, and parts of files that programs write.
const WITHOUT_EXAMPLE: [&str; 8] = ["P0007", "P0102", "M0001", "M0002", "M0203", "M0307", "M0403", "U0102"];

/// Codes whose examples are mappings, which take other files.
const OF_SEVERAL_FILES: [&str; 2] = ["U0209", "U0210"];

/// The meanings of all codes, as the tables have them.
fn tables() -> BTreeMap<String, String> {
    let mut meanings = BTreeMap::new();
    for page in ["promela-support", "machine-formats", "umlrt"] {
        let path = models().join(format!("../../docs/reference/{page}.md"));
        for line in fs::read_to_string(path).unwrap().lines() {
            let Some((code, meaning)) = line.strip_prefix("| ").and_then(|row| row.split_once(" | ")) else {
                continue;
            };
            let is_code = |rest: &str| rest.len() == 4 && rest.chars().all(|c| c.is_ascii_digit());
            if code.strip_prefix(['P', 'M', 'U']).is_some_and(is_code) {
                let meaning = meaning.trim_end_matches(" |").replace("\\|", "|");
                assert_eq!(meanings.insert(code.to_owned(), meaning), None, "{code} stands there twice");
            }
        }
    }
    meanings
}

#[test]
fn every_code_is_explained_as_the_tables_say() {
    let tables = tables();
    assert!(tables.len() > 100, "only {} codes: has the form of the pages changed?", tables.len());
    for (code, meaning) in tables {
        let run = freeboard(&["explain", "--format", "json", &code]);
        assert_eq!((run.status, run.stderr.as_str()), (0, ""), "{code}");
        let told = run.json();
        assert_eq!(told["code"], code.as_str());
        assert_eq!(told["meaning"].as_str().unwrap().to_lowercase(), meaning.to_lowercase(), "{code}");
        assert!(!told["advice"].as_str().unwrap().is_empty(), "{code}");
        assert_eq!(told["example"].is_null(), WITHOUT_EXAMPLE.contains(&code.as_str()), "{code}");
    }
}

#[test]
fn the_examples_show_their_diagnostics() {
    for code in tables().into_keys() {
        let told = freeboard(&["explain", "--format", "json", &code]).json();
        let (Some(language), Some(example)) = (told["language"].as_str(), told["example"].as_str()) else {
            continue;
        };
        if OF_SEVERAL_FILES.contains(&code.as_str()) {
            continue;
        }
        let language = if language == "art" { "room" } else { language };
        let run =
            freeboard_reads(&["parse", "--input", language, "--format", "json", "-"], example.as_bytes());
        let found = run.json();
        let shown = found["diagnostics"].as_array().unwrap();
        assert!(shown.iter().any(|diagnostic| diagnostic["code"] == code.as_str()), "{code}: {shown:#?}");
    }
}

#[test]
fn a_code_is_explained_to_people() {
    insta::assert_snapshot!(freeboard(&["explain", "P0315"]).stdout);
    let first = freeboard(&["--explain", "p0315"]);
    assert_eq!((first.status, &first.stdout), (0, &freeboard(&["explain", "P0315"]).stdout));
}

#[test]
fn a_code_that_there_is_not_is_refused() {
    let run = freeboard(&["explain", "P9999"]);
    assert_eq!((run.status, run.stdout.as_str()), (4, ""));
    assert!(run.stderr.contains("there is no diagnostic `P9999`"), "{}", run.stderr);
}
