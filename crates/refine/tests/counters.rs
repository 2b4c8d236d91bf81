//! Which variables never leave a range, and which of them it must not be said of.
#![cfg(feature = "programs")]

use abstraction::{Options, Precision, abstract_program};
use cfsm_core::deadline::Deadline;
use refine::with_counters;

/// The counters of a program, as a user would say it.
fn counters(text: &str) -> Vec<String> {
    let outcome = promela_front::parse("model.pml", text, &promela_front::Options::default());
    let program = outcome.program.unwrap_or_else(|| panic!("{:#?}", outcome.diagnostics));
    let precision = Precision { data_places: true, ..Precision::default() };
    let mut options = Options { precision, ..Options::default() };
    let known = abstract_program(&program, &options).expect("within limits");
    let found = with_counters(&program, &known, &mut options, Deadline::default());
    assert_eq!(found.is_some(), !options.precision.counters.is_empty());
    let name = |(owner, variable): (Option<_>, _)| match owner {
        None => program.globals[variable].name.clone(),
        Some(owner) => program.types[owner].locals[variable].name.clone(),
    };
    let all = options.precision.counters.iter();
    all.map(|(counter, (least, most))| format!("{} {least}..{most}", name(*counter))).collect()
}

/// A client with a window, and what it does behind a reply; a server that replies once, or as often
/// as is said.
fn window(declaration: &str, sends: &str, receives: &str, reply: &str) -> String {
    format!(
        "chan q = [4] of {{ byte }}; chan r = [4] of {{ byte }};
active proctype Client() {{ {declaration}; byte a; do :: {sends} :: r?a -> {receives} od }}
active proctype Server() {{ byte b; do :: q?b -> {reply} od }}"
    )
}

#[test]
fn as_many_as_there_are_messages() {
    let counted = |sends| counters(&window("byte n", sends, "n--", "r!b"));
    assert_eq!(counted("n < 3 -> q!1; n++"), ["n 0..3"]);
    assert_eq!(counted("n < 3 -> n++; q!1"), ["n 0..3"]);
    assert_eq!(counted("n < 3 -> q!1; q!1; n = n + 2"), ["n 0..4"]);
    assert_eq!(counters(&window("int n = 3", "n > 0 -> n--; q!1", "n++", "r!b")), ["n 0..3"]);
    assert_eq!(counters(&window("int n = -7", "n < -4 -> n++; q!1", "n--", "r!b")), ["n -7..-4"]);
}

#[test]
fn as_many_as_there_are_processes() {
    let text = "chan r = [4] of { byte }; byte n; proctype Worker() { r!1 }
active proctype Master() { do :: n < 4 -> n++; run Worker() :: r?_ -> n-- od }";
    assert_eq!(counters(text), ["n 0..4"]);
}

/// One reply too many, one message that is not counted, one that is counted late, a window that is
/// closed without cause, a type that is too narrow for the window.
#[test]
fn what_may_wrap_is_no_counter() {
    let none: [String; 0] = [];
    let sends = "n < 3 -> q!1; n++";
    assert_eq!(counters(&window("byte n", sends, "n--", "r!b; r!b")), none);
    assert_eq!(counters(&window("byte n", "n < 3 -> q!1; q!1; n++", "n--", "r!b")), none);
    assert_eq!(counters(&window("byte n", sends, "n = n - 2", "r!b")), none);
    assert_eq!(counters(&window("byte n", "n < 3 -> n++; q!1 :: n--", "n--", "r!b")), none);
    assert_eq!(counters(&window("unsigned n : 2", "n < 9 -> q!1; n++", "n--", "r!b")), none);
    assert_eq!(counters(&window("int n", "n >= 0 -> q!1; n++", "n--", "r!b")), none);
    assert_eq!(counters("byte n; active proctype P() { do :: n == 0 -> n--; n++ od }"), none);
    // Elements of long arrays are not told apart.
    let sends = "n[a] < 3 -> q!1; n[a]++";
    for length in [17, 100] {
        assert_eq!(counters(&window(&format!("byte n[{length}]"), sends, "n[a]--", "r!b")), none);
    }
}

/// What is said of one counter must not rest on another one that wraps.
#[test]
fn candidates_that_wrap_are_given_up() {
    let text = window("byte n; byte m", "n < 3 -> n++; q!1; m++", "n--", "r!b");
    assert_eq!(counters(&text), ["n 0..3"]);
    // As long as `m` does not wrap, it is never 0.
    let text = window("byte n; byte m = 1", "n < 3 -> n++; q!1 :: m++ :: m == 0 -> n--", "n--", "r!b");
    let none: [String; 0] = [];
    assert_eq!(counters(&text), none);
}

#[test]
fn the_range_is_that_of_all_elements() {
    let text = "chan q[2] = [4] of { byte }; chan r[2] = [4] of { byte }; byte n[2];
active proctype Client() { byte a; do
  :: n[0] < 2 -> n[0]++; q[0]!1 :: r[0]?a -> n[0]--
  :: n[1] < 5 -> n[1]++; q[1]!1 :: r[1]?a -> n[1]-- od }
active [2] proctype Server() { byte b; do :: q[_pid - 1]?b -> r[_pid - 1]!b od }";
    assert_eq!(counters(text), ["n 0..5"]);
}

/// Two kinds of processes with variables of one name, and two windows.
#[test]
fn the_range_is_that_of_all_processes() {
    let text = "chan q[2] = [4] of { byte }; chan r[2] = [4] of { byte };
proctype Client(byte me; byte most) { byte n; byte a; do
  :: n < most -> n++; q[me]!1 :: r[me]?a -> n-- od }
proctype Server(byte me) { byte b; do :: q[me]?b -> r[me]!b od }
init { atomic { run Client(0, 2); run Client(1, 5); run Server(0); run Server(1) } }";
    assert_eq!(counters(text), ["n 0..5"]);
}

/// Whatever is no sum of the counter and something small is cut to the type, and differences know
/// that.
#[test]
fn other_values_are_cut() {
    let none: [String; 0] = [];
    let start = "chan c = [2] of { byte }; byte n; byte m; byte y; short w; int s;
active proctype P() { int z = 3; do :: z > 0 -> z-- :: else -> break od;";
    let other_type = format!("{start} if :: w = 256 :: w = 9 fi; n = w; n--; do :: n > 200 -> c!1 od }}");
    assert_eq!(counters(&other_type), none);
    let other_variable =
        format!("{start} if :: y = 255 :: y = 0 fi; n = y + 1; n--; do :: n > 5 -> c!1 od }}");
    assert_eq!(counters(&other_variable), none);
    let large = format!(
        "{start} if :: y > n -> skip :: else fi; s = 250; if :: n = 6 :: n = 5 fi; n = n + s; n--;
         do :: n == 255 -> c!1 od }}"
    );
    assert_eq!(counters(&large), none);
}

/// A number that is that of a channel may be any.
#[test]
fn what_is_taken_off_may_be_a_channel() {
    let text = "chan c = [2] of { byte }; chan k = [4] of { byte }; byte n = 3; byte y;
active proctype P() { if :: y = c :: y = 1 fi; n--; n = n - y; do :: k!1 od }";
    let none: [String; 0] = [];
    assert_eq!(counters(text), none);
}
