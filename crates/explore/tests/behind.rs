//! Pumps that leave processes behind, and such that only look like it.
#![allow(clippy::unwrap_used)] // clippy.toml allows it in tests, and helpers of tests are no less

use explore::{Move, Run, Semantics, State, Witness};

use crate::common::{growth, semantics};

/// Ways of executing a round that are followed side by side, as it may be another process that
/// takes an edge.
const WAYS: usize = 300;

/// The states after the edges of a run, taken by any processes of the same types.
fn behind(semantics: &Semantics, states: Vec<State>, run: &Run) -> Vec<State> {
    let edges =
        |moves: &[Move]| -> Vec<_> { moves.iter().map(|moved| (moved.process_type, moved.edge)).collect() };
    run.steps.iter().fold(states, |states, wanted| {
        let mut next: Vec<State> = Vec::new();
        for step in states.iter().flat_map(|state| semantics.successors(state)) {
            let fits = step.errors.is_empty() && edges(&step.moves) == edges(wanted);
            let after = step.after.filter(|after| fits && next.len() < WAYS && !next.contains(after));
            next.extend(after);
        }
        next
    })
}

/// Number of messages in the growing queues.
fn held(semantics: &Semantics, witness: &Witness, state: &State) -> usize {
    let grows = |origin| witness.growth().iter().any(|(growing, _)| *growing == origin);
    let queues = semantics.queues(state).filter(|queue| grows(queue.origin));
    queues.map(|queue| queue.messages.len()).sum()
}

/// Number of times that a pump can be executed after its prefix, up to `most`, each time with the
/// growth that the witness states.
fn repeats(semantics: &Semantics, witness: &Witness, most: usize) -> usize {
    let growth: usize = witness.growth().iter().map(|(_, growth)| *growth as usize).sum();
    let mut states = behind(semantics, vec![semantics.initial().unwrap()], witness.prefix());
    for round in 0..most {
        let wanted = held(semantics, witness, &states[0]) + growth;
        states = behind(semantics, states, witness.pump());
        states.retain(|state| held(semantics, witness, state) == wanted);
        if states.is_empty() {
            return round;
        }
    }
    most
}

