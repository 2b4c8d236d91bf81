//! Pumps that depend on nothing but their own statements, and such that only look like it.
#![allow(clippy::unwrap_used)] // clippy.toml allows it in tests, and helpers of tests are no less

use std::collections::BTreeSet;

use cfsm_core::deadline::Deadline;
use explore::{Aim, Budget, Guide, Quest, Run, Semantics, Witness};

use crate::common::{growth, semantics};

/// Number of times that a pump can be executed after its prefix, edge by edge, up to `most`.
fn repeats(semantics: &Semantics, witness: &Witness, most: usize) -> usize {
    let edges = |run: &Run, at: usize| -> Vec<_> {
        run.steps[at].iter().map(|moved| (moved.process, moved.process_type, moved.edge)).collect()
    };
    let mut state = semantics.initial().unwrap();
    let mut take = |run: &Run| {
        (0..run.steps.len()).all(|at| {
            let of_step = |moves: &[explore::Move]| -> Vec<_> {
                moves.iter().map(|moved| (moved.process, moved.process_type, moved.edge)).collect()
            };
            let step = semantics
                .successors(&state)
                .into_iter()
                .find(|step| step.errors.is_empty() && of_step(&step.moves) == edges(run, at));
            step.and_then(|step| step.after).map(|after| state = after).is_some()
        })
    };
    assert!(take(witness.prefix()));
    (0..most).take_while(|_| take(witness.pump())).count()
}

/// Models with data beside a pump, or behind its statements, that do not influence it.
const ALONE: &[&str] = &[
    // Counted, and asked for by another statement only.
    "chan c = [2] of { bit }; int n;
     active proctype P() { do :: c!1; n++ :: n == 7 -> break od }",
    "chan c = [2] of { bit };
     active proctype P() { int n; do :: c!1; n++ :: c?_ ; n-- :: n == 0 -> break od }",
    // Sent along, and looked for beside it.
    "chan c = [2] of { short }; chan d = [2] of { short };
     active proctype P() { short n; do :: n++; c!n; if :: d??eval(n) :: skip fi od }
     active proctype Q() { short x; do :: c?x -> d!x od }",
    // A receive by pattern beside what is taken.
    "chan a = [1] of { pid }; chan g[2] = [1] of { bit }; chan r = [2] of { pid };
     active proctype S() { pid w; do :: a?w -> g[w - 1]!1; if :: r??eval(w) :: skip fi od }
     active [2] proctype C() { do :: a!_pid; g[_pid - 1]?1; r!_pid od }",
    // Behind an `else` that goes on for ever.
    "chan c = [2] of { bit }; byte k; int n;
     active proctype P() { do :: k == 1 -> n > 5 :: else -> c!1; n++ od }",
    // Keeping control.
    "chan c = [2] of { bit }; int n;
     active proctype P() { do :: atomic { c!1; n++ } :: n == 3 -> break od }",
    // Handed over in person, not at a place where control is kept.
    "chan c = [2] of { bit }; chan h = [0] of { bit }; int n;
     active proctype P() { do :: h!1; n++ :: n == 7 -> break od }
     active proctype Q() { do :: h?1 -> c!0 :: c?_ od }",
];

#[test]
fn what_has_no_part_in_a_pump_does_not_matter() {
    for text in ALONE {
        let semantics = semantics(text);
        let witness = growth(&semantics).unwrap_or_else(|| panic!("{text}"));
        assert_eq!(repeats(&semantics, &witness, 500), 500, "{text}");
        assert_eq!(semantics.confirm(witness.prefix(), witness.pump()), Ok(witness), "{text}");
    }
}

