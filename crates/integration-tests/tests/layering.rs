//! The layers of the workspace, held against what cargo says.
//!
//! Members stand in layer order in the root `Cargo.toml`. A crate depends on crates above it only,
//! and only on those that the table here allows; tests may use any crate above.
#![allow(clippy::unwrap_used)] // clippy.toml allows it in tests, and helpers of tests are no less

use std::fs;
use std::path::Path;

use cargo_metadata::{Dependency, DependencyKind, Metadata, MetadataCommand, Package};

/// Nothing depends on tests, examples and benchmarks, so they may depend on whatever is above them.
const ANY: &[&str] = &["*"];

/// Per member, the members it may depend on, in layer order. To add an edge is a decision about the
/// architecture: change docs/architecture.md with it.
const LAYERS: &[(&str, &[&str])] = &[
    ("cfsm-core", &[]),
    ("promela-front", &["cfsm-core"]),
    ("umlrt-front", &["cfsm-core"]),
    ("abstraction", &["cfsm-core"]),
    ("cycles", &[]),
    ("certify", &["cfsm-core"]),
    ("ilp-encode", &["cfsm-core", "cycles"]),
    ("cases", &["cfsm-core", "certify", "ilp-encode"]),
    ("boundedness", &["cfsm-core", "certify", "ilp-encode", "cases"]),
    ("livelock", &["cfsm-core", "certify", "ilp-encode", "cases"]),
    ("explore", &["cfsm-core"]),
    ("refine", &["cfsm-core", "abstraction", "certify", "boundedness", "livelock", "explore"]),
    ("report", &["cfsm-core", "certify", "boundedness", "livelock", "explore", "refine"]),
    (
        "freeboard",
        &[
            "cfsm-core",
            "promela-front",
            "umlrt-front",
            "abstraction",
            "cycles",
            "certify",
            "ilp-encode",
            "boundedness",
            "livelock",
            "explore",
            "refine",
            "report",
        ],
    ),
    ("integration-tests", ANY),
    ("examples", ANY),
    ("benches", ANY),
];

/// All that the checker may be built from.
const CHECKER: &[&str] = &["cfsm-core", "num-bigint", "num-traits", "serde", "serde_json", "thiserror"];

fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

fn metadata() -> Metadata {
    let manifest = root().join("Cargo.toml");
    MetadataCommand::new().manifest_path(manifest).no_deps().exec().expect("cargo metadata works")
}

fn package<'a>(metadata: &'a Metadata, name: &str) -> &'a Package {
    let found = metadata.packages.iter().find(|package| package.name.as_str() == name);
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
        let name = package.name.as_str();
        let Some(at) = layer(name) else {
            broken.push(format!("`{name}` is in no layer: add it to LAYERS"));
            continue;
        };
        for dependency in inner(package) {
            let on = dependency.name.as_str();
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
            let used = inner(package).any(|edge| is_normal(edge) && edge.name.as_str() == *on);
            assert!(used, "`{name}` no longer depends on `{on}`: take it out of LAYERS");
        }
    }
}

#[test]
fn the_checker_is_built_from_exact_integers_alone() {
    let metadata = metadata();
    let normal = package(&metadata, "certify").dependencies.iter().filter(|edge| is_normal(edge));
    let strangers: Vec<&str> =
        normal.map(|edge| edge.name.as_str()).filter(|name| !CHECKER.contains(name)).collect();
    assert!(
        strangers.is_empty(),
        "certify must stay free of floats, solvers and encoders; it depends on {strangers:?}"
    );
}

#[test]
fn the_enumeration_of_cycles_knows_nothing_of_systems() {
    let metadata = metadata();
    let inner: Vec<&str> = inner(package(&metadata, "cycles")).map(|edge| edge.name.as_str()).collect();
    assert!(inner.is_empty(), "cycles is about graphs; it depends on {inner:?}");
}
