//! Pumps that live on what another pump has left: what is found, what is refused, and that what is
//! confirmed can be executed.
#![allow(clippy::unwrap_used)] // clippy.toml allows it in tests, and helpers of tests are no less

use std::collections::BTreeSet;

use cfsm_core::deadline::Deadline;
use explore::{
    Aim, Budget, Buffers, Guide, Options, Quest, QueueOrigin, Refusal, Run, Searcher, Semantics, State,
    Supply, Witness,
};
use proptest::prelude::*;

fn unbounded(text: &str) -> Semantics {
    let read = promela_front::parse("model.pml", text, &promela_front::Options::default());
    let program = read.program.unwrap_or_else(|| panic!("{text}\n{:?}", read.diagnostics));
    Semantics::new(&program, &Options { buffers: Buffers::Unbounded, ..Options::default() }).unwrap()
}

const BUDGET: Budget = Budget { states: 4_000, deadline: Deadline::at(None) };

fn quest(semantics: &Semantics, known: BTreeSet<QueueOrigin>) -> Quest {
    Quest { aim: Aim::Growth { known }, guide: Guide::new(semantics, BTreeSet::new()) }
}

/// A pump, and one that lives on what that leaves.
fn found(semantics: &Semantics) -> (Option<Witness>, Option<Witness>) {
    let searcher = Searcher::new(semantics);
    let search = searcher.search(&quest(semantics, BTreeSet::new()), &BUDGET).unwrap();
    let Some(filling) = search.witness else { return (None, None) };
    let known = filling.growth().iter().map(|(origin, _)| *origin).collect();
    let search = searcher.search_supplied(&filling, &quest(semantics, known), &BUDGET).unwrap();
    assert!(!search.exhausted);
    (Some(filling), search.witness)
}

/// Executes recorded moves; `None` if one of them is not possible.
fn execute(semantics: &Semantics, mut state: State, steps: &[Vec<explore::Move>]) -> Option<State> {
    for moves in steps {
        let step = semantics.successors(&state).into_iter().find(|step| step.moves == *moves)?;
        state = step.after.filter(|_| step.errors.is_empty())?;
    }
    Some(state)
}

/// The state behind so many rounds of the pump, with a supply that has been executed so many times.
fn rounds(semantics: &Semantics, witness: &Witness, times: usize, rounds: usize) -> Option<State> {
    let supply = witness.supply().unwrap();
    let (first, rest) = witness.prefix().steps.split_at(supply.first);
    let (round, behind) = (&rest[..supply.steps], &rest[supply.steps * supply.times..]);
    let mut state = execute(semantics, semantics.initial().unwrap(), first)?;
    for _ in 0..times {
        state = execute(semantics, state, round)?;
    }
    state = execute(semantics, state, behind)?;
    for _ in 0..rounds {
        state = execute(semantics, state, &witness.pump().steps)?;
    }
    Some(state)
}

/// Checks that a supply which is executed often enough lasts for many rounds, in which queues grow
/// as the witness says.
fn lasts(semantics: &Semantics, witness: &Witness) -> Result<(), String> {
    const ROUNDS: usize = 60;
    let supply = witness.supply().unwrap();
    let enough = supply.times * ROUNDS;
    let length = |state: &State, origin: &QueueOrigin| {
        semantics.queues(state).find(|queue| queue.origin == *origin).map_or(0, |queue| queue.messages.len())
    };
    let begin = rounds(semantics, witness, enough, 0).ok_or("the second pump cannot begin")?;
    let end = rounds(semantics, witness, enough, ROUNDS).ok_or("the supply does not last")?;
    for (origin, count) in witness.growth() {
        let grown = length(&end, origin) - length(&begin, origin);
        if grown != ROUNDS * *count as usize {
            return Err(format!("{origin:?} grew by {grown} in {ROUNDS} rounds, not by {count} in each"));
        }
    }
    Ok(())
}

/// A model of senders that stop as soon as their message has been forwarded, and a process that
/// forwards messages.
fn relay(first: &str, relay: &str) -> String {
    format!(
        "chan a = [1] of {{ byte }}; chan b = [1] of {{ byte }}; byte x;
         active proctype Sender() {{ {first} }}
         active proctype Relay() {{ byte m; {relay} }}"
    )
}

