//! Searches in sets of states: what is too much one by one, and what is left to searches one by
//! one.

use explore::{Buffers, Claims, Completion, Limits, Options, Reduction, Semantics};

fn semantics(text: &str) -> Semantics {
    let read = promela_front::parse("model.pml", text, &promela_front::Options::default());
    let options = Options { buffers: Buffers::Unbounded, claims: Claims::Ignored, ..Options::default() };
    Semantics::new(&read.program.expect("a program"), &options).expect("one that can be executed")
}

/// Clients and servers in pairs that have nothing to do with each other.
fn pairs(count: usize) -> String {
    format!(
        "chan ask[{count}] = [3] of {{ byte }};
        chan answer[{count}] = [3] of {{ byte }};
        active [{count}] proctype Client() {{
          byte n;
          do
          :: ask[_pid]!n; ask[_pid]!n; answer[_pid]?n; answer[_pid]?n; n = 1 - n
          od
        }}
        active [{count}] proctype Server() {{
          byte n;
          do
          :: ask[_pid - {count}]?n -> answer[_pid - {count}]!n
          od
        }}"
    )
}

#[test]
fn as_many_states_as_there_are_ways_to_put_those_of_parts_together() {
    let few = semantics(&pairs(1)).exhaust(&Limits::default(), Reduction::NONE).unwrap();
    for count in [1_usize, 2, 12] {
        let found = semantics(&pairs(count)).exhaust_in_sets(&Limits::default(), Reduction::NONE).unwrap();
        let states = (few.states as u128).checked_pow(u32::try_from(count).unwrap());
        assert_eq!((found.completion, found.states), (Completion::Complete, states.unwrap_or(u128::MAX)));
        let proof = found.proof.unwrap();
        assert!(proof.in_sets());
        assert!(proof.maxima().values().all(|most| *most == 2), "{proof:?}");
        assert!(found.nodes < 10_000 * count, "{} nodes", found.nodes);
    }
}

#[test]
fn what_has_no_end_comes_to_a_limit() {
    let text = "chan q = [1] of { byte }; byte n; active proctype P() { do :: q!n :: n = 1 - n od }";
    let limits = Limits { bytes: Some(8 << 20), ..Limits::default() };
    let found = semantics(text).exhaust_in_sets(&limits, Reduction::ALL).unwrap();
    assert_eq!((found.completion, found.states, found.proof), (Completion::Bytes, 0, None));
}

#[test]
fn processes_may_be_created_one_after_the_other() {
    let text = "chan q = [9] of { byte };
        proctype P(byte n) { q!n }
        init { byte i; do :: i < 3 -> run P(i); i++ :: else -> break od }";
    let semantics = semantics(text);
    let all = semantics.exhaust(&Limits::default(), Reduction::NONE).unwrap();
    let found = semantics.exhaust_in_sets(&Limits::default(), Reduction::ALL).unwrap();
    assert_eq!(all.proof.unwrap().maxima(), found.proof.unwrap().maxima());
}

#[test]
fn a_timeout_comes_where_nothing_else_does() {
    let text = "chan q = [2] of { bit }; byte lost;
        active proctype S() { do :: q!1; if :: q?1 :: timeout -> q!0; lost++ fi :: lost > 2 -> break od }
        active proctype R() { do :: q?1 :: q?0 -> break od; timeout -> q!1; q!1; q!1 }";
    let semantics = semantics(text);
    let all = semantics.exhaust(&Limits::default(), Reduction::NONE).unwrap();
    let found = semantics.exhaust_in_sets(&Limits::default(), Reduction::NONE).unwrap();
    assert_eq!(found.states, all.states as u128);
    assert_eq!(all.proof.unwrap().maxima(), found.proof.unwrap().maxima());
}

#[test]
fn some_programs_are_not_fit_for_it() {
    let fit = |text: &str| semantics(text).is_fit_for_sets(Reduction::ALL);
    assert!(fit("chan q = [1] of { bit }; active proctype P() { q!1 }"));
    for text in [
        "chan q = [1] of { bit }; proctype P(byte n) { n > 2 -> q!1 } init { if :: run P(1) :: run P(3) fi }",
        "chan q = [1] of { bit }; active proctype P() { q!1; L: skip } active proctype Q() { P@L }",
        "chan q = [1] of { bit }; active proctype P() { q!1; run P() }",
    ] {
        assert!(!fit(text), "{text}");
    }
}
