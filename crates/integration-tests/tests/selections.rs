//! What must not be believed of an element at an index that is not known: small models in which
//! something changes between two questions, so that what both ask for happens.

use abstraction::{Options, Precision, abstract_program};
use cfsm_core::program::Program;
use cfsm_core::system::System;

fn system(text: &str, data_places: bool) -> System {
    let outcome = promela_front::parse("model.pml", text, &promela_front::Options::default());
    let program: Program = outcome.program.unwrap_or_else(|| panic!("{text}: {:#?}", outcome.diagnostics));
    let precision = Precision { data_places, ..Precision::default() };
    let options = Options { precision, ..Options::default() };
    abstract_program(&program, &options).expect("it is small").system
}

fn is_bounded(text: &str) -> bool {
    let proved = |data_places| {
        boundedness::check(&system(text, data_places), &boundedness::Options::default()).verdict.is_proved()
    };
    proved(false) || proved(true)
}

fn is_livelock_free(text: &str) -> bool {
    let proved = |data_places| {
        livelock::check(&system(text, data_places), &livelock::Options::default()).verdict.is_proved()
    };
    proved(false) || proved(true)
}

const QUEUE: &str = "chan q = [1] of { byte };";

/// The one who asks is not the one who writes.
#[test]
fn a_reader_does_not_own_what_another_one_writes() {
    let reader = "active proctype R() { byte i; do :: a[i] == 0 -> a[i] == 1 -> q!1 od }";
    let writers = [
        "active proctype W() { do :: a[0] = 1 - a[0] od }",
        "active [2] proctype W() { do :: a[0] = 1 - a[0] od }",
        "proctype W() { do :: a[0] = 1 - a[0] od } init { run W() }",
        "proctype W() { a[0] = 1 - a[0] } init { do :: run W() od }",
        "chan c = [2] of { byte }; active proctype W() { do :: c!1; c?a[0] :: c!0; c?a[0] od }",
        "active proctype W() { do :: c_code { now.a[0] = 1 - now.a[0]; } od }",
    ];
    for writer in writers {
        let text = format!("{QUEUE} byte a[2]; {reader} {writer}");
        assert!(!is_bounded(&text), "{text}");
    }
    let settled = format!("{QUEUE} byte a[2]; {reader} active proctype W() {{ byte b = a[0] }}");
    assert!(is_bounded(&settled), "nobody writes: {settled}");
}

#[test]
fn a_livelock_rests_on_what_another_one_writes() {
    let asks = "active proctype R() {
        byte i; if :: i = 1 :: skip fi; progress: skip; a[i] == 0 -> a[i] == 1 -> do :: skip od }";
    let writes = "active proctype W() { a[0] = 0; a[0] = 1; a[1] = 1 }";
    assert!(!is_livelock_free(&format!("byte a[2]; {asks} {writes}")));
    assert!(is_livelock_free(&format!("byte a[2]; {asks} active proctype W() {{ skip }}")));
}

/// What is written between two questions, in each way in which something is.
#[test]
fn what_is_written_in_between_counts() {
    let processes = [
        // By code in another language.
        "active proctype P() { byte a[2]; byte i; do
            :: a[i] == 0 -> c_code { PP->a[0] = 1; }; if :: a[i] == 1 -> q!1 :: else fi; a[i] = 0 od }",
        // The index is an element of the array itself.
        "active proctype P() { byte a[2]; byte i; do
            :: a[a[i]] = 1; if :: a[a[i]] == 0 -> q!1 :: else fi; a[0] = 0; a[1] = 0 :: i = 1 - i od }",
        // The index is the length of a queue.
        "active proctype P() { chan d = [1] of { byte }; byte a[3]; a[1] = 1; do
            :: a[len(d)] == 0 -> d!1; a[len(d)] == 1 -> q!1; d?_ od }",
        // Not all that is assigned is stored.
        "active proctype P() { byte a[2]; byte i; do
            :: a[i] = 256; if :: a[i] == 0 -> q!1 :: else fi :: i = 1 - i od }",
        // By the number of a new process.
        "proctype Z() { skip } active proctype P() { byte a[2]; byte i; do
            :: a[i] = 0; a[i] == 0 -> a[i] = run Z(); a[i] != 0 -> q!1 od }",
        // By another one of its kind.
        "byte a[2]; proctype P() { byte i; do :: a[i] = 0; a[i] = 1 :: a[i] == 0 -> a[i] == 1 -> q!1 od }
            init { run P(); run P() }",
        "byte a[2]; active [2] proctype P() { byte i; do
            :: a[i] = 0; a[i] = 1 :: a[i] == 0 -> a[i] == 1 -> q!1 od }",
    ];
    for process in processes {
        let text = format!("{QUEUE} {process}");
        assert!(!is_bounded(&text), "{text}");
    }
}
