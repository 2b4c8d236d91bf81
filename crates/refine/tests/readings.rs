//! Proofs by search hold in every combination of unlimited and limited channels.
#![allow(clippy::unwrap_used)] // clippy.toml allows it in tests, and helpers of tests are no less

use abstraction::abstract_program;
use cfsm_core::program::Program;
use explore::Buffers;
use livelock::Fairness;
use refine::{Confirmation, LivelockConfirmation, Options, confirm, confirm_livelock};

fn read(text: &str) -> Program {
    let read = promela_front::parse("model.pml", text, &promela_front::Options::default());
    read.program.unwrap_or_else(|| panic!("{:?}", read.diagnostics))
}

fn bounded(text: &str) -> Confirmation {
    let program = read(text);
    let abstraction = abstract_program(&program, &abstraction::Options::default()).unwrap();
    let outcome = boundedness::check(&abstraction.system, &boundedness::Options::default());
    confirm(&program, &abstraction, &outcome, &Options::default())
}

fn live(text: &str, fairness: Fairness) -> LivelockConfirmation {
    let program = read(text);
    let abstraction = abstract_program(&program, &abstraction::Options::default()).unwrap();
    let options = livelock::Options { fairness, ..livelock::Options::default() };
    let outcome = livelock::check(&abstraction.system, &options);
    confirm_livelock(&program, &abstraction, &outcome, &Options::default())
}

/// In each, a run without progress begins where the second send has to wait.
#[test]
fn what_goes_round_only_where_a_send_waits_is_not_overlooked() {
    let others = [
        ("q!1; if :: q!1 -> skip :: else -> do :: x = 1 - x od fi", ""),
        ("q!1; q!1", "timeout && len(q) == 1 -> do :: x = 1 - x od"),
        ("atomic { g = 1; q!1; q!1; g = 0 }", "g == 1 -> do :: x = 1 - x od"),
        ("q!1; { do :: x = 1 - x od } unless { q!1 }", ""),
    ];
    for fairness in [Fairness::None, Fairness::Weak] {
        for (first, second) in others {
            let second = if second.is_empty() { "skip" } else { second };
            let text = |capacity: u32| {
                format!(
                    "chan q = [{capacity}] of {{ bit }}; bit g;
                     active proctype P() {{ bit x; {first}; progress: skip }}
                     active proctype Q() {{ bit x; {second} }}"
                )
            };
            let found = live(&text(1), fairness);
            assert!(found.complete && found.witness.is_some() && !found.exhausted, "{}", text(1));
            assert!(matches!(found.semantics.unwrap().options().buffers, Buffers::Reading(_)));
            // With room for all, it is a proof.
            let found = live(&text(3), fairness);
            assert!(found.exhausted && found.limit.is_none(), "{}", text(3));
        }
    }
}

/// Under weak fairness a process whose send waits need not step.
#[test]
fn who_waits_for_room_is_treated_fairly() {
    let text = |capacity: u32| {
        format!(
            "chan q = [{capacity}] of {{ bit }}; bit stop;
             active proctype P() {{ bit x; do :: stop == 0 -> x = 1 - x :: stop == 1 -> break od; progress: skip }}
             active proctype Q() {{ q!1; q!1; stop = 1 }}"
        )
    };
    assert!(!live(&text(1), Fairness::Weak).exhausted);
    assert!(live(&text(2), Fairness::Weak).exhausted);
}

