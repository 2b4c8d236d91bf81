//! The preprocessor against `gcc -E`, with which Spin reads a model: the same tokens on the same
//! lines.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use promela_front::{Expanded, Includes, Options, Severity, preprocessed};
use proptest::prelude::*;

/// Spin's command line, without the name of the file.
const GCC: [&str; 4] = ["-std=gnu99", "-E", "-x", "c"];

/// The output of GCC for a file: its text, or `None` if it reports an error.
fn gcc(path: &Path) -> Option<String> {
    let output = Command::new("gcc").args(GCC).arg(path).output().expect("gcc runs");
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

fn gcc_is_there() -> bool {
    let there = Command::new("gcc").arg("--version").output().is_ok();
    if !there {
        eprintln!("SKIPPED: there is no gcc to compare with");
    }
    there
}

fn failed(expanded: &Expanded) -> bool {
    expanded.diagnostics.iter().any(|found| found.severity == Severity::Error)
}

/// The first difference to the output of GCC, if there is one.
fn difference(path: &Path) -> Option<String> {
    let text = fs::read_to_string(path).ok()?;
    let ours = preprocessed(&path.display().to_string(), &text, &Options::default());
    let lines: Vec<String> =
        ours.diagnostics.iter().map(|found| found.line(&ours.sources).to_string()).collect();
    // What GCC passes on of pragmas is an error to Spin.
    let theirs = gcc(path).filter(|text| !text.lines().any(|line| line.starts_with("#pragma")));
    let Some(theirs) = theirs else {
        return (!failed(&ours)).then(|| format!("{}: gcc alone reports an error", path.display()));
    };
    if failed(&ours) {
        return Some(format!("{}: gcc takes it\n{}", path.display(), lines.join("\n")));
    }
    // A backslash that GCC leaves at the end of a line has been read: it joins no lines a second
    // time.
    let theirs = preprocessed("gcc", &theirs.replace("\\\n", "\\/**/\n"), &Options::default());
    let (ours, theirs): (Vec<_>, Vec<_>) = (ours.text.lines().collect(), theirs.text.lines().collect());
    let at = (0..ours.len().max(theirs.len())).find(|&line| ours.get(line) != theirs.get(line))?;
    Some(format!("{}: line {at}\n  ours {:?}\n  gcc  {:?}", path.display(), ours.get(at), theirs.get(at)))
}

#[test]
fn fixtures_are_read_as_gcc_reads_them() {
    if !gcc_is_there() {
        return;
    }
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/preprocessor");
    let mut paths: Vec<PathBuf> =
        fs::read_dir(directory).expect("fixtures").map(|entry| entry.expect("entry").path()).collect();
    paths.sort();
    let differences: Vec<String> = paths.iter().filter_map(|path| difference(path)).collect();
    assert!(paths.len() >= 8);
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}

/// Files below a directory that look like models.
fn models(directory: &Path) -> Vec<PathBuf> {
    let (mut open, mut found) = (vec![directory.to_owned()], Vec::new());
    while let Some(directory) = open.pop() {
        for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
            let path = entry.path();
            let extension = path.extension().and_then(|extension| extension.to_str());
            if path.is_dir() {
                open.push(path);
            } else if matches!(extension, Some("pml" | "prom" | "promela" | "pr" | "spin" | "pm" | "h")) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

#[test]
fn models_of_others_are_read_as_gcc_reads_them() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus/promela");
    if !corpus.is_dir() {
        eprintln!("SKIPPED: there is no corpus to compare on");
        return;
    }
    if !gcc_is_there() {
        return;
    }
    let paths = models(&corpus);
    let differences: Vec<String> = paths.iter().filter_map(|path| difference(path)).collect();
    eprintln!("{} models compared", paths.len());
    assert!(differences.is_empty(), "{} differ\n{}", differences.len(), differences.join("\n"));
}

/// Building blocks of random texts, separated by `@`.
const PARTS: &str = "a@b@f@g@h@v@N@E@f(@g(@h(@v(@(@)@)@)@)@,@,@;@!@!@?@.@:@::@-@+@*@/ @<@=@->@1@; 0..N@'c'@\"s t\"@ @ @\
    \n@\n@\t@/* c */@/*\n*/@// c\n@\\\n@__LINE__@\n#undef f\n@\n#define f(x) x g\n@\n#ifdef N\n@\n#else\n@\n#endif\n@\
    \n#if N - 3\n@\n#elif defined N\n@\n#define E\n@f(a)@g(N, E)@h()@v(a, b, N)@[x]@\r";

/// Building blocks of bodies of macros, separated by `@`.
const BODIES: &str = "x@y@x y@!x@x!@f@g(x, y)@f(x)@N@E@#x@x ## y@a ## x@x ## 1@( x )@x,y@h@h()@f f@__LINE__ x@x f(@f(N@g(x,@\
    ) x@x##x#x@v(x)@v(x, N, f)@-x@\\";

fn one_of(parts: &'static str) -> impl Strategy<Value = &'static str> {
    prop::sample::select(parts.split('@').collect::<Vec<_>>())
}

/// Parts without what GCC does against its own word. Behind a carriage return, a backslash and an
/// empty line it counts one line too many. And where a number of C follows a name out of a macro it
/// sets no blank between the two, unless all of the number could be a name: `f(a)1.` becomes `a1.`,
/// although its manual (Token Spacing) promises that what it writes is read as the same tokens.
fn without_secrets(parts: &[&'static str]) -> Vec<&'static str> {
    let changed = parts.iter().enumerate().map(|(at, &part)| {
        let next = parts[at + 1..].iter().find(|&&next| next != JOINED);
        match part {
            "\r" if parts.get(at + 1) == Some(&JOINED) => "\t",
            "1" if next.is_some_and(|next| next.starts_with(['.', 'E'])) => " 1",
            part => part,
        }
    });
    changed.collect()
}

/// The end of a line that is none.
const JOINED: &str = "\\\n";

/// Compares a text that is in no file yet.
fn random_difference(text: &str) -> Option<String> {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("random.pml");
    fs::write(&path, text).expect("a file");
    difference(&path).map(|difference| format!("{difference}\n{text}"))
}

fn condition() -> impl Strategy<Value = String> {
    let leaves = one_of(
        "0@1@2@7@0x10@3u@18446744073709551615@9223372036854775807@'a'@'\\377'@N@X@defined N@defined(X)@f(1)@f(N)",
    );
    leaves.prop_map(str::to_owned).prop_recursive(5, 40, 3, move |inner| {
        let binary = (inner.clone(), one_of("+@-@*@/@%@<<@>>@<@<=@>@>=@==@!=@&@|@^@&&@||@,@? 1 :"), inner.clone());
        prop_oneof![
            4 => binary.prop_map(|(left, operator, right)| format!("{left} {operator} {right}")),
            2 => inner.clone().prop_map(|inner| format!("({inner})")),
            1 => (inner.clone(), inner.clone(), inner.clone()).prop_map(|(c, a, b)| format!("{c} ? {a} : {b}")),
            1 => (one_of("-@!@~@+@- -"), inner).prop_map(|(o, i)| format!("{o} {i}")),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(if gcc_is_there() { 96 } else { 0 }))]

    #[test]
    fn random_texts_are_read_as_gcc_reads_them(
        bodies in prop::collection::vec(one_of(BODIES), 6),
        parts in prop::collection::vec(one_of(PARTS), 1..60),
    ) {
        // Which line `__LINE__` names behind a directive among the arguments of a call is GCC's
        // secret.
        let lines = parts.contains(&"__LINE__") || bodies.iter().any(|body| body.contains("__LINE__"));
        let parts: Vec<&str> =
            parts.into_iter().map(|part| if lines && part.starts_with("\n#") { "\n" } else { part }).collect();
        let parts = without_secrets(&parts);
        let mut text = format!("#define N 3\n#define f(x) {}\n#define g(x, y) {} {}\n", bodies[0].replace('y', "a"), bodies[1], bodies[2]);
        let none = |body: &str| body.replace('#', " ").replace(['x', 'y'], "b");
        text += &format!("#define h() {}\n#define E {}\n", none(bodies[3]), none(bodies[4]));
        text += &format!("#define v(x, y...) {} , ## y\n", bodies[5]);
        text += &parts.concat();
        text.push('\n');
        prop_assert_eq!(random_difference(&text), None);
    }

    #[test]
    fn random_conditions_are_read_as_gcc_reads_them(conditions in prop::collection::vec(condition(), 3)) {
        let text: String = conditions.iter().map(|condition| format!("#if {condition}\nyes\n#else\nno\n#endif\n")).collect();
        prop_assert_eq!(random_difference(&format!("#define N 3\n#define f(x) (x + N)\n{text}")), None);
    }
}

fn codes(text: &str, includes: Includes) -> Vec<String> {
    let expanded = preprocessed("m.pml", text, &Options { includes, ..Options::default() });
    expanded.diagnostics.iter().map(|found| found.line(&expanded.sources).to_string()).collect()
}

fn given(files: &[(&str, &str)]) -> Includes {
    Includes::Given(files.iter().map(|&(name, text)| (name.to_owned(), text.to_owned())).collect())
}

#[test]
fn a_file_that_includes_itself_comes_to_an_end() {
    let found = codes("#include \"m.h\"", given(&[("m.h", "#include \"m.h\"\n")]));
    assert_eq!(found, ["m.h:1:1: error[P0011]: files are included more than 200 deep"]);
    let twice = "#include \"m.h\"\n#include \"m.h\"\n";
    let found = codes(twice, given(&[("m.h", twice)]));
    assert!(found.iter().any(|line| line.ends_with("it is included too often")), "{found:?}");
    assert_eq!(codes(twice, given(&[("m.h", &format!("#pragma once\n{twice}"))])), Vec::<String>::new());
}

#[test]
fn what_cannot_be_included_says_why() {
    let found = codes("#include \"m.h\"", Includes::Refused);
    assert_eq!(found, ["m.pml:1:1: error[P0011]: files cannot be included here"]);
    let found = codes("#include <sub/m.h>", Includes::Files(vec!["/nowhere".into(), "none".into()]));
    let expected = "m.pml:1:1: error[P0011]: the file `sub/m.h` is not found \
                    (looked for `/nowhere/sub/m.h`, `none/sub/m.h`)";
    assert_eq!(found, [expected]);
    let directory = tempfile::tempdir().expect("a directory");
    fs::create_dir(directory.path().join("m.h")).expect("a directory");
    let found = codes("#include <m.h>", Includes::Files(vec![directory.path().to_owned()]));
    assert!(found[0].ends_with("cannot be included: it is no regular file"), "{found:?}");
}

#[test]
fn bytes_that_are_no_utf_8_are_latin_1() {
    let directory = tempfile::tempdir().expect("a directory");
    fs::write(directory.path().join("m.h"), b"a \"\xe9\"\n").expect("a file");
    let includes = Includes::Files(vec![directory.path().to_owned()]);
    let expanded = preprocessed("m.pml", "#include <m.h>", &Options { includes, ..Options::default() });
    assert_eq!(expanded.text, "a \"é\"\n");
}
