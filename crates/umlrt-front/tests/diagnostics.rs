//! One text per diagnostic code; all errors of a text are found.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use umlrt_front::{Imports, Options, Severity, parse};

fn crate_file(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// Every code that `codes.rs` defines.
fn all_codes() -> BTreeSet<String> {
    let source = fs::read_to_string(crate_file("src/codes.rs")).expect("codes");
    source.split('"').filter(|part| part.starts_with('U') && part.len() == 5).map(str::to_owned).collect()
}

/// Imports are looked for among the files in `fixtures/given`.
fn options() -> Options {
    let entries = fs::read_dir(crate_file("tests/fixtures/given")).expect("texts");
    let given: BTreeMap<String, String> = entries
        .map(|entry| {
            let entry = entry.expect("an entry");
            let name = entry.file_name().to_str().expect("letters").to_owned();
            (name, fs::read_to_string(entry.path()).expect("a text"))
        })
        .collect();
    Options { imports: Imports::Given(given), ..Options::default() }
}

/// The texts by name: `CODE.room` or `CODE.art`, and `CODE-what.room` for further messages.
fn all_texts() -> BTreeMap<String, PathBuf> {
    let entries = fs::read_dir(crate_file("tests/fixtures/invalid")).expect("texts");
    let named = |entry: fs::DirEntry| {
        let path = entry.path();
        (path.file_stem().expect("a name").to_str().expect("letters").to_owned(), path)
    };
    entries.map(|entry| named(entry.expect("an entry"))).collect()
}

#[test]
fn every_code_has_a_text_that_shows_it() {
    for (name, path) in all_texts() {
        let code = name.split('-').next().unwrap();
        let text = fs::read_to_string(path).unwrap();
        let outcome = parse(&name, &text, &options());
        let lines: Vec<String> =
            outcome.diagnostics.iter().map(|found| found.line(&outcome.sources).to_string()).collect();
        assert!(
            outcome.diagnostics.iter().any(|found| found.code == code),
            "{name} does not show: {lines:?}"
        );
        let failed = outcome.diagnostics.iter().any(|found| found.severity == Severity::Error);
        assert_eq!(failed, outcome.lowered.is_none(), "{name}");
        assert!(outcome.diagnostics.is_sorted_by_key(|found| found.span()), "{name} is out of order");
        insta::assert_snapshot!(name.as_str(), lines.join("\n"));
    }
}

#[test]
fn texts_and_codes_belong_together() {
    let texts = all_texts();
    let shown: BTreeSet<String> =
        texts.keys().map(|name| name.split('-').next().unwrap().to_owned()).collect();
    assert_eq!(shown, all_codes());
    assert!(shown.iter().all(|code| texts.contains_key(code)), "each code has a text of its very name");
}