#[test]
fn maxima_are_not_those_of_other_runs() {
    let text = |capacity: u32, branch: &str| {
        format!(
            "chan q = [{capacity}] of {{ bit }}; chan r = [9] of {{ bit }};
             active proctype P() {{ q!1; {branch} }}"
        )
    };
    // `full` compares with the declared number, however much room there is.
    let full = "if :: full(q) -> do :: r!1 od :: nfull(q) -> skip fi";
    let found = bounded(&text(1, full));
    assert!(found.exhausted.is_none() && found.exact.is_empty() && found.unbounded.len() == 1);
    assert!(bounded(&text(2, full)).exhausted.is_some());
    let other = "if :: q!1 :: else -> r!1; r!1 fi; q?1";
    // `r` holds 2 while `q` is limited, and `q` while it is not.
    assert_eq!(bounded(&text(1, other)).exact.into_values().collect::<Vec<_>>(), [2, 2]);
    // Who waits for a partner still does.
    let alone = text(1, "if :: q!1 :: else -> n!1; r!1 fi; q?1");
    let nobody = format!("chan n = [0] of {{ bit }}; {alone}");
    assert_eq!(bounded(&nobody).exact.into_values().collect::<Vec<_>>(), [2, 0]);
    assert_eq!(bounded(&text(2, other)).exact.into_values().collect::<Vec<_>>(), [2, 0]);
    // Here a send only waits.
    assert_eq!(bounded(&text(1, "q!1; r!1")).exact.into_values().collect::<Vec<_>>(), [2, 1]);
    // Here it may come to nothing else.
    let harmless = "if :: q!1 :: else fi; r!1";
    assert_eq!(bounded(&text(1, harmless)).exact.into_values().collect::<Vec<_>>(), [2, 1]);
}

/// What waits because something else waits is looked at too.
#[test]
fn all_that_follows_from_waiting_is_seen() {
    let text = |last: &str| {
        format!(
            "chan q = [1] of {{ bit }}; chan r = [1] of {{ bit }}; chan s = [1] of {{ bit }};
             active proctype P() {{ q!1; if :: q!1 :: else -> r!1; if :: r!1 :: timeout -> {last} fi fi }}"
        )
    };
    let found = bounded(&text("s!1; s!1"));
    assert_eq!(found.exact.into_values().collect::<Vec<_>>(), [2, 2, 2]);
    let found = bounded(&text("do :: s!1 od"));
    assert!(found.exhausted.is_none() && found.unbounded.len() == 1, "{:?}", found.limit);
}

/// A send that would go wrong does not while it waits for room.
#[test]
fn a_send_that_would_go_wrong_waits_while_there_is_no_room() {
    let text = |capacity: u32| {
        format!(
            "chan q = [{capacity}] of {{ bit }}; byte x, a[2];
             active proctype P() {{ q!1; if :: q!a[x + 2] :: timeout -> skip fi }}"
        )
    };
    for capacity in [1, 2] {
        let found = bounded(&text(capacity));
        assert!(found.exhausted.is_some());
        assert_eq!(found.exact.into_values().collect::<Vec<_>>(), [1]);
    }
    // It is as full as was declared, in a `d_step`.
    let within = "chan q = [1] of { bit }; chan r = [2] of { bit };
        active proctype P() { d_step { q!1; full(q) }; do :: r!1 od }";
    let found = bounded(within);
    assert!(found.exhausted.is_none() && found.exact.is_empty(), "{:?}", found.exact);
    // An assertion is no send.
    let asserted =
        text(1).replace("q!a[x + 2]", "q!1").replace("timeout -> skip", "timeout -> assert(false)");
    assert!(!bounded(&asserted).exact.is_empty());
    // While it waits, something else may come first.
    let text = |last: &str| {
        format!(
            "chan q = [1] of {{ bit }}; chan r = [1] of {{ bit }}; byte x, a[2];
             active proctype P() {{ q!1; if :: q!a[x + 2] :: else -> {last} fi }}"
        )
    };
    assert_eq!(bounded(&text("r!1; r!1")).exact.into_values().collect::<Vec<_>>(), [1, 2]);
    assert!(bounded(&text("do :: r!1 od")).exhausted.is_none());
}

/// Spin's verifier counts a `never` claim as a process.
#[test]
fn a_claim_that_is_left_out_is_seen() {
    let text = |claim: &str| {
        format!(
            "chan q = [4] of {{ bit }};
             active proctype P() {{ bit x; if :: _nr_pr == 2 -> do :: q!1 od :: else fi }} {claim}"
        )
    };
    for claim in ["never { do :: true od }", "ltl forever { [] (len(q) < 9) }"] {
        let found = bounded(&text(claim));
        assert!(found.exhausted.is_none() && found.exact.is_empty(), "{claim}");
        assert!(found.limit.unwrap().contains("claim"));
        assert!(!live(&text(claim), Fairness::None).exhausted);
    }
    assert!(bounded(&text("")).exhausted.is_some());
}
