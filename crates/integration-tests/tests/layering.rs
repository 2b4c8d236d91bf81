//! The layers of the workspace, held against what cargo says.
//!
//! Members stand in layer order in the root `Cargo.toml`. A crate depends on crates above it only,
//! and only on those that the table here allows; tests may use any crate above.
#![allow(clippy::unwrap_used)] // clippy.toml allows it in tests, and helpers of tests are no less

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use cargo_metadata::{Dependency, DependencyKind, Metadata, MetadataCommand, Package};

/// Nothing depends on tests, examples and benchmarks, so they may depend on whatever is above them.
const ANY: &[&str] = &["*"];

/// Per member, the members it may depend on, in layer order. To add an edge is a decision about the
/// architecture: change docs/internals/architecture.md with it.
const LAYERS: &[(&str, &[&str])] = &[
    ("cfsm-core", &[]),
    ("promela-front", &["cfsm-core"]),
    ("action-code", &[]),
    ("umlrt-front", &["cfsm-core", "action-code"]),
    ("closing", &["cfsm-core"]),
    ("abstraction", &["cfsm-core"]),
    ("cycles", &[]),
    ("certificate", &["cfsm-core"]),
    ("certify-values", &["cfsm-core", "certificate"]),
    ("certify", &["cfsm-core", "certificate", "certify-values"]),
    ("ilp-encode", &["cfsm-core", "cycles"]),
    ("cases", &["cfsm-core", "certificate", "ilp-encode"]),
    ("boundedness", &["cfsm-core", "certify", "ilp-encode", "cases"]),
    ("livelock", &["cfsm-core", "certify", "ilp-encode", "cases"]),
    ("explore", &["cfsm-core"]),
    ("ranking", &["cfsm-core", "certificate", "ilp-encode"]),
    ("refine", &["cfsm-core", "abstraction", "certify", "boundedness", "livelock", "explore", "ranking"]),
    ("report", &["cfsm-core", "certify", "boundedness", "livelock", "explore", "refine"]),
    (
        "freeboard",
        &[
            "cfsm-core",
            "promela-front",
            "umlrt-front",
            "closing",
            "abstraction",
            "cycles",
            "certify",
            "ilp-encode",
            "boundedness",
            "livelock",
            "explore",
            "ranking",
            "refine",
            "report",
        ],
    ),
    ("actors-derive", &[]),
    ("actors", &["cfsm-core", "freeboard", "actors-derive"]),
    ("wasm", &["freeboard"]),
    ("integration-tests", ANY),
    ("examples", ANY),
    ("benches", ANY),
];

/// The crates of the kernel, each with the most lines of code that it may have, without tests and
/// comments: one is about systems, the other about the variables that data places stand for.
const KERNELS: &[(&str, usize)] = &[("certify", 1_500), ("certify-values", 350)];
/// All that the kernel may be built from.
const KERNEL: &[&str] =
    &["cfsm-core", "certificate", "certify-values", "num-bigint", "num-traits", "thiserror"];
/// The modules of cfsm-core that the kernel may use.
const KERNEL_CORE: &[&str] = &["digest", "ids", "system"];
/// The names of the kernel that others may use, besides the format that it passes on.
const KERNEL_NAMES: &[&str] = &["check", "Checked", "Rejection", "Rise", "Violation"];

fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

fn metadata() -> Metadata {
    let manifest = root().join("Cargo.toml");
    MetadataCommand::new().manifest_path(manifest).no_deps().exec().expect("cargo metadata works")
}

/// The member that a package is, by its directory: packages whose names are taken elsewhere have
/// the name of the project before theirs.
fn member(package: &str) -> &str {
    package.strip_prefix("freeboard-").unwrap_or(package)
}

fn package<'a>(metadata: &'a Metadata, name: &str) -> &'a Package {
    let found = metadata.packages.iter().find(|package| member(package.name.as_str()) == name);
    found.unwrap_or_else(|| panic!("no member is called `{name}`"))
}

/// The position of a member among the layers.
fn layer(name: &str) -> Option<usize> {
    LAYERS.iter().position(|(member, _)| *member == name)
}

