//! Data that decide nothing are left out of searches, and no others.
#![allow(clippy::unwrap_used)] // helpers of tests

use std::collections::BTreeSet;

use explore::{Buffers, Completion, Exhaustion, Limits, Options, Reduction, RunError, Semantics};

const IDLE: Reduction = Reduction { idle_data: true, ..Reduction::NONE };
/// Data that are left out and not read are reset, too.
const FORGOTTEN: Reduction = Reduction { dead_variables: true, ..IDLE };

fn semantics(text: &str) -> Semantics {
    let read = promela_front::parse("model.pml", text, &promela_front::Options::default());
    let program = read.program.unwrap_or_else(|| panic!("{:#?}", read.diagnostics));
    Semantics::new(&program, &Options { buffers: Buffers::Unbounded, ..Options::default() }).unwrap()
}

fn exhaust(text: &str, reduction: Reduction) -> Exhaustion {
    let limits = Limits { states: Some(20_000), ..Limits::default() };
    let found = semantics(text).exhaust(&limits, reduction).unwrap();
    assert_eq!(found.completion, Completion::Complete);
    found
}

/// States with dead variables forgotten, and with idle data left out too, after all searches were
/// found to agree.
fn states(text: &str) -> (usize, usize) {
    let all = exhaust(text, Reduction::NONE);
    let errors = |found: &Exhaustion, assertions: bool| {
        let looked_for = found.errors.iter().filter(|error| assertions || **error != RunError::Assertion);
        looked_for.map(RunError::to_string).collect::<BTreeSet<_>>()
    };
    for reduction in [IDLE, FORGOTTEN, Reduction::ALL, Reduction::WITHOUT_ASSERTIONS] {
        let reduced = exhaust(text, reduction);
        assert_eq!(reduced.seen, all.seen, "{reduction:?}: {text}");
        assert_eq!((reduced.invalid_end, reduced.deadlock), (all.invalid_end, all.deadlock), "{text}");
        let found = !reduction.assertions;
        assert_eq!(errors(&reduced, true), errors(&all, found), "{text}");
    }
    let dead = Reduction { dead_variables: true, ..Reduction::NONE };
    (exhaust(text, dead).states, exhaust(text, FORGOTTEN).states)
}

#[test]
fn counters_that_nobody_asks_are_left_out() {
    let (all, reduced) = states(
        "byte sent; chan c = [1] of { byte };
         active proctype A() { do :: c!1; sent++; c?_ od }",
    );
    assert_eq!((all, reduced), (3 * 256, 3));
}

#[test]
fn what_is_handed_on_to_where_nobody_asks_is_left_out() {
    let (all, reduced) = states(
        "chan c = [1] of { byte }; chan d = [1] of { byte }; chan next = [1] of { bit }; byte last;
         active proctype A() { byte x; do :: select (x : 1 .. 5); c!x; next?_ od }
         active proctype B() { byte y; do :: c?y; d!y od }
         active proctype C() { byte z; do :: d?z; last = z; z = last; next!1 od }",
    );
    assert!(reduced * 4 < all, "{reduced} of {all}");
}

#[test]
fn fields_count_for_the_kinds_of_messages_of_which_somebody_keeps_them() {
    let (all, reduced) = states(
        "mtype = { data, bye }; chan c = [1] of { mtype, byte }; chan d = [9] of { byte };
         active proctype A() { byte x; x++; if :: x++ :: skip fi; c!data(x); if :: x = 5 :: x = 6 fi; c!bye(x) }
         active proctype B() { byte y; c?data(y); if :: y == 2 -> d!1; d!1 :: else -> d!1 fi; c?bye(y) }",
    );
    assert!(reduced < all, "{reduced} of {all}");
}

#[test]
fn what_only_assertions_look_at_is_left_out_where_these_are() {
    let text = "byte N = 200; chan c = [1] of { byte };
        chan k = [1] of { bit };
        active proctype A() { byte x; do :: c!x; x = (x + 1) % N; k?_ od }
        active proctype B() { byte y, z; do :: c?y; assert(y == z); z = (z + 1) % N; k!1 od }";
    let (all, reduced) = states(text);
    assert_eq!(all, reduced);
    let without = exhaust(text, Reduction::WITHOUT_ASSERTIONS).states;
    assert!(without * 100 < all, "{without} of {all}");
    // What goes wrong in them still does.
    states("chan c = [2] of { byte }; active proctype A() { byte a[2], i = 1; i++; assert(a[i] == 0); c!1 }");
    states("chan c = [2] of { byte }; active proctype A() { byte i; assert(i == 1); c!i }");
    states(
        "chan c = [2] of { byte }; active proctype A() { byte i, j; i++; assert(i == 1 && 3 / j == 1); c!i }",
    );
}