/// Models in which a statement eventually ends the repetition.
const NOT_ALONE: &[&str] = &[
    // The sending process tests the counter itself.
    "chan c = [2] of { bit }; int n; active proctype P() { do :: n < 900 -> c!1; n++ od }",
    // Another process of the round tests it.
    "chan c = [2] of { bit }; chan h = [0] of { bit }; int n;
     active proctype P() { do :: h!1; n++ od }
     active proctype Q() { do :: n < 900 -> h?1; c!0 od }",
    // The counter enables an `else`.
    "chan c = [2] of { bit }; int n; active proctype P() { do :: n > 900 -> break :: else -> c!1; n++ od }",
    "chan c = [2] of { short }; active proctype P() { short n; do :: c??900 -> break :: else -> c!n; n++ od }",
    // The counter enables an escape.
    "chan c = [2] of { bit }; int n;
     active proctype P() { { do :: c!1; n++ od } unless { n > 900 } }",
    // The first statement of a `d_step` that can be executed.
    "chan c = [2] of { bit }; int n;
     active proctype P() { do :: d_step { if :: n > 900 -> skip :: true -> c!1 fi; n++ } od }",
    // Inside `atomic`, a process keeps control while it can step, so other processes never run.
    "chan c = [2] of { bit }; int n; bit b;
     active proctype P() { do :: atomic { b == 0 -> b = 1; do :: n > 900 -> skip :: b == 0 -> break od } od }
     active proctype Q() { do :: b == 1 -> c!1; n++; b = 0 od }",
    // The round depends on the executability of another process.
    "chan c = [2] of { bit }; int n;
     active proctype P() { do :: timeout -> c!1; n++ od }
     active proctype Q() { n > 900; do :: true od }",
    "chan c = [2] of { bit }; int n;
     active proctype P() { do :: enabled(1) -> n > 5000; break :: !enabled(1) -> c!1; n++ od }
     active proctype Q() { n > 900; false }",
    "chan c = [2] of { bit }; int n;
     active proctype P() provided (n < 900) { do :: c!1; n++ od }",
    "chan c = [2] of { bit };
     active proctype P() { do :: !enabled(1) -> c!1 od }
     active proctype Q() { len(c) * 2 > 1801; do :: true od }",
    "chan c = [2] of { bit };
     active proctype P() priority 1 { do :: c!1 od }
     active proctype Q() priority 5 { len(c) * 2 > 1801; do :: true od }",
    // The round depends on a receiver for a rendezvous.
    "chan c = [2] of { bit }; chan h = [0] of { bit }; int n;
     active proctype P() { do :: h!1 -> break :: else -> c!1; n++ od }
     active proctype Q() { n > 900; h?1 }",
    // The counter changes the channel of a send.
    "chan c = [2] of { bit }; chan d = [2] of { bit }; int n; chan x;
     active proctype P() { x = c; do :: x!1; n++; if :: n > 900 -> x = d; break :: else fi od }",
    // What is sent to a queue that the round has got from elsewhere.
    "chan c = [2] of { int }; chan h = [2] of { bit }; chan d = [2] of { bit };
     active proctype P() { chan x; int n; x = c; do :: x!n; n++; h?1 od }
     active proctype Q() { int v; do :: c?v; v < 900; d!0; h!1 od }",
];

#[test]
fn what_matters_some_day_is_no_pump() {
    for text in NOT_ALONE {
        let witness = growth(&semantics(text));
        assert!(witness.is_none(), "{text}\n{witness:?}");
    }
}

/// The last thing that a queue's only reader does is to stop; the others go on for thousands of
/// steps until all numbers are as they were.
#[test]
fn a_reader_that_is_never_scheduled() {
    let semantics = semantics(
        "chan acc[3] = [4] of { byte }; chan ok = [3] of { byte };
         active proctype Leader() {
           byte slot, count, i, s;
           do
           :: i = 0; do :: i < 3 -> acc[i]!slot; i++ :: else -> break od;
              count = 0;
              do :: count >= 2 -> break :: count < 2 -> ok?s; if :: s == slot -> count++ :: else fi od;
              slot++
           od
         }
         proctype Acceptor(byte me) { byte s; do :: acc[me]?s -> ok!s od }
         init { run Acceptor(0); run Acceptor(1); run Acceptor(2) }",
    );
    let guide = Guide::new(&semantics, BTreeSet::new());
    let quest = Quest { aim: Aim::Growth { known: BTreeSet::new() }, guide };
    let budget = Budget { states: 400_000, deadline: Deadline::default() };
    let witness = semantics.search(&quest, &budget).unwrap().witness.unwrap();
    assert!(witness.pump().steps.len() > 256, "{} steps", witness.pump().steps.len());
    assert!(
        witness.growth().iter().any(|(origin, by)| origin.process.is_none() && *by == 256),
        "{:?}",
        witness.growth()
    );
}

/// A queue that ends with its process is another one each time, however often its number comes
/// back.
#[test]
fn what_ends_with_its_process_does_not_grow() {
    for child in ["own!1", "do :: len(own) == 0 -> own!1 :: break od"] {
        let semantics = semantics(&format!(
            "int a; proctype C() {{ chan own = [1] of {{ bit }}; {child} }}
             active proctype I() {{ do :: _nr_pr == 2 -> a++ :: _nr_pr == 2 -> run C() od }}
             active proctype D() {{ a == 100000000; assert(a != 7) }}"
        ));
        let witness = growth(&semantics);
        assert!(witness.is_none(), "{child}\n{witness:?}");
    }
}
