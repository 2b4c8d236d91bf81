//! Warnings about types: none where none are due, and soon enough where the text is long.

use std::fs;
use std::path::Path;

use promela_front::{Options, parse};

/// Warnings about types, one line each.
fn warnings(name: &str, text: &str) -> Vec<String> {
    let outcome = parse(name, text, &Options::default());
    let found = outcome.diagnostics.iter().filter(|found| found.code.starts_with("P04"));
    found.map(|found| found.line(&outcome.sources).to_string()).collect()
}

#[test]
fn the_examples_give_no_warnings() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/models");
    let mut seen = 0;
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "pml") {
            let name = path.file_name().unwrap().to_str().unwrap();
            assert_eq!(warnings(name, &fs::read_to_string(&path).unwrap()), Vec::<String>::new());
            seen += 1;
        }
    }
    assert!(seen > 5, "only {seen} examples");
}

#[test]
fn a_message_that_is_too_short_is_one_warning() {
    let text = "chan c = [1] of { byte, byte }; init { c!1 }";
    let outcome = parse("m.pml", text, &Options::default());
    let codes: Vec<_> = outcome.diagnostics.iter().map(|found| found.code).collect();
    assert_eq!(codes, ["P0302"]);
}

#[test]
fn where_channels_are_used_by_their_names_only_nothing_is_said() {
    for fields in ["byte", "mtype", "bool, int", "chan, short"] {
        let count = fields.split(',').count();
        let (values, anything) = (vec!["0"; count].join(","), vec!["_"; count].join(","));
        let text = format!(
            "mtype = {{ go }}; chan c = [2] of {{ {fields} }};
            active proctype P() {{ do :: c!{values} :: c?{anything} :: c?[{values}] -> skip od }}"
        );
        assert_eq!(warnings("m.pml", &text), Vec::<String>::new());
    }
}