/// Loops that create processes which wait for ever.
const BEHIND: &[&str] = &[
    // Thesis, Listings 7.6 to 7.8.
    "mtype = { m, n }; chan c = [1] of { mtype };
     proctype Q() { c!m; c?n } active proctype P() { do :: run Q() od }",
    "chan c = [1] of { bit }; active proctype P() { c!1; run P() }",
    "chan c = [1] of { bit }; active proctype P() { c!1; run Q() }
     proctype Q() { c!1; run R() } proctype R() { c!1; run P() }",
    // The next one is made by the last one, with what it was given.
    "chan c = [1] of { byte }; proctype P(byte v) { c!v; run P(v); false } init { run P(7) }",
    // Another process receives some of the messages.
    "chan c = [1] of { bit }; chan d = [1] of { bit };
     proctype Q() { c!1; c!1; d?1 } active proctype P() { do :: run Q() od } active proctype R() { do :: c?1 od }",
    // The created processes may end, in the order of their numbers or not.
    "chan c = [1] of { bit }; proctype Q() { c!1 } active proctype P() { do :: run Q() od }",
    // The created processes keep stepping, in parallel to the pump.
    "chan c = [1] of { bit }; bit b;
     proctype Q() { c!1; do :: b = 1 - b od } active proctype P() { do :: run Q() od }",
    // Their numbers are printed, and a variable of theirs is another one each time.
    "chan c = [1] of { bit }; chan d = [1] of { bit };
     proctype Q(byte v) { c!1; printf(\"%d\", _pid); d?1 } active proctype P() { byte n; do :: run Q(n); n++ od }",
    // The created processes have private queues.
    "chan c = [1] of { bit };
     proctype Q() { chan own = [1] of { bit }; own!1; c!1; own?0 } active proctype P() { do :: run Q() od }",
    // Inside of `atomic`.
    "chan c = [1] of { bit }; chan d = [1] of { bit };
     proctype Q() { c!1; d?1 } active proctype P() { do :: atomic { run Q(); c!0 } od }",
];

#[test]
fn who_waits_for_ever_disables_nothing() {
    for text in BEHIND {
        let semantics = semantics(text);
        let witness = growth(&semantics).unwrap_or_else(|| panic!("{text}"));
        assert_ne!(witness.left_behind(), 0, "{text}");
        let most = 60 / witness.left_behind();
        assert_eq!(repeats(&semantics, &witness, most), most, "{text}\n{witness:?}");
        let again = semantics.confirm(witness.prefix(), witness.pump()).unwrap();
        assert_eq!(
            (again.growth(), again.left_behind()),
            (witness.growth(), witness.left_behind()),
            "{text}"
        );
    }
}

/// Loops that come to an end because of the processes that they leave behind.
const NOT_BEHIND: &[&str] = &[
    // How many there are.
    "chan c = [1] of { bit }; chan d = [1] of { bit };
     proctype Q() { c!1; d?1 } active proctype P() { do :: _nr_pr < 99 -> run Q() od }",
    // Their numbers.
    "chan c = [1] of { bit }; chan d = [1] of { bit };
     proctype Q() { if :: _pid < 99 -> c!1 fi; d?1 } active proctype P() { do :: run Q() od }",
    "chan c = [1] of { bit }; chan d = [1] of { bit };
     proctype Q() { c!1; d?1 } active proctype P() { byte n; do :: n < 99 -> n = run Q() od }",
    "chan c = [1] of { bit }; chan d = [1] of { bit }; byte a[99];
     proctype Q() { a[_pid] = 1; c!1; d?1 } active proctype P() { do :: run Q() od }",
    // Their numbers, as others get to know them.
    "chan c = [1] of { pid }; chan d = [1] of { bit }; chan e = [1] of { bit };
     proctype Q() { c!_pid; d?1 } active proctype P() { pid n; do :: run Q(); c?n; n < 99; e!1 od }",
    // A round needs that no other process can step, but processes left behind can.
    "chan c = [1] of { bit }; bit b;
     proctype Q() { c!1; do :: b = 1 - b od } active proctype P() { do :: timeout -> run Q() od }",
    "chan c = [1] of { bit };
     proctype Q() { c!1; do :: true od } active proctype P() { do :: !enabled(1) -> run Q() od }",
    // They count what they have done.
    "chan c = [1] of { bit }; chan d = [1] of { bit }; byte n;
     proctype Q() { n < 99; n++; c!1; d?1 } active proctype P() { do :: run Q() od }",
    "chan c = [1] of { bit }; chan d = [1] of { byte };
     proctype Q(byte n) { c!1; d?1 } active proctype P() { byte n; do :: n < 99 -> run Q(n); n++ od }",
    "chan c = [1] of { bit }; proctype Q(byte n) { if :: n < 99 -> c!1; run Q(n + 1) fi; false } init { run Q(0) }",
    // The processes wait for each other, and there are only so many answers.
    "chan c = [1] of { bit }; chan d = [9] of { bit };
     proctype Q() { d?1; c!1; false }
     active proctype P() { byte i; do :: i < 9 -> d!1; i++ :: else -> break od; do :: run Q() od }",
    // They have control, and keep it.
    "chan c = [1] of { bit }; active proctype P() priority 1 { do :: run Q() priority 2 od }
     proctype Q() { c!1; do :: true od }",
];

#[test]
fn who_is_counted_is_not_left_behind() {
    for text in NOT_BEHIND {
        let read = promela_front::parse("model.pml", text, &promela_front::Options::default());
        assert!(read.program.is_some(), "{text}\n{:?}", read.diagnostics);
        let witness = growth(&semantics(text));
        assert!(witness.is_none(), "{text}\n{witness:?}");
    }
}

/// Growth in a queue that is another one each time is none of a queue.
#[test]
fn queues_of_those_left_behind_are_others_each_time() {
    let text = "proctype Q() { chan own = [1] of { bit }; own!1; own!1; false } active proctype P() { do :: run Q() od }";
    assert_eq!(growth(&semantics(text)), None);
}

/// With the limits of the language there are 255 processes at most: the pump itself is confirmed in
/// some rounds, all within the limit.
#[test]
fn rounds_that_are_replayed_keep_to_the_limit() {
    let semantics = semantics(BEHIND[0]);
    let witness = growth(&semantics).unwrap();
    let processes = 1 + witness.left_behind() * witness.rounds();
    assert!(processes <= usize::from(semantics.options().max_processes), "{processes}");
}
