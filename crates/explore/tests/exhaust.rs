//! Searches with reductions: what they leave out, and what they must not.
#![allow(clippy::unwrap_used)] // helpers of tests

use explore::{Buffers, Completion, Exhaustion, Limits, Options, Reduction, Semantics};

fn exhaust(text: &str, buffers: Buffers, reduction: Reduction) -> Exhaustion {
    let read = promela_front::parse("model.pml", text, &promela_front::Options::default());
    let program = read.program.unwrap_or_else(|| panic!("{:#?}", read.diagnostics));
    let semantics = Semantics::new(&program, &Options { buffers, ..Options::default() }).unwrap();
    let limits = Limits { states: Some(20_000), ..Limits::default() };
    semantics.exhaust(&limits, reduction).unwrap()
}

/// States without and with reductions, after both were found to agree.
fn states(text: &str) -> (usize, usize) {
    let all = exhaust(text, Buffers::Unbounded, Reduction::NONE);
    assert_eq!(all.completion, Completion::Complete);
    for reduction in [
        Reduction { local_steps: true, ..Reduction::NONE },
        Reduction { dead_variables: true, ..Reduction::NONE },
        Reduction::ALL,
    ] {
        let reduced = exhaust(text, Buffers::Unbounded, reduction);
        assert_eq!(reduced.completion, Completion::Complete);
        assert_eq!(reduced.seen, all.seen, "{reduction:?}");
        assert_eq!((reduced.invalid_end, reduced.deadlock), (all.invalid_end, all.deadlock), "{reduction:?}");
        assert_eq!(reduced.errors.len(), all.errors.len(), "{reduction:?}");
        assert_eq!(reduced.proof.is_some(), all.proof.is_some());
        if reduction == Reduction::ALL {
            return (all.states, reduced.states);
        }
    }
    (all.states, all.states)
}

#[test]
fn what_only_one_process_sees_is_done_at_once() {
    let (all, reduced) = states(
        "chan c = [1] of { byte };
         active [2] proctype A() { byte x; do :: x < 5 -> x++ :: else -> break od; c!x }
         active proctype B() { byte y; c?y; y = y * 2; y = y + 1; c?y; y = 0 }",
    );
    assert!(reduced * 3 < all, "{reduced} of {all}");
}

#[test]
fn what_is_not_read_any_more_is_forgotten() {
    let text = "chan c = [1] of { byte };
        active proctype A() { byte x; if :: x = 1 :: x = 2 :: x = 3 fi; c!x; c!1 }
        active proctype B() { byte y; c?y; c?_ }";
    let dead = Reduction { dead_variables: true, ..Reduction::NONE };
    let all = exhaust(text, Buffers::Unbounded, Reduction::NONE).states;
    assert!(exhaust(text, Buffers::Unbounded, dead).states < all);
    states(text);
}

#[test]
fn only_unbounded_buffers_give_a_proof() {
    let text = "chan c = [1] of { byte }; active proctype A() { c!1; c!2 }";
    assert!(exhaust(text, Buffers::Declared, Reduction::ALL).proof.is_none());
    let proof = exhaust(text, Buffers::Unbounded, Reduction::ALL).proof.unwrap();
    assert_eq!(proof.maxima().values().copied().collect::<Vec<_>>(), [2]);
    let endless = "chan c = [1] of { byte }; active proctype A() { do :: c!1 od }";
    let found = exhaust(endless, Buffers::Unbounded, Reduction::ALL);
    assert_eq!((found.completion, found.proof), (Completion::States, None));
    let open = "chan c = [1] of { byte }; byte x; active proctype A() { c!1; x = 1 / x }";
    assert!(exhaust(open, Buffers::Unbounded, Reduction::ALL).proof.is_none());
}