#[test]
fn a_backlog_is_moved() {
    for (first, then) in [
        ("do :: len(b) < 2 -> a!7 od", "do :: a?m -> b!m od"),
        ("do :: empty(b) -> a!7 od", "do :: a?m -> b!m od"),
        // Two of three kinds go on, in their order.
        ("do :: empty(b) -> a!1; a!2; a!3 od", "do :: a?1 :: a?2 -> b!5 :: a?3 -> b!6 od"),
        // One that is never read for ever begins it all.
        ("do :: !b?[_] -> a!1; a!1 od", "a?m; do :: a?m; a?m; a?m; b!m od"),
    ] {
        let text = relay(first, then);
        let semantics = unbounded(&text);
        let (filling, witness) = found(&semantics);
        assert!(filling.is_some(), "{text}");
        let witness = witness.unwrap_or_else(|| panic!("{text}"));
        assert_eq!(witness.growth().len(), 1, "{text}");
        assert!(witness.rounds() > 3 && !witness.is_up_to_idle_data());
        lasts(&semantics, &witness).unwrap_or_else(|wrong| panic!("{text}\n{wrong}"));
        let supply = witness.supply().unwrap();
        let again = semantics.confirm_supplied(witness.prefix(), &supply, witness.pump());
        assert_eq!(again.unwrap(), witness, "{text}");
        // By itself it does not go on.
        assert!(semantics.confirm(witness.prefix(), witness.pump()).is_err(), "{text}");
    }
}

#[test]
fn what_only_looks_like_a_supply_is_refused() {
    for (first, then) in [
        // As many as there is no room for in b.
        ("do :: empty(b) -> a!7 od", "do :: len(b) < 3 -> a?m; b!m od"),
        // The relay counts.
        ("do :: empty(b) -> a!7 od", "byte n; do :: n < 9 -> a?m; b!m; n++ od"),
        // Only the first one is a 2.
        ("a!2; do :: empty(b) -> a!1 od", "a?2; b!2"),
        // It waits until there is no backlog.
        ("do :: empty(b) -> a!7 od", "do :: a?m :: empty(a) -> b!1; a?m od"),
        // It asks how long the backlog is.
        ("do :: empty(b) -> a!7 od", "do :: len(a) % 2 == 0 -> a?m; b!m; break od"),
        // It looks for what comes once.
        ("a!2; do :: empty(b) -> a!1 od", "do :: a??2 -> b!2 od"),
        // It only begins, or goes on, where the backlog is not too long: by a number, by more than
        // that, and asked late.
        ("do :: empty(b) -> a!7 od", "do :: len(a) < 30 -> a?m; b!m od"),
        ("do :: empty(b) -> a!7 od", "len(a) < 30; do :: a?m -> b!m od"),
        ("do :: empty(b) -> a!7 od", "do :: len(a) * 1 < 60 -> a?m; b!m od"),
        ("do :: empty(b) -> a!7 od", "len(a) * 1 < 60; do :: a?m -> b!m od"),
        ("do :: empty(b) -> a!7 od", "do :: len(a) * 1 < 60 -> a?7; b!7 od"),
        ("do :: empty(b) -> a!7 od", "chan c; do :: d_step { c = a; len(c) * 1 < 60 -> c?m }; b!m od"),
        (
            "do :: empty(b) -> a!7 od",
            "chan c; d_step { c = a; len(c) * 1 < 60 -> skip }; do :: a?m -> b!m od",
        ),
        // It asks another queue in the first rounds, until a third one is long enough.
        (
            "do :: empty(b) -> a!7 od",
            "chan z = [1] of { byte }; chan c[2]; byte i; c[0] = z; c[1] = a;
             do :: i = (len(b) > 5); len(c[i]) < 100; a?m; b!m; i = 0; m = 0 od",
        ),
        // There are only so many before others.
        (
            "byte i; do :: i < 20 -> a!1; i++ :: else -> break od; do :: empty(b) -> a!2 od",
            "do :: a?1 -> b!1 od",
        ),
        // What it takes is there twice in the first messages, and once in each round.
        (
            "byte i; do :: i < 20 -> a!1; i++ :: else -> break od; do :: empty(b) -> a!2; a!1 od",
            "do :: a?1 -> b!1 od",
        ),
    ] {
        let text = relay(first, then);
        let (filling, witness) = found(&unbounded(&text));
        assert!(filling.is_some(), "{text}");
        assert_eq!(witness, None, "{text}");
    }
}

