//! Programs all runs of which end, and what is no proof of that.
#![allow(clippy::unwrap_used)] // clippy.toml allows it in tests, and helpers of tests are no less

use cfsm_core::program::Program;
use explore::Buffers;
use refine::{Ending, Options, recurrence, termination};

fn program(text: &str) -> Program {
    let read = promela_front::parse("model.pml", text, &promela_front::Options::default());
    read.program.unwrap_or_else(|| panic!("{:?}", read.diagnostics))
}

fn ending(text: &str) -> Ending {
    termination(&program(text), &Options::default())
}

fn recurring(text: &str) -> Ending {
    recurrence(&program(text), &Options::default())
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
fn a_run_without_end_with_a_limited_channel_only() {
    let others = [
        ("q!1; if :: q!1 -> skip :: else -> do :: x = 1 - x od fi", "skip"),
        ("q!1; q!1", "timeout && len(q) == 1 -> do :: x = 1 - x od"),
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
        assert!(!found.ends && found.goes_on, "{}", text(1));
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

#[test]
fn progress_again_and_again_or_not() {
    let server = |step: &str| {
        format!(
            "chan q = [2] of {{ bit }}; chan r = [2] of {{ bit }};
             active [2] proctype User() {{ do :: q!1; r?_ od }}
             active proctype Server() {{ do :: q?_; {step} od }}"
        )
    };
    let found = recurring(&server("progress: r!1"));
    assert!(found.ends && found.clean && found.witness.is_none() && found.limit.is_none(), "{found:?}");
    // Some user is served only once, and that is progress too; but not for ever.
    for step in ["r!1", "if :: skip; progress: r!1 :: r!1 fi", "do :: skip od; progress: r!1"] {
        let found = recurring(&server(step));
        assert!(!found.ends, "{step}: {found:?}");
        let (_, witness) = found.witness.unwrap_or_else(|| panic!("{step}: no run"));
        assert!(!witness.pump().steps.is_empty());
    }
}

#[test]
fn a_round_with_progress_is_none() {
    let text = "active proctype P() { byte x; do :: skip; progress: if :: x = 1 :: x = 2 fi; x = 0 od }";
    let found = recurring(text);
    assert!(found.ends && found.clean, "{found:?}");
}

/// Where nobody sees where a process is, a label is neither progress for a proof nor none for a
/// run.
#[test]
fn progress_that_is_not_certain() {
    let found = recurring("active proctype P() { byte x; do :: atomic { x = 1; progress: x = 0 } od }");
    assert!(!found.ends && found.witness.is_none(), "{found:?}");
}

/// Others step for ever while one process waits at its label: it has made progress once.
#[test]
fn waiting_is_no_progress() {
    let text = "bit x; active proctype P() { progress: false } active proctype Q() { do :: x = 1 - x od }";
    let found = recurring(text);
    assert!(!found.ends && found.witness.is_some(), "{found:?}");
}

/// A step that makes progress is not put before one without.
#[test]
fn progress_of_others_hides_nothing() {
    let text = "
        bit x;
        active proctype P() { do :: skip; progress: skip od }
        active proctype Q() { x == 1 -> do :: skip od }
        active proctype R() { x = 1 }";
    let found = recurring(text);
    assert!(found.witness.is_some(), "{found:?}");
}

/// Variables that are not read any more differ behind the first round, and not behind the second
/// one.
#[test]
fn what_is_not_read_any_more_may_differ() {
    let text = "
        chan q = [1] of { byte };
        active proctype P() { byte x = 7; byte y; do :: q!1; q?y; x = y; x = 0; y = 3 od }";
    let found = recurring(text);
    assert!(found.witness.is_some(), "{found:?}");
}

#[test]
fn an_error_is_no_proof_of_progress() {
    let text = "active proctype P() { byte x; bit a[2]; do :: x < 3 -> progress: a[x] = 1; x++ od }";
    let found = recurring(text);
    assert!(found.ends && !found.clean, "{found:?}");
}

#[test]
fn no_progress_with_a_limited_channel_only() {
    let text = |capacity: u32| {
        format!(
            "chan q = [{capacity}] of {{ bit }}; bit x;
             active proctype P() {{ q!1; if :: q!1 -> skip :: else -> do :: x = 1 - x od fi }}
             active proctype Q() {{ do :: x = 1 - x; progress: skip od }}"
        )
    };
    let found = recurring(&text(1));
    assert!(!found.ends && found.limit.is_none());
    let (semantics, _) = found.witness.unwrap();
    assert!(matches!(semantics.options().buffers, Buffers::Reading(_)), "{:?}", semantics.options());
    let found = recurring(&text(3));
    assert!(found.ends && found.clean && found.limit.is_none(), "{found:?}");
}

/// With unbounded buffers there are states without end before the run that goes round; it is a run
/// with these too.
#[test]
fn a_run_that_capacities_keep_small() {
    let text = "
        chan q = [2] of { bit }; bit g;
        active proctype P() { do :: q!1 od }
        active proctype Q() { if :: g == 1 -> do :: skip od fi }
        active proctype R() { progress: q?1; g = 1; do :: q?1; progress2: skip od }";
    let few = Options { exploration_states: 2_000, ..Options::default() };
    let (semantics, witness) = recurrence(&program(text), &few).witness.unwrap();
    assert_eq!(semantics.options().buffers, Buffers::Unbounded);
    assert!(witness.growth().is_empty());
}
