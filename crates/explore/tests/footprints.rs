//! Small programs in which a step depends on something that is easily forgotten: a search that
//! forgets it finds other maxima, or not all errors. Each is searched one by one without
//! reductions, and then in all other ways.

use std::collections::BTreeSet;

use explore::{Buffers, Claims, Exhausted, Limits, Options, Reduction, Semantics};

fn semantics(text: &str) -> Semantics {
    let read = promela_front::parse("model.pml", text, &promela_front::Options::default());
    let options = Options { buffers: Buffers::Unbounded, claims: Claims::Ignored, ..Options::default() };
    Semantics::new(&read.program.expect("a program"), &options).expect("one that can be executed")
}

/// Searches a program in all ways and compares the results. Returns the number of ways in which the
/// symbolic search was used.
fn agree(text: &str) -> usize {
    let semantics = semantics(text);
    let limits = Limits::default();
    let plain = semantics.exhaust(&limits, Reduction::NONE).expect("a start");
    let errors =
        |errors: &[explore::RunError]| errors.iter().map(ToString::to_string).collect::<BTreeSet<_>>();
    let known = |proof: &Option<Exhausted>| proof.as_ref().map(|proof| proof.maxima().clone());
    let mut in_sets = 0;
    for reduction in [Reduction::NONE, Reduction::ALL, Reduction::WITHOUT_ASSERTIONS] {
        let reduced = semantics.exhaust(&limits, reduction).expect("a start");
        assert_eq!(known(&plain.proof), known(&reduced.proof), "{reduction:?}: {text}");
        assert_eq!(errors(&plain.errors), errors(&reduced.errors), "{reduction:?}: {text}");
        let Some(found) = semantics.exhaust_in_sets(&limits, reduction) else { continue };
        in_sets += 1;
        assert_eq!(known(&plain.proof), known(&found.proof), "{reduction:?}, in sets: {text}");
        assert_eq!(errors(&plain.errors), errors(&found.errors), "{reduction:?}, in sets: {text}");
    }
    in_sets
}

#[test]
fn what_comes_behind_a_run_inside_atomic_does_not_come_first() {
    agree(
        "chan q = [9] of {byte}; byte g; proctype R() { skip }
        active proctype S() { if :: g == 0 -> q!1; q!1 :: else fi }
        init { atomic { run R(); g = 1 } }",
    );
}

#[test]
fn a_process_that_is_created_may_answer() {
    for text in [
        "chan c = [0] of {byte}; chan q = [9] of {byte}; proctype R() { byte x; c?x }
        active proctype S() { if :: c!1 :: else -> q!1; q!1 fi }
        init { run R() }",
        "chan c = [0] of {byte}; chan q = [9] of {byte}; proctype R() { skip }
        active proctype S() { if :: c!1 :: else -> q!1; q!1 fi }
        init { byte x; run R(); c?x }",
        "chan c = [0] of {byte}; chan q = [9] of {byte}; proctype R() { byte x; c?x }
        active proctype S() { byte n; { n = 1; q!1; q!2; n = 2 } unless { c!1 } }
        init { run R() }",
    ] {
        agree(text);
    }
}

#[test]
fn who_goes_wrong_does_not_answer() {
    for text in [
        "chan c = [0] of {byte}; chan d; chan q = [1] of {byte}; chan r = [9] of {byte};
        active proctype S() { byte x; q?x; if :: c!1 :: else -> r!1; r!1 fi }
        active proctype X() { byte x; if :: d?x :: q!1 fi; r!1 }",
        "chan c = [0] of {byte}; chan d[2] = [0] of {byte}; chan q = [1] of {byte}; chan r = [9] of {byte};
        active proctype S() { byte x; q?x; if :: c!1 :: else -> r!1; r!1 fi }
        active proctype X() { byte i = 7, x; if :: d[i]?x :: q!1 fi; r!1 }",
        "chan c = [0] of {byte}; chan d = [0] of {byte}; chan q = [1] of {byte}; chan r = [9] of {byte};
        active proctype S() { byte x; q?x; if :: c!1 :: else -> r!1; r!1 fi }
        active proctype X() { byte x; if :: d?<x> :: q!1 fi; r!1 }",
    ] {
        assert_eq!(agree(text), 3, "{text}");
    }
}

#[test]
fn who_goes_wrong_is_told_though_another_one_answers() {
    let errors = agree(
        "chan c = [0] of {byte}; chan d[2] = [0] of {byte}; chan q = [1] of {byte}; byte g;
        active proctype S() { atomic { g = 5; c!1 } }
        active proctype R() { byte x; atomic { c?x; g = 0 } }
        active proctype X() { byte x; q?x; d[g]?x }
        active proctype Y() { q!1 }",
    );
    assert_eq!(errors, 3);
}

#[test]
fn who_is_about_to_go_wrong_does_not_come_first() {
    for text in [
        "chan c = [0] of {byte}; chan d; chan q = [9] of {byte};
        active proctype S() { if :: c!1 :: else -> q!1; q!1 fi }
        active proctype X() { byte x; x = 1; d?x }",
        "chan c = [0] of {byte}; chan d[2] = [0] of {byte}; chan q = [9] of {byte};
        active proctype S() { if :: c!1 :: else -> q!1; q!1 fi }
        active proctype X() { byte x; x = 5; d[x]?x }",
    ] {
        agree(text);
    }
}

