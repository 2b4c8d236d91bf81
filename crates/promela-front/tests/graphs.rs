//! Snapshots of control-flow graphs: edges as Spin's `pan -d` shows them.

use std::fs;
use std::path::Path;

use cfsm_core::program::Claim;
use promela_front::{Options, dump, parse};

fn check(name: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/fixtures/valid/{name}.pml"));
    let text = fs::read_to_string(path).expect("fixture");
    let outcome = parse(name, &text, &Options::default());
    let mut shown: String = outcome
        .diagnostics
        .iter()
        .map(|diagnostic| format!("{}\n", diagnostic.line(&outcome.sources)))
        .collect();
    let program = outcome.program.unwrap_or_else(|| panic!("{shown}"));
    program.validate().expect("valid");
    for set in program.symbols.values() {
        shown += &format!("mtype {:?} {:?}\n", set.name, set.constants);
    }
    for variable in program.globals.values() {
        shown += &format!("{}: {:?} {:?} {:?}\n", variable.name, variable.ty, variable.length, variable.init);
    }
    shown += &format!("initial {:?}\n", program.initial);
    for process in program.types.values() {
        shown += &dump(&program, process);
        let locals: Vec<_> = process.locals.values().map(|local| (&local.name, &local.init)).collect();
        shown += &format!("  {} parameters, locals {locals:?}\n", process.parameters);
    }
    for claim in &program.claims {
        shown += &match claim {
            Claim::Observer { process_type, kind } => format!("{kind:?} is {process_type:?}\n"),
            Claim::Ltl { name, formula, .. } => format!("ltl {name:?}: {formula}\n"),
        };
    }
    insta::assert_snapshot!(name, shown);
}

#[test]
fn channels() {
    check("channels");
}

#[test]
fn control() {
    check("control");
}

#[test]
fn empty_body() {
    check("empty_body");
}

#[test]
fn marks() {
    check("marks");
}

#[test]
fn lines() {
    check("lines");
}

#[test]
fn whole_language() {
    check("whole_language");
}

#[test]
fn records() {
    check("records");
}

#[test]
fn loops() {
    check("loops");
}

#[test]
fn escapes() {
    check("escapes");
}

#[test]
fn inlines() {
    check("inlines");
}

#[test]
fn observers() {
    check("observers");
}

#[test]
fn atomicity() {
    check("atomicity");
}

#[test]
fn embedded() {
    check("embedded");
}