/// A global that no statement writes is treated as a constant.
#[test]
fn what_is_never_written_is_a_number() {
    for (init, expected) in [("7", true), ("300", true), ("0", false), ("256", false)] {
        let text = format!(
            "byte N = {init}; chan c = [1] of {{ byte }};
             active proctype A() {{ byte x = N; do :: c!1; x = (x + 1) % N; c?_ od }}"
        );
        let (all, reduced) = states(&text);
        assert_eq!(reduced < all, expected, "{init}: {reduced} of {all}");
    }
    // A global that a statement writes is not a constant.
    for write in ["N = 2", "c!3; c?N", "select (N : 1 .. 2)", "N++"] {
        states(&format!(
            "byte N = 1; chan c = [1] of {{ byte }}; chan d = [9] of {{ byte }};
             active proctype A() {{ {write}; if :: N == 1 -> d!1 :: else -> d!1; d!2 fi }}"
        ));
    }
}

/// A message that a `d_step` has sent before an error in it has been in the queue.
#[test]
fn what_is_sent_before_something_goes_wrong_counts() {
    let text = "chan d = [9] of { byte }; active proctype A() { d!1; d_step { d!2; len(d) == 9 } }";
    let found = exhaust(text, Reduction::NONE);
    assert_eq!((found.seen.into_values().collect::<Vec<_>>(), found.errors.len()), (vec![2], 1));
    states(text);
}

/// Each of these is about one thing that may decide something, and fails if that is left out.
#[test]
fn what_decides_something_stays() {
    let twice = "if :: y == 2 -> d!1; d!1 :: else -> d!1 fi";
    let with = |text: &str| format!("chan d = [9] of {{ byte }}; {}", text.replace("TWICE", twice));
    for text in [
        // Copied, and tested; by a process, by another one, when it is created, and when it begins.
        "active proctype A() { byte x = 1, y; x++; y = x; TWICE }",
        "byte x; active proctype A() { x = 2 } active proctype B() { byte y; x > 0; y = x; TWICE }",
        "proctype B(byte y) { TWICE } init { byte x = 1; x++; run B(x) }",
        "proctype B(byte x) { byte y = x; x = 0; TWICE } init { byte x = 1; x++; run B(x) }",
        "byte g; proctype B() { byte y = g; TWICE } init { g = 2; run B() }",
        // In messages: kept, matched, polled, put in order.
        "chan c = [1] of { byte }; active proctype A() { byte x = 1, y; x++; c!x; c?y; TWICE }",
        "chan c = [1] of { byte }; active proctype A() { byte x = 1; x++; c!x; c?2; d!1 }",
        "chan c = [1] of { byte }; active proctype A() { byte x = 1, z = 1; x++; z++; c!x; c?eval(z); d!1 }",
        "chan c = [1] of { byte }; active proctype A() { byte x = 1; x++; c!x; if :: c?[2] -> d!1 :: else fi }",
        "chan c = [1] of { byte }; active proctype A() { c!3; if :: c?0 -> d!1 :: timeout fi }",
        "chan c = [2] of { byte, byte };
         active proctype A() { byte x = 3; x--; c!!x, 7; c!!1, 8; if :: c?_, 8 -> d!1 :: c?_, 7 fi }",
        // Of messages of a kind that is known, of any, and of one that a bit does not tell apart.
        "mtype = { a, b }; chan c = [2] of { mtype, byte };
         active proctype A() { byte x = 1, y; x++; c!b(0); c!a(x); c?b(y); c?a(y); TWICE }",
        "mtype = { a, b }; chan c = [2] of { mtype, byte };
         active proctype A() { byte x = 1, y; mtype m; x++; c!b(0); c!a(x); c?b(y); c?m(y); TWICE }",
        "mtype = { a, b }; chan c = [2] of { mtype, byte };
         active proctype A() { byte x = 1, y; mtype m = a; x++; c!m(x); c?a(y); TWICE }",
        "chan c = [2] of { bit, byte }; active proctype A() { byte x = 1, y; x++; c!3(x); c?1(y); TWICE }",
        // Which queue it is: handed over, in an array, in a message, chosen.
        "proctype B(chan c) { byte y; c?y; TWICE } chan q = [1] of { byte };
         init { byte x = 1; x++; run B(q); q!x }",
        "chan q[2] = [1] of { byte };
         active proctype A() { byte x = 1, y, i; x++; i++; q[1]!x; q[i]?y; TWICE }",
        "chan q = [1] of { byte }; chan r = [1] of { chan };
         active proctype A() { byte x = 1, y; chan s; x++; q!x; r!q; r?s; s?y; TWICE }",
        "chan q = [1] of { byte }; chan p = [1] of { byte };
         active proctype A() { byte x = 1, y; chan s = p; x++; q!x; if :: x == 2 -> s = q :: else -> s = p fi; s?y; TWICE }",
        "chan q = [1] of { byte }; chan p = [1] of { byte };
         active proctype A() { byte x = 1, y; chan s = p; x++; q!x; if :: x != 2 -> s = p :: else -> s = q fi; s?y; TWICE }",
        "chan q = [1] of { byte }; active proctype A() { byte x = 1, y; chan s = q; x++; q!x; s?y; TWICE }",
        "proctype C(chan c) { byte y; c?y; TWICE } proctype B(chan c) { run C(c) } chan q = [1] of { byte };
         init { byte x = 1; x++; run B(q); q!x }",
        // The number of a queue that is gone is that of another one now; a part of a number is
        // another one.
        "chan g; proctype P() { chan c = [2] of { byte }; g = c }
         proctype R() { chan e = [2] of { byte }; byte y; e?y; TWICE }
         init { run P(); _nr_pr == 1; run R(); g!2 }",
        "chan a = [1] of { byte }; chan b = [1] of { byte }; proctype Z(chan z) { z!2 }
         proctype Q(bit t) { run Z(t) } init { byte y; run Q(b); d?y; TWICE }",
        // Where the next field goes, and whether the channel is still the same.
        "chan c = [1] of { byte, byte };
         active proctype A() { byte a[2], i, y; c!1, 2; c?i, a[i]; y = a[1]; TWICE }",
        "chan c[2] = [1] of { byte, byte }; active proctype A() { byte i; c[0]!1, 1; c[i]?i, _; d!1 }",
        // What goes wrong, though its value decides nothing.
        "active proctype A() { byte a[2], i = 1; i++; a[i] = 1; d!1 }",
        "active proctype A() { byte a[2], i = 1, x; i++; x = a[i]; d!1 }",
        "active proctype A() { byte x, z; x = 1 / z; d!1 }",
        "active proctype A() { byte x, z = 9; x = z % (z - 9); d!1 }",
        "active proctype A() { int x, z = 31; z++; x = 1 << z; d!1 }",
        "active proctype A() { byte x, z; x = (z == 1 && 1 / z); d!1 }",
        "active proctype A() { byte x, z; x = (z == 0 -> 7 : 1 / z); printf(\"%d\", 1 / z); d!1 }",
        "chan c = [1] of { byte }; active proctype A() { byte a[2], i = 1; i++; c!1; c?a[i]; d!1 }",
        "chan c = [1] of { byte }; active proctype A() { byte a[2], i = 1; i++; c!a[i]; c?_; d!1 }",
        "proctype B(byte x) { skip } init { byte a[2], i = 1; i++; run B(a[i]); d!1 }",
    ] {
        states(&with(text));
    }
}

