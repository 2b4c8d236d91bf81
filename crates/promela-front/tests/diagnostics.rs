//! One text per diagnostic code; all errors of a text are found.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use promela_front::{Includes, Options, Severity, parse};

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
        "P0011" => Options { includes: Includes::Given(BTreeMap::new()), ..Options::default() },
        "P0102" => Options { max_nesting: 20, ..Options::default() },
        _ => Options::default(),
    }
}

/// The texts by name: `CODE.pml`, and `CODE-what.pml` for further messages.
fn all_texts() -> BTreeSet<String> {
    let entries = fs::read_dir(crate_file("tests/fixtures/invalid")).expect("texts");
    let name = |entry: fs::DirEntry| {
        let path = entry.path();
        path.file_stem().expect("a name").to_str().expect("letters").to_owned()
    };
    entries.map(|entry| name(entry.expect("an entry"))).collect()
}

#[test]
fn every_code_has_a_text_that_shows_it() {
    for name in all_texts() {
        let code = name.split('-').next().unwrap();
        let text = fs::read_to_string(crate_file(&format!("tests/fixtures/invalid/{name}.pml"))).unwrap();
        let outcome = parse(&name, &text, &options(code));
        assert!(outcome.diagnostics.iter().any(|found| found.code == code), "{name} does not show");
        let failed = outcome.diagnostics.iter().any(|found| found.severity == Severity::Error);
        assert_eq!(failed, outcome.program.is_none(), "{name}");
        assert!(outcome.diagnostics.is_sorted_by_key(|found| found.span()), "{name} is out of order");
        let lines: Vec<String> =
            outcome.diagnostics.iter().map(|found| found.line(&outcome.sources).to_string()).collect();
        insta::assert_snapshot!(name.as_str(), lines.join("\n"));
    }
}

#[test]
fn texts_and_codes_belong_together() {
    let texts = all_texts();
    let shown: BTreeSet<String> =
        texts.iter().map(|name| name.split('-').next().unwrap().to_owned()).collect();
    assert_eq!(shown, all_codes());
    assert!(shown.is_subset(&texts), "each code has a text of its very name");
}

#[test]
fn an_error_in_a_macro_leads_to_its_use_and_its_definition() {
    let outcome = parse("m.pml", "#define BAD nope\ninit { BAD = 1 }", &Options::default());
    let line = outcome.diagnostics[0].line(&outcome.sources).to_string();
    let expected = "m.pml:2:8: error[P0201]: `nope` is not declared \
                    (declare it before its use: a variable, a channel, an `mtype` or a `#define`)\n    \
                    m.pml:1:9: the macro `BAD` is defined here\n    \
                    note: in the expansion of macro `BAD`";
    assert_eq!(line, expected);
}

/// Spin takes no hidden bit and no hidden local.
#[test]
fn what_cannot_be_hidden_is_an_error() {
    for (declaration, code) in [
        ("hidden bit b; init { skip }", Some("P0104")),
        ("hidden bool b[2]; init { skip }", Some("P0104")),
        ("hidden unsigned u : 3; init { skip }", None),
        ("init { hidden byte b; skip }", Some("P0104")),
        ("hidden byte b; show bit c; local unsigned u : 3; init { show bit d; skip }", None),
    ] {
        let outcome = parse("m.pml", declaration, &Options::default());
        let error = outcome.diagnostics.iter().find(|found| found.severity == Severity::Error);
        assert_eq!(error.map(|found| found.code), code, "{declaration}");
        assert_eq!(outcome.program.is_none(), code.is_some(), "{declaration}");
    }
}

#[test]
fn a_place_behind_a_joined_line_is_right() {
    let text = "init { // a comment \\\n that goes on\n  x = 1;\\\n\\\n  lo\\\nng++ }";
    let outcome = parse("m.pml", text, &Options::default());
    let lines: Vec<_> =
        outcome.diagnostics.iter().map(|found| found.line(&outcome.sources).to_string()).collect();
    assert!(lines[0].starts_with("m.pml:3:3: error[P0201]: `x` is not declared"), "{lines:?}");
    assert!(lines[1].starts_with("m.pml:5:3: error[P0201]: `long` is not declared"), "{lines:?}");
}

fn lines_of(text: &str) -> Vec<String> {
    let outcome = parse("m.pml", text, &Options::default());
    outcome.diagnostics.iter().map(|found| found.line(&outcome.sources).to_string()).collect()
}

#[test]
fn an_error_in_nested_macros_names_all_of_them() {
    let text =
        "#define INNER nope\n#define SUM(x) x + INNER\n#define OUTER SUM(1)\nint i; init { i = OUTER }";
    insta::assert_snapshot!(lines_of(text).join("\n"));
}

#[test]
fn an_error_in_an_argument_stands_in_the_argument() {
    let text = "#define id(x) x\n#define both(x, y) id(x) + id(y)\nint i; init { i = both(i,\n nope) }";
    insta::assert_snapshot!(lines_of(text).join("\n"));
}

#[test]
fn an_error_in_an_included_file_stands_there() {
    let files = [("sub/one.h", "#include \"two.h\"\n"), ("sub/two.h", "byte x;\nbyte x;\n")];
    let files = files.map(|(name, text)| (name.to_owned(), text.to_owned()));
    let options = Options { includes: Includes::Given(files.into()), ..Options::default() };
    let outcome = parse("m.pml", "#include <sub/one.h>\ninit { x = 1 }", &options);
    let line = outcome.diagnostics[0].line(&outcome.sources).to_string();
    assert!(line.starts_with("sub/two.h:2:6: error[P0202]"), "{line}");
}

/// As Spin has it: a piece of C is a word, and two statements need something between them.
#[test]
fn a_piece_of_c_does_not_separate() {
    for text in ["byte x; init { c_code { x = 1; } skip }", "init { c_expr { 1 } skip }"] {
        let outcome = parse("m.pml", text, &Options::default());
        assert_eq!(outcome.diagnostics.first().map(|found| found.code), Some("P0101"), "{text}");
    }
}