fn allows(list: &[&str], name: &str) -> bool {
    list == ANY || list.contains(&name)
}

/// Dependencies on other members, those of tests included.
fn inner(package: &Package) -> impl Iterator<Item = &Dependency> {
    package.dependencies.iter().filter(|dependency| dependency.path.is_some())
}

/// What a build script needs counts as normal.
fn is_normal(dependency: &Dependency) -> bool {
    dependency.kind != DependencyKind::Development
}

#[test]
fn members_stand_in_layer_order() {
    let manifest = fs::read_to_string(root().join("Cargo.toml")).unwrap();
    let list = manifest.split_once("members = [").expect("a list of members").1;
    let list = list.split_once(']').expect("an end of the list").0;
    let members: Vec<&str> = list.split('"').skip(1).step_by(2).collect();
    let names: Vec<&str> = members.iter().map(|path| path.trim_start_matches("crates/")).collect();
    let layers: Vec<&str> = LAYERS.iter().map(|(name, _)| *name).collect();
    assert_eq!(
        names, layers,
        "the members of Cargo.toml (left) and the layers of this test (right) are not the same, in order"
    );
}

#[test]
fn every_dependency_is_on_a_crate_above_and_allowed() {
    let metadata = metadata();
    let mut broken = Vec::new();
    for package in &metadata.packages {
        let name = member(package.name.as_str());
        let Some(at) = layer(name) else {
            broken.push(format!("`{name}` is in no layer: add it to LAYERS"));
            continue;
        };
        for dependency in inner(package) {
            let on = member(dependency.name.as_str());
            if layer(on).is_none_or(|on| on >= at) {
                broken.push(format!("`{name}` depends on `{on}`, which is not above it in Cargo.toml"));
            } else if is_normal(dependency) && !allows(LAYERS[at].1, on) {
                let allowed = LAYERS[at].1.join(", ");
                broken.push(format!(
                    "`{name}` depends on `{on}`, but is allowed [{allowed}] only; if tests alone need it, \
                     make it a dev-dependency"
                ));
            }
        }
    }
    assert!(broken.is_empty(), "the layers are broken:\n  {}", broken.join("\n  "));
}

#[test]
fn no_edge_is_allowed_that_is_not_there() {
    let metadata = metadata();
    for (name, allowed) in LAYERS.iter().filter(|(_, allowed)| *allowed != ANY) {
        let package = package(&metadata, name);
        for on in *allowed {
            let used = inner(package).any(|edge| is_normal(edge) && member(edge.name.as_str()) == *on);
            assert!(used, "`{name}` no longer depends on `{on}`: take it out of LAYERS");
        }
    }
}

#[test]
fn the_kernel_is_built_from_exact_integers_alone() {
    let metadata = metadata();
    let of_kernel = KERNELS.iter().flat_map(|(name, _)| &package(&metadata, name).dependencies);
    let normal = of_kernel.filter(|edge| is_normal(edge)).map(|edge| member(edge.name.as_str()));
    let strangers: Vec<&str> = normal.filter(|name| !KERNEL.contains(name)).collect();
    assert!(
        strangers.is_empty(),
        "the kernel must stay free of floats, solvers and encoders; it depends on {strangers:?}"
    );
}

#[test]
fn the_enumeration_of_cycles_knows_nothing_of_systems() {
    let metadata = metadata();
    let inner: Vec<&str> = inner(package(&metadata, "cycles")).map(|edge| edge.name.as_str()).collect();
    assert!(inner.is_empty(), "cycles is about graphs; it depends on {inner:?}");
}

/// The files of a member's `src`, with their texts.
fn sources(member: &str) -> Vec<(PathBuf, String)> {
    let mut open = vec![root().join("crates").join(member).join("src")];
    let mut found = Vec::new();
    while let Some(path) = open.pop() {
        if path.is_dir() {
            open.extend(fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push((path.clone(), fs::read_to_string(&path).unwrap()));
        }
    }
    found.sort();
    found
}

/// The lines of code of a text, without blank lines, comments and what is for tests.
fn code(text: &str) -> Vec<&str> {
    let text = text.split("#[cfg(test)]").next().unwrap_or_default();
    text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with("//")).collect()
}