#[test]
fn a_run_that_goes_round_comes_back_in_all_data() {
    let semantics = semantics(
        "byte sent, old; chan c = [1] of { byte, byte };
         active proctype A() { c!1(0); do :: c?1(old); sent = sent + 64; c!1(sent) od }",
    );
    let found = semantics.termination(&Limits::default()).unwrap();
    assert!(found.goes_round && found.states < 10, "{} states", found.states);
    let lasso = found.lasso.unwrap();
    let (_, steps) = semantics.replay(&lasso.prefix).unwrap();
    let begin = steps.last().unwrap().after.clone();
    let all = [lasso.prefix.steps.clone(), lasso.cycle.steps.clone()].concat();
    let (_, steps) = semantics.replay(&explore::Run { steps: all }).unwrap();
    assert_eq!(steps.last().unwrap().after, begin);
    assert_eq!(lasso.cycle.steps.len() % (4 * 3), 0, "four rounds until the counter comes back");
}

#[test]
fn a_search_for_a_run_that_goes_round_does_no_more_work_than_allowed() {
    let counting = |cells: usize| {
        semantics(&format!(
            "chan c = [1] of {{ byte }}; int kept[{cells}] = 1000;
             active [2] proctype P() {{ byte n; kept[0]++;
               do :: n < 60 -> n++; c!kept[n % {cells}]; c?_ :: n == 60 -> break od }}"
        ))
    };
    let look =
        |semantics: &Semantics, work| semantics.termination(&Limits { work, ..Limits::default() }).unwrap();
    let (small, large) = (counting(2), counting(50));
    let all = look(&small, None);
    assert!(all.completion == Completion::Complete && all.transitions > 1_000, "{all:?}");
    assert_eq!(look(&small, Some(usize::MAX)).transitions, all.transitions);
    let [few, fewer] = [&small, &large].map(|semantics| look(semantics, Some(20_000)));
    for some in [&few, &fewer] {
        assert!(some.completion == Completion::States && some.proof.is_none(), "{some:?}");
    }
    // States of the second take more bytes, so it takes fewer steps.
    assert!(fewer.transitions < few.transitions && few.transitions < all.transitions, "{fewer:?} {few:?}");
}
