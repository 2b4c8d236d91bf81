//! One text per diagnostic code; all errors of a text are found.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use promela_front::{Options, Severity, parse};

fn crate_file(path: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// Every code that `codes.rs` defines.
fn all_codes() -> BTreeSet<String> {
    let source = fs::read_to_string(crate_file("src/codes.rs")).expect("codes");
    source.split('"').filter(|part| part.starts_with('P') && part.len() == 5).map(str::to_owned).collect()
}

/// The limits are small where they are what is tested.
fn options(code: &str) -> Options {
    match code {
        "P0007" => Options { max_expansion: 100, ..Options::default() },
        "P0102" => Options { max_nesting: 20, ..Options::default() },
        _ => Options::default(),
    }
}

#[test]
fn every_code_has_a_text_that_shows_it() {
    for code in all_codes() {
        let text = fs::read_to_string(crate_file(&format!("tests/fixtures/invalid/{code}.pml"))).unwrap();
        let outcome = parse(&code, &text, &options(&code));
        assert!(outcome.diagnostics.iter().any(|found| found.code == code), "{code} does not show");
        let failed = outcome.diagnostics.iter().any(|found| found.severity == Severity::Error);
        assert_eq!(failed, outcome.program.is_none(), "{code}");
        assert!(outcome.diagnostics.is_sorted_by_key(|found| found.span()), "{code} is out of order");
        let lines: Vec<String> =
            outcome.diagnostics.iter().map(|found| found.line(&outcome.sources).to_string()).collect();
        insta::assert_snapshot!(code.as_str(), lines.join("\n"));
    }
}

#[test]
fn every_text_is_of_a_code() {
    let codes = all_codes();
    for entry in fs::read_dir(crate_file("tests/fixtures/invalid")).unwrap() {
        let path = entry.unwrap().path();
        assert!(codes.contains(path.file_stem().unwrap().to_str().unwrap()), "{}", path.display());
    }
}

#[test]
fn an_error_in_a_macro_leads_to_its_use_and_its_definition() {
    let outcome = parse("m.pml", "#define BAD nope\ninit { BAD = 1 }", &Options::default());
    let line = outcome.diagnostics[0].line(&outcome.sources).to_string();
    let expected = "m.pml:2:8: error[P0201]: `nope` is not declared\n    \
                    m.pml:1:9: the macro `BAD` is defined here\n    \
                    note: in the expansion of macro `BAD`";
    assert_eq!(line, expected);
}

/// Spin takes no hidden bit and no hidden local; it takes a hidden `unsigned`, but its verifier does not
/// keep it to its width.
#[test]
fn what_cannot_be_hidden_is_an_error() {
    for (declaration, code) in [
        ("hidden bit b; init { skip }", Some("P0104")),
        ("hidden bool b[2]; init { skip }", Some("P0104")),
        ("hidden unsigned u : 3; init { skip }", Some("P0008")),
        ("init { hidden byte b; skip }", Some("P0104")),
        ("hidden byte b; show bit c; local unsigned u : 3; init { show bit d; skip }", None),
    ] {
        let outcome = parse("m.pml", declaration, &Options::default());
        assert_eq!(outcome.diagnostics.first().map(|found| found.code), code, "{declaration}");
        assert_eq!(outcome.program.is_none(), code.is_some(), "{declaration}");
    }
}

#[test]
fn a_place_behind_a_joined_line_is_right() {
    let text = "init { // a comment \\\n that goes on\n  x = 1;\\\n\\\n  lo\\\nng = 2 }";
    let outcome = parse("m.pml", text, &Options::default());
    let lines: Vec<_> =
        outcome.diagnostics.iter().map(|found| found.line(&outcome.sources).to_string()).collect();
    assert_eq!(lines[0], "m.pml:3:3: error[P0201]: `x` is not declared");
    assert!(lines[1].starts_with("m.pml:5:3: error[P0008]: not handled yet"), "{lines:?}");
}