#[test]
fn a_process_may_be_given_what_others_change() {
    for text in [
        "chan q = [9] of {byte}; chan r = [9] of {byte}; active proctype E() { q!1; q!1 }
        proctype P(byte n) { if :: n == 2 -> r!1; r!1 :: else fi; n = 0 } init { run P(len(q)) }",
        "chan r = [9] of {byte}; init { byte k; k = run P(); if :: k == 1 -> r!1; r!1 :: else fi; k = 0 }
        active proctype E() { skip } proctype P() { skip }",
        "chan r = [9] of {byte}; byte g; active proctype E() { g = 1 }
        proctype P() { byte m = g; if :: m == 1 -> r!1; r!1 :: else fi; m = 0 } init { run P() }",
        "chan r = [9] of {byte}; byte g; active proctype E() { g = 1 }
        proctype P(byte m) { if :: m == 1 -> r!1; r!1 :: else fi; m = 0 } init { run P(g) }",
        "chan r = [9] of {byte}; init { run P() } active proctype E() { skip }
        proctype P() { if :: _pid == 1 -> r!1; r!1 :: else fi }",
        "chan r = [9] of {byte}; init { run P() } active proctype E() { skip }
        proctype P() { chan l = [2] of {byte}; l!1; r!1 }",
        "chan q = [9] of {byte}; chan r = [9] of {byte}; chan z = [9] of {byte}; active proctype W() { r!1 }
        proctype P(chan u) { nempty(u); z!1; z!1 } init { if :: run P(q) :: run P(r) fi }",
        "chan q = [9] of {byte}; chan r = [9] of {byte}; chan z = [9] of {byte}; active proctype W() { q!1 }
        proctype P(chan u) { nempty(u); z!1; z!1 } init { if :: run P(q) :: run P(r) fi }",
    ] {
        agree(text);
    }
}

#[test]
fn a_step_asks_whether_queues_and_processes_are_there() {
    for text in [
        "chan m = [3] of {chan}; chan q = [9] of {byte};
        active proctype B() { chan u; m?u; if :: u!1 -> q!1 :: nempty(q) -> q!2 fi; if :: full(u) -> q!3 :: else -> q!4; q!5 fi }
        active proctype A() { chan l = [3] of {byte}; m!l; q!1 }",
        "chan c = [2] of {byte}; chan r = [9] of {byte};
        active proctype S() { if :: c?[2] -> r!1; r!1 :: c?[1] -> r!1 fi } active proctype T() { c!1; c?1; c!2 }",
        "chan r = [9] of {byte}; chan q = [2] of {byte};
        active proctype A() { byte n; q?1; n = _nr_pr; if :: n == 2 -> r!1; r!1 :: n == 3 -> r!1 fi }
        active proctype B() { q!1 } active proctype C() { q?<1> }",
        "chan d; chan q = [9] of {byte}; active proctype X() { byte x; d?x } active proctype T() { timeout; q!1 }",
    ] {
        assert_eq!(agree(text), 3, "{text}");
    }
}

#[test]
fn a_global_that_others_write_decides() {
    for text in [
        "byte x; chan q = [9] of {byte}; active proctype A() { x == 1; q!1 } active proctype B() { x = 1; x = 2 }",
        "byte x; chan q = [9] of {byte}; active proctype A() { if :: x == 2 -> q!1 :: else -> q!1; q!1 fi }
            active proctype B() { do :: x < 3 -> x++ :: x > 0 -> x-- od }",
        "byte x[3]; chan q = [9] of {byte}; active proctype A() { byte i; i = x[2]; x[i] == 1; q!1 }
            active proctype B() { x[2] = 1; x[1] = 1 }",
    ] {
        assert_eq!(agree(text), 3, "{text}");
    }
}

#[test]
fn what_is_too_much_between_two_steps_comes_to_a_limit() {
    for text in [
        "chan q = [9] of {byte}; active proctype S() { skip; atomic { do :: q!1 od } }",
        "chan q = [9] of {byte}; active proctype S() { atomic { timeout; do :: q!1 od } }",
    ] {
        let found = semantics(text).exhaust_in_sets(&Limits::default(), Reduction::ALL).expect("fit");
        assert_eq!((found.completion, found.proof), (explore::Completion::States, None), "{text}");
    }
    let begins = semantics(
        "chan q = [9] of {byte}; proctype P() { skip } init { atomic { do :: q!1 :: run P(); break od } }",
    );
    assert!(!begins.is_fit_for_sets(Reduction::ALL));
}

#[test]
fn what_depends_on_too_much_comes_to_a_limit() {
    let text = "chan ask[9] = [3] of { byte }; chan q = [4] of {byte};
        active [9] proctype Client() { byte n; do :: ask[_pid]!n :: ask[_pid]?n :: n < 3 -> n++ od }
        active proctype X() { do :: _nr_pr > 40 -> q!1 :: q?1 od }";
    let limits = Limits { states: Some(50_000), ..Limits::default() };
    let found = semantics(text).exhaust_in_sets(&limits, Reduction::NONE).expect("fit");
    assert_eq!((found.completion, found.proof), (explore::Completion::States, None));
}