/// Each of these is about one of the conditions in `docs/soundness/exploration.md`, and fails
/// without it.
#[test]
fn others_may_depend_on_what_seems_local() {
    for text in [
        // A ready receiver disables an `else`.
        "chan r = [0] of { byte }; chan c = [1] of { byte };
         active proctype A() { if :: r!1 :: else -> c!1; c!2 fi }
         active proctype B() { byte x; x = 1; r?x }",
        // A ready receiver enables an escape.
        "chan r = [0] of { byte }; chan c = [1] of { byte };
         active proctype A() { { c!1; c!2; c!3 } unless { r!1 } }
         active proctype B() { byte x; x = 1; r?x }",
        // A ready receiver decides which process has control.
        "chan r = [0] of { byte }; chan c = [1] of { byte }; chan d = [1] of { byte }; byte g;
         active proctype A() { atomic { c!1; r!1 } }
         active proctype B() { byte x; x = 1; atomic { r?x; d!1 } }
         active proctype C() { byte y; c?y; d!2; if :: len(d) == 1 -> c!1; c!1; c!1 :: else fi }",
        // An error ends the run, so steps of other processes must be explored before it.
        "chan c = [1] of { byte }; byte a[2]; active proctype A() { byte x = 5; x = a[x] }
         active proctype B() { c!1; c!2; c!3 }",
        "chan c = [1] of { byte }; active proctype A() { byte x = 5; atomic { x = 1; x = x / (x - 1) } }
         active proctype B() { c!1; c!2; c!3 }",
        // Another process reads the length of the queue.
        "chan c = [1] of { byte }; chan d = [1] of { byte };
         active proctype A() { c!1; c!2 }
         active proctype B() { byte x; do :: len(c) == 1 -> d!1; break :: len(c) == 2 -> break od; c?x }",
        "chan c = [1] of { byte }; chan d = [1] of { byte };
         active proctype A() { c!1; c!2 }
         active proctype B() { byte x; if :: c?x :: else -> d!1; d!2 fi }",
        "chan c = [1] of { byte }; chan d = [1] of { byte };
         active proctype A() { c!1; c!2 }
         active proctype B() { byte x; atomic { d!1; c?x; d?_ } }
         active proctype C() { d?_; d!1; d!2 }",
        // Another process sends to the same queue.
        "chan c = [1] of { byte }; chan d = [1] of { byte };
         active proctype A() { c!1 } active proctype B() { c!2 }
         active proctype C() { byte x, y; c?x; c?y; do :: x > 1 -> d!1; x-- :: else -> break od }",
        // A process that is created later sends to the same queue.
        "chan c = [1] of { byte }; chan d = [1] of { byte };
         proctype W(chan e) { e!2 }
         active proctype A() { c!1 } active proctype B() { run W(c) }
         active proctype C() { byte x, y; c?x; c?y; do :: x > 1 -> d!1; x-- :: else -> break od }",
        // A queue dies with its owner.
        "chan back = [1] of { chan }; chan c = [1] of { byte };
         proctype W() { chan own = [1] of { byte }; back!own }
         active proctype A() { chan x; run W(); back?x; x!1; c!1 }",
        "chan back = [1] of { chan }; chan go = [1] of { byte };
         proctype W() { chan own = [1] of { byte }; back!own; go?_ }
         active proctype A() { chan x; run W(); back?x; go!1; x!1 }",
        // Another process reads or writes the same global.
        "chan c = [1] of { byte }; byte g;
         active proctype A() { g = 1; g = 2 } active proctype B() { g == 1; c!1; c!2 }",
        "chan c = [1] of { byte }; byte g;
         active proctype A() { if :: g == 0 -> c!1 :: g == 1 -> c!1; c!2 fi } active proctype B() { g = 1 }",
        // A loop of local steps must not postpone other processes for ever.
        "chan c = [1] of { byte };
         active proctype A() { byte x; do :: x = 1 - x od } active proctype B() { c!1; c!2 }",
        // `timeout` waits for local steps too.
        "chan c = [1] of { byte }; active proctype A() { byte x; x = 1; x = 2; c?x; c?x }
         active proctype B() { timeout; c!1; timeout; c!2 }",
        // An index stands for any element when it is read, and for none surely when it is written.
        "chan c = [1] of { byte }; chan d = [1] of { byte };
         active proctype A() { byte a[2], i; a[0] = 1; a[1] = 3; c!1; c?i;
            do :: a[i] > 0 -> d!1; a[i] = a[i] - 1 :: else -> break od }",
        "chan c = [1] of { byte }; chan d = [1] of { byte };
         active proctype A() { byte a[2], i; a[0] = 3; c!1; c?i; a[i] = 1;
            do :: a[0] > 0 -> d!1; a[0] = a[0] - 1 :: else -> break od }",
        // Others look into the process.
        "chan c = [1] of { byte };
         active proctype A() { byte x; x = 1; x = 2; here: x = 3 }
         active proctype B() { if :: A@here -> c!1; c!2 :: A:x == 1 -> c!1 fi }",
    ] {
        states(text);
    }
}
