//! Pumps whose rounds differ in data that decide nothing, and such that only look like it.
#![allow(clippy::unwrap_used)] // clippy.toml allows it in tests, and helpers of tests are no less

use explore::{Limits, Refusal, Run, Semantics, Witness};

use crate::common::{growth, semantics};

/// Two processes, one with a number that counts up.
fn numbered(kind: &str, sent: &str, received: &str) -> String {
    format!(
        "chan c = [2] of {{ {kind} }}; bit a[4];
         active proctype P() {{ {kind} n; do :: {sent} od }}
         active proctype Q() {{ {kind} x; do :: {received} od }}"
    )
}

#[test]
fn numbers_that_are_handed_on_until_they_are_printed() {
    for (sent, received) in [
        ("c!n; n++", "c?x; printf(\"%d\", x)"),
        ("n++; c!n", "c?x"),
        ("c!n; n = n + 2; c!n", "c?x; x = x + 1"),
        ("atomic { n++; c!n }; printf(\"%d\", n * n)", "c?_"),
    ] {
        let semantics = semantics(&numbered("int", sent, received));
        let witness = growth(&semantics).unwrap_or_else(|| panic!("{sent} | {received}"));
        assert!(witness.is_up_to_idle_data(), "{sent} | {received}: {witness:?}");
        assert!(witness.pump().steps.len() <= 5, "{sent} | {received}: {witness:?}");
        assert_eq!(semantics.confirm(witness.prefix(), witness.pump()), Ok(witness));
    }
}

/// The run in which these processes step, one after the other.
fn run(semantics: &Semantics, processes: &[usize]) -> Run {
    let mut state = semantics.initial().unwrap();
    let mut run = Run::default();
    for process in processes {
        let mut steps = semantics.successors(&state).into_iter();
        let step = steps.find(|step| step.moves[0].process == *process).unwrap();
        run.steps.push(step.moves);
        state = step.after.unwrap();
    }
    run
}

/// The pump of the other, in which both processes have a part, is no pump here, though its first
/// round is a run.
#[test]
fn numbers_that_decide_something() {
    let idle = semantics(&numbered("int", "c!n; n++", "c?x; skip"));
    let pump = run(&idle, &[0, 0, 0, 0, 1, 1]);
    let same = |sent, received| {
        let text = numbered("int", sent, received);
        (semantics(&text).confirm(&Run::default(), &pump), text)
    };
    let (confirmed, text) = same("c!n; n++", "c?x; skip");
    assert!(confirmed.as_ref().is_ok_and(Witness::is_up_to_idle_data), "{text}\n{confirmed:?}");
    for (sent, received) in [
        ("c!n; n++", "c?x; x < 1000"),
        ("c!n; n++", "c?eval(x); x++"),
        ("c!n; n++", "c?x; a[x] = 1"),
        ("c!n; n++", "c??0; skip"),
        ("c!n; n++", "c?x; x = 1 / (x - 1000)"),
        ("c!!n; n++", "c?x; skip"),
    ] {
        let (confirmed, text) = same(sent, received);
        let refused = matches!(confirmed, Err(Refusal::Differs | Refusal::Order | Refusal::Replay(_)));
        assert!(refused, "{text}\n{confirmed:?}");
    }
    for sent in ["n < 1000; c!n; n++", "n != 7; c!n; n++", "c!n; n++; a[n] = 1"] {
        assert!(growth(&semantics(&numbered("int", sent, "c?x"))).is_none(), "{sent}");
    }
}

/// A pump in which all data repeat within some hundred rounds is preferred.
#[test]
fn a_pump_of_all_data_is_preferred() {
    let witness = growth(&semantics(&numbered("byte", "c!n; n++", "c?x"))).unwrap();
    assert!(!witness.is_up_to_idle_data());
    assert_eq!(witness.pump().steps.len(), 2 * 256);
}

#[test]
fn a_run_without_end_that_never_comes_back_in_all_data() {
    let semantics = semantics("int n; active proctype P() { do :: n++ od }");
    let found = semantics.termination(&Limits::default()).unwrap();
    let lasso = found.lasso.unwrap();
    assert_eq!(lasso.cycle.steps.len(), 1);
    assert!(semantics.confirm(&lasso.prefix, &lasso.cycle).unwrap().is_up_to_idle_data());
}
