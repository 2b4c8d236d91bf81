//! Maxima that are called exact.
#![allow(clippy::unwrap_used)] // clippy.toml allows it in tests, and helpers of tests are no less

use abstraction::abstract_program;
use refine::{AllStates, Confirmation, Options, confirm};

fn confirmed(text: &str) -> Confirmation {
    let read = promela_front::parse("model.pml", text, &promela_front::Options::default());
    let program = read.program.unwrap_or_else(|| panic!("{:?}", read.diagnostics));
    let abstraction = abstract_program(&program, &abstraction::Options::default()).unwrap();
    let outcome = boundedness::check(&abstraction.system, &boundedness::Options::default());
    let confirmation = confirm(&program, &abstraction, &outcome, &Options::default());
    assert!(!confirmation.contradicts(&outcome));
    let states_only = Options { search_states: 0, ..Options::default() };
    let beside = Confirmation::of(AllStates::of(&program, &states_only), &abstraction);
    let alone = confirm(&program, &abstraction, &outcome, &states_only);
    let shown =
        |all: &Confirmation| (all.exact.clone(), all.states, all.limit.clone(), all.exhausted.is_some());
    assert_eq!(shown(&beside), shown(&alone), "what is looked at ahead is what would be looked at later");
    confirmation
}

#[test]
fn what_has_been_seen_is_exact() {
    let text = "chan c = [5] of { byte }; active proctype A() { c!1; c!2; c?_; c!3 }";
    assert_eq!(confirmed(text).exact.into_values().collect::<Vec<_>>(), [2]);
}

/// Some machines go on when they shift by too much, divide by 0, or use a channel that is gone, and
/// send.
#[test]
fn behind_what_is_left_open_anything_may_come() {
    let shift = "chan c = [5] of { byte }; int x; active proctype A() { c!1; x = 1 << 40; c!2 }";
    assert!(confirmed(shift).exact.is_empty());
    let gone = "chan c = [5] of { byte }; chan d;
        proctype W() { chan own = [2] of { byte }; d = own }
        active proctype A() { c!1; run W(); _nr_pr == 1; if :: len(d) == 0 -> c!2 :: else fi }";
    assert!(confirmed(gone).exact.is_empty());
    let quotient = "chan c = [5] of { byte }; byte x; active proctype A() { c!1; x = 1 / x; c!2 }";
    assert!(confirmed(quotient).exact.is_empty());
    // Behind an index outside its array nothing comes, by assumption.
    let ends = "chan c = [5] of { byte }; byte x, a[2]; active proctype A() { c!1; a[x + 7] = 1; c!2 }";
    assert_eq!(confirmed(ends).exact.into_values().collect::<Vec<_>>(), [1]);
}

/// What one process is said to be able to do when a length decides on it is not taken for a run.
#[test]
fn a_flood_until_somebody_answers_is_bounded() {
    let text = "chan q = [5] of { bit }; chan r = [0] of { bit };
        active proctype A() { do :: r!1 -> break :: else -> q!1 od }
        active proctype B() { r?eval(len(q) > 3000) }";
    assert!(confirmed(text).unbounded.is_empty());
}
