//! Every file of tests is part of a test program.
//!
//! Cargo does not look for tests by itself (`autotests = false`): a file that nothing names would
//! never be compiled, and never fail.
#![allow(clippy::unwrap_used)] // clippy.toml allows it in tests, and helpers of tests are no less

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use cargo_metadata::{MetadataCommand, Package, TargetKind};

/// The modules that a text declares without a body, each as the place of the file that a `#[path]`
/// gives, or its name.
fn declared(text: &str) -> impl Iterator<Item = Result<&str, &str>> {
    let lines = text.lines().map(str::trim);
    let mut path = None;
    lines.filter_map(move |line| {
        if let Some(named) = line.strip_prefix("#[path = \"").and_then(|rest| rest.strip_suffix("\"]")) {
            path = Some(named);
            return None;
        }
        let name = line.trim_start_matches("pub ").strip_prefix("mod ")?.strip_suffix(';')?;
        Some(path.take().ok_or(name))
    })
}

/// Adds a file and those of all modules below it. These stand `beside` the file, or below its name.
fn reach(file: &Path, beside: bool, reached: &mut BTreeSet<PathBuf>) {
    if !reached.insert(file.to_owned()) {
        return;
    }
    let text = fs::read_to_string(file).unwrap();
    let parent = file.parent().unwrap();
    let children = if beside { parent.to_owned() } else { file.with_extension("") };
    for module in declared(&text) {
        match module {
            Ok(path) => reach(&parent.join(path), true, reached),
            Err(name) => {
                let plain = children.join(format!("{name}.rs"));
                let plain_is_there = plain.exists();
                let below = if plain_is_there { plain } else { children.join(name).join("mod.rs") };
                reach(&below, !plain_is_there, reached);
            }
        }
    }
}

/// Every `.rs` below a directory.
fn sources(directory: &Path, found: &mut BTreeSet<PathBuf>) {
    let Ok(entries) = fs::read_dir(directory) else { return };
    for entry in entries {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.insert(path);
        }
    }
}

/// The files of a package's tests that none of its test programs contains.
fn forgotten(package: &Package) -> Vec<PathBuf> {
    let mut reached = BTreeSet::new();
    for target in package.targets.iter().filter(|target| target.kind.contains(&TargetKind::Test)) {
        reach(target.src_path.as_std_path(), true, &mut reached);
    }
    let mut there = BTreeSet::new();
    sources(package.manifest_path.parent().unwrap().join("tests").as_std_path(), &mut there);
    there.difference(&reached).cloned().collect()
}

#[test]
fn every_file_of_tests_is_in_a_test_program() {
    let manifest = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../Cargo.toml"));
    let metadata =
        MetadataCommand::new().manifest_path(manifest).no_deps().exec().expect("cargo metadata works");
    let forgotten: Vec<PathBuf> = metadata.packages.iter().flat_map(forgotten).collect();
    assert!(
        forgotten.is_empty(),
        "never compiled, a line `mod NAME;` in tests/all.rs is missing: {forgotten:#?}"
    );
}

#[test]
fn modules_are_declared_by_name_or_by_path() {
    let text = "mod a;\n  pub mod b;\n#[path = \"../c.rs\"]\nmod c;\nmod d {\n}\n// mod e;\nmod f;";
    assert_eq!(declared(text).collect::<Vec<_>>(), [Err("a"), Err("b"), Ok("../c.rs"), Err("f")]);
}