/// The names that a text takes from a crate: what follows `krate::` in it, in groups, too.
fn names_from<'t>(code: &'t str, krate: &str) -> BTreeSet<&'t str> {
    let start = format!("{krate}::");
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    let mut names = BTreeSet::new();
    for (at, _) in code.match_indices(&start) {
        if code[..at].ends_with(|c: char| is_name(c) || c == ':') {
            continue;
        }
        let rest = &code[at + start.len()..];
        let group = rest.strip_prefix('{').and_then(|group| group.split_once('}'));
        let all = group.map_or(rest.split(|c| !is_name(c)).next().unwrap_or_default(), |(group, _)| group);
        // Of `a::b`, the first name counts.
        let each = all.split(',').map(|name| name.trim().split([':', ' ']).next().unwrap_or_default());
        names.extend(each.filter(|name| !name.is_empty() && *name != "self"));
    }
    names
}

/// The names that the crate of the format makes public.
fn format_names() -> BTreeSet<String> {
    let text = fs::read_to_string(root().join("crates/certificate/src/lib.rs")).unwrap();
    let statements = text.split("\npub use ").skip(1).map(|rest| rest.split(';').next().unwrap().to_owned());
    let words = |text: String| -> Vec<String> {
        let names = text.split_once("::").expect("a module and its names").1;
        names.split(|c: char| !(c.is_alphanumeric() || c == '_')).map(str::to_owned).collect()
    };
    statements.flat_map(words).filter(|name| !name.is_empty()).collect()
}

#[test]
fn names_are_found_in_imports_and_paths() {
    let text =
        "use certify::{Claim, check};\nlet x = certify::trusted(a); recertify::no; cases::certify::no;";
    assert_eq!(names_from(text, "certify"), BTreeSet::from(["Claim", "check", "trusted"]));
    assert_eq!(names_from("use certify::Trusted;", "certify"), BTreeSet::from(["Trusted"]));
}

/// Crates above the kernel use it to check, and name what it accepts and why it does not. Provers,
/// which it checks, do not use it at all: `LAYERS` has no such edge.
#[test]
fn nothing_but_the_check_is_taken_from_the_kernel() {
    let format = format_names();
    assert!(format.contains("Certificate") && format.contains("read_system"), "{format:?}");
    let mut strangers = Vec::new();
    for (member, _) in LAYERS.iter().filter(|(_, allowed)| allowed.contains(&"certify")) {
        for (path, text) in sources(member) {
            let code = code(&text).join("\n");
            let names = names_from(&code, "certify");
            let other = names.iter().filter(|name| !KERNEL_NAMES.contains(name) && !format.contains(**name));
            strangers.extend(other.map(|name| format!("{}: certify::{name}", path.display())));
        }
    }
    assert!(strangers.is_empty(), "more than the check is used:\n  {}", strangers.join("\n  "));
}

#[test]
fn the_kernel_exports_the_check_and_the_format() {
    let text = fs::read_to_string(root().join("crates/certify/src/lib.rs")).unwrap();
    let lines: Vec<&str> = code(&text).into_iter().filter(|line| line.starts_with("pub ")).collect();
    let expected = [
        "pub use certificate::*;",
        "pub use check::{Checked, check};",
        "pub use rejection::{Rejection, Rise, Violation};",
    ];
    assert_eq!(lines, expected);
}

#[test]
fn the_kernel_is_small_and_uses_little_of_the_core() {
    for (name, most) in KERNELS {
        let mut lines = 0;
        for (path, text) in sources(name) {
            let code = code(&text);
            lines += code.len();
            let code = code.join("\n");
            for module in names_from(&code, "cfsm_core") {
                assert!(KERNEL_CORE.contains(&module), "{} uses cfsm_core::{module}", path.display());
            }
        }
        println!("{name} has {lines} lines of code");
        assert!(lines <= *most, "{name} has {lines} lines of code, more than {most}");
    }
}