/// A witness of a backlog that is moved, to be tampered with.
fn moved() -> (Semantics, Witness) {
    let semantics = unbounded(&relay("do :: empty(b) -> a!1; a!2 od", "do :: a?m -> b!m od"));
    let witness = found(&semantics).1.unwrap();
    (semantics, witness)
}

#[test]
fn a_supply_must_be_steps_of_the_prefix() {
    let (semantics, witness) = moved();
    let Supply { first, steps, times } = witness.supply().unwrap();
    let confirm = |supply| semantics.confirm_supplied(witness.prefix(), &supply, witness.pump());
    assert!(confirm(Supply { first, steps, times }).is_ok());
    for wrong in [
        Supply { first, steps: 0, times },
        Supply { first, steps, times: 0 },
        Supply { first, steps, times: usize::MAX },
        Supply { first, steps, times: witness.prefix().steps.len() },
        Supply { first: first + 1, steps, times },
    ] {
        assert!(confirm(wrong).is_err(), "{wrong:?}");
    }
    let none = Run::default();
    assert_eq!(
        semantics.confirm_supplied(witness.prefix(), &Supply { first, steps, times }, &none),
        Err(Refusal::Empty)
    );
}

#[test]
fn what_is_taken_must_come_again() {
    // Behind the first 1, all are 2: the pump that takes a 1 does so once, though there would be
    // enough messages.
    let semantics =
        unbounded(&relay("a!1; do :: empty(b) -> a!2 od", "do :: a?1 -> b!1 :: a?2 -> x = 1 - x od"));
    let (filling, witness) = found(&semantics);
    assert!(filling.is_some());
    assert_eq!(witness, None);
}

/// One statement of a loop, of a few kinds.
fn statement() -> impl Strategy<Value = String> {
    let channel = || prop_oneof![Just('a'), Just('b'), Just('c')];
    prop_oneof![
        4 => (channel(), 1..3).prop_map(|(c, value)| format!("{c}!{value}")),
        4 => channel().prop_map(|c| format!("{c}?m")),
        3 => (channel(), 1..3).prop_map(|(c, value)| format!("{c}?{value}")),
        2 => channel().prop_map(|c| format!("{c}!m")),
        1 => channel().prop_map(|c| format!("{c}??1")),
        1 => channel().prop_map(|c| format!("empty({c})")),
        1 => (channel(), 1..3).prop_map(|(c, value)| format!("!{c}?[{value}]")),
        1 => (channel(), 0..3).prop_map(|(c, value)| format!("len({c}) > {value}")),
        1 => channel().prop_map(|c| format!("len({c}) % 2 == 0")),
        1 => Just("x = 1 - x".to_owned()),
        1 => Just("x == 1".to_owned()),
        1 => Just("timeout".to_owned()),
        1 => Just("{ n < 6 -> n++ }".to_owned()),
    ]
}

fn program() -> impl Strategy<Value = String> {
    let option = proptest::collection::vec(statement(), 1..4).prop_map(|all| all.join("; "));
    let process = proptest::collection::vec(option, 1..4).prop_map(|all| all.join(" :: "));
    proptest::collection::vec(process, 2..4).prop_map(|all| {
        let body = |(at, options): (usize, &String)| {
            format!("active proctype P{at}() {{ byte m, n; do :: {options} od }}\n")
        };
        let declared =
            "chan a = [1] of { byte }; chan b = [1] of { byte }; chan c = [1] of { byte }; byte x;\n";
        declared.to_owned() + &all.iter().enumerate().map(body).collect::<String>()
    })
}

#[test]
fn what_is_confirmed_can_be_executed() {
    // More of them where it is asked for; at least some of them are of use.
    let cases = std::env::var("FREEBOARD_SUPPLIES").ok().and_then(|count| count.parse().ok()).unwrap_or(600);
    let mut runner = proptest::test_runner::TestRunner::new(ProptestConfig {
        cases,
        failure_persistence: None,
        ..ProptestConfig::default()
    });
    let count = std::cell::Cell::new(0);
    let result = runner.run(&program(), |text| {
        let semantics = unbounded(&text);
        if let (_, Some(witness)) = found(&semantics) {
            count.set(count.get() + 1);
            prop_assert_eq!(lasts(&semantics, &witness), Ok(()), "{}\n{:?}", text, witness);
        }
        Ok(())
    });
    result.unwrap_or_else(|failure| panic!("{failure}"));
    println!("{} of {cases} programs have a backlog that is moved", count.get());
    assert!(count.get() >= cases / 100, "{} of {cases}", count.get());
}
