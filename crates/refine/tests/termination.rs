//! Programs all runs of which end, and what is no proof of that.
#![allow(clippy::unwrap_used)] // clippy.toml allows it in tests, and helpers of tests are no less

use refine::{Ending, Options, termination};

fn ending(text: &str) -> Ending {
    let read = promela_front::parse("model.pml", text, &promela_front::Options::default());
    let program = read.program.unwrap_or_else(|| panic!("{:?}", read.diagnostics));
    termination(&program, &Options::default())
}

#[test]
fn every_run_ends_or_one_does_not() {
    let server = |step: &str| {
        format!(
            "chan q = [2] of {{ bit }}; chan r = [2] of {{ bit }};
             active [2] proctype User() {{ q!1; r?_ }}
             active proctype Server() {{ do :: q?_ -> {step} od }}"
        )
    };
    let found = ending(&server("r!1"));
    assert!(found.ends && found.clean && found.limit.is_none(), "{found:?}");
    for step in ["r!1; q!1", "do :: skip od", "atomic { do :: skip od }"] {
        let found = ending(&server(step));
        assert!(!found.ends, "{step}: {found:?}");
    }
    // The queue grows, and no state is met again.
    let read = promela_front::parse(
        "model.pml",
        "chan q = [2] of { bit }; active proctype P() { do :: q!1 od }",
        &promela_front::Options::default(),
    );
    let few = Options { exploration_states: 1_000, ..Options::default() };
    assert!(!termination(&read.program.unwrap(), &few).ends);
}

/// A run without end begins where the second send has to wait.
#[test]
fn a_run_without_end_with_the_declared_capacities_only() {
    let others = [
        ("q!1; if :: q!1 -> skip :: else -> do :: x = 1 - x od fi", "skip"),
        ("q!1; q!1", "timeout && len(q) == 1 -> do :: x = 1 - x od"),
        ("q!1; if :: full(q) -> do :: x = 1 - x od :: nfull(q) -> skip fi", "skip"),
        ("atomic { g = 1; q!1; q!1; g = 0 }", "g == 1 -> do :: x = 1 - x od"),
        ("q!1; { do :: x = 1 - x :: x -> break od } unless { q!1 }", "skip"),
        ("q!1; d_step { if :: q!1 :: x = 1 fi }; x == 1 -> do :: x = 1 - x od", "skip"),
        ("q!1; q!1", "len(q) == 1 && !enabled(0) -> do :: x = 1 - x od"),
    ];
    for (first, second) in others {
        let text = |capacity: u32| {
            format!(
                "chan q = [{capacity}] of {{ bit }}; bit g;
                 active proctype P() {{ bit x; {first} }}
                 active proctype Q() {{ bit x; {second} }}"
            )
        };
        let found = ending(&text(1));
        assert!(!found.ends && found.limit.unwrap().contains("declared capacities"), "{}", text(1));
        let found = ending(&text(3));
        assert!(found.ends && found.clean && found.limit.is_none(), "{}", text(3));
    }
}

#[test]
fn what_lies_behind_an_error_is_not_known() {
    let found = ending("byte x = 2; bit a[2]; active proctype P() { assert(x == 1) }");
    assert!(found.ends && found.clean);
    let found = ending("byte x = 2; bit a[2]; active proctype P() { a[x] = 1; do :: skip od }");
    assert!(found.ends && !found.clean);
    // Behind a division by 0, C may do anything.
    assert!(!ending("byte x; active proctype P() { x = 1 / x }").ends);
}

/// Spin's verifier stops at a receive of more fields than there are, its simulator goes on.
#[test]
fn a_receive_of_too_many_fields_is_no_end() {
    let text = |receive: &str| {
        format!(
            "chan c = [2] of {{ byte, byte }}; chan v; byte g;
             active proctype P() {{ byte x, y, z; v = c; v!1, 2; {receive}; g = 1 }}
             active proctype Q() {{ g == 1; {} }}",
            if receive.contains("z") { "do :: c!1, 2 od" } else { "skip" }
        )
    };
    assert!(!ending(&text("v?x, y, z")).ends);
    let found = ending(&text("v?x"));
    assert!(found.ends && found.clean, "{found:?}");
}

/// Nobody may be kept waiting by a process that comes to an error inside `atomic`.
#[test]
fn an_error_inside_of_atomic_hides_nothing() {
    let found = ending(
        "byte x = 2; bit a[2]; bit b;
         active proctype P() { atomic { skip; a[x] = 1 } }
         active proctype Q() { do :: b = 1 - b od }",
    );
    assert!(!found.ends);
}

#[test]
fn a_claim_counts_as_a_process() {
    let text = |claim: &str| format!("active proctype P() {{ _nr_pr == 2 -> skip }} {claim}");
    assert!(ending(&text("")).ends);
    let found = ending(&text("never { do :: 1 od }"));
    assert!(!found.ends && found.limit.unwrap().contains("claim"));
}
